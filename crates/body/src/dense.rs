//! Cholesky factors of small dense symmetric matrices: the mass matrix of one tree.
//!
//! A = L Lᵀ, by rows. Source: Golub and Van Loan, Matrix Computations, § 4.2.

use thiserror::Error;

/// The matrix is not positive definite.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("the matrix is not positive definite at row {row}")]
pub struct NotPositive {
    /// The row whose pivot is not positive.
    pub row: usize,
}

/// L of A = L Lᵀ; its memory is reused.
#[derive(Clone, Debug)]
pub struct DenseCholesky {
    n: usize,
    lower: Vec<f64>,
    inverse_pivots: Vec<f64>,
}

impl DenseCholesky {
    /// Room for n×n matrices.
    pub fn new(n: usize) -> Self {
        Self { n, lower: vec![0.0; n * n], inverse_pivots: vec![0.0; n] }
    }

    /// Factors `a` (n×n by rows; only the lower triangle is read).
    pub fn factor(&mut self, a: &[f64]) -> Result<(), NotPositive> {
        let n = self.n;
        for i in 0..n {
            let (done, rest) = self.lower.split_at_mut(i * n);
            let row = &mut rest[..n];
            for j in 0..i {
                let other = &done[j * n..j * n + j];
                let sum: f64 = row[..j].iter().zip(other).map(|(x, y)| x * y).sum();
                row[j] = (a[i * n + j] - sum) * self.inverse_pivots[j];
            }
            let pivot = a[i * n + i] - row[..i].iter().map(|x| x * x).sum::<f64>();
            if !pivot.is_finite() || pivot <= 0.0 {
                return Err(NotPositive { row: i });
            }
            row[i] = pivot.sqrt();
            self.inverse_pivots[i] = 1.0 / row[i];
        }
        Ok(())
    }

    /// Solves A x = b in place.
    pub fn solve(&self, b: &mut [f64]) {
        let (n, l) = (self.n, &self.lower);
        for i in 0..n {
            let sum: f64 = l[i * n..i * n + i].iter().zip(&b[..i]).map(|(x, y)| x * y).sum();
            b[i] = (b[i] - sum) * self.inverse_pivots[i];
        }
        for i in (0..n).rev() {
            let x = b[i] * self.inverse_pivots[i];
            b[i] = x;
            for j in 0..i {
                b[j] -= l[i * n + j] * x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_what_it_has_factored_and_refuses_the_rest() {
        let n = 9;
        // B Bᵀ + 1 with entries of B that repeat no pattern.
        let b = |i: usize, j: usize| (1.7 * i as f64 + 0.9 * (j * j) as f64).sin();
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                a[i * n + j] = (0..n).map(|k| b(i, k) * b(j, k)).sum::<f64>() + f64::from(i == j);
            }
        }
        let wanted: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        let mut x: Vec<f64> = (0..n).map(|i| (0..n).map(|j| a[i * n + j] * wanted[j]).sum()).collect();
        let mut factor = DenseCholesky::new(n);
        factor.factor(&a).unwrap();
        factor.solve(&mut x);
        for (x, w) in x.iter().zip(&wanted) {
            assert!((x - w).abs() < 1e-13);
        }
        a[4 * n + 4] = -1.0;
        assert_eq!(factor.factor(&a), Err(NotPositive { row: 4 }));
        a[0] = f64::NAN;
        assert_eq!(factor.factor(&a), Err(NotPositive { row: 0 }));
    }
}
