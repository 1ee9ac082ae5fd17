//! Commands between steps: what was asked for happens, stays, is part of the state, and is refused where it makes no sense.

#![allow(clippy::unwrap_used)]

mod common;

use common::{clamped_line, rubber};
use glam::{DQuat, DVec3};
use ropewalk_body::{Inertia, Joint, JointKind, Link, Tree};
use ropewalk_linalg::Pose;
use ropewalk_rod::{RodBuilder, Section};
use ropewalk_sim::{
    AttachmentKind, BaseMotion, Clamp, ClampPose, CommandError, End, Guided, Hold, Model, Motion, PoseTarget,
    State, TreeModel, World, measure,
};
use std::f64::consts::TAU;
use std::sync::Arc;

const DT: f64 = 1e-3;

/// A rope of 21 nodes along x, clamped at its first edge, a box that is fixed, and a box that is free.
fn world() -> World {
    let mut builder = RodBuilder::new(clamped_line(20, 0.3), Section::Circle { radius: 0.004 }, rubber());
    builder.mass_damping = 5.0;
    let (rod, rod_state) = builder.build().unwrap();
    let hold = Hold::Edge(0);
    let start = ClampPose::of(hold, &rod, &rod_state);
    let clamp = Clamp {
        name: "wall".into(),
        rod: 0,
        hold,
        motion: Motion::default(),
        start,
        release_time: f64::INFINITY,
    };
    let body = |name: &str, kind: JointKind| {
        let inertia = Inertia { mass: 2.0, com: DVec3::ZERO, about_com: glam::DMat3::IDENTITY * 0.01 };
        let joint = Joint::new("joint", kind, Pose::IDENTITY);
        let link = Link { name: name.into(), parent: None, joint, inertia };
        TreeModel {
            name: name.into(),
            tree: Tree::new(vec![link]).unwrap(),
            base: BaseMotion::Fixed(Pose::at(DVec3::new(0.0, 1.0, 0.0))),
            heavy: true,
            shapes: Vec::new(),
        }
    };
    let model = Model {
        gravity: DVec3::NEG_Z * 9.81,
        rod_names: vec!["rope".into()],
        rods: vec![rod],
        clamps: vec![clamp],
        trees: vec![body("plate", JointKind::Fixed), body("ball", JointKind::Free)],
        ..Model::default()
    };
    World::new(Arc::new(model), State { rods: vec![rod_state], ..State::default() })
}

fn position(x: DVec3) -> PoseTarget {
    PoseTarget { position: Some(x), ..PoseTarget::default() }
}

fn held(world: &World) -> DVec3 {
    0.5 * (world.state().rods[0].position(0) + world.state().rods[0].position(1))
}

#[test]
fn samples_at_100_hz_give_the_speed_of_their_source() {
    let mut world = world();
    let start = held(&world);
    // A hand that waves at 1.5 Hz in a circle, with a turn about the vertical: never at rest.
    let (radius, rate) = (0.08, 1.5);
    let source = |t: f64| {
        let (s, c) = (TAU * rate * t).sin_cos();
        let turn = DQuat::from_rotation_z(0.4 * s);
        (start + radius * DVec3::new(c - 1.0, s, 0.3 * s), turn)
    };
    let frame = world.pose_of(Guided::Clamp(0)).rotation;
    let (mut before, mut worst_speed, mut worst_jump) = (held(&world), 0.0f64, 0.0f64);
    let mut speed_before = 0.0;
    for k in 1..=100 {
        let (x, turn) = source(f64::from(k) * 0.01);
        let target = PoseTarget { position: Some(x), rotation: Some(turn * frame), ..PoseTarget::default() };
        world.set_target(Guided::Clamp(0), &target, Some(0.01)).unwrap();
        for _ in 0..10 {
            assert_eq!(world.step(1, None).failure(), None);
            let now = held(&world);
            let speed = (now - before).length() / DT;
            // The source at the middle of the step.
            let t = world.state().time - 0.5 * DT;
            let true_speed = (source(t + 1e-5).0 - source(t - 1e-5).0).length() / 2e-5;
            if k > 3 {
                worst_speed = worst_speed.max((speed / true_speed - 1.0).abs());
                worst_jump = worst_jump.max((speed - speed_before).abs());
            }
            (before, speed_before) = (now, speed);
        }
        assert!((held(&world) - x).length() < 1e-12, "sample {k} is missed");
    }
    assert!(worst_speed < 0.05, "speed is off by {worst_speed}");
    // Without interpolation the speed would jump from nothing to ten times as much.
    assert!(worst_jump < 0.02 * radius * TAU * rate, "speed jumps by {worst_jump} m/s");
    // When the samples stop it comes to rest where the last one was.
    world.step(50, None);
    assert!((held(&world) - source(1.0).0).length() < 1e-12);
}

