//! BDF2 in the step: order and losses with attachments, impacts without rebound, histories that survive a snapshot.
#![allow(clippy::unwrap_used)]

mod common;

use common::{World, body_shape, line, rubber, stiffness};
use glam::{DMat3, DQuat, DVec3};
use ropewalk_body::{Inertia, Joint, JointKind, Link, Tree};
use ropewalk_geometry::Shape;
use ropewalk_linalg::Pose;
use ropewalk_rod::{Rod, RodBuilder, RodState, Section};
use ropewalk_sim::{
    AttachmentKind, BaseMotion, ContactSettings, End, Hold, Model, Motion, Scheme, Settings, State,
    TreeModel, Workspace, measure,
};

fn world(rods: Vec<(Rod, RodState)>, trees: Vec<TreeModel>, dt: f64, scheme: Scheme) -> World {
    let model = Model {
        gravity: DVec3::NEG_Z * 9.81,
        trees,
        settings: Settings { dt, scheme, tolerance: 1e-9, ..Settings::default() },
        ..Model::default()
    };
    World::of_rods(rods, model)
}

fn body(kind: JointKind, at: Pose, inertia: Inertia, shape: Option<Shape>) -> TreeModel {
    common::body(kind, at, inertia, shape.iter().map(|shape| body_shape(shape, 0.5)).collect())
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
    let mut world = world(vec![], vec![tree], dt, scheme);
    world.attach(ends, AttachmentKind::Point);
    world.model.gravity = DVec3::ZERO;
    let spin = omega * DVec3::new(0.3, 0.2, 1.0).normalize();
    world.state.trees[0].v[3..].copy_from_slice(&spin.to_array());
    world
}

#[test]
fn a_body_on_a_ball_attachment_keeps_its_energy() {
    // With rows at the start of the step the midpoint rule gained 4 % a second at 10 rad/s, and 28 times at 50.
    for (omega, dt, seconds, least) in
        [(10.0, 1e-3, 10.0, 0.999), (50.0, 1e-3, 10.0, 0.95), (23.0, 2e-3, 3.0, 0.95)]
    {
        let mut world = on_ball_attachment(omega, dt, Scheme::BDF2);
        let start = world.energy();
        let (mut most, mut off) = (0.0f64, 0.0f64);
        for _ in 0..(seconds / dt) as usize {
            world.step();
            most = most.max(world.energy());
            let q = &world.state.trees[0].q;
            off = off.max(DVec3::new(q[0], q[1], q[2]).length());
        }
        let kept = world.energy() / start;
        println!("{omega} rad/s, {dt} s: kept {kept:.6}, most {:.9}, off {off:.1e} m", most / start);
        assert!(kept > least, "{omega} rad/s: {kept}");
        assert!(most < (1.0 + 1e-4) * start, "{omega} rad/s: {}", most / start);
        assert!(off < 1e-5, "{omega} rad/s: {off} m");
    }
}

/// A ball on a cord of the stiffness `stretch` (N) that swings from a pin, held `off` (m) its center: both held by
/// attachments, or the cord by a clamp.
fn pendulum(dt: f64, scheme: Scheme, clamped: bool, (stretch, off): (f64, f64)) -> World {
    let section = stiffness(stretch, 1e-4, 1e-4, 0.02, 1e-8);
    let turn = DQuat::from_rotation_y(0.7);
    let nodes: Vec<DVec3> = (0..9).map(|i| turn * DVec3::NEG_Z * (0.05 * f64::from(i))).collect();
    let cord = RodBuilder::new(nodes, section, rubber()).build().unwrap();
    let (end, load) = (cord.1.position(8), ball(0.05, 0.02));
    let tree = body(JointKind::Free, Pose::at(end + off * DVec3::X), load, None);
    let mut world = world(vec![cord], vec![tree], dt, scheme);
    let ends = [End::Rod { rod: 0, edge: 7, fraction: 1.0 }, End::Link { tree: 0, link: 0, point: None }];
    world.attach(ends, AttachmentKind::Point);
    if clamped {
        world.clamp(Hold::Node(0), Motion::default());
    } else {
        let ends = [End::Rod { rod: 0, edge: 0, fraction: 0.0 }, End::World { point: None }];
        world.attach(ends, AttachmentKind::Point);
    }
    world
}

