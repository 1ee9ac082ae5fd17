//! The constraints of an island and the convex problem at an iterate.
//!
//! At the iterate v the momentum balance of the parts has the residual m and the tangent A; the problem
//!
//! ```text
//!   minimize over v'   ½ |v' − v|²_A + mᵀ(v' − v) + Σ ℓ_i(J_i v' − v̂_i)
//! ```
//!
//! has one optimum, and the way there is the direction of Newton's method. J, the laws and their compliance stay as
//! they are at the start of the solve, but for the friction of patches, which goes on with the normal force that was
//! found.

use super::dof_map::DofMap;
use super::newton::Given;
use super::part::IslandPart;
use crate::model::Model;
use crate::report::stage;
use crate::step::Outcome;
use crate::step::constrain::effective_mass::EffectiveMasses;
use crate::step::parallel::{PartShare, for_each_part};
use crate::step::timer::lap;
use crate::step::worker::join_awake;
use ropewalk_contact::law::{ConstraintLaw, Rows};
use ropewalk_contact::{
    Blocks, ConstraintPattern, JacobianTile, Law, Options, Problem, Solution, Solver, Status, Unchanged,
};
use std::time::Instant;

/// What joins the parts of an island.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coupling {
    /// The constraints, by their numbers among all.
    pub(in crate::step) constraints: Vec<usize>,
    /// First tile of each part in the vectors of the island, and the end of the last.
    first_tile: Vec<usize>,
    /// First slot of each part in the matrix, and the end of the last.
    first_slot: Vec<usize>,
    /// How many of the parts are rods.
    rod_count: usize,
    problem: Problem,
    solver: Solver,
    solution: Solution,
    masses: EffectiveMasses,
    /// Tiles of the constraints, which is what the order of elimination is made for.
    pattern: ConstraintPattern,
    /// The Jacobians, with tiles of the island, and where each begins.
    jacobian: Vec<JacobianTile>,
    starts: Vec<usize>,
    /// By part: whether its tiles of the matrix are others than in the last solve.
    changed: Vec<bool>,
    /// Impulses at the last evaluation.
    pub(super) impulses: Vec<Rows>,
    /// u = J v − v̂ at the iterate, J d along the direction, and u at the trial.
    excess: Vec<Rows>,
    change: Vec<Rows>,
    trial: Vec<Rows>,
    /// Jᵀλ.
    pub(super) push: Vec<[f64; 4]>,
}

impl Coupling {
    /// Room for the unknowns of `parts`, which are others than before.
    pub(super) fn set_parts(&mut self, model: &Model, dof_map: &DofMap, parts: &[usize]) {
        let (mut blocks, mut pairs) = (Blocks::new(), Vec::new());
        for &part in parts {
            dof_map.add_part(model, part, &mut blocks, &mut pairs);
        }
        let (n, matrix) = (blocks.vector_len(), blocks.matrix(pairs));
        self.rod_count = parts.iter().filter(|&&part| part < model.rods.len()).count();
        self.first_tile.clear();
        self.first_slot.clear();
        let mut tile = 0;
        for &part in parts {
            self.first_tile.push(tile);
            self.first_slot.push(matrix.pattern().slots(tile).start);
            tile += dof_map.tiles(part).len();
        }
        self.first_tile.push(tile);
        self.first_slot.push(matrix.pattern().slot_count());
        self.problem = Problem {
            blocks,
            matrix,
            v_star: vec![0.0; n],
            residual: vec![0.0; n],
            skip_free: true,
            ..Problem::default()
        };
        self.push.clear();
        self.push.resize(tile, [0.0; 4]);
        self.changed.clear();
        self.changed.resize(parts.len(), true);
        self.set_order(None);
    }

    /// The matrix is not that of the last solve any more.
    pub(super) fn forget_matrix(&mut self) {
        self.changed.fill(true);
    }

    /// The constraints for which the order of elimination in use was made.
    pub(super) fn order(&self) -> &ConstraintPattern {
        self.solver.analysis_cache().analyzed_pattern()
    }

