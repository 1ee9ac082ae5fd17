//! Views, and cameras that show everything.
//!
//! A planar motion is viewed along its normal; any other from slightly above, rotated so that its longest horizontal
//! direction runs across the picture. The z axis points up in the picture, unless the plane is horizontal.

use crate::camera::{Camera, Projection};
use glam::{DMat3, DVec3};

/// Fraction of the greatest extent below which a cloud of points counts as flat.
const FLAT: f64 = 0.02;
/// Elevation of the camera in a view of a spatial motion, in rad.
const ELEVATION: f64 = 0.38;
/// Its azimuth relative to the longest horizontal direction, in rad.
const TURN: f64 = 0.45;

/// A side from which to look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum View {
    /// Along +y: x across, z up.
    Front,
    /// Along −y: −x across, z up.
    Back,
    /// Along −x: y across, z up.
    Side,
    /// Along −z: x across, y up.
    Top,
    /// Along +z: x across, −y up.
    Bottom,
    /// From above, in front and to the side.
    Iso,
    /// The side that shows most.
    Auto,
    /// From a given direction.
    From {
        /// Angle about z from the front view, in rad: positive values see more of the +x side.
        azimuth: f64,
        /// Angle above the horizon in rad.
        elevation: f64,
    },
}

impl View {
    /// All that have a name.
    pub const NAMED: [(Self, &'static str); 7] = [
        (Self::Front, "front"),
        (Self::Back, "back"),
        (Self::Side, "side"),
        (Self::Top, "top"),
        (Self::Bottom, "bottom"),
        (Self::Iso, "iso"),
        (Self::Auto, "auto"),
    ];

    /// The one of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMED.iter().find(|(_, known)| *known == name).map(|(view, _)| *view)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMED.iter().find(|(view, _)| *view == self).map_or("given", |(_, name)| name)
    }

    /// The directions that run across and up the picture.
    pub fn axes(self, points: &[DVec3]) -> [DVec3; 2] {
        match self {
            Self::Front => [DVec3::X, DVec3::Z],
            Self::Back => [DVec3::NEG_X, DVec3::Z],
            Self::Side => [DVec3::Y, DVec3::Z],
            Self::Top => [DVec3::X, DVec3::Y],
            Self::Bottom => [DVec3::X, DVec3::NEG_Y],
            Self::Iso => oblique_axes(DVec3::X),
            Self::Auto => auto_axes(points),
            Self::From { azimuth, elevation } => axes_from(azimuth, elevation),
        }
    }

    /// The camera on this side in whose image, `aspect` times as wide as high, `points` fill the fraction `fill` of
    /// width or height. In perspective with `field_of_view` (rad), otherwise orthographic.
    pub fn camera(self, points: &[DVec3], aspect: f64, fill: f64, field_of_view: Option<f64>) -> Camera {
        let [right, up] = self.axes(points);
        match field_of_view {
            None => orthographic(points, right, up, aspect, fill),
            Some(angle) => perspective(points, right, up, aspect, fill, angle),
        }
    }
}

/// Extents of `points` along `axis`; about zero if there are none.
fn extent(points: &[DVec3], axis: DVec3) -> [f64; 2] {
    let along = || points.iter().map(|p| p.dot(axis));
    match (along().reduce(f64::min), along().reduce(f64::max)) {
        (Some(low), Some(high)) => [low, high],
        _ => [-0.5, 0.5],
    }
}

fn orthographic(points: &[DVec3], right: DVec3, up: DVec3, aspect: f64, fill: f64) -> Camera {
    let toward = right.cross(up);
    let [across, upward, depth] = [right, up, toward].map(|axis| extent(points, axis));
    let height = (upward[1] - upward[0]).max((across[1] - across[0]) / aspect) / fill;
    let height = if height > 0.0 && height.is_finite() { height } else { 1.0 };
    let middle = |[low, high]: [f64; 2]| 0.5 * (low + high);
    let target = right * middle(across) + up * middle(upward) + toward * middle(depth);
    // Far enough for everything to be in front, even in other frames of a film.
    let distance = (depth[1] - depth[0]) + 4.0 * height * aspect.max(1.0);
    Camera { eye: target + toward * distance, target, up, projection: Projection::Orthographic { height } }
}

fn perspective(points: &[DVec3], right: DVec3, up: DVec3, aspect: f64, fill: f64, angle: f64) -> Camera {
    let toward = right.cross(up);
    let half = [aspect * (0.5 * angle).tan() * fill, (0.5 * angle).tan() * fill];
    // The eye such that every point is within the four planes of view: along each axis, with s = ± and k = half, s
    // (p·axis − e) ≤ k (d − p·toward), where d is the position of the eye along `toward`. The tightest planes on both
    // sides cross at e and d.
    let mut eye = DVec3::ZERO;
    let mut distance = f64::NEG_INFINITY;
    for (axis, k) in [(right, half[0]), (up, half[1])] {
        let side = |s: f64| {
            let reach = points.iter().map(|p| s * p.dot(axis) + k * p.dot(toward));
            reach.reduce(f64::max).unwrap_or(0.5)
        };
        let (plus, minus) = (side(1.0), side(-1.0));
        eye += axis * 0.5 * (plus - minus);
        distance = distance.max(0.5 * (plus + minus) / k);
    }
    let depth = extent(points, toward);
    let middle = 0.5 * (depth[0] + depth[1]);
    // A single point, or a cloud smaller than round-off, has no size.
    let size = (distance - middle).max(1e-6 * (1.0 + eye.length() + middle.abs()));
    let target = eye + toward * middle;
    Camera {
        eye: target + toward * size,
        target,
        up,
        projection: Projection::Perspective { field_of_view: angle },
    }
}

