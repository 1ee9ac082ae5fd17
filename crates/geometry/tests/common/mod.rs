//! Random shapes and poses, and checks by support points alone.
#![allow(dead_code, clippy::unwrap_used)]

pub(crate) mod patches;

use glam::DVec3;
use ropewalk_geometry::{Collider, Separation, Shape, TriangleMesh, distance};
use ropewalk_linalg::Pose;
pub(crate) use ropewalk_testing::Random;
use std::sync::Arc;

/// Random poses.
pub(crate) trait RandomPose {
    /// A pose within the cube of half-width `size`.
    fn pose(&mut self, size: f64) -> Pose;
}

impl RandomPose for Random {
    fn pose(&mut self, size: f64) -> Pose {
        Pose::new(self.vector(size), self.rotation())
    }
}

pub(crate) const KINDS: [&str; 6] = ["sphere", "box", "cylinder", "capsule", "convex", "half_space"];

/// A shape of a kind with sizes between `low` and `high`.
pub(crate) fn shape(kind: &str, random: &mut Random, low: f64, high: f64) -> Shape {
    let mut size = || random.log_between(low, high);
    match kind {
        "sphere" => Shape::Sphere { radius: size() },
        "box" => Shape::Box { size: DVec3::new(size(), size(), size()) },
        "cylinder" => Shape::Cylinder { radius: size(), length: size() },
        "capsule" => Shape::Capsule { radius: size(), length: size() },
        "convex" => {
            let half = DVec3::new(size(), size(), size());
            let count = 6 + random.below(14);
            let vertices = (0..count).map(|_| random.direction() * half).collect();
            Shape::Convex(Arc::new(TriangleMesh { vertices, triangles: vec![] }))
        }
        _ => Shape::HalfSpace,
    }
}

/// min over A of n·x less max over B of n·x: a lower bound of the signed distance for every unit n.
pub(crate) fn gap(a: &Collider, pa: &Pose, b: &Collider, pb: &Pose, n: DVec3) -> f64 {
    let low = a.support(pa, -n).unwrap();
    let high = b.support(pb, n).unwrap_or(pb.position);
    n.dot(low - high)
}

/// The greatest gap over directions, by a dense search and a refinement of the best that knows nothing of the shapes.
pub(crate) fn brute_force(
    a: &Collider,
    pa: &Pose,
    b: &Collider,
    pb: &Pose,
    random: &mut Random,
    dense: usize,
) -> f64 {
    let mut best: Vec<(f64, DVec3)> = Vec::new();
    for k in 0..dense {
        let z = 1.0 - (2 * k + 1) as f64 / dense as f64;
        let angle = 2.399_963_229_728_653 * k as f64;
        let rho = (1.0 - z * z).sqrt();
        let n = DVec3::new(rho * angle.cos(), rho * angle.sin(), z);
        best.push((gap(a, pa, b, pb, n), n));
    }
    best.sort_by(|x, y| y.0.total_cmp(&x.0));
    let mut starts: Vec<(f64, DVec3)> = Vec::new();
    for &(value, n) in &best {
        if starts.len() < 6 && starts.iter().all(|(_, m)| m.dot(n) < 0.98) {
            starts.push((value, n));
        }
    }
    let mut top = f64::NEG_INFINITY;
    for (mut value, mut n) in starts {
        let mut step = 0.1;
        while step > 1e-9 {
            let mut better = false;
            for _ in 0..24 {
                let trial = (n + step * random.vector(1.0)).normalize();
                let found = gap(a, pa, b, pb, trial);
                if found > value {
                    (value, n, better) = (found, trial, true);
                }
            }
            if !better {
                step *= 0.5;
            }
        }
        top = top.max(value);
    }
    top
}

/// Proves a separation of two convex solids as far as support points can: the gap along the normal is the distance,
/// and the witnesses are that far apart and on the solids. Returns the errors of the two.
pub(crate) fn certificate(
    a: &Collider,
    pa: &Pose,
    b: &Collider,
    pb: &Pose,
    found: &Separation,
) -> (f64, f64) {
    let n = found.normal_ba;
    assert!(
        found.distance.is_finite() && n.is_finite() && found.point_a.is_finite() && found.point_b.is_finite()
    );
    let mut error = (n.length() - 1.0).abs();
    let half_space = |c: &Collider| matches!(c.shape(), Shape::HalfSpace);
    let along = if half_space(a) { gap(b, pb, a, pa, -n) } else { gap(a, pa, b, pb, n) };
    error = error.max((along - found.distance).abs());
    let mut witness = (found.point_a - found.point_b - found.distance * n).length();
    let radius = 1e-3;
    let dot = Collider::new(&Shape::Sphere { radius }).unwrap();
    for (c, pose, p) in [(a, pa, found.point_a), (b, pb, found.point_b)] {
        let depth = distance(&dot, &Pose::at(p), c, pose).unwrap().distance + radius;
        witness = witness.max(depth);
    }
    (error, witness)
}