#[test]
fn a_single_target_is_reached_from_rest_to_rest() {
    let mut world = world();
    let goal = held(&world) + DVec3::new(0.0, 0.05, 0.02);
    world.set_target(Guided::Clamp(0), &position(goal), Some(0.5)).unwrap();
    let mut speeds = Vec::new();
    for _ in 0..500 {
        let before = held(&world);
        world.step(1, None);
        speeds.push((held(&world) - before).length() / DT);
    }
    assert!((held(&world) - goal).length() < 1e-12);
    let mean = (goal - DVec3::ZERO).length() / 0.5;
    let peak = speeds.iter().fold(0.0f64, |m, &s| m.max(s));
    assert!(
        (peak / mean - 1.5).abs() < 0.01,
        "a cubic from rest to rest peaks at 1.5 times its mean: {}",
        peak / mean
    );
    assert!(speeds[0] < 0.02 * mean && speeds[499] < 0.02 * mean);
    world.step(100, None);
    assert!((held(&world) - goal).length() < 1e-12, "it stays");
    // Back to the scene, in half a second.
    world.clear_target(Guided::Clamp(0), Some(0.5)).unwrap();
    world.step(250, None);
    assert!((held(&world) - 0.5 * goal).length() < 1e-6);
    world.step(251, None);
    assert!(held(&world).length() < 1e-12);
}

#[test]
fn a_clamp_turns_as_it_is_told_and_lets_go() {
    let mut world = world();
    let frame = world.pose_of(Guided::Clamp(0)).rotation;
    world.set_velocity(Guided::Clamp(0), DVec3::ZERO, DVec3::X * 2.0).unwrap();
    world.step(1000, None);
    let turned = world.pose_of(Guided::Clamp(0)).rotation;
    assert!(turned.angle_between(DQuat::from_rotation_x(2.0) * frame) < 1e-9);
    let [m1, ..] = world.state().rods[0].material_frame(&world.model().rods[0], 0);
    assert!((m1 - turned * DVec3::X).length() < 1e-9, "the edge has turned with it");
    world.release_clamp(0);
    let before = world.state().rods[0].position(10).z;
    world.step(50, None);
    assert!(world.state().rods[0].position(10).z < before - 0.005, "it falls");
    assert_eq!(world.workspace().clamp_wrenches()[0].force, DVec3::ZERO);
    world.hold_clamp(0);
    let caught = held(&world);
    world.step(20, None);
    assert!((held(&world) - caught).length() < 1e-12);
}

