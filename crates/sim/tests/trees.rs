//! Bodies and robots in the step: free flight, joints, limits, actuators.
#![allow(clippy::unwrap_used)]

mod common;

use common::World;
use glam::{DMat3, DVec3};
use ropewalk_body::{Inertia, Joint, JointKind, Link, Mimic, Tree};
use ropewalk_linalg::Pose;
use ropewalk_sim::{
    Actuator, ActuatorKind, BaseMotion, Model, Scheme, Settings, TimeFunction, TreeModel, measure,
};

fn point_mass(mass: f64, com: DVec3) -> Inertia {
    Inertia { mass, com, about_com: DMat3::from_diagonal(DVec3::splat(1e-6 * mass)) }
}

fn link(name: &str, parent: Option<usize>, joint: Joint, inertia: Inertia) -> Link {
    Link { name: name.into(), parent, joint, inertia }
}

fn slider(mass: f64) -> Tree {
    let joint = Joint::new("slide", JointKind::Prismatic { axis: DVec3::X }, Pose::IDENTITY);
    Tree::new(vec![link("body", None, joint, point_mass(mass, DVec3::ZERO))]).unwrap()
}

fn world(trees: Vec<Tree>, actuators: Vec<Actuator>, dt: f64) -> World {
    let trees = trees.into_iter().enumerate().map(|(i, tree)| TreeModel {
        name: format!("tree {i}"),
        tree,
        base: BaseMotion::Fixed(Pose::IDENTITY),
        heavy: true,
        shapes: vec![],
    });
    let settings = Settings { dt, ..Settings::default() };
    World::of_rods(vec![], Model { trees: trees.collect(), actuators, settings, ..Model::default() })
}

/// One step, without sub-steps.
fn step(world: &mut World) {
    let report = world.step();
    assert_eq!(report.substeps, 1, "at {} s: {report:?}", world.state.time);
}

fn actuator(link: usize, kind: ActuatorKind, effort_limit: f64) -> Actuator {
    Actuator { name: "motor".into(), tree: 0, link, dof: 0, kind, effort_limit }
}

#[test]
fn a_stiff_controller_holds_a_tiny_body_at_a_long_step() {
    let kind = ActuatorKind::Position {
        position_gain: 1e6,
        velocity_gain: 0.0,
        target: TimeFunction::Ramp {
            times: [0.0, 1.0],
            values: [0.0, 0.4],
            interpolation: ropewalk_sim::Interpolation::Linear,
        },
    };
    let mut world = world(vec![slider(1e-4)], vec![actuator(0, kind, f64::INFINITY)], 1e-3);
    for n in 1..=1000 {
        step(&mut world);
        let q = world.state.trees[0].q[0];
        assert!((q - 4e-4 * n as f64).abs() < 1e-7, "step {n}: {q}");
    }
    assert!((world.state.trees[0].v[0] - 0.4).abs() < 1e-6);
}

#[test]
fn effort_limits_hold_to_round_off() {
    for limit in [0.3, 5.0] {
        let kinds = [
            ActuatorKind::Position {
                position_gain: 1e4,
                velocity_gain: 20.0,
                target: TimeFunction::Sine { amplitude: 1.0, frequency: 3.0, phase: 0.3, offset: 0.0 },
            },
            ActuatorKind::Velocity {
                velocity_gain: 1e3,
                target: TimeFunction::Sine { amplitude: 4.0, frequency: 2.0, phase: 0.0, offset: 0.0 },
            },
            ActuatorKind::ProportionalIntegral {
                position_gain: 300.0,
                integral_gain: 1e4,
                target: TimeFunction::Constant(0.5),
            },
            ActuatorKind::Force {
                effort: TimeFunction::Sine { amplitude: 9.0, frequency: 2.0, phase: 0.0, offset: 0.0 },
            },
        ];
        for kind in kinds {
            let mut world = world(vec![slider(0.2)], vec![actuator(0, kind.clone(), limit)], 1e-3);
            let mut reached = 0.0f64;
            for _ in 0..500 {
                let before = world.state.trees[0].v[0];
                step(&mut world);
                let effort = world.workspace.actuator_efforts()[0];
                assert!(effort.abs() <= limit * (1.0 + 1e-14), "{kind:?}: {effort}");
                // The effort is all that accelerates the slider.
                let momentum = 0.2 * (world.state.trees[0].v[0] - before);
                assert!((momentum - 1e-3 * effort).abs() < 1e-9 * limit);
                reached = reached.max(effort.abs());
            }
            assert!(reached > 0.99 * limit, "{kind:?}: {reached}");
        }
    }
}

