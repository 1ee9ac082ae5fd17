//! The factor itself: elimination, repeated factorisation of the kept part, and solves.

use super::matrix::Entry;
use super::symbolic::{Analysis, SchurSlot};
use super::tile::{
    Column, TILE, Tile, TransposedSum, cholesky, solve_lower, solve_panel, solve_upper, sub_product,
};
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
    scatter: Vec<Scatter>,
    /// Slots to which no tile of the matrix goes.
    fill_in: Vec<u32>,
}

/// Where a tile of the matrix goes.
#[derive(Clone, Copy, Debug)]
struct Scatter {
    from: u32,
    to: u32,
    transposed: bool,
}

/// What the loops work on. One struct, so that they compile for each vector unit with one signature.
struct Parts<'a> {
    analysis: &'a Analysis,
    tiles: &'a mut [Tile],
    reciprocals: &'a mut [Column],
    schur: &'a [Tile],
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
        self.scatter.extend(entries.iter().filter_map(|entry| {
            let (a, b) =
                (analysis.position_of(entry.row as usize), analysis.position_of(entry.column as usize));
            let to = analysis.slot(a.max(b), a.min(b))? as u32;
            Some(Scatter { from: entry.slot, to, transposed: a < b })
        }));
        let mut has_entry = vec![false; analysis.factor_tile_count()];
        self.scatter.iter().for_each(|s| has_entry[s.to as usize] = true);
        self.fill_in.clear();
        self.fill_in.extend((0..has_entry.len() as u32).filter(|&slot| !has_entry[slot as usize]));
    }

    fn load(&mut self, values: &[Tile]) {
        for &slot in &self.fill_in {
            self.tiles[slot as usize] = Tile::ZERO;
        }
        for s in &self.scatter {
            let tile = &values[s.from as usize];
            self.tiles[s.to as usize] = if s.transposed { tile.transposed() } else { *tile };
        }
    }

    fn parts<'a>(&'a mut self, analysis: &'a Analysis) -> Parts<'a> {
        Parts { analysis, tiles: &mut self.tiles, reciprocals: &mut self.reciprocals, schur: &self.schur }
    }

    fn run(
        &mut self,
        analysis: &Analysis,
        columns: Range<usize>,
        stage: Stage,
    ) -> Result<(), NotPositiveDefinite> {
        factor_on_unit(self.parts(analysis), columns, stage)
            .map_err(|(position, dof)| NotPositiveDefinite { tile: analysis.tile_at(position), dof })
    }

    /// Factorises the eliminated columns of the matrix with tiles `values` and leaves the Schur complement on the kept ones.
    pub fn eliminate(&mut self, analysis: &Analysis, values: &[Tile]) -> Result<(), NotPositiveDefinite> {
        self.load(values);
        let (eliminated, n) = (analysis.eliminated_count, analysis.tile_count());
        self.run(analysis, 0..eliminated, Stage::Whole)?;
        self.run(analysis, eliminated..n, Stage::Schur)?;
        self.schur.copy_from_slice(&self.tiles[analysis.first_kept_slot()..]);
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
        self.run(analysis, analysis.eliminated_count..analysis.tile_count(), Stage::Kept)
    }

    /// Factorises the whole matrix at once, without stopping at the Schur complement.
    pub fn factor(&mut self, analysis: &Analysis, values: &[Tile]) -> Result<(), NotPositiveDefinite> {
        self.load(values);
        self.run(analysis, 0..analysis.tile_count(), Stage::Whole)
    }

    /// The tiles of L by slot.
    pub fn tiles(&self) -> &[Tile] {
        &self.tiles
    }

    /// The tile of S in a slot counted from [`Analysis::first_kept_slot`].
    pub fn schur_tiles(&self) -> &[Tile] {
        &self.schur
    }

    /// x ← L⁻¹ x on the eliminated positions, and the kept ones less what follows from it:
    /// x_p ← x_p − A_pn A_nn⁻¹ x_n. `x` is by position.
    pub fn reduce(&mut self, analysis: &Analysis, x: &mut [[f64; 4]]) {
        lower_on_unit(self.parts(analysis), 0..analysis.eliminated_count, x);
    }

    /// The other half of [`Self::reduce`]: with x_p solved, finds x_n. `x` is by position.
    pub fn recover(&mut self, analysis: &Analysis, x: &mut [[f64; 4]]) {
        upper_on_unit(self.parts(analysis), 0..analysis.eliminated_count, x);
    }

    /// x_p ← (S + added)⁻¹ x_p with the factor of the last [`Self::refactor`]. `x` is by position;
    /// eliminated positions are neither read nor written.
    pub fn solve_kept(&mut self, analysis: &Analysis, x: &mut [[f64; 4]]) {
        let kept = analysis.eliminated_count..analysis.tile_count();
        lower_on_unit(self.parts(analysis), kept.clone(), x);
        upper_on_unit(self.parts(analysis), kept, x);
    }

    /// y_p = S x_p. Both are by position; eliminated positions are neither read nor written.
    pub fn multiply_schur(&mut self, analysis: &Analysis, x: &[[f64; 4]], y: &mut [[f64; 4]]) {
        schur_on_unit(self.parts(analysis), x, y);
    }

    /// x ← H⁻¹ x in the numbering of the matrix, four entries a tile.
    pub fn solve(&mut self, analysis: &Analysis, x: &mut [f64]) {
        let (given, _) = x.as_chunks_mut::<TILE>();
        let mut by_position: Vec<[f64; 4]> =
            (0..analysis.tile_count()).map(|p| given[analysis.tile_at(p)]).collect();
        self.reduce(analysis, &mut by_position);
        self.solve_kept(analysis, &mut by_position);
        self.recover(analysis, &mut by_position);
        for (position, value) in by_position.iter().enumerate() {
            given[analysis.tile_at(position)] = *value;
        }
    }
}

