//! Rods and shapes as triangles, for pictures with depth.

use super::Frame;
use super::colour::{rgb, shade};
use super::quantity::Quantity;
use super::raster::Raster;
use core::f64::consts::{FRAC_PI_2, TAU};
use glam::DVec3;
use ropewalk_geometry::{Shape, TriangleMesh};
use ropewalk_linalg::Pose;
use ropewalk_rod::Rod;
use ropewalk_scene::Scene;

/// Sides of a round rod.
const ROUND: usize = 14;
/// Sides of a round body.
const BODY_ROUND: usize = 96;
/// Fields along each side of a floor.
const FLOOR_FIELDS: i32 = 12;
const SKIN: [u8; 3] = [196, 206, 220];
const FLOOR: [[u8; 3]; 2] = [[238, 238, 234], [226, 226, 221]];

/// Paints all rods and bodies.
pub(super) fn paint(raster: &mut Raster, scene: &Scene, frame: &Frame, quantity: &Quantity) {
    let cloud = super::cloud(scene, core::slice::from_ref(frame));
    for (tree, poses) in scene.model.trees.iter().zip(&frame.trees) {
        for s in &tree.shapes {
            paint_shape(raster, s.collider.shape(), &(poses[s.link] * s.pose), &cloud);
        }
        if tree.shapes.is_empty() {
            for (link, pose) in tree.tree.links().iter().zip(poses) {
                if let Some(parent) = link.parent {
                    paint_tube(raster, &[poses[parent].position, pose.position], false, 0.008, |_| SKIN);
                }
            }
        }
    }
    for (r, rod) in scene.model.rods.iter().enumerate() {
        let colour = |e: usize| rgb(shade(quantity.fraction(quantity.edges[r][e])));
        let [a, b] = rod.half_extents()[0];
        if a == b {
            paint_tube(raster, &frame.rods[r], rod.closed(), a, colour);
        } else {
            paint_strip(raster, rod, &frame.rods[r], &frame.directors[r], colour);
        }
    }
}

/// A round tube along nodes, with flat ends.
fn paint_tube(
    raster: &mut Raster,
    nodes: &[DVec3],
    closed: bool,
    radius: f64,
    colour: impl Fn(usize) -> [u8; 3],
) {
    let n = nodes.len();
    let edges = if closed { n } else { n - 1 };
    let tangent = |e: usize| (nodes[(e + 1) % n] - nodes[e % n]).normalize_or(DVec3::X);
    let mut side = tangent(0).any_orthonormal_vector();
    // A ring about each node, square to the mean of its edges and carried along without spin.
    let mut ring = |i: usize| -> Vec<(DVec3, DVec3)> {
        let before = if i == 0 && !closed { tangent(0) } else { tangent((i + edges - 1) % edges) };
        let after = if i == edges && !closed { tangent(edges - 1) } else { tangent(i % edges) };
        let t = (before + after).normalize_or(after);
        side = (side - t * side.dot(t)).normalize_or(t.any_orthonormal_vector());
        let up = t.cross(side);
        (0..ROUND)
            .map(|k| {
                let (sin, cos) = (TAU * k as f64 / ROUND as f64).sin_cos();
                let out = side * cos + up * sin;
                (nodes[i % n] + radius * out, out)
            })
            .collect()
    };
    let mut before = ring(0);
    if !closed {
        fan(raster, &before, nodes[0], -tangent(0), colour(0));
    }
    for e in 0..edges {
        let after = ring(e + 1);
        for k in 0..ROUND {
            let l = (k + 1) % ROUND;
            quad(raster, [before[k], before[l], after[l], after[k]], colour(e));
        }
        before = after;
    }
    if !closed {
        fan(raster, &before, nodes[n - 1], tangent(edges - 1), colour(edges - 1));
    }
}

/// A rod of flat section: a box for each edge.
fn paint_strip(
    raster: &mut Raster,
    rod: &Rod,
    nodes: &[DVec3],
    m1: &[DVec3],
    colour: impl Fn(usize) -> [u8; 3],
) {
    for e in 0..rod.edge_count() {
        let (a, b) = (nodes[e], nodes[rod.edge_end(e)]);
        let [half1, half2] = rod.half_extents()[e];
        let m2 = (b - a).normalize_or_zero().cross(m1[e]);
        let corners = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
        for k in 0..4 {
            let (p, q) = (corners[k], corners[(k + 1) % 4]);
            let at = |c: (f64, f64)| half1 * c.0 * m1[e] + half2 * c.1 * m2;
            let normal = m1[e] * (p.0 + q.0) + m2 * (p.1 + q.1);
            quad(raster, [a + at(p), a + at(q), b + at(q), b + at(p)].map(|x| (x, normal)), colour(e));
        }
    }
}

fn quad(raster: &mut Raster, c: [(DVec3, DVec3); 4], rgb: [u8; 3]) {
    for [i, j, k] in [[0, 1, 2], [0, 2, 3]] {
        raster.triangle([c[i].0, c[j].0, c[k].0], [c[i].1, c[j].1, c[k].1], rgb);
    }
}

fn fan(raster: &mut Raster, ring: &[(DVec3, DVec3)], middle: DVec3, normal: DVec3, rgb: [u8; 3]) {
    for k in 0..ring.len() {
        raster.triangle([middle, ring[k].0, ring[(k + 1) % ring.len()].0], [normal; 3], rgb);
    }
}

