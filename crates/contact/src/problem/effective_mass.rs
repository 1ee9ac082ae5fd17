//! The weight w of a constraint: its diagonal entry of the Delassus operator, the inverse of its effective mass.
//!
//! ```text
//!   w = ‖J D⁻¹ Jᵀ‖_F / r
//! ```
//!
//! with D the diagonal blocks of A (elastic stiffness included, not masses alone) and r the number of rows. With
//! masses alone, a stiff rope would seem far lighter than it is, and contacts would be far too soft.

use crate::problem::blocks::Blocks;
use crate::problem::constraints::JacobianTile;
use ropewalk_linalg::sparse::tile::TILE;
use ropewalk_linalg::sparse::{NotPositiveDefinite, TileMatrix};

/// The Cholesky factors of the diagonal blocks of A.
#[derive(Clone, Debug, Default)]
pub struct DiagonalBlocks {
    /// By block: where its factor starts in `factors`.
    start: Vec<usize>,
    /// Dense lower factors by rows, padding included.
    factors: Vec<f64>,
    tile_offset: Vec<u32>,
    block_of: Vec<u32>,
}

impl DiagonalBlocks {
    /// Factorizes the diagonal blocks of `matrix`. Reuses its memory.
    pub fn update(&mut self, blocks: &Blocks, matrix: &TileMatrix) -> Result<(), NotPositiveDefinite> {
        self.start.clear();
        self.factors.clear();
        self.tile_offset.clear();
        self.block_of.clear();
        for block in 0..blocks.block_count() {
            let tiles = blocks.tiles(block);
            let size = TILE * tiles.len();
            let begin = self.factors.len();
            self.start.push(begin);
            self.factors.resize(begin + size * size, 0.0);
            let dense = &mut self.factors[begin..];
            for column in tiles.clone() {
                self.block_of.push(block as u32);
                self.tile_offset.push((column - tiles.start) as u32);
                for row in column..tiles.end {
                    let Some(slot) = matrix.pattern().slot(row, column) else { continue };
                    let tile = &matrix.tiles()[slot];
                    for c in 0..TILE {
                        for r in 0..TILE {
                            let (i, j) = (TILE * (row - tiles.start) + r, TILE * (column - tiles.start) + c);
                            dense[i * size + j] = tile.get(r, c);
                        }
                    }
                }
            }
            cholesky(dense, size)
                .map_err(|dof| NotPositiveDefinite { tile: tiles.start + dof / TILE, dof: dof % TILE })?;
        }
        Ok(())
    }

    /// w of a constraint with `row_count` rows.
    pub fn weight(&self, jacobian: &[JacobianTile], row_count: usize) -> f64 {
        let mut w = [[0.0; 3]; 3];
        for (at, part) in jacobian.iter().enumerate() {
            let block = self.block_of[part.tile];
            // Each block once, at its first tile.
            if jacobian[..at].iter().any(|p| self.block_of[p.tile] == block) {
                continue;
            }
            self.add_block(block as usize, &jacobian[at..], &mut w);
        }
        let squared: f64 = w.iter().flatten().map(|x| x * x).sum();
        squared.sqrt() / row_count as f64
    }

    /// w += J_b D_b⁻¹ J_bᵀ = XᵀX with L X = J_bᵀ.
    fn add_block(&self, block: usize, jacobian: &[JacobianTile], w: &mut [[f64; 3]; 3]) {
        let begin = self.start[block];
        let end = self.start.get(block + 1).copied().unwrap_or(self.factors.len());
        let factor = &self.factors[begin..end];
        let size = factor.len().isqrt();
        // Rows of X as they become known; trees of up to 16 tiles need no memory of their own.
        let mut fixed = [[0.0; 3]; 64];
        let mut grown = Vec::new();
        let x: &mut [[f64; 3]] = if size <= fixed.len() {
            &mut fixed[..size]
        } else {
            grown.resize(size, [0.0; 3]);
            &mut grown
        };
        for part in jacobian.iter().filter(|p| self.block_of[p.tile] as usize == block) {
            let offset = TILE * self.tile_offset[part.tile] as usize;
            for dof in 0..TILE {
                for row in 0..3 {
                    x[offset + dof][row] += part.rows[row][dof];
                }
            }
        }
        for i in 0..size {
            for j in 0..i {
                let l = factor[i * size + j];
                for row in 0..3 {
                    x[i][row] -= l * x[j][row];
                }
            }
            for row in 0..3 {
                x[i][row] /= factor[i * size + i];
            }
            for a in 0..3 {
                for b in 0..3 {
                    w[a][b] += x[i][a] * x[i][b];
                }
            }
        }
    }
}

/// Dense Cholesky factor by rows, in place. On failure: the first row whose pivot is not positive.
fn cholesky(a: &mut [f64], size: usize) -> Result<(), usize> {
    for i in 0..size {
        for j in 0..=i {
            let mut sum = a[i * size + j];
            for k in 0..j {
                sum -= a[i * size + k] * a[j * size + k];
            }
            if i != j {
                a[i * size + j] = sum / a[j * size + j];
            } else if sum > 0.0 && sum < f64::INFINITY {
                a[i * size + i] = sum.sqrt();
            } else {
                return Err(i);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weight_of_a_free_particle_is_its_inverse_mass_over_root_three() {
        let blocks = Blocks::uniform(2, 3);
        let mut matrix = blocks.matrix([]);
        for dof in blocks.dofs(0).chain(blocks.dofs(1)) {
            matrix.add_entry(dof, dof, 2.0);
        }
        let mut diagonal = DiagonalBlocks::default();
        diagonal.update(&blocks, &matrix).unwrap();
        let unit = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
        let one = [JacobianTile { tile: 0, rows: unit }];
        // ‖I/2‖_F/3 = √3/6.
        assert!((diagonal.weight(&one, 3) - 3_f64.sqrt() / 6.0).abs() < 1e-15);
        let pair = [one[0], JacobianTile { tile: 1, rows: unit.map(|r| r.map(|x| -x)) }];
        assert!((diagonal.weight(&pair, 3) - 3_f64.sqrt() / 3.0).abs() < 1e-15);
    }

    #[test]
    fn tiles_of_one_tree_are_taken_together() {
        let mut blocks = Blocks::new();
        blocks.add(6);
        let mut matrix = blocks.matrix([]);
        for i in 0..6 {
            for j in 0..=i {
                matrix.add_entry(i, j, if i == j { 4.0 } else { 1.0 });
            }
        }
        let mut diagonal = DiagonalBlocks::default();
        diagonal.update(&blocks, &matrix).unwrap();
        // J = (1, 0, 0, 0, 1, 0): with A = 3 I + 1 1ᵀ, A⁻¹ = (I − 1 1ᵀ/9)/3, J A⁻¹ Jᵀ = (2 − 4/9)/3.
        let row = |x: [f64; 4]| [x, [0.0; 4], [0.0; 4]];
        let jacobian = [
            JacobianTile { tile: 0, rows: row([1.0, 0.0, 0.0, 0.0]) },
            JacobianTile { tile: 1, rows: row([1.0, 0.0, 0.0, 0.0]) },
        ];
        assert!((diagonal.weight(&jacobian, 1) - (2.0 - 4.0 / 9.0) / 3.0).abs() < 1e-15);
    }
}
