//! Newton's method on the momentum balance of an island, with one line search.
//!
//! Linearize, find a direction, accept a fraction of it: if the incremental potential plus the costs of the constraints
//! falls as it should, or the residual m(v) − Jᵀλ(v) clearly does. (The forces are not exactly the gradient of the
//! potential, so near the solution only the residual tells.) It has converged when the residual is small against the
//! impulses at work at that iterate, or round-off.
//!
//! What acts on the parts besides their own forces makes the difference between islands: nothing on a part that is
//! free, whose direction is by its own factor (block-pentadiagonal for a rod, dense for a tree); constraints, whose
//! direction is by the convex problem of [`Coupling`]; or impulses that are given.

use super::coupling::Coupling;
use super::dof_map::DofMap;
use super::part::IslandPart;
use crate::model::{Linearize, Model, Settings, Tuning};
use crate::report::stage;
use crate::step::constrain::AnyConstraint;
use crate::step::constrain::jacobian::ConstraintJacobian;
use crate::step::parallel::{MANY_CONSTRAINTS, at_once, for_each_part};
use crate::step::timer::lap;
use crate::step::{Outcome, SubStep};
use crate::workspace::RodWork;
use ropewalk_linalg::merit::Merit;
use ropewalk_rod::momentum_balance::StepWeights;
use ropewalk_rod::{Rod, RodState};
use std::time::Instant;

/// What every island of a step is given.
pub(in crate::step) struct Given<'a> {
    pub(in crate::step) model: &'a Model,
    pub(in crate::step) step: SubStep,
    pub(in crate::step) dof_map: &'a DofMap,
    pub(in crate::step) rows: &'a ConstraintJacobian,
    pub(in crate::step) constraints: &'a [AnyConstraint],
}

impl<'a> Given<'a> {
    pub(super) fn tuning(&self) -> &'a Tuning {
        &self.model.settings.tuning
    }

    /// Whether constraints are solved for once, at the free motion, as in the paper.
    pub(super) fn once(&self) -> bool {
        self.model.settings.linearize == Linearize::Once
    }
}

/// What acts on the parts of an island.
pub(super) enum Acting<'a> {
    /// Nothing; the island is one part.
    Nothing,
    /// Given impulses, on one part.
    Impulses(&'a [[f64; 4]]),
    /// Constraints.
    Constraints(&'a mut Coupling),
}

/// An island under way.
struct Newton<'a, 'b> {
    parts: &'a mut [IslandPart<'b>],
    acting: Acting<'a>,
    given: &'a Given<'a>,
}

