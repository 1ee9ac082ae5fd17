//! Clamps and drives at the end of the step.
//!
//! A clamp takes degrees of freedom out of the problem: their velocity is the one that brings them to where the
//! clamp's motion has them at the end of the step.

use crate::command::{ClampCommand, RodCommand};
use crate::model::{Clamp, Hold, Model};
use glam::DVec3;
use ropewalk_linalg::Pose;
use ropewalk_linalg::parallel_transport::{signed_angle, transport, unwrap_angle};
use ropewalk_linalg::vec3::V3;
use ropewalk_rod::momentum_balance::{RodMotion, StepWeights};
use ropewalk_rod::{NaturalShape, Rod, RodState};

/// Sets the natural shape of rod `r` to its drives' values at `time`, if it has any, and leaves what it was in `before`.
/// Returns the energy that the change puts into the rod at its present shape, in J: the work of the drives.
pub(in crate::step) fn set_natural_shape(
    model: &Model,
    (r, command): (usize, &RodCommand),
    state: &mut RodState,
    before: &mut NaturalShape,
    time: f64,
) -> f64 {
    let rod = &model.rods[r];
    if !changes_natural_shape(model, r, command) {
        return 0.0;
    }
    before.clone_from(&state.natural);
    if let Some([wanted, _]) = &command.natural {
        state.natural.clone_from(wanted);
    }
    let drives = model.shape_drives.iter().filter(|d| d.rod == r && command.natural.is_none());
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
            if rod.yields() {
                let twist = gain(rod.twist_stiffness()[j], s.tau, now.tau[j], before.tau[j]);
                let bend = state.bend_energy(rod, j, now) - state.bend_energy(rod, j, before);
                return bend + twist;
            }
            gain(rod.bend_stiffness(0)[j], s.kappa1, now.kappa1[j], before.kappa1[j])
                + gain(rod.bend_stiffness(1)[j], s.kappa2, now.kappa2[j], before.kappa2[j])
                + gain(rod.twist_stiffness()[j], s.tau, now.tau[j], before.tau[j])
        })
        .sum()
}

/// Whether the natural shape of rod `r` may change in a step.
pub(in crate::step) fn changes_natural_shape(model: &Model, r: usize, command: &RodCommand) -> bool {
    command.natural.is_some() || model.shape_drives.iter().any(|d| d.rod == r)
}

/// Marks what is held and sets the first guess: the velocity at the start, or the prescribed one.
pub(in crate::step) fn set_prescribed(
    model: &Model,
    (r, commands): (usize, &[ClampCommand]),
    state: &RodState,
    weights: StepWeights,
    end: f64,
    motion: &mut RodMotion,
) {
    motion.v.copy_from_slice(&state.v);
    motion.held.fill([false; 4]);
    let rod = &model.rods[r];
    let clamps = model.clamps.iter().zip(commands).enumerate().filter(|(_, (clamp, command))| {
        let scheduled = end < clamp.release_time || command.guide.is_some();
        clamp.rod == r && scheduled && !command.released
    });
    for (c, (clamp, command)) in clamps {
        let mut prescribe = |node: usize, k: usize, target: f64| {
            motion.held[node][k] = true;
            // q = q₀ + δt (θ_vq v + (1 − θ_vq) v₀).
            let mean = (target - state.q[node][k]) / weights.dt;
            motion.v[node][k] = (mean - (1.0 - weights.theta_vq) * state.v[node][k]) / weights.theta_vq;
        };
        let led = command.guide.filter(|guide| !guide.is_over(end));
        let Placed { point, half, director, angle } = match led {
            Some(guide) => {
                let pose = guide.pose(end, || model.clamp_pose(c, end));
                Placed::led(&pose, clamp.start.half_edge.length())
            }
            None => Placed::of_scene(clamp, end),
        };
        match clamp.hold {
            Hold::Node(node) => {
                for k in 0..3 {
                    prescribe(node, k, point[k]);
                }
            }
            Hold::Edge(edge) | Hold::EdgeFreeSpin(edge) => {
                let far = rod.edge_end(edge);
                for k in 0..3 {
                    prescribe(edge, k, point[k] - half[k]);
                    prescribe(far, k, point[k] + half[k]);
                }
                if clamp.hold == Hold::Edge(edge) {
                    let gamma = spin_target(rod, state, edge, half, director);
                    prescribe(edge, 3, gamma);
                }
            }
            Hold::Spin(edge) => prescribe(edge, 3, angle),
        }
    }
}

/// Where a clamp has what it holds: point, half edge, director m₁; or the angle of what holds twist alone.
struct Placed {
    point: DVec3,
    half: DVec3,
    director: DVec3,
    angle: f64,
}

impl Placed {
    fn of_scene(clamp: &Clamp, end: f64) -> Self {
        let (shift, turn) = clamp.motion.at(end);
        Self {
            point: clamp.start.point + shift,
            half: turn * clamp.start.half_edge,
            director: turn * clamp.start.director,
            angle: clamp.start.gamma + clamp.motion.angle.value(end),
        }
    }

    fn led(pose: &Pose, half_length: f64) -> Self {
        Self {
            point: pose.position,
            half: pose.vector(DVec3::Z * half_length),
            director: pose.vector(DVec3::X),
            angle: pose.position.x,
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
