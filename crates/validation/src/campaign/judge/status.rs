//! Steps that fail, and numbers that are not finite.

use super::{Criterion, Findings};
use ropewalk_sim::{State, StepReport, StepStatus};

/// Whether the step left the state unchanged.
pub fn is_failed(report: &StepReport) -> bool {
    report.status != StepStatus::Converged
}

/// Judges a step.
pub fn see(state: &State, report: &StepReport, out: &mut Findings) {
    let not_finite = report.status == StepStatus::NotFinite || !state.is_finite();
    let number = |yes: bool| (f64::from(u8::from(yes)), 0.0);
    out.note(Criterion::Finite, number(not_finite), state.time, || report.status.name().to_owned());
    out.note(Criterion::Status, number(is_failed(report)), state.time, || {
        format!("{}: {}", report.status.name(), report.failure)
    });
}
