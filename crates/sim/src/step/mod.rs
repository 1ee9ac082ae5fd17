//! One time step: the stages, in order.
//!
//! 1. [`constrain`]: clamps and drives at the end of the step → prescribed velocities, natural shapes
//! 2. [`load`]: gravity, loads, drag → forces
//! 3. [`solve`]: linearise the momentum balance and solve it, again and again, until it holds
//! 4. [`advance`]: q from v, frames carried along
//! 5. [`observe`]: forces of the clamps, work
//!
//! Rods that do not touch are independent: each goes through 1–3 on its own, in parallel. If one does not converge
//! the whole world takes half the step instead. The result does not depend on the number of threads.

pub(crate) mod advance;
mod constrain;
mod load;
mod observe;
pub(crate) mod solve;

use crate::model::{Model, State};
use crate::report::{STAGES, StepReport, StepStatus};
use crate::workspace::{RodOutcome, RodWork, Workspace};
use rayon::prelude::*;
use ropewalk_rod::RodState;
use ropewalk_rod::motion::{LEAST_SHAPE, LEAST_SHAPE_IN_PASSING, StepWeights};
use std::time::Instant;

/// Takes `state` one step of `model.settings.dt` further. On failure the state is as it was.
pub fn step(model: &Model, state: &mut State, workspace: &mut Workspace) -> StepReport {
    let mut report = StepReport {
        status: StepStatus::Converged,
        substeps: 0,
        iterations: 0,
        residual: 0.0,
        altered_tangents: 0,
        degenerate_substeps: 0,
        stage_seconds: [0.0; STAGES.len()],
        work: 0.0,
    };
    workspace.backup.clone_from(state);
    for impulse in &mut workspace.impulses {
        *impulse = Default::default();
    }
    // The step is 2^max_halvings units long; a sub-step is a power of two of them.
    let whole = 1u64 << model.settings.max_halvings.min(40);
    let unit = model.settings.dt / whole as f64;
    let start = state.time;
    let (mut done, mut size) = (0u64, whole);
    let mut passing = false;
    while done < whole {
        let end = start + (done + size) as f64 * unit;
        let least_shape = if passing { LEAST_SHAPE_IN_PASSING } else { LEAST_SHAPE };
        let outcome = substep(model, state, workspace, size as f64 * unit, end, least_shape);
        report.add(&outcome);
        if outcome.converged {
            done += size;
            report.degenerate_substeps += u32::from(passing);
            passing = false;
            // Try the longer step again once it fits.
            if size < whole && done % (2 * size) == 0 && done < whole {
                size *= 2;
            }
        } else if !passing
            && outcome.finite
            && (size <= whole >> HALVINGS_BEFORE_PASSING || folded(model, state))
        {
            // Shorter steps do not avoid a shape that the motion leads to.
            passing = true;
        } else if size > 1 {
            passing = false;
            size /= 2;
        } else {
            report.status = if outcome.finite { StepStatus::NotConverged } else { StepStatus::NotFinite };
            state.clone_from(&workspace.backup);
            return report;
        }
    }
    state.time = start + model.settings.dt;
    observe::wrenches(workspace, model.settings.dt);
    report
}

/// Halvings before a sub-step may pass through shapes that are refused otherwise.
const HALVINGS_BEFORE_PASSING: u32 = 4;

/// Whether a rod is in such a shape already.
fn folded(model: &Model, state: &State) -> bool {
    model.rods.iter().zip(&state.rods).any(|(rod, s)| s.least_shape(rod) < LEAST_SHAPE)
}

/// One sub-step of length `dt` that ends at time `end`. The state changes only if all rods converge.
pub(crate) fn substep(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    dt: f64,
    end: f64,
    least_shape: f64,
) -> RodOutcome {
    let scheme = model.settings.scheme;
    let weights = StepWeights { dt, theta: scheme.theta, theta_vq: scheme.theta_vq };
    for_each_rod(workspace, state, |r, work, rod_state| {
        let rod = &model.rods[r];
        work.outcome = RodOutcome { finite: true, ..RodOutcome::default() };
        let clock = Instant::now();
        work.natural_before.clone_from(&rod_state.natural);
        let shape_work = constrain::set_natural_shape(model, r, rod_state, end);
        constrain::set_prescribed(model, r, rod_state, weights, end, &mut work.motion);
        load::set_forces(model, r, rod_state, end, work);
        work.motion.least_shape = least_shape;
        work.motion.begin(rod, rod_state, weights);
        work.outcome.seconds[0] += clock.elapsed().as_secs_f64();
        work.outcome.work += shape_work;
        solve::solve(rod, rod_state, weights, &model.settings, work);
    });
    let mut outcome = RodOutcome::of_all(&workspace.rods);
    if outcome.converged {
        observe::impulses(model, state, workspace);
        for_each_rod(workspace, state, |r, work, rod_state| {
            let clock = Instant::now();
            let work_done = observe::work(&model.rods[r], rod_state, weights, work);
            work.outcome.seconds[4] += clock.elapsed().as_secs_f64();
            work.outcome.work += work_done;
            let clock = Instant::now();
            advance::advance(&model.rods[r], rod_state, weights, &mut work.motion);
            work.outcome.seconds[3] += clock.elapsed().as_secs_f64();
        });
        state.time = end;
        outcome = RodOutcome::of_all(&workspace.rods);
    } else {
        // The next, shorter attempt counts the work of the drives from here again.
        for (work, rod_state) in workspace.rods.iter().zip(&mut state.rods) {
            rod_state.natural.clone_from(&work.natural_before);
        }
    }
    outcome
}

/// Calls `work_on` for every rod, in parallel if there are several.
fn for_each_rod(
    workspace: &mut Workspace,
    state: &mut State,
    work_on: impl Fn(usize, &mut RodWork, &mut RodState) + Send + Sync,
) {
    if let ([work], [rod_state]) = (&mut workspace.rods[..], &mut state.rods[..]) {
        work_on(0, work, rod_state);
        return;
    }
    let rods = workspace.rods.par_iter_mut().zip(state.rods.par_iter_mut()).enumerate();
    rods.with_max_len(1).for_each(|(r, (work, rod_state))| work_on(r, work, rod_state));
}

impl RodOutcome {
    /// The outcomes of all rods together.
    fn of_all(rods: &[RodWork]) -> Self {
        let mut outcome = Self { converged: true, finite: true, ..Self::default() };
        for work in rods {
            outcome.merge(&work.outcome);
        }
        outcome
    }

    /// Sums and maxima over rods, in their order.
    fn merge(&mut self, other: &Self) {
        self.converged &= other.converged;
        self.finite &= other.finite;
        self.iterations = self.iterations.max(other.iterations);
        self.residual = self.residual.max(other.residual);
        self.altered_tangents += other.altered_tangents;
        self.work += other.work;
        for (mine, theirs) in self.seconds.iter_mut().zip(&other.seconds) {
            *mine += theirs;
        }
    }
}

impl StepReport {
    fn add(&mut self, outcome: &RodOutcome) {
        self.iterations += outcome.iterations;
        self.altered_tangents += outcome.altered_tangents;
        for (mine, theirs) in self.stage_seconds.iter_mut().zip(&outcome.seconds) {
            *mine += theirs;
        }
        if outcome.converged {
            self.substeps += 1;
            self.residual = self.residual.max(outcome.residual);
            self.work += outcome.work;
        }
    }
}
