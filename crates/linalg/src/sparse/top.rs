//! The share of some top columns: what they take from columns of groups ([`TopPart`]), and from one another
//! ([`TopColumns`]).
//!
//! With the first no column waits for another. With the second the later half of the columns waits for the earlier one to be
//! finished; then they take what those give to them, again without waiting for one another, and so on within each half.

use super::columns::{Columns, NotPositiveDefinite, Stage, run};
use super::part::{Scatter, load};
use super::symbolic::Analysis;
use super::tile::{Column, Tile};
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
        let middle = middle(self.analysis, &self.columns);
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

    fn take(&mut self, stage: Stage) -> Result<(), NotPositiveDefinite> {
        let columns = Columns {
            analysis: self.analysis,
            before: Some(self.done),
            tiles: self.tiles.reborrow(),
            reciprocals: Window::new(0, &mut []),
        };
        run(columns, self.columns.clone(), stage)
    }

    /// The Schur complement in these columns; see [`super::Factor::top_of_eliminated`].
    pub fn eliminate(&mut self, values: &[Tile]) -> Result<(), NotPositiveDefinite> {
        load(&self.scatter[self.tiles.first()..], values, self.tiles.items_mut());
        self.take(Stage::Schur)?;
        self.schur.items_mut().copy_from_slice(self.tiles.items());
        Ok(())
    }

    /// Takes what the kept columns of groups give to these; see [`super::Factor::top_of_kept`].
    pub fn take_kept(&mut self) -> Result<(), NotPositiveDefinite> {
        self.take(Stage::Border)
    }
}

/// The column that halves the work on `columns`, two or more of them.
fn middle(analysis: &Analysis, columns: &Range<usize>) -> usize {
    let all = analysis.products(columns.clone());
    let within = columns.start + 1..columns.end - 1;
    within.clone().find(|&j| 2 * analysis.products(columns.start..j) >= all).unwrap_or(within.end)
}

/// Some neighbouring top columns that have taken what groups and earlier top columns give to them.
#[derive(Debug)]
pub struct TopColumns<'a> {
    pub(super) analysis: &'a Analysis,
    pub(super) columns: Range<usize>,
    pub(super) tiles: Window<'a, Tile>,
    pub(super) reciprocals: Window<'a, Column>,
}

impl<'a> TopColumns<'a> {
    /// Two parts with about half of the work each, or this one if that is not worth while. The second waits for the first, see
    /// [`Self::take`], if it is to be factorised, but its own halves do not wait for one another to take.
    pub fn halves(self) -> Result<(Self, Self), Self> {
        if self.columns.len() < 2 || self.analysis.products(self.columns.clone()) < LEAST_WORK {
            return Err(self);
        }
        let middle = middle(self.analysis, &self.columns);
        let slot = self.analysis.column_start[middle] as usize;
        let (tiles, reciprocals) = (self.tiles.split_at(slot), self.reciprocals.split_at(middle));
        let analysis = self.analysis;
        Ok((
            TopColumns {
                analysis,
                columns: self.columns.start..middle,
                tiles: tiles.0,
                reciprocals: reciprocals.0,
            },
            TopColumns {
                analysis,
                columns: middle..self.columns.end,
                tiles: tiles.1,
                reciprocals: reciprocals.1,
            },
        ))
    }

    /// The same columns for a while.
    pub fn reborrow(&mut self) -> TopColumns<'_> {
        TopColumns {
            analysis: self.analysis,
            columns: self.columns.clone(),
            tiles: self.tiles.reborrow(),
            reciprocals: self.reciprocals.reborrow(),
        }
    }

    /// Takes what the earlier columns `from`, which are factorised, give to these.
    pub fn take(&mut self, from: &TopColumns<'_>) -> Result<(), NotPositiveDefinite> {
        let slots = |column: usize| self.analysis.column_start[column];
        let stage = Stage::Take { first: slots(from.columns.start), end: slots(from.columns.end) };
        let columns = Columns {
            analysis: self.analysis,
            before: Some((from.tiles.items(), from.tiles.first())),
            tiles: self.tiles.reborrow(),
            reciprocals: Window::new(0, &mut []),
        };
        run(columns, self.columns.clone(), stage)
    }

    /// Factorises these columns, which have taken all that earlier ones give to them.
    pub fn factor(&mut self) -> Result<(), NotPositiveDefinite> {
        let stage = Stage::Top { first: self.tiles.first() as u32 };
        let columns = Columns {
            analysis: self.analysis,
            before: None,
            tiles: self.tiles.reborrow(),
            reciprocals: self.reciprocals.reborrow(),
        };
        run(columns, self.columns.clone(), stage)
    }
}
