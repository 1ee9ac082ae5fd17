//! Timings of the solver on the [`crate::synthetic`] families, one thread.
//!
//! `ropewalk bench` and the criterion benchmark both take their numbers from here. With the feature
//! `faer` each row also has two rivals on the same matrix: faer's sparse Cholesky (symbolic part
//! reused), and faer's dense Cholesky of the Schur complement of all participating DoFs, which is
//! what the paper's method factorises.

use crate::law::ConstraintLaw;
use crate::problem::Problem;
use crate::solver::Solver;
use crate::solver::newton::Options;
use crate::solver::solution::Solution;
use crate::synthetic::Family;
use ropewalk_linalg::sparse::{Analysis, Entry, Factor, Tile, TileMatrix, TilePattern};
use std::time::{Duration, Instant};

/// One family's timings, in microseconds; the least of many repetitions.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// The family.
    pub name: String,
    /// Tiles of unknowns.
    pub tiles: usize,
    /// Tiles that constraints touch.
    pub participating: usize,
    /// Constraints.
    pub constraints: usize,
    /// Ordering and symbolic analysis.
    pub analysis: f64,
    /// Numeric factorisation of the whole Hessian.
    pub whole: f64,
    /// Numeric factorisation of the participating part alone: what a Newton iteration does.
    pub kept: f64,
    /// Elimination of what takes no part, once per solve.
    pub elimination: f64,
    /// faer's sparse numeric factorisation of the whole Hessian.
    pub faer_sparse: Option<f64>,
    /// faer's dense factorisation of the Schur complement of the participating DoFs.
    pub dense_schur: Option<f64>,
    /// A whole solve of at most 5 iterations with the pattern unchanged, cold start.
    pub solve_five: f64,
    /// How many iterations that was.
    pub solve_five_iterations: usize,
    /// A whole solve to the default tolerance, cold start.
    pub solve: f64,
    /// How many iterations that took.
    pub solve_iterations: usize,
}

/// Least time of `work` in microseconds, over at least three runs and about `budget`.
pub fn least_time(budget: Duration, mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    let mut least = f64::INFINITY;
    let mut runs = 0;
    while runs < 3 || start.elapsed() < budget {
        let begin = Instant::now();
        work();
        least = least.min(begin.elapsed().as_secs_f64() * 1e6);
        runs += 1;
    }
    least
}

/// The Newton matrix of a problem at given velocities, with its graph.
pub struct NewtonMatrix {
    /// A + Σ JᵀGJ.
    pub matrix: TileMatrix,
    /// Its tiles.
    pub entries: Vec<Entry>,
    /// By tile: whether a constraint touches it.
    pub touched: Vec<bool>,
    adjacency_start: Vec<u32>,
    adjacency: Vec<u32>,
}

impl NewtonMatrix {
    /// Assembles the matrix at the velocities `v`.
    pub fn assemble(problem: &Problem, v: &[f64]) -> Self {
        let n = problem.blocks.tile_count();
        let constraints = &problem.constraints;
        let mut pairs: Vec<(usize, usize)> =
            problem.matrix.pattern().entries().map(|e| (e.row as usize, e.column as usize)).collect();
        let mut touched = vec![false; n];
        for i in 0..constraints.len() {
            for &a in constraints.tiles(i) {
                touched[a as usize] = true;
                pairs.extend(constraints.tiles(i).iter().map(|&b| (a as usize, b as usize)));
            }
        }
        let mut matrix = TileMatrix::new(TilePattern::new(n, pairs));
        for e in problem.matrix.pattern().entries() {
            if let Some(slot) = matrix.pattern().slot(e.row as usize, e.column as usize) {
                matrix.tiles_mut()[slot].add(&problem.matrix.tiles()[e.slot as usize]);
            }
        }
        for i in 0..constraints.len() {
            let law = constraints.law(i);
            let (velocity, bias) = (constraints.velocity(i, v), constraints.bias(i));
            let g = law.hessian([0, 1, 2].map(|row| velocity[row] - bias[row]));
            for (&a, j_a) in constraints.tiles(i).iter().zip(constraints.jacobian(i)) {
                for (&b, j_b) in constraints.tiles(i).iter().zip(constraints.jacobian(i)) {
                    if a < b {
                        continue;
                    }
                    let mut tile = Tile::ZERO;
                    for r in 0..4 {
                        for c in 0..4 {
                            let mut sum = 0.0;
                            for p in 0..3 {
                                for q in 0..3 {
                                    sum += j_a[p][r] * g[p][q] * j_b[q][c];
                                }
                            }
                            tile.set(r, c, sum);
                        }
                    }
                    if let Some(slot) = matrix.pattern().slot(a as usize, b as usize) {
                        matrix.tiles_mut()[slot].add(&tile);
                    }
                }
            }
        }
        let entries: Vec<Entry> = matrix.pattern().entries().collect();
        let mut lists = vec![Vec::new(); n];
        for e in entries.iter().filter(|e| e.row != e.column) {
            lists[e.row as usize].push(e.column);
            lists[e.column as usize].push(e.row);
        }
        let (mut adjacency_start, mut adjacency) = (vec![0], Vec::new());
        for list in lists {
            adjacency.extend(list);
            adjacency_start.push(adjacency.len() as u32);
        }
        Self { matrix, entries, touched, adjacency_start, adjacency }
    }

