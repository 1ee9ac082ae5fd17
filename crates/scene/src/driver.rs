//! A scene from its first step to its last: one loop for the command, validation, tests and programs.

use crate::{ClaimResult, KeptSamples, RunRecord, Sample, Scene, nearest_pass, sample};
use ropewalk_sim::{State, StepReport, StepStatus, Workspace};

/// Runs a scene step by step, and keeps what its claims read.
///
/// ```
/// use ropewalk_scene::{Driver, load_named};
///
/// let scene = load_named("cantilever", &["time.duration=0.01".to_owned()]).unwrap();
/// let mut driver = Driver::new(&scene);
/// while !driver.is_done() {
///     driver.step().expect("the step converges");
/// }
/// assert!(driver.claims().iter().any(|claim| claim.name == "energy_within_work" && claim.pass));
/// ```
#[derive(Clone, Debug)]
pub struct Driver<'a> {
    scene: &'a Scene,
    state: State,
    before: State,
    workspace: Workspace,
    kept: KeptSamples,
    work: f64,
    steps: u64,
}

impl<'a> Driver<'a> {
    /// At the start of the scene.
    pub fn new(scene: &'a Scene) -> Self {
        let mut start = scene.state.clone();
        start.complete(&scene.model);
        Self {
            scene,
            before: start.clone(),
            kept: KeptSamples::new(&scene.claims, &scene.model, &start, Vec::new(), &[]),
            workspace: Workspace::new(&scene.model),
            state: start,
            work: 0.0,
            steps: 0,
        }
    }

    /// Whether the samples of all steps are kept, also if no claim reads them.
    pub fn keep_every_sample(&mut self, every: bool) {
        self.kept.keep_every(every);
    }

    /// Steps of the whole run.
    pub fn step_count(&self) -> u64 {
        // A duration of n dt is n steps, also where the quotient is n + 1e-12.
        (self.scene.duration / self.scene.model.settings.dt - 1e-6).ceil().max(0.0) as u64
    }

    /// Whether the run is at its end.
    pub fn is_done(&self) -> bool {
        self.steps >= self.step_count()
    }

    /// Takes a step; the report of one that fails is the error, and the state is as before it.
    pub fn step(&mut self) -> Result<StepReport, Box<StepReport>> {
        let model = &self.scene.model;
        self.before.clone_from(&self.state);
        let mut report = ropewalk_sim::step(model, &mut self.state, &mut self.workspace);
        if report.status != StepStatus::Converged {
            report.explain(model);
            return Err(Box::new(report));
        }
        self.work += report.work;
        self.steps += 1;
        let mut sample = sample(model, &self.state, &self.workspace, self.work);
        sample.nearest_pass = nearest_pass(&self.scene.claims, model, &self.before, &self.state);
        self.kept.see(model, &self.state, &self.workspace, sample);
        Ok(report)
    }

    /// The state now.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What the last step has left.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// The samples that are kept, the last step last.
    pub fn samples(&self) -> &[Sample] {
        self.kept.as_slice()
    }

    /// What the claims of the scene come to now.
    pub fn claims(&self) -> Vec<ClaimResult> {
        let measured = self.kept.measured();
        let record = RunRecord {
            model: &self.scene.model,
            start: &self.scene.state,
            end: &self.state,
            wrenches: self.workspace.clamp_wrenches(),
            samples: self.kept.as_slice(),
            measured: &measured,
            tallies: self.kept.tallies(),
        };
        self.scene.claims.iter().map(|claim| claim.evaluate(&record)).collect()
    }
}
