//! Groups by the elimination tree.
//!
//! The parent of a column is the first row below its diagonal; a column needs those of the subtree below it and no
//! others. Where subtrees are cut off, each is a group of its own, and what they hang from is the top. No tile is
//! added to the factor, unlike with separators chosen before the order; but a chain eliminated from its ends has a tree
//! without branches, and must be cut before.
//!
//! The tree is cut so that the longest way through it is short for [`THREADS`], from the root down, the subtree with
//! the most work first:
//!
//! ```text
//!   way = work of the top + work of the thread that has most, of THREADS that share the subtrees.
//! ```
//!
//! To share, the largest subtree comes first, and each goes to whoever has least. Work is counted in products of tiles.
//! The result depends on the tree alone.

use super::ordering::Columns;
use super::symbolic::TOP;
use std::collections::BinaryHeap;

/// The way is that of so many threads: more would have it shorter with a larger top, but few machines have them to spare
/// for one world.
const THREADS: usize = 2;
/// What is meant for one thread is shared by so many groups.
const GROUPS_EACH: usize = 2;
/// Less work than this, in products of tiles, is not worth cutting: some fifty microseconds.
const LEAST_WORK: u64 = 4000;
/// Kept columns are factorized again and again, about so often for each elimination.
const KEPT_TURNS: u64 = 2;
/// The way must be shorter than this share of all work.
const WORTHWHILE: f64 = 0.8;

const NONE: u32 = u32::MAX;

/// Cuts trees; keeps its memory from one use to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct TreeCut {
    parent: Vec<u32>,
    child: Vec<u32>,
    sibling: Vec<u32>,
    work: Vec<u64>,
    subtree: Vec<u64>,
    /// Subtrees cut off: work below and at the root, and the root.
    heap: BinaryHeap<(u64, u32)>,
    /// The same, the largest first.
    sorted: Vec<(u64, u32)>,
    /// By place: its group.
    group: Vec<u32>,
}

impl TreeCut {
    /// The parent of each column, by place in the order, or the greatest number for a root. `place_of` gives the place
    /// of a vertex.
    pub(super) fn parents(&mut self, columns: &Columns, place_of: &[u32]) -> &[u32] {
        self.parent.clear();
        self.parent.extend((0..columns.order.len()).map(|place| {
            columns.neighbors(place).iter().map(|&i| place_of[i as usize]).min().unwrap_or(NONE)
        }));
        &self.parent
    }

    /// The group of each column, by place in the order, or [`TOP`]; empty if all are one group. Those before `first_kept`
    /// are eliminated, and never in the top. [`Self::parents`] comes before.
    pub(super) fn groups(&mut self, columns: &Columns, first_kept: usize) -> &[u32] {
        self.group.clear();
        let count = self.parent.len();
        self.count_work(columns, first_kept);
        self.gather_roots();
        let all: u64 = self.heap.iter().map(|(work, _)| work).sum();
        if all < LEAST_WORK {
            return &self.group;
        }
        let (top_count, way) = self.shortest_way(first_kept);
        if way as f64 > WORTHWHILE * all as f64 {
            return &self.group;
        }
        self.group.resize(count, TOP);
        self.gather_roots();
        for _ in 0..top_count {
            if let Some((_, root)) = self.heap.pop() {
                self.add_children(root);
            }
        }
        self.share_subtrees();
        // What has no group yet is below a column that has one, or in the top, as its parent is.
        for place in (0..count).rev() {
            let parent = self.parent[place];
            if parent != NONE && self.group[place] == TOP {
                self.group[place] = self.group[parent as usize];
            }
        }
        &self.group
    }

    /// Work of each column and of the subtree below it; children of each.
    fn count_work(&mut self, columns: &Columns, first_kept: usize) {
        let count = self.parent.len();
        self.work.clear();
        self.work.extend((0..count).map(|place| {
            let below = (columns.start[place + 1] - columns.start[place]) as u64;
            (below + 1) * (below + 2) / 2 * if place < first_kept { 1 } else { KEPT_TURNS }
        }));
        self.subtree.clone_from(&self.work);
        for list in [&mut self.child, &mut self.sibling] {
            list.clear();
            list.resize(count, NONE);
        }
        for place in 0..count {
            let parent = self.parent[place] as usize;
            if parent != NONE as usize {
                self.subtree[parent] += self.subtree[place];
                self.sibling[place] = self.child[parent];
                self.child[parent] = place as u32;
            }
        }
    }

    fn gather_roots(&mut self) {
        self.heap.clear();
        let roots = (0..self.parent.len()).filter(|&p| self.parent[p] == NONE);
        self.heap.extend(roots.map(|p| (self.subtree[p], p as u32)));
    }

    fn add_children(&mut self, root: u32) {
        let mut child = self.child[root as usize];
        while child != NONE {
            self.heap.push((self.subtree[child as usize], child));
            child = self.sibling[child as usize];
        }
    }

    /// Gives the subtrees in the heap to groups. Those of one thread come one after the other; the thread with fewer
    /// groups first, since that is where a list of groups is halved.
    fn share_subtrees(&mut self) {
        self.sorted.clear();
        self.sorted.extend(self.heap.drain());
        self.sorted.sort_unstable_by(|a, b| b.cmp(a));
        let mut load = [[0_u64; GROUPS_EACH]; THREADS];
        for &(work, root) in &self.sorted {
            let thread = least(load.map(|groups| groups.iter().sum()));
            let group = least(load[thread]);
            load[thread][group] += work;
            self.group[root as usize] = (thread * GROUPS_EACH + group) as u32;
        }
        let used = load.map(|groups| groups.iter().filter(|work| **work > 0).count());
        let mut threads: [usize; THREADS] = core::array::from_fn(|thread| thread);
        threads.sort_by_key(|&thread| used[thread]);
        let mut number = [0; THREADS * GROUPS_EACH];
        let mut next = 0;
        for thread in threads {
            for group in 0..used[thread] {
                number[thread * GROUPS_EACH + group] = next;
                next += 1;
            }
        }
        for &(_, root) in &self.sorted {
            let group = &mut self.group[root as usize];
            *group = number[*group as usize];
        }
    }

    /// The work of the thread that has most, if the subtrees in the heap are shared.
    fn most_work(&mut self) -> u64 {
        self.sorted.clear();
        self.sorted.extend(self.heap.iter());
        self.sorted.sort_unstable_by(|a, b| b.cmp(a));
        let mut load = [0_u64; THREADS];
        for &(work, _) in &self.sorted {
            load[least(load)] += work;
        }
        load.into_iter().max().unwrap_or(0)
    }

    /// How many columns to put into the top, and how long the way is then.
    fn shortest_way(&mut self, first_kept: usize) -> (usize, u64) {
        let (mut best, mut top) = ((0, u64::MAX), 0_u64);
        let mut count = 0;
        loop {
            let way = top + self.most_work();
            if way < best.1 {
                best = (count, way);
            }
            let Some((_, root)) = self.heap.pop() else { break };
            top += self.work[root as usize];
            if top > best.1 || (root as usize) < first_kept {
                break;
            }
            count += 1;
            self.add_children(root);
        }
        best
    }
}

/// The place of the least number, the first of several.
fn least<const N: usize>(load: [u64; N]) -> usize {
    (0..N).min_by_key(|&i| load[i]).unwrap_or(0)
}
