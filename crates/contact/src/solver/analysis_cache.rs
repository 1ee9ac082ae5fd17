//! The symbolic analysis of a problem, which depends on its pattern alone and is kept from solve to solve.
//!
//! Blocks form islands; each island has an elimination order, a pattern of its factor and slots for its constraints.
//! All of these depend on which tiles A and the constraints couple, not on values. They stay valid while every
//! constraint has its slots: while the pattern stays or shrinks (a contact opens, or closes again). When most of the
//! analysis has become unused, it is repeated.
//!
//! Round-off in a solution depends on the order, and so on the pattern that was analyzed. A snapshot of a simulation
//! therefore stores [`AnalysisCache::analyzed_pattern`], and restores it with [`AnalysisCache::set_pattern`] on
//! resuming.

use crate::problem::Problem;
use crate::solver::island::Island;
use ropewalk_linalg::sparse::{Entry, TilePattern};

/// Which tiles each constraint touched when the analysis was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConstraintPattern {
    /// First tile of each constraint in `tiles`.
    pub starts: Vec<u32>,
    /// The tiles, one constraint after another.
    pub tiles: Vec<u32>,
}

impl ConstraintPattern {
    /// Removes all; keeps the memory.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.tiles.clear();
    }

    /// Adds a constraint on different `tiles`.
    pub fn push(&mut self, tiles: impl IntoIterator<Item = u32>) {
        self.starts.push(self.tiles.len() as u32);
        self.tiles.extend(tiles);
    }

    /// Number of constraints.
    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Range of the tiles of a constraint.
    pub(crate) fn range(&self, constraint: usize) -> core::ops::Range<usize> {
        let end = self.starts.get(constraint + 1).map_or(self.tiles.len(), |&s| s as usize);
        self.starts[constraint] as usize..end
    }

    fn constraints(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len()).map(|i| &self.tiles[self.range(i)])
    }
}

