//! The separator columns: the contributions of the groups, then their own factorization.
//!
//! Contributions of groups are subtracted from all columns independently. The columns are then factorized by blocks: a
//! finished block is subtracted from all columns after it, from the next block first, which is factorized while the
//! others are still being updated. Products are subtracted in the order of a factorization column by column, so that
//! results are bit-identical.

use super::column_kernels::{Columns, Finished, NotPositiveDefinite, Stage, Vector4, border_on_unit, run};
use super::subtree_factor::Scatter;
use super::symbolic::Analysis;
use super::tile::{Column, Tile};
use super::window::Window;
use core::ops::Range;

/// Least work, in tile products, that is split in two.
const LEAST_WORK: usize = 600;

/// Columns per block.
const BLOCK: usize = 5;

/// Fewer separator columns than this, some ten microseconds of work, are factorized one after the other.
const LEAST_COLUMNS: usize = 16;

/// Runs two closures, in parallel or one after the other.
pub type Both<'a> = &'a dyn Fn(&mut (dyn FnMut() + Send), &mut (dyn FnMut() + Send));

/// The separator columns of a [`super::Factor`].
#[derive(Debug)]
pub struct SeparatorFactor<'a> {
    pub(super) analysis: &'a Analysis,
    pub(super) scatter: &'a [Scatter],
    /// Tiles of the columns of groups.
    pub(super) groups: &'a [Tile],
    pub(super) tiles: &'a mut [Tile],
    pub(super) reciprocals: &'a mut [Column],
    pub(super) schur: &'a mut [Tile],
}

impl SeparatorFactor<'_> {
    /// The columns, to complete [`super::Factor::eliminate`] once all groups have eliminated.
    pub fn after_eliminated(&mut self) -> SeparatorColumns<'_> {
        self.whole(0, self.analysis.first_kept_slot())
    }

    /// The columns, to subtract the kept columns of groups once all groups have refactorized.
    pub fn after_kept(&mut self) -> SeparatorColumns<'_> {
        self.whole(self.analysis.first_kept_slot(), self.analysis.first_separator_slot())
    }

    /// All columns, with the tiles of slots `first..end` as the finished ones of groups.
    fn whole(&mut self, first: usize, end: usize) -> SeparatorColumns<'_> {
        let separator_slot = self.analysis.first_separator_slot();
        SeparatorColumns {
            analysis: self.analysis,
            scatter: self.scatter,
            columns: self.analysis.separator(),
            done: (&self.groups[first..end], first),
            tiles: Window::new(separator_slot, self.tiles),
            schur: Window::new(separator_slot, self.schur),
        }
    }

    /// Factorizes the separator columns after the contributions of groups are subtracted; with `both`, large separators
    /// by blocks, with bit-identical results.
    pub fn factor(&mut self, both: Option<Both<'_>>) -> Result<(), NotPositiveDefinite> {
        factorize_separator(self.analysis, self.tiles, self.reciprocals, both)
    }
}

/// The finished columns of groups, whose contributions are subtracted from separator entries of right-hand sides.
#[derive(Clone, Copy)]
pub struct FinishedGroups<'a>(pub(super) Finished<'a>);

impl FinishedGroups<'_> {
    /// Completes [`super::Factor::reduce`] once all groups have reduced. `x` is by position.
    pub fn reduce_separator(&self, x: &mut [Vector4]) {
        border_on_unit(self.0, 0..self.0.analysis.eliminated_count, x);
    }

    /// Completes forward substitution on kept columns of groups. `x` is by position.
    pub fn lower_separator(&self, x: &mut [Vector4]) {
        border_on_unit(self.0, self.0.analysis.eliminated_count..self.0.analysis.separator().start, x);
    }
}

