//! Random rods in random shapes: every section, open and closed, curved and twisted at rest, far from rest.
// Each test file uses a part of this; a panic here is a failed test.
#![allow(dead_code, clippy::unwrap_used, clippy::panic)]

use core::f64::consts::{PI, TAU};
use glam::{DQuat, DVec3};
use ropewalk_rod::{Material, RestShape, Rod, RodBuilder, RodState, Section, SectionProperties};
pub(crate) use ropewalk_testing::Random;

/// A rod, the state from which its frames start, and the shape (with angles) at which to evaluate it.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) rod: Rod,
    pub(crate) start: RodState,
    pub(crate) q: Vec<[f64; 4]>,
}

/// Sections whose stretching, bending and twisting are of comparable size in edges of 2 to 5 cm, so that none hides
/// behind another.
fn sections(random: &mut Random) -> Vec<(&'static str, Section)> {
    let mut length = || random.between(0.005, 0.02);
    let (a, b, outer) = (length(), length(), length());
    let properties = SectionProperties {
        stretch: 3.0,
        bend: [2e-3, 5e-4],
        twist: 8e-4,
        line_density: 0.1,
        spin_inertia: 1e-5,
    };
    vec![
        ("circle", Section::Circle { radius: a }),
        ("ellipse", Section::Ellipse { semi_axis_1: a, semi_axis_2: b }),
        ("rectangle", Section::Rectangle { width: a, height: b }),
        ("tube", Section::Tube { outer_radius: outer, inner_radius: 0.7 * outer }),
        ("stiffness", Section::Stiffness { properties, radius: 0.01 }),
    ]
}

/// Smallest 1 + t·t' that a random shape may have: turns up to 150°.
const LEAST_CHI: f64 = 0.134;

fn turns_are_fair(nodes: &[DVec3], closed: bool) -> bool {
    let n = nodes.len();
    let edges = if closed { n } else { n - 1 };
    let edge = |e: usize| nodes[(e + 1) % n] - nodes[e];
    let long = (0..edges).all(|e| edge(e).length() > 0.015);
    let first = usize::from(!closed);
    long && (first..edges).all(|j| {
        let (a, b) = (edge((j + edges - 1) % edges).normalize(), edge(j).normalize());
        1.0 + a.dot(b) > LEAST_CHI
    })
}

fn random_shape(random: &mut Random, n: usize, closed: bool) -> Vec<DVec3> {
    loop {
        let mut nodes = Vec::with_capacity(n);
        if closed {
            // A ring, shaken: three nodes must turn by 120° on the mean.
            let radius = 0.035 / (2.0 * (PI / n as f64).sin());
            let shake = if n < 5 { 0.005 } else { 0.012 };
            for i in 0..n {
                let (s, c) = (TAU * i as f64 / n as f64).sin_cos();
                nodes.push(DVec3::new(c, s, 0.0) * radius + random.direction() * random.between(0.0, shake));
            }
        } else {
            let mut x = DVec3::new(random.signed(), random.signed(), random.signed());
            let mut t = random.direction();
            for _ in 0..n {
                nodes.push(x);
                t = loop {
                    let next = random.direction();
                    if 1.0 + next.dot(t) > LEAST_CHI {
                        break next;
                    }
                };
                x += t * random.between(0.02, 0.05);
            }
        }
        if turns_are_fair(&nodes, closed) {
            return nodes;
        }
    }
}

/// `shape`, moved: rotated, and each node shaken by a part of an edge.
fn moved_shape(random: &mut Random, shape: &[DVec3], closed: bool) -> Vec<DVec3> {
    loop {
        let rotation = DQuat::from_axis_angle(random.direction(), random.between(0.0, 0.8));
        let nodes: Vec<DVec3> =
            shape.iter().map(|&x| rotation * x + random.direction() * random.between(0.0, 0.008)).collect();
        let n = nodes.len();
        let edges = if closed { n } else { n - 1 };
        let carried = (0..edges).all(|e| {
            let (a, b) = (shape[(e + 1) % n] - shape[e], nodes[(e + 1) % n] - nodes[e]);
            1.0 + a.normalize().dot(b.normalize()) > LEAST_CHI
        });
        if carried && turns_are_fair(&nodes, closed) {
            return nodes;
        }
    }
}

/// `count` cases for each of the five sections, of 3 to 20 nodes.
pub(crate) fn cases(seed: u64, count: usize) -> Vec<Case> {
    let mut random = Random(seed);
    let mut out = Vec::new();
    for round in 0..count {
        for (name, section) in sections(&mut random) {
            let closed = (round + out.len()) % 2 == 0;
            let n = if round < 3 { 3 + round } else { 3 + random.below(18) };
            let shape = random_shape(&mut random, n, closed);
            let material = Material::from_poisson(1e4, random.between(0.1, 0.5), 1000.0);
            let mut builder = RodBuilder::new(shape.clone(), section, material);
            builder.closed = closed;
            builder.director = Some(random.direction());
            builder.initial_twist = random.between(-60.0, 60.0);
            let stencils = if closed { n } else { n - 2 };
            let mut array = |size: f64| (0..stencils).map(|_| size * random.signed()).collect::<Vec<f64>>();
            builder.rest = match round % 3 {
                0 => RestShape::Straight,
                1 => RestShape::AsGiven,
                _ => RestShape::Natural {
                    curvature1: array(40.0),
                    curvature2: array(40.0),
                    twist: array(60.0),
                },
            };
            let edges = if closed { n } else { n - 1 };
            builder.rest_lengths = Some((0..edges).map(|_| random.between(0.02, 0.05)).collect());
            let (rod, mut start) = builder.build().unwrap();
            // Whole turns in the reference twist, and an angle of several turns at every edge.
            for j in rod.stencils() {
                start.beta[j] += TAU * (random.signed() * 3.0).round();
            }
            let q = moved_shape(&mut random, &shape, closed)
                .iter()
                .enumerate()
                .map(|(i, x)| [x.x, x.y, x.z, start.q[i][3] + 20.0 * random.signed()])
                .collect();
            let kind = if closed { "closed" } else { "open" };
            out.push(Case { name: format!("{kind} {name} of {n} nodes, round {round}"), rod, start, q });
        }
    }
    out
}

/// Greatest magnitude in `numbers`.
pub(crate) fn greatest<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> f64 {
    numbers.into_iter().fold(0.0, |m, x| m.max(x.abs()))
}
