//! Timings of the contact solver on the families of [`ropewalk_testing::contact_families`], one thread, with two
//! baselines on the same matrix: faer's sparse Cholesky (symbolic analysis reused), and faer's dense Cholesky of the Schur
//! complement of all participating DoFs, which is what the paper's method factors.

use super::baselines::{DenseSchur, Sparse};
use ropewalk_contact::{Options, Solution, Solver};
use ropewalk_linalg::sparse::{Analysis, Factor};
use ropewalk_testing::contact_families::Family;
use ropewalk_testing::newton_matrix::NewtonMatrix;
use std::time::{Duration, Instant};

/// One family's timings, in microseconds; the least of many repetitions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    /// The family.
    pub name: String,
    /// Tiles of unknowns.
    pub tiles: usize,
    /// Tiles that constraints touch.
    pub participating: usize,
    /// Constraints.
    pub(crate) constraints: usize,
    /// Ordering and symbolic analysis.
    pub analysis: f64,
    /// Numeric factorization of the whole Hessian.
    pub whole: f64,
    /// Numeric factorization of the participating part alone: the cost of a Newton iteration.
    pub kept: f64,
    /// Elimination of tiles without constraints, once per solve.
    pub elimination: f64,
    /// faer's sparse numeric factorization of the whole Hessian.
    pub faer_sparse: Option<f64>,
    /// faer's dense factorization of the Schur complement of the participating DoFs.
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
pub(crate) fn least_time(budget: Duration, mut work: impl FnMut()) -> f64 {
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

/// Times one family, with about `budget` for each number. None if the problem cannot be built or
/// factorized.
pub(crate) fn measure(family: Family, budget: Duration) -> Option<Row> {
    let problem = family.build().ok()?;
    let mut solver = Solver::new(Options { parallel: false, ..Options::default() });
    let mut solution = Solution::new();
    solver.solve(&problem, None, &mut solution).ok()?;
    let newton = NewtonMatrix::assemble(&problem, &solution.v);
    let mut analysis = Analysis::default();
    newton.analyze(&mut analysis);
    let mut factor = Factor::default();
    factor.prepare(&analysis, &newton.entries);
    let mut row = Row {
        name: family.to_string(),
        tiles: problem.blocks.tile_count(),
        participating: newton.touched.iter().filter(|t| **t).count(),
        constraints: problem.constraints.len(),
        ..Row::default()
    };
    row.analysis = least_time(budget, || newton.analyze(&mut analysis));
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
    {
        factor.eliminate(&analysis, tiles).ok()?;
        with_baselines(&newton, &analysis, &factor, |name, work| {
            let time = Some(least_time(budget, work));
            match name {
                Baseline::FaerSparse => row.faer_sparse = time,
                Baseline::DenseSchur => row.dense_schur = time,
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

/// A baseline on the same matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Baseline {
    /// faer's sparse Cholesky of the whole Hessian, symbolic part reused.
    FaerSparse,
    /// faer's dense Cholesky of the Schur complement on all participating DoFs.
    DenseSchur,
}

impl core::fmt::Display for Baseline {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::FaerSparse => "faer sparse",
            Self::DenseSchur => "dense Schur",
        })
    }
}

/// Hands each baseline's numeric factorization to `run`. `factor` must hold the Schur complement of
/// `newton`. Baselines that fail on the matrix, or would need too much memory, are left out.
pub(crate) fn with_baselines(
    newton: &NewtonMatrix,
    analysis: &Analysis,
    factor: &Factor,
    mut run: impl FnMut(Baseline, &mut dyn FnMut()),
) {
    if let Some(mut baseline) = Sparse::new(newton)
        && baseline.factorize()
    {
        run(Baseline::FaerSparse, &mut || {
            std::hint::black_box(baseline.factorize());
        });
    }
    if let Some(mut baseline) = DenseSchur::new(analysis, factor)
        && baseline.factorize()
    {
        run(Baseline::DenseSchur, &mut || {
            std::hint::black_box(baseline.factorize());
        });
    }
}

/// The rows as a table.
pub(crate) fn table(rows: &[Row]) -> String {
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
