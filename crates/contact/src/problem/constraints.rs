//! The constraints of a problem: for each a law and the tiles of its Jacobian.

use crate::law::{ConstraintLaw, Law, Rows};
use crate::solver::kernels;

/// The three rows of a constraint's Jacobian on one tile: `rows[row][dof]`.
pub type JacobianRows = [[f64; 4]; 3];

/// A tile of a Jacobian.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JacobianTile {
    /// The tile of unknowns.
    pub tile: usize,
    /// ∂v_c/∂v on it. Constraints with one row leave rows 1 and 2 zero.
    pub rows: JacobianRows,
}

/// A list of constraints. Clearing it keeps its memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Constraints {
    laws: Vec<Law>,
    /// v̂ of the law less the velocity that prescribed motion gives to the rows.
    bias: Vec<Rows>,
    start: Vec<u32>,
    tiles: Vec<u32>,
    jacobians: Vec<JacobianRows>,
}

impl Constraints {
    /// No constraints.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a constraint and returns its number. A tile that occurs twice (a contact between
    /// neighboring edges, or between two bodies of one tree) is summed.
    pub fn push(&mut self, law: impl Into<Law>, jacobian: &[JacobianTile]) -> usize {
        self.push_driven(law, jacobian, [0.0; 3])
    }

    /// Adds a constraint whose rows also depend on prescribed motion (a driven body, a clamped node): v_c = J v +
    /// `driven`. See [`Self::push`].
    pub fn push_driven(&mut self, law: impl Into<Law>, jacobian: &[JacobianTile], driven: Rows) -> usize {
        let law = law.into();
        let bias = law.bias();
        self.bias.push([bias[0] - driven[0], bias[1] - driven[1], bias[2] - driven[2]]);
        let begin = self.tiles.len();
        self.start.push(begin as u32);
        self.laws.push(law);
        for part in jacobian {
            match self.tiles[begin..].iter().position(|&t| t as usize == part.tile) {
                Some(at) => {
                    for (sum, row) in self.jacobians[begin + at].iter_mut().zip(&part.rows) {
                        for (s, x) in sum.iter_mut().zip(row) {
                            *s += x;
                        }
                    }
                }
                None => {
                    self.tiles.push(part.tile as u32);
                    self.jacobians.push(part.rows);
                }
            }
        }
        self.laws.len() - 1
    }

    /// Removes all, keeps the memory.
    pub fn clear(&mut self) {
        self.laws.clear();
        self.bias.clear();
        self.start.clear();
        self.tiles.clear();
        self.jacobians.clear();
    }

    /// Number of constraints.
    pub fn len(&self) -> usize {
        self.laws.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.laws.is_empty()
    }

    /// The law of a constraint.
    pub fn law(&self, constraint: usize) -> &Law {
        &self.laws[constraint]
    }

    /// Replaces the law of a constraint; its driven velocity stays.
    pub fn set_law(&mut self, constraint: usize, law: impl Into<Law>) {
        let law = law.into();
        let (before, after) = (self.laws[constraint].bias(), law.bias());
        for row in 0..3 {
            self.bias[constraint][row] += after[row] - before[row];
        }
        self.laws[constraint] = law;
    }

    /// J v at which the impulse is zero: v̂ of the law less the driven velocity.
    pub fn bias(&self, constraint: usize) -> Rows {
        self.bias[constraint]
    }

    /// Where the tiles of a constraint lie in [`Self::all_tiles`] and [`Self::all_jacobians`].
    pub fn range(&self, constraint: usize) -> core::ops::Range<usize> {
        let end = self.start.get(constraint + 1).map_or(self.tiles.len(), |&s| s as usize);
        self.start[constraint] as usize..end
    }

    /// The tiles of a constraint.
    pub fn tiles(&self, constraint: usize) -> &[u32] {
        &self.tiles[self.range(constraint)]
    }

    /// The Jacobian of a constraint, tile by tile in the order of [`Self::tiles`].
    pub fn jacobian(&self, constraint: usize) -> &[JacobianRows] {
        &self.jacobians[self.range(constraint)]
    }

    /// The Jacobian of a constraint, to be changed on the same tiles.
    pub fn jacobian_mut(&mut self, constraint: usize) -> &mut [JacobianRows] {
        let range = self.range(constraint);
        &mut self.jacobians[range]
    }

