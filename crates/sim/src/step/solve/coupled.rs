//! Rods and trees that constraints hold together: one convex problem, linearised again and again.
//!
//! At the iterate v the momentum balance has the residual m and the tangent A; the problem
//!
//! ```text
//!   minimise over v'   ½ |v' − v|²_A + mᵀ(v' − v) + Σ ℓ_i(J_i v' − v̂_i)
//! ```
//!
//! has one optimum, which is the next iterate, or a fraction of the way there: a fraction is accepted if the
//! incremental potential plus the costs of the constraints falls enough, or the residual m(v) − Jᵀλ(v) clearly does. It
//! has converged when that residual is small against the impulses at work. J, the laws and their compliance stay as
//! they are at the start of the step, but for the friction of patches, which goes on with the normal force that was found.

use crate::model::{Linearise, Model, State};
use crate::report::stage;
use crate::step::Outcome;
use crate::step::collide::CollisionDetection;
use crate::step::collide::look_ahead::Reaches;
use crate::step::constrain::Linearization;
use crate::step::constrain::contact_update::Measured;
use crate::step::constrain::effective_mass::EffectiveMasses;
use crate::step::constrain::friction_memory::MemoryMatches;
use crate::step::constrain::jacobian::ConstraintJacobian;
use crate::step::constrain::law::LawSpec;
use crate::step::parallel::RodShare;
use crate::step::solve::active_set::ActiveSet;
use crate::step::solve::dof_map::DofMap;
use crate::step::solve::free::{CLEAR_FALL, ROUND_OFF_FACTOR, relative};
use crate::step::solve::line_search::Merit;
use crate::step::timer::lap;
use crate::step::worker::join_awake;
use crate::workspace::{RodWork, TreeWork};
use ropewalk_contact::law::Rows;
use ropewalk_contact::{ConstraintPattern, Options, Problem, Solution, Solver, Status, Unchanged};
use ropewalk_linalg::sparse::Tile;
use ropewalk_rod::motion::StepWeights;
use std::time::Instant;

/// Inner iterations before the problem is linearised anew.
const INNER_ITERATIONS: usize = 10;

/// How closely the convex problem is solved, at least: Newton's method converges quadratically, so this costs next to
/// nothing. What is left of it is motion that does not end: at 1e-8 a chain of rings at rest turns by 1e-6 rad/s.
const INNER_TOLERANCE: f64 = 1e-10;

/// How closely lines are searched: the cost is within a hundredth of the least along the line. With 1e-3 belts, knots, laces and
/// tangles take as many iterations, and up to half as many evaluations more.
const LINE_SEARCH_TOLERANCE: f64 = 0.1;

/// Rods whose share of the residual is below this fraction of the tolerance keep their tangent from one linearisation to the next: what
/// is hardest for one ring of a chain need not be done for all.
const SETTLED: f64 = 1e-2;

/// How often friction in patches is brought to the normal force that has been found.
const MOST_CORRECTIONS: usize = 2;

/// Scratch of the coupled solve.
#[derive(Clone, Debug)]
pub(crate) struct CoupledSolve {
    pub(crate) dof_map: DofMap,
    pub(crate) collision: CollisionDetection,
    pub(crate) reaches: Reaches,
    pub(in crate::step) active_set: ActiveSet,
    pub(crate) rows: ConstraintJacobian,
    pub(crate) laws: Vec<LawSpec>,
    /// What the rows of each contact stand for.
    pub(crate) linearized: Vec<Linearization>,
    /// Scratch of the contact update: contact, and what it is at the end of the step.
    pub(in crate::step) measured: Vec<(usize, Measured)>,
    pub(crate) memory_matches: MemoryMatches,
    pub(in crate::step) problem: Problem,
    solver: Solver,
    /// Which tiles the constraints of this step touch.
    pattern: ConstraintPattern,
    pub(in crate::step) solution: Solution,
    pub(in crate::step) weights: EffectiveMasses,
    /// Which rods and trees constraints hold in this step.
    pub(crate) rod_joined: Vec<bool>,
    pub(crate) tree_joined: Vec<bool>,
    /// Which rods, then which trees did before.
    was_joined: Vec<bool>,
    /// Rods whose tiles of the matrix are others than in the last solve.
    changed: Vec<bool>,
    /// Length of the last sub-step, s.
    pub(in crate::step) dt: f64,
    /// Effort of each actuator, N or N·m.
    pub(crate) efforts: Vec<f64>,
    /// Impulses at the iterate, by constraint.
    pub(crate) impulses: Vec<Rows>,
    /// u = J v − v̂ at the iterate, and J d along the direction.
    pub(in crate::step) excess: Vec<Rows>,
    pub(in crate::step) change: Vec<Rows>,
    pub(in crate::step) trial: Vec<Rows>,
    /// Jᵀλ, four entries a tile.
    pub(in crate::step) push: Vec<[f64; 4]>,
}

