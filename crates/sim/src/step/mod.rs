//! One time step.

use crate::model::{Model, State};
use crate::report::{STAGES, StepReport, StepStatus};
use crate::workspace::Workspace;

/// Takes `state` one step of `model.settings.dt` further. On failure the state is as it was.
pub fn step(model: &Model, state: &mut State, workspace: &mut Workspace) -> StepReport {
    let _ = workspace;
    state.time += model.settings.dt;
    StepReport {
        status: StepStatus::Converged,
        substeps: 1,
        iterations: 0,
        residual: 0.0,
        altered_tangents: 0,
        stage_seconds: [0.0; STAGES.len()],
        work: 0.0,
    }
}
