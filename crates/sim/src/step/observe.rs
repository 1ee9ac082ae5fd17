//! What the step did: forces of the clamps, work of clamps and loads.

use crate::model::{Hold, Model, State};
use crate::workspace::{RodWork, Workspace};
use glam::DVec3;
use ropewalk_rod::motion::StepWeights;
use ropewalk_rod::{Rod, RodState};

/// Adds the impulse of each clamp in this sub-step. The residual of the momentum balance at what is held is the
/// impulse that holds it; torques are about the held point, at the start of the sub-step.
pub(super) fn impulses(model: &Model, state: &State, workspace: &mut Workspace) {
    for (c, clamp) in model.clamps.iter().enumerate() {
        let rod = &model.rods[clamp.rod];
        let motion = &workspace.rods[clamp.rod].motion;
        let at = &state.rods[clamp.rod];
        let vector = |node: usize| {
            let (r, held) = (motion.residual[node], motion.held[node]);
            if held[0] { DVec3::new(r[0], r[1], r[2]) } else { DVec3::ZERO }
        };
        let spin = |edge: usize| if motion.held[edge][3] { motion.residual[edge][3] } else { 0.0 };
        let out = &mut workspace.impulses[c];
        match clamp.hold {
            Hold::Node(node) => out.force += vector(node),
            Hold::Edge(e) | Hold::EdgeFreeSpin(e) => {
                let far = rod.edge_end(e);
                let (a, b) = (vector(e), vector(far));
                let edge = at.edge(rod, e);
                out.force += a + b;
                out.torque += (0.5 * edge).cross(b - a);
                if let Hold::Edge(_) = clamp.hold {
                    out.torque += edge.normalize() * spin(e);
                }
            }
            Hold::Spin(e) => out.torque += at.tangent(rod, e) * spin(e),
        }
    }
}

/// Impulses over the step become mean forces.
pub(super) fn wrenches(workspace: &mut Workspace, dt: f64) {
    for (wrench, impulse) in workspace.wrenches.iter_mut().zip(&workspace.impulses) {
        wrench.force = impulse.force / dt;
        wrench.torque = impulse.torque / dt;
    }
}

/// Work in J that clamps, loads and drag do on a rod in this sub-step: force times displacement. Before the state
/// is advanced.
pub(super) fn work(rod: &Rod, state: &RodState, weights: StepWeights, work: &RodWork) -> f64 {
    let motion = &work.motion;
    let StepWeights { dt, theta, theta_vq } = weights;
    let last = rod.node_count() - 1;
    let mut sum = 0.0;
    for i in 0..rod.node_count() {
        for k in 0..4 {
            if k == 3 && i == last && !rod.closed() {
                continue;
            }
            let moved = dt * (theta_vq * motion.v[i][k] + (1.0 - theta_vq) * state.v[i][k]);
            let held = if motion.held[i][k] { motion.residual[i][k] / dt } else { 0.0 };
            sum += (held + work.load[i][k]) * moved;
        }
        if !motion.followers.is_empty() {
            for k in 0..3 {
                let moved = dt * (theta_vq * motion.v[i][k] + (1.0 - theta_vq) * state.v[i][k]);
                sum += motion.follower_forces()[i][k] * moved;
            }
        }
        if let Some(c) = motion.drag.get(i) {
            let mean = |k: usize| theta * motion.v[i][k] + (1.0 - theta) * state.v[i][k];
            let v = [mean(0), mean(1), mean(2)];
            let force = [
                c[0] * v[0] + c[1] * v[1] + c[2] * v[2],
                c[1] * v[0] + c[3] * v[1] + c[4] * v[2],
                c[2] * v[0] + c[4] * v[1] + c[5] * v[2],
            ];
            for k in 0..3 {
                let moved = dt * (theta_vq * motion.v[i][k] + (1.0 - theta_vq) * state.v[i][k]);
                sum -= force[k] * moved;
            }
        }
    }
    sum
}
