//! Shapes of links as surfaces of triangles.

use crate::recording::message::Geometry;
use core::f64::consts::{FRAC_PI_2, PI, TAU};
use glam::DVec3;

/// Vertices on a circle.
const ROUND: usize = 32;
/// Rings on half a sphere.
const HALF_SPHERE: usize = 8;

/// Vertices with normals, and triangles counter-clockwise from outside.
#[derive(Clone, Debug, Default)]
pub(super) struct Surface {
    /// m.
    pub(super) positions: Vec<DVec3>,
    /// Unit vectors.
    pub(super) normals: Vec<DVec3>,
    /// Corners.
    pub(super) triangles: Vec<[u32; 3]>,
}

/// The surface of `geometry`; a half-space is a square of the side `ground` (m).
pub(super) fn surface(geometry: &Geometry, ground: f64) -> Surface {
    match geometry {
        Geometry::Sphere { radius } => revolve(&capsule(*radius, 0.0)),
        Geometry::Capsule { radius, length } => revolve(&capsule(*radius, *length)),
        Geometry::Cylinder { radius, length } => {
            let (r, h) = (*radius, 0.5 * length);
            revolve(&[
                Profile { r: 0.0, z: -h, angle: -FRAC_PI_2 },
                Profile { r, z: -h, angle: -FRAC_PI_2 },
                Profile { r, z: -h, angle: 0.0 },
                Profile { r, z: h, angle: 0.0 },
                Profile { r, z: h, angle: FRAC_PI_2 },
                Profile { r: 0.0, z: h, angle: FRAC_PI_2 },
            ])
        }
        Geometry::Box { size } => cuboid(0.5 * DVec3::from_array(*size)),
        Geometry::HalfSpace => {
            let h = 0.5 * ground;
            let corners = [(-h, -h), (h, -h), (h, h), (-h, h)].map(|(x, y)| DVec3::new(x, y, 0.0));
            flat([[corners[0], corners[1], corners[2]], [corners[0], corners[2], corners[3]]].into_iter())
        }
        Geometry::Mesh { vertices, triangles } => {
            let corner = |&i: &u32| vertices.get(i as usize).map(|v| DVec3::from_array(*v));
            let whole = triangles.iter().filter_map(|[a, b, c]| Some([corner(a)?, corner(b)?, corner(c)?]));
            flat(whole)
        }
    }
}

/// A point of a curve that is turned about z: radius, height, and the slope of the normal.
#[derive(Clone, Copy)]
struct Profile {
    r: f64,
    z: f64,
    /// Of the normal above the plane z = 0, rad.
    angle: f64,
}

/// A capsule from its lower to its upper pole; a sphere if it has no length.
fn capsule(radius: f64, length: f64) -> Vec<Profile> {
    let mut out = Vec::new();
    for k in 0..=2 * HALF_SPHERE {
        let angle = PI * (k as f64 / (2 * HALF_SPHERE) as f64 - 0.5);
        let pole = k == 0 || k == 2 * HALF_SPHERE;
        let at = |center: f64| Profile {
            r: if pole { 0.0 } else { radius * angle.cos() },
            z: center + radius * angle.sin(),
            angle,
        };
        if k <= HALF_SPHERE {
            out.push(at(-0.5 * length));
        }
        if k > HALF_SPHERE || (k == HALF_SPHERE && length > 0.0) {
            out.push(at(0.5 * length));
        }
    }
    out
}

/// The surface that a curve sweeps, from its lowest point on.
fn revolve(profile: &[Profile]) -> Surface {
    let mut out = Surface::default();
    for p in profile {
        for k in 0..ROUND {
            let (sin, cos) = (TAU * k as f64 / ROUND as f64).sin_cos();
            out.positions.push(DVec3::new(p.r * cos, p.r * sin, p.z));
            out.normals.push(DVec3::new(p.angle.cos() * cos, p.angle.cos() * sin, p.angle.sin()));
        }
    }
    for (i, pair) in profile.windows(2).enumerate() {
        for k in 0..ROUND {
            let at = |row: usize, k: usize| (row * ROUND + k % ROUND) as u32;
            // On the axis a quadrilateral degenerates to a triangle; between coincident rings it vanishes.
            if pair[0].r > 0.0 && (pair[0].r, pair[0].z) != (pair[1].r, pair[1].z) {
                out.triangles.push([at(i, k), at(i, k + 1), at(i + 1, k)]);
            }
            if pair[1].r > 0.0 && (pair[0].r, pair[0].z) != (pair[1].r, pair[1].z) {
                out.triangles.push([at(i, k + 1), at(i + 1, k + 1), at(i + 1, k)]);
            }
        }
    }
    out
}

/// A box with half lengths `h`.
fn cuboid(h: DVec3) -> Surface {
    let mut triangles = Vec::new();
    for axis in 0..3 {
        for side in [1.0, -1.0] {
            let normal = DVec3::AXES[axis] * side;
            let u = DVec3::AXES[(axis + 1) % 3] * side;
            let v = DVec3::AXES[(axis + 2) % 3];
            let corner = |a: f64, b: f64| (normal + a * u + b * v) * h;
            let [p, q, r, s] = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
            triangles.extend([[p, q, r], [p, r, s]]);
        }
    }
    flat(triangles.into_iter())
}

/// Triangles that share no vertices, so that edges stay sharp; those without area are left out.
fn flat(triangles: impl Iterator<Item = [DVec3; 3]>) -> Surface {
    let mut out = Surface::default();
    for [a, b, c] in triangles {
        let Some(normal) = (b - a).cross(c - a).try_normalize() else { continue };
        let first = out.positions.len() as u32;
        out.positions.extend([a, b, c]);
        out.normals.extend([normal; 3]);
        out.triangles.push([first, first + 1, first + 2]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Volume inside, by the divergence theorem: positive if triangles are counter-clockwise from outside.
    fn volume(surface: &Surface) -> f64 {
        let corner = |i: u32| surface.positions[i as usize];
        surface.triangles.iter().map(|&[a, b, c]| corner(a).dot(corner(b).cross(corner(c))) / 6.0).sum()
    }

    #[test]
    fn surfaces_enclose_their_volume_and_face_outwards() {
        let (r, l) = (0.3, 0.8);
        for (geometry, expected) in [
            (Geometry::Sphere { radius: r }, 4.0 / 3.0 * PI * r * r * r),
            (Geometry::Box { size: [0.1, 0.2, 0.3] }, 0.006),
            (Geometry::Cylinder { radius: r, length: l }, PI * r * r * l),
            (Geometry::Capsule { radius: r, length: l }, PI * r * r * (l + 4.0 / 3.0 * r)),
        ] {
            let surface = surface(&geometry, 1.0);
            let found = volume(&surface);
            assert!((found / expected - 1.0).abs() < 0.03, "{geometry:?}: {found} {expected}");
            for (p, n) in surface.positions.iter().zip(&surface.normals) {
                assert!((n.length() - 1.0).abs() < 1e-9 && n.dot(*p) > -1e-9, "{geometry:?}");
            }
        }
    }
}
