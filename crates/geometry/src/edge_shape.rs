//! Edges of round section against boxes, cylinders, triangles, hulls and prepared shapes.
//!
//! Each obstacle names the flat directions along which an edge can lie on it ([`crate::edge`]). With t the edge's
//! tangent, n the normal at the nearest point, f the normal of a face, e the direction of a straight side:
//!
//! | on | σ² | over |
//! |---|---|---|
//! | face | (t·f)² + 1 − (n·f)² | where the edge projects on the face |
//! | straight side | 1 − (t·e)² | where the edge projects on the side |
//! | side of a cylinder with axis a | 1 − (t·a)² + (n·a)² | between the cap planes |
//! | cap | (t·a)² + 1 − (n·a)² | over the disc |

use crate::aabb::Aabb;
use crate::collider::{Collider, Kind};
use crate::convex::{Core, CoreGap, Placed};
use crate::distance::core_distance;
use crate::edge::{Edge, EdgeContacts, Flat, Probe, edge_edge, edge_half_space, edge_sphere};
use crate::mesh::unit_normal;
use crate::point::{PointGap, point_core};
use crate::segment::{at, closest_parameter, closest_to_box, closest_to_cylinder, closest_to_triangle};
use crate::surface::{Surface, surface_distance};
use glam::{DMat3, DVec3};
use ropewalk_linalg::Pose;

/// Capacity for flat directions, more than needed except for hulls, whose first ones are used.
const FLATS: usize = 8;

#[derive(Clone, Copy)]
struct Flats {
    list: [Flat; FLATS],
    count: usize,
}

impl Flats {
    const NONE: Self = Self { list: [Flat { sine2: 1.0, low: 0.0, high: 0.0 }; FLATS], count: 0 };

    /// Adds a direction if the angle is small enough to matter; the interval is only then computed.
    #[inline]
    fn offer(&mut self, sine2: f64, interval: impl FnOnce() -> (f64, f64)) {
        if Flat::lambda(sine2) > 0.0 && self.count < FLATS {
            let (low, high) = interval();
            self.list[self.count] = Flat { sine2, low, high };
            self.count += 1;
        }
    }
}

/// The part of [0, 1] in which low ≤ p + s u ≤ high; empty (1, 0) if there is none.
#[inline]
fn between(p: f64, u: f64, low: f64, high: f64) -> (f64, f64) {
    if u == 0.0 {
        return if p >= low && p <= high { (0.0, 1.0) } else { (1.0, 0.0) };
    }
    let (s0, s1) = ((low - p) / u, (high - p) / u);
    (s0.min(s1).max(0.0), s0.max(s1).min(1.0))
}

#[inline]
fn common(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0.max(b.0), a.1.min(b.1))
}

/// An obstacle and an edge, in the obstacle's frame.
fn flats_of(core: &Core, a: DVec3, b: DVec3, t: DVec3, n: DVec3) -> Flats {
    let (u, mut flats) = (b - a, Flats::NONE);
    match core {
        Core::Point => {}
        Core::Segment { half } => flats.offer(1.0 - t.z * t.z, || between(a.z, u.z, -half, *half)),
        Core::Box { half } => {
            let over = |k: usize| between(a[k], u[k], -half[k], half[k]);
            for k in 0..3 {
                flats.offer(t[k] * t[k] + 1.0 - n[k] * n[k], || common(over((k + 1) % 3), over((k + 2) % 3)));
                flats.offer(1.0 - t[k] * t[k], || over(k));
            }
        }
        Core::Cylinder { radius, half } => {
            flats.offer(1.0 - t.z * t.z + n.z * n.z, || between(a.z, u.z, -half, *half));
            flats.offer(t.z * t.z + 1.0 - n.z * n.z, || over_disc(a, u, *radius));
        }
        Core::Triangle(corners) => {
            let Some(f) = unit_normal(corners) else { return flats };
            let side = |k: usize| {
                let (p, q) = (corners[k], corners[(k + 1) % 3]);
                let inward = f.cross(q - p);
                between(inward.dot(a - p), inward.dot(u), 0.0, f64::INFINITY)
            };
            flats.offer(t.dot(f).powi(2) + 1.0 - n.dot(f).powi(2), || {
                common(common(side(0), side(1)), side(2))
            });
            for k in 0..3 {
                let (p, q) = (corners[k], corners[(k + 1) % 3]);
                let e = (q - p).normalize_or_zero();
                flats.offer(1.0 - t.dot(e).powi(2), || between(e.dot(a - p), e.dot(u), 0.0, p.distance(q)));
            }
        }
        Core::Hull(hull) => {
            for (k, f) in hull.normals.iter().enumerate() {
                flats.offer(t.dot(*f).powi(2) + 1.0 - n.dot(*f).powi(2), || {
                    // Projected onto the face's plane, the edge is clipped by all other planes of the hull.
                    let lay = |p: DVec3| p - *f * (f.dot(p) - hull.offsets[k]);
                    let (p, q) = (lay(a), lay(b));
                    let others = hull.normals.iter().zip(&hull.offsets).enumerate().filter(|(m, _)| *m != k);
                    others.fold((0.0, 1.0), |all, (_, (m, offset))| {
                        common(all, between(m.dot(p), m.dot(q - p), f64::NEG_INFINITY, *offset))
                    })
                });
            }
            for e in &hull.edges {
                let [p, q] = e.ends.map(|i| hull.vertices[i as usize]);
                let [f, g] = e.faces.map(|i| hull.normals[i as usize]);
                let d = (q - p).normalize_or_zero();
                // Only the hull edge of this normal: n lies between the normals of its faces.
                let axis = f.cross(g);
                if f.cross(n).dot(axis) >= -1e-6 && n.cross(g).dot(axis) >= -1e-6 {
                    flats.offer(1.0 - t.dot(d).powi(2), || {
                        between(d.dot(a - p), d.dot(b - a), 0.0, p.distance(q))
                    });
                }
            }
        }
    }
    flats
}

