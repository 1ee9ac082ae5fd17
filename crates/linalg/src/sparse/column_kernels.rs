//! The loops over columns of the factor: left-looking factorization, substitutions, products with S. Compiled for each
//! vector unit.

use super::subtree_factor::{Scatter, load};
use super::symbolic::{Analysis, SchurSlot, Source};
use super::tile::{
    Column, Tile, TransposedSum, cholesky, solve_lower, solve_panel, solve_upper, sub_product, sub_products,
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

/// Arguments of the left-looking loop: one struct, so that it compiles for each vector unit with one signature.
pub(super) struct Columns<'a> {
    pub(super) analysis: &'a Analysis,
    /// Slots of the matrix's tiles, and the tiles: columns start from them. If none, columns start from their present
    /// values.
    pub(super) matrix: Option<(&'a [Scatter], &'a [Tile])>,
    /// Eliminated tiles, when kept columns are worked on; else earlier columns of `tiles` are the sources.
    pub(super) before: Option<(&'a [Tile], usize)>,
    pub(super) tiles: Window<'a, Tile>,
    pub(super) reciprocals: Window<'a, Column>,
    /// Receives a copy of each column of the Schur complement.
    pub(super) schur: Option<Window<'a, Tile>>,
    /// For [`Stage::TakeBlock`] and [`Stage::Block`]: the slots of the columns that are sources.
    pub(super) block: Range<usize>,
}

/// Finished columns of L.
#[derive(Clone, Copy)]
pub(super) struct Finished<'a> {
    pub(super) analysis: &'a Analysis,
    pub(super) tiles: &'a [Tile],
    pub(super) first_slot: usize,
    pub(super) reciprocals: &'a [Column],
    pub(super) first_column: usize,
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

/// Which products enter a column, and whether it is then factorized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// All sources; factorize. For eliminated columns, and for a whole factorization.
    Whole,
    /// Eliminated sources only; leave the Schur complement.
    Schur,
    /// Kept sources in groups; factorize. For kept columns of groups.
    Kept,
    /// The same without factorization. For separator columns.
    Border,
    /// Sources in the separator; factorize.
    Separator,
    /// Sources in a block of separator columns; do not factorize.
    TakeBlock,
    /// The same; factorize.
    Block,
}

pub(super) type Vector4 = [f64; 4];

pub(super) fn run(
    columns: Columns<'_>,
    range: Range<usize>,
    stage: Stage,
) -> Result<(), NotPositiveDefinite> {
    let analysis = columns.analysis;
    factor_on_unit(columns, range, stage)
        .map_err(|(position, dof)| NotPositiveDefinite { tile: analysis.tile_at(position), dof })
}

/// The left-looking loop over `range`. On failure: position and DoF.
#[inline(always)]
fn factor_columns<const LANES: usize, const FUSED: bool>(
    columns: Columns<'_>,
    range: Range<usize>,
    stage: Stage,
) -> Result<(), (usize, usize)> {
    let Columns { analysis, matrix, before, mut tiles, mut reciprocals, mut schur, block } = columns;
    let first_slot = tiles.first();
    for j in range {
        let (begin, end) = (analysis.column_start[j] as usize, analysis.column_start[j + 1] as usize);
        let (done, rest) = tiles.items_mut().split_at_mut(begin - first_slot);
        let column = &mut rest[..end - begin];
        if let Some((scatter, values)) = matrix {
            load(&scatter[begin..end], values, column);
        }
        let (done, origin) = before.unwrap_or((done, first_slot));
        let (first, last) = (analysis.source_start[j] as usize, analysis.source_start[j + 1] as usize);
        let middle = first + analysis.eliminated_sources[j] as usize;
        let border = first + analysis.group_sources[j] as usize;
        let sources = match stage {
            Stage::Whole => first..last,
            Stage::Schur => first..middle,
            Stage::Kept | Stage::Border => middle..border,
            Stage::Separator => border..last,
            Stage::TakeBlock | Stage::Block => {
                let of_separator = &analysis.sources[border..last];
                let before =
                    |slot: usize| border + of_separator.partition_point(|s| (s.slot as usize) < slot);
                before(block.start)..before(block.end)
            }
        };
        let mut sources = &analysis.sources[sources];
        while let Some(source) = sources.first() {
            let (alike, rest) = sources.split_at(sources.len().min(source.alike as usize));
            let to = &analysis.targets[source.target_start as usize..][..source.count as usize];
            subtract_sources::<FUSED>((done, origin), alike, to, column);
            sources = rest;
        }
        if !matches!(stage, Stage::Schur | Stage::Border | Stage::TakeBlock) {
            let (diagonal, below) = column.split_at_mut(1);
            let l = &mut diagonal[0];
            let reciprocal = cholesky::<FUSED>(l).map_err(|dof| (j, dof))?;
            *reciprocals.at(j) = reciprocal;
            for x in below {
                solve_panel::<FUSED>(x, l, &reciprocal);
            }
        }
        if let Some(schur) = &mut schur {
            schur.items_mut()[begin - first_slot..end - first_slot].copy_from_slice(column);
        }
    }
    Ok(())
}

