//! Worlds shared by `validate` and `bench`. Without contact unless stated; contact has its default settings.

pub mod capstan;
pub mod knot;
pub mod rings;

use glam::DVec3;
use ropewalk_body::{Inertia, Joint, JointKind, Link, Tree};
use ropewalk_geometry::{Collider, Shape};
use ropewalk_linalg::Pose;
use ropewalk_rod::RodBuilder;
use ropewalk_sim::{
    BaseMotion, BodyShape, Clamp, ClampPose, ContactSettings, Hold, Interpolation, Model, Motion, State,
    StepReport, StepStatus, Surface, TimeFunction, TreeModel, Workspace,
};

/// Gravity in m/s².
pub const GRAVITY: f64 = 9.81;

/// A world to which things can be added until its first step.
#[derive(Clone, Debug)]
pub struct World {
    /// The model; a change takes effect in the next step if nothing is added or removed.
    pub model: Model,
    /// The state.
    pub state: State,
    workspace: Workspace,
    ready: bool,
}

impl World {
    /// An empty world without gravity, with contact, that takes steps of `dt` (s).
    pub fn new(dt: f64) -> Self {
        let mut model = Model { contact: Some(ContactSettings::default()), ..Model::default() };
        model.settings.dt = dt;
        Self::of(model, State::default())
    }

    /// A world of a model and its state.
    pub fn of(model: Model, state: State) -> Self {
        Self { workspace: Workspace::new(&model), model, state, ready: false }
    }

    /// Adds a rod with a coefficient of friction; its index, or `None` if it cannot be built.
    pub fn add_rod(&mut self, builder: RodBuilder, friction: f64) -> Option<usize> {
        let (rod, state) = builder.build().ok()?;
        let index = self.model.rods.len();
        self.model.rod_names.push(format!("rod {index}"));
        self.model.rods.push(rod);
        self.model.rod_surfaces.push(Surface { friction, ..Surface::default() });
        self.state.rods.push(state);
        self.ready = false;
        Some(index)
    }

    /// Adds a body at rest; `None` if its shape is none.
    pub fn add_fixed(&mut self, shape: &Shape, pose: Pose, friction: f64) -> Option<()> {
        let collider = Collider::new(shape).ok()?;
        let surface = Surface { friction, ..Surface::default() };
        let shape = BodyShape { link: 0, pose: Pose::IDENTITY, collider, surface, name: None };
        self.add_body(JointKind::Fixed, pose, Inertia::ZERO, vec![shape])?;
        Some(())
    }

    /// Adds a body on a joint at `pose`; its index.
    pub fn add_body(
        &mut self,
        kind: JointKind,
        pose: Pose,
        inertia: Inertia,
        shapes: Vec<BodyShape>,
    ) -> Option<usize> {
        let index = self.model.trees.len();
        let joint = Joint::new("joint", kind, Pose::IDENTITY);
        let link = Link { name: "body".to_owned(), parent: None, joint, inertia };
        self.model.trees.push(TreeModel {
            name: format!("body {index}"),
            tree: Tree::new(vec![link]).ok()?,
            base: BaseMotion::Fixed(pose),
            heavy: true,
            shapes,
        });
        self.ready = false;
        Some(index)
    }

    /// Clamps part of a rod, and moves it at `velocity` (m/s).
    pub fn drive(&mut self, rod: usize, hold: Hold, velocity: DVec3) {
        let translation = velocity.to_array().map(steady);
        self.clamp(rod, hold, Motion { translation, axis: DVec3::X, angle: TimeFunction::default() });
    }

    /// Clamps part of a rod, and moves it.
    pub fn clamp(&mut self, rod: usize, hold: Hold, motion: Motion) {
        let start = ClampPose::of(hold, &self.model.rods[rod], &self.state.rods[rod]);
        let name = format!("clamp {}", self.model.clamps.len());
        self.model.clamps.push(Clamp { name, rod, hold, motion, start, release_time: f64::INFINITY });
        self.ready = false;
    }

    fn prepare(&mut self) {
        if !self.ready {
            self.workspace = Workspace::new(&self.model);
            self.ready = true;
        }
    }

    /// Moves to an equilibrium; `None` if none is found.
    pub fn equilibrate(&mut self) -> Option<&mut Self> {
        self.prepare();
        let found = ropewalk_sim::equilibrate(&self.model, &mut self.state, &mut self.workspace);
        found.converged.then_some(self)
    }

    /// Takes one step; `None` if it fails.
    pub fn step(&mut self) -> Option<StepReport> {
        self.prepare();
        let report = ropewalk_sim::step(&self.model, &mut self.state, &mut self.workspace);
        (report.status == StepStatus::Converged).then_some(report)
    }

    /// The workspace of the last step.
    pub fn sensed(&self) -> &Workspace {
        &self.workspace
    }

    /// Root of the mean square of all nodes' velocities, m/s.
    pub fn rms_velocity(&self) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        for rod in &self.state.rods {
            for i in 0..rod.q.len() {
                sum += rod.velocity(i).length_squared();
                count += 1.0;
            }
        }
        f64::sqrt(sum / count)
    }

    /// Deepest overlap in the last sub-step, in m; negative if nothing touches.
    pub fn deepest_overlap(&self) -> f64 {
        self.workspace.contacts().map(|c| -c.gap).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// A function of time that grows by `rate` per second, for a time longer than any run here.
fn steady(rate: f64) -> TimeFunction {
    const LONG: f64 = 1e4;
    if rate == 0.0 {
        return TimeFunction::default();
    }
    TimeFunction::Ramp {
        times: [0.0, LONG],
        values: [0.0, LONG * rate],
        interpolation: Interpolation::Linear,
    }
}
