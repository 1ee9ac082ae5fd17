//! Signed distance of two solids, for every pair of shapes.
//!
//! Distance > 0: of the nearest points. Distance ≤ 0: the negative of the least translation that separates the two.
//! The normal is the gradient of the distance with respect to a displacement of A.
//!
//! | pair | method | error, as part of the sizes |
//! |---|---|---|
//! | half-space with all but another half-space | closed form | round-off |
//! | sphere, capsule with sphere, capsule, box, triangle; sphere with cylinder, convex | closed form | round-off |
//! | capsule with cylinder | zero of a function of one variable | round-off |
//! | box, cylinder, convex with one another, capsule with convex, apart | Gilbert–Johnson–Keerthi, last digits by [`crate::gjk_refine`] | round-off; the bound is checked in tests |
//! | the same, overlapping | [`crate::penetration`] | round-off; cylinder with cylinder 1e-9 |
//! | mesh, heightfield with all but one another | the nearest of their triangles | as for the triangle |
//!
//! Everything is computed in B's frame, so that no digits are lost far from the world's origin.

use crate::collider::{Collider, Kind};
use crate::contact_feature::{support_figure, witnesses};
use crate::convex::{Core, CoreGap, Placed};
use crate::gjk;
use crate::gjk_refine::polished;
use crate::penetration::deepest;
use crate::point::{PointGap, point_core};
use crate::segment::{
    at, closest_parameters, closest_to_box, closest_to_cylinder, closest_to_triangle, segment_normal,
};
use crate::shape::{Shape, ShapeError};
use crate::surface::surface_distance;
use glam::DVec3;
use ropewalk_linalg::Pose;

/// Signed distance of two solids with its witness points, in world axes and m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// Signed distance; negative if they overlap.
    pub distance: f64,
    /// Unit normal from B to A.
    pub normal_ba: DVec3,
    /// Point on the surface of A; `point_a` − `point_b` = distance · normal.
    pub point_a: DVec3,
    /// Point on the surface of B.
    pub point_b: DVec3,
}

/// Why there is no distance.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DistanceError {
    /// An invalid shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A pair of shapes without a distance.
    #[error("there is no distance between a {a} and a {b}: {reason}")]
    Pair {
        /// Kind of A.
        a: &'static str,
        /// Kind of B.
        b: &'static str,
        /// Why.
        reason: &'static str,
    },
    /// A pose that is not finite.
    #[error("the pose of {which} is not finite, or its quaternion has no length")]
    Pose {
        /// "A" or "B".
        which: &'static str,
    },
}

impl Separation {
    /// The same with A and B exchanged.
    pub fn swapped(self) -> Self {
        Self {
            distance: self.distance,
            normal_ba: -self.normal_ba,
            point_a: self.point_b,
            point_b: self.point_a,
        }
    }
}

/// The distance of two shapes that have not been prepared; see [`distance`].
pub fn shape_distance(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
) -> Result<Separation, DistanceError> {
    distance(&Collider::new(a)?, pose_a, &Collider::new(b)?, pose_b)
}

/// The signed distance of two solids at their poses.
pub fn distance(
    a: &Collider,
    pose_a: &Pose,
    b: &Collider,
    pose_b: &Pose,
) -> Result<Separation, DistanceError> {
    for (which, pose) in [("A", pose_a), ("B", pose_b)] {
        if !pose.is_finite() || pose.rotation.length_squared() < 1e-12 {
            return Err(DistanceError::Pose { which });
        }
    }
    let refused = |reason| Err(DistanceError::Pair { a: a.kind(), b: b.kind(), reason });
    let (gap, radii, swap) = match (&a.kind, &b.kind) {
        (Kind::Convex { core: ca, radius: ra }, Kind::Convex { core: cb, radius: rb }) => {
            let relative = pose_b.inverse() * *pose_a;
            (core_distance(&Placed::new(ca, &relative), cb), (*ra, *rb), false)
        }
        (Kind::Convex { core, radius }, Kind::HalfSpace) => {
            let relative = pose_b.inverse() * *pose_a;
            (above_plane(&Placed::new(core, &relative)), (*radius, 0.0), false)
        }
        (Kind::HalfSpace, Kind::Convex { core, radius }) => {
            let relative = pose_a.inverse() * *pose_b;
            (above_plane(&Placed::new(core, &relative)), (*radius, 0.0), true)
        }
        (Kind::Convex { core, radius }, Kind::Surface(surface)) => {
            let relative = pose_b.inverse() * *pose_a;
            (surface_distance(core, &relative, surface), (*radius, 0.0), false)
        }
        (Kind::Surface(surface), Kind::Convex { core, radius }) => {
            let relative = pose_a.inverse() * *pose_b;
            (surface_distance(core, &relative, surface), (*radius, 0.0), true)
        }
        (Kind::Surface(surface), Kind::HalfSpace) => {
            (surface.above_plane(&(pose_b.inverse() * *pose_a)), (0.0, 0.0), false)
        }
        (Kind::HalfSpace, Kind::Surface(surface)) => {
            (surface.above_plane(&(pose_a.inverse() * *pose_b)), (0.0, 0.0), true)
        }
        (Kind::HalfSpace, Kind::HalfSpace) => {
            return refused("both have no end, so they overlap without end unless they are opposed");
        }
        (Kind::Surface(_), Kind::Surface(_)) => {
            return refused("both are surfaces of triangles; make one of them of convex parts");
        }
    };
    // The shape that the algorithm calls A, in the frame of the one that it calls B.
    let frame = if swap { pose_a } else { pose_b };
    let normal = frame.vector(gap.normal);
    let found = Separation {
        distance: gap.distance - radii.0 - radii.1,
        normal_ba: normal,
        point_a: frame.point(gap.a) - radii.0 * normal,
        point_b: frame.point(gap.b) + radii.1 * normal,
    };
    Ok(if swap { found.swapped() } else { found })
}