/// Islands with their analyses, and the pattern for which they are valid.
#[derive(Clone, Debug, Default)]
pub struct AnalysisCache {
    pub(crate) islands: Vec<Island>,
    /// Number of islands in use; the others are spare memory.
    pub(crate) island_count: usize,
    /// By tile: its island, or NONE if it is not in any.
    island_of: Vec<u32>,
    /// The same in the analysis before.
    islands_before: Vec<u32>,
    local_of: Vec<u32>,
    parent: Vec<u32>,
    /// What `parent` is with A alone.
    matrix_parent: Vec<u32>,
    matrix_pattern: TilePattern,
    solves_free: bool,
    analyzed: ConstraintPattern,
    compiled: ConstraintPattern,
    touched_count: usize,
    touched: Vec<bool>,
    analysis_count: usize,
    /// Constraints without any tile: their impulse is that at zero velocity.
    pub(crate) loose: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl AnalysisCache {
    /// Updates the analysis for `problem`; does nothing if the pattern has not changed.
    pub(crate) fn update(&mut self, problem: &Problem, parallel: bool) {
        let constraints = (problem.constraints.starts(), problem.constraints.all_tiles());
        self.prepare(problem.matrix.pattern(), problem.solves_free(), constraints, parallel);
    }

    /// The same from the pattern alone, before values exist.
    pub(crate) fn prepare(
        &mut self,
        matrix: &TilePattern,
        solves_free: bool,
        (starts, tiles): (&[u32], &[u32]),
        parallel: bool,
    ) {
        let same_matrix =
            self.matrix_pattern == *matrix && self.solves_free == solves_free && self.analysis_count > 0;
        if same_matrix && self.compiled.starts == starts && self.compiled.tiles == tiles {
            return;
        }
        self.compiled.clear();
        self.compiled.starts.extend_from_slice(starts);
        self.compiled.tiles.extend_from_slice(tiles);
        if !(same_matrix && self.compile()) {
            self.analyzed.clone_from(&self.compiled);
            self.analyze(matrix, solves_free, parallel);
            self.compile();
        }
    }

    /// Number of analyses since creation.
    pub fn analysis_count(&self) -> usize {
        self.analysis_count
    }

    /// The constraints for which the present analysis was made.
    pub fn analyzed_pattern(&self) -> &ConstraintPattern {
        &self.analyzed
    }

    /// Makes the analysis of a stored pattern, as if a problem with these constraints had been
    /// solved last. Tiles beyond the blocks of `problem` are ignored.
    pub fn set_pattern(&mut self, problem: &Problem, pattern: &ConstraintPattern) {
        let tile_count = problem.blocks.tile_count();
        self.analyzed.clear();
        for tiles in pattern.constraints() {
            self.analyzed.push(tiles.iter().copied().filter(|&t| (t as usize) < tile_count));
        }
        self.compiled.clear();
        self.analyze(problem.matrix.pattern(), problem.solves_free(), false);
        self.compiled.starts.push(NONE);
    }

    fn find(parent: &mut [u32], mut tile: u32) -> u32 {
        while parent[tile as usize] != tile {
            parent[tile as usize] = parent[parent[tile as usize] as usize];
            tile = parent[tile as usize];
        }
        tile
    }

    /// The smaller root wins, so that islands do not depend on the order of the constraints.
    fn join(parent: &mut [u32], a: u32, b: u32) {
        let (a, b) = (Self::find(parent, a), Self::find(parent, b));
        parent[a.max(b) as usize] = a.min(b);
    }

    fn analyze(&mut self, matrix: &TilePattern, solves_free: bool, parallel: bool) {
        let n = matrix.tile_count();
        let same_matrix = self.matrix_parent.len() == n && self.matrix_pattern == *matrix;
        if !same_matrix {
            self.matrix_pattern.clone_from(matrix);
            self.matrix_parent.clear();
            self.matrix_parent.extend(0..n as u32);
            for e in self.matrix_pattern.entries() {
                Self::join(&mut self.matrix_parent, e.row, e.column);
            }
        }
        self.solves_free = solves_free;
        self.analysis_count += 1;
        self.parent.clone_from(&self.matrix_parent);
        self.touched.clear();
        self.touched.resize(n, false);
        for tiles in self.analyzed.constraints() {
            for &tile in tiles {
                self.touched[tile as usize] = true;
                Self::join(&mut self.parent, tiles[0], tile);
            }
        }
        self.touched_count = self.touched.iter().filter(|t| **t).count();
        if !(self.find_islands(n) && same_matrix) {
            self.place_tiles(n);
            self.collect_entries();
        }
        self.collect_pairs();
        for island in &mut self.islands[..self.island_count] {
            island.analyze(parallel);
        }
    }

    /// Numbers islands by their first tile. True if tiles are in the same islands as before.
    fn find_islands(&mut self, n: usize) -> bool {
        core::mem::swap(&mut self.island_of, &mut self.islands_before);
        self.island_of.clear();
        self.island_of.resize(n, NONE);
        // A group without constraints stays at v* unless it is to be solved.
        for tile in 0..n {
            if self.touched[tile] || self.solves_free {
                let root = Self::find(&mut self.parent, tile as u32);
                self.island_of[root as usize] = 0;
            }
        }
        self.island_count = 0;
        for tile in 0..n {
            let root = Self::find(&mut self.parent, tile as u32) as usize;
            if root == tile && self.island_of[root] != NONE {
                self.island_of[root] = self.island_count as u32;
                self.island_count += 1;
            }
            self.island_of[tile] = self.island_of[root];
        }
        self.island_of == self.islands_before
    }

    /// Numbers tiles within islands.
    fn place_tiles(&mut self, n: usize) {
        for island in &mut self.islands {
            island.clear();
        }
        if self.islands.len() < self.island_count {
            self.islands.resize_with(self.island_count, Island::default);
        }
        self.local_of.clear();
        self.local_of.resize(n, NONE);
        for tile in 0..n {
            if self.island_of[tile] != NONE {
                let island = &mut self.islands[self.island_of[tile] as usize];
                self.local_of[tile] = island.tiles.len() as u32;
                island.tiles.push(tile as u32);
            }
        }
    }

    /// The tiles of A in each island.
    fn collect_entries(&mut self) {
        for e in self.matrix_pattern.entries() {
            let island = self.island_of[e.row as usize];
            if island == NONE {
                continue;
            }
            let island = &mut self.islands[island as usize];
            let (row, column) = (self.local_of[e.row as usize], self.local_of[e.column as usize]);
            island.entries.push(Entry { slot: e.slot, row, column });
            if row != column {
                island.pairs.push((row, column));
                island.pairs.push((column, row));
            }
        }
        for island in &mut self.islands[..self.island_count] {
            island.matrix_pairs = island.pairs.len();
        }
    }

    /// Which tiles constraints touch, and the rest of the graph of each island: all pairs of tiles of a constraint.
    fn collect_pairs(&mut self) {
        for island in &mut self.islands[..self.island_count] {
            island.touched.clear();
            island.touched.extend(island.tiles.iter().map(|&tile| self.touched[tile as usize]));
            island.pairs.truncate(island.matrix_pairs);
        }
        // Polygons of a patch share their tiles.
        let mut last: &[u32] = &[];
        for tiles in self.analyzed.constraints() {
            if core::mem::replace(&mut last, tiles) == tiles {
                continue;
            }
            for (at, &a) in tiles.iter().enumerate() {
                let island = &mut self.islands[self.island_of[a as usize] as usize];
                for &b in &tiles[..at] {
                    let (a, b) = (self.local_of[a as usize], self.local_of[b as usize]);
                    if a != b {
                        island.pairs.push((a, b));
                        island.pairs.push((b, a));
                    }
                }
            }
        }
    }

    /// Finds the slots of all constraints. False if one has none, or if too much of the analysis is unused.
    fn compile(&mut self) -> bool {
        for island in &mut self.islands[..self.island_count] {
            island.order.clear();
        }
        self.loose.clear();
        self.touched.clear();
        self.touched.resize(self.matrix_pattern.tile_count(), false);
        let mut touched_count = 0;
        // Tiles, island and group of the previous constraint: polygons of a patch share them.
        let mut last: (&[u32], usize, u32) = (&[], 0, NONE);
        for (id, tiles) in self.compiled.constraints().enumerate() {
            let Some(&first) = tiles.first() else {
                self.loose.push(id as u32);
                continue;
            };
            if tiles == last.0 {
                self.islands[last.1].order.push((last.2, id as u32));
                continue;
            }
            let island = self.island_of[first as usize];
            if island == NONE || tiles.iter().any(|&t| self.island_of[t as usize] != island) {
                return false;
            }
            let at = island as usize;
            let island = &mut self.islands[at];
            let group = island.group_of(tiles.iter().map(|&t| self.local_of[t as usize]));
            let group = group.map_or(NONE, |g| g as u32);
            island.order.push((group, id as u32));
            last = (tiles, at, group);
            for &tile in tiles {
                touched_count += usize::from(!core::mem::replace(&mut self.touched[tile as usize], true));
            }
        }
        for island in &mut self.islands[..self.island_count] {
            if !island.compile(&self.compiled, &self.local_of) {
                return false;
            }
        }
        // Kept tiles without constraints are factorized in each iteration; if most are idle, a new analysis pays off
        // within one solve.
        2 * touched_count >= self.touched_count
    }
}
