//! Loads against closed forms: follower, distributed, drag, spin torque; sections that vary.

mod common;

use common::{World, circle, clamped_line, line, rubber, stiffness};
use core::f64::consts::PI;
use glam::DVec3;
use ropewalk_rod::{RestShape, RodBuilder, Section};
use ropewalk_sim::{Hold, LoadKind, Motion, Scheme, TimeFunction, measure};

/// Tip of an inextensible cantilever of length 1 and EI = 1 under a force `load` at its tip that stays across it:
/// (along, across) from the clamp. From the tip inwards the force is known, so the elastica is an initial value
/// problem: p' = −(cos ψ, sin ψ), ψ' = −(p_tip − p) × F.
fn follower_elastica(load: f64) -> [f64; 2] {
    let slope = |[x, _, angle]: [f64; 3]| [-angle.cos(), -angle.sin(), load * x];
    let steps = 4000;
    let h = 1.0 / f64::from(steps);
    let ahead = |p: [f64; 3], k: [f64; 3], s: f64| [p[0] + s * k[0], p[1] + s * k[1], p[2] + s * k[2]];
    let mut p = [0.0; 3];
    for _ in 0..steps {
        let k1 = slope(p);
        let k2 = slope(ahead(p, k1, 0.5 * h));
        let k3 = slope(ahead(p, k2, 0.5 * h));
        let k4 = slope(ahead(p, k3, h));
        for i in 0..3 {
            p[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
    }
    // From the clamp to the tip, in the axes of the clamped tangent.
    let (s, c) = p[2].sin_cos();
    [-p[0] * c - p[1] * s, p[0] * s - p[1] * c]
}

#[test]
fn a_follower_at_the_tip_gives_the_elastica() {
    // Small loads: the beam formula P L³/3EI.
    assert!((follower_elastica(1e-3)[1] / (1e-3 / 3.0) - 1.0).abs() < 1e-5);
    for load in [1.0, 4.0] {
        let expected = follower_elastica(load);
        let mut errors = Vec::new();
        for segments in [20, 40] {
            let mut builder =
                RodBuilder::new(clamped_line(segments, 1.0), stiffness(1e5, 1.0, 1.0, 1.0, 1e-3), rubber());
            builder.director = Some(DVec3::Y);
            builder.mass_damping = 8.0;
            let mut world = World::new(&builder).with(1e-2, Scheme::BACKWARD_EULER, 1e-10);
            world.clamp(Hold::Edge(0), Motion::default());
            world.load(LoadKind::FollowerPoint {
                node: segments + 1,
                edge: segments,
                force: DVec3::X * load,
            });
            world.settle(1e-9, 4000);
            let tip = world.tip();
            assert!(tip.z.abs() < 1e-9);
            errors.push((tip.x - expected[0]).hypot(tip.y - expected[1]));
        }
        assert!(errors[1] < 1e-3, "{load}: {errors:?}");
        assert!((errors[0] / errors[1]).log2() > 1.7, "{load}: {errors:?}");
    }
}

#[test]
fn a_follower_pushes_in_the_direction_at_the_end_of_the_step() {
    // A soft cantilever that its follower swings round in few long steps, solved coarsely: momentum changes by the
    // reaction and the force turned with the edge as it is at the end.
    let builder = RodBuilder::new(clamped_line(12, 0.2), stiffness(1e3, 1e-3, 1e-3, 0.05, 1e-6), rubber());
    let (dt, force) = (3e-2, DVec3::new(0.1, 0.05, 0.0));
    let mut world = World::new(&builder).with(dt, Scheme::BACKWARD_EULER, 1e-3);
    world.clamp(Hold::Edge(0), Motion::default());
    world.load(LoadKind::FollowerPoint { node: 13, edge: 12, force });
    for _ in 0..30 {
        let before = measure::linear_momentum(&world.model, &world.state, 0);
        if world.step().substeps > 1 {
            continue;
        }
        let after = measure::linear_momentum(&world.model, &world.state, 0);
        let [m1, m2, t] = world.state.rods[0].material_frame(&world.model.rods[0], 12);
        let follower = m1 * force.x + m2 * force.y + t * force.z;
        let reaction = world.workspace.clamp_wrenches()[0].force;
        let error = ((after - before) / dt - reaction - follower).length() / force.length();
        assert!(error < 5e-3, "{error:e} at {} s", world.state.time);
    }
}

#[test]
fn pressure_in_a_ring_is_hoop_tension() {
    let (n, radius, pressure) = (16, 0.1, 2.0);
    let mut builder = RodBuilder::new(circle(n, radius), Section::Circle { radius: 0.005 }, rubber());
    builder.closed = true;
    builder.rest = RestShape::AsGiven;
    builder.director = Some(builder.nodes[0] + builder.nodes[1]);
    builder.mass_damping = 100.0;
    let mut world = World::new(&builder).with(1e-2, Scheme::BACKWARD_EULER, 1e-11);
    world.load(LoadKind::FollowerDistributed { edges: [0, n - 1], force: DVec3::X * pressure });
    world.settle(1e-11, 4000);
    // At a node: two halves of edges, π/n to either side of outwards, against two tensions: the same angles.
    let rest = world.model.rods[0].rest_lengths()[0];
    let half_angle = PI / n as f64;
    let expected = pressure * rest * half_angle.cos() / (2.0 * half_angle.sin());
    for tension in measure::tension(&world.model, &world.state, 0) {
        assert!((tension / expected - 1.0).abs() < 1e-7, "{tension} {expected}");
    }
}

#[test]
fn a_distributed_load_is_like_gravity() {
    let run = |gravity: bool| {
        let section = Section::Ellipse { semi_axis_1: 0.006, semi_axis_2: 0.003 };
        let builder = RodBuilder::new(clamped_line(20, 0.2), section, rubber());
        let mut world = World::new(&builder).with(1e-3, Scheme::BACKWARD_EULER, 1e-10);
        world.clamp(Hold::Edge(0), Motion::default());
        let g = DVec3::new(1.0, -3.0, -9.0);
        if gravity {
            world.model.gravity = g;
        } else {
            let force = g * world.model.rods[0].line_densities()[0];
            world.load(LoadKind::Distributed { edges: [0, 20], force });
        }
        world.run(200);
        world.state
    };
    let (a, b) = (run(true), run(false));
    for (x, y) in a.rods[0].q.iter().flatten().zip(b.rods[0].q.iter().flatten()) {
        assert!((x - y).abs() < 1e-10, "{x} {y}");
    }
    assert!(a.rods[0].q[21][2] < -0.01);
}

#[test]
fn drag_sets_the_speed_of_fall() {
    let density = rubber().density * PI * 0.004f64.powi(2);
    let weight = density * 9.81;
    for (along, normal, tangential, quadratic, expected) in [
        (true, 3.0, 1.0, 5.0, weight / 1.0),
        (false, 3.0, 1.0, 0.0, weight / 3.0),
        (false, 0.0, 1.0, 2.0, (weight / 2.0).sqrt()),
        // 2 v² + 3 v = w.
        (false, 3.0, 1.0, 2.0, (-3.0 + (9.0 + 8.0 * weight).sqrt()) / 4.0),
    ] {
        for flow in [DVec3::ZERO, DVec3::new(0.0, 0.0, 0.7)] {
            let nodes = if along {
                (0..9).map(|i| DVec3::Z * 0.02 * f64::from(i)).collect()
            } else {
                line(9, 0.0, 0.16)
            };
            let builder = RodBuilder::new(nodes, Section::Circle { radius: 0.004 }, rubber());
            let mut world = World::new(&builder).with(5e-3, Scheme::BACKWARD_EULER, 1e-12);
            world.model.gravity = DVec3::NEG_Z * 9.81;
            world.load(LoadKind::Drag { normal, tangential, quadratic, flow });
            let mut power = 0.0;
            for _ in 0..400 {
                power = world.step().work / 5e-3;
            }
            for i in 0..9 {
                let speed = flow.z - world.state.rods[0].velocity(i).z;
                assert!(
                    (speed / expected - 1.0).abs() < 1e-9,
                    "{speed} {expected}, along {along}, flow {flow}"
                );
            }
            // At constant speed drag takes what gravity gives.
            let given = -weight * 0.16 * (flow.z - expected);
            assert!((power + given).abs() < 1e-8 * weight * 0.16, "{power} {given}");
        }
    }
}

#[test]
fn a_spin_torque_twists_a_shaft() {
    let (segments, length, torque) = (20, 0.2, 1e-4);
    let mut builder = RodBuilder::new(
        clamped_line(segments, length),
        Section::Rectangle { width: 0.012, height: 0.004 },
        rubber(),
    );
    builder.mass_damping = 200.0;
    let mut world = World::new(&builder).with(1e-2, Scheme::BACKWARD_EULER, 1e-11);
    world.clamp(Hold::Edge(0), Motion::default());
    world.load(LoadKind::SpinTorque { edge: segments, torque });
    world.settle(1e-9, 4000);
    // Saint-Venant's constant of a 3:1 rectangle: 0.263 w h³ (Timoshenko and Goodier).
    let gj = rubber().shear_modulus * 0.263 * 0.012 * 0.004f64.powi(3);
    let between_middles = length * segments as f64 / (segments as f64 + 0.5);
    let angle = world.state.rods[0].q[segments][3];
    assert!((angle * gj / (torque * between_middles) - 1.0).abs() < 2e-3, "{angle}");
    let wrench = world.workspace.clamp_wrenches()[0];
    assert!((wrench.torque.x / torque + 1.0).abs() < 1e-7, "{wrench:?}");
    for m in measure::moments(&world.model, &world.state, 0) {
        assert!((m[2] / torque - 1.0).abs() < 1e-7);
    }
}

#[test]
fn two_sections_bend_and_twist_in_series() {
    let (segments, length) = (40, 1.0);
    let (thick, thin) = (stiffness(1e6, 4.0, 3.0, 1.0, 1e-3), stiffness(1e6, 1.0, 0.5, 1.0, 1e-3));
    let change = 21;
    let mut builder = RodBuilder::new(clamped_line(segments, length), thick, rubber());
    builder.sections = (0..=segments).map(|e| if e < change { thick } else { thin }).collect();
    builder.mass_damping = 8.0;
    let h = length / (segments as f64 + 0.5);
    // The section changes at node `change`; from there to the tip:
    let thin_length = h * (segments + 1 - change) as f64;

    let mut world = World::new(&builder).with(2e-2, Scheme::BACKWARD_EULER, 1e-11);
    world.clamp(Hold::Edge(0), Motion::default());
    let load = 1e-4;
    world.load(LoadKind::Point { node: segments + 1, force: DVec3::Z * load });
    world.settle(1e-11, 4000);
    let expected =
        load * ((length.powi(3) - thin_length.powi(3)) / (3.0 * 4.0) + thin_length.powi(3) / (3.0 * 1.0));
    let error = world.tip().z / expected - 1.0;
    assert!(error.abs() < 1e-3, "{error}");

    let mut world = World::new(&builder).with(2e-2, Scheme::BACKWARD_EULER, 1e-11);
    world.clamp(Hold::Edge(0), Motion::default());
    world.load(LoadKind::SpinTorque { edge: segments, torque: 0.1 });
    world.settle(1e-10, 4000);
    let thick_length = length - thin_length;
    let expected = 0.1 * (thick_length / 3.0 + (thin_length - 0.5 * h) / 0.5);
    let angle = world.state.rods[0].q[segments][3];
    assert!((angle / expected - 1.0).abs() < 1e-7, "{angle} {expected}");
}

#[test]
fn a_load_follows_its_function_of_time() {
    let builder = RodBuilder::new(line(5, 0.0, 0.1), Section::Circle { radius: 0.005 }, rubber());
    let mut world = World::new(&builder).with(1e-3, Scheme::BACKWARD_EULER, 1e-10);
    world.load(LoadKind::Distributed { edges: [0, 3], force: DVec3::Y });
    world.model.loads[0].scale =
        TimeFunction::Sine { amplitude: 0.5, frequency: 3.0, phase: 0.2, offset: 0.1 };
    let mut impulse = 0.0;
    for _ in 0..100 {
        world.step();
        impulse += 1e-3 * 0.1 * world.model.loads[0].scale.value(world.state.time);
        let found = measure::linear_momentum(&world.model, &world.state, 0);
        assert!((found.y - impulse).abs() < 1e-12 && found.x.abs() < 1e-15, "{found} {impulse}");
    }
}
