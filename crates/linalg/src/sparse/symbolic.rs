//! Where the factor has tiles, and which products make them.
//!
//! Columns are numbered by *position*: eliminated tiles first, then kept ones. Column j holds its
//! diagonal tile and the rows below, increasing. The left-looking factorisation of column j reads
//!
//! ```text
//!   L_ij ← A_ij − Σ_{k<j, L_jk ≠ 0} L_ik L_jkᵀ        for all i ≥ j,
//! ```
//!
//! so for each j we keep the list of such k (its *sources*) with the place of L_jk in column k, and
//! for each source the places in column j into which the products go.
//!
//! Tiles fall into *groups* that have nothing to do with one another but through *top* tiles, which come
//! last of all. Eliminated tiles come group by group, then kept ones group by group, then the top:
//! groups can be worked on at the same time, and what one needs fits into a cache. Within a group
//! positions follow the levels of the elimination tree (leaves first) rather than its branches:
//! columns next to one another then do not wait for one another, and the processor overlaps them.

use super::elimination_tree::TreeCut;
use super::matrix::Entry;
use super::ordering::Ordering;
use super::separator::Both;
use core::ops::Range;

/// A source column of a left-looking step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Source {
    /// The slot of L_jk.
    pub(super) slot: u32,
    /// How many tiles of column k lie at or below row j, that one included.
    pub(super) count: u32,
    /// Where the places for the products start in [`Analysis::targets`].
    pub(super) target_start: u32,
    /// How many sources from this one on have the same rows.
    pub(super) alike: u32,
}

/// Targets of so many sources are listed by halves.
const MANY_SOURCES: usize = 4000;

/// The group of tiles that separate the others.
pub const TOP: u32 = u32::MAX;

/// The positions of a group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Eliminated ones.
    pub eliminated: Range<usize>,
    /// Kept ones.
    pub kept: Range<usize>,
}

/// Order, pattern of the factor and list of products. A function of the pattern alone.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    pub(super) eliminated_count: usize,
    /// Tile at each position.
    pub(super) tile_at: Vec<u32>,
    /// Position of each tile.
    pub(super) position_of: Vec<u32>,
    pub(super) column_start: Vec<u32>,
    pub(super) rows: Vec<u32>,
    pub(super) source_start: Vec<u32>,
    /// By column: sources with eliminated k first.
    pub(super) sources: Vec<Source>,
    /// By column: how many of its sources are eliminated columns.
    pub(super) eliminated_sources: Vec<u32>,
    /// By column: how many of its sources are columns of groups, eliminated or kept.
    pub(super) group_sources: Vec<u32>,
    /// Places relative to the start of the target column.
    pub(super) targets: Vec<u32>,
    /// How many products come before each column.
    product_start: Vec<u32>,
    /// Slots of kept columns where the Schur complement may be other than zero, by column; those with a column in a
    /// group and a row in the top are apart.
    pub(super) schur_slots: Vec<SchurSlot>,
    pub(super) schur_border: Vec<SchurSlot>,
    pub(super) groups: Vec<Group>,
    /// By column: the end of its slots whose rows are not in the top; of a top column, the end of its slots.
    pub(super) own_end: Vec<u32>,
    /// Columns of groups with rows in the top.
    pub(super) border: Vec<u32>,
    ordering: Ordering,
    tree: TreeCut,
    scratch: Scratch,
}

/// A tile of the Schur complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SchurSlot {
    pub(super) slot: u32,
    pub(super) row: u32,
    pub(super) column: u32,
}

#[derive(Clone, Debug, Default)]
struct Scratch {
    class: Vec<u8>,
    /// By tile.
    group: Vec<u32>,
    level: Vec<u32>,
    /// Tiles by position, while `tile_at` holds places.
    by_position: Vec<u32>,
    sorted: Vec<u32>,
    key_start: Vec<u32>,
    targets: [Targets; 2],
    has_schur: Vec<bool>,
    fill_count: Vec<u32>,
}

impl Analysis {
    /// Analyses the graph whose tile i has the neighbours
    /// `adjacency[adjacency_start[i]..adjacency_start[i + 1]]` (symmetric, without loops or
    /// repetitions); tiles with `keep[i]` are the kept ones. `group` gives the group of each tile, [`TOP`] for
    /// kept ones that separate groups; if it is empty, the elimination tree is cut into groups if that pays. Tiles of two groups must not be neighbours,
    /// nor be joined through eliminated tiles. `entries` say where the matrix itself,
    /// without what is added later, has tiles: a part of the graph, and the diagonal. With `both`, a part of the work is done
    /// by halves; the result is the same.
    pub fn analyse(
        &mut self,
        adjacency_start: &[u32],
        adjacency: &[u32],
        keep: &[bool],
        group: &[u32],
        entries: &[Entry],
        both: Option<Both<'_>>,
    ) {
        self.place_columns(adjacency_start, adjacency, keep, group);
        self.list_products(both);
        self.list_schur(entries);
    }

