//! Surfaces of round shapes as triangles, by a length h.
//!
//! Corners are moved outwards so that what is enclosed keeps its volume (sphere) or the area of its section
//! (cylinder, capsule): the surface then lies on both sides of the round one, and forces converge faster than with
//! corners on it.

use crate::mesh::TriangleMesh;
use glam::DVec3;
use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

/// Corners of a circle with sides of about h, and the factor by which their radius is greater for the same area.
pub(crate) fn circle_sides(radius: f64, h: f64) -> (usize, f64) {
    let sides = (TAU * radius / h).ceil().clamp(3.0, 1e6) as usize;
    (sides, equal_area(sides))
}

/// √(2π / (n sin(2π/n))): radius of the corners of an n-gon over that of the circle of the same area.
pub(crate) fn equal_area(sides: usize) -> f64 {
    let angle = TAU / sides as f64;
    (angle / angle.sin()).sqrt()
}

/// A sphere: the faces of an icosahedron, each cut into f² triangles with sides of about h.
pub(crate) fn sphere(radius: f64, h: f64) -> TriangleMesh {
    let frequency = sphere_frequency(radius, h);
    let (corners, faces) = icosahedron();
    let mut mesh = TriangleMesh::default();
    // Points on shared edges have the same weights of the same corners in both faces.
    let mut known: BTreeMap<[(u32, u32); 3], u32> = BTreeMap::new();
    for face in faces {
        let mut index = |i: u32, j: u32| {
            let weights = [frequency - i - j, i, j];
            let mut key = [0, 1, 2].map(|k| if weights[k] == 0 { (0, 0) } else { (face[k] + 1, weights[k]) });
            key.sort_unstable();
            *known.entry(key).or_insert_with(|| {
                let sum: DVec3 =
                    key.iter().map(|&(c, w)| f64::from(w) * corners[c.saturating_sub(1) as usize]).sum();
                mesh.vertices.push(sum.normalize());
                (mesh.vertices.len() - 1) as u32
            })
        };
        for i in 0..frequency {
            for j in 0..frequency - i {
                let [a, b, c] = [index(i, j), index(i + 1, j), index(i, j + 1)];
                mesh.triangles.push([a, b, c]);
                if i + j + 1 < frequency {
                    mesh.triangles.push([b, index(i + 1, j + 1), c]);
                }
            }
        }
    }
    let volume: f64 = (0..mesh.triangles.len())
        .map(|t| {
            let [a, b, c] = mesh.corners(t);
            a.dot(b.cross(c)) / 6.0
        })
        .sum();
    let scale = radius * (4.0 / 3.0 * PI / volume).cbrt();
    mesh.vertices.iter_mut().for_each(|v| *v *= scale);
    mesh
}

/// Number of pieces of each edge of the icosahedron.
pub(crate) fn sphere_frequency(radius: f64, h: f64) -> u32 {
    // Its edges are 1.0515 radii long.
    (1.0515 * radius / h).ceil().clamp(1.0, 1e4) as u32
}

fn icosahedron() -> ([DVec3; 12], [[u32; 3]; 20]) {
    let g = 0.5 * (1.0 + 5f64.sqrt());
    let v = |x: f64, y: f64, z: f64| DVec3::new(x, y, z).normalize();
    let corners = [
        v(-1.0, g, 0.0),
        v(1.0, g, 0.0),
        v(-1.0, -g, 0.0),
        v(1.0, -g, 0.0),
        v(0.0, -1.0, g),
        v(0.0, 1.0, g),
        v(0.0, -1.0, -g),
        v(0.0, 1.0, -g),
        v(g, 0.0, -1.0),
        v(g, 0.0, 1.0),
        v(-g, 0.0, -1.0),
        v(-g, 0.0, 1.0),
    ];
    let faces = [
        [0, 11, 5],
        [0, 5, 1],
        [0, 1, 7],
        [0, 7, 10],
        [0, 10, 11],
        [1, 5, 9],
        [5, 11, 4],
        [11, 10, 2],
        [10, 7, 6],
        [7, 1, 8],
        [3, 9, 4],
        [3, 4, 2],
        [3, 2, 6],
        [3, 6, 8],
        [3, 8, 9],
        [4, 9, 5],
        [2, 4, 11],
        [6, 2, 10],
        [8, 6, 7],
        [9, 8, 1],
    ];
    (corners, faces)
}

