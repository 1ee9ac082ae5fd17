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
pub fn symmetric_eigen(mut a: Vec<Vec<f64>>) -> Eigen {
    let n = a.len();
    let mut v: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    // Sweeps converge quadratically; ten are more than ever seen for n below a few hundred.
    for _ in 0..60 {
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                let off = a[p][q];
                if off.abs() <= 1e-17 * (a[p][p].abs() * a[q][q].abs()).sqrt() || off == 0.0 {
                    continue;
                }
                rotated = true;
                let theta = (a[q][q] - a[p][p]) / (2.0 * off);
                let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let t = if theta == 0.0 { 1.0 } else { t };
                let c = 1.0 / t.hypot(1.0);
                let s = t * c;
                for k in 0..n {
                    let (akp, akq) = (a[k][p], a[k][q]);
                    a[k][p] = c * akp - s * akq;
                    a[k][q] = s * akp + c * akq;
                }
                for k in 0..n {
                    let (apk, aqk) = (a[p][k], a[q][k]);
                    a[p][k] = c * apk - s * aqk;
                    a[q][k] = s * apk + c * aqk;
                }
                for k in 0..n {
                    let (vp, vq) = (v[p][k], v[q][k]);
                    v[p][k] = c * vp - s * vq;
                    v[q][k] = s * vp + c * vq;
                }
            }
        }
        if !rotated {
            break;
        }
    }
    Eigen { values: (0..n).map(|i| a[i][i]).collect(), vectors: v }
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
}
