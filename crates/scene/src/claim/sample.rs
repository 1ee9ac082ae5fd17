//! What is kept of each step for claims and metrics.

use glam::DVec3;
use ropewalk_body::energy;
use ropewalk_rod::{Rod, RodState};
use ropewalk_sim::{ActuatorKind, ContactSide, Energies, Model, State, Workspace, Wrench, measure};

/// What is kept of a step. Positions count from the origin.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// Time at the end of the step in s.
    pub time: f64,
    /// Energies.
    pub energies: Energies,
    /// Work of clamps, loads, drives, actuators and driven bodies since the start in J.
    pub work: f64,
    /// Force and torque of each clamp in this step.
    pub wrenches: Vec<Wrench>,
    /// Force and torque of each attachment on its first end in this step.
    pub attachments: Vec<Wrench>,
    /// Effort of each actuator in this step, N or N·m.
    pub efforts: Vec<f64>,
    /// Target less position of each position actuator, rad or m; zero for others.
    pub lags: Vec<f64>,
    /// Distance of each hand from where it should be in m.
    pub hand_errors: Vec<f64>,
    /// Contacts that push, in the last sub-step.
    pub touching: usize,
    /// Deepest overlap of a contact as a share of the thickness of the thinner side; zero if none overlaps.
    pub deepest_overlap: f64,
    /// The same for contacts of rods with rods.
    pub deepest_rod_overlap: f64,
    /// Deepest overlap of a contact in m, of bodies too; zero if none overlaps.
    pub deepest_overlap_m: f64,
    /// How near two rods came to passing one another in this step, by [`nearest_pass`](super::nearest_pass); none if it
    /// was not looked at, as it is not by [`sample`].
    pub nearest_pass: Option<f64>,
    /// Where rods touch links, in the last sub-step.
    pub touches: Vec<Touch>,
    /// Sums over each rod.
    pub rods: Vec<RodSample>,
    /// Joints and sums over each tree.
    pub trees: Vec<TreeSample>,
}

/// The part of a rod that touches a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// Index of the rod.
    pub rod: usize,
    /// Index of the tree.
    pub tree: usize,
    /// Index of the link.
    pub link: usize,
    /// First and last edge that push on the link.
    pub edges: [usize; 2],
}

/// Joints of a tree, and sums over its links.
#[derive(Clone, Debug, Default)]
pub struct TreeSample {
    /// Energies of the tree in J.
    pub energies: Energies,
    /// Positions of the joints.
    pub q: Vec<f64>,
    /// Velocities of the joints.
    pub v: Vec<f64>,
    /// Σ m v in kg·m/s.
    pub momentum: DVec3,
    /// Centre of mass in m.
    pub com: DVec3,
    /// Force and torque of the ground on the tree in this step.
    pub base: Wrench,
    /// Force and torque of all contacts on each link in this step, torques about the link's origin.
    pub contacts: Vec<Wrench>,
    /// Contacts with rods that push, in the last sub-step.
    pub rod_contacts: usize,
    /// Contacts with other trees that push, in the last sub-step.
    pub tree_contacts: usize,
}

/// Sums over the nodes and edges of a rod.
#[derive(Clone, Copy, Debug, Default)]
pub struct RodSample {
    /// Energies of the rod in J.
    pub energies: Energies,
    /// Σ m v in kg·m/s.
    pub momentum: DVec3,
    /// ½ Σ m |v|² in J, without spin.
    pub kinetic: f64,
    /// Σ m x·v in kg·m²/s.
    pub position_momentum: f64,
    /// Σ m x in kg·m.
    pub mass_moment: DVec3,
    /// Σ T l over the edges in N·m: tension times length.
    pub tension_length: f64,
    /// Σ l in m.
    pub length: f64,
    /// Force of all contacts on the rod in this step in N.
    pub contact: DVec3,
    /// First and last node in m.
    pub ends: [DVec3; 2],
    /// Tension of the first and the last edge in N, positive in pull.
    pub end_tensions: [f64; 2],
    /// Greatest speed of a node in m/s.
    pub greatest_speed: f64,
}

