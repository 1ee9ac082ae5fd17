//! The problem: blocks of unknowns, A, v*, constraints.
//!
//! ```text
//!   minimize over v:   ½ |v − v*|²_A + mᵀ(v − v*) + Σ_i ℓ_i(J_i v − v̂_i)
//!   optimality:        A (v − v*) + m = Σ_i J_iᵀ λ_i,   λ_i = −∂ℓ_i/∂u_i
//! ```
//!
//! m is zero where v* is the free motion. A simulator that linearizes at another velocity passes that velocity as v*
//! and its momentum residual as m, without solving for the free motion.

pub mod blocks;
pub mod constraints;
pub mod effective_mass;

use crate::law::ConstraintLaw;
use crate::problem::blocks::Blocks;
use crate::problem::constraints::Constraints;
use ropewalk_linalg::sparse::TileMatrix;
use thiserror::Error;

/// The convex problem. The fields may be changed between solves. New values are free; a new pattern of the matrix
/// needs a new analysis.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// The unknowns.
    pub blocks: Blocks,
    /// A, symmetric positive definite; its pattern has one row of tiles per tile of the blocks.
    pub matrix: TileMatrix,
    /// v*, four entries a tile.
    pub v_star: Vec<f64>,
    /// m, four entries a tile, or empty where it is zero.
    pub residual: Vec<f64>,
    /// The constraints.
    pub constraints: Constraints,
    /// By tile: the data that are unchanged since the last solve by the same solver, whose intermediate results are
    /// then reused. Empty: assume that all has changed. The set of constraints may have changed in any case.
    pub unchanged: Vec<Unchanged>,
    /// Leaves tiles without constraints at v*, whatever their residual: the caller solves for them.
    pub skip_free: bool,
}

/// Data of a tile that are unchanged since the last solve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unchanged {
    /// Unknown.
    #[default]
    Nothing,
    /// A there.
    Matrix,
    /// Its tiles of A, and the Jacobians of the constraints on it.
    Rows,
}

/// Invalid input, and where it is.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ProblemError {
    /// A vector or matrix does not fit the blocks.
    #[error("{what} has {got} entries, the blocks need {expected}")]
    Size {
        /// Which.
        what: &'static str,
        /// Its length.
        got: usize,
        /// The length needed.
        expected: usize,
    },
    /// A constraint names a tile that does not exist.
    #[error("constraint {constraint} acts on tile {tile}, but there are {tile_count}")]
    Tile {
        /// The constraint.
        constraint: usize,
        /// The tile it names.
        tile: usize,
        /// How many there are.
        tile_count: usize,
    },
    /// An entry of the matrix is NaN or infinite.
    #[error("A is not finite between tiles {row} and {column}: check masses, stiffness and the time step")]
    Matrix {
        /// The tile row.
        row: usize,
        /// The tile column.
        column: usize,
    },
    /// An entry of a vector is NaN or infinite.
    #[error("{what} is {value} at DoF {dof} of block {block}")]
    Vector {
        /// Which vector.
        what: &'static str,
        /// The block.
        block: usize,
        /// The DoF within the block.
        dof: usize,
        /// The value.
        value: f64,
    },
    /// An entry of a Jacobian is NaN or infinite.
    #[error("the Jacobian of constraint {constraint} is not finite on tile {tile}")]
    Jacobian {
        /// The constraint.
        constraint: usize,
        /// The tile.
        tile: usize,
    },
    /// A law holds a number that is NaN or infinite.
    #[error("the law of constraint {constraint} is not finite: {law}")]
    Law {
        /// The constraint.
        constraint: usize,
        /// The law.
        law: String,
    },
}

/// Whether all are finite. Without branches, so that it runs at memory bandwidth.
fn all_finite(values: &[f64]) -> bool {
    let (chunks, rest) = values.as_chunks::<8>();
    let mut sum = [0.0; 8];
    for chunk in chunks {
        for (s, x) in sum.iter_mut().zip(chunk) {
            // 0·x is zero for finite x and NaN otherwise.
            *s += 0.0 * x;
        }
    }
    sum.iter().sum::<f64>() == 0.0 && rest.iter().all(|x| x.is_finite())
}

