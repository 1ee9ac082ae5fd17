//! The weight of a constraint: how easily its rows are moved.
//!
//! w = ‖J D⁻¹ Jᵀ‖_F / rows with D the diagonal blocks of A: of a node the 3×3 block of its position and the entry of its
//! angle, of a tree the whole. (Elastic stiffness is in A. Position and angle of a node count apart, since the angle
//! belongs to the edge on one side of the node: together, a rod would behave differently from its mirror image.)

use super::demand::Demand;
use super::layout::Layout;
use super::rows::RowSet;
use crate::workspace::TreeWork;
use rayon::prelude::*;
use ropewalk_contact::JacobianTile;
use ropewalk_linalg::sparse::TileMatrix;

/// A diagonal block that is not positive definite.
#[derive(Clone, Copy, Debug)]
pub(super) struct NotPositive {
    /// Its tile.
    pub(super) tile: usize,
    /// The first constraint that acts there.
    pub(super) constraint: usize,
}

/// Constraints that one thread takes at a time.
const LOT: usize = 64;

/// Weights of all constraints, and memory to find them.
#[derive(Clone, Debug, Default)]
pub(super) struct Weights {
    weights: Vec<f64>,
    lots: Vec<Lot>,
}

#[derive(Clone, Debug, Default)]
struct Lot {
    column: Vec<f64>,
    bad: Option<NotPositive>,
}

impl Weights {
    /// Finds the weights of the constraints from `from` on, or the first of them that acts on a diagonal block which is not
    /// positive definite.
    pub(super) fn find(
        &mut self,
        from: usize,
        (rows, demands): (&RowSet, &[Demand]),
        (layout, matrix, trees): (&Layout, &TileMatrix, &[TreeWork]),
    ) -> Result<(), NotPositive> {
        let Self { weights, lots } = self;
        weights.resize(demands.len(), 0.0);
        let (weights, demands) = (&mut weights[from..], &demands[from..]);
        let count = demands.len().div_ceil(LOT);
        lots.resize_with(lots.len().max(count), Lot::default);
        let shares = weights.par_chunks_mut(LOT).zip(demands.par_chunks(LOT)).zip(lots.par_iter_mut());
        shares.enumerate().for_each(|(at, ((weights, demands), Lot { column, bad }))| {
            *bad = None;
            for (i, (to, demand)) in weights.iter_mut().zip(demands).enumerate() {
                let constraint = from + LOT * at + i;
                let jacobian = rows.jacobian(constraint);
                match weight(jacobian, demand.row_count(), layout, matrix, trees, column) {
                    Ok(weight) => *to = weight,
                    Err(tile) => *bad = bad.or(Some(NotPositive { tile, constraint })),
                }
            }
        });
        lots[..count].iter().find_map(|lot| lot.bad).map_or(Ok(()), Err)
    }

    /// The weight of a constraint.
    pub(super) fn of(&self, constraint: usize) -> f64 {
        self.weights[constraint]
    }
}

/// w of a constraint with the given Jacobian, or the tile that is not positive definite. `column` is scratch.
fn weight(
    jacobian: &[JacobianTile],
    row_count: usize,
    layout: &Layout,
    matrix: &TileMatrix,
    trees: &[TreeWork],
    column: &mut Vec<f64>,
) -> Result<f64, usize> {
    let mut w = [[0.0; 3]; 3];
    for (at, part) in jacobian.iter().enumerate() {
        match layout.tree_of(part.tile) {
            None => add_node(part, matrix, &mut w)?,
            Some(t) => {
                let tiles = layout.tree_tile[t]..layout.tree_tile[t + 1];
                // Each tree once, at its first tile.
                if jacobian[..at].iter().any(|p| tiles.contains(&p.tile)) {
                    continue;
                }
                let parts = jacobian.iter().filter(|p| tiles.contains(&p.tile));
                for row in 0..row_count {
                    column.clear();
                    column.resize(4 * tiles.len(), 0.0);
                    for part in parts.clone() {
                        let first = 4 * (part.tile - tiles.start);
                        column[first..first + 4].copy_from_slice(&part.rows[row]);
                    }
                    let n = trees[t].motion.v.len();
                    trees[t].motion.solve_tangent(&mut column[..n]);
                    for part in parts.clone() {
                        let first = 4 * (part.tile - tiles.start);
                        for other in 0..row_count {
                            w[other][row] +=
                                (0..4).map(|k| part.rows[other][k] * column[first + k]).sum::<f64>();
                        }
                    }
                }
            }
        }
    }
    let squared: f64 = w.iter().flatten().map(|x| x * x).sum();
    Ok(squared.sqrt() / row_count as f64)
}

/// w += J D⁻¹ Jᵀ of a node.
fn add_node(part: &JacobianTile, matrix: &TileMatrix, w: &mut [[f64; 3]; 3]) -> Result<(), usize> {
    let a = matrix.diagonal(part.tile);
    let positive = |x: f64| if x > 0.0 && x.is_finite() { Ok(x) } else { Err(part.tile) };
    // A = L D Lᵀ on the 3×3 block, L with ones on its diagonal; d holds 1/D.
    let d0 = 1.0 / positive(a.get(0, 0))?;
    let (l10, l20) = (a.get(1, 0) * d0, a.get(2, 0) * d0);
    let d1 = 1.0 / positive(a.get(1, 1) - l10 * a.get(1, 0))?;
    let l21 = (a.get(2, 1) - l20 * a.get(1, 0)) * d1;
    let d2 = 1.0 / positive(a.get(2, 2) - l20 * a.get(2, 0) - l21 * (a.get(2, 1) - l20 * a.get(1, 0)))?;
    let d = [d0, d1, d2, 1.0 / positive(a.get(3, 3))?];
    let x = part.rows.map(|row| {
        let x1 = row[1] - l10 * row[0];
        [row[0], x1, row[2] - l20 * row[0] - l21 * x1, row[3]]
    });
    for r in 0..3 {
        for s in 0..3 {
            w[r][s] += (0..4).map(|k| d[k] * x[r][k] * x[s][k]).sum::<f64>();
        }
    }
    Ok(())
}