#[test]
fn the_order_is_two_with_attachments_and_clamps() {
    for clamped in [false, true] {
        let end = |steps: usize, scheme: Scheme| {
            let mut world = pendulum(0.2 / steps as f64, scheme, clamped, (50.0, 0.03));
            for _ in 0..steps {
                world.step();
            }
            let ball = &world.state.trees[0];
            let tip = world.state.rods[0].position(5);
            [DVec3::from_slice(&ball.q[..3]), tip]
        };
        let ends = [200, 400, 800].map(|steps| end(steps, Scheme::BDF2));
        let gap = |a: &[DVec3; 2], b: &[DVec3; 2]| (a[0] - b[0]).length().max((a[1] - b[1]).length());
        let gaps = [gap(&ends[0], &ends[1]), gap(&ends[1], &ends[2])];
        let order = (gaps[0] / gaps[1]).log2();
        println!("clamped {clamped}: {gaps:?}, order {order:.3}");
        assert!((order - 2.0).abs() < 0.3, "{gaps:?} {order}");
        // And to where backward Euler leads, of which the error is of first order.
        let euler = end(3200, Scheme::BACKWARD_EULER);
        println!("backward Euler at a sixteenth of the step is {:.1e} m off", gap(&euler, &ends[2]));
    }
}

#[test]
fn a_swinging_load_keeps_its_energy() {
    for (scheme, most) in [(Scheme::BDF2, 0.05), (Scheme::BACKWARD_EULER, 1.0)] {
        let mut world = pendulum(1e-3, scheme, false, (2e3, 0.0));
        let (start, lowest) = (world.energy(), -9.81 * (0.05 * 0.4 + 0.02 * 0.4 * 0.2));
        world.run_for(10.0);
        let lost = (start - world.energy()) / (start - lowest);
        println!("{scheme:?}: lost {:.3} % of the swing in 10 s", 100.0 * lost);
        assert!((-1e-4..most).contains(&lost), "{scheme:?}: {lost}");
    }
}

/// A bar that falls on a floor.
fn falling(tilt: f64, speed: f64, dt: f64) -> World {
    let turn = DQuat::from_rotation_y(tilt);
    let nodes: Vec<DVec3> = line(9, -0.1, 0.2).into_iter().map(|x| turn * x + DVec3::Z * 0.05).collect();
    let rod = RodBuilder::new(nodes, Section::Circle { radius: 5e-3 }, rubber()).build().unwrap();
    let floor = body(JointKind::Fixed, Pose::IDENTITY, ball(1.0, 0.1), Some(Shape::HalfSpace));
    let mut world = world(vec![rod], vec![floor], dt, Scheme::BDF2);
    world.model.contact = Some(ContactSettings::default());
    world.refresh();
    world.state.rods[0].v.iter_mut().for_each(|v| v[2] = -speed);
    world
}

#[test]
fn impacts_do_not_rebound_or_make_energy() {
    for (tilt, speed) in [(0.0, 1.0), (0.3, 2.0)] {
        let mut world = falling(tilt, speed, 1e-3);
        let (start, mut most, mut after) = (world.energy(), 0.0f64, 0.0f64);
        let mut touched = false;
        for _ in 0..300 {
            world.step();
            most = most.max(world.energy());
            touched |= world.workspace.contacts().any(|c| c.force.length() > 0.0);
            if touched {
                let rise = measure::linear_momentum(&world.model, &world.state, 0).z;
                after = after.max(rise / world.model.rods[0].total_mass());
            }
        }
        println!("tilt {tilt}: most energy {:.6} of the start, fastest rise {after:.4} m/s", most / start);
        assert!(touched);
        assert!(most <= start * (1.0 + 1e-9), "{most} of {start}");
        // A flat bar stops; a tilted one whips round, but its center does not come up as fast as it fell.
        let bound = if tilt == 0.0 { 1e-3 } else { 0.2 * speed };
        assert!(after < bound, "tilt {tilt}: {after} m/s");
    }
}

