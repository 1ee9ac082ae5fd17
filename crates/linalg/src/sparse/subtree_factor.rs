//! The columns of a group in the factor, which do not depend on other groups.

use super::column_kernels::{
    Columns, Finished, NotPositiveDefinite, Stage, Vector4, lower_eliminated_on_unit, lower_on_unit, run,
    schur_on_unit, upper_eliminated_on_unit, upper_on_unit,
};
use super::symbolic::{Analysis, Group};
use super::tile::{Column, Tile};
use super::window::Window;
use core::ops::Range;

/// The tile of the matrix that starts a slot of the factor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scatter {
    /// [`FILL_IN`] if none does.
    pub(super) from: u32,
    pub(super) transposed: bool,
}

pub(super) const FILL_IN: u32 = u32::MAX;

/// The columns of consecutive groups in a [`super::Factor`]; split down to one group before factorization.
#[derive(Debug)]
pub struct SubtreeFactor<'a> {
    pub(super) analysis: &'a Analysis,
    pub(super) scatter: &'a [Scatter],
    pub(super) groups: Range<usize>,
    pub(super) eliminated: Window<'a, Tile>,
    pub(super) kept: Window<'a, Tile>,
    pub(super) eliminated_reciprocals: Window<'a, Column>,
    pub(super) kept_reciprocals: Window<'a, Column>,
    pub(super) schur: Window<'a, Tile>,
}

#[inline(always)]
pub(super) fn load(scatter: &[Scatter], values: &[Tile], tiles: &mut [Tile]) {
    for (to, s) in tiles.iter_mut().zip(scatter) {
        *to = match (s.from, s.transposed) {
            (FILL_IN, _) => Tile::ZERO,
            (from, false) => values[from as usize],
            (from, true) => values[from as usize].transposed(),
        };
    }
}

impl<'a> SubtreeFactor<'a> {
    /// The groups before `middle`, and the others.
    pub fn split_at(self, middle: usize) -> (Self, Self) {
        let at = &self.analysis.groups[middle];
        let slot = |position: usize| self.analysis.column_start[position] as usize;
        let (eliminated, kept) = (at.eliminated.start, at.kept.start);
        let left_and_right = (
            self.eliminated.split_at(slot(eliminated)),
            self.kept.split_at(slot(kept)),
            self.eliminated_reciprocals.split_at(eliminated),
            self.kept_reciprocals.split_at(kept),
            self.schur.split_at(slot(kept)),
        );
        let (eliminated, kept, eliminated_reciprocals, kept_reciprocals, schur) = left_and_right;
        let left = SubtreeFactor {
            groups: self.groups.start..middle,
            eliminated: eliminated.0,
            kept: kept.0,
            eliminated_reciprocals: eliminated_reciprocals.0,
            kept_reciprocals: kept_reciprocals.0,
            schur: schur.0,
            ..self
        };
        let right = SubtreeFactor {
            analysis: self.analysis,
            scatter: self.scatter,
            groups: middle..self.groups.end,
            eliminated: eliminated.1,
            kept: kept.1,
            eliminated_reciprocals: eliminated_reciprocals.1,
            kept_reciprocals: kept_reciprocals.1,
            schur: schur.1,
        };
        (left, right)
    }

    /// Calls `work` for each group, one after the other.
    pub(super) fn one_by_one(
        self,
        work: &mut impl FnMut(Self) -> Result<(), NotPositiveDefinite>,
    ) -> Result<(), NotPositiveDefinite> {
        if self.groups.len() <= 1 {
            return work(self);
        }
        let middle = self.groups.start + 1;
        let (left, right) = self.split_at(middle);
        left.one_by_one(work)?;
        right.one_by_one(work)
    }

