//! Worlds of one rod for tests.
// Each test file uses its part of this; what goes wrong here is a failed test.
#![allow(dead_code, unused_imports, clippy::unwrap_used, clippy::panic)]

use core::f64::consts::PI;
use glam::DVec3;
use ropewalk_rod::{Material, Rod, RodBuilder, RodState, Section, SectionProperties};
use ropewalk_sim::{
    Clamp, ClampPose, Hold, Load, LoadKind, Model, Motion, Scheme, Settings, State, StepReport, StepStatus,
    TimeFunction, Workspace, step,
};
pub(crate) use ropewalk_testing::Random;

/// A model, its state and scratch.
pub(crate) struct World {
    pub(crate) model: Model,
    pub(crate) state: State,
    pub(crate) workspace: Workspace,
}

impl World {
    pub(crate) fn new(builder: &RodBuilder) -> Self {
        let (rod, state) = builder.build().unwrap();
        Self::of(rod, state)
    }

    pub(crate) fn of(rod: Rod, rod_state: RodState) -> Self {
        let model = Model { rod_names: vec!["rod".into()], rods: vec![rod], ..Model::default() };
        let state = State { rods: vec![rod_state], ..State::default() };
        let workspace = Workspace::new(&model);
        Self { model, state, workspace }
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
        self.workspace = Workspace::new(&self.model);
    }

    pub(crate) fn load(&mut self, kind: LoadKind) {
        self.model.loads.push(Load { name: "load".into(), rod: 0, kind, scale: TimeFunction::Constant(1.0) });
    }

    /// One step, which must converge.
    pub(crate) fn step(&mut self) -> StepReport {
        let report = step(&self.model, &mut self.state, &mut self.workspace);
        assert_eq!(report.status, StepStatus::Converged, "at {} s: {report:?}", self.state.time);
        report
    }

    pub(crate) fn run(&mut self, steps: usize) {
        for _ in 0..steps {
            self.step();
        }
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
}

/// `n` nodes along x, from `from` over `length`.
pub(crate) fn line(n: usize, from: f64, length: f64) -> Vec<DVec3> {
    (0..n).map(|i| DVec3::X * (from + length * i as f64 / (n - 1) as f64)).collect()
}

/// Nodes along x with the first edge centred on the origin, so that a clamp on it holds the rod at x = 0 and the free
/// length is `length`, of `segments` and a half edges.
pub(crate) fn clamped_line(segments: usize, length: f64) -> Vec<DVec3> {
    let h = length / (segments as f64 + 0.5);
    (0..segments + 2).map(|i| DVec3::X * (h * (i as f64 - 0.5))).collect()
}

/// Stiffness given outright: EA, EI (both ways), GJ, line density and spin inertia.
pub(crate) fn stiffness(
    stretch: f64,
    bend: f64,
    twist: f64,
    line_density: f64,
    spin_inertia: f64,
) -> Section {
    let properties = SectionProperties { stretch, bend: [bend; 2], twist, line_density, spin_inertia };
    Section::Stiffness { properties, radius: 1e-3 }
}

/// Rubber: 1 MPa, ν = 0.4, 1000 kg/m³.
pub(crate) fn rubber() -> Material {
    Material::from_poisson(1e6, 0.4, 1000.0)
}

pub(crate) fn circle(n: usize, radius: f64) -> Vec<DVec3> {
    (0..n)
        .map(|i| {
            let (s, c) = (2.0 * PI * i as f64 / n as f64).sin_cos();
            DVec3::new(c, s, 0.0) * radius
        })
        .collect()
}

/// From 0 to `end` in the first `seconds`, then constant.
pub(crate) fn ramp(end: f64, seconds: f64) -> TimeFunction {
    TimeFunction::Ramp { times: [0.0, seconds], values: [0.0, end], interpolation: Default::default() }
}
