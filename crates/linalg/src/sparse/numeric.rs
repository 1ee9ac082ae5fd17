//! The factor itself: elimination, repeated factorisation of the kept part, and solves.
//!
//! What belongs to one group of the [`Analysis`] is done in a [`Part`] without looking at other groups, and so at the
//! same time as they; what belongs to the top is done when all groups are done. [`Factor`]'s own methods do one after
//! the other, with the same bits.

use super::matrix::Entry;
use super::symbolic::{Analysis, Group, SchurSlot};
use super::tile::{
    Column, TILE, Tile, TransposedSum, cholesky, solve_lower, solve_panel, solve_upper, sub_product,
};
use super::window::Window;
use crate::for_vector_unit;
use core::ops::Range;

/// The matrix has no Cholesky factor: a pivot was not a positive finite number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotPositiveDefinite {
    /// The tile whose pivot failed, in the numbering of the matrix.
    pub tile: usize,
    /// The DoF within the tile.
    pub dof: usize,
}

/// L, S and their memory. Follows one [`Analysis`], which is passed to each call.
#[derive(Clone, Debug, Default)]
pub struct Factor {
    tiles: Vec<Tile>,
    reciprocals: Vec<Column>,
    /// S on the slots of the kept columns, zero where it has no tile.
    schur: Vec<Tile>,
    /// By slot of the factor.
    scatter: Vec<Scatter>,
}

/// Which tile of the matrix goes to a slot of the factor.
#[derive(Clone, Copy, Debug)]
struct Scatter {
    /// [`FILL_IN`] if none does.
    from: u32,
    transposed: bool,
}

const FILL_IN: u32 = u32::MAX;

/// The share of some neighbouring groups in a [`Factor`], split down to one group before it is worked on.
#[derive(Debug)]
pub struct Part<'a> {
    analysis: &'a Analysis,
    scatter: &'a [Scatter],
    groups: Range<usize>,
    eliminated: Window<'a, Tile>,
    kept: Window<'a, Tile>,
    eliminated_reciprocals: Window<'a, Column>,
    kept_reciprocals: Window<'a, Column>,
    schur: Window<'a, Tile>,
}

/// What the left-looking loop works on. One struct, so that it compiles for each vector unit with one signature.
struct Columns<'a> {
    analysis: &'a Analysis,
    /// Eliminated tiles, when kept columns are worked on; else earlier columns of `tiles` are the sources.
    before: Option<(&'a [Tile], usize)>,
    tiles: Window<'a, Tile>,
    reciprocals: Window<'a, Column>,
}

/// Finished columns of L.
#[derive(Clone, Copy)]
struct Finished<'a> {
    analysis: &'a Analysis,
    tiles: &'a [Tile],
    first_slot: usize,
    reciprocals: &'a [Column],
    first_column: usize,
}

impl Finished<'_> {
    #[inline(always)]
    fn tiles(&self, slots: Range<usize>) -> &[Tile] {
        &self.tiles[slots.start - self.first_slot..slots.end - self.first_slot]
    }

    #[inline(always)]
    fn column(&self, j: usize) -> (Range<usize>, &Column) {
        let slots = self.analysis.column_start[j] as usize..self.analysis.column_start[j + 1] as usize;
        (slots, &self.reciprocals[j - self.first_column])
    }
}

/// Which products enter a column, and whether it is then factorised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// All sources; factorise. For eliminated columns, and for a whole factorisation.
    Whole,
    /// Eliminated sources only; leave the Schur complement.
    Schur,
    /// Kept sources only; factorise.
    Kept,
}

type Vector4 = [f64; 4];

