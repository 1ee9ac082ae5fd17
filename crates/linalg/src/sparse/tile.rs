//! 4×4 tiles: product, Cholesky factor, triangular solve, and products with vectors.
//!
//! Tiles are stored by columns, so that one column is one vector register. `FUSED` says whether
//! multiply–add is one instruction (see [`crate::lanes`]); it is true only inside functions that are
//! compiled for a unit which has it.

use crate::block4::fma;

/// DoFs per tile.
pub const TILE: usize = 4;

/// A 4×4 matrix by columns: `tile.0[column][row]`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct Tile(pub [[f64; 4]; 4]);

/// The four numbers of a tile's rows.
pub type Column = [f64; 4];

/// y + s·x.
#[inline(always)]
pub(super) fn add_scaled<const FUSED: bool>(y: Column, x: &Column, s: f64) -> Column {
    let mut out = y;
    for r in 0..4 {
        out[r] = fma::<FUSED>(x[r], s, y[r]);
    }
    out
}

/// y − s·x.
#[inline(always)]
pub(super) fn sub_scaled<const FUSED: bool>(y: Column, x: &Column, s: f64) -> Column {
    let mut out = y;
    for r in 0..4 {
        out[r] = fma::<FUSED>(-x[r], s, y[r]);
    }
    out
}

impl Tile {
    /// The zero tile.
    pub const ZERO: Self = Self([[0.0; 4]; 4]);

    /// The unit tile.
    pub const IDENTITY: Self =
        Self([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]);

    /// The entry in `row` and `column`.
    #[inline(always)]
    pub fn get(&self, row: usize, column: usize) -> f64 {
        self.0[column][row]
    }

    /// Sets the entry in `row` and `column`.
    #[inline(always)]
    pub fn set(&mut self, row: usize, column: usize, value: f64) {
        self.0[column][row] = value;
    }

    /// The transposed tile.
    #[inline(always)]
    pub fn transposed(&self) -> Self {
        let mut out = Self::ZERO;
        for c in 0..4 {
            for r in 0..4 {
                out.0[r][c] = self.0[c][r];
            }
        }
        out
    }

    /// self += other.
    #[inline(always)]
    pub fn add(&mut self, other: &Self) {
        for c in 0..4 {
            for r in 0..4 {
                self.0[c][r] += other.0[c][r];
            }
        }
    }

    /// y + self·x.
    #[inline(always)]
    pub(super) fn mul_add<const FUSED: bool>(&self, x: &Column, y: Column) -> Column {
        let mut out = y;
        for c in 0..4 {
            out = add_scaled::<FUSED>(out, &self.0[c], x[c]);
        }
        out
    }

    /// y − self·x.
    #[inline(always)]
    pub(super) fn mul_sub<const FUSED: bool>(&self, x: &Column, y: Column) -> Column {
        let mut out = y;
        for c in 0..4 {
            out = sub_scaled::<FUSED>(out, &self.0[c], x[c]);
        }
        out
    }
}

/// c −= a·bᵀ.
#[inline(always)]
pub(super) fn sub_product<const FUSED: bool>(c: &mut Tile, a: &Tile, b: &Tile) {
    for k in 0..4 {
        for column in 0..4 {
            c.0[column] = sub_scaled::<FUSED>(c.0[column], &a.0[k], b.0[k][column]);
        }
    }
}

/// c −= a·bᵀ for two tiles c and a: each entry of b is fetched once for both.
#[inline(always)]
pub(super) fn sub_products<const FUSED: bool>(c: &mut [Tile; 2], a: [&Tile; 2], b: &Tile) {
    for k in 0..4 {
        let columns = a.map(|a| a.0[k]);
        for column in 0..4 {
            for (c, a) in c.iter_mut().zip(&columns) {
                c.0[column] = sub_scaled::<FUSED>(c.0[column], a, b.0[k][column]);
            }
        }
    }
}

/// Cholesky factor of `t` in place (lower part; the upper part is zeroed). Returns the reciprocals of
/// the diagonal of L, or the first row whose pivot is not a positive finite number.
#[inline(always)]
pub(super) fn cholesky<const FUSED: bool>(t: &mut Tile) -> Result<Column, usize> {
    let mut reciprocal = [0.0; 4];
    for j in 0..4 {
        let pivot = t.0[j][j];
        if !(pivot > 0.0 && pivot < f64::INFINITY) {
            return Err(j);
        }
        // Root and reciprocal do not wait for one another: 1/√d = √d·(1/d).
        let root = pivot.sqrt();
        let inverse = root * (1.0 / pivot);
        reciprocal[j] = inverse;
        for r in 0..4 {
            t.0[j][r] = if r > j { t.0[j][r] * inverse } else { 0.0 };
        }
        t.0[j][j] = root;
        for c in j + 1..4 {
            t.0[c] = sub_scaled::<FUSED>(t.0[c], &t.0[j], t.0[j][c]);
        }
    }
    Ok(reciprocal)
}

