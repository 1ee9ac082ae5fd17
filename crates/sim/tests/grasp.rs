//! What two fingers hold stays where it is.
#![allow(clippy::unwrap_used)]

mod common;

use common::rubber;
use core::f64::consts::PI;
use glam::{DMat3, DQuat, DVec3};
use ropewalk_body::{Inertia, Joint, JointKind, Link, Trajectory, Tree};
use ropewalk_geometry::{Collider, Shape};
use ropewalk_linalg::Pose;
use ropewalk_rod::{RodBuilder, Section};
use ropewalk_sim::{
    Actuator, ActuatorKind, BaseMotion, BodyShape, ContactSettings, Load, LoadKind, Model, Settings, State,
    StepStatus, Surface, TimeFunction, TreeModel, Workspace, measure, step,
};

const FRICTION: f64 = 0.5;
/// Force of each finger, N.
const PINCH: f64 = 4.0;
const RADIUS: f64 = 2e-3;

/// Half of what two fingers can hold.
fn pull() -> f64 {
    0.5 * 2.0 * FRICTION * PINCH
}

fn single(name: &str, kind: JointKind, at: Pose, shape: Shape, mass: f64, heavy: bool) -> TreeModel {
    let about_com =
        shape.mass_properties(1.0).map_or(DMat3::IDENTITY * mass, |p| p.inertia * (mass / p.mass));
    let inertia = Inertia { mass, com: DVec3::ZERO, about_com };
    let link =
        Link { name: name.into(), parent: None, joint: Joint::new("joint", kind, Pose::IDENTITY), inertia };
    TreeModel {
        name: name.into(),
        tree: Tree::new(vec![link]).unwrap(),
        base: BaseMotion::Fixed(at),
        heavy,
        shapes: vec![BodyShape {
            link: 0,
            pose: Pose::IDENTITY,
            collider: Collider::new(&shape).unwrap(),
            surface: Surface { friction: FRICTION, ..Surface::default() },
            name: None,
        }],
    }
}

/// Two fingers that close along y with the force [`PINCH`], a hair away from what is between them.
fn fingers(model: &mut Model) {
    let size = DVec3::new(0.02, 0.01, 0.02);
    for sign in [1.0, -1.0] {
        let tree = model.trees.len();
        let at = Pose::at(DVec3::Y * sign * (RADIUS + 0.5 * size.y + 1e-6));
        let kind = JointKind::Prismatic { axis: DVec3::Y };
        model.trees.push(single("finger", kind, at, Shape::Box { size }, 0.05, false));
        model.actuators.push(Actuator {
            name: "closes".into(),
            tree,
            link: 0,
            dof: 0,
            kind: ActuatorKind::Force { effort: TimeFunction::Constant(-sign * PINCH) },
            effort_limit: f64::INFINITY,
        });
    }
}

/// Runs for `seconds` and returns how far `place` moves in the second half, per second.
fn creep(model: &Model, state: &mut State, seconds: f64, place: impl Fn(&State) -> DVec3) -> f64 {
    state.complete(model);
    let mut workspace = Workspace::new(model);
    let steps = (seconds / model.settings.dt).round() as usize;
    let mut middle = DVec3::ZERO;
    for i in 0..steps {
        let report = step(model, state, &mut workspace);
        assert_eq!(report.status, StepStatus::Converged, "step {i}: {report:?}");
        if i == steps / 2 {
            middle = place(state);
        }
    }
    (place(state) - middle).length() / (0.5 * seconds)
}

/// A rope between two fingers, one end pulled with half the friction limit.
fn pinched_rope(anchor: bool, dt: f64) -> f64 {
    let nodes = (0..=24).map(|i| DVec3::X * (5e-3 * i as f64 - 0.06)).collect();
    let builder = RodBuilder::new(nodes, Section::Circle { radius: RADIUS }, rubber());
    let (rod, rod_state) = builder.build().unwrap();
    let mut model = Model {
        rod_names: vec!["rope".into()],
        rod_surfaces: vec![Surface { friction: FRICTION, ..Surface::default() }],
        rods: vec![rod],
        contact: Some(ContactSettings { anchor, ..ContactSettings::default() }),
        settings: Settings { dt, ..Settings::default() },
        ..Model::default()
    };
    model.rods[0].mass_damping = 5.0;
    model.loads.push(Load {
        name: "pull".into(),
        rod: 0,
        kind: LoadKind::Point { node: 24, force: DVec3::X * pull() },
        // First the fingers close, then the rope is pulled.
        scale: TimeFunction::Table {
            times: vec![0.0, 0.05, 0.25],
            values: vec![0.0, 0.0, 1.0],
            interpolation: ropewalk_sim::Interpolation::Linear,
        },
    });
    fingers(&mut model);
    let mut state = State { rods: vec![rod_state], ..State::default() };
    // Along the pull: across it nothing holds the fingers, which press equally hard.
    creep(&model, &mut state, 2.0, |s| DVec3::X * s.rods[0].position(12).x)
}