    /// First tile of each constraint, in [`Self::all_tiles`].
    pub fn starts(&self) -> &[u32] {
        &self.start
    }

    /// The tiles of all constraints, one after another.
    pub fn all_tiles(&self) -> &[u32] {
        &self.tiles
    }

    /// The Jacobians of all constraints, one after another.
    pub fn all_jacobians(&self) -> &[JacobianRows] {
        &self.jacobians
    }

    /// J v of one constraint; `v` has four entries a tile.
    pub fn velocity(&self, constraint: usize, v: &[f64]) -> Rows {
        let mut out = [0.0; 3];
        for (&tile, rows) in self.tiles(constraint).iter().zip(self.jacobian(constraint)) {
            let part = &v[4 * tile as usize..][..4];
            for (sum, row) in out.iter_mut().zip(rows) {
                *sum += row.iter().zip(part).map(|(j, x)| j * x).sum::<f64>();
            }
        }
        out
    }

    /// u = J v − v̂ of all constraints; `v` has an item a tile.
    pub fn excess(&self, v: &[[f64; 4]], out: &mut Vec<Rows>) {
        out.resize(self.len(), [0.0; 3]);
        kernels::velocities(self, v, out);
        for (u, bias) in out.iter_mut().zip(&self.bias) {
            for row in 0..3 {
                u[row] -= bias[row];
            }
        }
    }

    /// Adds Jᵀλ of all constraints to `impulse`, which has an item a tile.
    pub fn add_impulses(&self, lambda: &[Rows], impulse: &mut [[f64; 4]]) {
        kernels::add_impulses(self, lambda, impulse);
    }

    /// Adds Jᵀλ of one constraint to `impulse`, which has four entries a tile.
    pub fn add_impulse(&self, constraint: usize, lambda: Rows, impulse: &mut [f64]) {
        for (&tile, rows) in self.tiles(constraint).iter().zip(self.jacobian(constraint)) {
            let part = &mut impulse[4 * tile as usize..][..4];
            for (row, l) in rows.iter().zip(lambda) {
                for (sum, j) in part.iter_mut().zip(row) {
                    *sum += j * l;
                }
            }
        }
    }
}

macro_rules! law_from {
    ($($kind:ident as $variant:ident),*) => {
        $(impl From<crate::law::$kind> for Law {
            fn from(law: crate::law::$kind) -> Self {
                Law::$variant(law)
            }
        })*
    };
}
law_from!(
    SapContact as Sap,
    DiskContact as Disk,
    LaggedContact as Lagged,
    SimilarContact as Similar,
    Attachment as Attachment,
    JointLimit as JointLimit,
    Distance as Distance,
    Actuator as Actuator,
    Coupler as Coupler,
    DryFriction as DryFriction
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::DryFriction;

    #[test]
    fn what_drives_the_rows_moves_the_point_of_rest() {
        use crate::law::{Attachment, spring::Spring};
        let law = |gap| Attachment::scalar(gap, &Spring::default(), 1.0, 1e-3).unwrap();
        let mut constraints = Constraints::new();
        constraints.push_driven(law(2e-3), &[], [0.5, 0.0, 0.0]);
        assert_eq!(constraints.bias(0), [-2.5, 0.0, 0.0]);
        constraints.set_law(0, law(1e-3));
        assert_eq!(constraints.bias(0), [-1.5, 0.0, 0.0]);
    }

    #[test]
    fn a_tile_named_twice_is_summed() {
        let mut constraints = Constraints::new();
        let law = DryFriction::new(1.0, 1e-3, 1.0, 1e-3).unwrap();
        let tile = |tile, x| JacobianTile { tile, rows: [[x, 0.0, 0.0, 0.0], [0.0; 4], [0.0; 4]] };
        constraints.push(law, &[tile(3, 1.0), tile(1, 2.0), tile(3, 4.0)]);
        constraints.push(law, &[tile(0, 1.0)]);
        assert_eq!(constraints.tiles(0), &[3, 1]);
        assert_eq!(constraints.tiles(1), &[0]);
        assert_eq!(constraints.jacobian(0)[0][0][0], 5.0);
        let v: Vec<f64> = (0..16).map(f64::from).collect();
        assert_eq!(constraints.velocity(0, &v), [5.0 * 12.0 + 2.0 * 4.0, 0.0, 0.0]);
    }
}
