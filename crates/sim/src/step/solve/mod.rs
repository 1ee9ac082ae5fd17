//! Solve: velocities and impulses such that momentum balances.
//!
//! Parts that constraints join are an island, and one that nothing acts on is an island by itself ([`islands`]); each is
//! solved by the same Newton's method ([`newton`]). Then the contacts are updated to where the motion leads: normals that have
//! turned, and pairs that close although they were expected to stay open; if anything has changed, it is solved again.

pub(in crate::step) mod active_set;
pub(crate) mod coupled;
mod coupling;
pub(in crate::step) mod dof_map;
mod impulses;
pub(in crate::step) mod islands;
pub(crate) mod newton;
pub(crate) mod part;
pub(crate) mod tangent_cache;

use super::check::EndOfStep;
use super::constrain::{self, StartKinematics};
use super::timer::Timer;
use super::{Outcome, SubStep};
use crate::model::{Linearize, Model, State};
use crate::report::stage;
use crate::workspace::Workspace;
use constrain::violation::Violation;
use coupled::CoupledSolve;
use newton::Given;
use part::IslandPart;

/// Moves the rods by themselves whose contacts are all open, and sets the contacts aside that stay open. In the step of
/// the paper everything moves freely first.
pub(in crate::step) fn choose_active(model: &Model, state: &State, workspace: &mut Workspace, step: SubStep) {
    let Workspace { rods, trees, coupling, .. } = workspace;
    let CoupledSolve { dof_map, collision, active_set, islands, rows, constraints, .. } = coupling;
    let once = model.settings.linearize == Linearize::Once;
    active_set.clear(model);
    islands.begin();
    if !once {
        if collision.contacts.is_empty() {
            return;
        }
        let start = StartKinematics::from_parts(model, state, dof_map, rods, trees);
        active_set.choose(&collision.contacts, &start, model, step.weights.dt);
    }
    let given = Given { model, step, dof_map, rows, constraints };
    let alone = |part: &IslandPart<'_>, _| once || active_set.alone.get(part.id).is_some_and(|alone| *alone);
    islands.solve(&given, state, (rods, trees), alone);
    if !once {
        active_set.deactivate(&mut collision.contacts, rods, model, step.weights.dt);
    }
}

/// Moves everything. Leaves velocities in the work of rods and trees, impulses in the coupled solve.
pub(in crate::step) fn solve(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    step: SubStep,
) -> Outcome {
    solve_islands(model, state, workspace, step, false);
    let tuning = &model.settings.tuning;
    let most_updates = tuning.contact_updates as usize;
    let mut coupled = Outcome::none();
    let mut least = f64::INFINITY;
    for pass in 0..=most_updates {
        if pass == 0 {
            predict(model, state, workspace, step);
        }
        let before = coupled;
        coupled = solve_islands(model, state, workspace, step, true);
        coupled.add_cost(&before);
        if !coupled.converged || model.settings.linearize == Linearize::Once {
            break;
        }
        coupled.violation = measure_contacts(model, state, workspace, step);
        let updated = coupled.violation.matters();
        let solved = workspace.coupling.linearized.len();
        let mut joined = reactivate(model, workspace, step);
        if let Some(uncovered) = find_uncovered(model, state, workspace, step) {
            coupled.violation.merge(&uncovered);
            joined = true;
        }
        let again = joined || updated || step.bdf2 && attachments_are_off(model, state, workspace, step);
        let violation = coupled.violation.greatest();
        least = least.min(violation);
        // An update that leads away will not come back: a shorter step will do.
        let diverges = pass >= 2 && violation > tuning.diverging_update * least;
        if !again || pass == most_updates || diverges {
            // What has been found since is not part of this motion.
            workspace.coupling.linearized.truncate(solved);
            break;
        }
        if updated {
            workspace.coupling.update_contacts();
        }
        workspace.coupling.add_uncovered();
        constrain::assemble(model, state, workspace, step);
    }
    let mut outcome = Outcome::of_all(workspace);
    outcome.merge(&coupled);
    outcome
}

/// Moves the islands with constraints, with the contacts as they are linearized, or the parts without.
fn solve_islands(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    step: SubStep,
    constrained: bool,
) -> Outcome {
    let Workspace { coupling, rods, trees, .. } = workspace;
    let CoupledSolve { dof_map, rows, constraints, islands, .. } = coupling;
    let given = Given { model, step, dof_map, rows, constraints };
    let outcome = islands.solve(&given, state, (rods, trees), |part, joined| {
        joined == constrained && (joined || !part.moved_freely())
    });
    if constrained {
        coupling.read_islands(step.weights.dt);
    }
    outcome
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

/// What is closed at the end of the motion found that no row held open.
fn find_uncovered(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    step: SubStep,
) -> Option<Violation> {
    let Workspace { coupling, rods, trees, seconds, .. } = workspace;
    coupling.late.clear();
    coupling.late_rows.clear();
    if model.contact.is_none() || !follows_contacts(model) {
        return None;
    }
    let _timer = Timer::start(&mut seconds[stage::CONSTRAIN]);
    coupling.find_uncovered(&EndOfStep { model, state, rods, trees, weights: step.weights })
}

/// Whether attachments have to be linearized anew, about the motion found.
fn attachments_are_off(model: &Model, state: &State, workspace: &Workspace, step: SubStep) -> bool {
    let (dt, coupling) = (step.weights.dt, &workspace.coupling);
    let end = StartKinematics::new(model, state, workspace).at_end(dt);
    constrain::attachment::are_off(model, &end, (&coupling.rows, &coupling.constraints), dt)
}

/// Whether the gap at the end of the step is what the rows say: φ̄ + δt n·v, for a motion by δt v.
fn follows_contacts(model: &Model) -> bool {
    model.settings.linearize != Linearize::Once && model.settings.scheme.theta_vq == 1.0
}

/// Whether rods that moved by themselves are touched by what was solved together, and take part from now on.
fn reactivate(model: &Model, workspace: &mut Workspace, step: SubStep) -> bool {
    let Workspace { rods, coupling, .. } = workspace;
    let CoupledSolve { collision, active_set, .. } = coupling;
    active_set.reactivate(&mut collision.contacts, rods, model, step.weights.dt)
}
