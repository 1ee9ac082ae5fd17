//! Closed loops: the natural circle, and Michell's instability of a twisted ring.

use super::{Finding, RunRecord};
use core::f64::consts::{PI, TAU};
use glam::DVec3;
use ropewalk_rod::RodState;

/// Twist in rad that a ring has lost when it has left its plane: a writhe of 0.01 turns, far above what a tap
/// stirs up and far below what a buckled ring shows.
const TWIST_LOST: f64 = 0.01 * TAU;

/// A loop without load comes to rest as a circle. The nodes of a regular polygon with edges l lie on the
/// radius l/(2 sin(π/n)). Measured: the mean distance of the nodes from their centre; a loop that is not
/// round shows as error too, by the spread of that distance.
pub(super) fn natural_circle(run: &RunRecord<'_>, rod: usize) -> Finding {
    let (rod, state) = (&run.model.rods[rod], &run.end.rods[rod]);
    let n = rod.node_count() as f64;
    let reference = rod.total_rest_length() / n / (2.0 * (PI / n).sin());
    let points: Vec<DVec3> = (0..rod.node_count()).map(|i| state.position(i)).collect();
    let centre = points.iter().sum::<DVec3>() / n;
    let distances: Vec<f64> = points.iter().map(|p| (*p - centre).length()).collect();
    let mean = distances.iter().sum::<f64>() / n;
    let worst = distances.iter().map(|d| (d - reference).abs()).fold(0.0, f64::max);
    Finding { reference, measured: mean, error: worst / reference }
}

/// A naturally straight, isotropic rod closed to a ring with total twist Φ leaves its plane if and only if
/// Φ > 2π √3 EI/GJ. Out of the plane the ring trades twist for writhe (their sum is fixed), so one that has
/// left shows as twist lost, whatever became of it since. Reference and measurement are 1 for leaving, 0
/// for staying. Source: Michell 1889; Goriely, Twisted elastic rings and the rediscoveries of Michell's
/// instability, J. Elasticity 84 (2006).
pub(super) fn michell(run: &RunRecord<'_>, rod: usize) -> Finding {
    let (start, end) = (&run.start.rods[rod], &run.end.rods[rod]);
    let rod = &run.model.rods[rod];
    let twist = |state: &RodState| rod.stencils().map(|j| state.strain(rod, j).tau).sum::<f64>().abs();
    let critical =
        ropewalk_theory::stability::michell_twist(rod.bend_stiffness(0)[0], rod.twist_stiffness()[0]);
    let reference = f64::from(u8::from(twist(start) > critical));
    let measured = f64::from(u8::from(twist(start) - twist(end) > TWIST_LOST));
    Finding { reference, measured, error: (measured - reference).abs() }
}
