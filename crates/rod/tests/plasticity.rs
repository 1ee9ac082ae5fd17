//! Bending beyond the yield stress, and stretch by a table: derivatives, closed forms, work.
#![allow(clippy::unwrap_used, reason = "tests")]

use core::f64::consts::PI;
use glam::DVec3;
use ropewalk_linalg::block_pentadiagonal::BlockPenta;
use ropewalk_rod::kernel::{RodKernel, Scales};
use ropewalk_rod::{Material, Rod, RodBuilder, RodState, Section};
use ropewalk_testing::Random;

const STRESS: f64 = 250e6;
const YOUNG: f64 = 200e9;

fn steel() -> Material {
    Material { yield_stress: Some(STRESS), ..Material::from_poisson(YOUNG, 0.29, 7850.0) }
}

/// Two edges of 1 cm in line along x; m₁ along y.
fn hinge(section: Section, material: Material) -> (Rod, RodState) {
    let nodes = (0..3).map(|i| DVec3::X * (0.01 * f64::from(i))).collect();
    RodBuilder { director: Some(DVec3::Y), ..RodBuilder::new(nodes, section, material) }.build().unwrap()
}

/// Bends the hinge to the curvature `kappa` (1/m) towards `toward`, and lets it flow.
fn bend(rod: &Rod, state: &mut RodState, kappa: f64, toward: DVec3) {
    // κ = 2 tan(φ/2) over a cell of 1 cm.
    let angle = 2.0 * (0.5 * kappa * 0.01).atan();
    let tip = DVec3::X * (0.01 * (1.0 + angle.cos())) + toward * (0.01 * angle.sin());
    let nodes = [DVec3::ZERO, DVec3::X * 0.01, tip];
    state.carry_to(rod, &nodes).unwrap();
    state.flow(rod);
}

/// M/M_y of a section at κ/κ_y = x, from textbooks (elastic, perfectly plastic).
type Curve = fn(f64) -> f64;

