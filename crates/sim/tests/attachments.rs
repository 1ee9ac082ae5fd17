//! Attachments between rods, bodies and the world.
#![allow(clippy::unwrap_used)]

mod common;

use common::{World, clamped_line, line, rubber, stiffness};
use core::f64::consts::PI;
use glam::{DMat3, DQuat, DVec3};
use ropewalk_body::{Inertia, Joint, JointKind, Link, Tree, energy};
use ropewalk_linalg::Pose;
use ropewalk_rod::{Rod, RodBuilder, RodState, Section};
use ropewalk_sim::inspect::attachment_push;
use ropewalk_sim::{
    Actuator, ActuatorKind, Attachment, AttachmentKind, BaseMotion, Clamp, ClampPose, Command, End, Hold,
    Interpolation, Model, Motion, Scheme, Settings, TimeFunction, TreeModel, measure,
};

fn world(rods: Vec<(Rod, RodState)>, trees: Vec<TreeModel>, attachments: Vec<Attachment>, dt: f64) -> World {
    let model = Model {
        gravity: DVec3::NEG_Z * 9.81,
        trees,
        attachments,
        settings: Settings { dt, ..Settings::default() },
        ..Model::default()
    };
    World::of_rods(rods, model)
}

fn rope(n: usize, from: f64, length: f64) -> (Rod, RodState) {
    RodBuilder::new(line(n, from, length), Section::Circle { radius: 3e-3 }, rubber()).build().unwrap()
}

fn solid(mass: f64, size: f64, com: DVec3) -> Inertia {
    Inertia {
        mass,
        com,
        about_com: DMat3::from_diagonal(DVec3::new(1.0, 1.2, 0.9) * mass * size * size / 6.0),
    }
}

fn body(name: &str, kind: JointKind, at: Pose, inertia: Inertia) -> TreeModel {
    TreeModel { name: name.into(), ..common::body(kind, at, inertia, vec![]) }
}

fn on_rod(edge: usize, fraction: f64) -> End {
    End::Rod { rod: 0, edge, fraction }
}

fn on_tree(tree: usize) -> End {
    End::Link { tree, link: 0, point: None }
}

fn attach(ends: [End; 2], kind: AttachmentKind) -> Attachment {
    Attachment {
        name: "attachment".into(),
        ends,
        kind,
        begin_time: f64::NEG_INFINITY,
        release_time: f64::INFINITY,
    }
}

/// A rope clamped to a swinging arm at one end and to a free body at the other, with a second body that hangs from a
/// ball part way along an edge.
fn assembly(dt: f64) -> World {
    let arm = body(
        "arm",
        JointKind::Universal { axes: [DVec3::Y, DVec3::X] },
        Pose::at(DVec3::new(-0.1, 0.0, 0.0)),
        solid(0.05, 0.05, DVec3::new(0.05, 0.0, 0.0)),
    );
    let load = body(
        "load",
        JointKind::Free,
        Pose::at(DVec3::new(0.52, 0.01, 0.0)),
        solid(0.02, 0.03, DVec3::new(0.004, -0.003, 0.002)),
    );
    let bob =
        body("bob", JointKind::Free, Pose::at(DVec3::new(0.2, 0.0, -0.02)), solid(0.01, 0.01, DVec3::ZERO));
    let mut world = world(
        vec![rope(26, 0.0, 0.5)],
        vec![arm, load, bob],
        vec![
            attach([on_rod(0, 0.5), on_tree(0)], AttachmentKind::Clamp),
            attach([on_tree(1), on_rod(24, 1.0)], AttachmentKind::Clamp),
            attach([on_rod(10, 0.3), on_tree(2)], AttachmentKind::Point),
        ],
        dt,
    );
    world.state.trees[1].v = vec![0.0, 0.4, 0.3, 2.0, -1.0, 5.0];
    world
}