/// Corners of a cylinder about z, the lower ring first.
pub(crate) fn prism(radius: f64, length: f64, h: f64) -> Vec<DVec3> {
    let (sides, scale) = circle_sides(radius, h);
    let ring = |z: f64| (0..sides).map(move |j| on_circle(j, sides, radius * scale, z));
    ring(-0.5 * length).chain(ring(0.5 * length)).collect()
}

fn on_circle(j: usize, sides: usize, radius: f64, z: f64) -> DVec3 {
    let (s, c) = (TAU * j as f64 / sides as f64).sin_cos();
    DVec3::new(radius * c, radius * s, z)
}

/// A capsule about z: rings of equal numbers of corners from pole to pole.
#[derive(Clone, Debug)]
pub(crate) struct CapsuleMesh {
    pub(crate) mesh: TriangleMesh,
    /// Corners in a ring.
    pub(crate) sides: usize,
    /// First corner of the ring where the upper half sphere begins.
    pub(crate) upper_ring: u32,
    /// By triangle: −1 lower half sphere, 0 cylinder, 1 upper half sphere.
    pub(crate) part: Vec<i8>,
}

pub(crate) fn capsule(radius: f64, length: f64, h: f64) -> CapsuleMesh {
    let (sides, scale) = circle_sides(radius, h);
    let layers = sides.div_ceil(4).max(1);
    let (r, n) = (radius * scale, sides as u32);
    let mut vertices = vec![DVec3::new(0.0, 0.0, -0.5 * length - r)];
    let latitudes = (1..=layers).map(|k| (k as f64 / layers as f64 - 1.0, -0.5 * length));
    let above = (0..layers).map(|k| (k as f64 / layers as f64, 0.5 * length));
    for (quarter, center) in latitudes.chain(above) {
        let (s, c) = (0.5 * PI * quarter).sin_cos();
        vertices.extend((0..sides).map(|j| on_circle(j, sides, r * c, center + r * s)));
    }
    vertices.push(DVec3::new(0.0, 0.0, 0.5 * length + r));
    let (top, rings) = (vertices.len() as u32 - 1, 2 * layers as u32);
    let (mut triangles, mut part) = (Vec::new(), Vec::new());
    let at = |ring: u32, j: u32| 1 + ring * n + j % n;
    for j in 0..n {
        triangles.push([0, at(0, j + 1), at(0, j)]);
        part.push(-1);
        for ring in 0..rings - 1 {
            let [a, b, c, d] = [at(ring, j), at(ring, j + 1), at(ring + 1, j + 1), at(ring + 1, j)];
            triangles.extend([[a, b, c], [a, c, d]]);
            let side = (ring as usize + 1).cmp(&layers) as i8;
            part.extend([side, side]);
        }
        triangles.push([at(rings - 1, j), at(rings - 1, j + 1), top]);
        part.push(1);
    }
    CapsuleMesh { mesh: TriangleMesh { vertices, triangles }, sides, upper_ring: at(layers as u32, 0), part }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(mesh: &TriangleMesh) -> f64 {
        (0..mesh.triangles.len())
            .map(|t| {
                let [a, b, c] = mesh.corners(t);
                a.dot(b.cross(c)) / 6.0
            })
            .sum()
    }

    #[test]
    fn surfaces_are_closed_and_keep_their_volume() {
        for h in [2.0, 0.5, 0.1] {
            let ball = sphere(1.0, h);
            assert_eq!(ball.open_edges(), 0);
            assert!((volume(&ball) - 4.0 / 3.0 * PI).abs() < 1e-12);
            assert_eq!(ball.triangles.len(), 20 * (sphere_frequency(1.0, h) as usize).pow(2));
        }
        for h in [1.5, 0.2, 0.05] {
            let pill = capsule(1.0, 2.0, h);
            assert_eq!(pill.mesh.open_edges(), 0);
            assert_eq!(pill.part.len(), pill.mesh.triangles.len());
            let exact = 4.0 / 3.0 * PI + 2.0 * PI;
            assert!((volume(&pill.mesh) / exact - 1.0).abs() < 0.2 * h * h, "{h}");
        }
    }
}
