//! Newton's method on the momentum balance of one rod, with a line search.
//!
//! Linearise, factor, step; accept a fraction of the step if the incremental potential falls as it should or the
//! residual clearly does. (The forces are not exactly the gradient of the potential, so near the solution only the
//! residual tells.) An exact tangent that is not positive definite is replaced, for that iterate, by one that is.

use crate::model::Settings;
use crate::report::stage;
use crate::step::timer::lap;
use crate::workspace::{RodWork, TreeWork};
use ropewalk_body::{Tree, TreeState};
use ropewalk_rod::momentum_balance::{Merit, RodMotion, StepWeights};
use ropewalk_rod::{Rod, RodState};
use std::time::Instant;

/// Armijo's fraction of the decrease that the slope promises.
pub(in crate::step) const SUFFICIENT: f64 = 1e-4;
/// A residual that falls to this fraction counts as progress, whatever the potential.
pub(in crate::step) const CLEAR_FALL: f64 = 0.7;
/// Halvings of a direction before it is given up.
pub(in crate::step) const MAX_HALVINGS: u32 = 40;

/// A solve that makes no more progress has converged if the residual is within this factor of the estimate of
/// round-off: the estimate counts one operation, an evaluation has dozens.
pub(in crate::step) const ROUND_OFF_FACTOR: f64 = 100.0;

/// Finds v with m(v) = 0 and leaves it in `work.motion.v`; the outcome says whether it did.
pub(crate) fn solve(
    rod: &Rod,
    state: &RodState,
    weights: StepWeights,
    settings: &Settings,
    work: &mut RodWork,
) {
    work.rest.forget();
    let (motion, outcome) = (&mut work.motion, &mut work.outcome);
    let mut clock = Instant::now();
    let mut merit = motion.linearise(rod, state, weights);
    outcome.seconds[stage::LINEARISE] += lap(&mut clock);
    while (outcome.iterations as usize) < settings.max_iterations {
        outcome.finite = merit.residual.is_finite() && merit.potential.is_finite();
        if !outcome.finite {
            return;
        }
        outcome.iterations += 1;
        if motion.factor().is_err() {
            outcome.altered_tangents += 1;
            motion.make_positive(rod, state, weights);
            if motion.factor().is_err() {
                return;
            }
        }
        let slope = motion.solve_direction();
        outcome.seconds[stage::SOLVE] += lap(&mut clock);
        let found = search(rod, state, weights, &merit, slope, motion);
        let stalled = found.is_none_or(|next| next.residual > CLEAR_FALL * merit.residual);
        merit = match found {
            Some(next) => next,
            // Stay, and evaluate there once more: the last trial has left its own residual.
            None => motion.try_fraction(rod, state, weights, 0.0),
        };
        motion.accept();
        // The measure is what is at work at this iterate, not at those on the way: a stiff rod that is turned by one,
        // as by the first guess, has huge forces there.
        let impulse = merit.impulse;
        if !motion.followers.is_empty() && found.is_some() {
            // Within the search followers keep the direction of the last linearisation; judge with them turned.
            merit = motion.linearise(rod, state, weights);
        }
        outcome.seconds[stage::LINEARISE] += lap(&mut clock);
        let floor = if stalled { ROUND_OFF_FACTOR } else { 1.0 } * merit.round_off;
        outcome.residual = relative(merit.residual, impulse, floor / settings.tolerance);
        if merit.admissible && merit.residual <= f64::max(settings.tolerance * impulse, floor) {
            outcome.converged = true;
            return;
        }
        if found.is_none() {
            return;
        }
        if motion.followers.is_empty() {
            merit = motion.linearise(rod, state, weights);
        }
        outcome.seconds[stage::LINEARISE] += lap(&mut clock);
    }
}

/// The residual relative to the impulses at work, or to the least impulse of which it could be told from round-off.
pub(in crate::step) fn relative(residual: f64, impulse: f64, least: f64) -> f64 {
    let scale = impulse.max(least);
    if scale > 0.0 { residual / scale } else { 0.0 }
}

/// Trees are solved to this fraction of the impulses at work: it costs microseconds and keeps momentum.
pub(in crate::step) const TREE_TOLERANCE: f64 = 1e-13;

/// The same for a tree that no constraint holds: its tangent is constant over the step and always positive definite.
pub(crate) fn solve_tree(tree: &Tree, state: &TreeState, settings: &Settings, work: &mut TreeWork) {
    let (motion, outcome) = (&mut work.motion, &mut work.outcome);
    let mut clock = Instant::now();
    let mut merit = motion.linearise(tree, state);
    if motion.factor().is_err() {
        return;
    }
    outcome.seconds[stage::LINEARISE] += lap(&mut clock);
    while (outcome.iterations as usize) < settings.max_iterations {
        outcome.finite = merit.admissible;
        if !outcome.finite {
            return;
        }
        outcome.residual = relative(merit.residual, merit.impulse, merit.round_off / settings.tolerance);
        if merit.residual <= f64::max(TREE_TOLERANCE * merit.impulse, merit.round_off) {
            outcome.converged = true;
            return;
        }
        outcome.iterations += 1;
        motion.solve_direction();
        outcome.seconds[stage::SOLVE] += lap(&mut clock);
        let fractions = (0..MAX_HALVINGS).map(|k| 0.5f64.powi(k as i32));
        let found = fractions.map(|f| motion.try_fraction(tree, state, f));
        let Some(_) = { found }.find(|next| next.admissible && next.residual < merit.residual) else {
            let enough = settings.tolerance.min(1e-9) * merit.impulse;
            outcome.converged = merit.residual <= f64::max(enough, ROUND_OFF_FACTOR * merit.round_off);
            return;
        };
        motion.accept();
        merit = motion.linearise(tree, state);
        outcome.seconds[stage::LINEARISE] += lap(&mut clock);
    }
}

/// Finds a fraction of the direction that makes progress, and leaves that trial; `None` if there is none.
fn search(
    rod: &Rod,
    state: &RodState,
    weights: StepWeights,
    from: &Merit,
    slope: f64,
    motion: &mut RodMotion,
) -> Option<Merit> {
    // Below this a change of the potential is round-off.
    let slack = 1e-12 * (from.potential.abs() + from.impulse * from.impulse);
    let mut fraction = 1.0;
    for _ in 0..MAX_HALVINGS {
        let merit = motion.try_fraction(rod, state, weights, fraction);
        let finite = merit.residual.is_finite() && merit.potential.is_finite();
        let falls = merit.potential <= from.potential + SUFFICIENT * fraction * slope + slack;
        let clears = merit.residual <= CLEAR_FALL * from.residual;
        // From a shape that is not admissible any better one will do.
        let admissible = merit.admissible || !from.admissible;
        if finite && admissible && (falls || clears) {
            return Some(merit);
        }
        fraction *= 0.5;
    }
    None
}
