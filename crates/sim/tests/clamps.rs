//! Clamps: what they hold, what they feel, what they do.

mod common;

use common::{World, clamped_line, line, rubber};
use core::f64::consts::PI;
use glam::DVec3;
use ropewalk_rod::{RestShape, RodBuilder, Section};
use ropewalk_sim::{Hold, Interpolation, Motion, Scheme, TimeFunction, measure};

const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);

/// A quarter of a circle in the horizontal plane, natural as given: it bends and twists under its weight.
fn bow() -> RodBuilder {
    let nodes = (0..25)
        .map(|i| {
            let a = PI / 48.0 * (f64::from(i) - 0.5);
            DVec3::new(a.sin(), 1.0 - a.cos(), 0.0) * 0.1
        })
        .collect();
    let mut builder = RodBuilder::new(nodes, Section::Rectangle { width: 0.004, height: 0.006 }, rubber());
    builder.rest = RestShape::AsGiven;
    builder.mass_damping = 10.0;
    builder
}

#[test]
fn a_clamp_carries_weight_and_moment() {
    for builder in [bow(), {
        let mut b = RodBuilder::new(clamped_line(20, 0.2), Section::Circle { radius: 0.005 }, rubber());
        b.mass_damping = 10.0;
        b
    }] {
        let mut world = World::new(&builder).with(2e-2, Scheme::BACKWARD_EULER, 1e-11);
        world.model.gravity = GRAVITY;
        world.clamp(Hold::Edge(0), Motion::default());
        world.settle(1e-10, 3000);
        let (rod, s) = (&world.model.rods[0], &world.state.rods[0]);
        let held = 0.5 * (s.position(0) + s.position(1));
        let (mut weight, mut moment) = (DVec3::ZERO, DVec3::ZERO);
        for i in 0..rod.node_count() {
            let force = GRAVITY * rod.masses()[i][0];
            weight += force;
            moment += (s.position(i) - held).cross(force);
        }
        let wrench = world.workspace.clamp_wrenches()[0];
        assert!((wrench.force + weight).length() < 1e-8 * weight.length(), "{wrench:?} {weight}");
        assert!((wrench.torque + moment).length() < 1e-7 * moment.length(), "{wrench:?} {moment}");
        assert!(moment.length() > 1e-3 * weight.length());
    }
}

#[test]
fn a_clamp_along_the_rod_holds_both_sides() {
    let mut builder = RodBuilder::new(line(22, 0.0, 0.21), Section::Circle { radius: 0.005 }, rubber());
    builder.mass_damping = 10.0;
    let mut world = World::new(&builder).with(2e-2, Scheme::BACKWARD_EULER, 1e-11);
    world.model.gravity = GRAVITY;
    world.clamp(Hold::Edge(10), Motion::default());
    world.settle(1e-10, 3000);
    let s = &world.state.rods[0];
    for i in 0..11 {
        let (left, right) = (s.position(i), s.position(21 - i));
        assert!(
            (left.z - right.z).abs() < 1e-9 && (left.x + right.x - 0.21).abs() < 1e-9,
            "{i}: {left} {right}"
        );
    }
    let wrench = world.workspace.clamp_wrenches()[0];
    let weight = world.model.rods[0].total_mass() * 9.81;
    assert!((wrench.force.z / weight - 1.0).abs() < 1e-8 && wrench.torque.length() < 1e-8 * weight);
}

