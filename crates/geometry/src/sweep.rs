//! Sweeps: whether a moving centerline tunnels through an obstacle within a step.
//!
//! End points move on straight lines from their places at the start to those at the end of a step; every point of a
//! segment is then a fixed mixture of them. The distance d(τ) of two such segments, 0 ≤ τ ≤ 1, falls no faster than
//! the greatest relative displacement V of any pair of end points, so after a time τ with the distance d no crossing
//! can happen before τ + (d − η)/V (conservative advancement, Mirtich 1996). The search either reaches 1 or a time at
//! which the centerlines are within η of one another. No crossing is missed for any motion: parallel, in one plane,
//! or degenerate. A pair that stays clear costs one distance.
//!
//! A centerline passes a solid when it reaches the core: its medial surface (the center of a ball, the axis of a
//! capsule, the middle rectangle of a box, the axis or the middle disc of a cylinder; of a hull: itself at half
//! size). Smaller overlap is left to contact. The core of a half-space is the half-space itself. For a moving body
//! the edge moves on straight lines in the body's frame: for a rotation by φ this changes paths at a distance R by
//! Rφ²/8.

use crate::collider::{Collider, Kind};
use crate::convex::{Core, Placed};
use crate::distance::core_distance;
use crate::segment::{at, closest_parameters, closest_to_triangle};
use glam::{DMat3, DVec3};
use ropewalk_linalg::Pose;
use std::sync::Arc;

/// A segment at the start and at the end of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingSegment {
    /// End points at the start, in m.
    pub start: [DVec3; 2],
    /// End points at the end, in m.
    pub end: [DVec3; 2],
}

impl MovingSegment {
    /// End points at a fraction of the step from 0 to 1.
    #[inline]
    pub fn at(&self, tau: f64) -> [DVec3; 2] {
        [at(self.start[0], self.end[0], tau), at(self.start[1], self.end[1], tau)]
    }

    fn displacement(&self) -> [DVec3; 2] {
        [self.end[0] - self.start[0], self.end[1] - self.start[1]]
    }

    /// The greatest displacement of its end points, m.
    pub fn travel(&self) -> f64 {
        let [u, v] = self.displacement();
        u.length().max(v.length())
    }

    /// In the frame of a body that moves from one pose to another.
    pub fn seen_from(&self, start: &Pose, end: &Pose) -> Self {
        Self { start: self.start.map(|p| start.local_point(p)), end: self.end.map(|p| end.local_point(p)) }
    }

    /// The bounding box of the whole motion.
    pub fn bounds(&self) -> crate::Aabb {
        crate::Aabb::of_points(&[self.start[0], self.start[1], self.end[0], self.end[1]])
    }
}

/// Steps of an advance before it counts as a hit: reached only by pairs that stay within a few η of one another.
const ADVANCES: usize = 200;

/// The first time at which `distance` may be `eta` or less, given that it changes by at most `speed` per unit of time.
#[inline]
fn first_contact(distance: impl Fn(f64) -> f64, speed: f64, eta: f64) -> Option<f64> {
    let mut tau = 0.0;
    for _ in 0..ADVANCES {
        let d = distance(tau);
        if d <= eta {
            return Some(tau);
        }
        // Slightly past the bound, so that the last advance ends below η and not just above.
        tau += (d - eta) / speed + 1e-12;
        if tau > 1.0 || speed == 0.0 {
            return None;
        }
    }
    Some(tau)
}

/// When two centerlines come within `eta` (m, above 0) of one another: the first time from 0 to 1, or none.
#[inline]
pub fn sweep_segments(a: &MovingSegment, b: &MovingSegment, eta: f64) -> Option<f64> {
    let ([u, v], [w, x]) = (a.displacement(), b.displacement());
    let squared = (u - w).length_squared().max((u - x).length_squared());
    let speed = squared.max((v - w).length_squared()).max((v - x).length_squared()).sqrt();
    let distance = |tau: f64| {
        let ([p, q], [c, d]) = (a.at(tau), b.at(tau));
        let (s, t) = closest_parameters(p, q, c, d);
        at(p, q, s).distance(at(c, d, t))
    };
    first_contact(distance, speed, eta)
}

/// When a centerline comes within `eta` of a triangle at rest.
pub fn sweep_triangle(a: &MovingSegment, corners: &[DVec3; 3], eta: f64) -> Option<f64> {
    let [u, v] = a.displacement();
    let distance = |tau: f64| {
        let [p, q] = a.at(tau);
        closest_to_triangle(p, q, corners).2.sqrt()
    };
    first_contact(distance, u.length().max(v.length()), eta)
}

/// When a centerline comes within `eta` of the core of a solid that goes from one pose to another; for a surface of
/// triangles, of one of them.
pub fn sweep_collider(
    a: &MovingSegment,
    solid: &Collider,
    start: &Pose,
    end: &Pose,
    eta: f64,
) -> Option<f64> {
    let seen = a.seen_from(start, end);
    match &solid.kind {
        Kind::HalfSpace => sweep_plane(&seen, eta),
        Kind::Convex { .. } => solid.inner.as_ref().and_then(|inner| sweep_core(&seen, inner, eta)),
        Kind::Surface(surface) => {
            let mut first: Option<f64> = None;
            surface.triangles_in(&seen.bounds().grown(eta), |t| {
                if let Some(tau) = sweep_triangle(&seen, &surface.mesh.corners(t), eta) {
                    first = Some(first.map_or(tau, |f| f.min(tau)));
                }
            });
            first
        }
    }
}

/// The medial part of a core, in the core's frame.
pub(crate) fn medial(core: &Core) -> Core {
    // Zero sizes would be round-off in the distances: a thousandth is as good.
    let least = 1e-3;
    match core {
        Core::Box { half } => {
            let depth = half.min_element() * (1.0 - least);
            Core::Box { half: *half - DVec3::splat(depth) }
        }
        Core::Cylinder { radius, half } => match half >= radius {
            true => Core::Segment { half: half - radius * (1.0 - least) },
            false => Core::Cylinder { radius: radius - half * (1.0 - least), half: half * least },
        },
        Core::Hull(hull) => Core::Hull(Arc::new(hull.halved())),
        other => other.clone(),
    }
}

/// When the lower end of a centerline comes within `eta` of the plane z = 0, or below it.
fn sweep_plane(a: &MovingSegment, eta: f64) -> Option<f64> {
    let [u, v] = a.displacement();
    let height = |tau: f64| a.at(tau).map(|p| p.z).into_iter().fold(f64::INFINITY, f64::min);
    first_contact(height, u.z.abs().max(v.z.abs()), eta)
}

fn sweep_core(a: &MovingSegment, core: &Core, eta: f64) -> Option<f64> {
    let [u, v] = a.displacement();
    let distance = |tau: f64| {
        let [p, q] = a.at(tau);
        let length = p.distance(q);
        let z = if length > 0.0 { (q - p) / length } else { DVec3::Z };
        let x = crate::convex::any_perpendicular(z);
        let segment = Core::Segment { half: 0.5 * length };
        let placed = Placed { core: &segment, r: DMat3::from_cols(x, z.cross(x), z), p: 0.5 * (p + q) };
        core_distance(&placed, core).distance
    };
    first_contact(distance, u.length().max(v.length()), eta)
}
