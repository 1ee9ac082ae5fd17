//! BDF2 in the step: order and losses with attachments, impacts without rebound, histories that survive a snapshot.
#![allow(clippy::unwrap_used)]

mod common;

use common::{clamped_line, line, rubber, stiffness};
use glam::{DMat3, DQuat, DVec3};
use ropewalk_body::{Inertia, Joint, JointKind, Link, Tree};
use ropewalk_geometry::{Collider, Shape};
use ropewalk_linalg::Pose;
use ropewalk_rod::{Rod, RodBuilder, RodState, Section};
use ropewalk_sim::snapshot::Snapshot;
use ropewalk_sim::{
    Attachment, AttachmentKind, BaseMotion, BodyShape, Clamp, ClampPose, ContactSettings, End, Hold, Model,
    Motion, Scheme, Settings, State, StepReport, StepStatus, Surface, TreeModel, Workspace, measure, step,
};

struct World {
    model: Model,
    state: State,
    workspace: Workspace,
}

impl World {
    fn new(rods: Vec<(Rod, RodState)>, trees: Vec<TreeModel>, dt: f64, scheme: Scheme) -> Self {
        let (rods, states): (Vec<_>, Vec<_>) = rods.into_iter().unzip();
        let model = Model {
            gravity: DVec3::NEG_Z * 9.81,
            rod_names: (0..rods.len()).map(|r| format!("rod{r}")).collect(),
            rods,
            trees,
            settings: Settings { dt, scheme, tolerance: 1e-9, ..Settings::default() },
            ..Model::default()
        };
        let mut state = State { rods: states, ..State::default() };
        state.complete(&model);
        let workspace = Workspace::new(&model);
        Self { model, state, workspace }
    }

    fn attach(mut self, ends: [End; 2], kind: AttachmentKind) -> Self {
        self.model.attachments.push(Attachment {
            name: "attachment".into(),
            ends,
            kind,
            begin_time: f64::NEG_INFINITY,
            release_time: f64::INFINITY,
        });
        self.refresh();
        self
    }

    fn clamp(mut self, hold: Hold) -> Self {
        self.model.clamps.push(Clamp {
            name: format!("{hold:?}"),
            rod: 0,
            hold,
            motion: Motion::default(),
            start: ClampPose::of(hold, &self.model.rods[0], &self.state.rods[0]),
            release_time: f64::INFINITY,
        });
        self.refresh();
        self
    }

    fn with_contact(mut self) -> Self {
        self.model.contact = Some(ContactSettings::default());
        self.refresh();
        self
    }

    fn refresh(&mut self) {
        self.workspace = Workspace::new(&self.model);
        self.state.complete(&self.model);
    }

    fn step(&mut self) -> StepReport {
        let report = step(&self.model, &mut self.state, &mut self.workspace);
        assert_eq!(report.status, StepStatus::Converged, "at {} s: {report:?}", self.state.time);
        report
    }

    fn run(&mut self, seconds: f64) {
        for _ in 0..(seconds / self.model.settings.dt).round() as usize {
            self.step();
        }
    }

    fn energy(&self) -> f64 {
        measure::energies(&self.model, &self.state).total()
    }
}

fn body(kind: JointKind, at: Pose, inertia: Inertia, shape: Option<Shape>) -> TreeModel {
    let joint = Joint::new("joint", kind, Pose::IDENTITY);
    let link = Link { name: "body".into(), parent: None, joint, inertia };
    let shapes = shape.iter().map(|shape| BodyShape {
        link: 0,
        pose: Pose::IDENTITY,
        collider: Collider::new(shape).unwrap(),
        surface: Surface { friction: 0.5, ..Surface::default() },
        name: None,
    });
    TreeModel {
        name: "body".into(),
        tree: Tree::new(vec![link]).unwrap(),
        base: BaseMotion::Fixed(at),
        heavy: true,
        shapes: shapes.collect(),
    }
}

fn ball(mass: f64, radius: f64) -> Inertia {
    let about_com = DMat3::from_diagonal(DVec3::splat(0.4 * mass * radius * radius));
    Inertia { mass, com: DVec3::ZERO, about_com }
}

/// A free body held by a point 0.1 m off its center, turning at `omega` (rad/s) about an axis that is none of its own.
fn on_ball_attachment(omega: f64, dt: f64, scheme: Scheme) -> World {
    let inertia = Inertia {
        mass: 0.5,
        com: DVec3::new(0.1, 0.0, 0.0),
        about_com: DMat3::from_diagonal(DVec3::new(4e-4, 6e-4, 8e-4)),
    };
    let tree = body(JointKind::Free, Pose::IDENTITY, inertia, None);
    let ends =
        [End::Link { tree: 0, link: 0, point: Some(DVec3::ZERO) }, End::World { point: Some(DVec3::ZERO) }];
    let mut world = World::new(vec![], vec![tree], dt, scheme).attach(ends, AttachmentKind::Point);
    world.model.gravity = DVec3::ZERO;
    let spin = omega * DVec3::new(0.3, 0.2, 1.0).normalize();
    world.state.trees[0].v[3..].copy_from_slice(&spin.to_array());
    world
}

#[test]
fn explore_ball() {
    for scheme in [Scheme::BACKWARD_EULER, Scheme::MIDPOINT, Scheme::BDF2] {
        for omega in [10.0, 50.0] {
            for dt in [2e-3, 1e-3, 5e-4] {
                let mut world = on_ball_attachment(omega, dt, scheme);
                let start = world.energy();
                let mut most = 0.0f64;
                let mut its = 0;
                let time = std::time::Instant::now();
                for _ in 0..(2.0 / dt) as usize {
                    its += world.step().iterations;
                    most = most.max(world.energy());
                }
                let off = world.state.trees[0].q[..3].iter().map(|x| x * x).sum::<f64>().sqrt();
                eprintln!(
                    "{scheme:?} {omega} {dt}: kept {:.5}, most {:.5}, off {off:.2e}, iterations {its}, {:?}",
                    world.energy() / start,
                    most / start,
                    time.elapsed()
                );
            }
        }
    }
}