#[test]
fn every_impulse_has_its_counterpart() {
    let mut world = assembly(1e-3);
    let dt = world.model.settings.dt;
    for n in 0..400 {
        let p0 = world.momentum();
        let (mass, _) = world.mass_moment();
        // Momentum of the load alone: what changes it is its weight and the attachment.
        let load_momentum = |w: &World| {
            energy::linear_momentum(&w.model.trees[1].tree, &measure::tree_kinematics(&w.model, &w.state, 1))
        };
        let load0 = load_momentum(&world);
        world.step();
        let p = world.momentum();
        let base = world.workspace.base_wrenches()[0];
        let balance = p - p0 - dt * (mass * world.model.gravity + base.force);
        let scale = p.length() + dt * mass * 9.81 + dt * base.force.length();
        assert!(balance.length() < 1e-9 * scale, "step {n}: {balance} of {scale}");
        // The first end of the second attachment is the load, that of the others the rope.
        let wrenches = world.workspace.attachment_wrenches();
        let on_load = load_momentum(&world) - load0 - dt * (0.02 * world.model.gravity + wrenches[1].force);
        assert!(on_load.length() < 1e-9 * scale, "step {n}: {on_load} of {scale}");
        for free in [1, 2] {
            let base = world.workspace.base_wrenches()[free];
            assert!(base.force.length() < 1e-9 * scale / dt && base.torque.length() < 1e-9 * scale / dt);
        }
    }
}

#[test]
fn the_impulses_of_an_attachment_cancel_in_force_and_moment() {
    // Rows of a clamp and of a ball between a rope and a free body, mapped to the degrees of freedom of both: the sums
    // of forces and of moments about the origin vanish.
    let mut world = assembly(1e-3);
    world.run_for(0.1);
    let before = world.state.clone();
    for (a, tree) in [(1, 1), (2, 2)] {
        let pushes = attachment_push(
            &world.model,
            &before,
            a,
            DVec3::new(0.3, -1.1, 0.7),
            DVec3::new(0.02, 0.05, -0.01),
        );
        let (rod, s) = (&world.model.rods[0], &before.rods[0]);
        let (mut force, mut moment) = (DVec3::ZERO, DVec3::ZERO);
        for i in 0..rod.node_count() {
            let f = DVec3::from_slice(&pushes.rods[0][i][..3]);
            force += f;
            moment += s.position(i).cross(f);
            if i < rod.edge_count() {
                moment += s.tangent(rod, i) * pushes.rods[0][i][3];
            }
        }
        assert!(force.length() > 0.1 && moment.length() > 0.01);
        // A free body's degrees of freedom are the velocity of its origin and its angular velocity.
        let on_body = &pushes.trees[tree];
        let (f, m) = (DVec3::from_slice(&on_body[..3]), DVec3::from_slice(&on_body[3..]));
        let origin = measure::tree_kinematics(&world.model, &before, tree).poses[0].position;
        assert!((force + f).length() < 1e-12, "{a}: {force} {f}");
        assert!((moment + m + origin.cross(f)).length() < 1e-12, "{a}: {moment} {m}");
    }
}

#[test]
fn angular_momentum_balances_at_first_order() {
    let defect = |dt: f64| {
        let mut world = assembly(dt);
        let (mut sum, steps) = (DVec3::ZERO, (0.2 / dt).round() as usize);
        let l0 = world.angular_momentum();
        let base_at = DVec3::new(-0.1, 0.0, 0.0);
        for _ in 0..steps {
            let (_, mx) = world.mass_moment();
            world.step();
            let base = world.workspace.base_wrenches()[0];
            sum += dt * (mx.cross(world.model.gravity) + base.torque + base_at.cross(base.force));
        }
        (world.angular_momentum() - l0 - sum).length()
    };
    let errors = [2e-3, 1e-3, 5e-4].map(defect);
    let orders = [(errors[0] / errors[1]).log2(), (errors[1] / errors[2]).log2()];
    assert!(orders.iter().all(|o| (0.8..1.4).contains(o)), "{errors:?} {orders:?}");
}