#[test]
fn the_end_of_a_joints_range_stops_a_pendulum() {
    let mut joint = Joint::new("hinge", JointKind::Revolute { axis: DVec3::Y }, Pose::IDENTITY);
    joint.limits = [-0.2, 10.0];
    let inertia = Inertia { com: DVec3::X * 0.2, ..ball(0.3, 0.05) };
    let link = Link { name: "arm".into(), parent: None, joint, inertia };
    let tree = TreeModel {
        name: "arm".into(),
        tree: Tree::new(vec![link]).unwrap(),
        base: BaseMotion::Fixed(Pose::IDENTITY),
        heavy: true,
        shapes: vec![],
    };
    let mut world = world(vec![], vec![tree], 1e-3, Scheme::BDF2);
    world.model.gravity = DVec3::ZERO;
    world.state.trees[0].v[0] = -3.0;
    let mut fastest = f64::NEG_INFINITY;
    for _ in 0..200 {
        world.step();
        fastest = fastest.max(world.state.trees[0].v[0]);
    }
    let at = world.state.trees[0].q[0];
    println!("rests at {at:.6}, rebounds at {fastest:.2e} rad/s");
    assert!((at + 0.2).abs() < 1e-3, "{at}");
    assert!(fastest < 0.03, "rebounds at {fastest} rad/s");
}

#[test]
fn an_attachment_that_takes_hold_makes_no_energy() {
    let tree = body(JointKind::Free, Pose::IDENTITY, ball(0.2, 0.05), None);
    let ends = [End::Link { tree: 0, link: 0, point: Some(DVec3::X * 0.1) }, End::World { point: None }];
    let mut world = world(vec![], vec![tree], 1e-3, Scheme::BDF2);
    world.attach(ends, AttachmentKind::Point);
    world.model.gravity = DVec3::ZERO;
    world.model.attachments[0].begin_time = 0.0105;
    world.state.trees[0].v[..3].copy_from_slice(&[0.0, 2.0, 0.0]);
    let start = world.energy();
    // A ball that is caught 0.1 m off its center keeps I ω = m d v about the point: m d²/(m d² + I_c) of its energy.
    let expected = 0.01 / (0.01 + 0.4 * 0.0025);
    for i in 0..400 {
        world.step();
        assert!(world.energy() < start * (1.0 + 1e-9), "step {i}: {}", world.energy() / start);
    }
    let kept = world.energy() / start;
    println!("kept {kept:.5} of {expected:.5}");
    assert!((kept / expected - 1.0).abs() < 5e-3, "{kept} {expected}");
}

#[test]
fn a_run_goes_on_from_a_snapshot_to_the_last_bit() {
    // Histories of a rod, a free body and an arm; contact, an attachment and steps that are halved.
    let make = || {
        let mut world = falling(0.3, 2.0, 2e-3);
        let tree = body(JointKind::Free, Pose::at(DVec3::new(0.1, 0.0, 0.1)), ball(0.01, 0.01), None);
        world.model.trees.push(TreeModel { name: "load".into(), ..tree });
        let ends = [End::Rod { rod: 0, edge: 7, fraction: 1.0 }, End::Link { tree: 1, link: 0, point: None }];
        world.attach(ends, AttachmentKind::Point);
        world
    };
    for stop in [7, 30, 61] {
        let (mut through, mut stopped) = (make(), make());
        for _ in 0..stop {
            stopped.step();
        }
        let arrays = stopped.state.arrays(&stopped.model);
        let find = |name: &str| arrays.iter().find(|a| a.name == name);
        stopped.state = State::from_arrays(&stopped.model, &make().state, find).unwrap();
        stopped.workspace = Workspace::new(&stopped.model);
        for _ in stop..80 {
            stopped.step();
        }
        for _ in 0..80 {
            through.step();
        }
        assert_eq!(through.state.rods, stopped.state.rods, "after {stop} steps");
        assert_eq!(through.state.trees, stopped.state.trees, "after {stop} steps");
    }
}
