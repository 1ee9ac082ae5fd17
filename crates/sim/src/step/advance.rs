//! From velocities to the state at the end of the step.

use ropewalk_rod::motion::{RodMotion, StepWeights};
use ropewalk_rod::{Rod, RodState};

/// q = q₀ + δt (θ_vq v + (1 − θ_vq) v₀); directors carried along without spin.
pub(crate) fn advance(rod: &Rod, state: &mut RodState, weights: StepWeights, motion: &mut RodMotion) {
    let StepWeights { dt, theta_vq, .. } = weights;
    for ((q, v), now) in state.q.iter_mut().zip(&mut state.v).zip(&motion.v) {
        for k in 0..4 {
            q[k] += dt * (theta_vq * now[k] + (1.0 - theta_vq) * v[k]);
        }
        *v = *now;
    }
    motion.kernel.carry_frames(rod, state);
}
