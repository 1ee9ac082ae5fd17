//! Symbolic factorization: the pattern of the factor and its list of products.
//!
//! Columns are numbered by *position*: eliminated tiles first, then kept ones. Column j holds its
//! diagonal tile and the rows below, increasing. The left-looking factorization of column j reads
//!
//! ```text
//!   L_ij ← A_ij − Σ_{k<j, L_jk ≠ 0} L_ik L_jkᵀ        for all i ≥ j,
//! ```
//!
//! so for each j we keep the list of such k (its *sources*) with the place of L_jk in column k, and
//! for each source the places in column j into which the products go.
//!
//! Tiles form *groups* that are coupled only through the *separator*, whose tiles come last. Eliminated tiles are
//! sorted by group, then kept tiles by group, then the separator follows: groups can be factorized in parallel, and
//! the data of each fit into a cache. Within a group positions follow the levels of the elimination tree (leaves
//! first) rather than its branches: consecutive columns are then independent, and the processor overlaps them.

mod order;
mod products;
mod schur;

use super::elimination_tree::TreeCut;
use super::matrix::Entry;
use super::ordering::Ordering;
use super::separator::Both;
use core::ops::Range;
use products::Targets;

/// A source column of a left-looking step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Source {
    /// The slot of L_jk.
    pub(super) slot: u32,
    /// Number of tiles of column k in row j and below.
    pub(super) count: u32,
    /// Where the places for the products start in [`Analysis::targets`].
    pub(super) target_start: u32,
    /// Number of consecutive sources, from this one on, with the same rows.
    pub(super) alike: u32,
}

/// Marks tiles of the separator, in place of a group.
pub const SEPARATOR: u32 = u32::MAX;

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
    /// By column: number of sources that are eliminated columns.
    pub(super) eliminated_sources: Vec<u32>,
    /// By column: number of sources that are columns of groups, eliminated or kept.
    pub(super) group_sources: Vec<u32>,
    /// Places relative to the start of the target column.
    pub(super) targets: Vec<u32>,
    /// How many products come before each column.
    product_start: Vec<u32>,
    /// Slots of kept columns where the Schur complement may be nonzero, by column; slots with a column in a group and
    /// a row in the separator are in `schur_border`.
    pub(super) schur_slots: Vec<SchurSlot>,
    pub(super) schur_border: Vec<SchurSlot>,
    pub(super) groups: Vec<Group>,
    /// By column: the end of its slots whose rows are outside the separator; for a separator column, the end of its
    /// slots.
    pub(super) own_end: Vec<u32>,
    /// Columns of groups with rows in the separator.
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
    /// Analyzes a graph of tiles.
    ///
    /// * `adjacency[adjacency_start[i]..adjacency_start[i + 1]]` are the neighbors of tile i: symmetric, without loops or
    ///   repetitions.
    /// * `keep[i]`: tile i is kept, the others are eliminated.
    /// * `group[i]`: the group of tile i, [`SEPARATOR`] for kept tiles that separate groups. Tiles of two groups must
    ///   not be neighbors, nor be coupled through eliminated tiles. If empty, the elimination tree is cut into groups
    ///   where that pays.
    /// * `entries`: the tiles of the matrix itself, without later additions: a part of the graph, and the diagonal.
    /// * `both`: runs two closures at once; the result is the same without it.
    pub fn analyze(
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

    /// The group of a kept position; none if it is in the separator, or not kept.
    pub fn group_of_kept(&self, position: usize) -> Option<usize> {
        let group = self.groups.partition_point(|g| g.kept.end <= position);
        self.groups.get(group).filter(|g| g.kept.contains(&position)).map(|_| group)
    }

    /// Positions of the separator.
    pub fn separator(&self) -> Range<usize> {
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

    /// The first slot of the separator columns.
    pub fn first_separator_slot(&self) -> usize {
        self.column_start.get(self.separator().start).map_or(0, |&s| s as usize)
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

    /// Number of 4×4 products in the factorization of some columns.
    pub(super) fn products(&self, columns: Range<usize>) -> usize {
        (self.product_start[columns.end] - self.product_start[columns.start]) as usize
    }

    /// Number of 4×4 products in a whole factorization.
    pub fn product_count(&self) -> usize {
        self.product_start.last().map_or(0, |&count| count as usize)
    }

    /// Number of 4×4 products in a factorization of the kept columns alone.
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
