//! The values stored of a step for metrics, recordings and the energy balance.

use glam::DVec3;
use ropewalk_body::energy;
use ropewalk_rod::{Rod, RodState};
use ropewalk_sim::{ContactSide, Energies, Model, State, Workspace, Wrench, measure};

/// The values stored of a step. Positions are relative to the origin.
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
    /// Contacts that push, in the last sub-step.
    pub touching: usize,
    /// Deepest overlap of a contact as a share of the thickness of the thinner side; zero if none overlaps.
    pub deepest_overlap: f64,
    /// Deepest overlap of a contact in m, of bodies too; zero if none overlaps.
    pub deepest_overlap_m: f64,
    /// Sums over each rod.
    pub rods: Vec<RodSample>,
    /// Joints and sums over each tree.
    pub trees: Vec<TreeSample>,
}

impl Sample {
    /// Whether energies, work, wrenches and efforts are finite.
    pub fn is_finite(&self) -> bool {
        let mut wrenches = self.wrenches.iter().chain(&self.attachments);
        (self.energies.total() + self.work).is_finite()
            && wrenches.all(|w| w.force.is_finite() && w.torque.is_finite())
            && self.efforts.iter().all(|x| x.is_finite())
    }
}

/// Wrenches on a tree, and its energies.
#[derive(Clone, Debug, Default)]
pub struct TreeSample {
    /// Energies of the tree in J.
    pub energies: Energies,
    /// Force and torque of the ground on the tree in this step.
    pub base: Wrench,
    /// Force and torque of all contacts on each link in this step, torques about the link's origin.
    pub contacts: Vec<Wrench>,
}

/// Energies and length of a rod.
#[derive(Clone, Copy, Debug, Default)]
pub struct RodSample {
    /// Energies of the rod in J.
    pub energies: Energies,
    /// Σ l in m.
    pub length: f64,
}

/// Takes a sample of `state` after a step; `work` is the sum of the steps' work so far. One pass over the
/// nodes and edges, since it is called after every step.
pub fn sample(model: &Model, state: &State, workspace: &Workspace, work: f64) -> Sample {
    let rods: Vec<RodSample> = (0..model.rods.len()).map(|r| rod_sample(model, state, r)).collect();
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
    for contact in workspace.contacts() {
        if contact.normal_force() > 0.0 {
            touching += 1;
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
        }
    }
    Sample {
        touching,
        deepest_overlap,
        deepest_overlap_m,
        time: state.time,
        energies,
        work,
        wrenches: workspace.clamp_wrenches().to_vec(),
        attachments: workspace.attachment_wrenches().to_vec(),
        efforts: workspace.actuator_efforts().to_vec(),
        rods,
        trees,
    }
}

fn tree_sample(model: &Model, state: &State, t: usize) -> TreeSample {
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
        base: Wrench::default(),
        contacts: Vec::new(),
    }
}

fn rod_sample(model: &Model, state: &State, r: usize) -> RodSample {
    let (rod, s) = (&model.rods[r], &state.rods[r]);
    let mut out = RodSample::default();
    let mut moment = DVec3::ZERO;
    for (i, mass) in rod.masses().iter().enumerate() {
        out.energies.kinetic += 0.5 * mass[0] * s.velocity(i).length_squared();
        moment += s.position(i) * mass[0];
        if i < rod.edge_count() {
            out.energies.kinetic += 0.5 * mass[3] * s.v[i][3] * s.v[i][3];
        }
    }
    out.energies.gravity = -state.gravity(model).dot(moment);
    out.energies.plastic = s.plastic.work;
    add_elastic(rod, s, &mut out);
    out
}

/// Direction and m₁ of an edge.
#[derive(Clone, Copy)]
struct EdgeFrame {
    t: DVec3,
    m1: DVec3,
}

/// Adds the terms of edges and of pairs of them; each edge's frame is computed once.
fn add_elastic(rod: &Rod, s: &RodState, out: &mut RodSample) {
    let mut frame = |e: usize| {
        let edge = s.edge(rod, e);
        let (length, rest) = (edge.length(), rod.rest_lengths()[e]);
        let stretched = rod.stretched(e, length / rest - 1.0);
        out.length += length;
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
