//! The top columns: what they take from columns of groups, and what they then take from one another.
//!
//! With the former no column waits for another. For the latter they are factorized by blocks: once a block is done, all
//! columns after it take what it gives to them, the next block first, which is then factorized while others still take.
//! Products are subtracted in the same order as one column after the other would, so that the bits are the same.

use super::column_kernels::{Columns, Finished, NotPositiveDefinite, Stage, Vector4, border_on_unit, run};
use super::subtree_factor::Scatter;
use super::symbolic::Analysis;
use super::tile::{Column, Tile};
use super::window::Window;
use core::ops::Range;

/// Less work than this, in products of tiles, is done in one go.
const LEAST_WORK: usize = 600;

/// How many columns make a block.
const BLOCK: usize = 5;

/// With fewer top columns than this, some ten microseconds of work, they are factorized one after the other.
const LEAST_COLUMNS: usize = 16;

/// Does two things, at the same time or one after the other.
pub type Both<'a> = &'a dyn Fn(&mut (dyn FnMut() + Send), &mut (dyn FnMut() + Send));

/// The top columns of a [`super::Factor`].
#[derive(Debug)]
pub struct Top<'a> {
    pub(super) analysis: &'a Analysis,
    pub(super) scatter: &'a [Scatter],
    /// Tiles of the columns of groups.
    pub(super) groups: &'a [Tile],
    pub(super) tiles: &'a mut [Tile],
    pub(super) reciprocals: &'a mut [Column],
    pub(super) schur: &'a mut [Tile],
}

impl Top<'_> {
    /// For what is left of [`super::Factor::eliminate`] once all groups have eliminated.
    pub fn after_eliminated(&mut self) -> TopPart<'_> {
        self.whole(0, self.analysis.first_kept_slot())
    }

    /// For what kept columns of groups give, once all groups have refactorized.
    pub fn after_kept(&mut self) -> TopPart<'_> {
        self.whole(self.analysis.first_kept_slot(), self.analysis.first_top_slot())
    }

    /// With the tiles from slot `first` on and before `end` as what is done.
    fn whole(&mut self, first: usize, end: usize) -> TopPart<'_> {
        let top_slot = self.analysis.first_top_slot();
        TopPart {
            analysis: self.analysis,
            scatter: self.scatter,
            columns: self.analysis.top(),
            done: (&self.groups[first..end], first),
            tiles: Window::new(top_slot, self.tiles),
            schur: Window::new(top_slot, self.schur),
        }
    }

    /// Factorizes the top columns, once they have taken what groups give to them; with `both`, many of them by blocks, with
    /// the same bits.
    pub fn factor(&mut self, both: Option<Both<'_>>) -> Result<(), NotPositiveDefinite> {
        factor_top(self.analysis, self.tiles, self.reciprocals, both)
    }
}

/// The columns of groups, done, and what they take from top entries of right-hand sides.
#[derive(Clone, Copy)]
pub struct Groups<'a>(pub(super) Finished<'a>);

impl Groups<'_> {
    /// What is left of [`super::Factor::reduce`] once all groups have reduced. `x` is by position.
    pub fn reduce_top(&self, x: &mut [Vector4]) {
        border_on_unit(self.0, 0..self.0.analysis.eliminated_count, x);
    }

    /// What is left of forward substitution on kept columns of groups. `x` is by position.
    pub fn lower_top(&self, x: &mut [Vector4]) {
        border_on_unit(self.0, self.0.analysis.eliminated_count..self.0.analysis.top().start, x);
    }
}

/// Factorizes the top columns, with `tiles` and `reciprocals`.
fn factor_top(
    analysis: &Analysis,
    tiles: &mut [Tile],
    reciprocals: &mut [Column],
    both: Option<Both<'_>>,
) -> Result<(), NotPositiveDefinite> {
    let (top, origin) = (analysis.top(), analysis.first_top_slot());
    let slot = |column: usize| analysis.column_start[column] as usize;
    let Some(both) = both.filter(|_| top.len() >= LEAST_COLUMNS) else {
        let all = Columns {
            reciprocals: Window::new(top.start, reciprocals),
            ..of_top(analysis, tiles, top.start, &top)
        };
        return run(all, top, Stage::Top);
    };
    let mut block = top.start..top.start + BLOCK;
    let first = Columns {
        reciprocals: Window::new(top.start, reciprocals),
        ..of_top(analysis, tiles, top.start, &block)
    };
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
                    let reciprocals = Window::new(top.start, &mut *reciprocals);
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

/// Where the columns from those of `next` to `end` are cut, so that to take from a block before the cut and to factorize
/// `next` is as much work as to take from it after the cut. A column is as much work as it has tiles, half as much among
/// the columns of a block.
fn middle(analysis: &Analysis, next: &Range<usize>, end: usize) -> usize {
    let slot = |column: usize| analysis.column_start[column] as usize;
    let (from, to, own) = (slot(next.start), slot(end), (slot(next.end) - slot(next.start)) / 2);
    let behind = &analysis.column_start[next.end..end];
    next.end + behind.partition_point(|&at| (at as usize - from) + own < to - at as usize)
}

/// The share of some neighboring top columns in a [`super::Factor`].
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

    /// Takes what the kept columns of groups give to these.
    pub fn take_kept(&mut self) -> Result<(), NotPositiveDefinite> {
        self.run(Stage::Border, None)
    }
}
