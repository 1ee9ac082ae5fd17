//! Convex solids as a core with a radius about it.
//!
//! A ball is a point with a radius, a capsule a segment with a radius; boxes, cylinders, triangles and hulls are
//! cores without a radius. For two cores with the radii r, s the signed distance is that of the cores less r + s,
//! overlapping cores included: rounding a convex set by r lowers its signed distance by r everywhere.

use crate::hull::ConvexHull;
use glam::{DMat3, DVec3};
use ropewalk_linalg::Pose;
use std::sync::Arc;

/// A convex set in its own frame. Lengths in m.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Core {
    /// The origin.
    Point,
    /// Along z, from −half to half.
    Segment { half: f64 },
    /// About the origin, by half lengths.
    Box { half: DVec3 },
    /// About z.
    Cylinder { radius: f64, half: f64 },
    /// One-sided: what overlaps it is pushed to its front, from which its corners run counter-clockwise.
    Triangle([DVec3; 3]),
    /// A polyhedron.
    Hull(Arc<ConvexHull>),
}

impl Core {
    /// A point farthest along `d`; d need not have unit length.
    #[inline]
    pub(crate) fn support(&self, d: DVec3) -> DVec3 {
        match self {
            Self::Point => DVec3::ZERO,
            Self::Segment { half } => DVec3::new(0.0, 0.0, half.copysign(d.z)),
            Self::Box { half } => {
                DVec3::new(half.x.copysign(d.x), half.y.copysign(d.y), half.z.copysign(d.z))
            }
            Self::Cylinder { radius, half } => {
                let across = (d.x * d.x + d.y * d.y).sqrt();
                let k = if across > 0.0 { radius / across } else { 0.0 };
                DVec3::new(k * d.x, k * d.y, half.copysign(d.z))
            }
            Self::Triangle(corners) => {
                let [a, b, c] = corners.map(|v| v.dot(d));
                if a >= b && a >= c {
                    corners[0]
                } else if b >= c {
                    corners[1]
                } else {
                    corners[2]
                }
            }
            Self::Hull(hull) => hull.support(d),
        }
    }

    /// The greatest distance of its points from its origin.
    pub(crate) fn reach(&self) -> f64 {
        match self {
            Self::Point => 0.0,
            Self::Segment { half } => *half,
            Self::Box { half } => half.length(),
            Self::Cylinder { radius, half } => radius.hypot(*half),
            Self::Triangle(corners) => corners.iter().map(|v| v.length()).fold(0.0, f64::max),
            Self::Hull(hull) => hull.reach,
        }
    }

    /// A point well inside.
    pub(crate) fn middle(&self) -> DVec3 {
        match self {
            Self::Triangle([a, b, c]) => (*a + *b + *c) / 3.0,
            Self::Hull(hull) => hull.middle,
            _ => DVec3::ZERO,
        }
    }
}

/// A core in another frame.
#[derive(Clone, Copy)]
pub(crate) struct Placed<'a> {
    pub(crate) core: &'a Core,
    pub(crate) r: DMat3,
    pub(crate) p: DVec3,
}

impl<'a> Placed<'a> {
    pub(crate) fn new(core: &'a Core, pose: &Pose) -> Self {
        Self { core, r: pose.matrix(), p: pose.position }
    }

    /// In its own frame.
    pub(crate) fn home(core: &'a Core) -> Self {
        Self { core, r: DMat3::IDENTITY, p: DVec3::ZERO }
    }

    #[inline]
    pub(crate) fn point(&self, local: DVec3) -> DVec3 {
        self.p + self.r * local
    }

    #[inline]
    pub(crate) fn local_vector(&self, d: DVec3) -> DVec3 {
        DVec3::new(self.r.x_axis.dot(d), self.r.y_axis.dot(d), self.r.z_axis.dot(d))
    }

    #[inline]
    pub(crate) fn support(&self, d: DVec3) -> DVec3 {
        self.point(self.core.support(self.local_vector(d)))
    }

    /// Ends of a segment core; both the center for other cores.
    pub(crate) fn ends(&self) -> [DVec3; 2] {
        let half = if let Core::Segment { half } = self.core { *half } else { 0.0 };
        [self.p - half * self.r.z_axis, self.p + half * self.r.z_axis]
    }
}

/// Gap between A and B along the unit vector `n` (from B to A): min over A of n·x less max over B of n·x. The signed
/// distance is the greatest such gap over all n, so every n gives a lower bound.
#[inline]
pub(crate) fn gap_along(a: &Placed, b: &Placed, n: DVec3) -> f64 {
    n.dot(a.support(-n) - b.support(n))
}

/// Signed distance of two cores with witnesses: `a` − `b` = distance · normal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CoreGap {
    pub(crate) distance: f64,
    /// Unit, from B to A.
    pub(crate) normal: DVec3,
    pub(crate) a: DVec3,
    pub(crate) b: DVec3,
}

impl CoreGap {
    /// The same with A and B exchanged.
    pub(crate) fn swapped(self) -> Self {
        Self { distance: self.distance, normal: -self.normal, a: self.b, b: self.a }
    }
}

/// Some unit vector perpendicular to `v`; along x for v = 0.
pub(crate) fn any_perpendicular(v: DVec3) -> DVec3 {
    let a = v.abs();
    let other = if a.x <= a.y && a.x <= a.z {
        DVec3::X
    } else if a.y <= a.z {
        DVec3::Y
    } else {
        DVec3::Z
    };
    v.normalize_or_zero().cross(other).try_normalize().unwrap_or(DVec3::X)
}