#[test]
fn bodies_are_led_and_pushed() {
    let mut world = world();
    let plate = Guided::Link { tree: 0, link: 0 };
    world.set_velocity(plate, DVec3::X * 0.2, DVec3::Z * 3.0).unwrap();
    world.step(500, None);
    let kinematics = world.kinematics(0);
    assert!((kinematics.poses[0].position - DVec3::new(0.1, 1.0, 0.0)).length() < 1e-12);
    assert!((kinematics.linear[0] - DVec3::X * 0.2).length() < 1e-9);
    assert!((kinematics.angular[0] - DVec3::Z * 3.0).length() < 1e-9);
    // A force at the center that balances weight, and a torque: I ω̇ = τ.
    world.set_link_load((1, 0), DVec3::Z * 2.0 * 9.81, DVec3::Y * 0.02, None).unwrap();
    let v = world.kinematics(1).linear[0];
    world.step(100, None);
    let after = world.kinematics(1);
    assert!((after.linear[0] - v).length() < 1e-9);
    assert!((after.angular[0] - DVec3::Y * 0.2).length() < 1e-9);
    // What pushes a fixed body, the ground holds: its weight, and 5 N.
    world.clear_target(plate, Some(0.1)).unwrap();
    world.step(200, None);
    world.set_link_load((0, 0), DVec3::X * 5.0, DVec3::ZERO, Some(DVec3::Z)).unwrap();
    world.step(1, None);
    let base = world.workspace().base_wrenches()[0];
    assert!((base.force - DVec3::new(-5.0, 0.0, 2.0 * 9.81)).length() < 1e-9, "{base:?}");
    assert!((base.torque - DVec3::new(0.0, -5.0, 0.0)).length() < 1e-9, "{base:?}");
}

#[test]
fn forces_and_torques_on_a_rod_do_their_work() {
    let mut world = world();
    world.set_gravity(Some(DVec3::ZERO)).unwrap();
    let last = world.model().rods[0].node_count() - 1;
    world.set_node_force(0, last, DVec3::new(0.0, 0.0, 1e-3)).unwrap();
    world.set_edge_torque(0, last - 1, DVec3::new(2e-5, 0.0, -3e-5)).unwrap();
    world.set_edge_force(0, 5, DVec3::new(0.0, 2e-3, 0.0)).unwrap();
    let start = measure::energies(world.model(), world.state());
    let done = world.step(5000, None);
    assert_eq!(done.failure(), None);
    // At rest the clamp holds all of it.
    world.step(1, None);
    let wrench = world.workspace().clamp_wrenches()[0];
    assert!((wrench.force + DVec3::new(0.0, 2e-3, 1e-3)).length() < 2e-5, "{wrench:?}");
    let state = &world.state().rods[0];
    let arms = state.position(last).cross(DVec3::new(0.0, 0.0, 1e-3))
        + (0.5 * (state.position(5) + state.position(6))).cross(DVec3::Y * 2e-3);
    let moment = arms + DVec3::new(2e-5, 0.0, -3e-5);
    assert!((wrench.torque + moment).length() < 0.02 * moment.length(), "{wrench:?} against {moment:?}");
    // Work of the loads is what became of it; damping takes a part.
    let end = measure::energies(world.model(), world.state());
    assert!(done.report.work > end.total() - start.total() && end.total() > start.total());
    // Given back: the rod goes straight again.
    world.clear_command(None).unwrap();
    world.set_gravity(Some(DVec3::ZERO)).unwrap();
    world.step(5000, None);
    assert!(world.state().rods[0].position(last).truncate().y.abs() < 1e-4);
}

#[test]
fn a_natural_curvature_is_taken_on_and_given_back() {
    let mut world = world();
    world.set_gravity(Some(DVec3::ZERO)).unwrap();
    world.set_natural_shape(0, &[4.0], &[0.0], &[0.0]).unwrap();
    let before = measure::energies(world.model(), world.state()).total();
    let mut work = world.step(1, None).report.work;
    // ½ EI κ² L, which the command has put in.
    let rod = &world.model().rods[0];
    let stored: f64 = rod
        .stencils()
        .map(|j| 0.5 * rod.bend_stiffness(0)[j] * (4.0 * rod.voronoi_lengths()[j]).powi(2))
        .sum();
    assert!((work / stored - 1.0).abs() < 1e-2, "{work} against {stored}");
    work += world.step(6000, None).report.work;
    for curvature in measure::curvature(world.model(), world.state(), 0) {
        assert!((curvature - 4.0).abs() < 0.02, "{curvature}");
    }
    assert!(measure::energies(world.model(), world.state()).total() - before < 0.02 * work);
    world.clear_natural_shape(0);
    world.step(6000, None);
    for curvature in measure::curvature(world.model(), world.state(), 0) {
        assert!(curvature < 0.05, "{curvature}");
    }
}

