//! Constrain: contacts, attachments, joints and actuators as rows of velocities, each with a law.

pub(in crate::step) mod actuator;
pub(in crate::step) mod attachment;
mod bushing;
pub(crate) mod contact;
pub(crate) mod contact_law;
pub(in crate::step) mod contact_update;
mod dry_friction;
pub(in crate::step) mod effective_mass;
pub(in crate::step) mod friction_memory;
pub(crate) mod jacobian;
mod joint_limit;
pub(crate) mod kind;
pub(in crate::step) mod linearization;
mod mimic;
mod patch_friction;
#[cfg(test)]
mod tether;
pub(in crate::step) mod violation;

use super::SubStep;
use super::solve::coupled::CoupledSolve;
use super::timer::Timer;
use crate::model::{Model, State};
use crate::report::stage;
use crate::workspace::Workspace;
pub(crate) use jacobian::StartKinematics;
use kind::{Assembly, Constraint, Observation, Observed};
pub(crate) use linearization::Linearization;
use ropewalk_contact::Law;
use ropewalk_contact::law::{ParameterError, Rows};

// The kinds of constraints, each with its file. Contacts are the first.
kind::kinds! {
    contact_law::Contact;
    attachment::HeldPoint;
    attachment::HeldRotation;
    bushing::BushingForce;
    bushing::BushingTorque;
    joint_limit::JointLimit;
    dry_friction::DryFriction;
    mimic::Mimic;
    actuator::Drive;
    #[cfg(test)] tether::Tether;
}

/// The rows of all constraints, and the islands of what they join.
pub(crate) fn assemble(model: &Model, state: &State, workspace: &mut Workspace, step: SubStep) {
    let Workspace { rods, trees, coupling, seconds, .. } = workspace;
    let _timer = Timer::start(&mut seconds[stage::CONSTRAIN]);
    let CoupledSolve { dof_map, rows, constraints, collision, linearized, memory_matches, islands, .. } =
        coupling;
    rows.clear();
    constraints.clear();
    let start = StartKinematics::from_parts(model, state, dof_map, rods, trees);
    let at_start = |contact| Linearization::at_start(contact, model);
    linearized.extend(collision.contacts[linearized.len()..].iter().map(at_start));
    linearized.iter_mut().for_each(|contact| contact.rebase(&start, step.weights.dt));
    let contacts = contact::Found { contacts: &collision.contacts, linearized, matches: memory_matches };
    AnyConstraint::add_all(&mut Assembly { model, start, step, rows, constraints, contacts });
    islands.form(model, state, dof_map, rows);
}
