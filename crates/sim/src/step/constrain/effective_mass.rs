//! The weight of a constraint: how easily its rows are moved.
//!
//! w = ‖J D⁻¹ Jᵀ‖_F / rows with D the diagonal blocks of A: of a node the 3×3 block of its position and the entry of its
//! angle, of a tree the whole. (Elastic stiffness is in A. Position and angle of a node count apart, since the angle
//! belongs to the edge on one side of the node: together, a rod would behave differently from its mirror image.)

use crate::step::solve::part::IslandPart;
use core::ops::Range;
use rayon::prelude::*;
use ropewalk_contact::JacobianTile;
use ropewalk_linalg::sparse::TileMatrix;

/// A diagonal block that is not positive definite.
#[derive(Clone, Copy, Debug)]
pub(in crate::step) struct NotPositive {
    /// Its tile.
    pub(in crate::step) tile: usize,
    /// The first constraint that acts there.
    pub(in crate::step) constraint: usize,
}

/// The trees of an island, whose tangents have been factored, and the first tile of each, and the end of the last.
type Trees<'a> = (&'a [IslandPart<'a>], &'a [usize]);

/// Constraints that one thread takes at a time.
const LOT: usize = 64;

/// EffectiveMasses of all constraints, and memory to find them.
#[derive(Clone, Debug, Default)]
pub(in crate::step) struct EffectiveMasses {
    weights: Vec<f64>,
    lots: Vec<Lot>,
}

#[derive(Clone, Debug, Default)]
struct Lot {
    column: Vec<f64>,
    factors: [Option<TileFactor>; KEPT],
    bad: Option<NotPositive>,
}

/// Diagonal blocks that are kept at hand: constraints that follow one another often act on the same.
const KEPT: usize = 4;

impl EffectiveMasses {
    /// Finds the weights of the constraints in `range`, whose Jacobians and numbers of rows are given, or the first of
    /// them that acts on a diagonal block of `matrix` which is not positive definite.
    pub(in crate::step) fn find<'j>(
        &mut self,
        range: Range<usize>,
        (jacobian, row_count): (impl Fn(usize) -> &'j [JacobianTile] + Sync, impl Fn(usize) -> usize + Sync),
        (matrix, trees): (&TileMatrix, Trees<'_>),
    ) -> Result<(), NotPositive> {
        let Self { weights, lots } = self;
        let from = range.start;
        weights.resize(range.end, 0.0);
        let weights = &mut weights[range];
        let count = weights.len().div_ceil(LOT);
        lots.resize_with(lots.len().max(count), Lot::default);
        let shares = weights.par_chunks_mut(LOT).zip(lots.par_iter_mut());
        shares.enumerate().for_each(|(at, (weights, lot))| {
            lot.factors = [None; KEPT];
            lot.bad = None;
            for (i, to) in weights.iter_mut().enumerate() {
                let constraint = from + LOT * at + i;
                match weight(jacobian(constraint), row_count(constraint), (matrix, trees), lot) {
                    Ok(weight) => *to = weight,
                    Err(tile) => lot.bad = lot.bad.or(Some(NotPositive { tile, constraint })),
                }
            }
        });
        lots[..count].iter().find_map(|lot| lot.bad).map_or(Ok(()), Err)
    }

    /// The weight of a constraint.
    pub(in crate::step) fn of(&self, constraint: usize) -> f64 {
        self.weights[constraint]
    }
}

/// w of a constraint with the given Jacobian, or the tile that is not positive definite. `lot` is scratch.
fn weight(
    jacobian: &[JacobianTile],
    row_count: usize,
    (matrix, trees): (&TileMatrix, Trees<'_>),
    Lot { column, factors, .. }: &mut Lot,
) -> Result<f64, usize> {
    let mut w = [[0.0; 3]; 3];
    for (at, part) in jacobian.iter().enumerate() {
        let tree = trees.1.partition_point(|&first| first <= part.tile).checked_sub(1);
        let tree_tiles = |t: usize| trees.1[t]..trees.1[t + 1];
        match tree.filter(|&t| tree_tiles(t).len() > 1) {
            None => {
                let kept = &mut factors[part.tile % KEPT];
                let factor = match *kept {
                    Some(factor) if factor.tile == part.tile => factor,
                    _ => TileFactor::new(part.tile, matrix, tree.is_some())?,
                };
                *kept = Some(factor);
                factor.add_weight(part, &mut w);
            }
            Some(t) => {
                let tiles = tree_tiles(t);
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
                    if let Some(tree) = trees.0[t].tree() {
                        tree.motion.solve_tangent(&mut column[..tree.motion.v.len()]);
                    }
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

/// The diagonal block of a node, or of a tree of one tile: A = L D Lᵀ, L with ones on its diagonal. The angle of a node is apart.
#[derive(Clone, Copy, Debug)]
struct TileFactor {
    tile: usize,
    /// By row: L left of the diagonal.
    below: [[f64; 3]; 4],
    /// 1/D.
    inverse: [f64; 4],
}

impl TileFactor {
    /// The tile itself if the block is not positive definite. `whole`: the last degree of freedom is not apart.
    fn new(tile: usize, matrix: &TileMatrix, whole: bool) -> Result<Self, usize> {
        let a = matrix.diagonal(tile);
        let (mut below, mut inverse) = ([[0.0; 3]; 4], [0.0; 4]);
        for i in 0..4 {
            let mut pivot = a.get(i, i);
            let coupled = if whole || i < 3 { i } else { 0 };
            for j in 0..coupled {
                let shared: f64 = (0..j).map(|k| below[i][k] * below[j][k] / inverse[k]).sum();
                let left = a.get(i, j) - shared;
                below[i][j] = left * inverse[j];
                pivot -= below[i][j] * left;
            }
            if !(pivot > 0.0 && pivot.is_finite()) {
                return Err(tile);
            }
            inverse[i] = 1.0 / pivot;
        }
        Ok(Self { tile, below, inverse })
    }

    /// w += J A⁻¹ Jᵀ.
    fn add_weight(&self, part: &JacobianTile, w: &mut [[f64; 3]; 3]) {
        let l = &self.below;
        let x = part.rows.map(|[r0, r1, r2, r3]| {
            let x1 = r1 - l[1][0] * r0;
            let x2 = r2 - l[2][0] * r0 - l[2][1] * x1;
            [r0, x1, x2, r3 - l[3][0] * r0 - l[3][1] * x1 - l[3][2] * x2]
        });
        for r in 0..3 {
            for s in 0..3 {
                w[r][s] += (0..4).map(|k| self.inverse[k] * x[r][k] * x[s][k]).sum::<f64>();
            }
        }
    }
}
