//! Eigenvalues and eigenvectors of small dense symmetric matrices, by Jacobi's rotations.
//!
//! Slow for large matrices and accurate for all: used for 8×8 stencils and small subspaces.
//! Source: Golub and Van Loan, Matrix Computations, § 8.5.

/// Eigenvalues of a symmetric matrix and, as rows, its orthonormal eigenvectors; in no order.
#[derive(Clone, Debug)]
pub struct Eigen {
    /// Eigenvalues.
    pub values: Vec<f64>,
    /// `vectors[k]` belongs to `values[k]`.
    pub vectors: Vec<Vec<f64>>,
}

/// All eigenvalues and eigenvectors of the symmetric matrix `a` (rows; both triangles filled).
pub fn symmetric_eigen(a: Vec<Vec<f64>>) -> Eigen {
    let n = a.len();
    let mut flat = a.concat();
    let mut vectors = vec![0.0; n * n];
    diagonalise(&mut flat, &mut vectors, n, 0.0);
    Eigen {
        values: (0..n).map(|i| flat[i * n + i]).collect(),
        vectors: (0..n).map(|i| vectors[i * n..(i + 1) * n].to_vec()).collect(),
    }
}

/// Diagonalises the symmetric n×n matrix `a` (by rows, both triangles filled) in place: its eigenvalues are left on
/// the diagonal and the eigenvector of the k-th is row k of `vectors`. Entries off the diagonal of at most `floor`
/// are left as they are: zero gives small eigenvalues their own relative accuracy, 1e-16 of the greatest entry is
/// enough (and faster) where only the size of the matrix matters.
pub fn diagonalise(a: &mut [f64], vectors: &mut [f64], n: usize, floor: f64) {
    let (a, v) = (&mut a[..n * n], &mut vectors[..n * n]);
    v.fill(0.0);
    for i in 0..n {
        v[i * n + i] = 1.0;
    }
    // Sweeps converge quadratically; ten are more than ever seen for n below a few hundred.
    for _ in 0..60 {
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                let (off, app, aqq) = (a[p * n + q], a[p * n + p], a[q * n + q]);
                let negligible = f64::max(floor, 1e-17 * (app.abs() * aqq.abs()).sqrt());
                if off.abs() <= negligible {
                    continue;
                }
                rotated = true;
                let theta = (aqq - app) / (2.0 * off);
                let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let t = if theta == 0.0 { 1.0 } else { t };
                let c = 1.0 / t.hypot(1.0);
                let s = t * c;
                for k in 0..n {
                    let (akp, akq) = (a[k * n + p], a[k * n + q]);
                    a[k * n + p] = c * akp - s * akq;
                    a[k * n + q] = s * akp + c * akq;
                }
                for k in 0..n {
                    let (apk, aqk) = (a[p * n + k], a[q * n + k]);
                    a[p * n + k] = c * apk - s * aqk;
                    a[q * n + k] = s * apk + c * aqk;
                }
                for k in 0..n {
                    let (vp, vq) = (v[p * n + k], v[q * n + k]);
                    v[p * n + k] = c * vp - s * vq;
                    v[q * n + k] = s * vp + c * vq;
                }
            }
        }
        if !rotated {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_is_put_together_again() {
        let n = 8;
        let a: Vec<Vec<f64>> =
            (0..n).map(|i| (0..n).map(|j| ((i * j + 3 * (i + j)) as f64).sin()).collect()).collect();
        let e = symmetric_eigen(a.clone());
        for i in 0..n {
            for j in 0..n {
                let back: f64 = (0..n).map(|k| e.values[k] * e.vectors[k][i] * e.vectors[k][j]).sum();
                assert!((back - a[i][j]).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn the_floor_costs_no_more_than_itself() {
        let n = 8;
        // Rank three: five eigenvalues are zero.
        let rows = |k: usize, i: usize| (((7 * k + i) * (k + i)) as f64).cos();
        let a: Vec<f64> = (0..n * n).map(|m| (0..3).map(|k| rows(k, m / n) * rows(k, m % n)).sum()).collect();
        let (mut d, mut v) = (a.clone(), vec![f64::NAN; n * n]);
        diagonalise(&mut d, &mut v, n, 1e-15);
        let mut values: Vec<f64> = (0..n).map(|i| d[i * n + i]).collect();
        for m in 0..n * n {
            let back: f64 = (0..n).map(|k| values[k] * v[k * n + m / n] * v[k * n + m % n]).sum();
            assert!((back - a[m]).abs() < 1e-13);
        }
        values.sort_by(f64::total_cmp);
        assert!(values[4].abs() < 1e-14 && values[5] > 0.1, "{values:?}");
    }
}