/// An upright capsule between two fingers, as heavy as half the friction limit.
fn pinched_capsule(anchor: bool, dt: f64) -> f64 {
    let shape = Shape::Capsule { radius: RADIUS, length: 0.06 };
    let mass = pull() / 9.81;
    let capsule = single("capsule", JointKind::Free, Pose::IDENTITY, shape, mass, true);
    let mut model = Model {
        trees: vec![capsule],
        gravity: DVec3::new(0.0, 0.0, -9.81),
        contact: Some(ContactSettings { anchor, ..ContactSettings::default() }),
        settings: Settings { dt, ..Settings::default() },
        ..Model::default()
    };
    fingers(&mut model);
    let mut state = State::default();
    let measured = model.clone();
    creep(&model, &mut state, 2.0, |s| measure::tree_kinematics(&measured, s, 0).poses[0].position)
}

#[test]
fn a_pinched_rope_pulled_with_half_the_limit_stays() {
    for dt in [1e-3, 2e-3] {
        let (with, without) = (pinched_rope(true, dt), pinched_rope(false, dt));
        println!("dt {dt}: creep {with:e} m/s, without anchors {without:e} m/s");
        assert!(with < 1e-7, "{with}");
        assert!(without > 1e-5, "{without}");
    }
}

#[test]
fn a_pinched_capsule_as_heavy_as_half_the_limit_stays() {
    for dt in [1e-3, 2e-3] {
        let (with, without) = (pinched_capsule(true, dt), pinched_capsule(false, dt));
        println!("dt {dt}: creep {with:e} m/s, without anchors {without:e} m/s");
        assert!(with < 1e-9, "{with}");
        assert!(without > 1e-6, "{without}");
    }
}

#[test]
fn a_grasp_turned_over_keeps_what_it_holds() {
    // A whole turn about the pinch axis in two seconds: the load on the contacts turns in the frame of the fingers, and
    // the contacts turn in the world.
    let shape = Shape::Capsule { radius: RADIUS, length: 0.06 };
    let capsule = single("capsule", JointKind::Free, Pose::IDENTITY, shape, pull() / 9.81, true);
    let mut model = Model {
        trees: vec![capsule],
        gravity: DVec3::new(0.0, 0.0, -9.81),
        contact: Some(ContactSettings::default()),
        settings: Settings { dt: 1e-3, ..Settings::default() },
        ..Model::default()
    };
    fingers(&mut model);
    for finger in &mut model.trees[1..] {
        let at = finger.base.pose(0.0);
        let turned = |turn: f64| Pose::new(at.position, DQuat::from_rotation_y(turn * PI));
        // Without a jerk at either end: 10u³ − 15u⁴ + 6u⁵.
        let times: Vec<f64> = (0..=300).map(|i| 0.01 * i as f64).collect();
        let smooth = |t: f64| {
            let u = ((t - 0.2) / 2.0).clamp(0.0, 1.0);
            2.0 * u.powi(3) * (10.0 - 15.0 * u + 6.0 * u * u)
        };
        let poses = times.iter().map(|t| turned(smooth(*t))).collect();
        let path = Trajectory::new(times, poses, Default::default()).unwrap();
        finger.base = BaseMotion::KeyFrames(path);
    }
    let mut state = State::default();
    state.complete(&model);
    let mut workspace = Workspace::new(&model);
    let mut before = DVec3::ZERO;
    for i in 0..3000 {
        assert_eq!(step(&model, &mut state, &mut workspace).status, StepStatus::Converged);
        if i == 180 {
            before = measure::tree_kinematics(&model, &state, 0).poses[0].position;
        }
    }
    let pose = measure::tree_kinematics(&model, &state, 0).poses[0];
    let moved = (pose.position - before).length();
    let turned = pose.rotation.angle_between(DQuat::IDENTITY);
    println!("moved {moved:e} m, turned {turned:e} rad");
    assert!(moved < 1e-6 && turned < 1e-4, "{moved} m, {turned} rad");
}
