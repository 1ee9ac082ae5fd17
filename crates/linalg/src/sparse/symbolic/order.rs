//! The position of each tile: by minimum degree, then by class, group and level of the elimination tree.

use super::{Analysis, Group, SEPARATOR, Scratch};

impl Analysis {
    /// Order by minimum degree, then positions by group and level of the elimination tree; then the rows of each column there.
    pub(super) fn place_columns(
        &mut self,
        adjacency_start: &[u32],
        adjacency: &[u32],
        keep: &[bool],
        group: &[u32],
    ) {
        let n = keep.len();
        let s = &mut self.scratch;
        s.group.clear();
        s.group.extend_from_slice(group);
        s.group.resize(n, 0);
        s.class.clear();
        s.class.extend((0..n).map(|i| u8::from(keep[i]) * (1 + u8::from(s.group[i] == SEPARATOR))));
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
                if cut == SEPARATOR && keep[tile] {
                    s.class[tile] = 2;
                }
            }
        }
        let group_count = s.group.iter().filter(|&&g| g != SEPARATOR).max().map_or(1, |&g| g as usize + 1);
        sort_places(&mut self.tile_at, s, &columns.order, group_count);
        list_groups(&mut self.groups, s, group_count, self.eliminated_count);
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
            let neighbors = columns.neighbors(self.tile_at[position] as usize);
            self.rows.extend(neighbors.iter().map(|&i| self.position_of[i as usize]));
            self.rows[begin + 1..].sort_unstable();
        }
        self.column_start.push(self.rows.len() as u32);
        core::mem::swap(&mut self.tile_at, &mut s.by_position);
        self.find_borders();
    }

    /// Where the rows of a column leave its group, and which columns have such rows.
    fn find_borders(&mut self) {
        let n = self.tile_at.len();
        let separator = self.separator().start as u32;
        self.own_end.clear();
        self.border.clear();
        for position in 0..n {
            let (begin, end) =
                (self.column_start[position] as usize, self.column_start[position + 1] as usize);
            let own = if (position as u32) < separator {
                self.rows[begin..end].partition_point(|&row| row < separator)
            } else {
                end - begin
            };
            self.own_end.push((begin + own) as u32);
            if begin + own < end {
                self.border.push(position as u32);
            }
        }
    }
}

/// Sorts places by class, group and level: by the last key first, since the sorts are stable. Place p holds the tile `order[p]`.
fn sort_places(places: &mut Vec<u32>, s: &mut Scratch, order: &[u32], group_count: usize) {
    let tile_of = |place: u32| order[place as usize] as usize;
    let group_at = |place: u32| (s.group[tile_of(place)] as usize).min(group_count);
    places.clear();
    places.extend(0..order.len() as u32);
    sort_by_key(places, &mut s.sorted, &mut s.key_start, |p| s.level[p as usize] as usize);
    sort_by_key(places, &mut s.sorted, &mut s.key_start, group_at);
    sort_by_key(places, &mut s.sorted, &mut s.key_start, |p| s.class[tile_of(p)] as usize);
}

/// The positions of each group; those of kept tiles begin at `first_kept`.
fn list_groups(groups: &mut Vec<Group>, s: &Scratch, count: usize, first_kept: usize) {
    groups.clear();
    groups.resize(count, Group::default());
    for (&group, &class) in s.group.iter().zip(&s.class) {
        // Eliminated tiles that belong to the separator could be in any group; they go to the last.
        let group = &mut groups[(group as usize).min(count - 1)];
        match class {
            0 => group.eliminated.end += 1,
            1 => group.kept.end += 1,
            _ => {}
        }
    }
    let (mut eliminated, mut kept) = (0, first_kept);
    for group in groups {
        for (range, end) in [(&mut group.eliminated, &mut eliminated), (&mut group.kept, &mut kept)] {
            *range = *end..*end + range.end;
            *end = range.end;
        }
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
