//! Forces from outside: gravity, loads, drag.

use crate::command::RodCommand;
use crate::model::{LoadKind, Model};
use glam::DVec3;
use ropewalk_rod::RodState;
use ropewalk_rod::momentum_balance::{Follower, RodMotion};

/// Sets the forces on rod `r` at the end of the step.
pub(in crate::step) fn set_forces(
    model: &Model,
    r: usize,
    state: &RodState,
    end: f64,
    (command, gravity): (&RodCommand, DVec3),
    load_of: &mut [[f64; 4]],
    motion: &mut RodMotion,
) {
    let rod = &model.rods[r];
    load_of.fill([0.0; 4]);
    motion.followers.clear();
    motion.drag.clear();
    for load in model.loads.iter().filter(|l| l.rod == r) {
        let scale = load.scale.value(end);
        match &load.kind {
            LoadKind::Point { node, force } => add(&mut load_of[*node], *force * scale),
            LoadKind::FollowerPoint { node, edge, force } => {
                motion.followers.push(Follower { node: *node, edge: *edge, force: *force * scale });
            }
            LoadKind::Distributed { edges: [first, last], force } => {
                for e in *first..=*last {
                    let half = *force * (0.5 * scale * rod.rest_lengths()[e]);
                    add(&mut load_of[e], half);
                    add(&mut load_of[rod.edge_end(e)], half);
                }
            }
            LoadKind::FollowerDistributed { edges: [first, last], force } => {
                for e in *first..=*last {
                    let half = *force * (0.5 * scale * rod.rest_lengths()[e]);
                    for node in [e, rod.edge_end(e)] {
                        motion.followers.push(Follower { node, edge: e, force: half });
                    }
                }
            }
            LoadKind::SpinTorque { edge, torque } => load_of[*edge][3] += scale * torque,
            LoadKind::Drag { normal, tangential, quadratic, flow } => {
                add_drag(rod, state, (load_of, motion), *normal, *tangential, *quadratic, *flow);
            }
        }
    }
    add_commanded(rod, state, command, load_of);
    for ((force, load), mass) in motion.force.iter_mut().zip(&*load_of).zip(rod.masses()) {
        *force = *load;
        add(force, gravity * mass[0]);
    }
}

/// Adds what was asked for between steps. A torque τ across an edge e is the couple ±τ × e/|e|² on its nodes, where the edge
/// is at the start of the step.
fn add_commanded(rod: &ropewalk_rod::Rod, state: &RodState, command: &RodCommand, load_of: &mut [[f64; 4]]) {
    for (load, force) in load_of.iter_mut().zip(&command.forces) {
        add(load, *force);
    }
    for (e, force) in command.edge_forces.iter().enumerate() {
        add(&mut load_of[e], 0.5 * *force);
        add(&mut load_of[rod.edge_end(e)], 0.5 * *force);
    }
    for (e, torque) in command.torques.iter().enumerate() {
        let edge = state.edge(rod, e);
        load_of[e][3] += torque.dot(edge) / edge.length();
        let push = torque.cross(edge) / edge.length_squared();
        add(&mut load_of[e], -push);
        add(&mut load_of[rod.edge_end(e)], push);
    }
}

fn add(to: &mut [f64; 4], force: DVec3) {
    for k in 0..3 {
        to[k] += force[k];
    }
}

/// Adds the drag matrix C = Σ l/2 (c_n (I − t tᵀ) + c_t t tᵀ) of each edge to its nodes, and C u to the load. The
/// tangents and the speed in the quadratic part are those at the start of the step, so that C is constant.
fn add_drag(
    rod: &ropewalk_rod::Rod,
    state: &RodState,
    (load_of, motion): (&mut [[f64; 4]], &mut RodMotion),
    normal: f64,
    tangential: f64,
    quadratic: f64,
    flow: DVec3,
) {
    motion.drag.resize(rod.node_count(), [0.0; 6]);
    for e in 0..rod.edge_count() {
        let far = rod.edge_end(e);
        let t = state.tangent(rod, e);
        let relative = 0.5 * (state.velocity(e) + state.velocity(far)) - flow;
        let across = relative - t * relative.dot(t);
        let half = 0.5 * rod.rest_lengths()[e];
        let cn = half * (normal + quadratic * across.length());
        let d = half * tangential - cn;
        let c = [
            cn + d * t.x * t.x,
            d * t.x * t.y,
            d * t.x * t.z,
            cn + d * t.y * t.y,
            d * t.y * t.z,
            cn + d * t.z * t.z,
        ];
        let push = flow * cn + t * (d * flow.dot(t));
        for node in [e, far] {
            for k in 0..6 {
                motion.drag[node][k] += c[k];
            }
            add(&mut load_of[node], push);
        }
    }
}
