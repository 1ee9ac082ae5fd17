//! What is kept of each step for claims and metrics.

use glam::DVec3;
use ropewalk_sim::measure::{Energies, energies};
use ropewalk_sim::{Model, State, Workspace, Wrench};

/// What is kept of a step. Positions count from the origin.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// Time at the end of the step in s.
    pub time: f64,
    /// Energies.
    pub energies: Energies,
    /// Work of clamps, loads and drives since the start in J.
    pub work: f64,
    /// Force and torque of each clamp in this step.
    pub wrenches: Vec<Wrench>,
    /// Sums over each rod.
    pub rods: Vec<RodSample>,
}

/// Sums over the nodes and edges of a rod.
#[derive(Clone, Copy, Debug, Default)]
pub struct RodSample {
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
}

/// Takes a sample of `state` after a step; `work` is the sum of the steps' work so far. One pass over the
/// nodes.
pub fn sample(model: &Model, state: &State, workspace: &Workspace, work: f64) -> Sample {
    Sample {
        time: state.time,
        energies: energies(model, state),
        work,
        wrenches: workspace.clamp_wrenches().to_vec(),
        rods: (0..model.rods.len()).map(|r| rod_sample(model, state, r)).collect(),
    }
}

pub(super) fn rod_sample(model: &Model, state: &State, r: usize) -> RodSample {
    let (rod, s) = (&model.rods[r], &state.rods[r]);
    let mut out = RodSample::default();
    for i in 0..rod.node_count() {
        let (m, x, v) = (rod.masses()[i][0], s.position(i), s.velocity(i));
        out.momentum += v * m;
        out.kinetic += 0.5 * m * v.length_squared();
        out.position_momentum += m * x.dot(v);
        out.mass_moment += x * m;
    }
    for e in 0..rod.edge_count() {
        let (length, rest) = (s.edge(rod, e).length(), rod.rest_lengths()[e]);
        out.length += length;
        out.tension_length += rod.stretch_stiffness()[e] * (length / rest - 1.0) * length;
    }
    out
}
