//! Small symmetric systems: at most as many unknowns as there are parameters.

/// A symmetric matrix by rows.
pub type Matrix = Vec<Vec<f64>>;

/// n×n zeros.
pub fn zeros(n: usize) -> Matrix {
    vec![vec![0.0; n]; n]
}

/// The inverse of a positive definite matrix, scaled to a unit diagonal on the way; `None` if it is not.
pub fn inverse(a: &Matrix) -> Option<Matrix> {
    let n = a.len();
    let scale: Vec<f64> = (0..n).map(|i| 1.0 / a[i][i].sqrt()).collect();
    if !scale.iter().all(|s| s.is_finite()) {
        return None;
    }
    let mut work: Matrix = (0..n).map(|i| (0..n).map(|j| a[i][j] * scale[i] * scale[j]).collect()).collect();
    let mut out = zeros(n);
    for (i, row) in out.iter_mut().enumerate() {
        row[i] = 1.0;
    }
    // Gauss and Jordan without exchange of rows, which a positive definite matrix does not need.
    for k in 0..n {
        let pivot = work[k][k];
        if pivot.is_nan() || pivot <= 1e-13 {
            return None;
        }
        for j in 0..n {
            work[k][j] /= pivot;
            out[k][j] /= pivot;
        }
        for i in (0..n).filter(|&i| i != k) {
            let factor = work[i][k];
            for j in 0..n {
                work[i][j] -= factor * work[k][j];
                out[i][j] -= factor * out[k][j];
            }
        }
    }
    for i in 0..n {
        for j in 0..n {
            out[i][j] *= scale[i] * scale[j];
        }
    }
    Some(out)
}

/// A x.
pub fn multiply(a: &Matrix, x: &[f64]) -> Vec<f64> {
    a.iter().map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
}
