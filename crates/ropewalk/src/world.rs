//! A world: rods, bodies and robots that step.

use crate::view::{
    ActuatorView, AttachmentView, BodyView, ClampView, EndEffectorView, RobotView, RodView, index_of,
};
use crate::{Error, Measure, WorldBuilder};
use ropewalk_scene::recording::{Rates, Recorder};
use ropewalk_scene::{ClaimResult, Driver, Scene, load_named, load_text};
use ropewalk_sim::{
    ContactReport, Energies, Gauges, Model, PatchReport, Progress, State, StepReport, StepStatus,
};
use std::path::Path;
use std::sync::Arc;

/// Rods, bodies and robots, and what holds, loads and drives them.
///
/// ```
/// use ropewalk::prelude::*;
///
/// # fn main() -> Result<(), Error> {
/// let mut world = World::load("cantilever", &["rod.beam.segments=20"])?;
/// world.step_by(100)?;
/// let greatest = world.rod("beam")?.tension().into_iter().fold(0.0, f64::max);
/// assert!(greatest.is_finite());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct World {
    /// All but the model.
    scene: Arc<Scene>,
    pub(crate) world: ropewalk_sim::World,
    gauges: Gauges,
}

/// A measure that a world gathers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasureId(usize);

impl World {
    /// A world to be built up; see [`WorldBuilder`].
    pub fn builder() -> WorldBuilder {
        WorldBuilder::new()
    }

    /// The scene of that name that comes with the library, or a file that ends in `.toml`, with values overridden:
    /// `rod.rope.friction=0.3`.
    ///
    /// ```
    /// use ropewalk::prelude::*;
    ///
    /// # fn main() -> Result<(), Error> {
    /// let world = World::load("capstan", &["time.dt=2e-3"])?;
    /// assert_eq!(world.dt(), 2e-3);
    /// assert!(World::load("capstn", &[]).is_err_and(|e| e.to_string().contains("capstan")));
    /// # Ok(())
    /// # }
    /// ```
    pub fn load(name_or_path: &str, overrides: &[&str]) -> Result<Self, Error> {
        let overrides: Vec<String> = overrides.iter().map(|&o| o.to_owned()).collect();
        Ok(Self::of(load_named(name_or_path, &overrides)?))
    }

