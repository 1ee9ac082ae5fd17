//! Blocks of unknowns, laid out in tiles of four.
//!
//! A block is a set of coupled DoFs: a node of a rod with its edge (x, y, z, twist: four DoFs, one tile), or a
//! kinematic tree of n joints (⌈n/4⌉ tiles). Vectors of velocities have four entries a tile; the places at the end of
//! a block that has no use for them are *padding*: zero in vectors and Jacobians, a unit diagonal in the matrix.

use core::ops::Range;
use ropewalk_linalg::sparse::tile::TILE;
use ropewalk_linalg::sparse::{TileMatrix, TilePattern};

/// Sizes and offsets of all blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blocks {
    first_tile: Vec<u32>,
    dof_count: Vec<u32>,
    block_of: Vec<u32>,
}

impl Blocks {
    /// No blocks.
    pub fn new() -> Self {
        Self::default()
    }

    /// `count` blocks of `dof_count` DoFs each.
    pub fn uniform(count: usize, dof_count: usize) -> Self {
        let mut blocks = Self::new();
        for _ in 0..count {
            blocks.add(dof_count);
        }
        blocks
    }

    /// Adds a block of `dof_count` DoFs and returns its number.
    pub fn add(&mut self, dof_count: usize) -> usize {
        let block = self.dof_count.len();
        self.first_tile.push(self.block_of.len() as u32);
        self.dof_count.push(dof_count as u32);
        self.block_of.extend(core::iter::repeat_n(block as u32, dof_count.div_ceil(TILE)));
        block
    }

    /// Number of blocks.
    pub fn block_count(&self) -> usize {
        self.dof_count.len()
    }

    /// Number of tiles of all blocks.
    pub fn tile_count(&self) -> usize {
        self.block_of.len()
    }

    /// Length of a vector of velocities, padding included.
    pub fn vector_len(&self) -> usize {
        TILE * self.tile_count()
    }

    /// DoFs of `block`, without padding.
    pub fn dof_count(&self, block: usize) -> usize {
        self.dof_count[block] as usize
    }

    /// The tiles of `block`.
    pub fn tiles(&self, block: usize) -> Range<usize> {
        let first = self.first_tile[block] as usize;
        first..first + self.dof_count(block).div_ceil(TILE)
    }

    /// The block of `tile`.
    pub fn block_of(&self, tile: usize) -> usize {
        self.block_of[tile] as usize
    }

    /// The places of the DoFs of `block` in a vector.
    pub fn dofs(&self, block: usize) -> Range<usize> {
        let first = TILE * self.first_tile[block] as usize;
        first..first + self.dof_count(block)
    }

    /// A zero matrix with room for each block with itself and with those of `pairs`, and with a unit
    /// diagonal in the padding.
    pub fn matrix(&self, pairs: impl IntoIterator<Item = (usize, usize)>) -> TileMatrix {
        let within = (0..self.block_count()).map(|block| (block, block));
        let tiles = pairs.into_iter().chain(within).flat_map(|(a, b)| {
            self.tiles(a).flat_map(move |row| self.tiles(b).map(move |column| (row, column)))
        });
        let mut matrix = TileMatrix::new(TilePattern::new(self.tile_count(), tiles));
        for block in 0..self.block_count() {
            for padding in self.dofs(block).end..TILE * self.tiles(block).end {
                matrix.add_entry(padding, padding, 1.0);
            }
        }
        matrix
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_padded_to_tiles() {
        let mut blocks = Blocks::new();
        let node = blocks.add(4);
        let tree = blocks.add(7);
        let slider = blocks.add(1);
        assert_eq!((blocks.tiles(node), blocks.tiles(tree), blocks.tiles(slider)), (0..1, 1..3, 3..4));
        assert_eq!(blocks.dofs(tree), 4..11);
        assert_eq!(blocks.block_of(2), tree);
        let matrix = blocks.matrix([(slider, node)]);
        // Diagonal 4, within the tree 1, slider with node 1.
        assert_eq!(matrix.pattern().slot_count(), 6);
        assert_eq!(matrix.diagonal(2).get(3, 3), 1.0);
        assert_eq!(matrix.diagonal(2).get(2, 2), 0.0);
        assert_eq!(matrix.diagonal(3).get(1, 1), 1.0);
    }
}
