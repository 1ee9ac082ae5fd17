//! A step in one piece, or in halves of halves where that is not accepted.

use super::{SubStep, substep};
use crate::model::{Model, State};
use crate::report::{StepReport, StepStatus};
use crate::workspace::Workspace;
use ropewalk_rod::momentum_balance::{LEAST_SHAPE, LEAST_SHAPE_IN_PASSING};

/// Takes `state` one step further, in sub-steps that are as long as can be. On failure the state is as it was.
pub(super) fn take(model: &Model, state: &mut State, workspace: &mut Workspace) -> StepReport {
    let mut report = StepReport::nothing();
    let tuning = &model.settings.tuning;
    let guard_halvings = (tuning.guard_halvings as u32).min(model.settings.max_halvings);
    let halvings_before_passing = tuning.halvings_before_passing as u32;
    state.complete(model);
    workspace.backup.clone_from(state);
    workspace.sensed.clear();
    workspace.energy_made = 0.0;
    // The step is 2^max_halvings units long; a sub-step is a power of two of them.
    let whole = 1u64 << model.settings.max_halvings.min(40);
    let unit = model.settings.dt / whole as f64;
    let start = state.time;
    let (mut done, mut size) = (0u64, whole);
    let mut passing = false;
    while done < whole {
        let end = start + (done + size) as f64 * unit;
        let least_shape = if passing { LEAST_SHAPE_IN_PASSING } else { LEAST_SHAPE };
        let step = SubStep { least_shape, ..SubStep::new(model, size as f64 * unit, end) };
        let outcome = substep(model, state, workspace, step);
        report.add(&outcome, &workspace.seconds);
        if outcome.converged {
            done += size;
            report.degenerate_substeps += u32::from(passing);
            passing = false;
            // Try the longer step again once it fits.
            if size < whole && done % (2 * size) == 0 && done < whole {
                size *= 2;
            }
        } else if outcome.blocked && size <= whole >> guard_halvings {
            report.status = match outcome.gains_energy {
                true => StepStatus::GainsEnergy,
                false => StepStatus::PassesThrough,
            };
            state.clone_from(&workspace.backup);
            return report;
        } else if !passing
            && outcome.finite
            && !outcome.blocked
            && (size <= whole >> halvings_before_passing || folded(model, state))
        {
            // Shorter steps do not avoid a shape that the motion leads to.
            passing = true;
        } else if size > 1 {
            passing = false;
            size /= 2;
        } else {
            report.status = if outcome.finite { StepStatus::NotConverged } else { StepStatus::NotFinite };
            state.clone_from(&workspace.backup);
            return report;
        }
    }
    state.time = start + model.settings.dt;
    workspace.sensed.divide(model.settings.dt);
    report.contacts = workspace.coupling.touching() as u32;
    report.constraints = workspace.coupling.rows.len() as u32;
    report
}

/// Whether a rod is in such a shape already.
fn folded(model: &Model, state: &State) -> bool {
    model.rods.iter().zip(&state.rods).any(|(rod, s)| s.least_shape(rod) < LEAST_SHAPE)
}