/// The rods and trees of the step, with those marked that take part.
pub(in crate::step) struct Parts<'a> {
    pub(in crate::step) model: &'a Model,
    pub(in crate::step) state: &'a State,
    pub(in crate::step) weights: StepWeights,
    pub(in crate::step) rods: &'a mut [RodWork],
    pub(in crate::step) trees: &'a mut [TreeWork],
}

impl CoupledSolve {
    pub(crate) fn new(model: &Model) -> Self {
        let (dof_map, mut matrix) = DofMap::new(model);
        let n = dof_map.blocks.vector_len();
        // What has not taken part yet has a matrix with a factor, too.
        for tile in 0..dof_map.blocks.tile_count() {
            let slot = matrix.pattern().slots(tile).start;
            matrix.tiles_mut()[slot] = Tile::IDENTITY;
        }
        let options = Options {
            max_iterations: INNER_ITERATIONS,
            line_search_tolerance: LINE_SEARCH_TOLERANCE,
            ..Options::default()
        };
        Self {
            problem: Problem {
                blocks: dof_map.blocks.clone(),
                matrix,
                v_star: vec![0.0; n],
                residual: vec![0.0; n],
                skip_free: true,
                ..Problem::default()
            },
            solver: Solver::new(options),
            pattern: ConstraintPattern::default(),
            solution: Solution::new(),
            weights: EffectiveMasses::default(),
            rows: ConstraintJacobian::default(),
            collision: CollisionDetection::new(model),
            reaches: Reaches::new(model),
            active_set: ActiveSet::default(),
            laws: Vec::new(),
            linearized: Vec::new(),
            measured: Vec::new(),
            memory_matches: MemoryMatches::default(),
            rod_joined: vec![false; model.rods.len()],
            tree_joined: vec![false; model.trees.len()],
            was_joined: Vec::with_capacity(model.rods.len() + model.trees.len()),
            changed: vec![true; model.rods.len()],
            dt: 1.0,
            efforts: vec![0.0; model.actuators.len()],
            impulses: Vec::new(),
            excess: Vec::new(),
            change: Vec::new(),
            trial: Vec::new(),
            push: vec![[0.0; 4]; n / 4],
            dof_map,
        }
    }

    /// The constraints for which the order of elimination in use was made.
    pub(crate) fn order(&self) -> &ConstraintPattern {
        self.solver.model().analysed_pattern()
    }

    /// Takes the order of elimination that suits the constraints of `order`.
    pub(crate) fn set_order(&mut self, order: &ConstraintPattern) {
        self.solver.model_mut().set_pattern(&self.problem, order);
    }

    /// Marks the rods and trees that the rows touch.
    pub(crate) fn mark_parts(&mut self) {
        let was_joined = &mut self.was_joined;
        was_joined.clear();
        was_joined.extend(self.rod_joined.iter().chain(&self.tree_joined));
        self.rod_joined.fill(false);
        self.tree_joined.fill(false);
        for c in 0..self.rows.len() {
            for part in self.rows.jacobian(c) {
                match self.dof_map.owner(part.tile) {
                    Ok(rod) => self.rod_joined[rod] = true,
                    Err(tree) => self.tree_joined[tree] = true,
                }
            }
        }
        self.forget_parts();
    }