/// Everything at once.
fn commanded() -> World {
    let mut world = world();
    world.step(3, None);
    world.set_target(Guided::Clamp(0), &position(DVec3::new(0.0, 0.01, 0.0)), Some(0.05)).unwrap();
    world.set_velocity(Guided::Link { tree: 0, link: 0 }, DVec3::Y * 0.1, DVec3::X).unwrap();
    world.set_gravity(Some(DVec3::new(0.0, 1.0, -5.0))).unwrap();
    world.set_node_force(0, 9, DVec3::X * 1e-3).unwrap();
    world.set_edge_force(0, 3, DVec3::Y * 1e-3).unwrap();
    world.set_edge_torque(0, 4, DVec3::Z * 1e-5).unwrap();
    world.set_natural_shape(0, &[1.0], &[0.5], &[2.0]).unwrap();
    world.set_link_load((1, 0), DVec3::X, DVec3::Y * 0.01, Some(DVec3::Z * 0.1)).unwrap();
    let ends = [End::Rod { rod: 0, edge: 19, fraction: 1.0 }, End::Link { tree: 1, link: 0, point: None }];
    world.attach("caught", ends, AttachmentKind::Point).unwrap();
    world.step(7, None);
    world
}

#[test]
fn commands_are_state() {
    let mut world = commanded();
    let arrays = world.state().arrays(world.model());
    let find = |name: &str| arrays.iter().find(|a| a.name == name);
    let snapshot = State::from_arrays(world.scene_model(), world.start(), find).unwrap();
    assert_eq!(snapshot, *world.state());
    // A world that knows nothing of it goes on with the same bits.
    let mut twin = self::world();
    twin.restore(&snapshot);
    assert_eq!(twin.model().attachments.len(), 1);
    for _ in 0..60 {
        assert_eq!(world.step(1, None).failure(), None);
        assert_eq!(twin.step(1, None).failure(), None);
        assert_eq!(world.state(), twin.state());
    }
    assert!(world.workspace().attachment_wrenches()[0].force.length() > 1e-3, "what was made holds");
    twin.reset();
    assert_eq!(twin.state(), self::world().state());
    assert!(twin.model().attachments.is_empty());
}

#[test]
fn what_was_made_is_released_and_its_place_taken_again() {
    let mut world = commanded();
    let ends = [End::Rod { rod: 0, edge: 10, fraction: 0.5 }, End::World { point: None }];
    assert!(world.attach("caught", ends, AttachmentKind::Clamp).is_err(), "the name is taken");
    world.release_attachment(0);
    world.step(1, None);
    assert!(world.state().attachments[0].grip.is_none());
    assert_eq!(world.attach("pinned", ends, AttachmentKind::Clamp), Ok(0));
    assert_eq!(world.model().attachments.len(), 1);
    world.step(5, None);
    assert!(world.state().attachments[0].grip.is_some());
    let bad = [End::Rod { rod: 0, edge: 99, fraction: 0.5 }, End::World { point: None }];
    let error = world.attach("more", bad, AttachmentKind::Point).unwrap_err().to_string();
    assert!(error.contains("attachment 'more'") && error.contains("no edge 99"), "{error}");
}

#[test]
fn everything_goes_back_to_the_scene() {
    let mut world = commanded();
    world.clear_command(Some(0.05)).unwrap();
    assert_eq!(world.state().gravity(world.model()), DVec3::NEG_Z * 9.81);
    world.step(51, None);
    assert!(held(&world).length() < 1e-12);
    assert!((world.kinematics(0).poses[0].position - DVec3::Y).length() < 1e-12);
    assert!(world.state().attachments[0].grip.is_none());
    let natural = &world.state().rods[0].natural;
    assert!(natural.kappa1.iter().chain(&natural.kappa2).chain(&natural.tau).all(|&k| k == 0.0));
}