#[test]
fn an_integral_removes_what_a_proportional_controller_leaves() {
    let kind = ActuatorKind::ProportionalIntegral {
        position_gain: 50.0,
        integral_gain: 100.0,
        target: TimeFunction::Constant(0.02),
    };
    let force = ActuatorKind::Force { effort: TimeFunction::Constant(-1.0) };
    let mut tree = slider(0.1);
    let mut links = tree.links().to_vec();
    links[0].joint.damping = 2.0;
    tree = Tree::new(links).unwrap();
    let motors = vec![actuator(0, kind, 10.0), actuator(0, force, 10.0)];
    let mut world = world(vec![tree], motors, 1e-3);
    for _ in 0..10_000 {
        step(&mut world);
    }
    assert!((world.state.trees[0].q[0] - 0.02).abs() < 1e-6);
    assert!((world.workspace.actuator_efforts()[0] - 1.0).abs() < 1e-4);
}

#[test]
fn limits_friction_and_followers_act() {
    // A carriage with dry friction that is pushed against its limit, and a second one that follows it.
    let mut first = Joint::new("first", JointKind::Prismatic { axis: DVec3::X }, Pose::IDENTITY);
    first.limits = [-0.05, 0.1];
    first.dry_friction = 0.5;
    let mut second = Joint::new("second", JointKind::Prismatic { axis: -DVec3::X }, Pose::IDENTITY);
    let base = Joint::new("base", JointKind::Fixed, Pose::IDENTITY);
    second.mimic = Some(Mimic { leader: 1, multiplier: 1.0, offset: 0.0 });
    let tree = Tree::new(vec![
        link("ground", None, base, Inertia::ZERO),
        link("a", Some(0), first, point_mass(0.3, DVec3::ZERO)),
        link("b", Some(0), second, point_mass(0.3, DVec3::ZERO)),
    ])
    .unwrap();
    let kind = ActuatorKind::Force {
        effort: TimeFunction::Ramp {
            times: [0.0, 1.0],
            values: [0.0, 1.0],
            interpolation: ropewalk_sim::Interpolation::Linear,
        },
    };
    let mut world = world(vec![tree], vec![actuator(1, kind, f64::INFINITY)], 1e-3);
    let mut started = None;
    for n in 0..2000 {
        step(&mut world);
        let q = &world.state.trees[0].q;
        // Apart only in the blow on the limit, by the compliance of 1/4000 that constraints have.
        let apart = if q[0] < 0.1 { 1e-9 } else { 1e-6 };
        assert!((q[0] - q[1]).abs() < apart, "step {n}: {q:?}");
        assert!(q[0] < 0.1 + 1e-5, "step {n}: {}", q[0]);
        if started.is_none() && q[0] > 1e-5 {
            started = Some(world.state.time);
        }
    }
    // Friction gives way at 0.5 N, that is at 0.5 s.
    let started = started.unwrap();
    assert!(started > 0.5 && started < 0.54, "{started}");
    let q = world.state.trees[0].q[0];
    assert!((q - 0.1).abs() < 1e-5, "{q}");
    // At rest on the limit: 1 N from the motor, less what friction takes.
    let (limit, friction) = (world.workspace.limit_efforts(0)[0], world.workspace.friction_efforts(0)[0]);
    assert!((1.0 + limit + friction).abs() < 1e-6, "{limit} {friction}");
}

#[test]
fn a_body_in_free_flight_keeps_its_momentum() {
    let joint = Joint::new("free", JointKind::Free, Pose::IDENTITY);
    let inertia = Inertia {
        mass: 0.7,
        com: DVec3::new(0.02, -0.01, 0.03),
        about_com: DMat3::from_diagonal(DVec3::new(1e-3, 2e-3, 2.5e-3)),
    };
    let tree = Tree::new(vec![link("body", None, joint, inertia)]).unwrap();
    let mut world = world(vec![tree], vec![], 1e-3);
    world.model.settings.scheme = Scheme::BACKWARD_EULER;
    world.state.trees[0].v = vec![0.3, -0.2, 0.5, 1.0, 8.0, -2.0];
    let momenta = |w: &World| {
        let k = measure::tree_kinematics(&w.model, &w.state, 0);
        let tree = &w.model.trees[0].tree;
        let p = ropewalk_body::energy::linear_momentum(tree, &k);
        (p, ropewalk_body::energy::angular_momentum(tree, &k, k.com[0]))
    };
    let (p0, l0) = momenta(&world);
    for _ in 0..1000 {
        step(&mut world);
        let (p, l) = momenta(&world);
        assert!((p - p0).length() < 1e-11 * p0.length());
        assert!((l - l0).length() < 1e-11 * l0.length(), "{l} {l0}");
    }
}