    /// Takes the numbers of what took part last, and no longer does, out of the problem: it may still share an island
    /// with what takes part, as long as the order of elimination is kept, and must not act there with numbers of some
    /// earlier step: a run that goes on from a snapshot would not have them.
    fn forget_parts(&mut self) {
        let joined = self.rod_joined.iter().chain(&self.tree_joined);
        let tiles = self.dof_map.rod_tile.windows(2).chain(self.dof_map.tree_tile.windows(2));
        let left = self.was_joined.iter().zip(joined).map(|(before, now)| *before && !now);
        for (part, (ends, _)) in tiles.zip(left).enumerate().filter(|(_, (_, left))| *left) {
            if let Some(changed) = self.changed.get_mut(part) {
                *changed = true;
            }
            self.problem.v_star[4 * ends[0]..4 * ends[1]].fill(0.0);
            self.problem.residual[4 * ends[0]..4 * ends[1]].fill(0.0);
            for tile in ends[0]..ends[1] {
                let slots = self.problem.matrix.pattern().slots(tile);
                let tiles = &mut self.problem.matrix.tiles_mut()[slots];
                tiles.fill(Tile::ZERO);
                tiles[0] = Tile::IDENTITY;
            }
        }
    }

    /// Moves all that takes part. Leaves velocities in the rods' and trees' work, and the impulses here.
    pub(crate) fn solve(
        &mut self,
        model: &Model,
        state: &State,
        weights: StepWeights,
        rods: &mut [RodWork],
        trees: &mut [TreeWork],
    ) -> Outcome {
        let mut outcome = Outcome { finite: true, ..Outcome::default() };
        let mut parts = Parts { model, state, weights, rods, trees };
        let settings = &model.settings;
        self.dt = weights.dt;
        self.solver.options.tolerance = INNER_TOLERANCE.min(1e-2 * settings.tolerance);
        let mut clock = Instant::now();
        self.pattern.clear();
        for c in 0..self.rows.len() {
            self.pattern.push(self.rows.jacobian(c).iter().map(|part| part.tile as u32));
        }
        let begun = self.prepare_and_begin(&mut parts, &mut outcome);
        outcome.seconds[stage::LINEARISE] += lap(&mut clock) - outcome.seconds[stage::CONSTRAIN];
        let Some(mut merit) = begun else { return outcome };
        if settings.linearise == Linearise::Once {
            self.solver.options.max_iterations = Options::default().max_iterations;
            outcome.iterations = 1;
            if self.solve_linearised(&mut parts, &mut outcome) {
                self.direction(&mut parts);
                merit = self.merit(&mut parts, Some(1.0));
                self.accept(&mut parts);
                outcome.residual = if merit.impulse > 0.0 { merit.residual / merit.impulse } else { 0.0 };
                outcome.finite = merit.is_finite();
                outcome.converged = outcome.finite && merit.admissible;
            }
            outcome.seconds[stage::SOLVE] += lap(&mut clock);
            return outcome;
        }
        self.solver.options.max_iterations = INNER_ITERATIONS;
        let mut corrections = 0;
        while (outcome.iterations as usize) < settings.max_iterations {
            outcome.finite = merit.is_finite();
            if !outcome.finite {
                return outcome;
            }
            outcome.iterations += 1;
            if !self.solve_linearised(&mut parts, &mut outcome) {
                return outcome;
            }
            let slope = self.direction(&mut parts);
            outcome.seconds[stage::SOLVE] += lap(&mut clock);
            let found = self.search(&mut parts, &merit, slope);
            let stalled = found.is_none_or(|next| next.residual > CLEAR_FALL * merit.residual);
            merit = match found {
                Some(next) => next,
                // Stay, and evaluate there once more: the last trial has left its own residual.
                None => self.merit(&mut parts, Some(0.0)),
            };
            self.accept(&mut parts);
            let impulse = merit.impulse;
            let followers = parts.rods.iter().any(|w| !w.motion.followers.is_empty());
            if followers && found.is_some() {
                // Within the search followers keep the direction of the last linearisation; judge with them turned.
                self.linearise(&mut parts, Some(0.0));
                merit = self.merit(&mut parts, None);
            }
            outcome.seconds[stage::LINEARISE] += lap(&mut clock);
            let floor = if stalled { ROUND_OFF_FACTOR } else { 1.0 } * merit.round_off;
            outcome.residual = relative(merit.residual, impulse, floor / settings.tolerance);
            let last = found.is_none() || outcome.iterations as usize == settings.max_iterations;
            let settled = SETTLED * settings.tolerance * impulse;
            // A tangent of an earlier step has to do as well as one that is made now.
            let rods = parts.rods.iter().zip(&self.rod_joined).filter(|(_, part)| **part);
            let enough =
                last || merit.residual <= floor || !{ rods }.any(|(w, _)| w.needs_tangent(settled * settled));
            if enough && merit.admissible && merit.residual <= f64::max(settings.tolerance * impulse, floor) {
                let may_go_on = corrections < MOST_CORRECTIONS && !last;
                if !(may_go_on && self.correct_friction()) {
                    outcome.converged = true;
                    self.settle(&mut parts);
                    return outcome;
                }
                corrections += 1;
                merit = self.merit(&mut parts, None);
            } else if found.is_none() {
                return outcome;
            }
            if !followers {
                self.linearise(&mut parts, Some(settled));
            }
            outcome.seconds[stage::LINEARISE] += lap(&mut clock);
        }
        outcome
    }