/// Takes a sample of `state` after a step; `work` is the sum of the steps' work so far. One pass over the
/// nodes and edges, since it is called after every step.
pub fn sample(model: &Model, state: &State, workspace: &Workspace, work: f64) -> Sample {
    let mut rods: Vec<RodSample> = (0..model.rods.len()).map(|r| rod_sample(model, state, r)).collect();
    for (rod, force) in rods.iter_mut().zip(workspace.rod_contact_forces()) {
        rod.contact = *force;
    }
    let mut energies = Energies::default();
    for e in rods.iter().map(|r| &r.energies) {
        energies.kinetic += e.kinetic;
        energies.stretch += e.stretch;
        energies.bend += e.bend;
        energies.twist += e.twist;
        energies.gravity += e.gravity;
        energies.plastic += e.plastic;
    }
    let mut trees: Vec<TreeSample> = (0..model.trees.len()).map(|t| tree_sample(model, state, t)).collect();
    for (t, (tree, base)) in trees.iter_mut().zip(workspace.base_wrenches()).enumerate() {
        tree.contacts = workspace.link_contact_wrenches(t).to_vec();
        energies.kinetic += tree.energies.kinetic;
        energies.gravity += tree.energies.gravity;
        energies.joints += tree.energies.joints;
        tree.base = *base;
    }
    let (mut touching, mut deepest_overlap, mut deepest_overlap_m) = (0, 0.0f64, 0.0f64);
    let mut deepest_rod_overlap = 0.0f64;
    let mut touches = Vec::new();
    for contact in workspace.contacts() {
        if contact.normal_force() > 0.0 {
            touching += 1;
            add_touch(&mut touches, &contact.sides);
            let with_rod = contact.sides.iter().any(|side| matches!(side, ContactSide::Rod { .. }));
            for side in &contact.sides {
                if let ContactSide::Link { tree, .. } = *side {
                    trees[tree].rod_contacts += usize::from(with_rod);
                    trees[tree].tree_contacts += usize::from(!with_rod);
                }
            }
        }
        deepest_overlap_m = deepest_overlap_m.max(-contact.gap);
        let thickness = contact.sides.iter().filter_map(|side| match *side {
            ContactSide::Rod { rod, edge, .. } => {
                let [a, b] = model.rods[rod].half_extents()[edge];
                Some(2.0 * a.min(b))
            }
            ContactSide::Link { .. } => None,
        });
        let thickness = thickness.fold(f64::INFINITY, f64::min);
        if thickness.is_finite() {
            deepest_overlap = deepest_overlap.max(-contact.gap / thickness);
            if contact.sides.iter().all(|side| matches!(side, ContactSide::Rod { .. })) {
                deepest_rod_overlap = deepest_rod_overlap.max(-contact.gap / thickness);
            }
        }
    }
    Sample {
        touching,
        deepest_overlap,
        deepest_rod_overlap,
        deepest_overlap_m,
        nearest_pass: None,
        touches,
        time: state.time,
        energies,
        work,
        wrenches: workspace.clamp_wrenches().to_vec(),
        attachments: workspace.attachment_wrenches().to_vec(),
        efforts: workspace.actuator_efforts().to_vec(),
        lags: (0..model.actuators.len()).map(|a| lag(model, state, a)).collect(),
        hand_errors: (0..model.hands.len()).map(|h| hand_error(model, state, h)).collect(),
        rods,
        trees,
    }
}

/// Adds a contact of a rod with a link to where they touch.
fn add_touch(touches: &mut Vec<Touch>, sides: &[ContactSide; 2]) {
    let (rod, edge, tree, link) = match (sides[0], sides[1]) {
        (ContactSide::Rod { rod, edge, .. }, ContactSide::Link { tree, link, .. })
        | (ContactSide::Link { tree, link, .. }, ContactSide::Rod { rod, edge, .. }) => {
            (rod, edge, tree, link)
        }
        _ => return,
    };
    match touches.iter_mut().find(|t| (t.rod, t.tree, t.link) == (rod, tree, link)) {
        Some(touch) => touch.edges = [touch.edges[0].min(edge), touch.edges[1].max(edge)],
        None => touches.push(Touch { rod, tree, link, edges: [edge; 2] }),
    }
}

/// How far a position actuator is from its target.
fn lag(model: &Model, state: &State, a: usize) -> f64 {
    let actuator = &model.actuators[a];
    let ActuatorKind::Position { target, .. } = &actuator.kind else { return 0.0 };
    let wanted = state.actuators[a].target.unwrap_or_else(|| target.value(state.time));
    let at = model.trees[actuator.tree].tree.q_range(actuator.link).start + actuator.dof;
    wanted - state.trees[actuator.tree].q[at]
}

fn hand_error(model: &Model, state: &State, h: usize) -> f64 {
    let hand = &model.hands[h];
    let wanted = state.hand_pose(model, h, state.time);
    let link = measure::tree_kinematics(model, state, hand.tree).poses[hand.link];
    ((link * hand.offset).position - wanted.position).length()
}

pub(super) fn tree_sample(model: &Model, state: &State, t: usize) -> TreeSample {
    let (tree, s) = (&model.trees[t], &state.trees[t]);
    let kinematics = measure::tree_kinematics(model, state, t);
    let gravity = if tree.heavy {
        energy::potential_energy(&tree.tree, &kinematics, state.gravity(model))
    } else {
        0.0
    };
    TreeSample {
        energies: Energies {
            kinetic: energy::kinetic_energy(&tree.tree, &kinematics, &s.v),
            gravity,
            joints: energy::spring_energy(&tree.tree, &s.q),
            ..Energies::default()
        },
        q: s.q.clone(),
        v: s.v.clone(),
        momentum: energy::linear_momentum(&tree.tree, &kinematics),
        com: energy::centre_of_mass(&tree.tree, &kinematics),
        base: Wrench::default(),
        contacts: Vec::new(),
        rod_contacts: 0,
        tree_contacts: 0,
    }
}

