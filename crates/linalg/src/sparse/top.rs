//! The share of some top columns: what they take from columns of groups.
//!
//! That is most of the work on the top, and no column waits for another with it; what they then take from one another,
//! [`super::Factor::factor_top`], is done in order.

use super::columns::{Columns, NotPositiveDefinite, Stage, run};
use super::part::Scatter;
use super::symbolic::Analysis;
use super::tile::Tile;
use super::window::Window;
use core::ops::Range;

/// Less work than this, in products of tiles, is done in one go.
const LEAST_WORK: usize = 600;

/// The share of some neighbouring top columns in a [`super::Factor`].
#[derive(Debug)]
pub struct TopPart<'a> {
    pub(super) analysis: &'a Analysis,
    pub(super) scatter: &'a [Scatter],
    pub(super) columns: Range<usize>,
    /// Finished tiles of groups, eliminated or kept, and the slot of the first.
    pub(super) done: (&'a [Tile], usize),
    pub(super) tiles: Window<'a, Tile>,
    pub(super) schur: Window<'a, Tile>,
}

impl<'a> TopPart<'a> {
    /// Two parts with about half of the work each, or this one if that is not worth while.
    pub fn halves(self) -> Result<(Self, Self), Self> {
        let all = self.analysis.products(self.columns.clone());
        if self.columns.len() < 2 || all < LEAST_WORK {
            return Err(self);
        }
        let first = self.columns.start;
        let within = first + 1..self.columns.end - 1;
        let middle = within.clone().find(|&j| 2 * self.analysis.products(first..j) >= all);
        let middle = middle.unwrap_or(within.end);
        let slot = self.analysis.column_start[middle] as usize;
        let (tiles, schur) = (self.tiles.split_at(slot), self.schur.split_at(slot));
        let part = |columns: Range<usize>, tiles: Window<'a, Tile>, schur: Window<'a, Tile>| TopPart {
            columns,
            tiles,
            schur,
            ..self
        };
        Ok((
            part(self.columns.start..middle, tiles.0, schur.0),
            part(middle..self.columns.end, tiles.1, schur.1),
        ))
    }

    fn run(
        &mut self,
        stage: Stage,
        matrix: Option<(&[Scatter], &[Tile])>,
    ) -> Result<(), NotPositiveDefinite> {
        let columns = Columns {
            analysis: self.analysis,
            matrix,
            before: Some(self.done),
            tiles: self.tiles.reborrow(),
            reciprocals: Window::new(0, &mut []),
            schur: matrix.is_some().then_some(self.schur.reborrow()),
        };
        run(columns, self.columns.clone(), stage)
    }

    /// The Schur complement in these columns; see [`super::Factor::top_of_eliminated`].
    pub fn eliminate(&mut self, values: &[Tile]) -> Result<(), NotPositiveDefinite> {
        self.run(Stage::Schur, Some((self.scatter, values)))
    }

    /// Takes what the kept columns of groups give to these; see [`super::Factor::top_of_kept`].
    pub fn take_kept(&mut self) -> Result<(), NotPositiveDefinite> {
        self.run(Stage::Border, None)
    }
}
