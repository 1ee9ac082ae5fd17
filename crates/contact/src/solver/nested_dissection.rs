//! Nested dissection: groups of unknowns that are coupled only through a small *separator*.
//!
//! A long chain is cut at some of its links; filaments on a gripper are cut from the gripper. The remaining groups
//! are eliminated in parallel, each within the cache, and the separator after them. The vertices of the graph are the
//! *parts*, the connected components of the matrix itself (a rod, a robot); its edges are constraints between parts.
//!
//! - Parts of few tiles with very many neighbors (the gripper) go to the separator.
//! - A disconnected region is divided into components that make up about half of it, and the rest.
//! - A connected region is divided by a level of a breadth-first search from a part at its edge: that level goes to
//!   the separator, and the levels before and after remain as regions (A. George, SIAM J. Numer. Anal. 10, 1973).
//! - A region that is small, or has no small level that divides it, becomes a group.
//! - If one group has most of the tiles with constraints (a tangle), nothing is divided here. The elimination tree of
//!   the whole is cut instead ([`ropewalk_linalg::sparse::elimination_tree`]), which adds no fill-in.
//!
//! The result depends on the graph alone.

use ropewalk_linalg::sparse::{Entry, SEPARATOR};

/// Approximate number of tiles of a group: their factor fits into the nearer caches, and takes some ten microseconds.
const GROUP_TILES: usize = 240;
/// A part with more neighbors than this, and than a quarter of all parts, goes to the separator.
const HUB_NEIGHBOURS: usize = 6;
/// Touched tiles of such a part, at most.
const HUB_TILES: usize = 8;
/// A level of s touched tiles may divide a region of t touched tiles if s³ is at most this times t: its factor, s³/6
/// tile products, is then a small part of the work on the region.
const DIVIDING_CUBE: usize = 50;

/// Approximate number of tile products per tile of a group in a whole solve.
const TILE_WORK: usize = 5;

/// Finds groups; reuses its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dissection {
    /// By tile.
    part_of: Vec<u32>,
    parent: Vec<u32>,
    tile_count: Vec<usize>,
    touched_count: Vec<usize>,
    neighbor_start: Vec<usize>,
    neighbors: Vec<u32>,
    edges: Vec<(u32, u32)>,
    /// By part: the region it is in, then its group.
    region: Vec<u32>,
    group: Vec<u32>,
    level: Vec<u32>,
    queue: Vec<u32>,
    regions: Vec<Vec<u32>>,
    /// By group: touched tiles.
    load: Vec<usize>,
    groups: Vec<u32>,
}

const NONE: u32 = u32::MAX - 1;

impl Dissection {
    /// The group of each tile, or [`SEPARATOR`]; empty if all are one group. `entries` and `pairs` are those of the
    /// matrix and of the graph with the constraints, `touched` says which tiles constraints touch.
    pub(crate) fn groups(&mut self, entries: &[Entry], pairs: &[(u32, u32)], touched: &[bool]) -> &[u32] {
        self.groups.clear();
        if touched.len() < 2 * GROUP_TILES {
            return &self.groups;
        }
        self.find_parts(entries, touched);
        self.find_neighbors(pairs);
        let part_count = self.tile_count.len();
        self.group.clear();
        self.group.resize(part_count, NONE);
        self.region.clear();
        self.region.resize(part_count, NONE);
        self.level.clear();
        self.level.resize(part_count, NONE);
        let mut all = self.regions.pop().unwrap_or_default();
        all.clear();
        for part in 0..part_count {
            let count = self.neighbor_start[part + 1] - self.neighbor_start[part];
            if count > HUB_NEIGHBOURS && 4 * count > part_count && self.touched_count[part] <= HUB_TILES {
                self.group[part] = SEPARATOR;
            } else {
                all.push(part as u32);
            }
        }
        let mut group_count = 0;
        let mut stack = vec![all];
        while let Some(region) = stack.pop() {
            if region.is_empty() {
                self.regions.push(region);
                continue;
            }
            match self.divide(&region) {
                Some((left, right)) => stack.extend([right, left]),
                None => {
                    for &part in &region {
                        self.group[part as usize] = group_count;
                    }
                    group_count += 1;
                }
            }
            self.regions.push(region);
        }
        if group_count > 1 && !self.is_lopsided(group_count) {
            self.place_tiles(touched);
        }
        &self.groups
    }

    /// Whether one group has more than half of the touched tiles.
    fn is_lopsided(&mut self, group_count: u32) -> bool {
        self.load.clear();
        self.load.resize(group_count as usize, 0);
        for (part, &group) in self.group.iter().enumerate() {
            if group != SEPARATOR {
                self.load[group as usize] += self.touched_count[part];
            }
        }
        let all: usize = self.load.iter().sum();
        self.load.iter().any(|&load| 2 * load > all)
    }

