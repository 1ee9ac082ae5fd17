//! A symmetric matrix of tiles: sparsity pattern and values.
//!
//! Only tiles on and below the diagonal are kept, column by column, the diagonal tile first and the
//! rest by increasing row. A *slot* is the place of a tile in that list.

use super::tile::{TILE, Tile};
use std::sync::Arc;

/// The sparsity pattern of a symmetric matrix of tiles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TilePattern {
    column_start: Vec<u32>,
    rows: Vec<u32>,
}

impl TilePattern {
    /// The pattern with all diagonal tiles and the tiles of `pairs`, in any order, with repetitions
    /// allowed. Pairs must be below `tile_count`.
    pub fn new(tile_count: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut below: Vec<(u32, u32)> = pairs
            .into_iter()
            .filter(|(a, b)| a != b)
            .map(|(a, b)| (a.min(b) as u32, a.max(b) as u32))
            .collect();
        debug_assert!(below.iter().all(|&(_, row)| (row as usize) < tile_count));
        below.sort_unstable();
        below.dedup();
        let mut column_start = Vec::with_capacity(tile_count + 1);
        let mut rows = Vec::with_capacity(tile_count + below.len());
        let mut rest = below.iter().peekable();
        for column in 0..tile_count as u32 {
            column_start.push(rows.len() as u32);
            rows.push(column);
            while let Some(&&(_, row)) = rest.peek().filter(|(c, _)| *c == column) {
                rows.push(row);
                rest.next();
            }
        }
        column_start.push(rows.len() as u32);
        Self { column_start, rows }
    }

    /// How many tiles the diagonal has.
    pub fn tile_count(&self) -> usize {
        self.column_start.len().saturating_sub(1)
    }

    /// How many tiles are stored.
    pub fn slot_count(&self) -> usize {
        self.rows.len()
    }

    /// The slots of `column`.
    pub fn slots(&self, column: usize) -> core::ops::Range<usize> {
        self.column_start[column] as usize..self.column_start[column + 1] as usize
    }

    /// The rows of the tiles of `column`: the diagonal first, then increasing.
    pub fn rows(&self, column: usize) -> &[u32] {
        &self.rows[self.slots(column)]
    }

    /// All stored tiles, by slot.
    pub fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        (0..self.tile_count()).flat_map(move |column| {
            self.slots(column).zip(self.rows(column)).map(move |(slot, &row)| Entry {
                slot: slot as u32,
                row,
                column: column as u32,
            })
        })
    }

    /// The slot of the tile in `row` and `column` (`row` ≥ `column`), if it is there.
    pub fn slot(&self, row: usize, column: usize) -> Option<usize> {
        let place = self.rows(column).binary_search(&(row as u32)).ok()?;
        Some(self.column_start[column] as usize + place)
    }
}

/// A tile of a matrix: where it is stored and where it belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its place in the list of tiles that holds the values.
    pub slot: u32,
    /// Its row, in tiles.
    pub row: u32,
    /// Its column, in tiles; at most `row` in a [`TilePattern`].
    pub column: u32,
}

/// A symmetric matrix of tiles. The upper part is implied; diagonal tiles are stored whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TileMatrix {
    pattern: Arc<TilePattern>,
    tiles: Vec<Tile>,
}

impl TileMatrix {
    /// The zero matrix with `pattern`.
    pub fn new(pattern: TilePattern) -> Self {
        let tiles = vec![Tile::ZERO; pattern.slot_count()];
        Self { pattern: Arc::new(pattern), tiles }
    }

    /// The sparsity pattern.
    pub fn pattern(&self) -> &TilePattern {
        &self.pattern
    }

    /// The same, for use while tiles are written.
    pub fn shared_pattern(&self) -> Arc<TilePattern> {
        Arc::clone(&self.pattern)
    }

    /// The tiles by slot.
    pub fn tiles(&self) -> &[Tile] {
        &self.tiles
    }

    /// The tiles by slot, to be written.
    pub fn tiles_mut(&mut self) -> &mut [Tile] {
        &mut self.tiles
    }

    /// The pattern, and the tiles by slot to be written.
    pub fn split_mut(&mut self) -> (&TilePattern, &mut [Tile]) {
        (&self.pattern, &mut self.tiles)
    }

    /// The diagonal tile of `index`.
    pub fn diagonal(&self, index: usize) -> &Tile {
        &self.tiles[self.pattern.slots(index).start]
    }

    /// Adds `value` to the entry (`row`, `column`), counted in DoFs, and to its mirror image.
    /// Returns false where the pattern has no tile for it.
    pub fn add_entry(&mut self, row: usize, column: usize, value: f64) -> bool {
        let (row, column) = (row.max(column), row.min(column));
        let Some(slot) = self.pattern.slot(row / TILE, column / TILE) else { return false };
        let tile = &mut self.tiles[slot];
        tile.0[column % TILE][row % TILE] += value;
        if row / TILE == column / TILE && row != column {
            tile.0[row % TILE][column % TILE] += value;
        }
        true
    }

    /// y = self·x; both have four entries a tile.
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        let (x, _) = x.as_chunks::<TILE>();
        let (y, _) = y.as_chunks_mut::<TILE>();
        for column in 0..self.pattern.tile_count() {
            let slots = self.pattern.slots(column);
            for (slot, &row) in slots.clone().zip(self.pattern.rows(column)) {
                let (row, tile) = (row as usize, &self.tiles[slot]);
                y[row] = tile.mul_add::<false>(&x[column], y[row]);
                if row != column {
                    y[column] = tile.transposed().mul_add::<false>(&x[row], y[column]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_finds_its_slots() {
        let p = TilePattern::new(4, [(2, 0), (0, 2), (3, 1), (1, 1)]);
        assert_eq!(p.slot_count(), 6);
        assert_eq!(p.rows(0), &[0, 2]);
        assert_eq!(p.slot(3, 1), Some(3));
        assert_eq!(p.slot(3, 0), None);
    }

    #[test]
    fn a_product_uses_both_halves() {
        let mut m = TileMatrix::new(TilePattern::new(2, [(0, 1)]));
        assert!(m.add_entry(1, 6, 2.0) && m.add_entry(3, 3, 5.0) && m.add_entry(5, 4, 7.0));
        let x: Vec<f64> = (1..=8).map(f64::from).collect();
        let mut y = vec![f64::NAN; 8];
        m.multiply(&x, &mut y);
        assert_eq!(y, [0.0, 14.0, 0.0, 20.0, 42.0, 35.0, 4.0, 0.0]);
    }
}
