//! The residual of a converged step, over the tolerance.
//!
//! A residual is relative to the impulses. Where a rod has none (it floats at rest without contact) it is round-off
//! over round-off; such steps are not judged.

use super::{Criterion, Findings};
use ropewalk_sim::{Model, State, StepReport, StepStatus, measure};

/// A rod whose kinetic and elastic energy is below this fraction of that of another is at rest.
const IDLE: f64 = 1e-12;

/// Judges a step.
pub fn see(model: &Model, state: &State, report: &StepReport, out: &mut Findings) {
    let exceeds = report.residual.is_nan() || report.residual > model.settings.tolerance;
    if report.status != StepStatus::Converged || exceeds && has_idle_rod(model, state) {
        return;
    }
    let value = report.residual / model.settings.tolerance;
    out.note(Criterion::Residual, (value, 1.0), state.time, || {
        format!("converged with a residual of {:.3e}", report.residual)
    });
}

/// Whether a rod neither moves nor is strained.
fn has_idle_rod(model: &Model, state: &State) -> bool {
    let energy = |r: usize| {
        let e = measure::rod_energies(model, state, r);
        e.kinetic + e.stretch + e.bend + e.twist
    };
    let energies: Vec<f64> = (0..model.rods.len()).map(energy).collect();
    let most = energies.iter().copied().fold(0.0, f64::max);
    energies.iter().any(|e| *e <= IDLE * most)
}
