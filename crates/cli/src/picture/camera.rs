//! From where to look at a run, and how points come onto the paper.
//!
//! The projection is orthographic, so that a scale bar is true everywhere. A motion in one plane is
//! seen square on; any other from a little above, turned so that its longest horizontal direction runs
//! across the picture. The z axis points up on the paper, unless the plane is horizontal.

use glam::{DMat3, DVec3};

/// Share of the greatest extent below which a cloud of points counts as flat.
const FLAT: f64 = 0.02;
/// How far the camera is above the horizon in a view that is not square on, in rad.
const ELEVATION: f64 = 0.38;
/// How far it is turned from the longest horizontal direction, in rad.
const TURN: f64 = 0.45;
/// Room for captions and legend at the top and the bottom, and at the sides, in px.
const MARGINS: [f64; 2] = [96.0, 72.0];

/// An orthographic view.
#[derive(Clone, Copy, Debug)]
pub(super) struct Camera {
    right: DVec3,
    up: DVec3,
    /// Towards the viewer.
    towards: DVec3,
    /// What comes to the middle of the picture.
    target: DVec3,
    middle: [f64; 2],
    /// px per m.
    pub(super) scale: f64,
}

impl Camera {
    /// A view in which `points` fill a picture of `width` by `height` px.
    pub(super) fn fit(points: &[DVec3], width: f64, height: f64) -> Self {
        let (right, up) = view_axes(points);
        Self::looking(points, (right, up), width, height)
    }

    /// A view in which `right` and `up` run across and up the picture and `points` fill it.
    pub(super) fn looking(points: &[DVec3], (right, up): (DVec3, DVec3), width: f64, height: f64) -> Self {
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for p in points {
            for (k, axis) in [right, up].into_iter().enumerate() {
                low[k] = low[k].min(p.dot(axis));
                high[k] = high[k].max(p.dot(axis));
            }
        }
        if points.is_empty() {
            (low, high) = ([-0.5; 2], [0.5; 2]);
        }
        let room = [width - 2.0 * MARGINS[1], height - 2.0 * MARGINS[0]];
        let fits = [0, 1].map(|k| room[k] / (high[k] - low[k]).max(f64::MIN_POSITIVE));
        let scale = fits[0].min(fits[1]);
        let target = right * 0.5 * (low[0] + high[0]) + up * 0.5 * (low[1] + high[1]);
        Self {
            right,
            up,
            towards: right.cross(up),
            target,
            middle: [0.5 * width, 0.5 * height],
            scale: if scale.is_finite() { scale } else { 1.0 },
        }
    }

    /// Place on the paper in px, from the top left.
    pub(super) fn project(&self, p: DVec3) -> (f64, f64) {
        let d = p - self.target;
        (self.middle[0] + self.scale * d.dot(self.right), self.middle[1] - self.scale * d.dot(self.up))
    }

    /// Directions across and up the picture and towards the viewer.
    pub(super) fn axes(&self) -> [DVec3; 3] {
        [self.right, self.up, self.towards]
    }

    /// Distance towards the viewer in m.
    pub(super) fn depth(&self, p: DVec3) -> f64 {
        p.dot(self.towards)
    }

    /// A direction on the paper, y downwards; shorter than one if it points at or away from the viewer.
    pub(super) fn project_direction(&self, d: DVec3) -> (f64, f64) {
        (d.dot(self.right), -d.dot(self.up))
    }
}

/// The directions that run across and up the picture.
fn view_axes(points: &[DVec3]) -> (DVec3, DVec3) {
    let count = points.len().max(1) as f64;
    let mean = points.iter().sum::<DVec3>() / count;
    let extent: f64 = points.iter().map(|p| (*p - mean).length()).fold(0.0, f64::max);
    if extent <= 0.0 {
        return (DVec3::X, DVec3::Z);
    }
    // In units of the extent: the rods of a run may be micrometres or kilometres long.
    let cloud: Vec<DVec3> = points.iter().map(|p| (*p - mean) / extent).collect();
    let covariance =
        cloud.iter().fold(DMat3::ZERO, |sum, d| sum + DMat3::from_cols(*d * d.x, *d * d.y, *d * d.z))
            * (1.0 / count);
    let spread = |axis: DVec3| cloud.iter().map(|d| d.dot(axis).abs()).fold(0.0, f64::max);
    let normal = least_axis(covariance);
    if spread(normal) > FLAT {
        return oblique_axes(longest_horizontal(covariance));
    }
    let longest = cloud.iter().copied().fold(DVec3::X, |a, b| if b.length() > 0.999 { b } else { a });
    if spread(normal.cross(longest)) > FLAT {
        return square_on_axes(normal);
    }
    // A straight line has no normal of its own: look at it horizontally.
    square_on_axes(DVec3::Z.cross(longest).normalize_or(DVec3::Y))
}