/// Factorizes the separator columns, stored in `tiles` and `reciprocals`.
fn factorize_separator(
    analysis: &Analysis,
    tiles: &mut [Tile],
    reciprocals: &mut [Column],
    both: Option<Both<'_>>,
) -> Result<(), NotPositiveDefinite> {
    let (separator, origin) = (analysis.separator(), analysis.first_separator_slot());
    let slot = |column: usize| analysis.column_start[column] as usize;
    let Some(both) = both.filter(|_| separator.len() >= LEAST_COLUMNS) else {
        let all = Columns {
            reciprocals: Window::new(separator.start, reciprocals),
            ..of_separator(analysis, tiles, separator.start, &separator)
        };
        return run(all, separator, Stage::Separator);
    };
    let mut block = separator.start..separator.start + BLOCK;
    let first = Columns {
        reciprocals: Window::new(separator.start, reciprocals),
        ..of_separator(analysis, tiles, separator.start, &block)
    };
    run(first, block.clone(), Stage::Block)?;
    while block.end < separator.end {
        let next = block.end..separator.end.min(block.end + BLOCK);
        let middle = middle(analysis, &next, separator.end);
        let (done, rest) = tiles.split_at_mut(slot(block.end) - origin);
        let (near, far) = rest.split_at_mut(slot(middle) - slot(block.end));
        let before = Some((&done[slot(block.start) - origin..], slot(block.start)));
        let (mut near_result, mut far_result) = (Ok(()), Ok(()));
        both(
            &mut || {
                let taking = Columns { before, ..of_separator(analysis, near, next.start, &block) };
                near_result = run(taking, next.start..middle, Stage::TakeBlock).and_then(|()| {
                    let reciprocals = Window::new(separator.start, &mut *reciprocals);
                    run(
                        Columns { reciprocals, ..of_separator(analysis, near, next.start, &next) },
                        next.clone(),
                        Stage::Block,
                    )
                });
            },
            &mut || {
                let taking = Columns { before, ..of_separator(analysis, far, middle, &block) };
                far_result = run(taking, middle..separator.end, Stage::TakeBlock);
            },
        );
        near_result.and(far_result)?;
        block = next;
    }
    Ok(())
}

/// The separator columns with `tiles`, from `first` on; those of `block` are sources.
fn of_separator<'a>(
    analysis: &'a Analysis,
    tiles: &'a mut [Tile],
    first: usize,
    block: &Range<usize>,
) -> Columns<'a> {
    let slot = |column: usize| analysis.column_start[column] as usize;
    Columns {
        analysis,
        matrix: None,
        before: None,
        tiles: Window::new(slot(first), tiles),
        reciprocals: Window::new(0, &mut []),
        schur: None,
        block: slot(block.start)..slot(block.end),
    }
}

/// Where to cut the columns from the start of `next` to `end`, so that updating the ones before the cut and factorizing
/// `next` takes as long as updating the ones after it. The cost of a column is its number of tiles, and half of that
/// among the columns of a block.
fn middle(analysis: &Analysis, next: &Range<usize>, end: usize) -> usize {
    let slot = |column: usize| analysis.column_start[column] as usize;
    let (from, to, own) = (slot(next.start), slot(end), (slot(next.end) - slot(next.start)) / 2);
    let behind = &analysis.column_start[next.end..end];
    next.end + behind.partition_point(|&at| (at as usize - from) + own < to - at as usize)
}

/// Consecutive separator columns of a [`super::Factor`].
#[derive(Debug)]
pub struct SeparatorColumns<'a> {
    pub(super) analysis: &'a Analysis,
    pub(super) scatter: &'a [Scatter],
    pub(super) columns: Range<usize>,
    /// Finished tiles of groups, eliminated or kept, and the slot of the first.
    pub(super) done: (&'a [Tile], usize),
    pub(super) tiles: Window<'a, Tile>,
    pub(super) schur: Window<'a, Tile>,
}

impl<'a> SeparatorColumns<'a> {
    /// Two parts with about half of the work each, or all in one if splitting does not pay.
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
        let part = |columns: Range<usize>, tiles: Window<'a, Tile>, schur: Window<'a, Tile>| {
            SeparatorColumns { columns, tiles, schur, ..self }
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
            block: 0..0,
        };
        run(columns, self.columns.clone(), stage)
    }

    /// The Schur complement in these columns.
    pub fn eliminate(&mut self, values: &[Tile]) -> Result<(), NotPositiveDefinite> {
        self.run(Stage::Schur, Some((self.scatter, values)))
    }

    /// Puts S plus what `add` adds to it into these columns. `add` gets their tiles and the slot of the first, counted from
    /// [`Analysis::first_kept_slot`].
    pub fn begin(&mut self, add: impl FnOnce(&mut [Tile], usize)) {
        self.tiles.items_mut().copy_from_slice(self.schur.items());
        let first = self.tiles.first() - self.analysis.first_kept_slot();
        add(self.tiles.items_mut(), first);
    }

    /// Subtracts the contributions of the kept columns of groups.
    pub fn take_kept(&mut self) -> Result<(), NotPositiveDefinite> {
        self.run(Stage::Border, None)
    }
}
