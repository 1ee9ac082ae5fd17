//! A model with its state and scratch, whose steps must converge.

use glam::DVec3;
use ropewalk_body::energy;
use ropewalk_rod::{Rod, RodBuilder, RodState};
use ropewalk_sim::{
    Attachment, AttachmentKind, Clamp, ClampPose, End, Hold, Load, LoadKind, Model, Motion, Scheme, Settings,
    State, StepReport, StepStatus, TimeFunction, Workspace, measure, step,
};

/// A model, its state and scratch.
pub(crate) struct World {
    pub(crate) model: Model,
    pub(crate) state: State,
    pub(crate) workspace: Workspace,
}

impl World {
    /// One rod.
    pub(crate) fn new(builder: &RodBuilder) -> Self {
        let (rod, state) = builder.build().unwrap();
        Self::of(rod, state)
    }

    /// One rod.
    pub(crate) fn of(rod: Rod, rod_state: RodState) -> Self {
        Self::of_rods(vec![(rod, rod_state)], Model::default())
    }

    /// `rods`, and whatever else `model` has.
    pub(crate) fn of_rods(rods: Vec<(Rod, RodState)>, mut model: Model) -> Self {
        let (rods, states): (Vec<_>, Vec<_>) = rods.into_iter().unzip();
        model.rod_names = (0..rods.len()).map(|r| format!("rod{r}")).collect();
        model.rods = rods;
        let mut world = Self {
            workspace: Workspace::new(&model),
            model,
            state: State { rods: states, ..State::default() },
        };
        world.refresh();
        world
    }

    pub(crate) fn with(mut self, dt: f64, scheme: Scheme, tolerance: f64) -> Self {
        self.model.settings = Settings { dt, scheme, tolerance, ..Settings::default() };
        self
    }

    pub(crate) fn clamp(&mut self, hold: Hold, motion: Motion) {
        self.model.clamps.push(Clamp {
            name: format!("{hold:?}"),
            rod: 0,
            hold,
            motion,
            start: ClampPose::of(hold, &self.model.rods[0], &self.state.rods[0]),
            release_time: f64::INFINITY,
        });
        self.refresh();
    }

    pub(crate) fn attach(&mut self, ends: [End; 2], kind: AttachmentKind) {
        self.model.attachments.push(Attachment {
            name: "attachment".into(),
            ends,
            kind,
            begin_time: f64::NEG_INFINITY,
            release_time: f64::INFINITY,
        });
        self.refresh();
    }

    pub(crate) fn load(&mut self, kind: LoadKind) {
        self.model.loads.push(Load { name: "load".into(), rod: 0, kind, scale: TimeFunction::Constant(1.0) });
    }

    /// To be called when something was added to the model.
    pub(crate) fn refresh(&mut self) {
        self.workspace = Workspace::new(&self.model);
        self.state.complete(&self.model);
    }

    /// One step, which must converge.
    pub(crate) fn step(&mut self) -> StepReport {
        let report = step(&self.model, &mut self.state, &mut self.workspace);
        assert_eq!(report.status, StepStatus::Converged, "at {} s: {report:?}", self.state.time);
        assert!(self.state.is_finite());
        report
    }

    pub(crate) fn run(&mut self, steps: usize) {
        for _ in 0..steps {
            self.step();
        }
    }

    pub(crate) fn run_for(&mut self, seconds: f64) {
        self.run((seconds / self.model.settings.dt).round() as usize);
    }

    /// Steps until the greatest velocity is below `speed` (m/s and rad/s), at most `steps` times.
    pub(crate) fn settle(&mut self, speed: f64, steps: usize) {
        for _ in 0..steps {
            self.step();
            if self.speed() < speed {
                return;
            }
        }
        panic!("still moves at {} after {steps} steps", self.speed());
    }

    pub(crate) fn speed(&self) -> f64 {
        self.state.rods[0].v.iter().flatten().fold(0.0, |m, v| m.max(v.abs()))
    }

    pub(crate) fn tip(&self) -> DVec3 {
        self.state.rods[0].position(self.model.rods[0].node_count() - 1)
    }

    pub(crate) fn energy(&self) -> f64 {
        measure::energies(&self.model, &self.state).total()
    }

    /// Linear momentum of everything.
    pub(crate) fn momentum(&self) -> DVec3 {
        let rods = (0..self.model.rods.len()).map(|r| measure::linear_momentum(&self.model, &self.state, r));
        let trees = (0..self.model.trees.len()).map(|t| {
            let k = measure::tree_kinematics(&self.model, &self.state, t);
            energy::linear_momentum(&self.model.trees[t].tree, &k)
        });
        rods.chain(trees).sum()
    }

    /// Angular momentum of everything about the origin.
    pub(crate) fn angular_momentum(&self) -> DVec3 {
        let rods = (0..self.model.rods.len()).map(|r| measure::angular_momentum(&self.model, &self.state, r));
        let trees = (0..self.model.trees.len()).map(|t| {
            let k = measure::tree_kinematics(&self.model, &self.state, t);
            energy::angular_momentum(&self.model.trees[t].tree, &k, DVec3::ZERO)
        });
        rods.chain(trees).sum()
    }

    /// Mass of everything, and Σ m x.
    pub(crate) fn mass_moment(&self) -> (f64, DVec3) {
        let (mut m, mut mx) = (0.0, DVec3::ZERO);
        for (rod, s) in self.model.rods.iter().zip(&self.state.rods) {
            for i in 0..rod.node_count() {
                m += rod.masses()[i][0];
                mx += rod.masses()[i][0] * s.position(i);
            }
        }
        for t in 0..self.model.trees.len() {
            let k = measure::tree_kinematics(&self.model, &self.state, t);
            for (link, com) in self.model.trees[t].tree.links().iter().zip(&k.com) {
                m += link.inertia.mass;
                mx += link.inertia.mass * *com;
            }
        }
        (m, mx)
    }
}