/// The left-looking loop over `columns`. On failure: position and DoF.
#[inline(always)]
fn factor_columns<const LANES: usize, const FUSED: bool>(
    parts: Parts<'_>,
    columns: Range<usize>,
    stage: Stage,
) -> Result<(), (usize, usize)> {
    let Parts { analysis, tiles, reciprocals, .. } = parts;
    for j in columns {
        let (begin, end) = (analysis.column_start[j] as usize, analysis.column_start[j + 1] as usize);
        let (done, rest) = tiles.split_at_mut(begin);
        let column = &mut rest[..end - begin];
        let (first, last) = (analysis.source_start[j] as usize, analysis.source_start[j + 1] as usize);
        let middle = first + analysis.eliminated_sources[j] as usize;
        let sources = match stage {
            Stage::Whole => first..last,
            Stage::Schur => first..middle,
            Stage::Kept => middle..last,
        };
        for source in &analysis.sources[sources] {
            let count = source.count as usize;
            let from = &done[source.slot as usize..][..count];
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
            reciprocals[j] = reciprocal;
            for x in below {
                solve_panel::<FUSED>(x, l, &reciprocal);
            }
        }
    }
    Ok(())
}

/// Forward substitution over `columns`.
#[inline(always)]
fn lower_columns<const LANES: usize, const FUSED: bool>(
    parts: Parts<'_>,
    columns: Range<usize>,
    x: &mut [[f64; 4]],
) {
    let Parts { analysis, tiles, reciprocals, .. } = parts;
    for j in columns {
        let (begin, end) = (analysis.column_start[j] as usize, analysis.column_start[j + 1] as usize);
        let solved = solve_lower::<FUSED>(&tiles[begin], &reciprocals[j], x[j]);
        x[j] = solved;
        for (tile, &row) in tiles[begin + 1..end].iter().zip(&analysis.rows[begin + 1..end]) {
            x[row as usize] = tile.mul_sub::<FUSED>(&solved, x[row as usize]);
        }
    }
}

/// Backward substitution over `columns`, last to first.
#[inline(always)]
fn upper_columns<const LANES: usize, const FUSED: bool>(
    parts: Parts<'_>,
    columns: Range<usize>,
    x: &mut [[f64; 4]],
) {
    let Parts { analysis, tiles, reciprocals, .. } = parts;
    for j in columns.rev() {
        let (begin, end) = (analysis.column_start[j] as usize, analysis.column_start[j + 1] as usize);
        let mut sum = TransposedSum::ZERO;
        for (tile, &row) in tiles[begin + 1..end].iter().zip(&analysis.rows[begin + 1..end]) {
            sum.add::<FUSED>(tile, &x[row as usize]);
        }
        let sum = sum.reduce();
        let mut rest = x[j];
        for r in 0..4 {
            rest[r] -= sum[r];
        }
        x[j] = solve_upper::<FUSED>(&tiles[begin], &reciprocals[j], rest);
    }
}

/// y = S x over the kept positions.
#[inline(always)]
fn schur_product<const LANES: usize, const FUSED: bool>(
    parts: Parts<'_>,
    x: &[[f64; 4]],
    y: &mut [[f64; 4]],
) {
    let Parts { analysis, schur, .. } = parts;
    let first = analysis.first_kept_slot();
    y[analysis.eliminated_count..].fill([0.0; 4]);
    // The slots come column by column; what a column gives to its own entry is reduced once.
    let mut slots = analysis.schur_slots.iter().peekable();
    while let Some(&&SchurSlot { column, .. }) = slots.peek() {
        let mut sum = TransposedSum::ZERO;
        let from = x[column as usize];
        while let Some(s) = slots.next_if(|s| s.column == column) {
            let (row, tile) = (s.row as usize, &schur[s.slot as usize - first]);
            y[row] = tile.mul_add::<FUSED>(&from, y[row]);
            if s.row != column {
                sum.add::<FUSED>(tile, &x[row]);
            }
        }
        let sum = sum.reduce();
        for r in 0..4 {
            y[column as usize][r] += sum[r];
        }
    }
}

for_vector_unit! {
    fn factor_on_unit(parts: Parts<'_>, columns: Range<usize>, stage: Stage) -> Result<(), (usize, usize)> = factor_columns;
}
for_vector_unit! {
    fn lower_on_unit(parts: Parts<'_>, columns: Range<usize>, x: &mut [[f64; 4]]) = lower_columns;
}
for_vector_unit! {
    fn upper_on_unit(parts: Parts<'_>, columns: Range<usize>, x: &mut [[f64; 4]]) = upper_columns;
}
for_vector_unit! {
    fn schur_on_unit(parts: Parts<'_>, x: &[[f64; 4]], y: &mut [[f64; 4]]) = schur_product;
}
