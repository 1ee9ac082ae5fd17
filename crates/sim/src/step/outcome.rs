//! The outcome of a solve, or of a sub-step.

use super::constrain::violation::Violation;
use crate::culprit::Culprit;
use crate::report::{STAGES, StepReport};
use crate::workspace::Workspace;

/// Status, cost and errors of a solve.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) converged: bool,
    pub(crate) finite: bool,
    pub(crate) iterations: u32,
    pub(crate) inner_iterations: u32,
    /// Whether the check asks for a shorter step.
    pub(crate) blocked: bool,
    /// Whether it asks because contacts make energy.
    pub(crate) gains_energy: bool,
    /// The pair that made it ask.
    pub(crate) culprit: Option<Culprit>,
    pub(crate) residual: f64,
    /// How far contacts are from what they should be.
    pub(crate) violation: Violation,
    pub(crate) altered_tangents: u32,
    pub(crate) seconds: [f64; STAGES.len()],
    pub(crate) work: f64,
}

impl Outcome {
    /// The outcome of an empty problem: converged, at no cost.
    pub(in crate::step) fn none() -> Self {
        Self { converged: true, finite: true, ..Self::default() }
    }

    /// The outcome of a solve that has not begun.
    pub(in crate::step) fn pending() -> Self {
        Self { finite: true, ..Self::default() }
    }

    /// The outcomes of all rods and trees together.
    pub(in crate::step) fn of_all(workspace: &Workspace) -> Self {
        let mut outcome = Self::none();
        for work in &workspace.rods {
            outcome.merge(&work.outcome);
        }
        for work in &workspace.trees {
            outcome.merge(&work.outcome);
        }
        outcome
    }

    /// Accumulates the cost of an earlier attempt.
    pub(in crate::step) fn add_cost(&mut self, before: &Self) {
        self.iterations += before.iterations;
        self.inner_iterations += before.inner_iterations;
        self.altered_tangents += before.altered_tangents;
        for (mine, theirs) in self.seconds.iter_mut().zip(&before.seconds) {
            *mine += theirs;
        }
    }

    /// Takes the status of a solve, and adds its cost.
    pub(in crate::step) fn take(&mut self, solve: &Self) {
        (self.converged, self.finite, self.residual) = (solve.converged, solve.finite, solve.residual);
        self.add_cost(solve);
    }

    /// Sums and maxima, in order.
    pub(in crate::step) fn merge(&mut self, other: &Self) {
        self.converged &= other.converged;
        self.finite &= other.finite;
        self.iterations = self.iterations.max(other.iterations);
        self.inner_iterations += other.inner_iterations;
        self.blocked |= other.blocked;
        self.gains_energy |= other.gains_energy;
        self.residual = self.residual.max(other.residual);
        self.culprit = self.culprit.or(other.culprit);
        self.violation.merge(&other.violation);
        self.altered_tangents += other.altered_tangents;
        self.work += other.work;
        for (mine, theirs) in self.seconds.iter_mut().zip(&other.seconds) {
            *mine += theirs;
        }
    }
}

impl StepReport {
    /// Adds a sub-step, accepted or not; `seconds` are those that are not counted by rod or tree.
    pub(in crate::step) fn add(&mut self, outcome: &Outcome, seconds: &[f64; STAGES.len()]) {
        self.iterations += outcome.iterations;
        self.inner_iterations += outcome.inner_iterations;
        self.blocked += u32::from(outcome.blocked);
        self.culprit = outcome.culprit;
        self.altered_tangents += outcome.altered_tangents;
        let all = outcome.seconds.iter().zip(seconds);
        for (mine, (by_part, theirs)) in self.stage_seconds.iter_mut().zip(all) {
            *mine += by_part + theirs;
        }
        if outcome.converged {
            self.substeps += 1;
            self.residual = self.residual.max(outcome.residual);
            self.work += outcome.work;
        }
    }
}