impl Factor {
    /// Makes room for `analysis` and finds where the tiles of the matrix, `entries`, go. To be called
    /// after each new analysis, which must have been given the same entries.
    pub fn prepare(&mut self, analysis: &Analysis, entries: &[Entry]) {
        self.tiles.clear();
        self.tiles.resize(analysis.factor_tile_count(), Tile::ZERO);
        self.reciprocals.clear();
        self.reciprocals.resize(analysis.tile_count(), [0.0; 4]);
        self.schur.clear();
        self.schur.resize(analysis.factor_tile_count() - analysis.first_kept_slot(), Tile::ZERO);
        self.scatter.clear();
        let nothing = Scatter { from: FILL_IN, transposed: false };
        self.scatter.resize(analysis.factor_tile_count(), nothing);
        for entry in entries {
            let (a, b) =
                (analysis.position_of(entry.row as usize), analysis.position_of(entry.column as usize));
            if let Some(to) = analysis.slot(a.max(b), a.min(b)) {
                self.scatter[to] = Scatter { from: entry.slot, transposed: a < b };
            }
        }
    }

    /// The shares of all groups, and those of the top.
    pub fn parts<'a>(&'a mut self, analysis: &'a Analysis) -> Part<'a> {
        let (eliminated, n) = (analysis.eliminated_count, analysis.tile_count());
        let first = analysis.first_kept_slot();
        let (top_slot, top) = (analysis.first_top_slot(), analysis.top().start);
        let (eliminated_tiles, kept_tiles) = self.tiles.split_at_mut(first);
        let (eliminated_reciprocals, kept_reciprocals) = self.reciprocals[..n].split_at_mut(eliminated);
        Part {
            analysis,
            scatter: &self.scatter,
            groups: 0..analysis.groups.len(),
            eliminated: Window::new(0, eliminated_tiles),
            kept: Window::new(first, &mut kept_tiles[..top_slot - first]),
            eliminated_reciprocals: Window::new(0, eliminated_reciprocals),
            kept_reciprocals: Window::new(eliminated, &mut kept_reciprocals[..top - eliminated]),
            schur: Window::new(first, &mut self.schur[..top_slot - first]),
        }
    }

    /// Factorises the eliminated columns of the matrix with tiles `values` and leaves the Schur complement on the kept ones.
    pub fn eliminate(&mut self, analysis: &Analysis, values: &[Tile]) -> Result<(), NotPositiveDefinite> {
        self.parts(analysis).one_by_one(&mut |mut part| part.eliminate(values))?;
        self.eliminate_top(analysis, values)
    }

    /// What is left of [`Self::eliminate`] once all groups have eliminated.
    pub fn eliminate_top(&mut self, analysis: &Analysis, values: &[Tile]) -> Result<(), NotPositiveDefinite> {
        let (first, top_slot) = (analysis.first_kept_slot(), analysis.first_top_slot());
        let (eliminated, kept) = self.tiles.split_at_mut(first);
        let top = &mut kept[top_slot - first..];
        load(&self.scatter[top_slot..], values, top);
        let columns = Columns {
            analysis,
            before: Some((eliminated, 0)),
            tiles: Window::new(top_slot, top),
            reciprocals: Window::new(0, &mut self.reciprocals),
        };
        run(columns, analysis.top(), Stage::Schur)?;
        self.schur[top_slot - first..].copy_from_slice(&kept[top_slot - first..]);
        Ok(())
    }

    /// Factorises S plus what `add` adds to it. `add` gets the tiles of the kept columns, from
    /// [`Analysis::first_kept_slot`] on, and may change those on and below the diagonal.
    pub fn refactor(
        &mut self,
        analysis: &Analysis,
        add: impl FnOnce(&mut [Tile]),
    ) -> Result<(), NotPositiveDefinite> {
        let kept = &mut self.tiles[analysis.first_kept_slot()..];
        kept.copy_from_slice(&self.schur);
        add(kept);
        self.parts(analysis).one_by_one(&mut |mut part| part.factor_kept())?;
        self.factor_top(analysis)
    }