#[test]
fn what_makes_no_sense_is_refused_with_the_name() {
    let mut world = world();
    let before = world.state().clone();
    let far = position(DVec3::new(0.0, 100.0, 0.0));
    let wrong = PoseTarget { rotation: Some(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0)), ..PoseTarget::default() };
    let cases: Vec<(Result<(), CommandError>, &[&str])> = vec![
        (
            world.set_target(Guided::Clamp(0), &position(DVec3::NAN), None),
            &["clamp 'wall'", "position", "NaN"],
        ),
        (world.set_target(Guided::Clamp(0), &far, Some(1.0)), &["clamp 'wall'", "100 m/s", "over = 2.000 s"]),
        (
            world.set_target(Guided::Clamp(0), &position(DVec3::Y * 0.051), None),
            &["clamp 'wall'", "51 m/s", "0.001"],
        ),
        (world.set_target(Guided::Clamp(0), &wrong, None), &["clamp 'wall'", "quaternion", "x, y, z, w"]),
        (world.set_target(Guided::Clamp(0), &far, Some(-1.0)), &["clamp 'wall'", "over", "-1"]),
        (
            world.set_target(Guided::Link { tree: 1, link: 0 }, &far, Some(9.0)),
            &["body 'ball'", "moves by itself", "set_force"],
        ),
        (
            world.set_velocity(Guided::Clamp(0), DVec3::X * 60.0, DVec3::ZERO),
            &["clamp 'wall'", "60", "50 m/s"],
        ),
        (world.set_gravity(Some(DVec3::splat(f64::INFINITY))), &["gravity", "inf"]),
        (world.set_node_force(0, 99, DVec3::X), &["rod 'rope'", "no node 99", "0 to 21"]),
        (world.set_node_forces(0, &[DVec3::X; 3]), &["rod 'rope'", "3 entries", "expected 22"]),
        (world.set_edge_torque(0, 1, DVec3::NAN), &["rod 'rope'", "torques", "NaN"]),
        (world.set_natural_shape(0, &[f64::NAN], &[0.0], &[0.0]), &["rod 'rope'", "natural curvature 1"]),
        (world.set_link_load((1, 0), DVec3::NAN, DVec3::ZERO, None), &["body 'ball'", "force"]),
        (world.set_qpos(&[0.0; 3]), &["qpos", "3 entries", "expected 7"]),
        (world.set_qpos(&[0.0; 7]), &["ball.qx", "quaternion"]),
        (world.set_ctrl(&[1.0]), &["ctrl", "expected 0"]),
    ];
    for (result, words) in cases {
        let error = result.unwrap_err().to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{error} lacks one of {words:?}");
    }
    assert_eq!(*world.state(), before, "nothing has changed");
}

#[test]
fn joints_have_one_order_with_names() {
    let mut world = world();
    assert_eq!(
        world.model().qpos_names(),
        ["x", "y", "z", "qx", "qy", "qz", "qw"].map(|part| format!("ball.{part}"))
    );
    assert_eq!(world.model().qvel_names().len(), 6);
    world.set_qpos(&[1.0, 2.0, 3.0, 0.0, 0.0, 2.0, 0.0]).unwrap();
    world.set_qvel(&[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]).unwrap();
    assert_eq!(world.qpos(), [1.0, 2.0, 3.0, 0.0, 0.0, 1.0, 0.0]);
    // Its joint is placed in the base, which is at y = 1 m.
    assert_eq!(world.kinematics(1).poses[0].position, DVec3::new(1.0, 3.0, 3.0));
    assert_eq!(world.qvel()[2], 1.0);
}

#[test]
fn a_rope_without_commands_is_as_it_was() {
    let (mut one, mut two) = (world(), world());
    two.set_node_force(0, 3, DVec3::X).unwrap();
    two.set_node_force(0, 3, DVec3::ZERO).unwrap();
    one.step(5, None);
    two.step(5, None);
    assert_eq!(one.state(), two.state());
    assert!(one.state().commands.is_empty());
}
