//! Twist of many turns, and twist that becomes writhe.

mod common;

use common::{Random, World, circle, clamped_line, line, rubber, stiffness};
use core::f64::consts::TAU;
use glam::DVec3;
use ropewalk_rod::{RodBuilder, Section, writhe};
use ropewalk_sim::{Hold, Interpolation, Motion, Scheme, TimeFunction, measure};

#[test]
fn twenty_five_turns_between_two_clamps() {
    // Bending stiffness far above the torque, so that the shaft stays straight. Twist counts between the middles of
    // the clamped edges.
    let (edges, length, twist) = (22, 0.2, 1e-2);
    let section = stiffness(1e3, 1.0, twist, 0.1, 1e-9);
    let builder = RodBuilder::new(line(edges + 1, 0.0, length), section, rubber());
    let mut world = World::new(&builder).with(1e-2, Scheme::BACKWARD_EULER, 1e-9);
    world.clamp(Hold::Edge(0), Motion::default());
    let spin = TimeFunction::Ramp {
        times: [0.0, 5.0],
        values: [0.0, 25.0 * TAU],
        interpolation: Interpolation::Linear,
    };
    world.clamp(Hold::Edge(edges - 1), Motion { axis: DVec3::X, angle: spin, ..Motion::default() });
    let free = length * (edges - 1) as f64 / edges as f64;
    for n in 1..=550 {
        world.step();
        let angle = 25.0 * TAU * (world.state.time / 5.0).min(1.0);
        let rates = measure::twist_rate(&world.model, &world.state, 0);
        for rate in rates {
            assert!((rate * free / angle - 1.0).abs() < 1e-4, "step {n}: {rate} of {}", angle / free);
        }
        let torque = twist * angle / free;
        let [left, right] = [0, 1].map(|c| world.workspace.clamp_wrenches()[c].torque);
        assert!((right.x / torque - 1.0).abs() < 1e-4, "step {n}: {right} of {torque}");
        assert!((left.x / torque + 1.0).abs() < 1e-4, "step {n}: {left} of {torque}");
        assert!(right.y.hypot(right.z) < 1e-6 * torque);
        assert!(world.state.rods[0].beta.iter().all(|b| b.abs() < 1e-9));
    }
    // At rest: exact.
    assert!((measure::total_twist(&world.model, &world.state, 0) - 25.0).abs() < 1e-9);
    let torque = twist * 25.0 * TAU / free;
    assert!((world.workspace.clamp_wrenches()[1].torque.x / torque - 1.0).abs() < 1e-8);
}

#[test]
fn a_clamp_that_tumbles_does_not_twist_its_rod() {
    // A stub held at one end is swung end over end: it follows without twisting, turn after turn.
    let builder = RodBuilder::new(clamped_line(4, 0.05), stiffness(1e3, 1.0, 1.0, 0.01, 1e-6), rubber());
    let mut world = World::new(&builder).with(1e-2, Scheme::BACKWARD_EULER, 1e-9);
    let angle = TimeFunction::Ramp {
        times: [0.0, 4.0],
        values: [0.0, 8.0 * TAU],
        interpolation: Interpolation::Linear,
    };
    let axis = DVec3::new(0.6, 0.0, 0.8);
    world.clamp(Hold::Edge(0), Motion { axis, angle, ..Motion::default() });
    for _ in 0..400 {
        world.step();
        let worst = measure::twist_rate(&world.model, &world.state, 0)
            .into_iter()
            .fold(0.0f64, |m, x| m.max(x.abs()));
        assert!(worst < 0.05, "{worst} rad/m at {} s", world.state.time);
    }
}

/// The edge of a ribbon: points beside the middles of the edges, along m₁, joined by the turning frame at the nodes.
fn ribbon_edge(world: &World, width: f64) -> Vec<DVec3> {
    let (rod, s) = (&world.model.rods[0], &world.state.rods[0]);
    let mut out = Vec::new();
    for e in 0..rod.edge_count() {
        let [m1, m2, _] = s.material_frame(rod, e);
        let next = rod.edge_end(e);
        let (a, b) = (s.position(e), s.position(next));
        // Turn through half of the twist of either node along the edge, so that the ribbon never jumps by half a turn.
        let (before, after) = (s.strain(rod, e).tau, s.strain(rod, next).tau);
        for k in 0..8 {
            let u = (f64::from(k) + 0.5) / 8.0;
            let angle = if u < 0.5 { -before * (0.5 - u) } else { after * (u - 0.5) };
            let (sin, cos) = angle.sin_cos();
            out.push(a.lerp(b, u) + (m1 * cos + m2 * sin) * width);
        }
    }
    out
}

#[test]
fn a_writhing_ring_keeps_its_link() {
    let mut builder = RodBuilder::new(circle(40, 0.1), Section::Circle { radius: 0.002 }, rubber());
    builder.closed = true;
    // 4.3 turns asked for: 4 whole ones link, the rest is strain of the first node that spreads.
    builder.initial_twist = 4.0 * TAU / (40.0 * 0.2 * (core::f64::consts::PI / 40.0).sin());
    builder.mass_damping = 2.0;
    let mut random = Random(3);
    for x in &mut builder.nodes {
        *x += random.vector(1.0) * 1e-4;
    }
    let mut world = World::new(&builder).with(2e-3, Scheme::BACKWARD_EULER, 1e-8);
    let link = measure::link(&world.model, &world.state, 0);
    assert!((link - link.round()).abs() < 1e-9, "{link}");
    assert_eq!(link.round(), 4.0);
    let counted = |world: &World| {
        let center: Vec<DVec3> = measure::positions(&world.state, 0);
        writhe::gauss_integral(&center, true, &ribbon_edge(world, 1e-4), true)
    };
    assert!((counted(&world) - 4.0).abs() < 1e-9, "{}", counted(&world));
    let mut writhe = 0.0f64;
    for _ in 0..3000 {
        world.step();
        writhe = measure::writhe(&world.model, &world.state, 0);
        let now = measure::link(&world.model, &world.state, 0);
        assert!((now - link).abs() < 1e-9, "{now} at {} s", world.state.time);
        // Beyond this the strands would touch.
        if writhe > 0.6 {
            break;
        }
    }
    assert!(writhe > 0.6, "twist above Michell's becomes writhe of its own hand: {writhe}");
    assert!(measure::total_twist(&world.model, &world.state, 0) < 3.45);
    assert!((counted(&world) - 4.0).abs() < 1e-9, "{}", counted(&world));
}
