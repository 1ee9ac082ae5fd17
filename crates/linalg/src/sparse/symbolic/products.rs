//! Which products make each column of the factor, and where they go.

use super::super::separator::Both;
use super::{Analysis, Source};
use core::ops::Range;

/// From this number of sources on, targets are listed in two halves.
const MANY_SOURCES: usize = 4000;

impl Analysis {
    /// Sources and targets of each column.
    pub(super) fn list_products(&mut self, both: Option<Both<'_>>) {
        let (n, separator) = (self.tile_at.len(), self.separator().start);
        // Columns k are visited in increasing order, so each list of sources is sorted by k.
        let count = &mut self.scratch.fill_count;
        count.clear();
        count.resize(n, 0);
        for k in 0..n {
            for &j in &self.rows[self.column_start[k] as usize + 1..self.column_start[k + 1] as usize] {
                count[j as usize] += 1;
            }
        }
        self.source_start.clear();
        self.source_start.push(0);
        let mut total = 0;
        for j in 0..n {
            let at = total;
            total += count[j];
            count[j] = at;
            self.source_start.push(total);
        }
        self.sources.clear();
        self.sources.resize(total as usize, Source { slot: 0, count: 0, target_start: 0, alike: 1 });
        for list in [&mut self.eliminated_sources, &mut self.group_sources, &mut self.product_start] {
            list.clear();
            list.resize(n, 0);
        }
        for k in 0..n {
            let (begin, end) = (self.column_start[k] as usize + 1, self.column_start[k + 1] as usize);
            for slot in begin..end {
                let j = self.rows[slot] as usize;
                let source =
                    Source { slot: slot as u32, count: (end - slot) as u32, target_start: 0, alike: 1 };
                self.sources[count[j] as usize] = source;
                count[j] += 1;
                self.eliminated_sources[j] += u32::from(k < self.eliminated_count);
                self.group_sources[j] += u32::from(k < separator);
                self.product_start[j] += source.count;
            }
        }
        let mut products = 0;
        for start in &mut self.product_start {
            products += core::mem::replace(start, products);
        }
        self.product_start.push(products);
        self.list_targets(both);
    }

    /// Where the products of each source go.
    fn list_targets(&mut self, both: Option<Both<'_>>) {
        let n = self.tile_at.len();
        let Self { column_start, rows, source_start, sources, targets, scratch, .. } = self;
        let of = (&column_start[..], &rows[..], &source_start[..]);
        let [mut first, mut second] = core::mem::take(&mut scratch.targets);
        core::mem::swap(&mut first.targets, targets);
        let half = sources.len() as u32 / 2;
        let middle = if both.is_some() && sources.len() >= MANY_SOURCES {
            source_start[..n].partition_point(|&start| start < half)
        } else {
            n
        };
        let (left, right) = sources.split_at_mut(source_start[middle] as usize);
        let mut list_left = || first.list(of, 0..middle, left);
        let mut list_right = || second.list(of, middle..n, right);
        match both {
            Some(both) if middle < n => both(&mut list_left, &mut list_right),
            _ => list_left(),
        }
        if middle < n {
            let before = first.targets.len() as u32;
            right.iter_mut().for_each(|source| source.target_start += before);
            first.targets.extend_from_slice(&second.targets);
        }
        core::mem::swap(&mut first.targets, targets);
        scratch.targets = [first, second];
    }
}

/// The targets of some columns.
#[derive(Clone, Debug, Default)]
pub(super) struct Targets {
    targets: Vec<u32>,
    place_in_column: Vec<u32>,
}

impl Targets {
    /// Lists the targets of `columns`, whose sources are `all`; `of` holds column starts, rows and source starts.
    fn list(&mut self, of: (&[u32], &[u32], &[u32]), columns: Range<usize>, all: &mut [Source]) {
        let ((column_start, rows, source_start), Self { targets, place_in_column: place }) = (of, self);
        targets.clear();
        place.clear();
        place.resize(column_start.len(), 0);
        let mut target_start = 0;
        let first = source_start[columns.start];
        for j in columns {
            let begin = column_start[j] as usize;
            for (at, &row) in rows[begin..column_start[j + 1] as usize].iter().enumerate() {
                place[row as usize] = at as u32;
            }
            let sources = (source_start[j] - first) as usize..(source_start[j + 1] - first) as usize;
            let sources = &mut all[sources];
            let mut last: &[u32] = &[];
            for source in sources.iter_mut() {
                // Sources with the same rows have the same targets.
                let rows = &rows[source.slot as usize..(source.slot + source.count) as usize];
                if rows != last {
                    target_start = targets.len() as u32;
                    targets.extend(rows.iter().map(|&row| place[row as usize]));
                }
                source.target_start = target_start;
                last = rows;
            }
            for at in (1..sources.len()).rev() {
                if sources[at - 1].target_start == sources[at].target_start {
                    sources[at - 1].alike = sources[at].alike + 1;
                }
            }
        }
    }
}