/// The part of a segment over the disc about z.
fn over_disc(a: DVec3, u: DVec3, radius: f64) -> (f64, f64) {
    let (q2, q1) = (u.x * u.x + u.y * u.y, a.x * u.x + a.y * u.y);
    let q0 = a.x * a.x + a.y * a.y - radius * radius;
    let d = q1 * q1 - q2 * q0;
    match d >= 0.0 && q2 > 0.0 {
        true => (((-q1 - d.sqrt()) / q2).max(0.0), ((-q1 + d.sqrt()) / q2).min(1.0)),
        false => (1.0, 0.0),
    }
}

/// Nearest point of an edge to a core, both in the core's frame; the parameter on the edge and the distance of the
/// centerline.
fn closest(core: &Core, a: DVec3, b: DVec3) -> (f64, CoreGap) {
    let from = |s: f64, found: PointGap| {
        let gap = CoreGap { distance: found.distance, normal: found.normal, a: at(a, b, s), b: found.foot };
        (s, gap)
    };
    let apart = match core {
        Core::Box { half } => Some(closest_to_box(a, b, *half)),
        Core::Cylinder { radius, half } => Some(closest_to_cylinder(a, b, *radius, *half)),
        Core::Triangle(corners) => Some(closest_to_triangle(a, b, corners).0),
        _ => None,
    };
    if let Some(s) = apart {
        let found = point_core(core, at(a, b, s));
        if found.distance > 1e-9 * (core.reach() + a.distance(b)) {
            return from(s, found);
        }
    }
    // The centerline overlaps the core, or the core is a hull: as a segment with a pose.
    let (u, middle) = (b - a, 0.5 * (a + b));
    let length = u.length();
    let z = if length > 0.0 { u / length } else { DVec3::Z };
    let x = crate::convex::any_perpendicular(z);
    let segment = Core::Segment { half: 0.5 * length };
    let found =
        core_distance(&Placed { core: &segment, r: DMat3::from_cols(x, z.cross(x), z), p: middle }, core);
    (closest_parameter(a, b, found.a), found)
}

fn edge_core(e: &Edge, core: &Core, core_radius: f64, pose: &Pose, reach: f64) -> Option<EdgeContacts> {
    let (a, b) = (pose.local_point(e.a), pose.local_point(e.b));
    let (s, found) = closest(core, a, b);
    if found.distance - e.radius - core_radius >= reach {
        return None;
    }
    let t = (b - a).normalize_or_zero();
    // An edge whose centerline is inside does not lie on a flat feature.
    let flats = if found.distance > 0.0 { flats_of(core, a, b, t, found.normal) } else { Flats::NONE };
    let probe = |s: f64| {
        let p = point_core(core, at(a, b, s));
        Probe { distance: p.distance - core_radius, normal: pose.vector(p.normal), t: 0.0 }
    };
    let nearest = Probe { distance: found.distance - core_radius, normal: pose.vector(found.normal), t: 0.0 };
    Some(e.spread_out(s, nearest, &flats.list[..flats.count], probe))
}

/// An edge and a box of full lengths `size`.
pub fn edge_box(e: &Edge, size: DVec3, pose: &Pose, reach: f64) -> Option<EdgeContacts> {
    edge_core(e, &Core::Box { half: 0.5 * size }, 0.0, pose, reach)
}

/// An edge and a cylinder about the pose's z axis.
pub fn edge_cylinder(e: &Edge, radius: f64, length: f64, pose: &Pose, reach: f64) -> Option<EdgeContacts> {
    edge_core(e, &Core::Cylinder { radius, half: 0.5 * length }, 0.0, pose, reach)
}

