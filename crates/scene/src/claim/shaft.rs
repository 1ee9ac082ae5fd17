//! Torque of a straight shaft between two clamps: Saint-Venant.
//!
//! One clamp turns about the shaft by θ, the other does not. The twist spreads evenly over the length
//! between the middles of the clamped edges, T = θ/Σ(l/GJ), and for a uniform shaft T = GJ θ/L; for a
//! rectangle J is Saint-Venant's constant, not the polar moment.

use super::{Finding, RunRecord};
use ropewalk_sim::Hold;

pub(super) fn evaluate(run: &RunRecord<'_>, turned: usize, fixed: usize) -> Finding {
    let (clamp, other) = (&run.model.clamps[turned], &run.model.clamps[fixed]);
    let edge = |hold: Hold| match hold {
        Hold::Edge(e) | Hold::EdgeFreeSpin(e) | Hold::Spin(e) => e,
        Hold::Node(i) => i,
    };
    let (a, b) = (edge(clamp.hold), edge(other.hold));
    let (rod, state) = (&run.model.rods[clamp.rod], &run.end.rods[clamp.rod]);
    let tangent = state.tangent(rod, a);
    let theta = clamp.motion.angle.value(run.end.time) * clamp.motion.axis.dot(tangent);
    // Nodes between the two edges, and the twist that is there without the turn.
    let (mut compliance, mut twist) = (0.0, 0.0);
    let start = &run.start.rods[clamp.rod];
    for j in a.min(b) + 1..=a.max(b) {
        compliance += 1.0 / rod.twist_stiffness()[j];
        twist += start.strain(rod, j).tau - state.natural.tau[j];
    }
    // Turning the far clamp adds to the twist, turning the near one takes from it; the rod pulls back on
    // each the other way round.
    let side = if a > b { 1.0 } else { -1.0 };
    let reference = (theta + side * twist) / compliance.max(f64::MIN_POSITIVE);
    let measured = run.wrenches.get(turned).map_or(0.0, |w| w.torque.dot(tangent));
    Finding::relative(reference, measured, 0.0)
}
