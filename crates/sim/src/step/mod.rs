//! One time step, as a list of stages. Each is a file or a folder here.
//!
//! 1. [`kinematics`]: what is prescribed, loads and targets at the end of the step; poses at its start
//! 2. [`collide`]: everything that touches, or may touch within the step
//! 3. [`constrain`]: contacts, attachments, joints and actuators as rows J of velocities, each with a law
//! 4. [`solve`]: velocities v and impulses λ, such that momentum balances; contacts are then updated to where the motion
//!    leads, and if any has changed, solved again
//! 5. [`check`]: accept the motion, or take a shorter step
//! 6. [`observe`]: forces, impulses and work of the accepted motion, which are functions of the state that it starts from
//! 7. [`advance`]: q from v, frames carried along
//!
//! A step that is not accepted is taken again in halves ([`substeps`]). The result does not depend on the number of
//! threads.

pub(crate) mod advance;
pub(crate) mod check;
pub(crate) mod collide;
pub(crate) mod constrain;
pub(crate) mod kinematics;
pub(crate) mod observe;
mod outcome;
mod parallel;
pub(crate) mod solve;
mod substeps;
mod timer;
mod worker;

use crate::model::{Model, State};
use crate::report::StepReport;
use crate::workspace::Workspace;
use kinematics::impacts;
pub(crate) use outcome::Outcome;
use ropewalk_rod::momentum_balance::{LEAST_SHAPE, StepWeights};

/// Takes `state` one step of `model.settings.dt` further. On failure the state is as it was.
pub fn step(model: &Model, state: &mut State, workspace: &mut Workspace) -> StepReport {
    let report = worker::keep_awake(model, || substeps::take(model, state, workspace));
    state.time = on_grid(state.time, model.settings.dt);
    report
}

/// `time` without what sums of steps have lost: the nearest multiple of `dt`, if it is one up to round-off, so that 6000 steps
/// of 1 ms are 6 s.
fn on_grid(time: f64, dt: f64) -> f64 {
    let steps = (time / dt).round();
    if (time - steps * dt).abs() > 1e-9 * dt {
        return time;
    }
    // 1/dt is what people mean by 0.001: a quotient of whole numbers is the nearest number to the decimal.
    let rate = (1.0 / dt).round();
    if (rate * dt - 1.0).abs() < 1e-12 { steps / rate } else { steps * dt }
}

/// A part of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SubStep {
    /// Its length and the weights of the time integration.
    pub(crate) weights: StepWeights,
    /// When it ends, s.
    pub(crate) end: f64,
    /// Whether it is one of BDF2: then velocities of parts stand for their mean over the step.
    pub(crate) bdf2: bool,
    /// Folds and short edges up to which a rod is admissible: see [`LEAST_SHAPE`].
    pub(crate) least_shape: f64,
}

impl SubStep {
    /// One of length `dt` (s) that ends at `end` (s), by the scheme of `model`.
    pub(crate) fn new(model: &Model, dt: f64, end: f64) -> Self {
        let scheme = model.settings.scheme;
        let weights = StepWeights { dt, theta: scheme.theta, theta_vq: scheme.theta_vq };
        Self { weights, end, bdf2: scheme.bdf2, least_shape: LEAST_SHAPE }
    }
}

/// One sub-step. The state changes only if everything converges and the check accepts the motion.
pub(crate) fn substep(model: &Model, state: &mut State, workspace: &mut Workspace, step: SubStep) -> Outcome {
    impacts::forget(workspace);
    let mut outcome = move_parts(model, state, workspace, step);
    // (impulses) => parts that are hit; BDF2 does not reach across that
    while outcome.converged && step.bdf2 && impacts::found(model, state, workspace) {
        let (before, seconds) = (outcome, workspace.seconds);
        kinematics::undo(model, state, workspace);
        outcome = move_parts(model, state, workspace, step);
        outcome.add_cost(&before);
        workspace.seconds.iter_mut().zip(seconds).for_each(|(sum, more)| *sum += more);
    }
    // (v, λ) => accept, or ask for a shorter step
    check::judge(model, state, workspace, step, &mut outcome);
    if !outcome.converged {
        kinematics::undo(model, state, workspace);
        return outcome;
    }
    // (state, v, λ) => forces, impulses, work
    observe::read(model, state, workspace, step, &mut outcome);
    // (state, v) => the state at the end of the step
    advance::advance(model, state, workspace, step);
    outcome
}

/// Velocities and impulses of a sub-step.
fn move_parts(model: &Model, state: &mut State, workspace: &mut Workspace, step: SubStep) -> Outcome {
    // (model, state, end of the step) => prescribed velocities, loads, targets; poses and grips at its start
    kinematics::begin(model, state, workspace, step);
    // (poses, velocities, dt) => contacts: everything that touches, or may within the step
    collide::find(model, state, workspace, step);
    if step.bdf2 {
        // (contacts, velocities) => parts about to be hit, which begin the step by backward Euler
        impacts::foresee(model, state, workspace, step);
    }
    // (contacts, free motion) => contacts that may push, and rods that move by themselves
    solve::choose_active(model, state, workspace, step);
    // (contacts, attachments, joints, actuators) => rows J and laws
    constrain::assemble(model, state, workspace, step);
    // (parts, constraints) => v, λ, with contacts updated to the end of the step
    solve::solve(model, state, workspace, step)
}