/// A view from above and to the side of the horizontal direction `across`.
pub(super) fn oblique_axes(across: DVec3) -> (DVec3, DVec3) {
    let azimuth = across.y.atan2(across.x) + TURN;
    let right = DVec3::new(azimuth.cos(), azimuth.sin(), 0.0);
    let away = DVec3::Z.cross(right);
    (right, DVec3::Z * ELEVATION.cos() + away * ELEVATION.sin())
}

/// A view along `normal`, with z upwards, or y if the view is from above.
fn square_on_axes(normal: DVec3) -> (DVec3, DVec3) {
    if normal.z.abs() > 0.9 {
        return (DVec3::X, DVec3::Y);
    }
    let horizontal = DVec3::Z.cross(normal).normalize();
    let right = if horizontal.x + 1e-9 * horizontal.y < 0.0 { -horizontal } else { horizontal };
    let up = right.cross(normal);
    (right, if up.z < 0.0 { -up } else { up })
}

/// The direction in which points vary least.
fn least_axis(covariance: DMat3) -> DVec3 {
    // Power iteration on (tr C) I − C, whose greatest eigenvalue belongs to the least one of C.
    let trace = covariance.x_axis.x + covariance.y_axis.y + covariance.z_axis.z;
    let shifted = DMat3::from_diagonal(DVec3::splat(trace)) - covariance;
    let mut axis = DVec3::new(0.1, 1.0, 0.2).normalize();
    for _ in 0..500 {
        axis = (shifted * axis).normalize_or(DVec3::Y);
    }
    axis
}

/// The horizontal direction in which points vary most, towards positive x.
fn longest_horizontal(covariance: DMat3) -> DVec3 {
    let (xx, xy, yy) = (covariance.x_axis.x, covariance.x_axis.y, covariance.y_axis.y);
    let angle = 0.5 * (2.0 * xy).atan2(xx - yy);
    DVec3::new(angle.cos(), angle.sin(), 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circle(a: DVec3, b: DVec3) -> Vec<DVec3> {
        let turn = core::f64::consts::TAU / 40.0;
        (0..40).map(|i| a * (f64::from(i) * turn).cos() + b * (f64::from(i) * turn).sin()).collect()
    }

    #[test]
    fn plane_motions_are_seen_square_on_with_z_up() {
        let (right, up) = view_axes(&circle(DVec3::X, DVec3::Z * 0.4));
        assert!((right - DVec3::X).length() < 1e-6 && (up - DVec3::Z).length() < 1e-6, "{right} {up}");
        let (right, up) = view_axes(&circle(DVec3::Y * 1e-4, DVec3::Z * 1e-4));
        assert!((right - DVec3::Y).length() < 1e-6 && (up - DVec3::Z).length() < 1e-6, "{right} {up}");
        let (right, up) = view_axes(&circle(DVec3::X, DVec3::Y));
        assert_eq!((right, up), (DVec3::X, DVec3::Y));
    }

    #[test]
    fn straight_lines_are_seen_from_the_side() {
        for direction in [DVec3::X, DVec3::Y, DVec3::Z, DVec3::new(1.0, 2.0, 0.5)] {
            let line: Vec<DVec3> = (0..11).map(|i| direction * f64::from(i)).collect();
            let (right, up) = view_axes(&line);
            let seen = line[10].dot(right).hypot(line[10].dot(up));
            assert!(seen > 0.99 * line[10].length(), "{direction} {right} {up}");
            assert!(up.z > 0.5);
        }
    }

    #[test]
    fn a_knot_in_space_is_seen_from_above_and_the_side() {
        let mut points = circle(DVec3::X, DVec3::Y);
        points.extend(circle(DVec3::X, DVec3::Z));
        let (right, up) = view_axes(&points);
        assert!(right.dot(up).abs() < 1e-12 && right.z == 0.0 && up.z > 0.8);
    }
}
