//! Rayleigh damping: the first bending mode of a cantilever decays at ζω with ζ = α/2ω + βω/2, and stiffness damping, which
//! resists rates of strain, brakes no rotation.

mod common;

use common::{World, clamped_line, line, rubber};
use core::f64::consts::PI;
use glam::DVec3;
use ropewalk_rod::{Material, RodBuilder, Section};
use ropewalk_sim::{Hold, Motion, Scheme};

/// Rate of decay (1/s) and angular frequency of the tip after a push along the first mode.
fn ring(alpha: f64, beta: f64, scheme: Scheme, dt: f64) -> (f64, f64) {
    let mut builder = RodBuilder::new(clamped_line(16, 0.2), Section::Circle { radius: 0.005 }, rubber());
    builder.mass_damping = alpha;
    builder.stiffness_damping = beta;
    let mut world = World::new(&builder).with(dt, scheme, 1e-10);
    world.clamp(Hold::Edge(0), Motion::default());
    for i in 2..18 {
        // First mode of a cantilever (Blevins): cosh kx − cos kx − σ (sinh kx − sin kx).
        let kx = 1.875_104 * world.state.rods[0].position(i).x / 0.2;
        let mode = kx.cosh() - kx.cos() - 0.734_096 * (kx.sinh() - kx.sin());
        world.state.rods[0].v[i][2] = 1e-4 * mode;
    }
    let mut peaks: Vec<[f64; 2]> = Vec::new();
    let (mut two, mut one) = (0.0, 0.0);
    while peaks.len() < 6 {
        world.step();
        let now = world.tip().z;
        if one > two && one >= now {
            // The top of the parabola through three samples.
            let shift = 0.5 * (two - now) / (two - 2.0 * one + now);
            let height = one - 0.25 * (two - now) * shift;
            peaks.push([world.state.time + dt * (shift - 1.0), height]);
        }
        (two, one) = (one, now);
        assert!(world.state.time < 12.0);
    }
    // The first peak still has some of the other modes.
    let span = peaks[5][0] - peaks[1][0];
    ((peaks[1][1] / peaks[5][1]).ln() / span, 4.0 * 2.0 * PI / span)
}

#[test]
fn the_first_mode_decays_as_it_should() {
    let dt = 2e-3;
    let (free, omega) = ring(0.0, 0.0, Scheme::MIDPOINT, dt);
    let expected = 1.875_104f64.powi(2) * (1e6f64 / 1000.0).sqrt() * 0.0025 / 0.2f64.powi(2);
    assert!((omega / expected - 1.0).abs() < 5e-3, "{omega} {expected}");
    assert!(free.abs() < 1e-3, "midpoint does not damp: {free}");
    for (alpha, beta) in [(0.5, 0.0), (0.0, 0.015), (0.3, 0.008)] {
        let zeta = alpha / (2.0 * omega) + beta * omega / 2.0;
        let (rate, damped) = ring(alpha, beta, Scheme::MIDPOINT, dt);
        assert!((rate / (zeta * omega) - 1.0).abs() < 5e-3, "{alpha} {beta}: {rate} {}", zeta * omega);
        let expected = omega * (1.0 - zeta * zeta).sqrt();
        assert!((damped / expected - 1.0).abs() < 2e-3, "{damped} {expected}");
    }
    // Backward Euler adds ω² δt/2 of its own.
    let (alpha, dt) = (0.5, 5e-4);
    let (rate, _) = ring(alpha, 0.0, Scheme::BACKWARD_EULER, dt);
    let expected = 0.5 * alpha + 0.5 * omega * omega * dt;
    assert!((rate / expected - 1.0).abs() < 0.01, "{rate} {expected}");
}

/// Angular momentum about the center of mass, kg·m²/s: nodes and the spin of edges.
fn angular_momentum(world: &World) -> DVec3 {
    let (rod, state) = (&world.model.rods[0], &world.state.rods[0]);
    let mass = |i: usize| rod.masses()[i][0];
    let n = rod.node_count();
    let center = (0..n).map(|i| mass(i) * state.position(i)).sum::<DVec3>() / rod.total_mass();
    let nodes: DVec3 = (0..n).map(|i| (state.position(i) - center).cross(mass(i) * state.velocity(i))).sum();
    let spins: DVec3 =
        (0..rod.edge_count()).map(|e| state.tangent(rod, e) * (rod.masses()[e][3] * state.v[e][3])).sum();
    nodes + spins
}

