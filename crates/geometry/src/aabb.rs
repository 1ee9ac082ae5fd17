//! Axis-aligned boxes.

use glam::DVec3;
use ropewalk_linalg::Pose;

/// All points between `min` and `max`, in m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Least coordinates.
    pub min: DVec3,
    /// Greatest coordinates.
    pub max: DVec3,
}

impl Aabb {
    /// The empty box, neutral when joined with another.
    pub const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// The box about the origin with the given half lengths.
    pub const fn about(half: DVec3) -> Self {
        Self { min: DVec3::new(-half.x, -half.y, -half.z), max: half }
    }

    /// The bounding box of points.
    pub fn of_points(points: &[DVec3]) -> Self {
        points.iter().fold(Self::EMPTY, |mut all, &p| {
            all.add(p);
            all
        })
    }

    /// The bounding box of a segment with a radius.
    #[inline]
    pub fn of_segment(a: DVec3, b: DVec3, radius: f64) -> Self {
        let r = DVec3::splat(radius);
        Self { min: a.min(b) - r, max: a.max(b) + r }
    }

    /// Extends to a point.
    #[inline]
    pub fn add(&mut self, p: DVec3) {
        self.min = self.min.min(p);
        self.max = self.max.max(p);
    }

    /// The bounding box of both.
    #[inline]
    pub fn joined(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Larger by `margin` on every side.
    #[inline]
    pub fn grown(&self, margin: f64) -> Self {
        Self { min: self.min - DVec3::splat(margin), max: self.max + DVec3::splat(margin) }
    }

    /// Displaced.
    pub fn moved(&self, by: DVec3) -> Self {
        Self { min: self.min + by, max: self.max + by }
    }

    /// Whether the two have a point in common.
    #[inline]
    pub fn meets(&self, other: &Self) -> bool {
        // Without short-circuits: three vector comparisons cost less than a mispredicted branch.
        (self.min.x <= other.max.x)
            & (other.min.x <= self.max.x)
            & (self.min.y <= other.max.y)
            & (other.min.y <= self.max.y)
            & (self.min.z <= other.max.z)
            & (other.min.z <= self.max.z)
    }

    /// Whether all of `other` is inside.
    #[inline]
    pub fn holds(&self, other: &Self) -> bool {
        (self.min.x <= other.min.x)
            & (self.min.y <= other.min.y)
            & (self.min.z <= other.min.z)
            & (other.max.x <= self.max.x)
            & (other.max.y <= self.max.y)
            & (other.max.z <= self.max.z)
    }

    /// The center.
    pub fn center(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }

    /// Half of the lengths.
    pub fn half(&self) -> DVec3 {
        0.5 * (self.max - self.min)
    }

    /// Distance from a point to the box, 0 inside.
    #[inline]
    pub fn distance(&self, p: DVec3) -> f64 {
        (self.min - p).max(p - self.max).max(DVec3::ZERO).length()
    }

    /// The bounding box, along the outer axes, of this box at a pose.
    pub fn placed(&self, pose: &Pose) -> Self {
        let r = pose.matrix();
        let half = self.half();
        let reach = (r.x_axis * half.x).abs() + (r.y_axis * half.y).abs() + (r.z_axis * half.z).abs();
        Self::about(reach).moved(pose.point(self.center()))
    }
}

/// A box as its least coordinates and the negated greatest ones, so that one comparison of eight numbers with
/// [`Limits`] tests for overlap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds([f64; 8]);

/// Upper limits on the [`Bounds`] of all boxes that meet a given one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits([f64; 8]);

impl Bounds {
    pub(crate) fn of(b: &Aabb) -> Self {
        Self([b.min.x, b.min.y, b.min.z, -b.max.x, -b.max.y, -b.max.z, 0.0, 0.0])
    }

    #[inline(always)]
    pub(crate) fn is_within(&self, limits: &Limits) -> bool {
        let mut all = true;
        for k in 0..8 {
            all &= self.0[k] <= limits.0[k];
        }
        all
    }
}

impl Limits {
    #[inline(always)]
    pub(crate) fn of(b: &Aabb) -> Self {
        Self([b.max.x, b.max.y, b.max.z, -b.min.x, -b.min.y, -b.min.z, 0.0, 0.0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_say_the_same_as_boxes() {
        let about = Aabb { min: DVec3::new(-1.0, 0.0, 2.0), max: DVec3::new(1.0, 3.0, 2.5) };
        let mut meeting = 0;
        for x in [-2.5, -2.0, -1.0, 0.5, 1.0, 1.1] {
            for (y, z) in [(3.0, 2.5), (3.1, 2.0), (-1.0, 1.0), (1.0, 0.9), (-1.1, 2.2)] {
                let min = DVec3::new(x, y, z);
                let other = Aabb { min, max: min + DVec3::ONE };
                assert_eq!(Bounds::of(&other).is_within(&Limits::of(&about)), other.meets(&about), "{min}");
                meeting += usize::from(other.meets(&about));
            }
        }
        assert_eq!(meeting, 8);
    }
}
