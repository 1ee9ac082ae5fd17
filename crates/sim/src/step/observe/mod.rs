//! What the step did: forces of the clamps, work of clamps and loads.

use crate::model::{End, Hold, Model, State};
use crate::report::Wrench;
use crate::report::stage;
use crate::step::collide::Side;
use crate::step::constrain::Linearization;
use crate::step::constrain::contact as contact_rows;
use crate::step::constrain::jacobian::{ConstraintJacobian, Source, StartKinematics};
use crate::step::constrain::{attachment, friction_memory};
use crate::step::parallel::for_each_rod;
use crate::step::timer::Timer;
use crate::step::{Outcome, SubStep};
use crate::workspace::{RodWork, Sensed, Workspace};
use glam::DVec3;
use ropewalk_contact::law::Rows;
use ropewalk_rod::motion::StepWeights;
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
    let (dt, theta_vq) = (step.weights.dt, step.weights.theta_vq);
    coupling.take_from_held(rods);
    clamp_impulses(model, state, rods, &mut sensed.clamps);
    let mut stick_forces = core::mem::take(&mut state.stick_forces);
    let start = StartKinematics::from_parts(model, state, &coupling.dof_map, rods, trees);
    let (rows, impulses) = (&coupling.rows, &coupling.impulses);
    let impulses = if rows.len() > 0 { &impulses[..] } else { &[] };
    let contacts = (&coupling.collision.contacts[..], &coupling.linearized[..]);
    outcome.work += constraint_impulses(model, &start, rows, contacts.1, impulses, (dt, theta_vq), sensed);
    friction_memory::keep(contacts, impulses, &start, dt, &mut stick_forces);
    state.stick_forces = stick_forces;
    for (impulse, effort) in sensed.actuators.iter_mut().zip(&coupling.efforts) {
        *impulse += dt * effort;
    }
    for (source, lambda) in rows.sources.iter().zip(impulses) {
        if let Source::Actuator(a) = *source {
            coupling.efforts[a] = lambda[0] / dt;
        }
    }
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

/// Adds the impulses of attachments, actuators and what else acts on joints in this sub-step, and of the bases.
pub(in crate::step) fn constraint_impulses(
    model: &Model,
    scene: &StartKinematics<'_>,
    rows: &ConstraintJacobian,
    contacts: &[Linearization],
    impulses: &[Rows],
    (dt, theta_vq): (f64, f64),
    sensed: &mut Sensed,
) -> f64 {
    let mut work = 0.0;
    for (t, tree) in scene.tree_work.iter().enumerate() {
        let reaction = tree.motion.root_reaction();
        let state = &scene.state.trees[t];
        // The balance of moments pairs the root's origin at the middle of the step with that at its start.
        let arm = tree.motion.start.poses[0].position - state.base.pose.position;
        sensed.bases[t].force += reaction.force;
        sensed.bases[t].torque += reaction.moment + arm.cross(reaction.force);
        // What drives the base moves the links themselves, and all that they hold: see below.
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
        let base = scene.state.trees[load.tree].base.pose.position;
        let at = scene.tree_work[load.tree].motion.start.poses[load.link].point(load.point);
        sensed.bases[load.tree].force -= dt * load.force;
        sensed.bases[load.tree].torque -= dt * (load.torque + (at - base).cross(load.force));
    }
    for (c, (source, lambda)) in rows.sources.iter().zip(impulses).enumerate() {
        // On all else the constraint does the work λ·(v_c − v_driven), and λ·v_c by itself.
        let driven = rows.driven_by_bodies[c];
        work -= (0..3).map(|row| lambda[row] * driven[row]).sum::<f64>();
        match *source {
            Source::AttachmentPoint(a) | Source::AttachmentRotation(a) => {
                let attachment = &model.attachments[a];
                let Some(grip) = scene.state.attachments[a].grip else { continue };
                let point = attachment::held_point(attachment, &grip, scene);
                let lambda = DVec3::from(*lambda);
                let is_point = matches!(source, Source::AttachmentPoint(_));
                let out = &mut sensed.attachments[a];
                if is_point {
                    out.force += lambda;
                } else {
                    out.torque += lambda;
                }
                for (end, sign) in attachment.ends.iter().zip([1.0, -1.0]) {
                    let End::Link { tree, .. } = *end else { continue };
                    let base = &mut sensed.bases[tree];
                    // What an attachment pushes, the base need not.
                    if is_point {
                        let arm = point - scene.state.trees[tree].base.pose.position;
                        base.force -= sign * lambda;
                        base.torque -= sign * arm.cross(lambda);
                    } else {
                        base.torque -= sign * lambda;
                    }
                }
            }
            Source::Actuator(a) => {
                let actuator = &model.actuators[a];
                let dof = model.trees[actuator.tree].tree.v_range(actuator.link).start + actuator.dof;
                let (now, before) =
                    (scene.tree_work[actuator.tree].motion.v[dof], scene.state.trees[actuator.tree].v[dof]);
                work += lambda[0] * (theta_vq * now + (1.0 - theta_vq) * before);
                sensed.actuators[a] += lambda[0];
            }
            Source::Limit { tree, dof } => sensed.limits[tree][dof] += lambda[0],
            Source::Friction { tree, dof } => sensed.frictions[tree][dof] += lambda[0],
            Source::Contact(c) => {
                let contact = &contacts[c];
                let directions = contact_rows::directions(contact.normal);
                let push: DVec3 = (0..3).map(|row| directions[row] * lambda[row]).sum();
                let place = felt_at(contact, scene, (dt, theta_vq));
                for (side, sign) in contact.sides.iter().zip([1.0, -1.0]) {
                    let (tree, link) = match *side {
                        Side::Link { tree, link, .. } => (tree as usize, link as usize),
                        Side::Edge { rod, .. } => {
                            sensed.rod_contacts[rod as usize] += sign * push;
                            continue;
                        }
                    };
                    let origin = scene.tree_work[tree].motion.start.poses[link].position;
                    let felt = &mut sensed.link_contacts[tree][link];
                    felt.force += sign * push;
                    felt.torque += sign * (place - origin).cross(push);
                    // What moves is pushed where the rows have it; of what does not, the ground feels all that it feels.
                    let moves = scene.trees[tree].tree.velocity_count() > 0;
                    let at = if moves { contact.point } else { place };
                    let arm = at - scene.state.trees[tree].base.pose.position;
                    sensed.bases[tree].force -= sign * push;
                    sensed.bases[tree].torque -= sign * arm.cross(push);
                }
            }
            Source::Mimic { tree, link } => sensed.mimics[tree][link] += lambda[0],
        }
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

/// Where a link feels a contact: a push along the normal of the end of the step has no moment about the middle of a round
/// body where the rod is then.
fn felt_at(contact: &Linearization, start: &StartKinematics<'_>, (dt, theta_vq): (f64, f64)) -> DVec3 {
    let (true, Side::Edge { rod, edge, fraction }) = (contact.updated, contact.sides[0]) else {
        return contact.point;
    };
    let (rod, edge) = (rod as usize, edge as usize);
    let (work, state) = (&start.rod_work[rod], &start.state.rods[rod]);
    let moved = |node: usize| work.displacement(state, node, (dt, theta_vq));
    let (a, b) = (moved(edge), moved(start.rods[rod].edge_end(edge)));
    contact.point + a + fraction * (b - a)
}
