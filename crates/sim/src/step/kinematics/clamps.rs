//! Clamps and drives at the end of the step.
//!
//! A clamp takes degrees of freedom out of the problem: their velocity is the one that brings them to where the
//! clamp's motion has them at the end of the step.

use crate::model::{Hold, Model};
use glam::DVec3;
use ropewalk_linalg::parallel_transport::{signed_angle, transport, unwrap_angle};
use ropewalk_linalg::vec3::V3;
use ropewalk_rod::momentum_balance::{RodMotion, StepWeights};
use ropewalk_rod::{NaturalShape, Rod, RodState};

/// Sets the natural shape of rod `r` to its drives' values at `time`, if it has any, and leaves what it was in `before`.
/// Returns the energy that the change puts into the rod at its present shape, in J: the work of the drives.
pub(in crate::step) fn set_natural_shape(
    model: &Model,
    r: usize,
    state: &mut RodState,
    before: &mut NaturalShape,
    time: f64,
) -> f64 {
    let rod = &model.rods[r];
    let mut drives = model.shape_drives.iter().filter(|d| d.rod == r).peekable();
    if drives.peek().is_none() {
        return 0.0;
    }
    before.clone_from(&state.natural);
    for (number, drive) in drives.enumerate() {
        let scale = drive.scale.value(time);
        let natural = &mut state.natural;
        for (now, (base, change)) in [
            (&mut natural.kappa1, (&drive.base.kappa1, &drive.kappa1)),
            (&mut natural.kappa2, (&drive.base.kappa2, &drive.kappa2)),
            (&mut natural.tau, (&drive.base.tau, &drive.tau)),
        ] {
            for i in 0..rod.node_count() {
                // The first drive of a rod starts from the base, further ones add to it.
                let from = if number == 0 { base[i] } else { now[i] };
                now[i] = from + scale * change[i];
            }
        }
    }
    if state.natural == *before {
        return 0.0;
    }
    let gain = |stiffness: f64, strain: f64, now: f64, before: f64| {
        // ½k((s − n)² − (s − b)²), without the difference of squares.
        0.5 * stiffness * (before - now) * ((strain - now) + (strain - before))
    };
    let now = &state.natural;
    rod.stencils()
        .map(|j| {
            let s = state.strain(rod, j);
            gain(rod.bend_stiffness(0)[j], s.kappa1, now.kappa1[j], before.kappa1[j])
                + gain(rod.bend_stiffness(1)[j], s.kappa2, now.kappa2[j], before.kappa2[j])
                + gain(rod.twist_stiffness()[j], s.tau, now.tau[j], before.tau[j])
        })
        .sum()
}

/// Marks what is held and sets the first guess: the velocity at the start, or the prescribed one.
pub(in crate::step) fn set_prescribed(
    model: &Model,
    r: usize,
    state: &RodState,
    weights: StepWeights,
    end: f64,
    motion: &mut RodMotion,
) {
    motion.v.copy_from_slice(&state.v);
    motion.held.fill([false; 4]);
    let rod = &model.rods[r];
    for clamp in model.clamps.iter().filter(|c| c.rod == r && end < c.release_time) {
        let mut prescribe = |node: usize, k: usize, target: f64| {
            motion.held[node][k] = true;
            // q = q₀ + δt (θ_vq v + (1 − θ_vq) v₀).
            let mean = (target - state.q[node][k]) / weights.dt;
            motion.v[node][k] = (mean - (1.0 - weights.theta_vq) * state.v[node][k]) / weights.theta_vq;
        };
        let (shift, turn) = clamp.motion.at(end);
        let point = clamp.start.point + shift;
        match clamp.hold {
            Hold::Node(node) => {
                for k in 0..3 {
                    prescribe(node, k, point[k]);
                }
            }
            Hold::Edge(edge) | Hold::EdgeFreeSpin(edge) => {
                let half = turn * clamp.start.half_edge;
                let far = rod.edge_end(edge);
                for k in 0..3 {
                    prescribe(edge, k, point[k] - half[k]);
                    prescribe(far, k, point[k] + half[k]);
                }
                if clamp.hold == Hold::Edge(edge) {
                    let gamma = spin_target(rod, state, edge, half, turn * clamp.start.director);
                    prescribe(edge, 3, gamma);
                }
            }
            Hold::Spin(edge) => prescribe(edge, 3, clamp.start.gamma + clamp.motion.angle.value(end)),
        }
    }
}

/// The γ that turns the carried director of `edge` onto the clamp's `director`, on the branch nearest to the
/// present γ.
fn spin_target(rod: &Rod, state: &RodState, edge: usize, along: DVec3, director: DVec3) -> f64 {
    let (from, to) = (state.tangent(rod, edge), along.normalize());
    let carried = transport(V3::from(state.director(edge)), from.into(), to.into());
    let angle = signed_angle(carried, director.into(), to.into());
    unwrap_angle(angle, state.q[edge][3])
}
