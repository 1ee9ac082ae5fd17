//! What a wrench in an attachment does to the degrees of freedom of both its ends.

use crate::model::{Model, State};
use crate::step::{self, rows::Source};
use crate::workspace::Workspace;
use glam::DVec3;
use ropewalk_rod::motion::{LEAST_SHAPE, StepWeights};

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
    let mut state = state.clone();
    state.complete(model);
    let mut workspace = Workspace::new(model);
    let dt = model.settings.dt;
    let weights =
        StepWeights { dt, theta: model.settings.scheme.theta, theta_vq: model.settings.scheme.theta_vq };
    let end = state.time + dt;
    step::begin(model, &mut state, &mut workspace, weights, end, LEAST_SHAPE);
    step::constrain(model, &mut state, &mut workspace, dt, end);
    let coupling = &workspace.coupling;
    let mut push = vec![[0.0; 4]; coupling.layout.blocks.tile_count()];
    for (c, source) in coupling.rows.sources.iter().enumerate() {
        let lambda = match *source {
            Source::AttachmentPoint(b) if b == a => force,
            Source::AttachmentRotation(b) if b == a => torque,
            _ => continue,
        };
        let held = coupling.rows.held.iter().filter(|(constraint, _)| *constraint == c).map(|(_, part)| part);
        for part in coupling.rows.jacobian(c).iter().chain(held) {
            for (row, l) in part.rows.iter().zip(lambda.to_array()) {
                for k in 0..4 {
                    push[part.tile][k] += row[k] * l;
                }
            }
        }
    }
    let layout = &coupling.layout;
    Push {
        rods: (0..model.rods.len())
            .map(|r| push[layout.rod_tile[r]..layout.rod_tile[r + 1]].to_vec())
            .collect(),
        trees: (0..model.trees.len())
            .map(|t| {
                let n = model.trees[t].tree.velocity_count();
                push.as_flattened()[4 * layout.tree_tile[t]..][..n].to_vec()
            })
            .collect(),
    }
}