    /// Factorises the top columns of S plus what `add` adds to it, once all groups have refactorised. `add` gets the
    /// tiles of the top columns, from [`Analysis::first_top_slot`] on.
    pub fn refactor_top(
        &mut self,
        analysis: &Analysis,
        add: impl FnOnce(&mut [Tile]),
    ) -> Result<(), NotPositiveDefinite> {
        let top_slot = analysis.first_top_slot();
        let top = &mut self.tiles[top_slot..];
        top.copy_from_slice(&self.schur[top_slot - analysis.first_kept_slot()..]);
        add(top);
        self.factor_top(analysis)
    }

    fn factor_top(&mut self, analysis: &Analysis) -> Result<(), NotPositiveDefinite> {
        let first = analysis.first_kept_slot();
        let columns = Columns {
            analysis,
            before: None,
            tiles: Window::new(first, &mut self.tiles[first..]),
            reciprocals: Window::new(0, &mut self.reciprocals),
        };
        run(columns, analysis.top(), Stage::Kept)
    }

    /// Factorises the whole matrix at once, without stopping at the Schur complement.
    pub fn factor(&mut self, analysis: &Analysis, values: &[Tile]) -> Result<(), NotPositiveDefinite> {
        load(&self.scatter, values, &mut self.tiles);
        let columns = Columns {
            analysis,
            before: None,
            tiles: Window::new(0, &mut self.tiles),
            reciprocals: Window::new(0, &mut self.reciprocals),
        };
        run(columns, 0..analysis.tile_count(), Stage::Whole)
    }

    /// The tiles of L by slot.
    pub fn tiles(&self) -> &[Tile] {
        &self.tiles
    }

    /// The tile of S in a slot counted from [`Analysis::first_kept_slot`].
    pub fn schur_tiles(&self) -> &[Tile] {
        &self.schur
    }

    fn finished<'a>(&'a self, analysis: &'a Analysis) -> Finished<'a> {
        Finished {
            analysis,
            tiles: &self.tiles,
            first_slot: 0,
            reciprocals: &self.reciprocals,
            first_column: 0,
        }
    }

    /// What columns of groups in `columns` take from top rows of `x`, by position.
    fn lower_border(&self, analysis: &Analysis, columns: Range<usize>, x: &mut [Vector4]) {
        border_on_unit(self.finished(analysis), columns, x);
    }

    /// x ← L⁻¹ x on the eliminated positions, and the kept ones less what follows from it:
    /// x_p ← x_p − A_pn A_nn⁻¹ x_n. `x` is by position.
    pub fn reduce(&mut self, analysis: &Analysis, x: &mut [Vector4]) {
        let eliminated = analysis.eliminated_count;
        let (own, kept) = Window::new(0, x).split_at(eliminated);
        lower_eliminated_on_unit(self.finished(analysis), 0..eliminated, own, kept);
        self.reduce_top(analysis, x);
    }

    /// What is left of [`Self::reduce`] once all groups have reduced.
    pub fn reduce_top(&self, analysis: &Analysis, x: &mut [Vector4]) {
        self.lower_border(analysis, 0..analysis.eliminated_count, x);
    }

    /// The other half of [`Self::reduce`]: with x_p solved, finds x_n. `x` is by position.
    pub fn recover(&mut self, analysis: &Analysis, x: &mut [Vector4]) {
        let (eliminated_x, kept_x) = x.split_at_mut(analysis.eliminated_count);
        let finished = self.finished(analysis);
        upper_eliminated_on_unit(
            finished,
            0..analysis.eliminated_count,
            Window::new(0, eliminated_x),
            kept_x,
        );
    }

    /// x_p ← (S + added)⁻¹ x_p with the factor of the last [`Self::refactor`]. `x` is by position;
    /// eliminated positions are neither read nor written.
    pub fn solve_kept(&mut self, analysis: &Analysis, x: &mut [Vector4]) {
        let kept = analysis.eliminated_count..analysis.top().start;
        lower_on_unit(self.finished(analysis), kept.clone(), Window::new(0, x));
        self.solve_top(analysis, x);
        let (own, top) = x.split_at_mut(kept.end);
        upper_on_unit(self.finished(analysis), kept, Window::new(0, own), top);
    }