/// column −= Σ_k L_ik L_jkᵀ over sources k with the same rows, at the places `to`. Two tiles at a time stay in
/// registers until all sources are subtracted.
#[inline(always)]
fn subtract_sources<const FUSED: bool>(
    (done, origin): (&[Tile], usize),
    sources: &[Source],
    to: &[u32],
    column: &mut [Tile],
) {
    let (pairs, odd) = to.as_chunks::<2>();
    for (pair, &[a, b]) in pairs.iter().enumerate().map(|(at, to)| (2 * at, to)) {
        let mut sums = [column[a as usize], column[b as usize]];
        for source in sources {
            let from = &done[source.slot as usize - origin..][..to.len()];
            sub_products::<FUSED>(&mut sums, [&from[pair], &from[pair + 1]], &from[0]);
        }
        [column[a as usize], column[b as usize]] = sums;
    }
    if let &[target] = odd {
        let mut sum = column[target as usize];
        for source in sources {
            let from = &done[source.slot as usize - origin..][..to.len()];
            sub_product::<FUSED>(&mut sum, &from[to.len() - 1], &from[0]);
        }
        column[target as usize] = sum;
    }
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

/// Subtracts the contribution of solved `columns` of groups from the separator rows of x, in forward substitution.
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
        let separator = l.analysis.own_end[j as usize] as usize..slots.end;
        let solved = x[j as usize];
        for (tile, &row) in l.tiles(separator.clone()).iter().zip(&l.analysis.rows[separator]) {
            x[row as usize] = tile.mul_sub::<FUSED>(&solved, x[row as usize]);
        }
    }
}

/// Backward substitution over kept columns, last to first; `separator` has the solution on the separator rows, unless
/// the columns are separator columns themselves.
#[inline(always)]
fn upper_columns<const LANES: usize, const FUSED: bool>(
    l: Finished<'_>,
    columns: Range<usize>,
    mut x: Window<'_, Vector4>,
    separator: &[Vector4],
) {
    let first_separator = l.analysis.separator().start;
    for j in columns.rev() {
        let (slots, reciprocal) = l.column(j);
        let (own, rest) =
            (slots.start + 1..l.analysis.own_end[j] as usize, l.analysis.own_end[j] as usize..slots.end);
        let mut sum = TransposedSum::ZERO;
        for (tile, &row) in l.tiles(own.clone()).iter().zip(&l.analysis.rows[own]) {
            sum.add::<FUSED>(tile, x.at(row as usize));
        }
        for (tile, &row) in l.tiles(rest.clone()).iter().zip(&l.analysis.rows[rest]) {
            sum.add::<FUSED>(tile, &separator[row as usize - first_separator]);
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
    // The slots are sorted by column; the sum for a column's own entry is reduced once.
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
    pub(super) fn lower_on_unit(l: Finished<'_>, columns: Range<usize>, x: Window<'_, Vector4>) = lower_columns;
}
for_vector_unit! {
    pub(super) fn lower_eliminated_on_unit(l: Finished<'_>, columns: Range<usize>, x: Window<'_, Vector4>, kept: Window<'_, Vector4>) = lower_eliminated_columns;
}
for_vector_unit! {
    pub(super) fn border_on_unit(l: Finished<'_>, columns: Range<usize>, x: &mut [Vector4]) = border_columns;
}
for_vector_unit! {
    pub(super) fn upper_on_unit(l: Finished<'_>, columns: Range<usize>, x: Window<'_, Vector4>, separator: &[Vector4]) = upper_columns;
}
for_vector_unit! {
    pub(super) fn upper_eliminated_on_unit(l: Finished<'_>, columns: Range<usize>, x: Window<'_, Vector4>, kept: &[Vector4]) = upper_eliminated_columns;
}
for_vector_unit! {
    pub(super) fn schur_on_unit(slots: &[SchurSlot], schur: (&[Tile], usize), x: (&[Vector4], usize), y: Window<'_, Vector4>) = schur_product;
}
