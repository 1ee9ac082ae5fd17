//! Observe: what the step did. Impulses of clamps, bases and constraints, work of clamps, loads and drives.

mod joints;

use crate::model::{Hold, Model, State};
use crate::report::Wrench;
use crate::report::stage;
use crate::step::constrain::StartKinematics;
use crate::step::constrain::friction_memory;
use crate::step::constrain::kind::{Observation, Observed};
use crate::step::parallel::for_each_rod;
use crate::step::solve::coupled::CoupledSolve;
use crate::step::timer::Timer;
use crate::step::{Outcome, SubStep};
use crate::workspace::{RodWork, Sensed, Workspace};
use glam::DVec3;
use ropewalk_rod::momentum_balance::StepWeights;
use ropewalk_rod::{Rod, RodState};
use std::time::Instant;

/// Reads off what the accepted motion did: impulses of clamps and constraints, friction memory, work.
pub(in crate::step) fn read(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    step: SubStep,
    outcome: &mut Outcome,
) {
    let Workspace { rods, trees, coupling, sensed, seconds, .. } = workspace;
    let timer = Timer::start(&mut seconds[stage::OBSERVE]);
    let dt = step.weights.dt;
    sensed.begin();
    coupling.take_from_held(rods);
    clamp_impulses(model, state, rods, &mut sensed.clamps);
    let mut stick_forces = core::mem::take(&mut state.stick_forces);
    let start = StartKinematics::from_parts(model, state, &coupling.dof_map, rods, trees);
    let CoupledSolve { rows, constraints, impulses, efforts, collision, linearized, .. } = coupling;
    for (impulse, effort) in sensed.actuators.iter_mut().zip(&*efforts) {
        *impulse += dt * effort;
    }
    outcome.work += base_impulses(&start, step, sensed);
    let mut observed = Observed { sensed, efforts };
    for (number, (constraint, impulse)) in constraints.iter().zip(&*impulses).enumerate() {
        // On all else the constraint does the work λ·(v_c − v_driven), and λ·v_c by itself.
        let driven = rows.driven_by_bodies[number];
        outcome.work -= (0..3).map(|row| impulse[row] * driven[row]).sum::<f64>();
        let at = Observation { model, start: &start, number, contacts: linearized, step };
        outcome.work += constraint.observe(*impulse, &at, &mut observed);
    }
    joints::joint_impulses(model, &start, step, observed.sensed);
    friction_memory::keep((&collision.contacts, linearized), impulses, &start, dt, &mut stick_forces);
    state.stick_forces = stick_forces;
    drop(timer);
    for_each_rod(rods, &mut state.rods, |r, rod_work, rod_state| {
        let clock = Instant::now();
        rod_work.outcome.work = work(&model.rods[r], rod_state, step.weights, rod_work);
        rod_work.outcome.seconds[stage::OBSERVE] = clock.elapsed().as_secs_f64();
    });
    for work in rods {
        outcome.work += work.outcome.work;
        outcome.seconds[stage::OBSERVE] += work.outcome.seconds[stage::OBSERVE];
    }
}

/// Adds the impulse of each clamp in this sub-step. The residual of the momentum balance at what is held is the
/// impulse that holds it; torques are about the held point, at the start of the sub-step.
pub(in crate::step) fn clamp_impulses(model: &Model, state: &State, rods: &[RodWork], sensed: &mut [Wrench]) {
    for (c, clamp) in model.clamps.iter().enumerate() {
        let rod = &model.rods[clamp.rod];
        let motion = &rods[clamp.rod].motion;
        let at = &state.rods[clamp.rod];
        let vector = |node: usize| {
            let (r, held) = (motion.residual[node], motion.held[node]);
            if held[0] { DVec3::new(r[0], r[1], r[2]) } else { DVec3::ZERO }
        };
        let spin = |edge: usize| if motion.held[edge][3] { motion.residual[edge][3] } else { 0.0 };
        let out = &mut sensed[c];
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

/// Adds the impulses of the bases in this sub-step. Returns the work of what drives them, and of forces on joints, J.
fn base_impulses(scene: &StartKinematics<'_>, step: SubStep, sensed: &mut Sensed) -> f64 {
    let StepWeights { dt, theta_vq, .. } = step.weights;
    let place = if step.bdf2 { scene.at_end(dt) } else { *scene };
    let mut work = 0.0;
    for (t, tree) in scene.tree_work.iter().enumerate() {
        let reaction = tree.motion.root_reaction();
        let state = &scene.state.trees[t];
        // The balance of moments pairs the root's origin at the middle of the step with that at its start; that of BDF2 is
        // one of the end.
        let (kinematics, base) = place.tree(t);
        let arm = kinematics.poses[0].position - base;
        sensed.bases[t].force += reaction.force;
        sensed.bases[t].torque += reaction.moment + arm.cross(reaction.force);
        // What drives the base moves the links themselves, and all that constraints hold to them.
        let base = &tree.next_base;
        work +=
            reaction.force.dot(base.linear) + (reaction.moment + arm.cross(reaction.force)).dot(base.angular);
        for (dof, force) in tree.motion.force.iter().enumerate() {
            let moved = dt * (theta_vq * tree.motion.v[dof] + (1.0 - theta_vq) * state.v[dof]);
            work += force * moved;
        }
    }
    // What pushes links from outside, the base need not.
    for load in &scene.state.commands.links {
        let (kinematics, base) = place.tree(load.tree);
        let arm = kinematics.poses[load.link].point(load.point) - base;
        sensed.bases[load.tree].force -= dt * load.force;
        sensed.bases[load.tree].torque -= dt * (load.torque + arm.cross(load.force));
        let pose = &kinematics.poses[load.link];
        let arm = pose.vector(load.point);
        sensed.outside[load.tree][load.link].force += dt * load.force;
        sensed.outside[load.tree][load.link].torque += dt * (load.torque + arm.cross(load.force));
    }
    work
}

/// Work in J that clamps, loads and drag do on a rod in this sub-step: force times displacement. Before the state
/// is advanced.
pub(in crate::step) fn work(rod: &Rod, state: &RodState, weights: StepWeights, work: &RodWork) -> f64 {
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
            let end = motion.end_velocity(i);
            let v = [0, 1, 2].map(|k| theta * end[k] + (1.0 - theta) * state.v[i][k]);
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
