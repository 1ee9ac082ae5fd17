//! Hands: from a path of poses to targets of position actuators.
//!
//! A hand keeps joint positions of its own, the reference, which follow the path as closely as limits allow; the
//! actuators then drive the real joints to the reference. At each step the reference takes the joint velocities that
//! differential inverse kinematics finds for the pose at the end of the step.

use crate::model::{Model, State};
use ropewalk_body::{InverseKinematics, Reached};

/// Scratch of one hand.
#[derive(Clone, Debug)]
pub(crate) struct HandWork {
    pub(crate) solver: InverseKinematics,
    pub(crate) velocities: Vec<f64>,
    pub(crate) q: Vec<f64>,
    /// The reference before this sub-step.
    pub(crate) q_before: Vec<f64>,
    pub(crate) reached: Option<Reached>,
}

/// Moves the reference of each hand to the end of a step of `dt` that ends at `end` (s), and sets the targets of its
/// actuators.
pub(in crate::step) fn set_targets(
    model: &Model,
    works: &mut [HandWork],
    (dt, end): (f64, f64),
    state: &mut State,
) {
    for (h, (hand, work)) in model.hands.iter().zip(works).enumerate() {
        let tree = &model.trees[hand.tree].tree;
        let base = state.base_pose(model, hand.tree, end);
        let wanted = state.hand_pose(model, h, end);
        let (state, actuators) = (&mut state.hands[h], &mut state.actuators);
        let HandWork { solver, velocities, q, q_before, reached } = work;
        q_before.copy_from_slice(&state.q);
        *reached = Some(solver.velocities(tree, &base, &state.q, &wanted, dt, velocities));
        tree.add_displacement(&state.q, velocities, dt, q);
        state.q.copy_from_slice(q);
        for &a in &hand.actuators {
            let link = model.actuators[a].link;
            actuators[a].target = Some(state.q[tree.q_range(link).start]);
            actuators[a].target_velocity = velocities[tree.v_range(link).start];
        }
    }
}
