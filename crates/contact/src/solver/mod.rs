//! The solver: checks the problem, updates the analysis, solves the islands, gathers the result.

pub mod analysis_cache;
mod border;
mod continuation;
mod direction;
mod eliminate_and_recover;
pub(crate) mod group_parallel;
pub(crate) mod island;
mod island_constraints;
pub(crate) mod kernels;
mod line_search;
mod nested_dissection;
pub mod newton;
pub mod optimality;
mod roundoff_refinement;
pub mod solution;

use crate::law::ConstraintLaw;
use crate::problem::{Problem, ProblemError};
use crate::solver::analysis_cache::{AnalysisCache, ConstraintPattern};
use crate::solver::newton::Options;
use crate::solver::solution::{IslandReport, Solution};
use rayon::prelude::*;
use ropewalk_linalg::sparse::TilePattern;

/// Solves convex contact problems one after another, reusing what stays the same.
///
/// After a first solve, further ones with the same pattern (new values of A, v*, Jacobians and laws)
/// allocate nothing, as long as `parallel` is off or there is one island.
#[derive(Clone, Debug, Default)]
pub struct Solver {
    /// Options.
    pub options: Options,
    analysis_cache: AnalysisCache,
}

impl Solver {
    /// A solver with `options`.
    pub fn new(options: Options) -> Self {
        Self { options, analysis_cache: AnalysisCache::default() }
    }

    /// The cached analysis.
    pub fn analysis_cache(&self) -> &AnalysisCache {
        &self.analysis_cache
    }

    /// The cached analysis, to be set from a snapshot.
    pub fn analysis_cache_mut(&mut self) -> &mut AnalysisCache {
        &mut self.analysis_cache
    }

    /// Prepares for problems with the pattern of `matrix`, the given [`Problem::skip_free`] and these constraints.
    /// The call is optional; it allows the analysis to run before the values are known.
    pub fn prepare(&mut self, matrix: &TilePattern, skip_free: bool, constraints: &ConstraintPattern) {
        let constraints = (&constraints.starts[..], &constraints.tiles[..]);
        self.analysis_cache.prepare(matrix, !skip_free, constraints, self.options.parallel);
    }

    /// Solves `problem` from `guess` (v* if none) into `solution`. Invalid input is an error; `solution.status` says
    /// how the iteration ended.
    pub fn solve(
        &mut self,
        problem: &Problem,
        guess: Option<&[f64]>,
        solution: &mut Solution,
    ) -> Result<(), ProblemError> {
        problem.check_all_but_matrix(guess)?;
        self.analysis_cache.update(problem, self.options.parallel);
        let options = self.options;
        let islands = &mut self.analysis_cache.islands[..self.analysis_cache.island_count];
        if options.parallel && islands.len() > 1 {
            islands.par_iter_mut().for_each(|island| island.solve(problem, guess, &options));
        } else {
            for island in islands.iter_mut() {
                island.solve(problem, guess, &options);
            }
        }
        self.gather(problem, solution);
        if solution.status.has_solution() { Ok(()) } else { problem.check_matrix() }
    }

    fn gather(&self, problem: &Problem, solution: &mut Solution) {
        solution.v.clear();
        solution.v.extend_from_slice(&problem.v_star);
        solution.impulses.clear();
        solution.impulses.resize(problem.constraints.len(), [0.0; 3]);
        solution.excess.clear();
        solution.excess.resize(problem.constraints.len(), [0.0; 3]);
        let islands = &self.analysis_cache.islands[..self.analysis_cache.island_count];
        solution.islands.resize_with(islands.len(), IslandReport::default);
        let (v, _) = solution.v.as_chunks_mut::<4>();
        for (island, report) in islands.iter().zip(&mut solution.islands) {
            report.copy_from(&island.report);
            if !report.status.has_solution() {
                continue;
            }
            for (position, x) in island.work.x.iter().enumerate() {
                let v = &mut v[island.tiles[island.analysis.tile_at(position)] as usize];
                for c in 0..4 {
                    v[c] += x[c];
                }
            }
            let (ids, work) = (island.compiled.ids(), &island.work);
            for ((&id, impulse), excess) in ids.iter().zip(&work.impulse).zip(&work.u) {
                solution.impulses[id as usize] = *impulse;
                solution.excess[id as usize] = *excess;
            }
        }
        for &id in &self.analysis_cache.loose {
            let excess = problem.constraints.bias(id as usize).map(|b| -b);
            solution.impulses[id as usize] = problem.constraints.law(id as usize).impulse(excess);
            solution.excess[id as usize] = excess;
        }
        solution.summarise();
    }
}