    fn group(&self) -> &'a Group {
        &self.analysis.groups[self.groups.start]
    }

    /// Slots of the kept columns.
    pub fn kept_slots(&self) -> Range<usize> {
        self.kept.first()..self.kept.first() + self.kept.items().len()
    }

    /// Factorizes the eliminated columns and leaves the Schur complement on the kept ones of the group.
    pub fn eliminate(&mut self, values: &[Tile]) -> Result<(), NotPositiveDefinite> {
        let group = self.group();
        let eliminated = Columns {
            analysis: self.analysis,
            matrix: Some((self.scatter, values)),
            before: None,
            tiles: self.eliminated.reborrow(),
            reciprocals: self.eliminated_reciprocals.reborrow(),
            schur: None,
            block: 0..0,
        };
        run(eliminated, group.eliminated.clone(), Stage::Whole)?;
        let kept = Columns {
            analysis: self.analysis,
            matrix: Some((self.scatter, values)),
            before: Some((self.eliminated.items(), self.eliminated.first())),
            tiles: self.kept.reborrow(),
            reciprocals: self.kept_reciprocals.reborrow(),
            schur: Some(self.schur.reborrow()),
            block: 0..0,
        };
        run(kept, group.kept.clone(), Stage::Schur)
    }

    /// Factorizes S plus what `add` adds to it. `add` gets the tiles of the group's kept columns and the slot of the
    /// first, counted from [`Analysis::first_kept_slot`]. `first`: this is the first call since [`Self::eliminate`],
    /// which has left S there.
    pub fn refactor(
        &mut self,
        first: bool,
        add: impl FnOnce(&mut [Tile], usize),
    ) -> Result<(), NotPositiveDefinite> {
        if !first {
            self.kept.items_mut().copy_from_slice(self.schur.items());
        }
        let first = self.kept.first() - self.analysis.first_kept_slot();
        add(self.kept.items_mut(), first);
        self.factor_kept()
    }

    pub(super) fn factor_kept(&mut self) -> Result<(), NotPositiveDefinite> {
        let group = self.group();
        let columns = Columns {
            analysis: self.analysis,
            matrix: None,
            before: None,
            tiles: self.kept.reborrow(),
            reciprocals: self.kept_reciprocals.reborrow(),
            schur: None,
            block: 0..0,
        };
        run(columns, group.kept.clone(), Stage::Kept)
    }

    fn eliminated(&self) -> Finished<'_> {
        Finished {
            analysis: self.analysis,
            tiles: self.eliminated.items(),
            first_slot: self.eliminated.first(),
            reciprocals: self.eliminated_reciprocals.items(),
            first_column: self.eliminated_reciprocals.first(),
        }
    }

    fn kept(&self) -> Finished<'_> {
        Finished {
            analysis: self.analysis,
            tiles: self.kept.items(),
            first_slot: self.kept.first(),
            reciprocals: self.kept_reciprocals.items(),
            first_column: self.kept_reciprocals.first(),
        }
    }

    /// [`super::Factor::reduce`] on the group's positions.
    pub fn reduce(&self, eliminated: Window<'_, Vector4>, kept: Window<'_, Vector4>) {
        lower_eliminated_on_unit(self.eliminated(), self.group().eliminated.clone(), eliminated, kept);
    }

    /// [`super::Factor::recover`] on the group's positions. `kept` holds all kept positions.
    pub fn recover(&self, eliminated: Window<'_, Vector4>, kept: &[Vector4]) {
        upper_eliminated_on_unit(self.eliminated(), self.group().eliminated.clone(), eliminated, kept);
    }

    /// Forward substitution on the group's kept positions.
    pub fn lower(&self, x: Window<'_, Vector4>) {
        lower_on_unit(self.kept(), self.group().kept.clone(), x);
    }

    /// Backward substitution on the group's kept positions, given the solution on the separator.
    pub fn upper(&self, x: Window<'_, Vector4>, separator: &[Vector4]) {
        upper_on_unit(self.kept(), self.group().kept.clone(), x, separator);
    }

    /// y = S x on the group's kept positions, without the coupling to the separator.
    pub fn multiply_schur(&self, x: &Window<'_, Vector4>, mut y: Window<'_, Vector4>) {
        y.items_mut().fill([0.0; 4]);
        let slots = self.analysis.schur_slots(self.group().kept.clone());
        schur_on_unit(slots, (self.schur.items(), self.schur.first()), (x.items(), x.first()), y);
    }
}