#[test]
fn momentum_changes_by_weight_and_reactions() {
    // Node driven, far end clamped with free spin: every step balances exactly.
    for scheme in [Scheme::BACKWARD_EULER, Scheme::MIDPOINT] {
        let builder = RodBuilder::new(line(30, 0.0, 0.3), Section::Circle { radius: 0.003 }, rubber());
        let dt = 1e-3;
        let mut world = World::new(&builder).with(dt, scheme, 1e-11);
        world.model.gravity = GRAVITY;
        let sine =
            |amplitude, frequency| TimeFunction::Sine { amplitude, frequency, phase: 0.0, offset: 0.0 };
        let translation = [sine(0.01, 2.0), sine(-0.02, 3.0), sine(0.015, 5.0)];
        world.clamp(Hold::Node(29), Motion { translation: translation.clone(), ..Motion::default() });
        world.clamp(Hold::EdgeFreeSpin(0), Motion::default());
        let start = world.tip();
        let weight = GRAVITY * world.model.rods[0].total_mass();
        for _ in 0..300 {
            let before = measure::linear_momentum(&world.model, &world.state, 0);
            world.step();
            let after = measure::linear_momentum(&world.model, &world.state, 0);
            let reactions: DVec3 = world.workspace.clamp_wrenches().iter().map(|w| w.force).sum();
            let scale: f64 = world.workspace.clamp_wrenches().iter().map(|w| w.force.length()).sum();
            let error = ((after - before) / dt - weight - reactions).length();
            assert!(error < 1e-8 * scale, "{scheme:?}: {error:e} of {scale} at {} s", world.state.time);
            let t = world.state.time;
            let target =
                start + DVec3::new(translation[0].value(t), translation[1].value(t), translation[2].value(t));
            assert!((world.tip() - target).length() < 1e-12, "the node is where it was sent");
        }
    }
}

/// Energy gained by a rod whose clamp moves and turns for 0.2 s, and the work reported.
fn driven(dt: f64, scheme: Scheme) -> (f64, f64) {
    let builder =
        RodBuilder::new(clamped_line(20, 0.2), Section::Rectangle { width: 0.01, height: 0.005 }, rubber());
    let mut world = World::new(&builder).with(dt, scheme, 1e-11);
    world.model.gravity = GRAVITY;
    let smooth = |end: f64| TimeFunction::Ramp {
        times: [0.0, 0.2],
        values: [0.0, end],
        interpolation: Interpolation::Smooth,
    };
    world.clamp(
        Hold::Edge(0),
        Motion {
            translation: [smooth(0.05), smooth(-0.03), smooth(0.08)],
            axis: DVec3::new(0.6, 0.0, 0.8),
            angle: smooth(1.0),
        },
    );
    let start = measure::energies(&world.model, &world.state).total();
    let mut work = 0.0;
    for _ in 0..(0.2 / dt).round() as usize {
        work += world.step().work;
    }
    (measure::energies(&world.model, &world.state).total() - start, work)
}

#[test]
fn the_work_of_a_clamp_is_the_energy_it_gives() {
    let (gain, work) = driven(2e-4, Scheme::MIDPOINT);
    assert!(gain > 1e-3 && (work / gain - 1.0).abs() < 1e-4, "{gain} {work}");
    // Backward Euler loses some, at first order.
    let lost = [4e-4, 2e-4, 1e-4].map(|dt| {
        let (gain, work) = driven(dt, Scheme::BACKWARD_EULER);
        (work - gain) / gain
    });
    assert!(lost.iter().all(|&l| l > 0.0), "{lost:?}");
    let order = (lost[1] / lost[2]).log2();
    assert!((order - 1.0).abs() < 0.25, "{lost:?}");
}

#[test]
fn a_released_rod_falls() {
    let builder = RodBuilder::new(clamped_line(15, 0.2), Section::Circle { radius: 0.005 }, rubber());
    let mut world = World::new(&builder).with(1e-3, Scheme::BACKWARD_EULER, 1e-9);
    world.model.gravity = GRAVITY;
    world.clamp(Hold::Edge(0), Motion::default());
    world.model.clamps[0].release_time = 0.0505;
    let mass = world.model.rods[0].total_mass();
    world.run(50);
    assert!(world.workspace.clamp_wrenches()[0].force.z > 0.1 * mass * 9.81);
    assert!(world.state.rods[0].v[0][..3].iter().all(|&v| v == 0.0));
    let held = measure::linear_momentum(&world.model, &world.state, 0);
    for n in 1..=100 {
        world.step();
        let expected = held + GRAVITY * (mass * 1e-3 * f64::from(n));
        let found = measure::linear_momentum(&world.model, &world.state, 0);
        assert!((found - expected).length() < 1e-9 * expected.length(), "{found} {expected}");
        let wrench = world.workspace.clamp_wrenches()[0];
        assert_eq!((wrench.force, wrench.torque), (DVec3::ZERO, DVec3::ZERO));
    }
    assert!(world.state.rods[0].position(0).z < -0.01);
}
