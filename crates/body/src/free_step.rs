//! One step of a tree on which no constraint acts.
//!
//! Newton's method on m(v) = 0 with the constant tangent of [`crate::motion`]; a fraction of the direction is taken if it
//! lessens |m|. Mimic joints, limits and dry friction are constraints and not looked at.

use crate::base::Base;
use crate::motion::TreeMotion;
use crate::tree::{Tree, TreeState};
use glam::DVec3;
use thiserror::Error;

/// Iterations end when |m| is this fraction of the impulses at work, or at round-off.
const TOLERANCE: f64 = 1e-12;
const MAX_ITERATIONS: usize = 200;
const MAX_HALVINGS: usize = 30;

/// How a step went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeStep {
    /// Iterations.
    pub iterations: usize,
    /// |m| over the impulses at work.
    pub residual: f64,
}

/// Why a step failed; the state is as it was.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[error(
    "the step did not converge: momentum is out of balance by {residual:e} of the impulses at work; take a smaller step"
)]
pub struct FreeStepError {
    /// |m| over the impulses at work.
    pub residual: f64,
}

/// Moves `state` by one step; see [`TreeMotion::begin`] for what the arguments mean. Efforts are those in `motion.force`.
pub fn free_step(
    motion: &mut TreeMotion,
    tree: &Tree,
    state: &mut TreeState,
    next_base: &Base,
    gravity: DVec3,
    dt: f64,
    theta_vq: f64,
) -> Result<FreeStep, FreeStepError> {
    motion.begin(tree, state, next_base, gravity, dt, theta_vq);
    let mut merit = motion.linearise(tree, state);
    let relative = |residual: f64, impulse: f64| if residual == 0.0 { 0.0 } else { residual / impulse };
    let failed = |residual, impulse| Err(FreeStepError { residual: relative(residual, impulse) });
    if motion.factor().is_err() {
        return failed(merit.residual, merit.impulse);
    }
    for iterations in 0..MAX_ITERATIONS {
        if !merit.admissible {
            break;
        }
        if merit.residual <= (TOLERANCE * merit.impulse).max(merit.round_off) {
            motion.advance(tree, state);
            return Ok(FreeStep { iterations, residual: relative(merit.residual, merit.impulse) });
        }
        motion.solve_direction();
        let mut fraction = 1.0;
        let mut accepted = false;
        for _ in 0..MAX_HALVINGS {
            let trial = motion.try_fraction(tree, state, fraction);
            if trial.admissible && trial.residual < merit.residual {
                accepted = true;
                break;
            }
            fraction *= 0.5;
        }
        if !accepted {
            break;
        }
        motion.accept();
        merit = motion.linearise(tree, state);
    }
    failed(merit.residual, merit.impulse)
}