/// x ← x·L⁻ᵀ: the tiles below a diagonal tile with factor `l`.
#[inline(always)]
pub(super) fn solve_panel<const FUSED: bool>(x: &mut Tile, l: &Tile, reciprocal: &Column) {
    for j in 0..4 {
        let mut column = x.0[j];
        for k in 0..j {
            column = sub_scaled::<FUSED>(column, &x.0[k], l.0[k][j]);
        }
        for r in 0..4 {
            column[r] *= reciprocal[j];
        }
        x.0[j] = column;
    }
}

/// x ← L⁻¹ x for a lower triangular tile.
#[inline(always)]
pub(super) fn solve_lower<const FUSED: bool>(l: &Tile, reciprocal: &Column, x: Column) -> Column {
    let mut x = x;
    for j in 0..4 {
        x[j] *= reciprocal[j];
        for r in j + 1..4 {
            x[r] = fma::<FUSED>(-l.0[j][r], x[j], x[r]);
        }
    }
    x
}

/// x ← L⁻ᵀ x for a lower triangular tile.
#[inline(always)]
pub(super) fn solve_upper<const FUSED: bool>(l: &Tile, reciprocal: &Column, x: Column) -> Column {
    let mut x = x;
    for j in (0..4).rev() {
        for r in j + 1..4 {
            x[j] = fma::<FUSED>(-l.0[j][r], x[r], x[j]);
        }
        x[j] *= reciprocal[j];
    }
    x
}

/// Products of a transposed tile with a vector, summed over tiles and reduced once at the end.
#[derive(Clone, Copy)]
pub(super) struct TransposedSum([Column; 4]);

impl TransposedSum {
    pub(super) const ZERO: Self = Self([[0.0; 4]; 4]);

    /// self += tᵀ·x, not yet reduced.
    #[inline(always)]
    pub(super) fn add<const FUSED: bool>(&mut self, t: &Tile, x: &Column) {
        for c in 0..4 {
            for r in 0..4 {
                self.0[c][r] = fma::<FUSED>(t.0[c][r], x[r], self.0[c][r]);
            }
        }
    }

    /// The sum.
    #[inline(always)]
    pub(super) fn reduce(&self) -> Column {
        let t = Tile(self.0).transposed();
        let mut out = [0.0; 4];
        for r in 0..4 {
            out[r] = (t.0[0][r] + t.0[1][r]) + (t.0[2][r] + t.0[3][r]);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spd() -> Tile {
        let g =
            Tile([[2.0, 0.3, -0.4, 0.1], [0.0, 1.5, 0.2, 0.7], [0.0, 0.0, 0.9, -0.6], [0.0, 0.0, 0.0, 1.1]]);
        let mut t = Tile::ZERO;
        sub_product::<false>(&mut t, &g, &g);
        for c in 0..4 {
            for r in 0..4 {
                t.0[c][r] = -t.0[c][r];
            }
        }
        t
    }

    #[test]
    fn cholesky_gives_back_the_factor() {
        let mut t = spd();
        let reciprocal = cholesky::<false>(&mut t).unwrap();
        let expected = [2.0, 1.5, 0.9, 1.1];
        for j in 0..4 {
            assert!((t.get(j, j) - expected[j]).abs() < 1e-15);
            assert!((reciprocal[j] * expected[j] - 1.0).abs() < 1e-15);
        }
        assert!((t.get(2, 0) + 0.4).abs() < 1e-15 && t.get(0, 2) == 0.0);
    }

    #[test]
    fn solves_undo_products() {
        let mut l = spd();
        let reciprocal = cholesky::<false>(&mut l).unwrap();
        let x = [0.3, -1.0, 2.0, 0.5];
        let y = l.mul_add::<false>(&x, [0.0; 4]);
        let back = solve_lower::<false>(&l, &reciprocal, y);
        let mut sum = TransposedSum::ZERO;
        sum.add::<false>(&l, &x);
        let back_upper = solve_upper::<false>(&l, &reciprocal, sum.reduce());
        for r in 0..4 {
            assert!((back[r] - x[r]).abs() < 1e-14 && (back_upper[r] - x[r]).abs() < 1e-14);
        }
        // (b L⁻ᵀ) Lᵀ = b.
        let b =
            Tile([[1.0, 2.0, 3.0, 4.0], [0.5, -1.0, 0.0, 2.0], [1.0, 1.0, -1.0, 0.3], [0.0, 2.0, 7.0, 1.0]]);
        let mut panel = b;
        solve_panel::<false>(&mut panel, &l, &reciprocal);
        let mut rest = b;
        sub_product::<false>(&mut rest, &panel, &l);
        assert!(rest.0.iter().flatten().all(|e| e.abs() < 1e-14));
    }

    #[test]
    fn a_pivot_that_is_not_positive_is_named() {
        let mut t = Tile::IDENTITY;
        t.set(2, 2, -1.0);
        assert_eq!(cholesky::<false>(&mut t), Err(2));
        t = Tile::IDENTITY;
        t.set(3, 3, f64::NAN);
        assert_eq!(cholesky::<false>(&mut t), Err(3));
    }
}