    fn find_parts(&mut self, entries: &[Entry], touched: &[bool]) {
        let parent = &mut self.parent;
        parent.clear();
        parent.extend(0..touched.len() as u32);
        let find = |parent: &mut [u32], mut tile: u32| {
            while parent[tile as usize] != tile {
                parent[tile as usize] = parent[parent[tile as usize] as usize];
                tile = parent[tile as usize];
            }
            tile
        };
        for e in entries {
            let (a, b) = (find(parent, e.row), find(parent, e.column));
            parent[a.max(b) as usize] = a.min(b);
        }
        self.part_of.clear();
        self.tile_count.clear();
        self.touched_count.clear();
        for tile in 0..touched.len() {
            let root = find(parent, tile as u32) as usize;
            let part = if root == tile { self.tile_count.len() as u32 } else { self.part_of[root] };
            if root == tile {
                self.tile_count.push(0);
                self.touched_count.push(0);
            }
            self.part_of.push(part);
            self.tile_count[part as usize] += 1;
            self.touched_count[part as usize] += usize::from(touched[tile]);
        }
    }

    fn find_neighbors(&mut self, pairs: &[(u32, u32)]) {
        self.edges.clear();
        let part_of = &self.part_of;
        let parts = pairs.iter().map(|&(a, b)| (part_of[a as usize], part_of[b as usize]));
        self.edges.extend(parts.filter(|(a, b)| a != b));
        self.edges.sort_unstable();
        self.edges.dedup();
        self.neighbors.clear();
        self.neighbors.extend(self.edges.iter().map(|&(_, b)| b));
        self.neighbor_start.clear();
        let part_count = self.tile_count.len() as u32;
        let starts = (0..=part_count).map(|part| self.edges.partition_point(|&(a, _)| a < part));
        self.neighbor_start.extend(starts);
    }

    fn weight(&self, parts: &[u32]) -> usize {
        parts.iter().map(|&p| self.tile_count[p as usize]).sum()
    }

    /// Two regions of `region` without coupling; the rest of it goes to the separator.
    fn divide(&mut self, region: &[u32]) -> Option<(Vec<u32>, Vec<u32>)> {
        let weight = self.weight(region);
        if 2 * weight <= 3 * GROUP_TILES || region.len() < 2 {
            return None;
        }
        let (mut left, mut right) = (self.empty(), self.empty());
        for &part in region {
            self.region[part as usize] = region[0];
        }
        self.queue.clear();
        self.search(region[0], region[0]);
        if self.queue.len() < region.len() {
            // Whole components, up to half of all.
            left.extend_from_slice(&self.queue);
            for &part in region {
                if self.level[part as usize] == NONE {
                    let begin = self.queue.len();
                    self.search(part, region[0]);
                    let component = &self.queue[begin..];
                    let more = self.weight(&left) + self.weight(component);
                    if 2 * more <= weight { &mut left } else { &mut right }.extend_from_slice(component);
                }
            }
            self.forget(region);
            return Some((left, right));
        }
        // From a part at the far end.
        let far = self.queue[self.queue.len() - 1];
        for &part in region {
            self.level[part as usize] = NONE;
        }
        self.queue.clear();
        self.search(far, region[0]);
        let cut = self.dividing_level(weight);
        if let Some(cut) = cut {
            for &part in &self.queue {
                match self.level[part as usize].cmp(&cut) {
                    core::cmp::Ordering::Less => left.push(part),
                    core::cmp::Ordering::Equal => self.group[part as usize] = SEPARATOR,
                    core::cmp::Ordering::Greater => right.push(part),
                }
            }
        }
        self.forget(region);
        if cut.is_none() {
            self.regions.extend([left, right]);
            return None;
        }
        // In the order of the rods, so that a thread finds the rods of its groups in its own cache.
        if left.iter().min() > right.iter().min() {
            core::mem::swap(&mut left, &mut right);
        }
        Some((left, right))
    }

    /// The level near the middle with the shortest critical path: through the greater of the two regions, and then
    /// through its own touched tiles.
    fn dividing_level(&self, weight: usize) -> Option<u32> {
        let touched: usize = self.queue.iter().map(|&p| self.touched_count[p as usize]).sum();
        let mut best: Option<(usize, u32)> = None;
        let (mut before, mut at) = (0, 0);
        while at < self.queue.len() {
            let level = self.level[self.queue[at] as usize];
            let end = at + self.queue[at..].partition_point(|&p| self.level[p as usize] == level);
            let parts = &self.queue[at..end];
            let here: usize = parts.iter().map(|&p| self.touched_count[p as usize]).sum();
            let after = weight - before - self.weight(parts);
            let balanced = 3 * before.min(after) >= weight && before > 0 && after > 0;
            let divides = here * here * here <= DIVIDING_CUBE * touched;
            let wait = TILE_WORK * before.max(after) + here * here * here / 3;
            if balanced && divides && best.is_none_or(|(least, _)| wait < least) {
                best = Some((wait, level));
            }
            before = weight - after;
            at = end;
        }
        best.map(|(_, level)| level)
    }

    fn empty(&mut self) -> Vec<u32> {
        let mut list = self.regions.pop().unwrap_or_default();
        list.clear();
        list
    }

