//! What can be read off a state: energies, tension, moments, curvature, lengths, twist, writhe and link.

use crate::model::{Model, State};
use core::f64::consts::TAU;
use glam::DVec3;
use ropewalk_body::{Kinematics, energy};
use ropewalk_rod::writhe;

/// Energies in J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energies {
    /// ½ vᵀ M v.
    pub kinetic: f64,
    /// Stretching.
    pub stretch: f64,
    /// Bending.
    pub bend: f64,
    /// Twisting.
    pub twist: f64,
    /// −Σ m g·x.
    pub gravity: f64,
    /// Springs in joints.
    pub joints: f64,
    /// Work spent on plastic bending since the start of the run: no longer there, and not part of the total.
    pub plastic: f64,
}

impl Energies {
    /// The sum of all parts that can be had back.
    pub fn total(&self) -> f64 {
        self.kinetic + self.stretch + self.bend + self.twist + self.gravity + self.joints
    }
}

/// Energies of the whole world.
pub fn energies(model: &Model, state: &State) -> Energies {
    let mut out = Energies::default();
    for r in 0..model.rods.len() {
        let e = rod_energies(model, state, r);
        out.kinetic += e.kinetic;
        out.stretch += e.stretch;
        out.bend += e.bend;
        out.twist += e.twist;
        out.gravity += e.gravity;
        out.plastic += e.plastic;
    }
    for t in 0..model.trees.len() {
        let e = tree_energies(model, state, t);
        out.kinetic += e.kinetic;
        out.gravity += e.gravity;
        out.joints += e.joints;
    }
    out
}

/// Where the links of tree `t` are and how they move.
pub fn tree_kinematics(model: &Model, state: &State, t: usize) -> Kinematics {
    let (tree, s) = (&model.trees[t].tree, &state.trees[t]);
    let mut kinematics = Kinematics::new(tree);
    kinematics.update(tree, &s.base, &s.q, &s.v);
    kinematics
}

/// Energies of tree `t`: kinetic, of gravity where it acts, and of springs in joints.
pub fn tree_energies(model: &Model, state: &State, t: usize) -> Energies {
    let (tree, s) = (&model.trees[t], &state.trees[t]);
    let kinematics = tree_kinematics(model, state, t);
    Energies {
        kinetic: energy::kinetic_energy(&tree.tree, &kinematics, &s.v),
        gravity: if tree.heavy {
            energy::potential_energy(&tree.tree, &kinematics, state.gravity(model))
        } else {
            0.0
        },
        joints: energy::spring_energy(&tree.tree, &s.q),
        ..Energies::default()
    }
}

/// Energies of rod `r`.
pub fn rod_energies(model: &Model, state: &State, r: usize) -> Energies {
    let (rod, s) = (&model.rods[r], &state.rods[r]);
    let mut out = Energies { plastic: s.plastic.work, ..Energies::default() };
    let gravity = state.gravity(model);
    for i in 0..rod.node_count() {
        let m = rod.masses()[i];
        let last = !rod.closed() && i + 1 == rod.node_count();
        for k in 0..if last { 3 } else { 4 } {
            out.kinetic += 0.5 * m[k] * s.v[i][k] * s.v[i][k];
        }
        out.gravity -= m[0] * gravity.dot(s.position(i));
    }
    for e in 0..rod.edge_count() {
        let rest = rod.rest_lengths()[e];
        out.stretch += rod.stretched(e, s.edge(rod, e).length() / rest - 1.0).energy * rest;
    }
    for j in rod.stencils() {
        let strain = s.strain(rod, j);
        let dt = strain.tau - s.natural.tau[j];
        out.bend += s.bend_energy(rod, j, &s.natural);
        out.twist += 0.5 * rod.twist_stiffness()[j] * dt * dt;
    }
    out
}

/// Tension of each edge of rod `r` in N, positive in pull.
pub fn tension(model: &Model, state: &State, r: usize) -> Vec<f64> {
    let (rod, s) = (&model.rods[r], &state.rods[r]);
    (0..rod.edge_count())
        .map(|e| rod.stretched(e, s.edge(rod, e).length() / rod.rest_lengths()[e] - 1.0).tension)
        .collect()
}

