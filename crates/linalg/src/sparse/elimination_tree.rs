//! FinishedGroups by the elimination tree.
//!
//! The parent of a column is the first row below its diagonal; a column depends only on the columns of the subtree
//! below it. Subtrees that are cut off become groups; the columns above them are the separator. This adds no tile to
//! the factor, unlike separators chosen before the order; but the tree of a chain that is eliminated from its ends
//! has no branches, so a chain must be cut before ordering.
//!
//! The tree is cut from the root down, the subtree with the most work first. Of all such cuts, the one with the shortest
//! critical path is taken:
//!
//! ```text
//!   critical path = work of the separator + work of the largest of CHUNKS chunks into which the subtrees are packed.
//! ```
//!
//! To pack, the subtrees go, the largest first, down a balanced binary tree of loads, always to the child that has less.
//! Whatever number of threads shares the chunks, halving their list, gets about the same work for each. Work is counted
//! in tile products. The cut depends on the elimination tree alone, so results are bit-identical for any number of
//! threads, and on any machine with the same vector unit.

use super::ordering::Columns;
use super::symbolic::SEPARATOR;
use std::collections::BinaryHeap;

/// How many chunks the subtrees are packed into; a power of two. Fewer leave threads idle; more make the separator
/// larger, and its columns are less parallel than subtrees.
const CHUNKS: usize = 4;
/// Least work worth cutting, in tile products: about fifty microseconds.
const LEAST_WORK: u64 = 4000;
/// Number of factorizations of the kept columns per elimination, typically.
const KEPT_TURNS: u64 = 2;
/// The critical path must be shorter than this share of all work.
const WORTHWHILE: f64 = 0.8;

const NONE: u32 = u32::MAX;