/// β K with the Hessian of a rod under tension used to brake a rod that turns: to 0.37 of its momentum in a second.
#[test]
fn rotation_is_not_braked_by_stiffness_damping() {
    let soft = Material::from_poisson(1e7, 0.4, 1000.0);
    for (omega, beta, dt) in [(50.0, 1e-4, 1e-3), (50.0, 1e-4, 2.5e-4), (20.0, 1e-3, 1e-3)] {
        let mut builder = RodBuilder::new(line(12, -0.15, 0.3), Section::Circle { radius: 0.004 }, soft);
        builder.stiffness_damping = beta;
        let mut world = World::new(&builder).with(dt, Scheme::MIDPOINT, 1e-10);
        for i in 0..12 {
            let v = (DVec3::Z * omega).cross(world.state.rods[0].position(i));
            world.state.rods[0].v[i][..3].copy_from_slice(&v.to_array());
        }
        let start = angular_momentum(&world);
        world.run((1.0 / dt) as usize);
        let lost = (angular_momentum(&world) - start).length() / start.length();
        assert!(lost < 1e-9, "{omega} rad/s, β {beta} s, {dt} s: {lost}");
    }
}

/// A rope of soft bending in a zigzag whose turns are `fold` (rad) short of a full fold, held at its first node, in 0.3 s:
/// energy at the end, and the greatest on the way, above that at the start (J), and how far its nodes fall (m).
fn unfold(fold: f64, beta: f64, scheme: Scheme) -> [f64; 3] {
    let n = 13;
    let mut nodes = vec![DVec3::ZERO];
    for i in 1..n {
        let along = if i % 2 == 0 { -1.0 } else { 1.0 };
        let (sin, cos) = (0.5 * fold).sin_cos();
        nodes.push(nodes[i - 1] + 0.03 * DVec3::new(along * cos, -sin, 0.0));
    }
    let mut builder = RodBuilder::new(nodes, common::stiffness(1e3, 1e-10, 1e-10, 0.02, 1e-8), rubber());
    builder.stiffness_damping = beta;
    let mut world = World::new(&builder).with(1e-3, scheme, 1e-8);
    world.clamp(Hold::Node(0), Motion::default());
    world.model.gravity = DVec3::NEG_Z * 9.81;
    let energy = |world: &World| ropewalk_sim::measure::energies(&world.model, &world.state).total();
    let (start, mut most) = (energy(&world), f64::NEG_INFINITY);
    for _ in 0..300 {
        world.step();
        most = most.max(energy(&world) - start);
    }
    let fallen = -(0..n).map(|i| world.state.rods[0].position(i).z).sum::<f64>() / n as f64;
    [energy(&world) - start, most, fallen]
}

/// Curvature has a pole where a rod is folded, and with it a dashpot: it would be rigid there, whatever its strength.
#[test]
fn dashpots_do_not_lock_folds() {
    // m g L of the rope.
    let scale = 0.02 * 0.36 * 9.81 * 0.36;
    for scheme in [Scheme::BACKWARD_EULER, Scheme::BDF2] {
        for fold in [0.3, 0.1, 0.06] {
            let [_, _, free] = unfold(fold, 0.0, scheme);
            for beta in [1e-4, 1e-2, 0.1] {
                let [end, most, fallen] = unfold(fold, beta, scheme);
                println!(
                    "{scheme:?}, fold {fold}, beta {beta} s: {end:.2e} J, at most {most:.1e} J, {fallen:.4} of {free:.4} m"
                );
                assert!(end < 0.0 && most < 1e-3 * scale, "{scheme:?}, fold {fold}, beta {beta} s: {most} J");
                assert!(fallen > 0.7 * free, "{scheme:?}, fold {fold}, beta {beta} s: {fallen} of {free} m");
            }
        }
    }
}