    /// The middle of a solve: all groups have substituted forwards; the top is solved; then they substitute backwards.
    pub fn solve_top(&self, analysis: &Analysis, x: &mut [Vector4]) {
        let top = analysis.top();
        self.lower_border(analysis, analysis.eliminated_count..top.start, x);
        lower_on_unit(self.finished(analysis), top.clone(), Window::new(0, x));
        upper_on_unit(self.finished(analysis), top, Window::new(0, x), &[]);
    }

    /// y_p = S x_p. Both are by position; eliminated positions are neither read nor written.
    pub fn multiply_schur(&mut self, analysis: &Analysis, x: &[Vector4], y: &mut [Vector4]) {
        let (first, kept) = (analysis.first_kept_slot(), analysis.eliminated_count..analysis.top().start);
        let slots = analysis.schur_slots(kept.clone());
        let own = &mut y[kept.clone()];
        own.fill([0.0; 4]);
        schur_on_unit(slots, (&self.schur, first), (x, 0), Window::new(kept.start, own));
        self.multiply_schur_top(analysis, x, y);
    }

    /// What is left of [`Self::multiply_schur`] once all groups have multiplied.
    pub fn multiply_schur_top(&self, analysis: &Analysis, x: &[Vector4], y: &mut [Vector4]) {
        let (first, top) = (analysis.first_kept_slot(), analysis.top());
        y[top.clone()].fill([0.0; 4]);
        let slots = analysis.schur_slots(top);
        schur_on_unit(slots, (&self.schur, first), (x, 0), Window::new(0, y));
        schur_on_unit(&analysis.schur_border, (&self.schur, first), (x, 0), Window::new(0, y));
    }

    /// x ← H⁻¹ x in the numbering of the matrix, four entries a tile.
    pub fn solve(&mut self, analysis: &Analysis, x: &mut [f64]) {
        let (given, _) = x.as_chunks_mut::<TILE>();
        let mut by_position: Vec<Vector4> =
            (0..analysis.tile_count()).map(|p| given[analysis.tile_at(p)]).collect();
        self.reduce(analysis, &mut by_position);
        self.solve_kept(analysis, &mut by_position);
        self.recover(analysis, &mut by_position);
        for (position, value) in by_position.iter().enumerate() {
            given[analysis.tile_at(position)] = *value;
        }
    }
}

fn load(scatter: &[Scatter], values: &[Tile], tiles: &mut [Tile]) {
    for (to, s) in tiles.iter_mut().zip(scatter) {
        *to = match (s.from, s.transposed) {
            (FILL_IN, _) => Tile::ZERO,
            (from, false) => values[from as usize],
            (from, true) => values[from as usize].transposed(),
        };
    }
}

fn run(columns: Columns<'_>, range: Range<usize>, stage: Stage) -> Result<(), NotPositiveDefinite> {
    let analysis = columns.analysis;
    factor_on_unit(columns, range, stage)
        .map_err(|(position, dof)| NotPositiveDefinite { tile: analysis.tile_at(position), dof })
}

