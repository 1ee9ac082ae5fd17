//! Runs a scene from its first step to its last: one loop for the command, validation, tests and programs.

use crate::{ClaimResult, ClaimWatch, Sample, SavedRun, Scene, sample};
use ropewalk_sim::{Model, State, StepReport, StepStatus, Workspace};
use std::borrow::Cow;

/// Runs a scene step by step, and updates the measures of its claims.
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
    scene: Cow<'a, Scene>,
    start: State,
    state: State,
    before: State,
    workspace: Workspace,
    watch: ClaimWatch,
    last: Option<Sample>,
    /// Work of all steps so far, J.
    work: f64,
    steps: u64,
}

impl<'a> Driver<'a> {
    /// At the start of the scene.
    pub fn new(scene: &'a Scene) -> Self {
        Self::starting_at(scene, scene.state.clone())
    }

    /// At the start of a run from `start`, a state of the scene.
    pub fn starting_at(scene: &'a Scene, mut start: State) -> Self {
        start.complete(&scene.model);
        Self {
            before: start.clone(),
            watch: ClaimWatch::new(&scene.claims, &scene.model, &start, &[]),
            workspace: Workspace::new(&scene.model),
            state: start.clone(),
            start,
            scene: Cow::Borrowed(scene),
            last: None,
            work: 0.0,
            steps: 0,
        }
    }

    /// Continues a saved run after `steps` steps.
    pub fn resuming(scene: &'a Scene, run: SavedRun, steps: u64) -> Self {
        Self {
            before: run.state.clone(),
            watch: ClaimWatch::new(&scene.claims, &scene.model, &run.start, &run.claims),
            workspace: Workspace::new(&scene.model),
            state: run.state,
            start: run.start,
            scene: Cow::Borrowed(scene),
            work: run.sample.as_ref().map_or(0.0, |sample| sample.work),
            last: run.sample,
            steps,
        }
    }

    /// Back to the start, with `model`.
    pub fn reset(&mut self, model: &Model) {
        self.scene.to_mut().model.clone_from(model);
        self.state.clone_from(&self.start);
        self.workspace = Workspace::new(&self.scene.model);
        self.watch = ClaimWatch::new(&self.scene.claims, &self.scene.model, &self.start, &[]);
        (self.last, self.work, self.steps) = (None, 0.0, 0);
    }

    /// Steps of the whole run.
    pub fn step_count(&self) -> u64 {
        let dt = self.scene.model.settings.dt;
        // A duration of n dt is n steps, even if the quotient is n + 1e-12.
        let left = ((self.scene.duration - self.state.time) / dt - 1e-6).ceil().max(0.0) as u64;
        self.steps + left
    }

    /// Whether the run is at its end.
    pub fn is_done(&self) -> bool {
        self.steps >= self.step_count()
    }

    /// Takes a step. If it fails or its result is not finite, its report is the error, and the state is unchanged.
    pub fn step(&mut self) -> Result<StepReport, Box<StepReport>> {
        let model = &self.scene.model;
        self.before.clone_from(&self.state);
        self.watch.begin(&self.state);
        let mut report = ropewalk_sim::step(model, &mut self.state, &mut self.workspace);
        if report.status != StepStatus::Converged {
            report.explain(model);
            self.state.clone_from(&self.before);
            return Err(Box::new(report));
        }
        let work = self.work + report.work;
        let sample = sample(model, &self.state, &self.workspace, work);
        if !(sample.is_finite() && self.state.is_finite()) {
            report.status = StepStatus::NotFinite;
            report.explain(model);
            self.state.clone_from(&self.before);
            return Err(Box::new(report));
        }
        self.watch.see(model, &self.state, &self.workspace, &sample);
        self.last = Some(sample);
        self.work = work;
        self.steps += 1;
        Ok(report)
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Model and state, to be changed between steps.
    pub fn parts_mut(&mut self) -> (&mut Model, &mut State) {
        (&mut self.scene.to_mut().model, &mut self.state)
    }

    /// The state at the start of the run.
    pub fn start(&self) -> &State {
        &self.start
    }

    /// The state now.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The workspace with the results of the last step.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// The sample of the last good step; none before the first.
    pub fn sample(&self) -> Option<&Sample> {
        self.last.as_ref()
    }

    /// Results of the claims of the scene up to now.
    pub fn claims(&self) -> Vec<ClaimResult> {
        self.watch.results(&self.scene.claims, &self.scene.model, &self.state, &self.workspace)
    }

    /// The present run, to be saved in a file; `tally` is for the summary.
    pub fn save(&self, tally: Vec<f64>) -> SavedRun {
        SavedRun {
            state: self.state.clone(),
            start: self.start.clone(),
            duration: self.scene.duration,
            sample: self.last.clone(),
            claims: self.watch.numbers(),
            tally,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Driver, load_named};

    /// The memory of a run's claims does not grow with the run.
    #[test]
    fn a_run_keeps_as_much_after_many_steps_as_after_one() {
        for name in ["cantilever", "capstan", "winch"] {
            let scene = load_named(name, &[]).unwrap();
            let mut driver = Driver::new(&scene);
            driver.step().unwrap();
            let kept = |driver: &Driver<'_>| {
                let run = driver.save(Vec::new());
                (run.claims.len(), run.sample.map(|s| s.numbers().len()))
            };
            let first = kept(&driver);
            for _ in 0..20 {
                driver.step().unwrap();
            }
            assert_eq!(kept(&driver), first, "{name}");
            assert!(first.1.is_some());
        }
    }
}