    /// Order by minimum degree, then positions by group and level of the elimination tree.
    fn place_columns(&mut self, adjacency_start: &[u32], adjacency: &[u32], keep: &[bool], group: &[u32]) {
        let n = keep.len();
        let s = &mut self.scratch;
        s.group.clear();
        s.group.extend_from_slice(group);
        s.group.resize(n, 0);
        s.class.clear();
        s.class.extend((0..n).map(|i| u8::from(keep[i]) * (1 + u8::from(s.group[i] == TOP))));
        let columns = self.ordering.compute(adjacency_start, adjacency, &s.class);
        self.eliminated_count = keep.iter().filter(|k| !**k).count();
        // Place in minimum-degree order of each tile.
        self.position_of.clear();
        self.position_of.resize(n, 0);
        for (place, &tile) in columns.order.iter().enumerate() {
            self.position_of[tile as usize] = place as u32;
        }
        s.level.clear();
        s.level.resize(n, 0);
        for (place, &parent) in self.tree.parents(columns, &self.position_of).iter().enumerate() {
            if let Some(level) = s.level.get(parent as usize).copied() {
                s.level[parent as usize] = level.max(s.level[place] + 1);
            }
        }
        if group.is_empty() {
            for (place, &cut) in self.tree.groups(columns, self.eliminated_count).iter().enumerate() {
                let tile = columns.order[place] as usize;
                s.group[tile] = cut;
                if cut == TOP && keep[tile] {
                    s.class[tile] = 2;
                }
            }
        }
        // By class, group and level: sorted by the last key first, since the sorts are stable.
        let group_count = s.group.iter().filter(|&&g| g != TOP).max().map_or(1, |&g| g as usize + 1);
        self.tile_at.clear();
        self.tile_at.extend(0..n as u32);
        let tile_of = |place: u32| columns.order[place as usize] as usize;
        let group_at = |place: u32| (s.group[tile_of(place)] as usize).min(group_count);
        sort_by_key(&mut self.tile_at, &mut s.sorted, &mut s.key_start, |p| s.level[p as usize] as usize);
        sort_by_key(&mut self.tile_at, &mut s.sorted, &mut s.key_start, group_at);
        sort_by_key(&mut self.tile_at, &mut s.sorted, &mut s.key_start, |p| s.class[tile_of(p)] as usize);
        self.groups.clear();
        self.groups.resize(group_count, Group::default());
        for &place in &self.tile_at {
            // Eliminated tiles of what separates may be in any group, and are in the last.
            let group = &mut self.groups[group_at(place).min(group_count - 1)];
            match s.class[tile_of(place)] {
                0 => group.eliminated.end += 1,
                1 => group.kept.end += 1,
                _ => {}
            }
        }
        let (mut eliminated, mut kept) = (0, self.eliminated_count);
        for group in &mut self.groups {
            for (range, end) in [(&mut group.eliminated, &mut eliminated), (&mut group.kept, &mut kept)] {
                *range = *end..*end + range.end;
                *end = range.end;
            }
        }
        // `tile_at` now holds places; the columns of the factor follow.
        s.by_position.clear();
        s.by_position.extend(self.tile_at.iter().map(|&place| columns.order[place as usize]));
        for (position, &tile) in s.by_position.iter().enumerate() {
            self.position_of[tile as usize] = position as u32;
        }
        self.column_start.clear();
        self.rows.clear();
        for position in 0..n {
            let begin = self.rows.len();
            self.column_start.push(begin as u32);
            self.rows.push(position as u32);
            let neighbours = columns.neighbours(self.tile_at[position] as usize);
            self.rows.extend(neighbours.iter().map(|&i| self.position_of[i as usize]));
            self.rows[begin + 1..].sort_unstable();
        }
        self.column_start.push(self.rows.len() as u32);
        core::mem::swap(&mut self.tile_at, &mut s.by_position);
        let top = self.top().start as u32;
        self.own_end.clear();
        self.border.clear();
        for position in 0..n {
            let (begin, end) =
                (self.column_start[position] as usize, self.column_start[position + 1] as usize);
            let own = if (position as u32) < top {
                self.rows[begin..end].partition_point(|&row| row < top)
            } else {
                end - begin
            };
            self.own_end.push((begin + own) as u32);
            if begin + own < end {
                self.border.push(position as u32);
            }
        }
    }