/// A core against the half-space z ≤ 0: its lowest point.
pub(crate) fn above_plane(a: &Placed) -> CoreGap {
    let low = support_figure(a, DVec3::NEG_Z, 1e-9).mean();
    // The lowest value is unique even if the lowest point is not.
    let distance = a.support(DVec3::NEG_Z).z;
    let low = DVec3::new(low.x, low.y, distance);
    CoreGap { distance, normal: DVec3::Z, a: low, b: DVec3::new(low.x, low.y, 0.0) }
}

/// Order of cores: the one that comes first is A, points and segments before solids.
fn rank(core: &Core) -> u8 {
    match core {
        Core::Point => 0,
        Core::Segment { .. } => 1,
        Core::Box { .. } => 2,
        Core::Cylinder { .. } => 3,
        Core::Triangle(_) => 4,
        Core::Hull(_) => 5,
    }
}

/// Signed distance of the core A to the core B in B's frame.
pub(crate) fn core_distance(a: &Placed, b: &Core) -> CoreGap {
    if rank(a.core) > rank(b) {
        // B seen from A.
        let r = a.r.transpose();
        let inverse = Placed { core: b, r, p: -(r * a.p) };
        let found = core_distance(&inverse, a.core);
        return CoreGap {
            distance: found.distance,
            normal: a.r * found.normal,
            a: a.point(found.a),
            b: a.point(found.b),
        }
        .swapped();
    }
    // Below this the two count as touching, since the direction of the vector would be round-off.
    let touching = || 1e-10 * (a.core.reach() + b.reach());
    match (a.core, b) {
        (Core::Point, _) => from_point(point_core(b, a.p), a.p),
        (Core::Segment { .. }, Core::Segment { half }) => {
            let ([p, q], c, d) = (a.ends(), DVec3::new(0.0, 0.0, -half), DVec3::new(0.0, 0.0, *half));
            segments([p, q], [c, d])
        }
        (Core::Segment { .. }, Core::Box { half }) => {
            let [p, q] = a.ends();
            let x = at(p, q, closest_to_box(p, q, *half));
            let found = point_core(b, x);
            if found.distance > touching() { from_point(found, x) } else { overlapping(a, b) }
        }
        (Core::Segment { .. }, Core::Cylinder { radius, half }) => {
            let [p, q] = a.ends();
            let x = at(p, q, closest_to_cylinder(p, q, *radius, *half));
            let found = point_core(b, x);
            if found.distance > touching() { from_point(found, x) } else { overlapping(a, b) }
        }
        (Core::Segment { .. }, Core::Triangle(t)) => {
            let [p, q] = a.ends();
            let (s, foot, squared) = closest_to_triangle(p, q, t);
            let x = at(p, q, s);
            match squared > touching() * touching() {
                true => from_point(PointGap::from_foot(x, foot, || DVec3::Z), x),
                false => overlapping(a, b),
            }
        }
        _ => {
            let home = Placed::home(b);
            let start = a.point(a.core.middle()) - b.middle();
            match gjk::separated(a, &home, start, [touching(), f64::INFINITY]) {
                Some(found) => polished(a, &home, found),
                None => overlapping(a, b),
            }
        }
    }
}

fn from_point(found: PointGap, p: DVec3) -> CoreGap {
    CoreGap { distance: found.distance, normal: found.normal, a: p, b: found.foot }
}

fn segments([p, q]: [DVec3; 2], [c, d]: [DVec3; 2]) -> CoreGap {
    let (s, t) = closest_parameters(p, q, c, d);
    let (x, y) = (at(p, q, s), at(c, d, t));
    let (distance, normal) = segment_normal([p, q], [c, d], [s, t], x - y);
    CoreGap { distance, normal, a: x, b: x - distance * normal }
}

fn overlapping(a: &Placed, b: &Core) -> CoreGap {
    let home = Placed::home(b);
    let (distance, normal) = deepest(a, &home);
    let (pa, pb) = witnesses(a, &home, normal, distance);
    CoreGap { distance, normal, a: pa, b: pb }
}