    /// The first linearisation of a step, its laws, and the merit there; at the same time the solver finds the order of
    /// elimination, which needs no numbers. None if no law can be made.
    fn prepare_and_begin(&mut self, parts: &mut Parts<'_>, outcome: &mut Outcome) -> Option<Merit> {
        if parts.rods.len() == 1 {
            // What is not prepared is found by the solver itself.
            return self.begin(parts, outcome);
        }
        let (matrix, skip_free) = (self.problem.matrix.shared_pattern(), self.problem.skip_free);
        let (mut solver, pattern) = (core::mem::take(&mut self.solver), core::mem::take(&mut self.pattern));
        let prepare = || solver.prepare(&matrix, skip_free, &pattern);
        let merit = join_awake(|| self.begin(parts, outcome), prepare);
        (self.solver, self.pattern) = (solver, pattern);
        merit
    }

    fn begin(&mut self, parts: &mut Parts<'_>, outcome: &mut Outcome) -> Option<Merit> {
        self.linearise(parts, None);
        let mut clock = Instant::now();
        let lawful = self.make_laws(parts, outcome);
        if lawful {
            self.begin_excess();
        }
        outcome.seconds[stage::CONSTRAIN] += lap(&mut clock);
        lawful.then(|| self.merit(parts, None))
    }

    /// Residuals and tangents at the iterate, and their copy in the problem. If it is not the first time in a step, rods
    /// keep their tangent whose residual is at most `settled` at the accepted trial.
    fn linearise(&mut self, parts: &mut Parts<'_>, settled: Option<f64>) {
        let first_time = settled.is_none();
        let Parts { model, state, weights, rods, trees } = parts;
        let (dof_map, joined) = (&self.dof_map, &self.rod_joined);
        let (v_star, _) = self.problem.v_star.as_chunks_mut::<4>();
        let (residual, _) = self.problem.residual.as_chunks_mut::<4>();
        let rod_tiles = dof_map.rod_tile[rods.len()];
        let (pattern, tiles) = self.problem.matrix.split_mut();
        let share = RodShare { first: 0, rods, tiles, v_star: &mut v_star[..rod_tiles], residual };
        share.for_each((dof_map, pattern), &|r, work, tiles, v_star, residual| {
            if joined[r] {
                let (rod, rod_state) = (&model.rods[r], &state.rods[r]);
                work.kept_tangent = match settled {
                    None => work.linearise_first(rod, rod_state, *weights, &model.settings),
                    Some(settled) => work.left <= settled * settled,
                };
                if !work.kept_tangent {
                    if !first_time {
                        work.linearise_anew(rod, rod_state, *weights);
                    }
                    work.made_positive = false;
                    dof_map.set_rod(r, &work.motion, tiles);
                }
                let motion = &work.motion;
                v_star.copy_from_slice(&motion.v);
                for ((to, from), held) in residual.iter_mut().zip(&motion.residual).zip(&motion.held) {
                    for k in 0..4 {
                        // No residual where something is held.
                        to[k] = if held[k] { 0.0 } else { from[k] };
                    }
                }
            }
        });
        let unchanged = &mut self.problem.unchanged;
        unchanged.clear();
        unchanged.resize(self.dof_map.blocks.tile_count(), Unchanged::Nothing);
        let same = if first_time { Unchanged::Matrix } else { Unchanged::Rows };
        for (r, (work, changed)) in rods.iter().zip(&mut self.changed).enumerate() {
            *changed |= joined[r] && !work.kept_tangent;
            if !*changed {
                unchanged[dof_map.rod_tile[r]..dof_map.rod_tile[r + 1]].fill(same);
            }
        }
        for (t, work) in trees.iter_mut().enumerate().filter(|(t, _)| self.tree_joined[*t]) {
            work.merit = Some(work.motion.linearise(&model.trees[t].tree, &state.trees[t]));
            self.dof_map.set_tree(t, &work.motion, &mut self.problem.matrix);
            let first = 4 * self.dof_map.tree_tile[t];
            let n = work.motion.v.len();
            self.problem.v_star[first..first + n].copy_from_slice(&work.motion.v);
            self.problem.residual[first..first + n].copy_from_slice(&work.motion.residual);
        }
    }

