//! One step of an unconstrained tree.
//!
//! Newton's method on m(v) = 0 with the symmetric tangent A of [`crate::motion`]; a fraction of the direction is
//! accepted if it reduces m·A⁻¹ m. Mimic joints, limits and dry friction are constraints and ignored.

use crate::base::Base;
use crate::motion::{Merit, TreeMotion};
use crate::tree::{Tree, TreeState};
use glam::DVec3;
use thiserror::Error;

/// Iterations end when |m| is this fraction of the impulses, or at round-off. Errors accumulate over many steps, so
/// it is close to round-off.
const TOLERANCE: f64 = 1e-14;
/// Accepted residual where |m| cannot be reduced further.
const LOOSE_TOLERANCE: f64 = 1e-12;
/// The tangent is recomputed where an iteration leaves more than this fraction of |m|.
const SLOW: f64 = 0.05;
const MAX_ITERATIONS: usize = 200;
const MAX_HALVINGS: usize = 30;

/// Report of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeStep {
    /// Iterations.
    pub iterations: usize,
    /// |m| over the impulses.
    pub residual: f64,
}

/// Why a step failed; the state is unchanged.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[error(
    "the step did not converge: momentum is out of balance by {residual:e} of the impulses at work; take a smaller step"
)]
pub struct FreeStepError {
    /// |m| over the impulses.
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
    let found = solve_free(motion, tree, state)?;
    motion.advance(tree, state);
    Ok(found)
}

/// Solves a step that has begun, of the θ-method or of BDF2; `state` is that of its start.
pub fn solve_free(
    motion: &mut TreeMotion,
    tree: &Tree,
    state: &TreeState,
) -> Result<FreeStep, FreeStepError> {
    let mut merit = motion.linearize(tree, state);
    let relative = |residual: f64, impulse: f64| if residual == 0.0 { 0.0 } else { residual / impulse };
    let failed = |residual, impulse| Err(FreeStepError { residual: relative(residual, impulse) });
    let finish = |merit: Merit, iterations| {
        Ok(FreeStep { iterations, residual: relative(merit.residual, merit.impulse) })
    };
    if motion.factor().is_err() {
        return failed(merit.residual, merit.impulse);
    }
    for iterations in 0..MAX_ITERATIONS {
        if !merit.admissible {
            break;
        }
        let slope = motion.solve_direction();
        if merit.residual <= (TOLERANCE * merit.impulse).max(merit.round_off) {
            // The remaining residual has the same sign in every step; one more iteration leaves only random
            // round-off.
            let last = motion.try_fraction(tree, state, 1.0);
            if last.admissible && last.residual < merit.residual {
                motion.accept();
                merit = last;
            }
            return finish(merit, iterations);
        }
        let size = (-slope).max(0.0).sqrt();
        let mut fraction = 1.0;
        let mut accepted = false;
        for _ in 0..MAX_HALVINGS {
            let trial = motion.try_fraction(tree, state, fraction);
            if trial.admissible && motion.residual_energy_norm() < size {
                accepted = true;
                break;
            }
            fraction *= 0.5;
        }
        if !accepted {
            if merit.residual <= LOOSE_TOLERANCE * merit.impulse {
                return finish(merit, iterations);
            }
            break;
        }
        let before = merit.residual;
        motion.accept();
        merit = motion.linearize(tree, state);
        if merit.residual > SLOW * before {
            motion.refresh_tangent(tree);
            if motion.factor().is_err() {
                break;
            }
        }
    }
    failed(merit.residual, merit.impulse)
}