/// Cuts elimination trees; reuses its memory.
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

    /// The group of each column, by place in the order, or [`SEPARATOR`]; empty if all are one group. Places before
    /// `first_kept` are eliminated, and never in the separator. To be called after [`Self::parents`].
    pub(super) fn groups(&mut self, columns: &Columns, first_kept: usize) -> &[u32] {
        self.group.clear();
        let count = self.parent.len();
        self.count_work(columns, first_kept);
        self.gather_roots();
        let all: u64 = self.heap.iter().map(|(work, _)| work).sum();
        if all < LEAST_WORK {
            return &self.group;
        }
        let (separator_count, path) = self.shortest_path(first_kept);
        if path as f64 > WORTHWHILE * all as f64 {
            return &self.group;
        }
        self.group.resize(count, SEPARATOR);
        self.gather_roots();
        for _ in 0..separator_count {
            if let Some((_, root)) = self.heap.pop() {
                self.add_children(root);
            }
        }
        self.share_subtrees();
        // A column without a group belongs where its parent does: to a group or to the separator.
        for place in (0..count).rev() {
            let parent = self.parent[place];
            if parent != NONE && self.group[place] == SEPARATOR {
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

    /// Packs the subtrees in the heap into chunks, and numbers those that are not empty.
    fn share_subtrees(&mut self) {
        let load = self.pack(|group, root, chunk| group[root as usize] = chunk as u32);
        let (mut number, mut next) = ([0; CHUNKS], 0);
        number_chunks(&load, 1, &mut number, &mut next);
        for &(_, root) in &self.sorted {
            let group = &mut self.group[root as usize];
            *group = number[*group as usize];
        }
    }

    /// The work of the largest chunk, if the subtrees in the heap are packed.
    fn largest_chunk(&mut self) -> u64 {
        let load = self.pack(|_, _, _| ());
        load[CHUNKS..].iter().copied().max().unwrap_or(0)
    }

    /// Packs the subtrees in the heap into chunks, and hands each root and its chunk to `take`.
    fn pack(&mut self, mut take: impl FnMut(&mut [u32], u32, usize)) -> Loads {
        self.sorted.clear();
        self.sorted.extend(self.heap.iter());
        self.sorted.sort_unstable_by(|a, b| b.cmp(a));
        let mut load = [0; 2 * CHUNKS];
        for &(work, root) in &self.sorted {
            let mut node = 1;
            load[node] += work;
            while node < CHUNKS {
                node = 2 * node + usize::from(load[2 * node + 1] < load[2 * node]);
                load[node] += work;
            }
            take(&mut self.group, root, node - CHUNKS);
        }
        load
    }

    /// How many columns to put into the separator for the shortest critical path, and its length.
    fn shortest_path(&mut self, first_kept: usize) -> (usize, u64) {
        let (mut best, mut separator) = ((0, u64::MAX), 0_u64);
        let mut count = 0;
        loop {
            let path = separator + self.largest_chunk();
            if path < best.1 {
                best = (count, path);
            }
            let Some((_, root)) = self.heap.pop() else { break };
            separator += self.work[root as usize];
            if separator > best.1 || (root as usize) < first_kept {
                break;
            }
            count += 1;
            self.add_children(root);
        }
        best
    }
}

/// Work below each node of a balanced binary tree: the root is node 1, the children of node n are 2n and 2n + 1, and
/// chunk c is the leaf CHUNKS + c.
type Loads = [u64; 2 * CHUNKS];

/// Numbers the chunks below `node` that are not empty. Of two children the one with fewer chunks comes first: a list of
/// groups is halved rounding down.
fn number_chunks(load: &Loads, node: usize, number: &mut [u32; CHUNKS], next: &mut u32) {
    if node >= CHUNKS {
        number[node - CHUNKS] = *next;
        *next += u32::from(load[node] > 0);
        return;
    }
    let mut children = [2 * node, 2 * node + 1];
    children.sort_by_key(|&child| chunk_count(load, child));
    for child in children {
        number_chunks(load, child, number, next);
    }
}

/// How many chunks below `node` are not empty.
fn chunk_count(load: &Loads, node: usize) -> usize {
    if node >= CHUNKS {
        usize::from(load[node] > 0)
    } else {
        chunk_count(load, 2 * node) + chunk_count(load, 2 * node + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of each chunk with these loads, and how many there are.
    fn numbers(chunks: [u64; CHUNKS]) -> ([u32; CHUNKS], u32) {
        let mut load = [0; 2 * CHUNKS];
        load[CHUNKS..].copy_from_slice(&chunks);
        for node in (1..CHUNKS).rev() {
            load[node] = load[2 * node] + load[2 * node + 1];
        }
        let (mut number, mut next) = ([u32::MAX; CHUNKS], 0);
        number_chunks(&load, 1, &mut number, &mut next);
        (number, next)
    }

    /// A list of three groups is halved into one and two: the chunk that shares its half with none comes first.
    #[test]
    fn halves_of_the_list_are_halves_of_the_tree() {
        let (number, count) = numbers([5, 0, 3, 2]);
        assert_eq!(([number[0], number[2], number[3]], count), ([0, 1, 2], 3));
        let (number, count) = numbers([3, 2, 5, 0]);
        assert_eq!(([number[2], number[0], number[1]], count), ([0, 1, 2], 3));
        assert_eq!(numbers([4, 3, 2, 1]), ([0, 1, 2, 3], 4));
    }

    /// Every chunk gets about a quarter of many like subtrees, whatever the number of threads that share the chunks.
    #[test]
    fn chunks_are_balanced() {
        let mut cut = TreeCut { group: vec![SEPARATOR; 100], ..TreeCut::default() };
        cut.heap.extend((0..100).map(|root| (1000 + u64::from(root), root)));
        let all: u64 = cut.heap.iter().map(|(work, _)| work).sum();
        assert!(4 * cut.largest_chunk() < all + all / 20);
        cut.share_subtrees();
        let counts = [0, 1, 2, 3].map(|chunk| cut.group.iter().filter(|&&g| g == chunk).count());
        assert!(counts.iter().all(|count| (24..=26).contains(count)), "{counts:?}");
    }
}