/// A body's shape. A half-space is drawn under what is in the picture (`cloud`).
fn paint_shape(raster: &mut Raster, shape: &Shape, pose: &Pose, cloud: &[DVec3]) {
    match shape {
        Shape::Sphere { radius } => paint_round(raster, pose, &arc(*radius, 0.0, 0.0)),
        Shape::Capsule { radius, length } => {
            paint_round(raster, pose, &arc(*radius, -0.5 * length, 0.5 * length))
        }
        Shape::Cylinder { radius, length } => {
            let (r, h) = (*radius, 0.5 * length);
            paint_round(raster, pose, &[([0.0, -h], [0.0, -1.0]), ([r, -h], [0.0, -1.0])]);
            paint_round(raster, pose, &[([r, -h], [1.0, 0.0]), ([r, h], [1.0, 0.0])]);
            paint_round(raster, pose, &[([r, h], [0.0, 1.0]), ([0.0, h], [0.0, 1.0])]);
            paint_mark(raster, pose, r, h);
        }
        Shape::Box { size } => {
            let half = 0.5 * *size;
            for axis in 0..3 {
                let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
                for sign in [-1.0, 1.0] {
                    let corner = |a: f64, b: f64| {
                        let mut p = DVec3::ZERO;
                        p[axis] = sign * half[axis];
                        p[j] = a * half[j];
                        p[k] = b * half[k];
                        let mut n = DVec3::ZERO;
                        n[axis] = sign;
                        (pose.point(p), pose.vector(n))
                    };
                    quad(
                        raster,
                        [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)],
                        SKIN,
                    );
                }
            }
        }
        Shape::Mesh(mesh) => paint_mesh(raster, pose, mesh),
        Shape::Convex(mesh) => {
            if let Ok(hull) = ropewalk_geometry::hull::convex_hull(&mesh.vertices) {
                paint_mesh(raster, pose, &hull.mesh());
            }
        }
        Shape::Heightfield(field) => paint_mesh(raster, pose, &field.triangles()),
        Shape::HalfSpace => paint_floor(raster, pose, cloud),
    }
}

/// Profile of a ball cut at its equator and drawn apart: distance from the axis and height, with normals.
fn arc(radius: f64, low: f64, high: f64) -> Vec<([f64; 2], [f64; 2])> {
    let half = BODY_ROUND / 4;
    let point = |k: usize, middle: f64, from: f64| {
        let (sin, cos) = (from + FRAC_PI_2 * k as f64 / half as f64).sin_cos();
        ([radius * cos, middle + radius * sin], [cos, sin])
    };
    (0..=half).map(|k| point(k, low, -FRAC_PI_2)).chain((0..=half).map(|k| point(k, high, 0.0))).collect()
}

/// A body of revolution about z.
fn paint_round(raster: &mut Raster, pose: &Pose, profile: &[([f64; 2], [f64; 2])]) {
    let at = |([r, z], [nr, nz]): ([f64; 2], [f64; 2]), k: usize| {
        let (sin, cos) = (TAU * k as f64 / BODY_ROUND as f64).sin_cos();
        let vector = |r: f64, z: f64| DVec3::new(r * cos, r * sin, z);
        (pose.point(vector(r, z)), pose.vector(vector(nr, nz)))
    };
    for pair in profile.windows(2) {
        for k in 0..BODY_ROUND {
            quad(raster, [at(pair[0], k), at(pair[0], k + 1), at(pair[1], k + 1), at(pair[1], k)], SKIN);
        }
    }
}

/// A line along a cylinder and over its ends, by which one sees it turn.
fn paint_mark(raster: &mut Raster, pose: &Pose, radius: f64, half: f64) {
    const INK: [u8; 3] = [120, 130, 145];
    let (r, h, w) = (1.002 * radius, half + 0.002 * radius, 0.04 * radius);
    let strip = |c: [DVec3; 4], n: DVec3| c.map(|p| (pose.point(p), pose.vector(n)));
    let side = [(-w, -h), (w, -h), (w, h), (-w, h)].map(|(y, z)| DVec3::new(r, y, z));
    quad(raster, strip(side, DVec3::X), INK);
    for z in [-h, h] {
        let end = [(0.0, -w), (r, -w), (r, w), (0.0, w)].map(|(x, y)| DVec3::new(x, y, z));
        quad(raster, strip(end, DVec3::Z * z), INK);
    }
}

fn paint_mesh(raster: &mut Raster, pose: &Pose, mesh: &TriangleMesh) {
    for t in 0..mesh.triangles.len() {
        let corners = mesh.corners(t).map(|p| pose.point(p));
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        raster.triangle(corners, [normal; 3], SKIN);
    }
}

/// The part of a plane under the picture, in fields.
fn paint_floor(raster: &mut Raster, pose: &Pose, cloud: &[DVec3]) {
    let local: Vec<DVec3> = cloud.iter().map(|p| pose.local_point(*p)).collect();
    let middle = local.iter().sum::<DVec3>() / local.len().max(1) as f64;
    let reach = local.iter().map(|p| (*p - middle).truncate().length()).fold(0.0, f64::max);
    let field = 2.4 * reach / f64::from(FLOOR_FIELDS);
    for i in 0..FLOOR_FIELDS {
        for j in 0..FLOOR_FIELDS {
            let corner = |a: i32, b: i32| {
                let place = |k: i32| field * (f64::from(k) - 0.5 * f64::from(FLOOR_FIELDS));
                let p = DVec3::new(middle.x + place(i + a), middle.y + place(j + b), 0.0);
                (pose.point(p), pose.vector(DVec3::Z))
            };
            let rgb = FLOOR[((i + j) % 2) as usize];
            quad(raster, [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)], rgb);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_of_balls_lie_on_them() {
        for ([r, z], [nr, nz]) in arc(0.2, -0.1, 0.3) {
            let middle = if nz < 0.0 || (nz.abs() < 1e-12 && z < 0.0) { -0.1 } else { 0.3 };
            assert!((r.hypot(z - middle) - 0.2).abs() < 1e-12 && (nr.hypot(nz) - 1.0).abs() < 1e-12);
        }
    }
}