/// An edge and a capsule about the pose's z axis.
pub fn edge_capsule(e: &Edge, radius: f64, length: f64, pose: &Pose, reach: f64) -> Option<EdgeContacts> {
    let half = 0.5 * length * pose.vector(DVec3::Z);
    let axis = Edge { a: pose.position - half, b: pose.position + half, radius };
    let mut out = edge_edge(e, &axis, reach)?;
    out.other_span = DVec3::ZERO;
    Some(out)
}

/// An edge and a triangle, two-sided while the centerline is clear of it; a centerline that crosses it is pushed to
/// its front.
pub fn edge_triangle(e: &Edge, corners: [DVec3; 3], reach: f64) -> Option<EdgeContacts> {
    edge_core(e, &Core::Triangle(corners), 0.0, &Pose::IDENTITY, reach)
}

/// Visits the contacts of an edge with a prepared shape at a pose: once for a convex shape, for a surface once for
/// each of its triangles that the edge touches (`feature` is the triangle then, 0 otherwise).
pub fn edge_collider(
    e: &Edge,
    collider: &Collider,
    pose: &Pose,
    reach: f64,
    mut visit: impl FnMut(u32, EdgeContacts),
) {
    match &collider.kind {
        Kind::HalfSpace => {
            edge_half_space(e, pose.position, pose.vector(DVec3::Z), reach)
                .into_iter()
                .for_each(|c| visit(0, c));
        }
        Kind::Convex { core: Core::Point, radius } => {
            edge_sphere(e, pose.position, *radius, reach).into_iter().for_each(|c| visit(0, c));
        }
        Kind::Convex { core: Core::Segment { half }, radius } => {
            edge_capsule(e, *radius, 2.0 * half, pose, reach).into_iter().for_each(|c| visit(0, c));
        }
        Kind::Convex { core, radius } => {
            edge_core(e, core, *radius, pose, reach).into_iter().for_each(|c| visit(0, c));
        }
        Kind::Surface(surface) => edge_surface(e, surface, pose, reach, visit),
    }
}

/// An edge against triangles. Of triangles that share the point in which the edge is nearest (on a common side or
/// corner) the first counts; contacts on the inner side of a solid do not.
fn edge_surface(
    e: &Edge,
    surface: &Surface,
    pose: &Pose,
    reach: f64,
    mut visit: impl FnMut(u32, EdgeContacts),
) {
    let (a, b) = (pose.local_point(e.a), pose.local_point(e.b));
    let local = Edge { a, b, radius: e.radius };
    let region = Aabb::of_segment(a, b, e.radius + reach.max(0.0));
    let size = e.radius + a.distance(b);
    // Reported nearest points: few, since an edge is about as long as it is thick.
    let mut seen = [DVec3::ZERO; 16];
    let mut count = 0;
    let mut inside = false;
    surface.triangles_in(&region, |triangle| {
        let Some(found) = edge_triangle(&local, surface.mesh.corners(triangle), reach) else { return };
        let c = &found.closest;
        let foot = local.at(c.s) - (c.gap + e.radius) * c.normal;
        if c.gap + e.radius > 0.0 && surface.is_inside(triangle, foot, local.at(c.s)) {
            inside = true;
            return;
        }
        let known = seen[..count.min(16)].iter().any(|p| p.distance(foot) < 1e-7 * size);
        if !known {
            seen[count % 16] = foot;
            count += 1;
            visit(triangle as u32, placed(found, pose));
        }
    });
    if count == 0 && inside {
        // Wholly inside a solid: out through the nearest point of its surface.
        let (u, middle) = (b - a, 0.5 * (a + b));
        let z = u.try_normalize().unwrap_or(DVec3::Z);
        let x = crate::convex::any_perpendicular(z);
        let rotation = glam::DQuat::from_mat3(&DMat3::from_cols(x, z.cross(x), z));
        let segment = Core::Segment { half: 0.5 * u.length() };
        let found = surface_distance(&segment, &Pose::new(middle, rotation), surface);
        let nearest = Probe { distance: found.distance, normal: found.normal, t: 0.0 };
        let s = closest_parameter(a, b, found.a);
        visit(0, placed(local.spread_out(s, nearest, &[], |_| nearest), pose));
    }
}

/// Transforms contacts to the outer frame.
fn placed(mut found: EdgeContacts, pose: &Pose) -> EdgeContacts {
    let carry = |c: &mut crate::edge::EdgeContact| {
        c.point = pose.point(c.point);
        c.normal = pose.vector(c.normal);
    };
    carry(&mut found.closest);
    if found.points().len() == 2 {
        found.points_mut().iter_mut().for_each(carry);
    }
    found.span = pose.vector(found.span);
    found
}
