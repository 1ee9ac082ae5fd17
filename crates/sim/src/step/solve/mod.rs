//! Solve: velocities and impulses such that momentum balances.
//!
//! What no constraint joins to anything moves by itself ([`free`]); what constraints join is one convex problem,
//! linearized until it holds ([`coupled`]). Then the contacts are updated to where the motion leads: normals that have
//! turned, and pairs that close although they were expected to stay open; if anything has changed, it is solved again.

pub(in crate::step) mod active_set;
pub(crate) mod coupled;
pub(in crate::step) mod dof_map;
pub(crate) mod free;
mod impulses;
mod line_search;
pub(crate) mod tangent_cache;

use super::check::EndOfStep;
use super::constrain::{self, StartKinematics};
use super::parallel::for_each_rod;
use super::timer::Timer;
use super::{Outcome, SubStep};
use crate::model::{Linearise, Model, State};
use crate::report::stage;
use crate::workspace::Workspace;
use constrain::contact_update::{MOST_UPDATES, Violation};
use coupled::CoupledSolve;

/// Violation, over the least before, at which the contact update is given up.
const DIVERGES: f64 = 4.0;

/// Moves the rods by themselves whose contacts are all open, and sets the contacts aside that stay open.
pub(in crate::step) fn choose_active(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    step: SubStep,
) {
    let Workspace { rods, trees, coupling, .. } = workspace;
    let CoupledSolve { dof_map, collision, active_set, .. } = coupling;
    active_set.clear(model);
    if model.settings.linearise == Linearise::Once || collision.contacts.is_empty() {
        return;
    }
    let start = StartKinematics::from_parts(model, state, dof_map, rods, trees);
    active_set.choose(&collision.contacts, &start, model, step.weights.dt);
    let alone = &active_set.alone;
    for_each_rod(rods, &mut state.rods, |r, work, rod_state| {
        if alone[r] {
            free::solve(&model.rods[r], rod_state, step.weights, &model.settings, work);
        }
    });
    active_set.deactivate(&mut collision.contacts, rods, model, step.weights.dt);
}

/// Moves everything. Leaves velocities in the work of rods and trees, impulses in the coupled solve.
pub(in crate::step) fn solve(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    step: SubStep,
) -> Outcome {
    solve_free(model, state, workspace, step);
    let mut coupled = Outcome::none();
    let mut least = f64::INFINITY;
    for pass in 0..=MOST_UPDATES {
        if pass == 0 {
            predict(model, state, workspace, step);
        }
        let before = coupled;
        coupled = solve_coupled(model, state, workspace, step);
        coupled.add_cost(&before);
        if !coupled.converged || model.settings.linearise == Linearise::Once {
            break;
        }
        coupled.violation = measure_contacts(model, state, workspace, step);
        let joined = reactivate(model, workspace, step) | add_uncovered(model, state, workspace, step);
        let (violation, updated) = (coupled.violation.greatest(), coupled.violation.matters());
        least = least.min(violation);
        // An update that leads away will not come back: a shorter step will do.
        let diverges = pass >= 2 && violation > DIVERGES * least;
        if !(joined || updated) || pass == MOST_UPDATES || diverges {
            // What has come to be touched only now is not solved for: a shorter step will do.
            coupled.blocked |= joined;
            coupled.converged &= !joined;
            break;
        }
        if updated {
            workspace.coupling.update_contacts();
        }
        constrain::assemble(model, state, workspace, step);
    }
    let mut outcome = Outcome::of_all(workspace);
    outcome.merge(&coupled);
    outcome
}

/// Moves what no constraint joins. In the step of the paper everything moves freely first.
fn solve_free(model: &Model, state: &mut State, workspace: &mut Workspace, step: SubStep) {
    let Workspace { rods, trees, coupling, .. } = workspace;
    let once = model.settings.linearise == Linearise::Once;
    let (joined, alone) = (&coupling.rod_joined, &coupling.active_set.alone);
    for_each_rod(rods, &mut state.rods, |r, work, rod_state| {
        if alone[r] {
            // Solved already.
        } else if !joined[r] || once {
            free::solve(&model.rods[r], rod_state, step.weights, &model.settings, work);
        } else {
            // It may have been tried by itself, to no avail.
            (work.outcome.converged, work.outcome.residual) = (true, 0.0);
        }
    });
    for (t, work) in trees.iter_mut().enumerate() {
        if coupling.tree_joined[t] && !once {
            work.outcome.converged = true;
        } else {
            free::solve_tree(&model.trees[t].tree, &state.trees[t], &model.settings, work);
        }
    }
}

/// What constraints join, with the contacts as they are linearized.
fn solve_coupled(model: &Model, state: &State, workspace: &mut Workspace, step: SubStep) -> Outcome {
    let Workspace { coupling, rods, trees, .. } = workspace;
    if coupling.rows.len() == 0 {
        return Outcome::none();
    }
    coupling.solve(model, state, step.weights, rods, trees)
}

/// Linearizes contacts that slide about where the velocities at the start lead.
fn predict(model: &Model, state: &State, workspace: &mut Workspace, step: SubStep) {
    let Workspace { coupling, rods, trees, seconds, .. } = workspace;
    if coupling.linearized.is_empty() || !follows_contacts(model) {
        return;
    }
    let timer = Timer::start(&mut seconds[stage::CONSTRAIN]);
    let any = coupling.predict_contacts(&EndOfStep { model, state, rods, trees, weights: step.weights });
    drop(timer);
    if any {
        constrain::assemble(model, state, workspace, step);
    }
}

/// How far contacts are from what they stand for with the motion found.
fn measure_contacts(model: &Model, state: &State, workspace: &mut Workspace, step: SubStep) -> Violation {
    let Workspace { coupling, rods, trees, seconds, .. } = workspace;
    if coupling.linearized.is_empty() || !follows_contacts(model) {
        return Violation::default();
    }
    let _timer = Timer::start(&mut seconds[stage::CONSTRAIN]);
    coupling.measure_contacts(&EndOfStep { model, state, rods, trees, weights: step.weights })
}

/// Whether something is closed at the end of the motion found that no row held open; it has rows from now on.
fn add_uncovered(model: &Model, state: &State, workspace: &mut Workspace, step: SubStep) -> bool {
    let Workspace { coupling, rods, trees, seconds, .. } = workspace;
    if model.contact.is_none() || !follows_contacts(model) {
        return false;
    }
    let _timer = Timer::start(&mut seconds[stage::CONSTRAIN]);
    coupling.add_uncovered(&EndOfStep { model, state, rods, trees, weights: step.weights })
}

/// Whether the gap at the end of the step is what the rows say: φ̄ + δt n·v, for a motion by δt v.
fn follows_contacts(model: &Model) -> bool {
    model.settings.linearise != Linearise::Once && model.settings.scheme.theta_vq == 1.0
}

/// Whether rods that moved by themselves are touched by what was solved together, and take part from now on.
fn reactivate(model: &Model, workspace: &mut Workspace, step: SubStep) -> bool {
    let Workspace { rods, coupling, .. } = workspace;
    let CoupledSolve { collision, active_set, .. } = coupling;
    active_set.reactivate(&mut collision.contacts, rods, model, step.weights.dt)
}
