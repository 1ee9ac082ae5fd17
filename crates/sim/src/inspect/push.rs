//! What the force of an attachment or a contact does to the degrees of freedom of both its ends.

use crate::model::{Model, State};
use crate::step::collide::Contact;
use crate::step::constrain::AnyConstraint;
use crate::step::constrain::contact::directions;
use crate::step::{SubStep, collide, constrain, kinematics};
use crate::workspace::Workspace;
use glam::DVec3;

/// Generalised forces on everything.
#[derive(Clone, Debug, PartialEq)]
pub struct Push {
    /// By rod and node: force in N and torque about the tangent in N·m.
    pub rods: Vec<Vec<[f64; 4]>>,
    /// By tree and degree of freedom: N or N·m.
    pub trees: Vec<Vec<f64>>,
}

/// The generalised forces of a force (N, at the held point) and a torque (N·m) of attachment `a` on its first end, and
/// of their opposites on its second, in the state `state`. Zero if the attachment does not hold there, or does not hold
/// rotations in the case of the torque.
pub fn attachment_push(model: &Model, state: &State, a: usize, force: DVec3, torque: DVec3) -> Push {
    push(model, state, |_, constraint, _| match constraint {
        AnyConstraint::HeldPoint(held) if held.attachment == a => Some(force),
        AnyConstraint::HeldRotation(held) if held.attachment == a => Some(torque),
        _ => None,
    })
}

/// The generalised forces of a force (N) on the first side of contact `c` of a step from `state`, and of its opposite on
/// the second; and how many contacts there are.
pub fn contact_push(model: &Model, state: &State, c: usize, force: DVec3) -> (Push, usize) {
    let mut count = 0;
    // Contacts are the first constraints.
    let out = push(model, state, |number, _, contacts| {
        count = contacts.len();
        let contact = contacts.get(number).filter(|_| number == c)?;
        Some(DVec3::from(directions(contact.normal).map(|d| d.dot(force))))
    });
    (out, count)
}

/// Jᵀλ with the λ that `impulse` gives for each constraint of a step from `state`.
fn push(
    model: &Model,
    state: &State,
    mut impulse: impl FnMut(usize, AnyConstraint, &[Contact]) -> Option<DVec3>,
) -> Push {
    let mut state = state.clone();
    state.complete(model);
    let mut workspace = Workspace::new(model);
    let step = SubStep::new(model, model.settings.dt, state.time + model.settings.dt);
    kinematics::begin(model, &mut state, &mut workspace, step);
    collide::find(model, &state, &mut workspace, step);
    constrain::assemble(model, &state, &mut workspace, step);
    let coupling = &workspace.coupling;
    let mut push = vec![[0.0; 4]; coupling.dof_map.tile_count];
    for (c, constraint) in coupling.constraints.iter().enumerate() {
        let Some(lambda) = impulse(c, *constraint, &coupling.collision.contacts) else { continue };
        let held = coupling.rows.held.iter().filter(|(constraint, _)| *constraint == c).map(|(_, part)| part);
        for part in coupling.rows.jacobian(c).iter().chain(held) {
            for (row, l) in part.rows.iter().zip(lambda.to_array()) {
                for k in 0..4 {
                    push[part.tile][k] += row[k] * l;
                }
            }
        }
    }
    let dof_map = &coupling.dof_map;
    Push {
        rods: (0..model.rods.len())
            .map(|r| push[dof_map.rod_tile[r]..dof_map.rod_tile[r + 1]].to_vec())
            .collect(),
        trees: (0..model.trees.len())
            .map(|t| {
                let n = model.trees[t].tree.velocity_count();
                push.as_flattened()[4 * dof_map.tree_tile[t]..][..n].to_vec()
            })
            .collect(),
    }
}