/// The view directions for a cloud of points.
fn auto_axes(points: &[DVec3]) -> [DVec3; 2] {
    let count = points.len().max(1) as f64;
    let mean = points.iter().sum::<DVec3>() / count;
    let extent: f64 = points.iter().map(|p| (*p - mean).length()).fold(0.0, f64::max);
    if extent <= 0.0 {
        return [DVec3::X, DVec3::Z];
    }
    // In units of the extent: the rods of a run may be micrometers or kilometers long.
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
    // A straight line has no normal: view it horizontally.
    square_on_axes(DVec3::Z.cross(longest).normalize_or(DVec3::Y))
}

/// A view from above and to the side of the horizontal direction `across`.
fn oblique_axes(across: DVec3) -> [DVec3; 2] {
    axes_from(across.y.atan2(across.x) + TURN, ELEVATION)
}

/// A view turned by `azimuth` about z from the front view, `elevation` above the horizon.
fn axes_from(azimuth: f64, elevation: f64) -> [DVec3; 2] {
    let right = DVec3::new(azimuth.cos(), azimuth.sin(), 0.0);
    let away = DVec3::Z.cross(right);
    [right, DVec3::Z * elevation.cos() + away * elevation.sin()]
}

/// A view along `normal`, with z upwards, or y if the view is from above.
fn square_on_axes(normal: DVec3) -> [DVec3; 2] {
    if normal.z.abs() > 0.9 {
        return [DVec3::X, DVec3::Y];
    }
    let horizontal = DVec3::Z.cross(normal).normalize();
    let right = if horizontal.x + 1e-9 * horizontal.y < 0.0 { -horizontal } else { horizontal };
    let up = right.cross(normal);
    [right, if up.z < 0.0 { -up } else { up }]
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
    use crate::camera::{ImageSize, Lens};

    fn circle(a: DVec3, b: DVec3) -> Vec<DVec3> {
        let turn = core::f64::consts::TAU / 40.0;
        (0..40).map(|i| a * (f64::from(i) * turn).cos() + b * (f64::from(i) * turn).sin()).collect()
    }

    #[test]
    fn plane_motions_are_seen_square_on_with_z_up() {
        let [right, up] = auto_axes(&circle(DVec3::X, DVec3::Z * 0.4));
        assert!((right - DVec3::X).length() < 1e-6 && (up - DVec3::Z).length() < 1e-6, "{right} {up}");
        let [right, up] = auto_axes(&circle(DVec3::Y * 1e-4, DVec3::Z * 1e-4));
        assert!((right - DVec3::Y).length() < 1e-6 && (up - DVec3::Z).length() < 1e-6, "{right} {up}");
        let [right, up] = auto_axes(&circle(DVec3::X, DVec3::Y));
        assert_eq!((right, up), (DVec3::X, DVec3::Y));
    }

    #[test]
    fn straight_lines_are_seen_from_the_side() {
        for direction in [DVec3::X, DVec3::Y, DVec3::Z, DVec3::new(1.0, 2.0, 0.5)] {
            let line: Vec<DVec3> = (0..11).map(|i| direction * f64::from(i)).collect();
            let [right, up] = auto_axes(&line);
            let seen = line[10].dot(right).hypot(line[10].dot(up));
            assert!(seen > 0.99 * line[10].length(), "{direction} {right} {up}");
            assert!(up.z > 0.5);
        }
    }

    #[test]
    fn a_knot_in_space_is_seen_from_above_and_the_side() {
        let mut points = circle(DVec3::X, DVec3::Y);
        points.extend(circle(DVec3::X, DVec3::Z));
        let [right, up] = auto_axes(&points);
        assert!(right.dot(up).abs() < 1e-12 && right.z == 0.0 && up.z > 0.8);
    }

    #[test]
    fn views_are_right_handed_and_look_from_where_they_say() {
        for (view, towards) in [
            (View::Front, DVec3::NEG_Y),
            (View::Back, DVec3::Y),
            (View::Side, DVec3::X),
            (View::Top, DVec3::Z),
            (View::Bottom, DVec3::NEG_Z),
        ] {
            let camera = view.camera(&[DVec3::ZERO, DVec3::ONE], 1.0, 0.9, None);
            let forward = camera.axes()[2];
            assert!((forward + towards).length() < 1e-12, "{view:?} {forward}");
        }
    }

    /// The points extend to both sides of the requested fraction of the image, for clouds of any size.
    #[test]
    fn cameras_hold_all_points_and_waste_no_room() {
        let size = ImageSize::new(600, 400).unwrap();
        for scale in [1e-5, 1.0, 1e4] {
            let points: Vec<DVec3> = circle(DVec3::X * scale, DVec3::new(0.3, 0.4, 0.7) * scale)
                .into_iter()
                .map(|p| p + DVec3::new(3.0, 2.0, 1.0) * scale)
                .collect();
            for fov in [None, Some(0.5), Some(1.2)] {
                for view in [View::Front, View::Iso, View::Top, View::Auto] {
                    let camera = view.camera(&points, size.aspect(), 0.8, fov);
                    camera.check().unwrap();
                    let lens = Lens::new(&camera, size, 1);
                    let reach = points.iter().map(|p| {
                        let [x, y, _] = lens.project(lens.point(*p));
                        ((x - 300.0) / 240.0).abs().max(((y - 200.0) / 160.0).abs())
                    });
                    let reach = reach.fold(0.0, f64::max);
                    assert!((reach - 1.0).abs() < 1e-6, "{view:?} {fov:?} {reach}");
                }
            }
        }
        for points in [vec![], vec![DVec3::ONE]] {
            View::Iso.camera(&points, 1.5, 0.8, Some(0.6)).check().unwrap();
            View::Iso.camera(&points, 1.5, 0.8, None).check().unwrap();
        }
    }
}