    /// Orders and analyses the matrix, touched tiles last.
    pub fn analyse(&self, analysis: &mut Analysis) {
        analysis.analyse(&self.adjacency_start, &self.adjacency, &self.touched, &[], &self.entries, None);
    }
}

/// Times one family, with about `budget` for each number. None if the problem cannot be built or
/// factorised.
pub fn measure(family: Family, budget: Duration) -> Option<Row> {
    let problem = family.build().ok()?;
    let mut solver = Solver::new(Options { parallel: false, ..Options::default() });
    let mut solution = Solution::new();
    solver.solve(&problem, None, &mut solution).ok()?;
    let newton = NewtonMatrix::assemble(&problem, &solution.v);
    let mut analysis = Analysis::default();
    newton.analyse(&mut analysis);
    let mut factor = Factor::default();
    factor.prepare(&analysis, &newton.entries);
    let mut row = Row {
        name: family.to_string(),
        tiles: problem.blocks.tile_count(),
        participating: newton.touched.iter().filter(|t| **t).count(),
        constraints: problem.constraints.len(),
        ..Row::default()
    };
    row.analysis = least_time(budget, || newton.analyse(&mut analysis));
    let tiles = newton.matrix.tiles();
    factor.factor(&analysis, tiles).ok()?;
    row.whole = least_time(budget, || {
        let _ = std::hint::black_box(factor.factor(&analysis, tiles));
    });
    row.elimination = least_time(budget, || {
        let _ = std::hint::black_box(factor.eliminate(&analysis, tiles));
    });
    row.kept = least_time(budget, || {
        let _ = std::hint::black_box(factor.refactor(&analysis, |_| {}));
    });
    #[cfg(feature = "faer")]
    {
        factor.eliminate(&analysis, tiles).ok()?;
        with_rivals(&newton, &analysis, &factor, |name, work| {
            let time = Some(least_time(budget, work));
            match name {
                Rival::FaerSparse => row.faer_sparse = time,
                Rival::DenseSchur => row.dense_schur = time,
            }
        });
    }
    row.solve = least_time(budget, || {
        let _ = std::hint::black_box(solver.solve(&problem, None, &mut solution));
    });
    row.solve_iterations = solution.iterations;
    solver.options = Options { max_iterations: 5, tolerance: 1e-300, ..solver.options };
    row.solve_five = least_time(budget, || {
        let _ = std::hint::black_box(solver.solve(&problem, None, &mut solution));
    });
    row.solve_five_iterations = solution.iterations;
    Some(row)
}

/// Another way to factorise the same matrix.
#[cfg(feature = "faer")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rival {
    /// faer's sparse Cholesky of the whole Hessian, symbolic part reused.
    FaerSparse,
    /// faer's dense Cholesky of the Schur complement on all participating DoFs.
    DenseSchur,
}

#[cfg(feature = "faer")]
impl core::fmt::Display for Rival {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::FaerSparse => "faer sparse",
            Self::DenseSchur => "dense Schur",
        })
    }
}

/// Hands each rival's numeric factorisation to `run`. `factor` must hold the Schur complement of
/// `newton`. Rivals that fail on the matrix, or would need too much memory, are left out.
#[cfg(feature = "faer")]
pub fn with_rivals(
    newton: &NewtonMatrix,
    analysis: &Analysis,
    factor: &Factor,
    mut run: impl FnMut(Rival, &mut dyn FnMut()),
) {
    use crate::rivals::{DenseSchur, Sparse};
    if let Some(mut rival) = Sparse::new(newton)
        && rival.factorise()
    {
        run(Rival::FaerSparse, &mut || {
            std::hint::black_box(rival.factorise());
        });
    }
    if let Some(mut rival) = DenseSchur::new(analysis, factor)
        && rival.factorise()
    {
        run(Rival::DenseSchur, &mut || {
            std::hint::black_box(rival.factorise());
        });
    }
}

/// The rows as a table.
pub fn table(rows: &[Row]) -> String {
    let mut out = format!(
        "{:<26} {:>6} {:>6} {:>5} {:>9} {:>9} {:>9} {:>9} {:>9} {:>10} {:>12} {:>12}\n",
        "family [µs]",
        "tiles",
        "partic",
        "rows",
        "analysis",
        "elim",
        "whole",
        "kept",
        "faer",
        "dense",
        "5 iter",
        "to 1e-10"
    );
    let optional = |x: Option<f64>| x.map_or_else(|| "-".to_string(), |x| format!("{x:.1}"));
    for r in rows {
        out += &format!(
            "{:<26} {:>6} {:>6} {:>5} {:>9.1} {:>9.1} {:>9.1} {:>9.1} {:>9} {:>10} {:>12} {:>12}\n",
            r.name,
            r.tiles,
            r.participating,
            r.constraints,
            r.analysis,
            r.elimination,
            r.whole,
            r.kept,
            optional(r.faer_sparse),
            optional(r.dense_schur),
            format!("{:.1} ({})", r.solve_five, r.solve_five_iterations),
            format!("{:.1} ({})", r.solve, r.solve_iterations),
        );
    }
    out
}