pub(super) fn rod_sample(model: &Model, state: &State, r: usize) -> RodSample {
    let (rod, s) = (&model.rods[r], &state.rods[r]);
    let mut out = RodSample::default();
    for (i, mass) in rod.masses().iter().enumerate() {
        let (m, x, v) = (mass[0], s.position(i), s.velocity(i));
        out.momentum += v * m;
        out.greatest_speed = out.greatest_speed.max(v.length());
        out.kinetic += 0.5 * m * v.length_squared();
        out.position_momentum += m * x.dot(v);
        out.mass_moment += x * m;
        if i < rod.edge_count() {
            out.energies.kinetic += 0.5 * mass[3] * s.v[i][3] * s.v[i][3];
        }
    }
    out.energies.kinetic += out.kinetic;
    out.energies.gravity = -state.gravity(model).dot(out.mass_moment);
    out.energies.plastic = s.plastic.work;
    add_elastic(rod, s, &mut out);
    let tension = |e: usize| rod.stretched(e, s.edge(rod, e).length() / rod.rest_lengths()[e] - 1.0).tension;
    out.ends = [s.position(0), s.position(rod.node_count() - 1)];
    out.end_tensions = [tension(0), tension(rod.edge_count() - 1)];
    out
}

/// Direction and m₁ of an edge.
#[derive(Clone, Copy)]
struct EdgeFrame {
    t: DVec3,
    m1: DVec3,
}

/// Adds what depends on edges and on pairs of them; each edge's frame is computed once.
fn add_elastic(rod: &Rod, s: &RodState, out: &mut RodSample) {
    let mut frame = |e: usize| {
        let edge = s.edge(rod, e);
        let (length, rest) = (edge.length(), rod.rest_lengths()[e]);
        let stretched = rod.stretched(e, length / rest - 1.0);
        out.length += length;
        out.tension_length += stretched.tension * length;
        out.energies.stretch += stretched.energy * rest;
        let (t, d1) = (edge / length, s.director(e));
        let (sin, cos) = s.q[e][3].sin_cos();
        EdgeFrame { t, m1: d1 * cos + t.cross(d1) * sin }
    };
    let first = frame(0);
    let mut before = first;
    let (mut bend, mut twist) = (0.0, 0.0);
    let mut add = |j: usize, a: EdgeFrame, b: EdgeFrame| {
        let chi = 1.0 + a.t.dot(b.t);
        let kappa1 = (b.t.dot(a.m1) - a.t.dot(b.m1)) / chi - s.natural.kappa1[j];
        let kappa2 = (b.t.dot(a.t.cross(a.m1)) - a.t.dot(b.t.cross(b.m1))) / chi - s.natural.kappa2[j];
        let tau = s.q[j][3] - s.q[rod.edge_before(j)][3] + s.beta[j] - s.natural.tau[j];
        bend += if rod.yields() {
            s.bend_energy(rod, j, &s.natural)
        } else {
            0.5 * (rod.bend_stiffness(0)[j] * kappa1 * kappa1 + rod.bend_stiffness(1)[j] * kappa2 * kappa2)
        };
        twist += 0.5 * rod.twist_stiffness()[j] * tau * tau;
    };
    for j in 1..rod.edge_count() {
        let here = frame(j);
        add(j, before, here);
        before = here;
    }
    if rod.closed() {
        add(0, before, first);
    }
    out.energies.bend = bend;
    out.energies.twist = twist;
}

#[cfg(test)]
mod tests {
    use super::*;
    use ropewalk_sim::{measure, step};

    #[test]
    fn one_pass_gives_the_energies_that_are_measured() {
        for name in ["helix", "twisted_ring", "ramped_curvature", "double_pendulum", "arm_rope"] {
            let scene = crate::load_named(name, &[]).unwrap();
            let mut state = scene.state.clone();
            let mut workspace = Workspace::new(&scene.model);
            for _ in 0..50 {
                step(&scene.model, &mut state, &mut workspace);
            }
            let found = sample(&scene.model, &state, &workspace, 0.0).energies;
            let expected = measure::energies(&scene.model, &state);
            let scale = expected.kinetic + expected.stretch + expected.bend + expected.twist;
            for (a, b) in [
                (found.kinetic, expected.kinetic),
                (found.stretch, expected.stretch),
                (found.bend, expected.bend),
                (found.twist, expected.twist),
                (found.gravity, expected.gravity),
                (found.joints, expected.joints),
            ] {
                assert!((a - b).abs() < 1e-12 * scale, "{name}: {a} {b}");
            }
        }
    }
}
