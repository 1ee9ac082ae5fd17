//! The pattern of the Schur complement of the kept tiles.

use super::super::matrix::Entry;
use super::{Analysis, SchurSlot};

impl Analysis {
    /// The pattern of the Schur complement: that of the matrix, and the fill-in of eliminated columns.
    pub(super) fn list_schur(&mut self, entries: &[Entry]) {
        let n = self.tile_at.len();
        let first = self.column_start[self.eliminated_count] as usize;
        let mut has = core::mem::take(&mut self.scratch.has_schur);
        has.clear();
        has.resize(self.rows.len() - first, false);
        for entry in entries {
            let (a, b) = (self.position_of(entry.row as usize), self.position_of(entry.column as usize));
            if a.min(b) >= self.eliminated_count
                && let Some(slot) = self.slot(a.max(b), a.min(b))
            {
                has[slot - first] = true;
            }
        }
        for j in self.eliminated_count..n {
            let begin = self.source_start[j] as usize;
            let mut sources = &self.sources[begin..begin + self.eliminated_sources[j] as usize];
            while let Some(source) = sources.first() {
                sources = &sources[sources.len().min(source.alike as usize)..];
                let targets = source.target_start as usize..(source.target_start + source.count) as usize;
                for &target in &self.targets[targets] {
                    has[self.column_start[j] as usize + target as usize - first] = true;
                }
            }
        }
        self.schur_slots.clear();
        self.schur_border.clear();
        for column in self.eliminated_count..n {
            for slot in self.column_start[column]..self.column_start[column + 1] {
                if has[slot as usize - first] {
                    let row = self.rows[slot as usize];
                    let own = slot < self.own_end[column];
                    let list = if own { &mut self.schur_slots } else { &mut self.schur_border };
                    list.push(SchurSlot { slot, row, column: column as u32 });
                }
            }
        }
        self.scratch.has_schur = has;
    }
}
