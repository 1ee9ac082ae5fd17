//! Where rods and trees lie in the vectors and the matrix of the contact problem.
//!
//! Nodes of all rods come first, one tile of four each (position and the angle of the edge that leaves the node), then
//! the joints of all trees, four to a tile.

use crate::model::Model;
use core::ops::Range;
use ropewalk_body::motion::TreeMotion;
use ropewalk_contact::Blocks;
use ropewalk_linalg::sparse::{Tile, TileMatrix, TilePattern};
use ropewalk_rod::momentum_balance::RodMotion;

/// Places of all unknowns; constant during a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct DofMap {
    pub(crate) blocks: Blocks,
    /// First tile of each rod, and the end of the last.
    pub(crate) rod_tile: Vec<usize>,
    /// First tile of each tree, and the end of the last.
    pub(crate) tree_tile: Vec<usize>,
    /// By tile: the rod it belongs to, if to one.
    rod_of: Vec<u32>,
    /// By rod and node: slots of A(i, i), A(i+1, i), A(i+2, i), and whether the last two are stored transposed.
    slots: Vec<[Slot; 3]>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    at: u32,
    /// 0: there is no such block; 1: as it is; 2: transposed.
    mode: u8,
    /// Whether an earlier block of the rod goes there, too: short closed rods couple a pair of nodes in several ways.
    again: bool,
}

/// With so many nodes no two blocks of a closed rod go to one slot.
const FEWEST_APART: usize = 5;

impl DofMap {
    /// The dof_map of `model` and the zero matrix with its pattern.
    pub(crate) fn new(model: &Model) -> (Self, TileMatrix) {
        let mut dof_map = Self::default();
        let mut pairs = Vec::new();
        for (r, rod) in model.rods.iter().enumerate() {
            let (first, n) = (dof_map.blocks.tile_count(), rod.node_count());
            dof_map.rod_tile.push(first);
            dof_map.rod_of.resize(first + n, r as u32);
            for i in 0..n {
                dof_map.blocks.add(4);
                for ahead in [1, 2] {
                    if rod.closed() || i + ahead < n {
                        pairs.push((first + i, first + (i + ahead) % n));
                    }
                }
            }
        }
        dof_map.rod_tile.push(dof_map.blocks.tile_count());
        for tree in &model.trees {
            dof_map.tree_tile.push(dof_map.blocks.tile_count());
            if tree.tree.velocity_count() > 0 {
                dof_map.blocks.add(tree.tree.velocity_count());
            }
        }
        dof_map.tree_tile.push(dof_map.blocks.tile_count());
        let matrix = dof_map.blocks.matrix(pairs);
        for (r, rod) in model.rods.iter().enumerate() {
            let (first, n) = (dof_map.rod_tile[r], rod.node_count());
            for i in 0..n {
                let before = dof_map.slots.len() - i;
                let mut slots = [0, 1, 2].map(|ahead| {
                    if !rod.closed() && i + ahead >= n {
                        return Slot::default();
                    }
                    let (column, row) = (first + i, first + (i + ahead) % n);
                    let mode = if row >= column { 1 } else { 2 };
                    let at = matrix.pattern().slot(row.max(column), row.min(column)).unwrap_or(0);
                    Slot { at: at as u32, mode, again: false }
                });
                if n < FEWEST_APART {
                    let earlier =
                        |at: u32| dof_map.slots[before..].iter().flatten().any(|s| s.mode > 0 && s.at == at);
                    slots[1].again = earlier(slots[1].at);
                    slots[2].again = earlier(slots[2].at) || slots[2].at == slots[1].at;
                }
                dof_map.slots.push(slots);
            }
        }
        (dof_map, matrix)
    }

    /// Which rod a tile belongs to, or `Err` with the tree.
    pub(crate) fn owner(&self, tile: usize) -> Result<usize, usize> {
        match self.rod_of.get(tile) {
            Some(&rod) => Ok(rod as usize),
            None => Err(self.tree_tile.partition_point(|&first| first <= tile) - 1),
        }
    }

    /// Which tree a tile belongs to; none if it is a node of a rod.
    pub(crate) fn tree_of(&self, tile: usize) -> Option<usize> {
        self.owner(tile).err()
    }

    /// The slots of rod `r` in the matrix.
    pub(crate) fn rod_slots(&self, r: usize, pattern: &TilePattern) -> Range<usize> {
        pattern.slots(self.rod_tile[r]).start..pattern.slots(self.rod_tile[r + 1] - 1).end
    }

    /// Copies the tangent of rod `r` into `tiles`, those of its slots in the matrix.
    pub(crate) fn set_rod(&self, r: usize, motion: &RodMotion, tiles: &mut [Tile]) {
        let tangent = &motion.tangent;
        let nodes = self.rod_tile[r]..self.rod_tile[r + 1];
        let slots = &self.slots[nodes];
        // The first slot is that of the first diagonal tile.
        let origin = slots[0][0].at;
        for (i, [diagonal, next, second]) in slots.iter().enumerate() {
            let block = &tangent.diagonal[i];
            let tile = &mut tiles[(diagonal.at - origin) as usize].0;
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
                    let tile = &mut tiles[(slot.at - origin) as usize];
                    if slot.again {
                        tile.add(&block);
                    } else {
                        *tile = block;
                    }
                }
            }
        }
    }

    /// Copies the tangent of tree `t` into the matrix.
    pub(crate) fn set_tree(&self, t: usize, motion: &TreeMotion, matrix: &mut TileMatrix) {
        let n = motion.v.len();
        let first = self.tree_tile[t];
        for column in 0..n.div_ceil(4) {
            for row in column..n.div_ceil(4) {
                let Some(slot) = matrix.pattern().slot(first + row, first + column) else { continue };
                let tile = &mut matrix.tiles_mut()[slot].0;
                for c in 0..4 {
                    for r in 0..4 {
                        let (i, j) = (4 * row + r, 4 * column + c);
                        if i < n && j < n {
                            tile[c][r] = motion.tangent[i * n + j];
                        }
                    }
                }
            }
        }
    }
}