    /// Sources and targets of each column.
    fn list_products(&mut self, both: Option<Both<'_>>) {
        let (n, top) = (self.tile_at.len(), self.top().start);
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
                self.group_sources[j] += u32::from(k < top);
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
struct Targets {
    targets: Vec<u32>,
    place_in_column: Vec<u32>,
}

impl Targets {
    /// Lists those of `columns`, whose sources are `all`; `of` holds starts of columns, rows and starts of sources.
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
                // Those with the same rows go to the same places.
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

impl Analysis {
    /// Where the Schur complement has tiles: where the matrix has, or an eliminated column fills in.
    fn list_schur(&mut self, entries: &[Entry]) {
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

    /// How many tiles the diagonal has.
    pub fn tile_count(&self) -> usize {
        self.tile_at.len()
    }

    /// How many columns are eliminated before the kept ones.
    pub fn eliminated_count(&self) -> usize {
        self.eliminated_count
    }

    /// The groups, in the order of their positions.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The group of a kept position; none if it is in the top, or not kept.
    pub fn group_of_kept(&self, position: usize) -> Option<usize> {
        let group = self.groups.partition_point(|g| g.kept.end <= position);
        self.groups.get(group).filter(|g| g.kept.contains(&position)).map(|_| group)
    }

    /// Positions of the tiles that separate groups.
    pub fn top(&self) -> Range<usize> {
        self.groups.last().map_or(self.eliminated_count, |g| g.kept.end)..self.tile_at.len()
    }

    /// The tile at `position`.
    pub fn tile_at(&self, position: usize) -> usize {
        self.tile_at[position] as usize
    }

    /// The position of `tile`.
    pub fn position_of(&self, tile: usize) -> usize {
        self.position_of[tile] as usize
    }

    /// The slot of the tile of the factor in `row` and `column`, both positions, `row` ≥ `column`.
    pub fn slot(&self, row: usize, column: usize) -> Option<usize> {
        let begin = self.column_start[column] as usize;
        let rows = &self.rows[begin..self.column_start[column + 1] as usize];
        rows.binary_search(&(row as u32)).ok().map(|place| begin + place)
    }

    /// The first slot of the kept columns; additions to [`super::Factor::refactor`] count from here.
    pub fn first_kept_slot(&self) -> usize {
        self.column_start.get(self.eliminated_count).map_or(0, |&s| s as usize)
    }

    /// The first slot of the top columns.
    pub fn first_top_slot(&self) -> usize {
        self.column_start.get(self.top().start).map_or(0, |&s| s as usize)
    }

    /// Tiles of the Schur complement in `columns`.
    pub(super) fn schur_slots(&self, columns: Range<usize>) -> &[SchurSlot] {
        let from = self.schur_slots.partition_point(|s| (s.column as usize) < columns.start);
        let to = self.schur_slots.partition_point(|s| (s.column as usize) < columns.end);
        &self.schur_slots[from..to]
    }

    /// How many tiles the factor has.
    pub fn factor_tile_count(&self) -> usize {
        self.rows.len()
    }

    /// How many 4×4 products some columns take.
    pub(super) fn products(&self, columns: Range<usize>) -> usize {
        (self.product_start[columns.end] - self.product_start[columns.start]) as usize
    }

    /// How many 4×4 products a whole factorisation takes.
    pub fn product_count(&self) -> usize {
        self.product_start.last().map_or(0, |&count| count as usize)
    }

    /// How many 4×4 products a factorisation of the kept columns alone takes.
    pub fn kept_product_count(&self) -> usize {
        let mut count = 0;
        for j in self.eliminated_count..self.tile_at.len() {
            let begin = (self.source_start[j] + self.eliminated_sources[j]) as usize;
            let sources = &self.sources[begin..self.source_start[j + 1] as usize];
            count += sources.iter().map(|s| s.count as usize).sum::<usize>();
        }
        count
    }
}

/// Sorts `items`, equal keys in their present order.
fn sort_by_key(
    items: &mut Vec<u32>,
    sorted: &mut Vec<u32>,
    start: &mut Vec<u32>,
    key: impl Fn(u32) -> usize,
) {
    start.clear();
    for &item in items.iter() {
        let k = key(item);
        if start.len() < k + 2 {
            start.resize(k + 2, 0);
        }
        start[k + 1] += 1;
    }
    for k in 1..start.len() {
        start[k] += start[k - 1];
    }
    sorted.clear();
    sorted.resize(items.len(), 0);
    for &item in items.iter() {
        let next = &mut start[key(item)];
        sorted[*next as usize] = item;
        *next += 1;
    }
    core::mem::swap(items, sorted);
}