    /// Breadth-first search within a region, which appends parts to the queue and sets their levels.
    fn search(&mut self, from: u32, region: u32) {
        let mut at = self.queue.len();
        self.level[from as usize] = 0;
        self.queue.push(from);
        while at < self.queue.len() {
            let part = self.queue[at] as usize;
            at += 1;
            for k in self.neighbor_start[part]..self.neighbor_start[part + 1] {
                let next = self.neighbors[k] as usize;
                if self.region[next] == region && self.level[next] == NONE {
                    self.level[next] = self.level[part] + 1;
                    self.queue.push(next as u32);
                }
            }
        }
    }

    /// Resets levels and marks of a region.
    fn forget(&mut self, region: &[u32]) {
        for &part in region {
            self.level[part as usize] = NONE;
            self.region[part as usize] = NONE;
        }
    }

    /// Touched tiles belong to the group of their part. Other tiles of a separator part are eliminated first, in the
    /// group of a neighbor.
    fn place_tiles(&mut self, touched: &[bool]) {
        for (tile, &part) in self.part_of.iter().enumerate() {
            let group = self.group[part as usize];
            let place = if group == SEPARATOR && !touched[tile] {
                let around = self.neighbor_start[part as usize]..self.neighbor_start[part as usize + 1];
                let groups = self.neighbors[around].iter().map(|&p| self.group[p as usize]);
                groups.filter(|&g| g != SEPARATOR).min().unwrap_or(0)
            } else {
                group
            };
            self.groups.push(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts of `size` tiles each, joined by `edges`; every third tile is touched, but of the first part only two are.
    fn dissect(part_count: usize, size: usize, edges: &[(usize, usize)]) -> (Vec<u32>, Vec<bool>) {
        let n = part_count * size;
        let touched: Vec<bool> = (0..n).map(|i| i % 3 == 0 && (i < 6 || i >= size)).collect();
        let mut entries: Vec<Entry> = Vec::new();
        let mut pairs = Vec::new();
        for i in 0..n {
            entries.push(Entry { slot: 0, row: i as u32, column: i as u32 });
            if (i + 1) % size != 0 {
                entries.push(Entry { slot: 0, row: i as u32 + 1, column: i as u32 });
                pairs.extend([(i as u32, i as u32 + 1), (i as u32 + 1, i as u32)]);
            }
        }
        for &(a, b) in edges {
            let (a, b) = ((a * size) as u32, (b * size) as u32);
            pairs.extend([(a, b), (b, a)]);
        }
        let groups = Dissection::default().groups(&entries, &pairs, &touched).to_vec();
        for &(a, b) in &pairs {
            if let (Some(&ga), Some(&gb)) = (groups.get(a as usize), groups.get(b as usize)) {
                let kept_separator = |g: u32, tile: u32| g == SEPARATOR && touched[tile as usize];
                let within_separator = a as usize / size == b as usize / size
                    && (0..size).any(|k| groups[a as usize / size * size + k] == SEPARATOR);
                assert!(
                    ga == gb || kept_separator(ga, a) || kept_separator(gb, b) || within_separator,
                    "{a} {b}: {ga} {gb}"
                );
            }
        }
        (groups, touched)
    }

    fn count(groups: &[u32]) -> usize {
        groups.iter().filter(|&&g| g != SEPARATOR).max().map_or(0, |&g| g as usize + 1)
    }

    #[test]
    fn a_chain_is_cut_into_groups_of_like_size() {
        let edges: Vec<(usize, usize)> = (0..99).map(|i| (i, i + 1)).collect();
        let (groups, _) = dissect(100, 21, &edges);
        let group_count = count(&groups);
        assert!((6..=12).contains(&group_count), "{group_count}");
        for g in 0..group_count as u32 {
            let size = groups.iter().filter(|&&h| h == g).count();
            assert!((100..=400).contains(&size), "{size}");
        }
        let separator = groups.iter().filter(|&&g| g == SEPARATOR).count();
        assert_eq!(separator, 7 * (group_count - 1));
    }

    #[test]
    fn filaments_are_cut_from_the_hand() {
        let mut edges: Vec<(usize, usize)> = (1..13).map(|i| (0, i)).collect();
        edges.push((3, 4));
        let (groups, touched) = dissect(13, 63, &edges);
        assert!(count(&groups) >= 3, "{}", count(&groups));
        assert!((0..63).all(|i| (groups[i] == SEPARATOR) == touched[i]));
        assert_eq!(groups[3 * 63], groups[4 * 63]);
    }

    #[test]
    fn what_is_small_or_holds_together_is_one_group() {
        assert!(dissect(10, 21, &[(0, 1), (1, 2)]).0.is_empty());
        // A complete graph, too small for parts with very many neighbors.
        let edges: Vec<(usize, usize)> = (0..6).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
        assert!(dissect(6, 99, &edges).0.is_empty());
        assert!(dissect(1, 900, &[]).0.is_empty());
    }
}
