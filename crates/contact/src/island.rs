//! An island: blocks of unknowns that A and the constraints tie together, and nothing else does.

use crate::compiled::Compiled;
use crate::law::Rows;
use crate::solution::IslandReport;
use ropewalk_linalg::sparse::{Analysis, Entry, Factor};

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
    pub(crate) work: Work,
    pub(crate) report: IslandReport,
    /// Pairs (row, column) of the graph, both ways; memory for the analysis.
    pub(crate) pairs: Vec<(u32, u32)>,
    adjacency_start: Vec<u32>,
    adjacency: Vec<u32>,
}

/// Vectors by position in the factor, and by constraint; see [`crate::newton`].
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
    /// |D^½ v| at the start.
    pub(crate) momentum: f64,
    pub(crate) best_residual: f64,
    pub(crate) quiet_iterations: usize,
}

impl Island {
    /// Forgets the unknowns, keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.tiles.clear();
        self.entries.clear();
        self.touched.clear();
        self.pairs.clear();
        self.compiled.clear();
    }

    /// Orders and analyses the graph of `pairs`, with the touched tiles kept to the end.
    pub(crate) fn analyse(&mut self) {
        self.pairs.sort_unstable();
        self.pairs.dedup();
        self.adjacency_start.clear();
        self.adjacency.clear();
        let mut rest = self.pairs.iter().peekable();
        for tile in 0..self.tiles.len() as u32 {
            self.adjacency_start.push(self.adjacency.len() as u32);
            while let Some(&&(_, neighbour)) = rest.peek().filter(|(t, _)| *t == tile) {
                self.adjacency.push(neighbour);
                rest.next();
            }
        }
        self.adjacency_start.push(self.adjacency.len() as u32);
        self.analysis.analyse(&self.adjacency_start, &self.adjacency, &self.touched, &self.entries);
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

    /// Makes room for the vectors by constraint.
    pub(crate) fn resize_constraints(&mut self) {
        let (count, work) = (self.compiled.len(), &mut self.work);
        for vector in [&mut work.u, &mut work.du, &mut work.impulse, &mut work.trial] {
            vector.resize(count, [0.0; 3]);
        }
    }
}
