//! Sections of rods as triangles: the modulus on the axis or the medial line, zero on the skin.
//!
//! A circle or an ellipse is a fan from its centre; a rectangle has a medial line along its longer side, h/2 short of
//! both ends, so that the pressure falls by E over h/2 towards each of its four sides. The field is linear within each
//! sector of a circle and each side of a rectangle.

use super::body::positive;
use super::field::FieldError;
use super::surface_mesh::{circle_sides, equal_area};
use glam::DVec2;

/// A section in the plane of the directors m1, m2.
#[derive(Clone, Debug, PartialEq)]
pub struct RodSection {
    /// Points in m, the medial ones first.
    pub(crate) points: Vec<DVec2>,
    /// How many points have the modulus; all others lie on the skin.
    pub(crate) medial_count: usize,
    /// Triangles, with corners in growing order.
    pub(crate) triangles: Vec<[u16; 3]>,
    /// Whether it looks the same from all sides: then it need not follow the twist of the rod.
    pub(crate) round: bool,
    /// How far the medial line ends before the end of a rod, in m.
    pub(crate) end_depth: f64,
}

/// Most points of a section.
const MOST_POINTS: usize = 2000;

impl RodSection {
    /// A circle; `resolution` is the side of its polygon in m, by default such that it has 8 sides. The polygon has
    /// the circle's area.
    pub fn circle(radius: f64, resolution: Option<f64>) -> Result<Self, FieldError> {
        Self::ellipse(radius, radius, resolution)
    }

    /// An ellipse with the half axes `a` along m1 and `b` along m2; `resolution` as for a circle of the greater one.
    pub fn ellipse(a: f64, b: f64, resolution: Option<f64>) -> Result<Self, FieldError> {
        let (a, b) = (positive("half axis", a, "m")?, positive("half axis", b, "m")?);
        let (sides, scale) = match resolution {
            Some(h) => circle_sides(a.max(b), positive("resolution", h, "m")?),
            None => (8, equal_area(8)),
        };
        if sides >= MOST_POINTS {
            return Err(FieldError::TooFine { resolution: resolution.unwrap_or(0.0), limit: MOST_POINTS });
        }
        let corner = |j: usize| {
            let (s, c) = (std::f64::consts::TAU * j as f64 / sides as f64).sin_cos();
            scale * DVec2::new(a * c, b * s)
        };
        let points = std::iter::once(DVec2::ZERO).chain((0..sides).map(corner)).collect();
        let triangle = |j: usize| sorted([0, 1 + j, 1 + (j + 1) % sides]);
        Ok(Self {
            points,
            medial_count: 1,
            triangles: (0..sides).map(triangle).collect(),
            round: a == b,
            end_depth: a.min(b),
        })
    }

    /// A rectangle of the width `width` along m1 and the height `height` along m2; `resolution` is the greatest
    /// distance of points along its longer sides in m, by default the sides are not divided.
    pub fn rectangle(width: f64, height: f64, resolution: Option<f64>) -> Result<Self, FieldError> {
        let (w, h) = (positive("width", width, "m")?, positive("height", height, "m")?);
        if let Some(length) = resolution {
            positive("resolution", length, "m")?;
        }
        let (long, short) = (w.max(h), w.min(h));
        let medial = 0.5 * (long - short);
        // Nearly square: one medial point, no slivers around a short line.
        let parts = match resolution {
            _ if medial < 1e-3 * short => 0,
            Some(length) => (2.0 * medial / length).ceil().max(1.0) as usize,
            None => 1,
        };
        if parts > MOST_POINTS / 3 {
            return Err(FieldError::TooFine { resolution: resolution.unwrap_or(0.0), limit: MOST_POINTS });
        }
        let place = |x: f64, y: f64| if w >= h { DVec2::new(x, y) } else { DVec2::new(-y, x) };
        let along = |k: usize| if parts == 0 { 0.0 } else { medial * (2.0 * k as f64 / parts as f64 - 1.0) };
        let mut points: Vec<DVec2> = (0..=parts).map(|k| place(along(k), 0.0)).collect();
        // Points of the skin from end to end; the outermost are corners of the rectangle.
        let last = parts.max(1);
        let skin_x = |k: usize| match k {
            0 => -0.5 * long,
            k if k == last => 0.5 * long,
            k => along(k),
        };
        let (upper, lower) = (points.len(), points.len() + last + 1);
        points.extend((0..=last).map(|k| place(skin_x(k), 0.5 * short)));
        points.extend((0..=last).map(|k| place(skin_x(k), -0.5 * short)));
        let mut triangles = Vec::new();
        for side in [upper, lower] {
            for k in 0..last {
                let (m, n) = (k.min(parts), (k + 1).min(parts));
                triangles.push(sorted([m, side + k, side + k + 1]));
                if m != n {
                    triangles.push(sorted([m, n, side + k + 1]));
                }
            }
        }
        triangles.push(sorted([0, upper, lower]));
        triangles.push(sorted([parts, upper + last, lower + last]));
        Ok(Self { points, medial_count: parts + 1, triangles, round: false, end_depth: 0.5 * short })
    }

    /// How many points it has.
    pub fn point_count(&self) -> usize {
        self.points.len()
    }

    /// The radius of the circle about it in m.
    pub fn reach(&self) -> f64 {
        self.points.iter().map(|p| p.length()).fold(0.0, f64::max)
    }
}

fn sorted(mut corners: [usize; 3]) -> [u16; 3] {
    corners.sort_unstable();
    corners.map(|c| c as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(s: &RodSection) -> f64 {
        let one = |t: &[u16; 3]| {
            let [a, b, c] = t.map(|k| s.points[k as usize]);
            0.5 * (b - a).perp_dot(c - a).abs()
        };
        s.triangles.iter().map(one).sum()
    }

    #[test]
    fn triangles_fill_the_section() {
        let pi = std::f64::consts::PI;
        for (section, exact) in [
            (RodSection::circle(0.3, None), pi * 0.09),
            (RodSection::circle(0.3, Some(0.01)), pi * 0.09),
            (RodSection::ellipse(0.3, 0.1, None), pi * 0.03),
            (RodSection::rectangle(0.3, 0.1, None), 0.03),
            (RodSection::rectangle(0.1, 0.3, Some(0.03)), 0.03),
            (RodSection::rectangle(0.1, 0.1, None), 0.01),
        ] {
            let section = section.unwrap();
            assert!((area(&section) / exact - 1.0).abs() < 1e-12, "{section:?}");
            assert!(section.triangles.iter().all(|t| t[0] < t[1] && t[1] < t[2]));
            assert!(section.triangles.iter().all(|t| (t[0] as usize) < section.medial_count));
        }
        assert!(RodSection::circle(0.0, None).is_err());
        assert!(RodSection::circle(1.0, Some(1e-9)).is_err());
        assert!(RodSection::rectangle(1.0, f64::NAN, None).is_err());
    }
}
