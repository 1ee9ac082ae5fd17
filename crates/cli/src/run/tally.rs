//! What the steps reported, added up.

use ropewalk_sim::StepReport;
use ropewalk_sim::report::STAGES;

/// Sums and maxima over the steps of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// Steps that succeeded.
    pub(crate) steps: u64,
    /// Newton iterations, summed.
    pub(crate) iterations: u64,
    /// Greatest number of Newton iterations in one step.
    pub(crate) max_iterations: u32,
    /// Steps that were halved at least once.
    pub(crate) halved_steps: u64,
    /// Greatest number of sub-steps of one step.
    pub(crate) max_substeps: u32,
    /// Contacts that push, summed over steps.
    pub(crate) contacts: u64,
    /// Greatest number of contacts that push in one step.
    pub(crate) max_contacts: u32,
    /// Deepest overlap, m.
    pub(crate) deepest_overlap_m: f64,
    /// Tangents altered to be positive definite.
    pub(crate) altered_tangents: u64,
    /// Greatest relative residual of a step that succeeded.
    pub(crate) max_residual: f64,
    /// Seconds in each stage.
    pub(crate) stage_seconds: [f64; STAGES.len()],
    /// Work of clamps, loads and drives in J.
    pub(crate) work: f64,
}

impl Tally {
    /// Adds a step that succeeded.
    pub(crate) fn add(&mut self, report: &StepReport) {
        self.steps += 1;
        self.iterations += u64::from(report.iterations);
        self.max_iterations = self.max_iterations.max(report.iterations);
        self.halved_steps += u64::from(report.substeps > 1);
        self.max_substeps = self.max_substeps.max(report.substeps);
        self.contacts += u64::from(report.contacts);
        self.max_contacts = self.max_contacts.max(report.contacts);
        self.altered_tangents += u64::from(report.altered_tangents);
        self.max_residual = self.max_residual.max(report.residual);
        for (sum, seconds) in self.stage_seconds.iter_mut().zip(report.stage_seconds) {
            *sum += seconds;
        }
        self.work += report.work;
    }

    /// Newton iterations per step, on average.
    pub(crate) fn mean_iterations(&self) -> f64 {
        if self.steps == 0 { 0.0 } else { self.iterations as f64 / self.steps as f64 }
    }
}
