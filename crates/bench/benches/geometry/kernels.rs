//! Timings of distances, contacts, bounding-volume hierarchies and sweeps, one thread.
//!
//! Each pair of kinds is measured over the same thousand random poses, half of them overlapping.

use glam::DVec3;
use ropewalk_geometry::bvh::Bvh;
use ropewalk_geometry::collider::Collider;
use ropewalk_geometry::edge::{Edge, edge_edge, edge_half_space, edge_sphere};
use ropewalk_geometry::edge_shape::{edge_box, edge_capsule, edge_cylinder, edge_triangle};
use ropewalk_geometry::manifold::{ManifoldPoints, manifold};
use ropewalk_geometry::shape::Shape;
use ropewalk_geometry::sweep::{MovingSegment, sweep_segments};
use ropewalk_geometry::{Aabb, distance};
use ropewalk_linalg::Pose;
use ropewalk_testing::Random;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// One timing.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Name of the measurement.
    pub name: String,
    /// Nanoseconds per item (pair, leaf, …, by the name).
    pub nanoseconds: f64,
}

fn pose(random: &mut Random, size: f64) -> Pose {
    Pose::new(random.vector(size), random.rotation())
}

/// Least time of `work` in nanoseconds over about 30 ms, divided by `items`.
fn least(items: usize, mut work: impl FnMut()) -> f64 {
    let (start, mut best) = (Instant::now(), f64::INFINITY);
    while start.elapsed() < Duration::from_millis(30) {
        let begin = Instant::now();
        work();
        best = best.min(begin.elapsed().as_secs_f64() * 1e9);
    }
    best / items as f64
}

const CASES: usize = 1000;

/// All timings.
pub(crate) fn measure() -> Vec<Row> {
    let mut rows = Vec::new();
    let mut add = |name: &str, nanoseconds: f64| rows.push(Row { name: name.to_owned(), nanoseconds });
    edges(&mut add);
    distances(&mut add);
    trees(&mut add);
    rows
}

fn edges(add: &mut impl FnMut(&str, f64)) {
    let mut random = Random(7);
    let mut list = |size: f64| -> Vec<Edge> {
        let edge = |random: &mut Random| {
            let a = random.vector(size);
            Edge { a, b: a + random.vector(0.01), radius: 0.005 }
        };
        (0..CASES).map(|_| edge(&mut random)).collect()
    };
    let (first, second) = (list(0.01), list(0.01));
    let nearly: Vec<Edge> = first
        .iter()
        .map(|e| Edge { a: e.a + DVec3::splat(0.004), b: e.b + DVec3::splat(0.0045), ..*e })
        .collect();
    let pairs = |others: &[Edge]| {
        least(CASES, || {
            first.iter().zip(others).for_each(|(e, f)| {
                black_box(&edge_edge(black_box(e), f, 1.0));
            });
        })
    };
    add("edge-edge", pairs(&second));
    add("edge-edge, nearly parallel", pairs(&nearly));
    let poses: Vec<Pose> = (0..CASES).map(|_| pose(&mut random, 0.01)).collect();
    let mut against = |name: &str, contact: &dyn Fn(&Edge, &Pose)| {
        add(name, least(CASES, || first.iter().zip(&poses).for_each(|(e, p)| contact(black_box(e), p))));
    };
    against("edge-sphere", &|e, p| {
        black_box(&edge_sphere(e, p.position, 0.01, 1.0));
    });
    against("edge-half-space", &|e, p| {
        black_box(&edge_half_space(e, p.position, DVec3::Z, 1.0));
    });
    against("edge-capsule", &|e, p| {
        black_box(&edge_capsule(e, 0.002, 0.02, p, 1.0));
    });
    let away = |p: &Pose| Pose::new(p.position + DVec3::new(0.02, 0.0, 0.0), p.rotation);
    against("edge-box", &|e, p| {
        black_box(&edge_box(e, DVec3::splat(0.01), &away(p), 1.0));
    });
    against("edge-cylinder", &|e, p| {
        black_box(&edge_cylinder(e, 0.005, 0.02, &away(p), 1.0));
    });
    against("edge-triangle", &|e, p| {
        let corner = |v: DVec3| p.position + v;
        black_box(&edge_triangle(
            e,
            [corner(DVec3::ZERO), corner(0.02 * DVec3::X), corner(0.02 * DVec3::Y)],
            1.0,
        ));
    });
    let moving = |e: &Edge, d: DVec3| MovingSegment { start: [e.a, e.b], end: [e.a + d, e.b + 0.5 * d] };
    let swept: Vec<_> = first
        .iter()
        .zip(&second)
        .map(|(e, f)| (moving(e, DVec3::splat(1e-4)), moving(f, DVec3::new(-1e-4, 0.0, 1e-4))))
        .collect();
    let time = least(CASES, || {
        swept.iter().for_each(|(a, b)| {
            black_box(sweep_segments(black_box(a), b, 1e-6));
        });
    });
    add("sweep of two edges, 0.1 mm in a step", time);
}

