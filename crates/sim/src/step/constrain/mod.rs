//! Constrain: contacts, attachments, joints and actuators as rows of velocities, each with a law.

pub(in crate::step) mod attachment;
pub(crate) mod contact;
pub(in crate::step) mod contact_update;
pub(in crate::step) mod effective_mass;
pub(in crate::step) mod friction_memory;
pub(crate) mod jacobian;
pub(in crate::step) mod joint;
pub(in crate::step) mod law;
mod linearization;
mod patch_friction;

use super::SubStep;
use super::solve::coupled::CoupledSolve;
use super::timer::Timer;
use crate::model::{Model, State};
use crate::report::stage;
use crate::workspace::Workspace;
pub(crate) use jacobian::StartKinematics;
pub(crate) use linearization::Linearization;

/// The rows of all constraints, and which rods and trees they join. Rows of contacts come first.
pub(crate) fn assemble(model: &Model, state: &State, workspace: &mut Workspace, step: SubStep) {
    let Workspace { rods, trees, coupling, seconds, .. } = workspace;
    let _timer = Timer::start(&mut seconds[stage::CONSTRAIN]);
    let CoupledSolve { dof_map, rows, laws, collision, linearized, memory_matches, .. } = coupling;
    rows.clear();
    laws.clear();
    let start = StartKinematics::from_parts(model, state, dof_map, rods, trees);
    if let Some(settings) = &model.contact {
        let steps = (step.weights.dt, model.settings.dt);
        let contacts = &collision.contacts;
        linearized.extend(contacts[linearized.len()..].iter().map(Linearization::at_start));
        let contacts = (&contacts[..], &linearized[..]);
        contact::add_rows(contacts, model, &start, steps, settings, memory_matches, rows, laws);
    }
    let held = if step.bdf2 { start.at_end(step.weights.dt) } else { start };
    attachment::add_rows(model, &held, rows, laws);
    joint::add_rows(model, &start, rows, laws);
    joint::add_actuators(model, &start, (step.weights.dt, step.end), rows, laws);
    coupling.mark_parts();
}
