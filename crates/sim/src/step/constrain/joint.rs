//! Joints: rows of limits, dry friction, followers and actuators.

use crate::model::{Actuator, ActuatorKind, ActuatorState, Model};
use crate::step::constrain::jacobian::{ConstraintJacobian, Source, StartKinematics};
use crate::step::constrain::law::LawSpec;
use ropewalk_body::Tree;
use ropewalk_contact::law::actuator::ActuatorParameters;

/// Adds the rows of limits, dry friction and followers of all trees.
pub(in crate::step) fn add_rows(
    model: &Model,
    scene: &StartKinematics<'_>,
    rows: &mut ConstraintJacobian,
    laws: &mut Vec<LawSpec>,
) {
    for (t, tree_model) in model.trees.iter().enumerate() {
        let tree = &tree_model.tree;
        let q = &scene.state.trees[t].q;
        for (link, joint) in tree.links().iter().map(|l| &l.joint).enumerate() {
            let (q_range, v_range) = (tree.q_range(link), tree.v_range(link));
            if joint.limits.iter().any(|l| l.is_finite()) {
                rows.add_joint(scene, t, v_range.start, 1.0);
                rows.finish(scene, Source::Limit { tree: t, dof: v_range.start });
                laws.push(LawSpec::Limit { position: q[q_range.start], range: joint.limits });
            }
            if joint.dry_friction > 0.0 {
                for dof in v_range.clone() {
                    rows.add_joint(scene, t, dof, 1.0);
                    rows.finish(scene, Source::Friction { tree: t, dof });
                    laws.push(LawSpec::Friction { effort: joint.dry_friction });
                }
            }
            if let Some(mimic) = joint.mimic {
                let leader = tree.v_range(mimic.leader).start;
                rows.add_joint(scene, t, v_range.start, 1.0);
                rows.add_joint(scene, t, leader, -mimic.multiplier);
                rows.finish(scene, Source::Mimic { tree: t, link });
                laws.push(LawSpec::Follow {
                    follower: q[q_range.start],
                    leader: q[tree.q_range(mimic.leader).start],
                    ratio: mimic.multiplier,
                    offset: mimic.offset,
                });
            }
        }
    }
}

/// Adds the rows of all actuators for a step of `dt` that ends at `end` (s).
pub(in crate::step) fn add_actuators(
    model: &Model,
    scene: &StartKinematics<'_>,
    (dt, end): (f64, f64),
    rows: &mut ConstraintJacobian,
    laws: &mut Vec<LawSpec>,
) {
    for (a, actuator) in model.actuators.iter().enumerate() {
        let tree = &model.trees[actuator.tree].tree;
        let Some((position, dof)) = place(tree, actuator, &scene.state.trees[actuator.tree].q) else {
            continue;
        };
        let state = &scene.state.actuators[a];
        let target = wanted(actuator, state, end);
        let mut parameters =
            ActuatorParameters { effort_limit: actuator.effort_limit, ..ActuatorParameters::default() };
        match actuator.kind {
            // Part of the momentum balance: see `add_efforts`.
            ActuatorKind::Force { .. } => continue,
            ActuatorKind::Position { position_gain, velocity_gain, .. } => {
                parameters.position_gain = position_gain;
                parameters.velocity_gain = velocity_gain;
                parameters.target_position = target;
                parameters.target_velocity = match state.target {
                    Some(_) => state.target_velocity,
                    None => actuator.kind.target().mean_rate(end - dt, end),
                };
            }
            ActuatorKind::Velocity { velocity_gain, .. } => {
                parameters.velocity_gain = velocity_gain;
                parameters.target_velocity = target;
            }
            ActuatorKind::ProportionalIntegral { position_gain, integral_gain, .. } => {
                // The integral, too, is taken at the end of the step.
                parameters.position_gain = position_gain + dt * integral_gain;
                parameters.target_position = target;
                parameters.feed_forward = integral_gain * state.integral;
            }
        }
        rows.add_joint(scene, actuator.tree, dof, 1.0);
        rows.finish(scene, Source::Actuator(a));
        laws.push(LawSpec::Drive { parameters, position });
    }
}

/// Adds the efforts of actuators of given force to `force`, the generalised forces on tree `t`.
pub(in crate::step) fn add_efforts(
    model: &Model,
    t: usize,
    states: &[ActuatorState],
    end: f64,
    force: &mut [f64],
    efforts: &mut [f64],
) {
    for (a, actuator) in model.actuators.iter().enumerate().filter(|(_, a)| a.tree == t) {
        if let ActuatorKind::Force { .. } = actuator.kind {
            let effort =
                wanted(actuator, &states[a], end).clamp(-actuator.effort_limit, actuator.effort_limit);
            force[model.trees[t].tree.v_range(actuator.link).start + actuator.dof] += effort;
            efforts[a] = effort;
        }
    }
}

/// What the actuator is asked for at time `t`: a target, or an effort.
pub(in crate::step) fn wanted(actuator: &Actuator, state: &ActuatorState, t: f64) -> f64 {
    state.target.unwrap_or_else(|| actuator.kind.target().value(t))
}

/// Position and number of the degree of freedom that an actuator drives. Of ball and free joints only forces and
/// velocities can be asked for; their position counts as zero.
fn place(tree: &Tree, actuator: &Actuator, q: &[f64]) -> Option<(f64, usize)> {
    let (q_range, v_range) = (tree.q_range(actuator.link), tree.v_range(actuator.link));
    if actuator.dof >= v_range.len() {
        return None;
    }
    let position = if q_range.len() == v_range.len() { q[q_range.start + actuator.dof] } else { 0.0 };
    Some((position, v_range.start + actuator.dof))
}

/// Brings the integrals of the actuators up to date after a step of `dt` that ended at `end` with the joints as in
/// `trees`, and with the `efforts` that the actuators gave.
pub(in crate::step) fn finish_actuators(
    model: &Model,
    (dt, end): (f64, f64),
    efforts: &[f64],
    trees: &[ropewalk_body::TreeState],
    states: &mut [ActuatorState],
) {
    for ((actuator, state), effort) in model.actuators.iter().zip(states).zip(efforts) {
        if let ActuatorKind::ProportionalIntegral { integral_gain, .. } = actuator.kind {
            let target = wanted(actuator, state, end);
            let tree = &model.trees[actuator.tree].tree;
            let Some((position, _)) = place(tree, actuator, &trees[actuator.tree].q) else { continue };
            let error = target - position;
            let limited = effort.abs() >= actuator.effort_limit * (1.0 - 1e-12);
            if !(limited && error * integral_gain * effort > 0.0) {
                state.integral += dt * error;
            }
        }
    }
}