    /// Laws from weights at the start of the step. False if the model has a parameter that no law can work with.
    fn make_laws(&mut self, parts: &mut Parts<'_>, outcome: &mut Outcome) -> bool {
        for work in parts.trees.iter_mut() {
            if work.motion.factor().is_err() {
                return false;
            }
        }
        // Constraints before the one that finds a tangent not positive definite keep their weights.
        let mut from = 0;
        while let Err(bad) = self.weights.find(
            from,
            (&self.rows, &self.laws),
            (&self.dof_map, &self.problem.matrix, &*parts.trees),
        ) {
            if !self.make_positive(bad.tile, parts, outcome) {
                return false;
            }
            from = bad.constraint;
        }
        self.problem.constraints.clear();
        for (c, spec) in self.laws.iter().enumerate() {
            let Ok(law) = spec.law(self.weights.of(c), parts.weights.dt) else {
                outcome.finite = false;
                return false;
            };
            self.problem.constraints.push_driven(law, self.rows.jacobian(c), self.rows.driven[c]);
        }
        true
    }

    /// Replaces the tangent of the rod that owns `tile` by one that is positive definite. False if that cannot help.
    fn make_positive(&mut self, tile: usize, parts: &mut Parts<'_>, outcome: &mut Outcome) -> bool {
        let Ok(r) = self.dof_map.owner(tile) else { return false };
        let work = &mut parts.rods[r];
        if work.made_positive || !self.rod_joined[r] {
            return false;
        }
        work.made_positive = true;
        outcome.altered_tangents += 1;
        work.motion.make_positive(&parts.model.rods[r], &parts.state.rods[r], parts.weights);
        work.rest.forget();
        self.changed[r] = true;
        let slots = self.dof_map.rod_slots(r, self.problem.matrix.pattern());
        self.dof_map.set_rod(r, &work.motion, &mut self.problem.matrix.tiles_mut()[slots]);
        let tiles = self.dof_map.rod_tile[r]..self.dof_map.rod_tile[r + 1];
        self.problem.unchanged[tiles].fill(Unchanged::Nothing);
        true
    }

    /// u at the iterate.
    fn begin_excess(&mut self) {
        let constraints = &self.problem.constraints;
        constraints.excess(self.problem.v_star.as_chunks::<4>().0, &mut self.excess);
        for vector in [&mut self.impulses, &mut self.change, &mut self.trial] {
            vector.clear();
            vector.resize(constraints.len(), [0.0; 3]);
        }
    }

    /// The convex problem at the present linearisation. False if it has no solution.
    fn solve_linearised(&mut self, parts: &mut Parts<'_>, outcome: &mut Outcome) -> bool {
        loop {
            if self.solver.solve(&self.problem, None, &mut self.solution).is_err() {
                outcome.finite = false;
                return false;
            }
            outcome.inner_iterations += self.solution.iterations as u32;
            match self.solution.status {
                Status::NotPositiveDefinite { tile, .. } => {
                    if !self.make_positive(tile, parts, outcome) {
                        return false;
                    }
                }
                status => {
                    if status.has_solution() {
                        self.changed.fill(false);
                    }
                    return status.has_solution();
                }
            }
        }
    }
}