impl<'a> Part<'a> {
    /// The shares of the groups before `middle` and of the others.
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
        let left = Part {
            groups: self.groups.start..middle,
            eliminated: eliminated.0,
            kept: kept.0,
            eliminated_reciprocals: eliminated_reciprocals.0,
            kept_reciprocals: kept_reciprocals.0,
            schur: schur.0,
            ..self
        };
        let right = Part {
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
    fn one_by_one(
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

    /// Factorises the eliminated columns and leaves the Schur complement on the kept ones of the group.
    pub fn eliminate(&mut self, values: &[Tile]) -> Result<(), NotPositiveDefinite> {
        let group = self.group();
        for window in [&mut self.eliminated, &mut self.kept] {
            load(&self.scatter[window.first()..], values, window.items_mut());
        }
        let eliminated = Columns {
            analysis: self.analysis,
            before: None,
            tiles: self.eliminated.reborrow(),
            reciprocals: self.eliminated_reciprocals.reborrow(),
        };
        run(eliminated, group.eliminated.clone(), Stage::Whole)?;
        let kept = Columns {
            analysis: self.analysis,
            before: Some((self.eliminated.items(), self.eliminated.first())),
            tiles: self.kept.reborrow(),
            reciprocals: self.kept_reciprocals.reborrow(),
        };
        run(kept, group.kept.clone(), Stage::Schur)?;
        self.schur.items_mut().copy_from_slice(self.kept.items());
        Ok(())
    }

    /// Factorises S plus what `add` adds to it. `add` gets the tiles of the group's kept columns and the slot of the
    /// first, counted from [`Analysis::first_kept_slot`].
    pub fn refactor(&mut self, add: impl FnOnce(&mut [Tile], usize)) -> Result<(), NotPositiveDefinite> {
        self.kept.items_mut().copy_from_slice(self.schur.items());
        let first = self.kept.first() - self.analysis.first_kept_slot();
        add(self.kept.items_mut(), first);
        self.factor_kept()
    }

    fn factor_kept(&mut self) -> Result<(), NotPositiveDefinite> {
        let group = self.group();
        let columns = Columns {
            analysis: self.analysis,
            before: None,
            tiles: self.kept.reborrow(),
            reciprocals: self.kept_reciprocals.reborrow(),
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

    /// [`Factor::reduce`] on the group's positions.
    pub fn reduce(&self, eliminated: Window<'_, Vector4>, kept: Window<'_, Vector4>) {
        lower_eliminated_on_unit(self.eliminated(), self.group().eliminated.clone(), eliminated, kept);
    }

    /// [`Factor::recover`] on the group's positions. `kept` holds all kept positions.
    pub fn recover(&self, eliminated: Window<'_, Vector4>, kept: &[Vector4]) {
        upper_eliminated_on_unit(self.eliminated(), self.group().eliminated.clone(), eliminated, kept);
    }

    /// Forward substitution on the group's kept positions.
    pub fn lower(&self, x: Window<'_, Vector4>) {
        lower_on_unit(self.kept(), self.group().kept.clone(), x);
    }

    /// Backward substitution on the group's kept positions, with the solution on the top ones.
    pub fn upper(&self, x: Window<'_, Vector4>, top: &[Vector4]) {
        upper_on_unit(self.kept(), self.group().kept.clone(), x, top);
    }

    /// y = S x on the group's kept positions, but for what couples them with the top.
    pub fn multiply_schur(&self, x: &Window<'_, Vector4>, mut y: Window<'_, Vector4>) {
        y.items_mut().fill([0.0; 4]);
        let slots = self.analysis.schur_slots(self.group().kept.clone());
        schur_on_unit(slots, (self.schur.items(), self.schur.first()), (x.items(), x.first()), y);
    }
}

/// The left-looking loop over `range`. On failure: position and DoF.
#[inline(always)]
fn factor_columns<const LANES: usize, const FUSED: bool>(
    columns: Columns<'_>,
    range: Range<usize>,
    stage: Stage,
) -> Result<(), (usize, usize)> {
    let Columns { analysis, before, mut tiles, mut reciprocals } = columns;
    let first_slot = tiles.first();
    for j in range {
        let (begin, end) = (analysis.column_start[j] as usize, analysis.column_start[j + 1] as usize);
        let (done, rest) = tiles.items_mut().split_at_mut(begin - first_slot);
        let column = &mut rest[..end - begin];
        let (done, origin) = before.unwrap_or((done, first_slot));
        let (first, last) = (analysis.source_start[j] as usize, analysis.source_start[j + 1] as usize);
        let middle = first + analysis.eliminated_sources[j] as usize;
        let sources = match stage {
            Stage::Whole => first..last,
            Stage::Schur => first..middle,
            Stage::Kept => middle..last,
        };
        for source in &analysis.sources[sources] {
            let count = source.count as usize;
            let from = &done[source.slot as usize - origin..][..count];
            let to = &analysis.targets[source.target_start as usize..][..count];
            let l_jk = from[0];
            for (l_ik, &target) in from.iter().zip(to) {
                sub_product::<FUSED>(&mut column[target as usize], l_ik, &l_jk);
            }
        }
        if stage != Stage::Schur {
            let (diagonal, below) = column.split_at_mut(1);
            let l = &mut diagonal[0];
            let reciprocal = cholesky::<FUSED>(l).map_err(|dof| (j, dof))?;
            *reciprocals.at(j) = reciprocal;
            for x in below {
                solve_panel::<FUSED>(x, l, &reciprocal);
            }
        }
    }
    Ok(())
}

/// Forward substitution over kept columns and their rows in the same group.
#[inline(always)]
fn lower_columns<const LANES: usize, const FUSED: bool>(
    l: Finished<'_>,
    columns: Range<usize>,
    mut x: Window<'_, Vector4>,
) {
    for j in columns {
        let (slots, reciprocal) = l.column(j);
        let own = slots.start + 1..l.analysis.own_end[j] as usize;
        let solved = solve_lower::<FUSED>(&l.tiles(slots)[0], reciprocal, *x.at(j));
        *x.at(j) = solved;
        for (tile, &row) in l.tiles(own.clone()).iter().zip(&l.analysis.rows[own]) {
            let x = x.at(row as usize);
            *x = tile.mul_sub::<FUSED>(&solved, *x);
        }
    }
}

/// Forward substitution over eliminated columns and their rows in the same group, eliminated and kept.
#[inline(always)]
fn lower_eliminated_columns<const LANES: usize, const FUSED: bool>(
    l: Finished<'_>,
    columns: Range<usize>,
    mut x: Window<'_, Vector4>,
    mut kept: Window<'_, Vector4>,
) {
    for j in columns {
        let (slots, reciprocal) = l.column(j);
        let own = slots.start + 1..l.analysis.own_end[j] as usize;
        let solved = solve_lower::<FUSED>(&l.tiles(slots)[0], reciprocal, *x.at(j));
        *x.at(j) = solved;
        for (tile, &row) in l.tiles(own.clone()).iter().zip(&l.analysis.rows[own]) {
            let row = row as usize;
            let x = if row < l.analysis.eliminated_count { x.at(row) } else { kept.at(row) };
            *x = tile.mul_sub::<FUSED>(&solved, *x);
        }
    }
}

/// What forward substitution over `columns` of groups, themselves solved, takes from the top rows of x.
#[inline(always)]
fn border_columns<const LANES: usize, const FUSED: bool>(
    l: Finished<'_>,
    columns: Range<usize>,
    x: &mut [Vector4],
) {
    let border = &l.analysis.border;
    let from = border.partition_point(|&j| (j as usize) < columns.start);
    let to = border.partition_point(|&j| (j as usize) < columns.end);
    for &j in &border[from..to] {
        let (slots, _) = l.column(j as usize);
        let top = l.analysis.own_end[j as usize] as usize..slots.end;
        let solved = x[j as usize];
        for (tile, &row) in l.tiles(top.clone()).iter().zip(&l.analysis.rows[top]) {
            x[row as usize] = tile.mul_sub::<FUSED>(&solved, x[row as usize]);
        }
    }
}

/// Backward substitution over kept columns, last to first; `top` has the solution on the top rows, unless the columns
/// are top ones themselves.
#[inline(always)]
fn upper_columns<const LANES: usize, const FUSED: bool>(
    l: Finished<'_>,
    columns: Range<usize>,
    mut x: Window<'_, Vector4>,
    top: &[Vector4],
) {
    let first_top = l.analysis.top().start;
    for j in columns.rev() {
        let (slots, reciprocal) = l.column(j);
        let (own, rest) =
            (slots.start + 1..l.analysis.own_end[j] as usize, l.analysis.own_end[j] as usize..slots.end);
        let mut sum = TransposedSum::ZERO;
        for (tile, &row) in l.tiles(own.clone()).iter().zip(&l.analysis.rows[own]) {
            sum.add::<FUSED>(tile, x.at(row as usize));
        }
        for (tile, &row) in l.tiles(rest.clone()).iter().zip(&l.analysis.rows[rest]) {
            sum.add::<FUSED>(tile, &top[row as usize - first_top]);
        }
        let x = x.at(j);
        *x = solve_upper::<FUSED>(&l.tiles(slots)[0], reciprocal, less(*x, sum.reduce()));
    }
}

/// Backward substitution over eliminated columns; `kept` has the solution on all kept rows.
#[inline(always)]
fn upper_eliminated_columns<const LANES: usize, const FUSED: bool>(
    l: Finished<'_>,
    columns: Range<usize>,
    mut x: Window<'_, Vector4>,
    kept: &[Vector4],
) {
    let first_kept = l.analysis.eliminated_count;
    for j in columns.rev() {
        let (slots, reciprocal) = l.column(j);
        let below = slots.start + 1..slots.end;
        let mut sum = TransposedSum::ZERO;
        for (tile, &row) in l.tiles(below.clone()).iter().zip(&l.analysis.rows[below]) {
            let row = row as usize;
            let value = if row < first_kept { *x.at(row) } else { kept[row - first_kept] };
            sum.add::<FUSED>(tile, &value);
        }
        let x = x.at(j);
        *x = solve_upper::<FUSED>(&l.tiles(slots)[0], reciprocal, less(*x, sum.reduce()));
    }
}

#[inline(always)]
fn less(a: Vector4, b: Vector4) -> Vector4 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]]
}

/// y += S x with the tiles of S in `slots`; tiles and x with the index of the first.
#[inline(always)]
fn schur_product<const LANES: usize, const FUSED: bool>(
    slots: &[SchurSlot],
    (schur, first_slot): (&[Tile], usize),
    (x, first): (&[Vector4], usize),
    mut y: Window<'_, Vector4>,
) {
    // The slots come column by column; what a column gives to its own entry is reduced once.
    let mut slots = slots.iter().peekable();
    while let Some(&&SchurSlot { column, .. }) = slots.peek() {
        let mut sum = TransposedSum::ZERO;
        let from = x[column as usize - first];
        while let Some(s) = slots.next_if(|s| s.column == column) {
            let (row, tile) = (s.row as usize, &schur[s.slot as usize - first_slot]);
            let to = y.at(row);
            *to = tile.mul_add::<FUSED>(&from, *to);
            if s.row != column {
                sum.add::<FUSED>(tile, &x[row - first]);
            }
        }
        let sum = sum.reduce();
        let to = y.at(column as usize);
        for r in 0..4 {
            to[r] += sum[r];
        }
    }
}

for_vector_unit! {
    fn factor_on_unit(columns: Columns<'_>, range: Range<usize>, stage: Stage) -> Result<(), (usize, usize)> = factor_columns;
}
for_vector_unit! {
    fn lower_on_unit(l: Finished<'_>, columns: Range<usize>, x: Window<'_, Vector4>) = lower_columns;
}
for_vector_unit! {
    fn lower_eliminated_on_unit(l: Finished<'_>, columns: Range<usize>, x: Window<'_, Vector4>, kept: Window<'_, Vector4>) = lower_eliminated_columns;
}
for_vector_unit! {
    fn border_on_unit(l: Finished<'_>, columns: Range<usize>, x: &mut [Vector4]) = border_columns;
}
for_vector_unit! {
    fn upper_on_unit(l: Finished<'_>, columns: Range<usize>, x: Window<'_, Vector4>, top: &[Vector4]) = upper_columns;
}
for_vector_unit! {
    fn upper_eliminated_on_unit(l: Finished<'_>, columns: Range<usize>, x: Window<'_, Vector4>, kept: &[Vector4]) = upper_eliminated_columns;
}
for_vector_unit! {
    fn schur_on_unit(slots: &[SchurSlot], schur: (&[Tile], usize), x: (&[Vector4], usize), y: Window<'_, Vector4>) = schur_product;
}
