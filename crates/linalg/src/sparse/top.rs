//! The top columns: what they take from columns of groups, and what they then take from one another.
//!
//! With the former no column waits for another. For the latter they are factorised by blocks: once a block is done, all
//! columns after it take what it gives to them, the next block first, which is then factorised while others still take.
//! Products are subtracted in the same order as one column after the other would, so that the bits are the same.

use super::columns::{Columns, NotPositiveDefinite, Stage, run};
use super::part::Scatter;
use super::symbolic::Analysis;
use super::tile::{Column, Tile};
use super::window::Window;
use core::ops::Range;

/// Less work than this, in products of tiles, is done in one go.
const LEAST_WORK: usize = 600;

/// How many columns make a block.
const BLOCK: usize = 5;

/// With fewer top columns than this, some ten microseconds of work, they are factorised one after the other.
const LEAST_COLUMNS: usize = 16;

/// Does two things, at the same time or one after the other.
pub type Both<'a> = &'a dyn Fn(&mut (dyn FnMut() + Send), &mut (dyn FnMut() + Send));

/// Factorises the top columns, whose `tiles` have taken what groups give to them; see [`super::Factor::factor_top`].
pub(super) fn factor_top(
    analysis: &Analysis,
    tiles: &mut [Tile],
    reciprocals: &mut [Column],
    both: Option<Both<'_>>,
) -> Result<(), NotPositiveDefinite> {
    let (top, origin) = (analysis.top(), analysis.first_top_slot());
    let slot = |column: usize| analysis.column_start[column] as usize;
    let Some(both) = both.filter(|_| top.len() >= LEAST_COLUMNS) else {
        let all =
            Columns { reciprocals: Window::new(0, reciprocals), ..of_top(analysis, tiles, top.start, &top) };
        return run(all, top, Stage::Top);
    };
    let mut block = top.start..top.start + BLOCK;
    let first =
        Columns { reciprocals: Window::new(0, reciprocals), ..of_top(analysis, tiles, top.start, &block) };
    run(first, block.clone(), Stage::Block)?;
    while block.end < top.end {
        let next = block.end..top.end.min(block.end + BLOCK);
        let middle = middle(analysis, &next, top.end);
        let (done, rest) = tiles.split_at_mut(slot(block.end) - origin);
        let (near, far) = rest.split_at_mut(slot(middle) - slot(block.end));
        let before = Some((&done[slot(block.start) - origin..], slot(block.start)));
        let (mut near_result, mut far_result) = (Ok(()), Ok(()));
        both(
            &mut || {
                let taking = Columns { before, ..of_top(analysis, near, next.start, &block) };
                near_result = run(taking, next.start..middle, Stage::TakeBlock).and_then(|()| {
                    let reciprocals = Window::new(0, &mut *reciprocals);
                    run(
                        Columns { reciprocals, ..of_top(analysis, near, next.start, &next) },
                        next.clone(),
                        Stage::Block,
                    )
                });
            },
            &mut || {
                let taking = Columns { before, ..of_top(analysis, far, middle, &block) };
                far_result = run(taking, middle..top.end, Stage::TakeBlock);
            },
        );
        near_result.and(far_result)?;
        block = next;
    }
    Ok(())
}

/// The top columns with `tiles`, from `first` on; those of `block` are sources.
fn of_top<'a>(
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

/// Where the columns from those of `next` to `end` are cut, so that to take from a block before the cut and to factorise
/// `next` is as much work as to take from it after the cut. A column is as much work as it has tiles, half as much among
/// the columns of a block.
fn middle(analysis: &Analysis, next: &Range<usize>, end: usize) -> usize {
    let slot = |column: usize| analysis.column_start[column] as usize;
    let (from, to, own) = (slot(next.start), slot(end), (slot(next.end) - slot(next.start)) / 2);
    let behind = &analysis.column_start[next.end..end];
    next.end + behind.partition_point(|&at| (at as usize - from) + own < to - at as usize)
}

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
            block: 0..0,
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
