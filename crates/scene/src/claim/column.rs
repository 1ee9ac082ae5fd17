//! Euler's column beyond buckling.
//!
//! A column of length L and bending stiffness B, clamped at the foot, bears a dead axial load P at its
//! free end. Beyond P_cr = π²B/4L² it bends to a tip angle α: with p = sin(α/2) and k = √(P/B),
//! K(p) = kL, and the tip stands aside by 2p/k. Source: Timoshenko and Gere, Theory of Elastic Stability,
//! § 2.7.

use super::{Finding, RunRecord};
use core::f64::consts::{FRAC_PI_2, PI};
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
    let reference = lateral_deflection(-force.dot(up), length, bend);
    let aside = state.position(tip) - foot;
    let measured = (aside - up * aside.dot(up)).length();
    Finding::relative(reference, measured, 0.01 * length)
}

/// Lateral deflection in m of the tip of a column of `length` (m) and stiffness `bend` (N·m²) under a
/// compressive `load` (N); zero below buckling.
fn lateral_deflection(load: f64, length: f64, bend: f64) -> f64 {
    let k = (load / bend).max(0.0).sqrt();
    if k * length <= FRAC_PI_2 {
        return 0.0;
    }
    // K(p) rises from π/2 at p = 0 to infinity at p = 1.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..100 {
        let p = 0.5 * (low + high);
        if complete_elliptic_k(p) < k * length { low = p } else { high = p }
    }
    2.0 * low / k
}

/// K(p) = ∫₀^{π/2} dφ/√(1 − p² sin² φ), by the arithmetic–geometric mean.
fn complete_elliptic_k(p: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - p * p).max(0.0).sqrt());
    for _ in 0..40 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    PI / (2.0 * a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deflections_match_the_tables() {
        // Timoshenko and Gere, table 2-1: P/P_cr at tip angles of 60° and 100°, computed to more
        // digits; the tip aside, over L.
        for (ratio, aside) in [
            (1.151_719_620_469_138_7, 0.593_207_646_164_885_1),
            (1.518_388_793_292_393_4, 0.791_539_496_536_919_2),
        ] {
            let critical = PI * PI / 4.0;
            assert!((lateral_deflection(ratio * critical, 1.0, 1.0) - aside).abs() < 1e-9);
            assert!((lateral_deflection(ratio * critical * 3.0 / 4.0, 2.0, 3.0) - 2.0 * aside).abs() < 1e-9);
        }
        assert_eq!(lateral_deflection(2.4, 1.0, 1.0), 0.0);
        assert_eq!(lateral_deflection(-9.0, 1.0, 1.0), 0.0);
    }
}
