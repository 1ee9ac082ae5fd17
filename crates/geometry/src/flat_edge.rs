//! Edges of rods of flat section: boxes along a segment.
//!
//! A flat edge touches like a body: at the points of [`crate::manifold()`], each with its parameter along the edge.

use crate::collider::{Collider, Kind};
use crate::convex::Placed;
use crate::distance::DistanceError;
use crate::edge::EdgeContact;
use crate::gjk::separated;
use crate::manifold::{ManifoldPoints, manifold};
use crate::shape::{Shape, ShapeError};
use glam::{DMat3, DQuat, DVec3};
use ropewalk_linalg::Pose;

/// An edge of a rod of rectangular section. Lengths in m.
#[derive(Clone, Debug)]
pub struct FlatEdge {
    collider: Collider,
    pose: Pose,
    length: f64,
}

impl FlatEdge {
    /// The edge from `a` to `b` with the width `width` along the unit vector `m1` (perpendicular to the edge) and the
    /// height `height` perpendicular to both.
    pub fn new(a: DVec3, b: DVec3, m1: DVec3, width: f64, height: f64) -> Result<Self, ShapeError> {
        let length = a.distance(b);
        let collider = Collider::new(&Shape::Box { size: DVec3::new(width, height, length) })?;
        let z = (b - a) / length;
        let x = (m1 - z * z.dot(m1)).try_normalize().unwrap_or_else(|| crate::convex::any_perpendicular(z));
        let rotation = DQuat::from_mat3(&DMat3::from_cols(x, z.cross(x), z));
        Ok(Self { collider, pose: Pose::new(0.5 * (a + b), rotation), length })
    }

    /// The box of the edge: x along its width, y along its height, z along the edge.
    pub fn collider(&self) -> &Collider {
        &self.collider
    }

    /// Its pose.
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// Whether a solid is at most `reach` m away and does not overlap; not for surfaces and half-spaces. A quick test
    /// rejects most solids that are farther away.
    pub fn comes_within(&self, other: &Collider, pose: &Pose, reach: f64) -> Option<bool> {
        let (Kind::Convex { core, .. }, Kind::Convex { core: there, radius }) =
            (&self.collider.kind, &other.kind)
        else {
            return None;
        };
        let placed = Placed::new(core, &(pose.inverse() * self.pose));
        let start = placed.p - there.middle();
        let (touching, far) = (1e-10 * (core.reach() + there.reach()), (reach + radius).max(0.0));
        let found = separated(&placed, &Placed::home(there), start, [touching, far]);
        Some(found.is_some_and(|found| found.distance >= *radius && found.distance <= reach + radius))
    }

    fn place(&self, p: DVec3) -> f64 {
        (0.5 + self.pose.local_point(p).z / self.length).clamp(0.0, 1.0)
    }

    /// Visits the points in which the edge touches a shape; weights sum to 1.
    pub fn contacts(
        &self,
        other: &Collider,
        pose: &Pose,
        reach: f64,
        scratch: &mut ManifoldPoints,
        mut visit: impl FnMut(EdgeContact),
    ) -> Result<(), DistanceError> {
        manifold(&self.collider, &self.pose, other, pose, reach, scratch)?;
        let weight = 1.0 / scratch.points().len().max(1) as f64;
        for p in scratch.points() {
            visit(EdgeContact {
                s: self.place(p.point),
                t: 0.0,
                point: p.point,
                normal: p.normal,
                gap: p.gap,
                weight,
            });
        }
        Ok(())
    }

    /// Visits the points in which two flat edges touch.
    pub fn contacts_with(
        &self,
        other: &Self,
        reach: f64,
        scratch: &mut ManifoldPoints,
        mut visit: impl FnMut(EdgeContact),
    ) -> Result<(), DistanceError> {
        self.contacts(&other.collider, &other.pose, reach, scratch, |mut c| {
            c.t = other.place(c.point);
            visit(c);
        })
    }
}
