//! The residual of a step that says that it has converged, over the tolerance.

use super::{Criterion, Findings};
use ropewalk_sim::{Model, State, StepReport, StepStatus};

/// Judges a step.
pub fn see(model: &Model, state: &State, report: &StepReport, out: &mut Findings) {
    if report.status == StepStatus::Converged {
        let value = report.residual / model.settings.tolerance;
        out.note(Criterion::Residual, (value, 1.0), state.time, || {
            format!("converged with a residual of {:.3e}", report.residual)
        });
    }
}