#[test]
fn a_flexible_shaft_transmits_torque() {
    let (length, n) = (0.4, 21);
    let (twist, angle) = (2e-3, 1.2);
    let section = stiffness(500.0, 5e-3, twist, 0.05, 2e-6);
    let h = length / (n - 1) as f64;
    let (mut rod, state) = RodBuilder::new(line(n, 0.0, length), section, rubber()).build().unwrap();
    rod.mass_damping = 20.0;
    let hub = |x: f64| {
        let about_x = JointKind::Revolute { axis: DVec3::X };
        body("hub", about_x, Pose::at(DVec3::X * x), solid(0.01, 0.02, DVec3::ZERO))
    };
    let mut world = world(
        vec![(rod, state)],
        vec![hub(0.5 * h), hub(length - 0.5 * h)],
        vec![
            attach([on_rod(0, 0.5), on_tree(0)], AttachmentKind::Clamp),
            attach([on_rod(n - 2, 0.5), on_tree(1)], AttachmentKind::Clamp),
        ],
        1e-3,
    );
    world.model.gravity = DVec3::ZERO;
    for (tree, values) in [(0, [0.0, angle]), (1, [0.0, 0.0])] {
        world.model.actuators.push(Actuator {
            name: "motor".into(),
            tree,
            link: 0,
            dof: 0,
            kind: ActuatorKind::Position {
                position_gain: 1e3,
                velocity_gain: 1.0,
                target: TimeFunction::Ramp {
                    times: [0.0, 1.0],
                    values,
                    interpolation: Interpolation::Smooth,
                },
            },
            effort_limit: f64::INFINITY,
        });
    }
    world.refresh();
    world.run_for(3.0);
    let q = [world.state.trees[0].q[0], world.state.trees[1].q[0]];
    // L between the middles of the clamped edges.
    let expected = twist * (q[0] - q[1]) / (length - h);
    let efforts = world.workspace.actuator_efforts();
    assert!((q[0] - angle).abs() < 1e-4);
    for (effort, sign) in efforts.iter().zip([1.0, -1.0]) {
        assert!((sign * effort - expected).abs() < 5e-3 * expected, "{efforts:?} {expected}");
    }
    let torque = world.workspace.attachment_wrenches()[0].torque;
    assert!((torque.x - expected).abs() < 5e-3 * expected, "{torque} {expected}");
}

#[test]
fn a_pendulum_on_a_rope_swings_in_its_time() {
    // A heavy ball on a light, stiff cord: T = 2π √(L/g) (1 + α²/16) with L to the ball's center, which rotates with
    // the cord: clamped, so that I/(m L²) adds.
    let (length, mass, radius, alpha) = (0.5, 1.0, 0.02, 0.05_f64);
    let section = stiffness(2e4, 1e-6, 1e-6, 1e-4, 1e-12);
    let nodes: Vec<DVec3> =
        (0..11).map(|i| DQuat::from_rotation_y(alpha) * DVec3::NEG_Z * (length * i as f64 / 10.0)).collect();
    let cord = RodBuilder::new(nodes, section, rubber()).build().unwrap();
    let end = cord.1.position(10);
    let inertia = Inertia {
        mass,
        com: DVec3::ZERO,
        about_com: DMat3::from_diagonal(DVec3::splat(0.4 * mass * radius * radius)),
    };
    let mut world = world(
        vec![cord],
        vec![body("ball", JointKind::Free, Pose::at(end), inertia)],
        vec![
            attach([on_rod(0, 0.0), End::World { point: None }], AttachmentKind::Point),
            attach([on_rod(9, 1.0), on_tree(0)], AttachmentKind::Point),
        ],
        1e-3,
    );
    world.model.settings.scheme = Scheme::MIDPOINT;
    let mut crossings = Vec::new();
    let mut before = f64::NAN;
    while crossings.len() < 5 {
        world.step();
        let x = world.state.trees[0].q[0];
        let time = world.state.time;
        if before * x < 0.0 {
            crossings.push(time - world.model.settings.dt * x / (x - before));
        }
        before = x;
        assert!(time < 10.0);
    }
    let period = (crossings[4] - crossings[0]) / 2.0;
    let stretched = length * (1.0 + mass * 9.81 / 2e4);
    let expected = 2.0 * PI * (stretched / 9.81_f64).sqrt() * (1.0 + alpha * alpha / 16.0);
    assert!((period / expected - 1.0).abs() < 1e-3, "{period} {expected}");
}