impl Problem {
    /// Whether groups of tiles without constraints have a solution other than v*.
    pub(crate) fn solves_free(&self) -> bool {
        !self.residual.is_empty() && !self.skip_free
    }

    /// Checks that sizes fit and that numbers are finite.
    pub fn validate(&self, guess: Option<&[f64]>) -> Result<(), ProblemError> {
        self.check_all_but_matrix(guess)?;
        self.check_matrix()
    }

    /// The same without the entries of A: a NaN there makes factorization fail, and is looked for then.
    pub(crate) fn check_all_but_matrix(&self, guess: Option<&[f64]>) -> Result<(), ProblemError> {
        let expected = self.blocks.vector_len();
        let tile_count = self.blocks.tile_count();
        if self.matrix.pattern().tile_count() != tile_count {
            let got = self.matrix.pattern().tile_count();
            return Err(ProblemError::Size {
                what: "the diagonal of A, in tiles,",
                got,
                expected: tile_count,
            });
        }
        self.check_vector("v*", &self.v_star, expected)?;
        if !self.residual.is_empty() {
            self.check_vector("the momentum residual", &self.residual, expected)?;
        }
        if let Some(guess) = guess {
            self.check_vector("the initial guess", guess, expected)?;
        }
        self.check_constraints(tile_count)
    }

    fn check_vector(&self, what: &'static str, values: &[f64], expected: usize) -> Result<(), ProblemError> {
        if values.len() != expected {
            return Err(ProblemError::Size { what, got: values.len(), expected });
        }
        if all_finite(values) {
            return Ok(());
        }
        let at = values.iter().position(|x| !x.is_finite()).unwrap_or(0);
        let block = self.blocks.block_of(at / 4);
        let dof = at - self.blocks.dofs(block).start;
        Err(ProblemError::Vector { what, block, dof, value: values[at] })
    }

    /// Reports the first entry of A that is not finite.
    pub(crate) fn check_matrix(&self) -> Result<(), ProblemError> {
        // As in `all_finite`, for all tiles at once.
        let mut sum = [[0.0; 4]; 4];
        for tile in self.matrix.tiles() {
            for (sum, column) in sum.iter_mut().zip(&tile.0) {
                for (s, x) in sum.iter_mut().zip(column) {
                    *s += 0.0 * x;
                }
            }
        }
        if all_finite(sum.as_flattened()) {
            return Ok(());
        }
        let mut entries = self.matrix.pattern().entries();
        let bad = |slot: u32| !all_finite(self.matrix.tiles()[slot as usize].0.as_flattened());
        match entries.find(|e| bad(e.slot)) {
            Some(e) => Err(ProblemError::Matrix { row: e.row as usize, column: e.column as usize }),
            None => Ok(()),
        }
    }

    fn check_constraints(&self, tile_count: usize) -> Result<(), ProblemError> {
        let constraints = &self.constraints;
        if let Some(at) = constraints.all_tiles().iter().position(|&t| t as usize >= tile_count) {
            let constraint = self.constraint_at(at);
            let tile = constraints.all_tiles()[at] as usize;
            return Err(ProblemError::Tile { constraint, tile, tile_count });
        }
        if !all_finite(constraints.all_jacobians().as_flattened().as_flattened()) {
            let rows = constraints.all_jacobians();
            let bad = |rows: &[[f64; 4]; 3]| !all_finite(rows.as_flattened());
            let at = rows.iter().position(bad).unwrap_or(0);
            let tile = constraints.all_tiles()[at] as usize;
            return Err(ProblemError::Jacobian { constraint: self.constraint_at(at), tile });
        }
        for constraint in 0..constraints.len() {
            let law = constraints.law(constraint);
            if !law.is_finite() {
                return Err(ProblemError::Law { constraint, law: format!("{law:?}") });
            }
        }
        Ok(())
    }

    /// The constraint to which the Jacobian tile `at` belongs.
    fn constraint_at(&self, at: usize) -> usize {
        self.constraints.starts().partition_point(|&start| start as usize <= at).saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finiteness_is_seen_wherever_the_bad_number_stands() {
        for at in [0, 7, 8, 17, 18] {
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let mut values = vec![1e300; 19];
                assert!(all_finite(&values));
                values[at] = bad;
                assert!(!all_finite(&values));
            }
        }
    }
}
