//! Newton's direction of a rod whose contacts couple nodes far apart.
//!
//! The tangent is A + E H Eᵀ: A that of the rod, banded and positive definite; H that of the contacts, dense on the m degrees of
//! freedom that they act on, which E picks out, and not definite. With G = Eᵀ A⁻¹ E
//!
//! x = A⁻¹ b − A⁻¹ E (I + H G)⁻¹ H Eᵀ A⁻¹ b.

use ropewalk_linalg::block_pentadiagonal::PentaFactor;

/// A degree of freedom: node, and x, y or z.
pub type Place = (usize, usize);

/// Solves (A + E H Eᵀ) x = b, b in `x`, for the factors of A, H row by row in `hessian` on `places`. False if the matrix is
/// singular.
pub fn solve(factor: &mut PentaFactor, places: &[Place], hessian: &[f64], x: &mut [[f64; 4]]) -> bool {
    let m = places.len();
    factor.solve(x);
    if m == 0 {
        return true;
    }
    let mut columns: Vec<Vec<[f64; 4]>> = Vec::with_capacity(m);
    for &(node, axis) in places {
        let mut column = vec![[0.0; 4]; x.len()];
        column[node][axis] = 1.0;
        factor.solve(&mut column);
        columns.push(column);
    }
    // I + H G, and H Eᵀ A⁻¹ b.
    let mut matrix = vec![0.0; m * m];
    let mut right = vec![0.0; m];
    for i in 0..m {
        let row = &hessian[i * m..(i + 1) * m];
        for (k, &h) in row.iter().enumerate().filter(|(_, h)| **h != 0.0) {
            let (node, axis) = places[k];
            right[i] += h * x[node][axis];
            for (j, column) in columns.iter().enumerate() {
                matrix[i * m + j] += h * column[node][axis];
            }
        }
        matrix[i * m + i] += 1.0;
    }
    if !eliminate(&mut matrix, &mut right) {
        return false;
    }
    for (column, &y) in columns.iter().zip(&right) {
        for (out, c) in x.iter_mut().zip(column) {
            for k in 0..4 {
                out[k] -= y * c[k];
            }
        }
    }
    true
}

/// Gauss's elimination with partial pivoting; the solution is in `right`. False if the matrix is singular.
fn eliminate(a: &mut [f64], right: &mut [f64]) -> bool {
    let m = right.len();
    for k in 0..m {
        let best = (k..m).max_by(|&i, &j| a[i * m + k].abs().total_cmp(&a[j * m + k].abs())).unwrap_or(k);
        let size = a[best * m + k].abs();
        if size.is_nan() || size < f64::MIN_POSITIVE {
            return false;
        }
        if best != k {
            for j in k..m {
                a.swap(k * m + j, best * m + j);
            }
            right.swap(k, best);
        }
        let (upper, lower) = a.split_at_mut((k + 1) * m);
        let pivot = &upper[k * m..];
        for i in k + 1..m {
            let row = &mut lower[(i - k - 1) * m..(i - k) * m];
            let factor = row[k] / pivot[k];
            if factor != 0.0 {
                for j in k..m {
                    row[j] -= factor * pivot[j];
                }
                right[i] -= factor * right[k];
            }
        }
    }
    for k in (0..m).rev() {
        let known: f64 = (k + 1..m).map(|j| a[k * m + j] * right[j]).sum();
        right[k] = (right[k] - known) / a[k * m + k];
    }
    right.iter().all(|x| x.is_finite())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use ropewalk_linalg::block_pentadiagonal::BlockPenta;

    #[test]
    fn the_solution_satisfies_the_equations() {
        let n = 7;
        let mut a = BlockPenta::zero(n, false);
        for i in 0..n {
            for k in 0..4 {
                a.diagonal[i][k][k] = 3.0 + 0.1 * (i + k) as f64;
                a.next[i][k][(k + 1) % 4] = 0.4;
                a.second[i][k][k] = -0.2;
            }
        }
        let mut factor = PentaFactor::new(n, false);
        factor.factor(&a).unwrap();
        let places = [(0, 0), (0, 2), (5, 1), (6, 0)];
        // Not definite.
        let hessian = [5.0, 1.0, -2.0, 0.3, 1.0, -1.0, 0.5, 0.0, -2.0, 0.5, 4.0, 1.0, 0.3, 0.0, 1.0, -0.5];
        let b: Vec<[f64; 4]> =
            (0..n).map(|i| core::array::from_fn(|k| (i as f64 - 3.0) * (k as f64 + 0.5))).collect();
        let mut x = b.clone();
        assert!(solve(&mut factor, &places, &hessian, &mut x));
        let mut product = vec![[0.0; 4]; n];
        a.multiply_add(&x, &mut product);
        for (i, &(node, axis)) in places.iter().enumerate() {
            for (j, &(other, along)) in places.iter().enumerate() {
                product[node][axis] += hessian[4 * i + j] * x[other][along];
            }
        }
        for (p, b) in product.iter().flatten().zip(b.iter().flatten()) {
            assert!((p - b).abs() < 1e-12, "{p} {b}");
        }
    }
}