/// Brings `parts` to balance. Leaves velocities in their work, and impulses with the constraints.
pub(super) fn solve(parts: &mut [IslandPart<'_>], acting: Acting<'_>, given: &Given<'_>) -> Outcome {
    let mut outcome = Outcome::pending();
    let most = given.model.settings.max_iterations;
    let mut newton = Newton { parts, acting, given };
    newton.run(most, &mut outcome);
    if let (Acting::Constraints(coupling), true) = (&newton.acting, outcome.converged && !given.once()) {
        settle(newton.parts, coupling, given);
    }
    outcome
}

/// Brings one rod that nothing acts on to balance by `settings`; a step that has begun goes on.
pub(crate) fn solve_free_rod(
    rod: &Rod,
    state: &RodState,
    weights: StepWeights,
    settings: &Settings,
    work: &mut RodWork,
) {
    let model = Model { settings: settings.clone(), ..Model::default() };
    let step = SubStep { weights, end: weights.dt, bdf2: false, least_shape: work.motion.least_shape };
    let (dof_map, rows) = (DofMap::default(), ConstraintJacobian::default());
    let given = Given { model: &model, step, dof_map: &dof_map, rows: &rows, constraints: &[] };
    let mut outcome = core::mem::take(&mut work.outcome);
    let mut part = IslandPart::of_rod(rod, state, work);
    let parts = core::slice::from_mut(&mut part);
    Newton { parts, acting: Acting::Nothing, given: &given }.run(settings.max_iterations, &mut outcome);
    work.outcome = outcome;
}

/// With the impulses found, makes momentum balance to round-off where that is cheap: a rod that nothing holds is
/// shifted as a whole, a tree goes on by itself. Velocities change by no more than the tolerance.
fn settle(parts: &mut [IslandPart<'_>], coupling: &Coupling, given: &Given<'_>) {
    for_each_part(parts, |at, part| {
        let push = coupling.push_on(at);
        if !part.shift(given.step, push) {
            let parts = core::slice::from_mut(part);
            let mut newton = Newton { parts, acting: Acting::Impulses(push), given };
            newton.run(given.tuning().settling_iterations as usize, &mut Outcome::pending());
        }
    });
}

impl Newton<'_, '_> {
    fn run(&mut self, most_iterations: usize, outcome: &mut Outcome) {
        let (settings, tuning) = (&self.given.model.settings, self.given.tuning());
        let mut clock = Instant::now();
        let begun = self.begin(outcome);
        outcome.seconds[stage::LINEARISE] += lap(&mut clock) - outcome.seconds[stage::CONSTRAIN];
        let Some(mut merit) = begun else { return };
        let [tight, loose] = self.tolerances();
        let balanced = |merit: &Merit, tolerance: f64, impulse: f64, floor: f64| {
            merit.admissible && merit.residual <= f64::max(tolerance * impulse, floor)
        };
        if tight < settings.tolerance && balanced(&merit, tight, merit.impulse, merit.round_off) {
            (outcome.finite, outcome.converged) = (true, true);
            return;
        }
        let mut corrections = 0;
        while (outcome.iterations as usize) < most_iterations {
            outcome.finite = merit.is_finite();
            if !outcome.finite {
                return;
            }
            outcome.iterations += 1;
            let Some(slope) = self.direction(outcome) else { return };
            outcome.seconds[stage::SOLVE] += lap(&mut clock);
            if self.is_once() {
                return self.take_whole(outcome);
            }
            let found = self.search(&merit, slope);
            let stalled = found.is_none_or(|next| next.residual > tuning.newton_clear_fall * merit.residual);
            // If there is none, stay, and evaluate there once more: the last trial has left its own residual.
            merit = found.unwrap_or_else(|| self.merit(Some(0.0)));
            self.accept();
            // The measure is what is at work at this iterate, not at those on the way: a stiff rod that is turned by one,
            // as by the first guess, has huge forces there.
            let impulse = merit.impulse;
            let followers = found.is_some() && self.parts.iter_mut().any(IslandPart::has_followers);
            if followers {
                // Within the search followers keep the direction of the last linearization; judge with them turned.
                merit = self.linearize(0.0).unwrap_or_else(|| self.merit(None));
            }
            outcome.seconds[stage::LINEARISE] += lap(&mut clock);
            let floor = if stalled { tuning.newton_round_off } else { 1.0 } * merit.round_off;
            outcome.residual = relative(merit.residual, impulse, floor / settings.tolerance);
            let last = found.is_none() || outcome.iterations as usize == most_iterations;
            let settled = tuning.newton_settled * settings.tolerance * impulse;
            let tolerance = if stalled { loose } else { tight };
            let enough = last || merit.residual <= floor || !self.needs_tangent(settled);
            if enough && balanced(&merit, tolerance, impulse, floor) {
                let may_go_on = corrections < tuning.friction_corrections as usize && !last;
                if !(may_go_on && self.correct_friction()) {
                    outcome.converged = true;
                    return;
                }
                corrections += 1;
                merit = self.merit(None);
            } else if found.is_none() {
                return;
            }
            if !followers {
                merit = self.linearize(settled).unwrap_or(merit);
            }
            outcome.seconds[stage::LINEARISE] += lap(&mut clock);
        }
    }

    /// The first linearization, and the merit there. None if no law can be made.
    fn begin(&mut self, outcome: &mut Outcome) -> Option<Merit> {
        if let Acting::Constraints(coupling) = &mut self.acting {
            return coupling.begin(self.parts, self.given, outcome).then(|| self.merit(None));
        }
        self.linearize(0.0)
    }

    /// Residuals and tangents at the iterate; with constraints, of the parts with more than `settled` of the residual.
    /// Returns the merit, of which the norm is another than before, where it costs nothing.
    fn linearize(&mut self, settled: f64) -> Option<Merit> {
        match &mut self.acting {
            Acting::Constraints(coupling) => {
                coupling.linearize(self.parts, self.given, Some(settled));
                None
            }
            Acting::Impulses(push) => {
                let merit = self.parts[0].linearize(self.given.step);
                Some(with_push(&mut self.parts[0], push, merit))
            }
            Acting::Nothing => Some(self.parts[0].linearize(self.given.step)),
        }
    }

    /// The direction, in every part, and its slope. None if there is none.
    fn direction(&mut self, outcome: &mut Outcome) -> Option<f64> {
        let push = match &mut self.acting {
            Acting::Constraints(coupling) => return coupling.direction(self.parts, self.given, outcome),
            Acting::Impulses(push) => push,
            Acting::Nothing => &[][..],
        };
        let part = &mut self.parts[0];
        if !part.factor() {
            outcome.altered_tangents += 1;
            if !(part.alter_tangent(self.given.step) && part.factor()) {
                return None;
            }
        }
        Some(part.direct(push))
    }

    /// Finds a fraction of the direction that makes progress, and leaves that trial; `None` if there is none.
    fn search(&mut self, from: &Merit, slope: f64) -> Option<Merit> {
        let tuning = self.given.tuning();
        let slack = tuning.newton_slack * (from.potential.abs() + from.impulse * from.impulse);
        let mut fraction = 1.0;
        for _ in 0..tuning.newton_halvings as u32 {
            let merit = self.merit(Some(fraction));
            let falls =
                merit.potential <= from.potential + tuning.newton_sufficient * fraction * slope + slack;
            let clears = merit.residual <= tuning.newton_clear_fall * from.residual;
            // From a shape that is not admissible any better one will do.
            let admissible = merit.admissible || !from.admissible;
            if merit.is_finite() && admissible && (falls || clears) {
                return Some(merit);
            }
            fraction *= 0.5;
        }
        None
    }

    /// The merit at the iterate as linearized, or at a fraction of the direction, which becomes the trial.
    fn merit(&mut self, fraction: Option<f64>) -> Merit {
        let (parts, step) = (&mut *self.parts, self.given.step);
        let coupling = match &mut self.acting {
            Acting::Constraints(coupling) => coupling,
            Acting::Impulses(push) => {
                let merit = parts[0].trial(step, fraction.unwrap_or(0.0));
                return with_push(&mut parts[0], push, merit);
            }
            Acting::Nothing => return parts[0].trial(step, fraction.unwrap_or(0.0)),
        };
        let mut out = Merit::NONE;
        match fraction {
            None => out.potential += coupling.trial(0.0),
            Some(fraction) => {
                let many = coupling.len() >= MANY_CONSTRAINTS;
                let of_parts = || {
                    for_each_part(parts, |_, part| part.iterate().merit = part.trial(step, fraction));
                };
                at_once(many, of_parts, || out.potential += coupling.trial(fraction));
            }
        }
        for_each_part(parts, |at, part| part.weigh(coupling.push_on(at)));
        let mut pushed = 0.0;
        for part in parts {
            let of = *part.iterate();
            out.residual += of.left;
            pushed += of.pushed;
            out.potential += of.merit.potential;
            out.impulse += of.merit.impulse * of.merit.impulse;
            out.round_off += of.merit.round_off * of.merit.round_off;
            out.admissible &= of.merit.admissible;
        }
        out.residual = out.residual.sqrt();
        out.impulse = f64::max(out.impulse, pushed).sqrt();
        out.round_off = out.round_off.sqrt();
        out
    }

    /// Takes the trial as the iterate.
    fn accept(&mut self) {
        for part in &mut *self.parts {
            part.accept();
        }
        if let Acting::Constraints(coupling) = &mut self.acting {
            coupling.accept();
        }
    }

    /// The step of the paper: the optimum of the convex problem, as it is.
    fn take_whole(&mut self, outcome: &mut Outcome) {
        let merit = self.merit(Some(1.0));
        self.accept();
        outcome.residual = relative(merit.residual, merit.impulse, 0.0);
        outcome.finite = merit.is_finite();
        outcome.converged = outcome.finite && merit.admissible;
    }

    fn is_once(&self) -> bool {
        self.given.once() && matches!(self.acting, Acting::Constraints(_))
    }

    fn tolerances(&mut self) -> [f64; 2] {
        let settings = &self.given.model.settings;
        match self.acting {
            Acting::Constraints(_) => [settings.tolerance; 2],
            _ => self.parts[0].tolerances(settings),
        }
    }

    /// Whether a tangent of an earlier step has not done as well as one that is made now.
    fn needs_tangent(&self, settled: f64) -> bool {
        let mut rods = self.parts.iter().filter_map(IslandPart::rod);
        matches!(self.acting, Acting::Constraints(_)) && rods.any(|rod| rod.needs_tangent(settled * settled))
    }

    fn correct_friction(&mut self) -> bool {
        match &mut self.acting {
            Acting::Constraints(coupling) => coupling.correct_friction(self.given.tuning().friction_error),
            _ => false,
        }
    }
}

/// The merit of a part with given impulses: half of the square of the residual stands in for a potential.
fn with_push(part: &mut IslandPart<'_>, push: &[[f64; 4]], merit: Merit) -> Merit {
    part.weigh(push);
    let square = part.iterate().left;
    Merit { residual: square.sqrt(), potential: 0.5 * square, ..merit }
}

/// The residual relative to the impulses at work, or to the least impulse of which it could be told from round-off.
fn relative(residual: f64, impulse: f64, least: f64) -> f64 {
    let scale = impulse.max(least);
    if scale > 0.0 { residual / scale } else { 0.0 }
}