    /// Takes the order of elimination that suits the constraints of `order`, or the next ones.
    pub(super) fn set_order(&mut self, order: Option<&ConstraintPattern>) {
        match order {
            Some(order) if self.order() == order => {}
            Some(order) => self.solver.analysis_cache_mut().set_pattern(&self.problem, order),
            None => self.solver = Solver::default(),
        }
    }

    /// Takes its constraints from those of the step.
    fn gather(&mut self, parts: &[IslandPart<'_>], given: &Given<'_>) {
        let Self { constraints, pattern, jacobian, starts, first_tile, .. } = self;
        pattern.clear();
        jacobian.clear();
        starts.clear();
        for &c in &*constraints {
            let from = jacobian.len();
            starts.push(from);
            for tile in given.rows.jacobian(c) {
                let part = given.dof_map.part_of(tile.tile);
                let at = parts.partition_point(|p| p.id < part);
                let local = tile.tile - given.dof_map.tiles(part).start + first_tile[at];
                jacobian.push(JacobianTile { tile: local, rows: tile.rows });
            }
            pattern.push(jacobian[from..].iter().map(|tile| tile.tile as u32));
        }
        starts.push(jacobian.len());
    }

    /// The first linearization, and the laws there; at the same time the solver finds the order of elimination, which
    /// needs no numbers. False if no law can be made.
    pub(super) fn begin(
        &mut self,
        parts: &mut [IslandPart<'_>],
        given: &Given<'_>,
        outcome: &mut Outcome,
    ) -> bool {
        self.gather(parts, given);
        let settings = &given.model.settings;
        let (options, tuning) = (&mut self.solver.options, given.tuning());
        options.tolerance = tuning.inner_tolerance.min(1e-2 * settings.tolerance);
        options.line_search_tolerance = tuning.inner_line_search;
        options.max_iterations =
            if given.once() { Options::default().max_iterations } else { tuning.inner_iterations as usize };
        if parts.len() == 1 {
            // What is not prepared is found by the solver itself.
            return self.begin_numbers(parts, given, outcome);
        }
        let (matrix, skip_free) = (self.problem.matrix.shared_pattern(), self.problem.skip_free);
        let (mut solver, pattern) = (core::mem::take(&mut self.solver), core::mem::take(&mut self.pattern));
        let prepare = || solver.prepare(&matrix, skip_free, &pattern);
        let lawful = join_awake(|| self.begin_numbers(parts, given, outcome), prepare);
        (self.solver, self.pattern) = (solver, pattern);
        lawful
    }

    fn begin_numbers(
        &mut self,
        parts: &mut [IslandPart<'_>],
        given: &Given<'_>,
        outcome: &mut Outcome,
    ) -> bool {
        self.linearize(parts, given, None);
        let mut clock = Instant::now();
        let lawful = self.make_laws(parts, given, outcome);
        if lawful {
            let constraints = &self.problem.constraints;
            constraints.excess(self.problem.v_star.as_chunks::<4>().0, &mut self.excess);
            for vector in [&mut self.impulses, &mut self.change, &mut self.trial] {
                vector.clear();
                vector.resize(constraints.len(), [0.0; 3]);
            }
        }
        outcome.seconds[stage::CONSTRAIN] += lap(&mut clock);
        lawful
    }

    /// Residuals and tangents at the iterate, and their copy in the problem. If it is not the first time in a solve,
    /// parts keep their tangent whose residual is at most `settled` at the accepted trial.
    pub(super) fn linearize(
        &mut self,
        parts: &mut [IslandPart<'_>],
        given: &Given<'_>,
        settled: Option<f64>,
    ) {
        for (part, changed) in parts.iter_mut().zip(&self.changed) {
            part.iterate().in_matrix = !changed;
        }
        let (v_star, _) = self.problem.v_star.as_chunks_mut::<4>();
        let (residual, _) = self.problem.residual.as_chunks_mut::<4>();
        let (_, tiles) = self.problem.matrix.split_mut();
        let share = PartShare { first: 0, parts, tiles, v_star, residual };
        share.for_each((&self.first_tile, &self.first_slot), &|part, tiles, v_star, residual| {
            let kept = match settled {
                None => part.linearize_first(given.step, &given.model.settings) && part.iterate().in_matrix,
                Some(settled) => part.rod().is_some() && part.iterate().left <= settled * settled,
            };
            if !kept {
                if settled.is_some() {
                    part.iterate().merit = part.linearize(given.step);
                }
                part.iterate().altered = false;
                part.copy_tangent(given.dof_map.node_slots(part.id), tiles);
            }
            part.iterate().kept_tangent = kept;
            part.copy_iterate(v_star, residual);
        });
        let unchanged = &mut self.problem.unchanged;
        unchanged.clear();
        unchanged.resize(self.problem.blocks.tile_count(), Unchanged::Nothing);
        let same = if settled.is_none() { Unchanged::Matrix } else { Unchanged::Rows };
        for (i, part) in parts.iter_mut().enumerate() {
            self.changed[i] |= !part.iterate().kept_tangent;
            if !self.changed[i] {
                unchanged[self.first_tile[i]..self.first_tile[i + 1]].fill(same);
            }
        }
    }

    /// Laws from the effective masses at the first linearization. False if the model has a parameter that no law can
    /// work with.
    fn make_laws(&mut self, parts: &mut [IslandPart<'_>], given: &Given<'_>, outcome: &mut Outcome) -> bool {
        if !parts[self.rod_count..].iter_mut().all(|tree| tree.factor()) {
            return false;
        }
        // Constraints before the one that finds a tangent not positive definite keep their masses.
        let mut from = 0;
        loop {
            let Self { masses, constraints, starts, jacobian, first_tile, problem, rod_count, .. } = self;
            let rows = |c: usize| &jacobian[starts[c]..starts[c + 1]];
            let specs = |c: usize| given.constraints[constraints[c]].row_count();
            let trees = (&parts[*rod_count..], &first_tile[*rod_count..]);
            let Err(bad) = masses.find(from..constraints.len(), (rows, specs), (&problem.matrix, trees))
            else {
                break;
            };
            if !self.alter_tangent(bad.tile, parts, given, outcome) {
                return false;
            }
            from = bad.constraint;
        }
        self.problem.constraints.clear();
        for (i, &c) in self.constraints.iter().enumerate() {
            let Ok(law) = given.constraints[c].law(self.masses.of(i), given.step.weights.dt) else {
                outcome.finite = false;
                return false;
            };
            let jacobian = &self.jacobian[self.starts[i]..self.starts[i + 1]];
            self.problem.constraints.push_driven(law, jacobian, given.rows.driven[c]);
        }
        true
    }

    /// Replaces the tangent of the part that owns `tile` by one that is positive definite. False if that cannot help.
    fn alter_tangent(
        &mut self,
        tile: usize,
        parts: &mut [IslandPart<'_>],
        given: &Given<'_>,
        outcome: &mut Outcome,
    ) -> bool {
        let at = self.first_tile.partition_point(|&first| first <= tile) - 1;
        let part = &mut parts[at];
        if part.iterate().altered || !part.alter_tangent(given.step) {
            return false;
        }
        part.iterate().altered = true;
        outcome.altered_tangents += 1;
        self.changed[at] = true;
        let slots = self.first_slot[at]..self.first_slot[at + 1];
        part.copy_tangent(given.dof_map.node_slots(part.id), &mut self.problem.matrix.tiles_mut()[slots]);
        self.problem.unchanged[self.first_tile[at]..self.first_tile[at + 1]].fill(Unchanged::Nothing);
        true
    }

    /// The way from the iterate to the optimum of the convex problem, in every part, and its slope. None if the problem
    /// has no solution.
    pub(super) fn direction(
        &mut self,
        parts: &mut [IslandPart<'_>],
        given: &Given<'_>,
        outcome: &mut Outcome,
    ) -> Option<f64> {
        loop {
            if self.solver.solve(&self.problem, None, &mut self.solution).is_err() {
                outcome.finite = false;
                return None;
            }
            outcome.inner_iterations += self.solution.iterations as u32;
            match self.solution.status {
                Status::NotPositiveDefinite { tile, .. } => {
                    if !self.alter_tangent(tile, parts, given, outcome) {
                        return None;
                    }
                }
                status if status.has_solution() => break,
                _ => return None,
            }
        }
        self.changed.fill(false);
        let (to, _) = self.solution.v.as_chunks::<4>();
        let (from, _) = self.problem.v_star.as_chunks::<4>();
        let first_tile = &self.first_tile;
        for_each_part(parts, |i, part| {
            let tiles = first_tile[i]..first_tile[i + 1];
            part.direct_to(&from[tiles.clone()], &to[tiles]);
        });
        let slope: f64 = parts.iter_mut().map(|part| part.iterate().slope).sum();
        let mut pushed = [0.0; 3];
        for (c, to) in self.solution.excess.iter().enumerate() {
            for row in 0..3 {
                self.change[c][row] = to[row] - self.excess[c][row];
                pushed[row] += self.impulses[c][row] * self.change[c][row];
            }
        }
        Some(slope - pushed.iter().sum::<f64>())
    }

    /// Impulses at a fraction of the direction, which becomes the trial, and Jᵀλ. Returns the costs.
    pub(super) fn trial(&mut self, fraction: f64) -> f64 {
        let Self { problem, push, impulses, trial, excess, change, .. } = self;
        let constraints = &problem.constraints;
        push.fill([0.0; 4]);
        let mut cost = 0.0;
        for c in 0..constraints.len() {
            let (u, d) = (excess[c], change[c]);
            let u = [u[0] + fraction * d[0], u[1] + fraction * d[1], u[2] + fraction * d[2]];
            trial[c] = u;
            let law = constraints.law(c);
            cost += law.cost(u);
            impulses[c] = law.impulse(u);
        }
        constraints.add_impulses(impulses, push);
        cost
    }

    /// Takes the trial as the iterate.
    pub(super) fn accept(&mut self) {
        core::mem::swap(&mut self.excess, &mut self.trial);
    }

    /// What is pushed on a part, by its place in the island.
    pub(super) fn push_on(&self, at: usize) -> &[[f64; 4]] {
        &self.push[self.first_tile[at]..self.first_tile[at + 1]]
    }

    /// How many constraints there are.
    pub(super) fn len(&self) -> usize {
        self.constraints.len()
    }

    /// Velocity of the rows of a constraint at the iterate, with that of what drives them.
    pub(super) fn row_velocity(&self, constraint: usize) -> Rows {
        let bias = self.problem.constraints.law(constraint).bias();
        let u = self.excess[constraint];
        [u[0] + bias[0], u[1] + bias[1], u[2] + bias[2]]
    }

    /// Gives the polygons of patches the normal impulses that have been found, if friction is off by more than a share
    /// `tolerated` with those that were expected. False if it is not.
    pub(super) fn correct_friction(&mut self, tolerated: f64) -> bool {
        let rows = 0..self.len();
        let (mut error, mut total) = (0.0, 0.0);
        for row in rows.clone() {
            if let Law::Disk(law) = self.problem.constraints.law(row) {
                error += law.friction_error(self.impulses[row]);
                let [l1, l2, _] = self.impulses[row];
                total += (l1 * l1 + l2 * l2).sqrt();
            }
        }
        if error <= tolerated * total {
            return false;
        }
        for row in rows {
            if let Law::Disk(law) = *self.problem.constraints.law(row) {
                self.problem.constraints.set_law(row, law.expecting(self.impulses[row][2].max(0.0)));
            }
        }
        true
    }
}
