//! Euler's column beyond buckling.
//!
//! A column of length L and bending stiffness B, clamped at the foot, bears a dead axial load P at its
//! free end. Beyond P_cr = π²B/4L² it bends to a tip angle α: with p = sin(α/2) and k = √(P/B),
//! K(p) = kL, and the tip stands aside by 2p/k. Source: Timoshenko and Gere, Theory of Elastic Stability,
//! § 2.7.

use super::{Finding, RunRecord};
use ropewalk_sim::{Hold, LoadKind};

/// Lateral deflection of the free end.
pub(super) fn evaluate(run: &RunRecord<'_>, clamp: usize, load: usize) -> Finding {
    let (clamp, load) = (&run.model.clamps[clamp], &run.model.loads[load]);
    let (rod, state) = (&run.model.rods[clamp.rod], &run.end.rods[clamp.rod]);
    let last = rod.node_count() - 1;
    let (foot_edge, tip) = match clamp.hold {
        Hold::Edge(0) => (0, last),
        _ => (last - 1, 0),
    };
    let foot = state.position(foot_edge) + 0.5 * state.edge(rod, foot_edge);
    let up = state.tangent(rod, foot_edge) * if tip == 0 { -1.0 } else { 1.0 };
    let force = match &load.kind {
        LoadKind::Point { force, .. } => *force * load.scale.value(run.end.time),
        _ => glam::DVec3::ZERO,
    };
    let length = rod.total_rest_length() - 0.5 * rod.rest_lengths()[foot_edge];
    // The weaker direction buckles.
    let middle = rod.node_count() / 2;
    let weaker = rod.bend_stiffness(0)[middle].min(rod.bend_stiffness(1)[middle]);
    let bend = weaker * rod.voronoi_lengths()[middle];
    let reference = ropewalk_theory::elastica::column_deflection(-force.dot(up), length, bend);
    let aside = state.position(tip) - foot;
    let measured = (aside - up * aside.dot(up)).length();
    Finding::relative(reference, measured, 0.01 * length)
}