    /// The scene of a text. Paths in it count from the working directory.
    ///
    /// ```
    /// # use ropewalk::prelude::*;
    /// # fn main() -> Result<(), Error> {
    /// let text = r#"title = "A wire falls"
    /// [time]
    /// duration = 0.1
    /// [rod.wire]
    /// preset = "steel_wire"
    /// curve = { line = { from = [0.0, 0.0, 0.0], to = [0.3, 0.0, 0.0] } }
    /// segments = 10
    /// "#;
    /// let mut world = World::from_toml(text)?;
    /// world.run_scene()?;
    /// assert!((world.time() - 0.1).abs() < 1e-9 && world.rod("wire")?.positions()[0].z < 0.0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_toml(text: &str) -> Result<Self, Error> {
        Ok(Self::of(load_text("<text>", text, Some(Path::new(".")), &[])?))
    }

    pub(crate) fn of(mut scene: Scene) -> Self {
        let model = Arc::new(core::mem::take(&mut scene.model));
        let world = ropewalk_sim::World::new(model, scene.state.clone());
        Self { scene: Arc::new(scene), world, gauges: Gauges::default() }
    }

    /// The scene, with its model.
    pub fn scene(&self) -> Scene {
        Scene { model: self.model().clone(), ..self.scene.as_ref().clone() }
    }

    /// The model, with indices in place of names.
    pub fn model(&self) -> &Model {
        self.world.model()
    }

    /// The world below, with indices in place of names.
    pub fn inner(&self) -> &ropewalk_sim::World {
        &self.world
    }

    /// The world below, to be changed between steps.
    pub fn inner_mut(&mut self) -> &mut ropewalk_sim::World {
        &mut self.world
    }

    /// What the scene shows.
    pub fn title(&self) -> &str {
        &self.scene.title
    }

    /// What is allowed in the scene but may not be meant.
    pub fn warnings(&self) -> &[String] {
        &self.scene.warnings
    }

    /// Time in s.
    pub fn time(&self) -> f64 {
        self.world.state().time
    }

    /// Time step in s.
    pub fn dt(&self) -> f64 {
        self.model().settings.dt
    }

    /// Takes one step.
    ///
    /// ```
    /// use ropewalk::prelude::*;
    ///
    /// # fn main() -> Result<(), Error> {
    /// let mut world = World::load("cantilever", &["rod.beam.segments=10"])?;
    /// let report = world.step()?;
    /// assert!(report.substeps == 1 && (world.time() - world.dt()).abs() < 1e-15);
    /// # Ok(())
    /// # }
    /// ```
    pub fn step(&mut self) -> Result<StepReport, Error> {
        self.step_by(1)
    }

    /// Takes `count` steps; the report has the sums over them. If one fails, the world is as it was before that one.
    pub fn step_by(&mut self, count: u64) -> Result<StepReport, Error> {
        let progress = self.advance(count);
        match progress.report.status {
            StepStatus::Converged => Ok(progress.report),
            status => Err(Error::Step { time: progress.time, status, failure: progress.report.failure }),
        }
    }

    /// Takes steps, and shows each to the measures.
    pub(crate) fn advance(&mut self, count: u64) -> Progress {
        if self.gauges.is_empty() {
            return self.world.step(count, None);
        }
        let mut done = Progress { steps: 0, report: StepReport::nothing(), time: self.time() };
        while done.steps < count && done.report.status == StepStatus::Converged {
            self.gauges.begin(self.world.state());
            let progress = self.world.step(1, None);
            if progress.report.status == StepStatus::Converged {
                self.gauges.see(self.world.model(), self.world.state(), self.world.workspace());
            }
            done.append(&progress);
        }
        done
    }

    /// Gathers a measure from now on, in constant memory: mean, greatest, last, drift, period and the like of any named
    /// quantity over a window of time. [`measured`](Self::measured) reads it.
    ///
    /// ```
    /// use ropewalk::prelude::*;
    ///
    /// # fn main() -> Result<(), Error> {
    /// let mut world = World::load("cantilever", &[])?;
    /// let sag = world.measure(&Measure::new("positions", "least").component("z").across("last"))?;
    /// world.step_by(20)?;
    /// assert!(world.measured(sag).is_some_and(|z| z < 0.0));
    /// # Ok(())
    /// # }
    /// ```
    pub fn measure(&mut self, request: &Measure) -> Result<MeasureId, Error> {
        let measure = request.resolve(self.model(), &self.scene.bodies)?;
        let time = self.time();
        Ok(MeasureId(self.gauges.add(measure, time)))
    }

    /// What a measure of this world has come to; `None` before its window.
    pub fn measured(&self, id: MeasureId) -> Option<f64> {
        self.gauges.value(id.0, self.world.model(), self.world.state(), self.world.workspace())
    }

    /// Runs the scene from its start to its end on its own, and says what its claims come to.
    ///
    /// ```
    /// # use ropewalk::prelude::*;
    /// # fn main() -> Result<(), Error> {
    /// let world = World::load("capstan", &["time.duration=0.02"])?;
    /// let claims = world.check_claims()?;
    /// assert!(claims.iter().any(|claim| claim.name == "overlap" && claim.pass));
    /// # Ok(())
    /// # }
    /// ```
    pub fn check_claims(&self) -> Result<Vec<ClaimResult>, Error> {
        let scene = self.scene();
        let mut driver = Driver::new(&scene);
        while !driver.is_done() {
            let time = driver.state().time;
            driver.step().map_err(|report| Error::Step {
                time,
                status: report.status,
                failure: report.failure,
            })?;
        }
        Ok(driver.claims())
    }

    /// Steps for `seconds`.
    pub fn run(&mut self, seconds: f64) -> Result<StepReport, Error> {
        self.step_by(self.steps_in(seconds)?)
    }

    fn steps_in(&self, seconds: f64) -> Result<u64, Error> {
        let steps = seconds / self.dt();
        if !(steps.is_finite() && (0.0..1e15).contains(&steps)) {
            return Err(Error::Number { what: "the time to run", value: seconds, expected: "0 s or more" });
        }
        // A time of n dt is n steps, also where the quotient is n + 1e-12.
        Ok((steps - 1e-6).ceil().max(0.0) as u64)
    }

    /// Steps for `seconds` and writes `rate` frames per simulated second to a recording, which [`Recording`](crate::Recording)
    /// reads; a file that is there is replaced. If a step fails, the recording is complete up to it.
    ///
    /// ```
    /// use ropewalk::prelude::*;
    ///
    /// # fn main() -> Result<(), Error> {
    /// let path = std::env::temp_dir().join(format!("ropewalk_record_{}.mcap", std::process::id()));
    /// let mut world = World::load("cantilever", &["rod.beam.segments=10"])?;
    /// world.record(&path, 0.05, 100.0)?;
    /// let mut messages = 0;
    /// Recording::open(&path)?.read(|_| {
    ///     messages += 1;
    ///     Ok(std::ops::ControlFlow::Continue(()))
    /// })?;
    /// assert!(messages > 5);
    /// std::fs::remove_file(&path).ok();
    /// # Ok(())
    /// # }
    /// ```
    pub fn record(&mut self, path: impl AsRef<Path>, seconds: f64, rate: f64) -> Result<(), Error> {
        if !(rate.is_finite() && rate > 0.0) {
            return Err(Error::Number {
                what: "the rate of frames",
                value: rate,
                expected: "a number above 0",
            });
        }
        let steps = self.steps_in(seconds)?;
        let scene = self.scene();
        let rates = Rates::of_frames(rate);
        let mut recorder = Recorder::create(path.as_ref(), &scene, rates, self.world.state(), 0)?;
        recorder.begin(self.model(), self.world.state(), None)?;
        let (mut work, mut last, mut failed) = (0.0, None, None);
        for _ in 0..steps {
            let progress = self.advance(1);
            if let Some(words) = progress.failure() {
                recorder.failure(self.world.state(), &words)?;
                failed = Some(Error::Step {
                    time: progress.time,
                    status: progress.report.status,
                    failure: progress.report.failure.clone(),
                });
                break;
            }
            work += progress.report.work;
            let (model, state, workspace) = (self.world.model(), self.world.state(), self.world.workspace());
            let sample = ropewalk_scene::sample(model, state, workspace, work);
            recorder.step(model, (state, workspace), &progress.report, &sample)?;
            last = Some(sample);
        }
        let status = if failed.is_some() { "failed" } else { "done" };
        let workspace = Some(self.world.workspace()).filter(|_| last.is_some() && failed.is_none());
        recorder.finish(self.model(), (self.world.state(), workspace), last.as_ref(), status)?;
        failed.map_or(Ok(()), Err)
    }

    /// Steps to the end of the scene's run.
    pub fn run_scene(&mut self) -> Result<StepReport, Error> {
        self.run((self.scene.duration - self.time()).max(0.0))
    }

    /// Back to the start.
    pub fn reset(&mut self) {
        self.world.reset();
    }

    /// The state: all that the next step will find. A world of the same scene that is given it continues bit-identically.
    ///
    /// ```
    /// # use ropewalk::prelude::*;
    /// # fn main() -> Result<(), Error> {
    /// let mut world = World::load("cantilever", &["rod.beam.segments=10"])?;
    /// world.step_by(3)?;
    /// let kept = world.state().clone();
    /// world.step_by(3)?;
    /// let end = world.state().clone();
    /// world.set_state(&kept);
    /// world.step_by(3)?;
    /// assert_eq!(*world.state(), end);
    /// world.reset();
    /// assert_eq!(world.time(), 0.0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn state(&self) -> &State {
        self.world.state()
    }

    /// Continues from a state of the same scene. Forces and contacts are there again after the next step.
    pub fn set_state(&mut self, state: &State) {
        self.world.restore(state);
    }

    /// Energies of everything in J.
    pub fn energies(&self) -> Energies {
        ropewalk_sim::measure::energies(self.model(), self.world.state())
    }

    /// Contacts of the last step that push.
    pub fn contacts(&self) -> Vec<ContactReport> {
        self.world.workspace().contacts().filter(|c| c.normal_force() > 0.0).collect()
    }

    /// Patches of the last step.
    pub fn patches(&self) -> Vec<PatchReport> {
        self.world.workspace().patches()
    }

    /// Names of the rods.
    pub fn rod_names(&self) -> impl Iterator<Item = &str> + Clone {
        self.model().rod_names.iter().map(String::as_str)
    }

    /// The rod of that name.
    pub fn rod(&self, name: &str) -> Result<RodView<'_>, Error> {
        let index = index_of("rod", name, self.rod_names())?;
        Ok(RodView { world: &self.world, index })
    }

    /// The body of that name.
    pub fn body(&self, name: &str) -> Result<BodyView<'_>, Error> {
        let index = index_of("body", name, self.scene.bodies.iter().map(|b| b.name.as_str()))?;
        let place = &self.scene.bodies[index];
        Ok(BodyView { world: &self.world, tree: place.tree, link: place.link })
    }

    /// The robot of that name.
    pub fn robot(&self, name: &str) -> Result<RobotView<'_>, Error> {
        let is_robot = |t: usize| self.scene.bodies.iter().all(|b| b.tree != t);
        let trees = self.model().trees.iter().enumerate().filter(|(t, _)| is_robot(*t));
        let robots: Vec<(usize, &str)> = trees.map(|(t, tree)| (t, tree.name.as_str())).collect();
        let index = index_of("robot", name, robots.iter().map(|(_, name)| *name))?;
        Ok(RobotView { world: &self.world, tree: robots[index].0 })
    }

    /// The clamp of that name.
    pub fn clamp(&self, name: &str) -> Result<ClampView<'_>, Error> {
        let index = index_of("clamp", name, self.model().clamps.iter().map(|c| c.name.as_str()))?;
        Ok(ClampView { world: &self.world, index })
    }

    /// The attachment of that name.
    pub fn attachment(&mut self, name: &str) -> Result<AttachmentView<'_>, Error> {
        let index = index_of("attachment", name, self.model().attachments.iter().map(|a| a.name.as_str()))?;
        Ok(AttachmentView { world: &mut self.world, index })
    }

    /// The actuator of that name; those of a controller are called CONTROLLER.JOINT.
    pub fn actuator(&mut self, name: &str) -> Result<ActuatorView<'_>, Error> {
        let index = index_of("actuator", name, self.model().actuators.iter().map(|a| a.name.as_str()))?;
        Ok(ActuatorView { world: &mut self.world, index })
    }

    /// The end effector of that name.
    pub fn end_effector(&mut self, name: &str) -> Result<EndEffectorView<'_>, Error> {
        let index = index_of("end effector", name, self.model().hands.iter().map(|h| h.name.as_str()))?;
        Ok(EndEffectorView { world: &mut self.world, index })
    }
}
