//! Actuators: joints driven to a target.

use super::kind::{Assembly, Constraint, Observation, Observed};
use crate::model::{Actuator, ActuatorKind, ActuatorState, Model};
use ropewalk_body::Tree;
use ropewalk_contact::Law;
use ropewalk_contact::law::actuator::ActuatorParameters;
use ropewalk_contact::law::{self, ParameterError, Rows};

/// A joint driven, from its position in m or rad.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drive {
    actuator: usize,
    parameters: ActuatorParameters,
    position: f64,
}

impl Constraint for Drive {
    const ROWS: usize = 1;

    fn add(assembly: &mut Assembly<'_>) {
        let (dt, end) = (assembly.step.weights.dt, assembly.step.end);
        for (a, actuator) in assembly.model.actuators.iter().enumerate() {
            let tree = &assembly.model.trees[actuator.tree].tree;
            let Some((position, dof)) = place(tree, actuator, &assembly.start.state.trees[actuator.tree].q)
            else {
                continue;
            };
            let state = &assembly.start.state.actuators[a];
            let target = wanted(actuator, state, end);
            let mut parameters =
                ActuatorParameters { effort_limit: actuator.effort_limit, ..ActuatorParameters::default() };
            match actuator.kind {
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
            assembly.rows.add_joint(&assembly.start, actuator.tree, dof, 1.0);
            assembly.finish(Drive { actuator: a, parameters, position });
        }
    }

    fn law(&self, _weight: f64, dt: f64) -> Result<Law, ParameterError> {
        Ok(law::Actuator::new(&self.parameters, self.position, dt)?.into())
    }

    fn observe(&self, impulse: Rows, at: &Observation<'_>, out: &mut Observed<'_>) -> f64 {
        let (actuator, weights) = (&at.model.actuators[self.actuator], at.step.weights);
        let dof = at.model.trees[actuator.tree].tree.v_range(actuator.link).start + actuator.dof;
        let now = at.start.tree_work[actuator.tree].motion.v[dof];
        let before = at.start.state.trees[actuator.tree].v[dof];
        out.sensed.actuators[self.actuator] += impulse[0];
        out.efforts[self.actuator] = impulse[0] / weights.dt;
        impulse[0] * (weights.theta_vq * now + (1.0 - weights.theta_vq) * before)
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