#[test]
fn both_ends_behave_alike() {
    // A rope that hangs between two hands which move as mirror images stays its own mirror image.
    let n = 24;
    let nodes: Vec<DVec3> = (0..n)
        .map(|i| {
            let a = 1.0 * (2.0 * i as f64 / (n - 1) as f64 - 1.0);
            DVec3::new(0.25 * a.sin(), 0.0, -0.25 * a.cos())
        })
        .collect();
    let grip = 0.5 * (nodes[n - 2] + nodes[n - 1]);
    let hanging = RodBuilder::new(nodes, Section::Circle { radius: 3e-3 }, rubber()).build().unwrap();
    let hand = |sign: f64| {
        let joint = Joint::new("weld", JointKind::Fixed, Pose::IDENTITY);
        let link = Link { name: "hand".into(), parent: None, joint, inertia: solid(0.1, 0.02, DVec3::ZERO) };
        let swing =
            |amplitude: f64| TimeFunction::Sine { amplitude, frequency: 1.3, phase: 0.0, offset: 0.0 };
        let motion = Motion {
            translation: [swing(-0.06 * sign), swing(0.04), swing(0.05)],
            axis: DVec3::Y,
            angle: swing(0.5 * sign),
        };
        TreeModel {
            name: "hand".into(),
            tree: Tree::new(vec![link]).unwrap(),
            base: BaseMotion::Driven { start: Pose::at(DVec3::new(sign * grip.x, grip.y, grip.z)), motion },
            heavy: true,
            shapes: vec![],
        }
    };
    let mut world = world(
        vec![hanging],
        vec![hand(-1.0), hand(1.0)],
        vec![
            attach([on_rod(0, 0.5), on_tree(0)], AttachmentKind::Clamp),
            attach([on_rod(n - 2, 0.5), on_tree(1)], AttachmentKind::Clamp),
        ],
        1e-3,
    );
    for step in 0..600 {
        world.step();
        for i in 0..n {
            let (a, b) = (world.state.rods[0].position(i), world.state.rods[0].position(n - 1 - i));
            let mirrored = DVec3::new(-b.x, b.y, b.z);
            assert!((a - mirrored).length() < 1e-10, "step {step}, node {i}: {a} {mirrored}");
        }
        let [a, b] = [0, 1].map(|i| world.workspace.attachment_wrenches()[i]);
        let mirrored = DVec3::new(-b.force.x, b.force.y, b.force.z);
        assert!((a.force - mirrored).length() < 1e-7 * a.force.length(), "{a:?} {b:?}");
    }
}

#[test]
fn a_release_leaves_no_jump_in_velocity() {
    let jump = |dt: f64, release: bool| {
        let mut world = assembly(dt);
        world.run_for(0.1);
        let before = world.state.trees[1].v.clone();
        if release {
            world.state.attachments[1].command = Command::Release;
        }
        world.step();
        let held = world.workspace.attachment_wrenches()[1].force.length();
        assert_eq!(held == 0.0, release);
        let after = &world.state.trees[1].v;
        before.iter().zip(after).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()))
    };
    let jumps = [2e-3, 1e-3, 5e-4].map(|dt| jump(dt, true));
    assert!(jumps[0] < 2.0 * jumps[1] * 1.2 && jumps[1] < 2.0 * jumps[2] * 1.2, "{jumps:?}");
    assert!(jumps[1] < 3.0 * jump(1e-3, false) + 0.02, "{jumps:?}");
}

