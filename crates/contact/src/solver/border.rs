//! Border constraints, which couple groups of an island or touch its separator. Their tiles of the Hessian are
//! stored, and added by the groups and the separator.

use crate::law::{Hessian, Rows};
use crate::solver::group_parallel::at_once;
use crate::solver::island_constraints::Compiled;
use crate::solver::kernels;
use ropewalk_linalg::sparse::Tile;

/// From this number of constraints on, the work is split in two.
const MANY: usize = 32;

/// Consecutive constraints of [`Compiled::border`], and their tiles.
pub(crate) struct BorderConstraints<'a> {
    /// Number of the first constraint.
    pub(crate) first: usize,
    /// G in the present factor.
    pub(crate) hessian: &'a mut [Hessian],
    /// Whether the tiles are those of G and the Jacobian.
    pub(crate) known: &'a mut [bool],
    /// Place of the first tile.
    pub(crate) first_place: usize,
    /// J_iᵀ G_i J_i, tile by tile.
    pub(crate) tiles: &'a mut [Tile],
    /// By tile: whether it differs from that in the present factor.
    pub(crate) changed: &'a mut [bool],
}

impl BorderConstraints<'_> {
    /// Updates G and the tiles for the excess velocities `u` of all constraints.
    pub(crate) fn update(self, compiled: &Compiled, u: &[Rows], parallel: bool) {
        if self.known.len() >= MANY && parallel {
            let (left, right) = self.halves(compiled);
            at_once(true, || left.update(compiled, u, true), || right.update(compiled, u, true));
            return;
        }
        self.changed.fill(false);
        for (at, known) in self.known.iter_mut().enumerate() {
            let i = self.first + at;
            let hessian = &mut self.hessian[at..=at];
            let known = core::mem::replace(known, true);
            if kernels::update_hessians(compiled, u, hessian, i) || !known {
                let places = compiled.border_places(i);
                let places = places.start - self.first_place..places.end - self.first_place;
                self.changed[places.clone()].fill(true);
                kernels::hessian_tiles(compiled, &hessian[0], i, &mut self.tiles[places]);
            }
        }
    }

    fn halves(self, compiled: &Compiled) -> (Self, Self) {
        let half = self.known.len() / 2;
        let first_place = compiled.border_places(self.first + half).start;
        let (hessian, known) = (self.hessian.split_at_mut(half), self.known.split_at_mut(half));
        let tile = first_place - self.first_place;
        let (tiles, changed) = (self.tiles.split_at_mut(tile), self.changed.split_at_mut(tile));
        let left = Self { hessian: hessian.0, known: known.0, tiles: tiles.0, changed: changed.0, ..self };
        let right = Self {
            first: self.first + half,
            hessian: hessian.1,
            known: known.1,
            first_place,
            tiles: tiles.1,
            changed: changed.1,
        };
        (left, right)
    }
}