fn distances(add: &mut impl FnMut(&str, f64)) {
    let mut random = Random(11);
    let vertices = (0..40).map(|_| random.vector(1.0).normalize_or_zero() * 0.1).collect();
    let hull =
        Shape::Convex(std::sync::Arc::new(ropewalk_geometry::TriangleMesh { vertices, triangles: vec![] }));
    let shapes = [
        Shape::Sphere { radius: 0.1 },
        Shape::Capsule { radius: 0.05, length: 0.2 },
        Shape::Box { size: DVec3::new(0.1, 0.2, 0.3) },
        Shape::Cylinder { radius: 0.1, length: 0.2 },
        hull,
        Shape::HalfSpace,
    ];
    let solids: Vec<Collider> = shapes.iter().filter_map(|s| Collider::new(s).ok()).collect();
    let poses: Vec<(Pose, Pose)> =
        (0..CASES).map(|_| (pose(&mut random, 0.13), pose(&mut random, 0.13))).collect();
    let mut points = ManifoldPoints::default();
    for (i, a) in solids.iter().enumerate() {
        for b in solids[i..].iter().filter(|b| (a.kind(), b.kind()) != ("half_space", "half_space")) {
            // Apart and overlapping are different methods: each has its own row.
            for (word, keep) in [("apart", true), ("overlapping", false)] {
                let chosen: Vec<_> = poses
                    .iter()
                    .filter(|(p, q)| distance(a, p, b, q).is_ok_and(|s| (s.distance > 0.0) == keep))
                    .collect();
                if chosen.is_empty() {
                    continue;
                }
                let time = least(chosen.len(), || {
                    chosen.iter().for_each(|(p, q)| {
                        black_box(distance(a, black_box(p), b, q)).ok();
                    });
                });
                add(&format!("distance {}-{}, {word}", a.kind(), b.kind()), time);
            }
        }
    }
    let cube = &solids[2];
    let time = least(CASES, || {
        poses.iter().for_each(|(p, q)| {
            black_box(manifold(cube, black_box(p), cube, q, 0.01, &mut points)).ok();
        });
    });
    add("manifold box-box", time);
}

/// 100 rings of 20 edges, linked in a chain, and a coil of 300 edges that winds round itself.
fn trees(add: &mut impl FnMut(&str, f64)) {
    let ring = |k: usize| -> Vec<Aabb> {
        let node = |i: usize| {
            let angle = std::f64::consts::TAU * i as f64 / 20.0;
            let flat = DVec3::new(0.01 * angle.cos(), 0.0, 0.01 * angle.sin());
            let turned = if k.is_multiple_of(2) { flat } else { DVec3::new(flat.y, flat.x, flat.z) };
            turned - DVec3::new(0.0, 0.0, 0.0172 * k as f64)
        };
        (0..20).map(|i| Aabb::of_segment(node(i), node(i + 1), 0.00125 + 1e-4)).collect()
    };
    let boxes: Vec<Vec<Aabb>> = (0..100).map(ring).collect();
    let mut each: Vec<Bvh> = boxes.iter().map(|b| Bvh::ordered(b)).collect();
    let outer: Vec<Aabb> = each.iter().map(Bvh::bounds).collect();
    let mut over = Bvh::ordered(&outer);
    let refit = least(2000, || each.iter_mut().zip(&boxes).for_each(|(t, b)| t.refit(black_box(b))));
    add("refit, per edge, 100 rings", refit);
    let mut found = 0;
    let time = least(1, || {
        found = 0;
        over.refit(&outer);
        over.self_pairs(|i, j| each[i as usize].pairs(&each[j as usize], |_, _| found += 1));
    });
    add(&format!("all pairs of 100 rings ({found} pairs of edges)"), time);

    let node = |i: usize| {
        let s = i as f64 / 300.0 * std::f64::consts::TAU * 2.0;
        let wide = 0.03 + 0.008 * (1.5 * s).cos();
        DVec3::new(wide * s.cos(), wide * s.sin(), 0.006 * (1.5 * s).sin())
    };
    let coil: Vec<Aabb> = (0..300).map(|i| Aabb::of_segment(node(i), node(i + 1), 0.0015 + 1e-4)).collect();
    let mut tree = Bvh::ordered(&coil);
    add("refit, per edge, rod of 300 edges", least(300, || tree.refit(black_box(&coil))));
    let mut found = 0;
    let time = least(1, || {
        found = 0;
        tree.self_pairs(|i, j| found += usize::from(j > i + 4));
    });
    add(&format!("pairs of a rod of 300 edges with itself ({found} beyond neighbors)"), time);
}
