//! The factor itself: elimination, repeated factorization of the kept part, and solves.
//!
//! The columns of one group of the [`Analysis`] form a [`SubtreeFactor`], which does not depend on other groups, so
//! that groups can run in parallel; the [`SeparatorFactor`] follows once all groups are done. [`Factor`]'s own
//! methods run them one after the other, with bit-identical results.

use super::column_kernels::{
    Columns, Finished, NotPositiveDefinite, Stage, Vector4, lower_eliminated_on_unit, lower_on_unit, run,
    schur_on_unit, upper_eliminated_on_unit, upper_on_unit,
};
use super::matrix::Entry;
use super::separator::{FinishedGroups, SeparatorFactor};
use super::subtree_factor::{FILL_IN, Scatter, SubtreeFactor};
use super::symbolic::Analysis;
use super::tile::{Column, TILE, Tile};
use super::window::Window;

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

impl Factor {
    /// Makes room for `analysis` and finds where the tiles of the matrix, `entries`, go. To be called
    /// after each new analysis, which must have been given the same entries.
    pub fn prepare(&mut self, analysis: &Analysis, entries: &[Entry]) {
        // Entries are written before they are read.
        self.tiles.resize(analysis.factor_tile_count(), Tile::ZERO);
        self.reciprocals.resize(analysis.tile_count(), [0.0; 4]);
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

    /// The factors of all groups, and that of the separator.
    pub fn parts<'a>(&'a mut self, analysis: &'a Analysis) -> SubtreeFactor<'a> {
        let (eliminated, n) = (analysis.eliminated_count, analysis.tile_count());
        let first = analysis.first_kept_slot();
        let (separator_slot, separator) = (analysis.first_separator_slot(), analysis.separator().start);
        let (eliminated_tiles, kept_tiles) = self.tiles.split_at_mut(first);
        let (eliminated_reciprocals, kept_reciprocals) = self.reciprocals[..n].split_at_mut(eliminated);
        SubtreeFactor {
            analysis,
            scatter: &self.scatter,
            groups: 0..analysis.groups.len(),
            eliminated: Window::new(0, eliminated_tiles),
            kept: Window::new(first, &mut kept_tiles[..separator_slot - first]),
            eliminated_reciprocals: Window::new(0, eliminated_reciprocals),
            kept_reciprocals: Window::new(eliminated, &mut kept_reciprocals[..separator - eliminated]),
            schur: Window::new(first, &mut self.schur[..separator_slot - first]),
        }
    }

    /// Factorizes the eliminated columns of the matrix with tiles `values` and leaves the Schur complement on the kept ones.
    pub fn eliminate(&mut self, analysis: &Analysis, values: &[Tile]) -> Result<(), NotPositiveDefinite> {
        self.parts(analysis).one_by_one(&mut |mut part| part.eliminate(values))?;
        self.separator(analysis).0.after_eliminated().eliminate(values)
    }

    /// The separator columns, to be factorized, and the finished ones of groups.
    pub fn separator<'a>(&'a mut self, analysis: &'a Analysis) -> (SeparatorFactor<'a>, FinishedGroups<'a>) {
        let (separator_slot, separator) = (analysis.first_separator_slot(), analysis.separator().start);
        let (groups, tiles) = self.tiles.split_at_mut(separator_slot);
        let (group_reciprocals, reciprocals) = self.reciprocals.split_at_mut(separator);
        let schur = &mut self.schur[separator_slot - analysis.first_kept_slot()..];
        let of_groups = Finished {
            analysis,
            tiles: groups,
            first_slot: 0,
            reciprocals: group_reciprocals,
            first_column: 0,
        };
        (
            SeparatorFactor { analysis, scatter: &self.scatter, groups, tiles, reciprocals, schur },
            FinishedGroups(of_groups),
        )
    }

    /// Factorizes S plus what `add` adds to it. `add` gets the tiles of the kept columns, from
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
        let (mut separator, _) = self.separator(analysis);
        separator.after_kept().take_kept()?;
        separator.factor(None)
    }

    /// Factorizes the whole matrix at once, without stopping at the Schur complement.
    pub fn factor(&mut self, analysis: &Analysis, values: &[Tile]) -> Result<(), NotPositiveDefinite> {
        let columns = Columns {
            analysis,
            matrix: Some((&self.scatter, values)),
            before: None,
            tiles: Window::new(0, &mut self.tiles),
            reciprocals: Window::new(0, &mut self.reciprocals),
            schur: None,
            block: 0..0,
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

    /// x ← L⁻¹ x on the eliminated positions, and x_p ← x_p − A_pn A_nn⁻¹ x_n on the kept ones. `x` is by position.
    pub fn reduce(&mut self, analysis: &Analysis, x: &mut [Vector4]) {
        let eliminated = analysis.eliminated_count;
        let (own, kept) = Window::new(0, x).split_at(eliminated);
        lower_eliminated_on_unit(self.finished(analysis), 0..eliminated, own, kept);
        self.separator(analysis).1.reduce_separator(x);
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
        let kept = analysis.eliminated_count..analysis.separator().start;
        lower_on_unit(self.finished(analysis), kept.clone(), Window::new(0, x));
        self.separator(analysis).1.lower_separator(x);
        self.solve_separator(analysis, x);
        let (own, separator) = x.split_at_mut(kept.end);
        upper_on_unit(self.finished(analysis), kept, Window::new(0, own), separator);
    }

    /// The middle of a solve. Before it, all groups have substituted forwards, also into the separator
    /// ([`FinishedGroups::lower_separator`]); it solves the separator; afterwards groups substitute backwards.
    pub fn solve_separator(&self, analysis: &Analysis, x: &mut [Vector4]) {
        let separator = analysis.separator();
        lower_on_unit(self.finished(analysis), separator.clone(), Window::new(0, x));
        upper_on_unit(self.finished(analysis), separator, Window::new(0, x), &[]);
    }

    /// y_p = S x_p. Both are by position; eliminated positions are neither read nor written.
    pub fn multiply_schur(&mut self, analysis: &Analysis, x: &[Vector4], y: &mut [Vector4]) {
        let (first, kept) =
            (analysis.first_kept_slot(), analysis.eliminated_count..analysis.separator().start);
        let slots = analysis.schur_slots(kept.clone());
        let own = &mut y[kept.clone()];
        own.fill([0.0; 4]);
        schur_on_unit(slots, (&self.schur, first), (x, 0), Window::new(kept.start, own));
        self.multiply_schur_separator(analysis, x, y);
    }

    /// Completes [`Self::multiply_schur`] once all groups have multiplied.
    pub fn multiply_schur_separator(&self, analysis: &Analysis, x: &[Vector4], y: &mut [Vector4]) {
        let (first, separator) = (analysis.first_kept_slot(), analysis.separator());
        y[separator.clone()].fill([0.0; 4]);
        let slots = analysis.schur_slots(separator);
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