/// Curvature |κ|/l̄ of rod `r` at each stencil in 1/m.
pub fn curvature(model: &Model, state: &State, r: usize) -> Vec<f64> {
    let (rod, s) = (&model.rods[r], &state.rods[r]);
    rod.stencils()
        .map(|j| {
            let k = s.strain(rod, j);
            k.kappa1.hypot(k.kappa2) / rod.voronoi_lengths()[j]
        })
        .collect()
}

/// Plastic curvature of rod `r` towards m₁ and m₂ at each stencil in 1/m: what would be left if it were let go. Zero where
/// nothing has yielded.
pub fn plastic_curvature(model: &Model, state: &State, r: usize) -> Vec<[f64; 2]> {
    let (rod, s) = (&model.rods[r], &state.rods[r]);
    rod.stencils().map(|j| s.plastic_curvature(rod, j)).collect()
}

/// Twist per length of rod `r` at each stencil in rad/m.
pub fn twist_rate(model: &Model, state: &State, r: usize) -> Vec<f64> {
    let (rod, s) = (&model.rods[r], &state.rods[r]);
    rod.stencils().map(|j| s.strain(rod, j).tau / rod.voronoi_lengths()[j]).collect()
}

/// Bending moments about the material directors and torque (N·m) at each stencil of rod `r`:
/// (EI₁(κ₁−κ̄₁), EI₂(κ₂−κ̄₂), GJ(τ−τ̄)) per length, less where a section has yielded.
pub fn moments(model: &Model, state: &State, r: usize) -> Vec<[f64; 3]> {
    let (rod, s) = (&model.rods[r], &state.rods[r]);
    rod.stencils()
        .map(|j| {
            let [m1, m2] = s.bend_moments(rod, j);
            [m1, m2, rod.twist_stiffness()[j] * (s.strain(rod, j).tau - s.natural.tau[j])]
        })
        .collect()
}

/// Length of rod `r` now, in m.
pub fn length(model: &Model, state: &State, r: usize) -> f64 {
    let (rod, s) = (&model.rods[r], &state.rods[r]);
    (0..rod.edge_count()).map(|e| s.edge(rod, e).length()).sum()
}

/// Node positions of rod `r` in m.
pub fn positions(state: &State, r: usize) -> Vec<DVec3> {
    let s = &state.rods[r];
    (0..s.q.len()).map(|i| s.position(i)).collect()
}

/// Total twist Σ τ/2π of rod `r` in turns, right-handed positive.
pub fn total_twist(model: &Model, state: &State, r: usize) -> f64 {
    let (rod, s) = (&model.rods[r], &state.rods[r]);
    rod.stencils().map(|j| s.strain(rod, j).tau).sum::<f64>() / TAU
}

/// Writhe of rod `r` in turns; of an open rod, that of its open polygon. The cost grows with the square of its nodes.
pub fn writhe(model: &Model, state: &State, r: usize) -> f64 {
    writhe::writhe(&positions(state, r), model.rods[r].closed())
}

/// Link of rod `r` in turns: twist + writhe. For a closed rod it changes only when the rod passes through itself.
pub fn link(model: &Model, state: &State, r: usize) -> f64 {
    total_twist(model, state, r) + writhe(model, state, r)
}

/// Gauss's integral of the centerlines of rods `a` and `b`, in turns: their linking number if both are closed.
pub fn linking_number(model: &Model, state: &State, a: usize, b: usize) -> f64 {
    writhe::gauss_integral(
        &positions(state, a),
        model.rods[a].closed(),
        &positions(state, b),
        model.rods[b].closed(),
    )
}

/// Total linear momentum of rod `r` in kg·m/s.
pub fn linear_momentum(model: &Model, state: &State, r: usize) -> DVec3 {
    let (rod, s) = (&model.rods[r], &state.rods[r]);
    (0..rod.node_count()).map(|i| s.velocity(i) * rod.masses()[i][0]).sum()
}

/// Total angular momentum of rod `r` about the origin in kg·m²/s: Σ m x × v + Σ J γ̇ t.
pub fn angular_momentum(model: &Model, state: &State, r: usize) -> DVec3 {
    let (rod, s) = (&model.rods[r], &state.rods[r]);
    let orbital: DVec3 =
        (0..rod.node_count()).map(|i| s.position(i).cross(s.velocity(i)) * rod.masses()[i][0]).sum();
    let spin: DVec3 =
        (0..rod.edge_count()).map(|e| s.tangent(rod, e) * (rod.masses()[e][3] * s.v[e][3])).sum();
    orbital + spin
}
