//! Where rods and trees lie in the vectors and the matrix of the contact problem.
//!
//! Nodes of all rods come first, one tile of four each (position and the angle of the edge that leaves the node), then
//! the joints of all trees, four to a tile.

use crate::model::Model;
use core::ops::Range;
use ropewalk_contact::Blocks;
use ropewalk_linalg::block_pentadiagonal::BlockPenta;
use ropewalk_linalg::sparse::Tile;
use ropewalk_rod::Rod;

/// Places of all unknowns; constant during a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct DofMap {
    /// How many tiles there are.
    pub(crate) tile_count: usize,
    /// First tile of each rod, and the end of the last.
    pub(crate) rod_tile: Vec<usize>,
    /// First tile of each tree, and the end of the last.
    pub(crate) tree_tile: Vec<usize>,
    /// By tile: the rod it belongs to, if to one.
    rod_of: Vec<u32>,
    /// By rod and node.
    slots: Vec<NodeSlots>,
}

/// Places of A(i, i), A(i+1, i), A(i+2, i) of a node among the tiles of its rod, and whether the last two are stored
/// transposed.
pub(crate) type NodeSlots = [Slot; 3];

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Slot {
    at: u32,
    /// 0: there is no such block; 1: as it is; 2: transposed.
    mode: u8,
    /// Whether an earlier block of the rod goes there, too: short closed rods couple a pair of nodes in several ways.
    again: bool,
}

/// With so many nodes no two blocks of a closed rod go to one slot.
const FEWEST_APART: usize = 5;

impl DofMap {
    /// The places of all unknowns of `model`.
    pub(crate) fn new(model: &Model) -> Self {
        let mut dof_map = Self::default();
        for (r, rod) in model.rods.iter().enumerate() {
            let n = rod.node_count();
            dof_map.rod_tile.push(dof_map.tile_count);
            dof_map.rod_of.resize(dof_map.tile_count + n, r as u32);
            dof_map.tile_count += n;
            dof_map.add_slots(rod);
        }
        dof_map.rod_tile.push(dof_map.tile_count);
        for tree in &model.trees {
            dof_map.tree_tile.push(dof_map.tile_count);
            dof_map.tile_count += tree.tree.velocity_count().div_ceil(4);
        }
        dof_map.tree_tile.push(dof_map.tile_count);
        dof_map
    }

    /// The places of the blocks of a rod in its tiles of a matrix.
    fn add_slots(&mut self, rod: &Rod) {
        let n = rod.node_count();
        let blocks = Blocks::uniform(n, 4);
        let ahead = |i: usize| {
            let count = if rod.closed() { 2 } else { (n - 1 - i).min(2) };
            [1, 2].map(|ahead| (i, (i + ahead) % n)).into_iter().take(count)
        };
        let matrix = blocks.matrix((0..n).flat_map(ahead));
        let first = self.slots.len();
        for i in 0..n {
            let mut slots = [0, 1, 2].map(|ahead| {
                if !rod.closed() && i + ahead >= n {
                    return Slot::default();
                }
                let (column, row) = (i, (i + ahead) % n);
                let mode = if row >= column { 1 } else { 2 };
                let at = matrix.pattern().slot(row.max(column), row.min(column)).unwrap_or(0);
                Slot { at: at as u32, mode, again: false }
            });
            if n < FEWEST_APART {
                let earlier =
                    |at: u32| self.slots[first..].iter().flatten().any(|s| s.mode > 0 && s.at == at);
                slots[1].again = earlier(slots[1].at);
                slots[2].again = earlier(slots[2].at) || slots[2].at == slots[1].at;
            }
            self.slots.push(slots);
        }
    }

    /// Which part a tile belongs to: rods first, then trees.
    pub(crate) fn part_of(&self, tile: usize) -> usize {
        match self.rod_of.get(tile) {
            Some(&rod) => rod as usize,
            None => self.rod_tile.len() + self.tree_tile.partition_point(|&first| first <= tile) - 2,
        }
    }

    /// Which rod a tile belongs to, or `Err` with the tree.
    pub(crate) fn owner(&self, tile: usize) -> Result<usize, usize> {
        let rods = self.rod_tile.len() - 1;
        let part = self.part_of(tile);
        if part < rods { Ok(part) } else { Err(part - rods) }
    }

    /// Which rod a tile belongs to, if to one.
    pub(crate) fn rod_of(&self, tile: usize) -> Option<usize> {
        self.rod_of.get(tile).map(|&rod| rod as usize)
    }

    /// The tiles of a part.
    pub(crate) fn tiles(&self, part: usize) -> Range<usize> {
        let rod_count = self.rod_tile.len() - 1;
        match part.checked_sub(rod_count) {
            None => self.rod_tile[part]..self.rod_tile[part + 1],
            Some(tree) => self.tree_tile[tree]..self.tree_tile[tree + 1],
        }
    }

    /// Where the nodes of a part, if it is a rod, have their blocks in its tiles of a matrix.
    pub(crate) fn node_slots(&self, part: usize) -> &[NodeSlots] {
        if part + 1 < self.rod_tile.len() { &self.slots[self.tiles(part)] } else { &[] }
    }

    /// Adds the unknowns of a part to those of an island, and to `pairs` the pairs of its blocks that its tangent couples.
    pub(crate) fn add_part(
        &self,
        model: &Model,
        part: usize,
        blocks: &mut Blocks,
        pairs: &mut Vec<(usize, usize)>,
    ) {
        match model.rods.get(part) {
            Some(rod) => {
                let (first, n) = (blocks.block_count(), rod.node_count());
                for i in 0..n {
                    blocks.add(4);
                    for ahead in [1, 2] {
                        if rod.closed() || i + ahead < n {
                            pairs.push((first + i, first + (i + ahead) % n));
                        }
                    }
                }
            }
            None => {
                blocks.add(model.trees[part - model.rods.len()].tree.velocity_count());
            }
        }
    }
}

/// Copies the tangent of a rod into `tiles`, those of its part of a matrix.
pub(in crate::step) fn copy_rod(tangent: &BlockPenta, slots: &[NodeSlots], tiles: &mut [Tile]) {
    for (i, [diagonal, next, second]) in slots.iter().enumerate() {
        let block = &tangent.diagonal[i];
        let tile = &mut tiles[diagonal.at as usize].0;
        for c in 0..4 {
            for r in c..4 {
                tile[c][r] = block[c][r];
                tile[r][c] = block[c][r];
            }
        }
        for (slot, block) in [(next, &tangent.next[i]), (second, &tangent.second[i])] {
            if slot.mode > 0 {
                let block = Tile(*block);
                let block = if slot.mode == 1 { block } else { block.transposed() };
                let tile = &mut tiles[slot.at as usize];
                if slot.again {
                    tile.add(&block);
                } else {
                    *tile = block;
                }
            }
        }
    }
}

/// Copies the tangent of a tree with `n` degrees of freedom, by rows, into `tiles`: column by column those on and below
/// the diagonal.
pub(in crate::step) fn copy_tree(tangent: &[f64], n: usize, tiles: &mut [Tile]) {
    let count = n.div_ceil(4);
    let places = (0..count).flat_map(|column| (column..count).map(move |row| (row, column)));
    for ((row, column), tile) in places.zip(tiles) {
        for c in 0..4 {
            for r in 0..4 {
                let (i, j) = (4 * row + r, 4 * column + c);
                if i < n && j < n {
                    tile.0[c][r] = tangent[i * n + j];
                }
            }
        }
    }
}
