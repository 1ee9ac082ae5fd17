//! An embedded scene from its first step to its last, for cases that ask more of it than its claims.

use ropewalk_scene::{ClaimResult, RunRecord, Sample, load_named, sample};
use ropewalk_sim::{Model, State, StepStatus, Workspace};

/// What came of a run.
pub(crate) struct SceneRun {
    /// The model.
    pub(crate) model: Model,
    /// A sample after each step.
    pub(crate) samples: Vec<Sample>,
    claims: Vec<ClaimResult>,
    /// Greatest error of momentum in a step, relative to the impulses at work.
    pub(crate) residual: f64,
    /// Linearisations per step, mean.
    pub(crate) iterations: f64,
}

impl SceneRun {
    /// Runs a scene with overrides, and shows each step to `see`; `None` if it cannot be loaded or a step fails.
    pub(crate) fn of(
        name: &str,
        overrides: &[&str],
        mut see: impl FnMut(&Model, &State, &Workspace),
    ) -> Option<Self> {
        let overrides: Vec<String> = overrides.iter().map(|&o| o.to_owned()).collect();
        let scene = load_named(name, &overrides).ok()?;
        let steps = (scene.duration / scene.model.settings.dt).round() as usize;
        let mut workspace = Workspace::new(&scene.model);
        let mut state = scene.state.clone();
        let mut samples = Vec::with_capacity(steps);
        let (mut work, mut residual, mut iterations) = (0.0, 0.0f64, 0.0);
        for _ in 0..steps {
            let report = ropewalk_sim::step(&scene.model, &mut state, &mut workspace);
            (report.status == StepStatus::Converged).then_some(())?;
            work += report.work;
            residual = residual.max(report.residual);
            iterations += f64::from(report.iterations);
            samples.push(sample(&scene.model, &state, &workspace, work));
            see(&scene.model, &state, &workspace);
        }
        let record = RunRecord {
            model: &scene.model,
            start: &scene.state,
            end: &state,
            wrenches: workspace.clamp_wrenches(),
            samples: &samples,
        };
        let claims = scene.claims.iter().map(|claim| claim.evaluate(&record)).collect();
        let iterations = iterations / steps as f64;
        Some(Self { model: scene.model, samples, claims, residual, iterations })
    }

    /// Error and tolerance of a claim; NaN if there is none of that name.
    pub(crate) fn error(&self, claim: &str) -> (f64, f64) {
        let found = self.claims.iter().find(|c| c.name == claim);
        found.map_or((f64::NAN, f64::NAN), |c| (c.error, c.tolerance))
    }
}