#[test]
fn an_attachment_made_during_the_run_takes_things_as_they_are() {
    let dt = 1e-3;
    let mut world = assembly(dt);
    for attachment in &mut world.model.attachments {
        attachment.begin_time = 0.05;
        attachment.release_time = 0.1;
    }
    world.model.gravity = DVec3::ZERO;
    world.state.trees[1].v.fill(0.0);
    world.run_for(0.05);
    assert!(world.state.attachments.iter().all(|a| a.grip.is_none()));
    let before = world.state.clone();
    world.step();
    assert!(world.state.attachments.iter().all(|a| a.grip.is_some()));
    // All is at rest and nothing pulls.
    let moved = world.state.rods[0].position(25) - before.rods[0].position(25);
    assert!(moved.length() < 1e-12);
    world.run_for(0.05);
    assert!(world.state.attachments.iter().all(|a| a.grip.is_none()));
}

#[test]
fn an_attachment_to_the_world_is_a_clamp() {
    let nodes = clamped_line(20, 0.3);
    let build =
        || RodBuilder::new(nodes.clone(), Section::Circle { radius: 4e-3 }, rubber()).build().unwrap();
    let to_world = attach([on_rod(0, 0.5), End::World { point: None }], AttachmentKind::Clamp);
    let mut attached = world(vec![build()], vec![], vec![to_world], 1e-3);
    let mut clamped = world(vec![build()], vec![], vec![], 1e-3);
    let start = ClampPose::of(Hold::Edge(0), &clamped.model.rods[0], &clamped.state.rods[0]);
    clamped.model.clamps.push(Clamp {
        name: "clamp".into(),
        rod: 0,
        hold: Hold::Edge(0),
        motion: Motion::default(),
        start,
        release_time: f64::INFINITY,
    });
    clamped.refresh();
    for _ in 0..500 {
        attached.step();
        clamped.step();
    }
    let tips = [&attached, &clamped].map(|w| w.state.rods[0].position(21));
    assert!((tips[0] - tips[1]).length() < 1e-4, "{tips:?}");
    let (a, c) = (attached.workspace.attachment_wrenches()[0], clamped.workspace.clamp_wrenches()[0]);
    assert!((a.force - c.force).length() < 1e-2 * c.force.length(), "{a:?} {c:?}");
    assert!((a.torque - c.torque).length() < 1e-2 * c.torque.length(), "{a:?} {c:?}");
}

#[test]
fn two_rods_can_be_joined() {
    // A second rope hangs from the middle of the first, which hangs between two points of the world.
    let first = rope(21, 0.0, 0.4);
    let down: Vec<DVec3> = (0..11).map(|i| DVec3::new(0.203, 0.0, -0.02 * i as f64)).collect();
    let mut second = RodBuilder::new(down, Section::Circle { radius: 3e-3 }, rubber()).build().unwrap();
    second.0.mass_damping = 5.0;
    let mut first = first;
    first.0.mass_damping = 5.0;
    let world_end = End::World { point: None };
    let mut world = world(
        vec![first, second],
        vec![],
        vec![
            attach([on_rod(0, 0.0), world_end], AttachmentKind::Point),
            attach([on_rod(19, 1.0), world_end], AttachmentKind::Point),
            attach([End::Rod { rod: 1, edge: 0, fraction: 0.0 }, on_rod(10, 0.15)], AttachmentKind::Clamp),
        ],
        1e-3,
    );
    world.run_for(6.0);
    let (mass, _) = world.mass_moment();
    let wrenches = world.workspace.attachment_wrenches();
    let carried = wrenches[0].force + wrenches[1].force;
    assert!((carried - DVec3::Z * mass * 9.81).length() < 1e-4 * mass * 9.81, "{carried}");
    let hung = world.model.rods[1].total_mass() * 9.81;
    assert!((wrenches[2].force - DVec3::Z * hung).length() < 1e-4 * hung, "{:?}", wrenches[2]);
}