fn sections() -> [(&'static str, Section, f64, Curve); 3] {
    let (r, w, h) = (0.5e-3, 0.4e-3, 2e-3);
    let disc: Curve = |x| {
        let eta = 1.0 / x;
        2.0 / (3.0 * PI) * ((5.0 - 2.0 * eta * eta) * (1.0 - eta * eta).sqrt() + 3.0 * x * eta.asin())
    };
    let rectangle: Curve = |x| 1.5 - 0.5 / (x * x);
    // Half a circle outside less half a circle inside, by summing fibers.
    let tube: Curve = |x| {
        let (n, hole) = (20000, 0.8f64);
        let fibers = (0..n).map(|i| (f64::from(i) + 0.5) / f64::from(n));
        let width = |y: f64| (1.0 - y * y).sqrt() - (hole * hole - y * y).max(0.0).sqrt();
        let (full, first) = fibers.fold((0.0, 0.0), |(full, first), y| {
            (full + width(y) * y * (x * y).min(1.0), first + width(y) * y * y)
        });
        full / first
    };
    [
        ("disc", Section::Circle { radius: r }, r, disc),
        ("rectangle", Section::Rectangle { width: w, height: h }, 0.5 * w, rectangle),
        ("tube", Section::Tube { outer_radius: r, inner_radius: 0.8 * r }, r, tube),
    ]
}

#[test]
fn moment_and_springback_are_those_of_an_elastic_plastic_bend() {
    for (name, section, height, curve) in sections() {
        let (rod, start) = hinge(section, steel());
        let bending = rod.bend_stiffness(0)[1] * 0.01;
        let first = STRESS / (YOUNG * height);
        for x in [1.6, 2.0, 3.0, 5.0, 10.0, 30.0] {
            let mut state = start.clone();
            let kappa = x * first;
            bend(&rod, &mut state, kappa, DVec3::Y);
            let moment = state.bend_moments(&rod, 1)[0];
            let expected = bending * first * curve(x);
            assert!((moment / expected - 1.0).abs() < 5e-3, "{name} {x}: {moment} {expected}");
            // Unloading: elastic, down to zero moment.
            let left = state.plastic_curvature(&rod, 1)[0];
            bend(&rod, &mut state, left, DVec3::Y);
            assert!(state.bend_moments(&rod, 1)[0].abs() < 1e-3 * expected, "{name} {x}");
            let expected = kappa - expected / bending;
            assert!((left / expected - 1.0).abs() < 0.02, "{name} {x}: {left} {expected}");
        }
        // Below first yield no curvature remains.
        let mut state = start.clone();
        bend(&rod, &mut state, 0.99 * first, DVec3::Y);
        assert_eq!(state.plastic.work, 0.0);
    }
}

#[test]
fn all_directions_of_a_wire_are_alike() {
    let (rod, start) = hinge(Section::Circle { radius: 0.5e-3 }, steel());
    let mut moments = [DVec3::Y, DVec3::Z, DVec3::new(0.0, 0.6, -0.8)].map(|toward| {
        let mut state = start.clone();
        bend(&rod, &mut state, 8.0, toward);
        let [a, b] = state.bend_moments(&rod, 1);
        a.hypot(b)
    });
    moments.sort_by(f64::total_cmp);
    assert!(moments[2] / moments[0] - 1.0 < 1e-9, "{moments:?}");
}

#[test]
fn a_cycle_costs_the_area_of_its_loop() {
    let hard = Material { hardening_modulus: 5e9, ..steel() };
    for material in [steel(), hard] {
        let (rod, mut state) = hinge(Section::Circle { radius: 0.5e-3 }, material);
        let (mut area, mut before) = (0.0, [0.0; 2]);
        let mut spent = 0.0;
        for i in 0..=12000 {
            let t = f64::from(i) / 4000.0;
            if i == 4000 {
                // From here on cycles close.
                (area, spent) = (0.0, state.plastic.work);
            }
            let kappa = 12.0 * (2.0 * PI * t + 0.5 * PI).sin();
            bend(&rod, &mut state, kappa, DVec3::Y);
            let now = [kappa, state.bend_moments(&rod, 1)[0]];
            area += 0.5 * (now[1] + before[1]) * (now[0] - before[0]) * 0.01;
            before = now;
        }
        let work = state.plastic.work - spent;
        assert!(work > 0.0 && (area / work - 1.0).abs() < 5e-3, "{area} {work}");
    }
}

#[test]
fn a_yield_moment_is_a_plateau() {
    let nodes = (0..3).map(|i| DVec3::X * (0.01 * f64::from(i))).collect();
    let builder = RodBuilder {
        director: Some(DVec3::Y),
        yield_moment: Some(2e-3),
        ..RodBuilder::new(
            nodes,
            Section::Circle { radius: 0.5e-3 },
            Material::from_poisson(YOUNG, 0.3, 7850.0),
        )
    };
    let (rod, mut state) = builder.build().unwrap();
    bend(&rod, &mut state, 10.0, DVec3::Y);
    assert!((state.bend_moments(&rod, 1)[0] - 2e-3).abs() < 1e-12);
    bend(&rod, &mut state, 0.0, DVec3::Y);
    assert!((state.bend_moments(&rod, 1)[0] + 2e-3).abs() < 1e-12);
}

#[test]
fn bend_factor_scales_both_stiffnesses_and_nothing_else() {
    let nodes: Vec<_> = (0..4).map(|i| DVec3::X * (0.01 * f64::from(i))).collect();
    let plain = RodBuilder::new(nodes, Section::Rectangle { width: 1e-3, height: 2e-3 }, steel());
    let (a, _) = plain.build().unwrap();
    let (b, _) = RodBuilder { bend_factor: 0.02, ..plain }.build().unwrap();
    for k in 0..2 {
        assert!((b.bend_stiffness(k)[1] / a.bend_stiffness(k)[1] - 0.02).abs() < 1e-15);
    }
    assert_eq!((a.twist_stiffness(), a.stretch_stiffness()), (b.twist_stiffness(), b.stretch_stiffness()));
    assert!(
        RodBuilder {
            bend_factor: 0.0,
            ..RodBuilder::new(vec![DVec3::ZERO, DVec3::X], Section::Circle { radius: 1.0 }, steel())
        }
        .build()
        .is_err()
    );
}

/// A bent and stretched rod whose nodes have yielded in all directions.
fn yielded(random: &mut Random, closed: bool) -> (Rod, RodState) {
    let n = 13;
    let nodes: Vec<DVec3> = (0..n)
        .map(|i| {
            let (s, c) = (2.0 * PI * i as f64 / n as f64).sin_cos();
            let ring = DVec3::new(c, s, 0.3 * s * c) * 0.08;
            ring + random.direction() * random.between(0.0, 0.01)
        })
        .collect();
    let material = Material {
        yield_stress: Some(2e4),
        hardening_modulus: 1e5,
        ..Material::from_poisson(1e6, 0.4, 1000.0)
    };
    let builder = RodBuilder {
        closed,
        stretch_table: Some(vec![[0.0, 0.0], [0.01, 0.4], [0.1, 1.0], [0.3, 9.0]]),
        rest_lengths: Some(vec![0.035; if closed { n } else { n - 1 }]),
        ..RodBuilder::new(nodes, Section::Rectangle { width: 4e-3, height: 9e-3 }, material)
    };
    let (rod, mut state) = builder.build().unwrap();
    for p in &mut state.plastic.curvature {
        *p = [0.3 * random.signed(), 0.3 * random.signed()];
    }
    (rod, state)
}

#[test]
fn gradient_and_hessian_are_those_of_the_incremental_potential() {
    let mut random = Random(5);
    for round in 0..8 {
        let (rod, state) = yielded(&mut random, round % 2 == 0);
        let n = rod.node_count();
        let mut kernel = RodKernel::new(&rod);
        kernel.start_from(&rod, &state);
        let scales = Scales { gradient: 1.0, hessian: 1.0 };
        let mut matrix = BlockPenta::zero(n, rod.closed());
        kernel.evaluate(&rod, &state.natural, &state.q, scales, Some(&mut matrix));
        let gradient = kernel.gradient.clone();
        let dense = matrix.to_dense();
        for _ in 0..6 {
            let way: Vec<[f64; 4]> = (0..n)
                .map(|i| {
                    let d = random.direction() * 0.03;
                    let last = !rod.closed() && i + 1 == n;
                    [d.x, d.y, d.z, if last { 0.0 } else { random.signed() }]
                })
                .collect();
            let mut energy = |h: f64| {
                let mut q = state.q.clone();
                for (q, d) in q.iter_mut().zip(&way) {
                    for k in 0..4 {
                        q[k] += h * d[k];
                    }
                }
                kernel.evaluate(&rod, &state.natural, &q, scales, None).energies.total()
            };
            let h = 2e-5;
            let (up, down, here) = (energy(h), energy(-h), energy(0.0));
            let slope = (up - down) / (2.0 * h);
            let expected: f64 =
                gradient.iter().zip(&way).flat_map(|(g, d)| (0..4).map(|k| g[k] * d[k])).sum();
            assert!((slope - expected).abs() < 1e-6 * (slope.abs() + here), "{round}: {slope} {expected}");
            let h = 1e-4;
            let (up, down) = (energy(h), energy(-h));
            let curvature = (up + down - 2.0 * here) / (h * h);
            let flat: Vec<f64> = way.iter().flatten().copied().collect();
            let expected: f64 = dense
                .iter()
                .zip(&flat)
                .map(|(row, d)| d * row.iter().zip(&flat).map(|(a, b)| a * b).sum::<f64>())
                .sum();
            assert!(
                (curvature - expected).abs() < 2e-3 * (expected.abs() + here),
                "{round}: {curvature} {expected}"
            );
        }
    }
}
