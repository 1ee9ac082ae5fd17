//! Runs an embedded scene from its first step to its last, for cases that need more than its claims.

use ropewalk_scene::{ClaimResult, Driver, Sample, load_named};
use ropewalk_sim::{Model, State, Workspace};

/// Result of a run.
pub(crate) struct SceneRun {
    /// The model.
    pub(crate) model: Model,
    /// A sample after each step.
    pub(crate) samples: Vec<Sample>,
    claims: Vec<ClaimResult>,
    /// Greatest error of momentum in a step, relative to the impulses at work.
    pub(crate) residual: f64,
    /// Linearizations per step, mean.
    pub(crate) iterations: f64,
}

impl SceneRun {
    /// Runs a scene with overrides, and passes each step to `see`; `None` if it cannot be loaded or a step fails.
    pub(crate) fn of(
        name: &str,
        overrides: &[&str],
        mut see: impl FnMut(&Model, &State, &Workspace),
    ) -> Option<Self> {
        let overrides: Vec<String> = overrides.iter().map(|&o| o.to_owned()).collect();
        let scene = load_named(name, &overrides).ok()?;
        let mut driver = Driver::new(&scene);
        let mut samples = Vec::new();
        let (mut residual, mut iterations) = (0.0f64, 0.0);
        while !driver.is_done() {
            let report = driver.step().ok()?;
            residual = residual.max(report.residual);
            iterations += f64::from(report.iterations);
            samples.extend(driver.sample().cloned());
            see(&scene.model, driver.state(), driver.workspace());
        }
        let claims = driver.claims();
        let iterations = iterations / samples.len() as f64;
        Some(Self { model: scene.model, samples, claims, residual, iterations })
    }

    /// Measured value and bound of a claim; NaN if there is none of that name.
    pub(crate) fn bound(&self, claim: &str) -> (f64, f64) {
        let found = self.claims.iter().find(|c| c.name == claim);
        found.map_or((f64::NAN, f64::NAN), |c| (c.measured, c.reference))
    }

    /// Error and tolerance of a claim; NaN if there is none of that name.
    pub(crate) fn error(&self, claim: &str) -> (f64, f64) {
        let found = self.claims.iter().find(|c| c.name == claim);
        found.map_or((f64::NAN, f64::NAN), |c| (c.error, c.tolerance))
    }
}
