//! What steps have done.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use ropewalk_sim::report::STAGES;
use ropewalk_sim::world::Progress;

/// What one call of ``step`` has done: sums over its steps; ``contacts`` and ``constraints`` are those of the last one.
#[pyclass(frozen, module = "ropewalk")]
#[derive(Debug)]
pub(crate) struct StepReport(pub(crate) Progress);

#[pymethods]
impl StepReport {
    /// How it ended: "converged", "not_converged", "passes_through" or "not_finite".
    #[getter]
    fn status(&self) -> &'static str {
        self.0.report.status.name()
    }
    /// Steps taken.
    #[getter]
    fn steps(&self) -> u64 {
        self.0.steps
    }
    /// Sub-steps taken: more than steps where a step was split.
    #[getter]
    fn substeps(&self) -> u32 {
        self.0.report.substeps
    }
    /// Linearizations of the momentum balance.
    #[getter]
    fn iterations(&self) -> u32 {
        self.0.report.iterations
    }
    /// Newton iterations within the convex problems.
    #[getter]
    fn inner_iterations(&self) -> u32 {
        self.0.report.inner_iterations
    }
    /// How often the guard against passing through has asked for a shorter step.
    #[getter]
    fn blocked(&self) -> u32 {
        self.0.report.blocked
    }
    /// Contacts that push.
    #[getter]
    fn contacts(&self) -> u32 {
        self.0.report.contacts
    }
    /// Constraints.
    #[getter]
    fn constraints(&self) -> u32 {
        self.0.report.constraints
    }
    /// Greatest momentum residual relative to the impulses at work.
    #[getter]
    fn residual(&self) -> f64 {
        self.0.report.residual
    }
    /// How often a tangent had to be altered to be positive definite.
    #[getter]
    fn altered_tangents(&self) -> u32 {
        self.0.report.altered_tangents
    }
    /// Sub-steps in which a rod had to pass through a fold or a collapsed edge.
    #[getter]
    fn degenerate_substeps(&self) -> u32 {
        self.0.report.degenerate_substeps
    }
    /// Work of clamps, loads, drives, actuators and driven bodies, J.
    #[getter]
    fn work(&self) -> f64 {
        self.0.report.work
    }
    /// Time now, s.
    #[getter]
    fn time(&self) -> f64 {
        self.0.time
    }
    /// Seconds spent in each stage of the step, by name.
    #[getter]
    fn timers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        for (stage, seconds) in STAGES.iter().zip(self.0.report.stage_seconds) {
            out.set_item(stage, seconds)?;
        }
        Ok(out)
    }

    fn __repr__(&self) -> String {
        let (report, steps) = (&self.0.report, self.0.steps);
        format!(
            "StepReport(status={:?}, steps={steps}, substeps={}, iterations={}, contacts={}, residual={:?})",
            report.status.name(),
            report.substeps,
            report.iterations,
            report.contacts,
            report.residual
        )
    }
}
