//! A rod that nothing holds: momentum and energy.

mod common;

use common::{Random, World, circle, line, rubber};
use core::f64::consts::PI;
use glam::DVec3;
use ropewalk_rod::{RestShape, RodBuilder, Section};
use ropewalk_sim::{Scheme, measure};

/// A planar arc, straight at rest, that flies and tumbles in its plane.
fn planar(dt: f64, scheme: Scheme) -> World {
    let nodes = (0..21)
        .map(|i| {
            let a = PI * f64::from(i) / 20.0;
            DVec3::new(a.cos(), a.sin(), 0.0) * 0.1
        })
        .collect();
    let builder = RodBuilder::new(nodes, Section::Circle { radius: 0.005 }, rubber());
    let mut world = World::new(&builder).with(dt, scheme, 1e-13);
    let rod_state = &mut world.state.rods[0];
    for i in 0..21 {
        let x = rod_state.position(i);
        let v = DVec3::new(0.4, -0.2, 0.0) + DVec3::Z.cross(x) * 15.0;
        rod_state.v[i][..3].copy_from_slice(&v.to_array());
    }
    world
}

fn momentum_size(world: &World) -> f64 {
    let (rod, s) = (&world.model.rods[0], &world.state.rods[0]);
    (0..rod.node_count()).map(|i| s.velocity(i).length() * rod.masses()[i][0]).sum()
}

#[test]
fn linear_momentum_stays() {
    let mut random = Random(4);
    for scheme in [Scheme::BACKWARD_EULER, Scheme::MIDPOINT, Scheme::SYMPLECTIC_EULER] {
        for closed in [false, true] {
            // Three-dimensional, twisted, of a flat section, and the tolerance of every day.
            let mut nodes = if closed { circle(24, 0.1) } else { line(24, 0.0, 0.5) };
            for x in &mut nodes {
                *x += random.vector(1.0) * 0.003;
            }
            let section = Section::Rectangle { width: 0.01, height: 0.004 };
            let mut builder = RodBuilder::new(nodes, section, rubber());
            builder.closed = closed;
            builder.initial_twist = 10.0;
            let dt = if scheme == Scheme::SYMPLECTIC_EULER { 1e-5 } else { 1e-3 };
            let mut world = World::new(&builder).with(dt, scheme, 1e-6);
            for v in &mut world.state.rods[0].v {
                let x = random.vector(1.0);
                *v = [x.x, x.y + 1.0, x.z, 20.0 * random.signed()];
            }
            let before = measure::linear_momentum(&world.model, &world.state, 0);
            world.run(1000);
            let after = measure::linear_momentum(&world.model, &world.state, 0);
            let error = (after - before).length() / before.length();
            assert!(error < 1e-12, "{scheme:?}, closed {closed}: {error:e}");
        }
    }
}

#[test]
fn midpoint_keeps_the_angular_momentum_of_an_untwisted_rod() {
    let mut world = planar(1e-4, Scheme::MIDPOINT);
    let before = measure::angular_momentum(&world.model, &world.state, 0);
    let size = momentum_size(&world) * 0.1;
    for _ in 0..1000 {
        world.step();
        let now = measure::angular_momentum(&world.model, &world.state, 0);
        let error = (now - before).length() / size;
        assert!(error < 1e-12, "{error:e} at {} s", world.state.time);
    }
    // It has really moved: the arc has turned and straightened.
    assert!(world.state.rods[0].position(0).distance(DVec3::X * 0.1) > 0.05);
}

#[test]
fn backward_euler_loses_angular_momentum_at_first_order() {
    let loss = |dt: f64| {
        let mut world = planar(dt, Scheme::BACKWARD_EULER);
        let before = measure::angular_momentum(&world.model, &world.state, 0).z;
        world.run((0.02 / dt).round() as usize);
        let after = measure::angular_momentum(&world.model, &world.state, 0).z;
        (before - after) / before
    };
    let losses = [4e-5, 2e-5, 1e-5].map(loss);
    assert!(losses[0] > 0.0 && losses[0] < 0.1, "{losses:?}");
    for pair in losses.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((order - 1.0).abs() < 0.1, "{losses:?}");
    }
}

#[test]
fn backward_euler_never_gains_energy() {
    let mut random = Random(6);
    for dt in [1e-4, 1e-3, 1e-2] {
        let mut nodes = circle(30, 0.1);
        for x in &mut nodes {
            *x += random.vector(1.0) * 0.004;
        }
        let mut builder =
            RodBuilder::new(nodes, Section::Ellipse { semi_axis_1: 0.004, semi_axis_2: 0.008 }, rubber());
        builder.closed = true;
        builder.initial_twist = 12.0;
        let mut world = World::new(&builder).with(dt, Scheme::BACKWARD_EULER, 1e-9);
        world.model.gravity = DVec3::new(0.0, 0.0, -9.81);
        for v in &mut world.state.rods[0].v {
            let x = random.vector(1.0);
            *v = [x.x, x.y, x.z, 20.0 * random.signed()];
        }
        let start = measure::energies(&world.model, &world.state).total();
        let mut before = start;
        for _ in 0..300 {
            world.step();
            let now = measure::energies(&world.model, &world.state).total();
            assert!(
                now <= before + 1e-6 * start.abs(),
                "dt {dt}: {before} to {now} at {} s",
                world.state.time
            );
            before = now;
        }
        assert!(before < start);
    }
}

#[test]
fn midpoint_keeps_energy_within_bounds() {
    // ω_max of the lumped chain is 2c/l: c = √(E/ρ) = 31.6 m/s, l = 15.7 mm.
    let dt = 0.9 * 0.0157 / (2.0 * 31.6);
    let mut builder = RodBuilder::new(
        (0..21)
            .map(|i| DVec3::new((0.157 * f64::from(i)).cos(), (0.157 * f64::from(i)).sin(), 0.0) * 0.1)
            .collect(),
        Section::Circle { radius: 0.005 },
        rubber(),
    );
    builder.rest = RestShape::Straight;
    builder.initial_twist = 8.0;
    let mut world = World::new(&builder).with(dt, Scheme::MIDPOINT, 1e-10);
    let mut random = Random(8);
    for v in &mut world.state.rods[0].v {
        let x = random.vector(1.0) * 0.3;
        *v = [x.x, x.y, x.z, 5.0 * random.signed()];
    }
    let start = measure::energies(&world.model, &world.state).total();
    let (mut least, mut most) = (start, start);
    for _ in 0..8000 {
        world.step();
        let now = measure::energies(&world.model, &world.state).total();
        least = least.min(now);
        most = most.max(now);
    }
    assert!(least > 0.98 * start && most < 1.02 * start, "{start}: from {least} to {most}");
}
