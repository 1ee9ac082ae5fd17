//! An island: a connected component of the blocks coupled by A and the constraints.

use crate::law::{Hessian, Rows};
use crate::solver::analysis_cache::ConstraintPattern;
use crate::solver::group_parallel::both;
use crate::solver::island_constraints::Compiled;
use crate::solver::nested_dissection::Dissection;
use crate::solver::solution::IslandReport;
use ropewalk_linalg::sparse::{Analysis, Entry, Factor, Tile};

/// Analysis, factor, constraints and workspace of one island.
#[derive(Clone, Debug, Default)]
pub(crate) struct Island {
    /// Tiles of the problem, by their number within the island.
    pub(crate) tiles: Vec<u32>,
    /// Tiles of A within the island: slot in A, row and column within the island.
    pub(crate) entries: Vec<Entry>,
    /// Whether constraints touch the tile.
    pub(crate) touched: Vec<bool>,
    pub(crate) analysis: Analysis,
    pub(crate) factor: Factor,
    pub(crate) compiled: Compiled,
    /// Group (or the greatest number, if none) and number of each constraint.
    pub(crate) order: Vec<(u32, u32)>,
    pub(crate) work: Work,
    pub(crate) report: IslandReport,
    /// Pairs (row, column) of the graph, in both orders: those of A, then those of constraints.
    pub(crate) pairs: Vec<(u32, u32)>,
    /// Number of pairs from A.
    pub(crate) matrix_pairs: usize,
    adjacency_start: Vec<u32>,
    adjacency: Vec<u32>,
    dissection: Dissection,
}

/// Vectors by position in the factor, and by constraint; see [`crate::solver::newton`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Work {
    pub(crate) x: Vec<[f64; 4]>,
    pub(crate) p: Vec<[f64; 4]>,
    pub(crate) gradient: Vec<[f64; 4]>,
    pub(crate) step: Vec<[f64; 4]>,
    pub(crate) s_step: Vec<[f64; 4]>,
    /// L_nn⁻¹ m_n, m'.
    pub(crate) reduced: Vec<[f64; 4]>,
    /// D^−½.
    pub(crate) scale: Vec<[f64; 4]>,
    pub(crate) u: Vec<Rows>,
    pub(crate) du: Vec<Rows>,
    pub(crate) impulse: Vec<Rows>,
    pub(crate) trial: Vec<Rows>,
    /// G of each constraint in the present factor.
    pub(crate) hessian: Vec<Hessian>,
    /// J_iᵀ G_i J_i of border constraints, tile by tile.
    pub(crate) border: Vec<Tile>,
    /// By tile of `border`: whether it differs from that in the present factor.
    pub(crate) border_changed: Vec<bool>,
    /// By border constraint: whether its tiles of `border` match its G and Jacobian.
    pub(crate) border_known: Vec<bool>,
    /// By group: whether the columns without constraints are eliminated.
    pub(crate) eliminated: Vec<bool>,
    /// By group: contents of the kept columns of the factor.
    pub(crate) kept: Vec<KeptContents>,
    /// |D^½ v| at the start.
    pub(crate) momentum: f64,
    pub(crate) best_residual: f64,
    pub(crate) quiet_iterations: usize,
}

/// Contents of the kept columns of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeptContents {
    /// S, right after elimination.
    Schur,
    /// The factor for the Hessians of the present `hessian` and `border`.
    Factor,
    /// Neither.
    Nothing,
}

impl Island {
    /// Removes all unknowns; keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.tiles.clear();
        self.entries.clear();
        self.touched.clear();
        self.pairs.clear();
        self.order.clear();
        self.compiled.clear();
    }

    /// The group of the constraint on `tiles`, by their numbers within the island; none if it couples several, or
    /// touches the separator.
    pub(crate) fn group_of(&self, tiles: impl IntoIterator<Item = u32>) -> Option<usize> {
        let mut found = None;
        for tile in tiles {
            let group = self.analysis.group_of_kept(self.analysis.position_of(tile as usize))?;
            if found.is_some_and(|other| other != group) {
                return None;
            }
            found = Some(group);
        }
        found
    }

    /// Orders and analyzes the graph of `pairs`, with the touched tiles kept to the end.
    pub(crate) fn analyze(&mut self, parallel: bool) {
        self.list_neighbors();
        let group = self.dissection.groups(&self.entries, &self.pairs, &self.touched);
        let (start, adjacency) = (&self.adjacency_start, &self.adjacency);
        self.analysis.analyze(start, adjacency, &self.touched, group, &self.entries, both(parallel));
        self.factor.prepare(&self.analysis, &self.entries);
        let work = &mut self.work;
        for vector in [
            &mut work.x,
            &mut work.p,
            &mut work.gradient,
            &mut work.step,
            &mut work.s_step,
            &mut work.reduced,
            &mut work.scale,
        ] {
            vector.clear();
            vector.resize(self.tiles.len(), [0.0; 4]);
        }
    }

    /// Neighbors of each tile in increasing order, from `pairs`, which may repeat.
    fn list_neighbors(&mut self) {
        let Self { pairs, adjacency_start: start, adjacency, tiles, .. } = self;
        start.clear();
        start.resize(tiles.len() + 1, 0);
        for &(tile, _) in &*pairs {
            start[tile as usize + 1] += 1;
        }
        for tile in 0..tiles.len() {
            start[tile + 1] += start[tile];
        }
        adjacency.clear();
        adjacency.resize(pairs.len(), 0);
        for &(tile, neighbor) in &*pairs {
            let next = &mut start[tile as usize];
            adjacency[*next as usize] = neighbor;
            *next += 1;
        }
        // Each start is now that of the next list: sort the lists, close the gaps and reset the starts.
        let (mut begin, mut write) = (0, 0);
        for tile in 0..tiles.len() {
            let end = core::mem::replace(&mut start[tile], write as u32) as usize;
            adjacency[begin..end].sort_unstable();
            for read in begin..end {
                if read == begin || adjacency[read] != adjacency[read - 1] {
                    adjacency[write] = adjacency[read];
                    write += 1;
                }
            }
            begin = end;
        }
        start[tiles.len()] = write as u32;
        adjacency.truncate(write);
    }

    /// Finds the slots of the constraints in `order`, group by group, and makes room for them. False if one has none.
    pub(crate) fn compile(&mut self, constraints: &ConstraintPattern, local_of: &[u32]) -> bool {
        // With a single group they are sorted already.
        if self.analysis.groups().len() > 1 {
            self.order.sort_unstable();
        }
        self.compiled.clear();
        for &(_, id) in &self.order {
            if !self.compiled.push(id as usize, constraints, &self.analysis, local_of) {
                return false;
            }
        }
        let groups = self.order.iter().map(|&(group, _)| group as usize);
        self.compiled.set_groups(groups, self.analysis.groups().len());
        let (count, work) = (self.compiled.len(), &mut self.work);
        let (groups, border) = (self.analysis.groups().len(), self.compiled.border().len());
        for (flags, flag_count) in [(&mut work.eliminated, groups), (&mut work.border_known, border)] {
            flags.clear();
            flags.resize(flag_count, false);
        }
        work.kept.clear();
        work.kept.resize(groups, KeptContents::Nothing);
        for vector in [&mut work.u, &mut work.du, &mut work.impulse, &mut work.trial] {
            vector.resize(count, [0.0; 3]);
        }
        work.hessian.resize(count, [[0.0; 3]; 3]);
        work.border.resize(self.compiled.border_tile_count(), Tile::ZERO);
        work.border_changed.resize(self.compiled.border_tile_count(), false);
        true
    }
}
