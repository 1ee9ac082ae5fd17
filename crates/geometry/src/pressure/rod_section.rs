//! Sections of rods as triangles: the modulus on the axis or the medial line, zero on the skin.
//!
//! A circle or an ellipse is a fan from its center; a rectangle has a medial line along its longer side, h/2 short of
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
    /// Number of points with the modulus; all others lie on the skin.
    pub(crate) medial_count: usize,
    /// Sectors or strips.
    pub(crate) faces: Vec<SectionFace>,
    /// Whether it is a circle: then it need not follow the twist of the rod.
    pub(crate) round: bool,
    /// Distance from the end of the medial line to the end of a rod, in m.
    pub(crate) end_depth: f64,
    /// Half of its extents along m1 and m2, in m.
    pub(crate) half: DVec2,
    /// Whether it is an ellipse, or else a rectangle.
    pub(crate) is_ellipse: bool,
}

/// A part of a section in which the field is linear, a triangle or a trapezoid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SectionFace {
    /// Corners in order around; the last two lie on the skin, all others are medial.
    pub(crate) corners: [u16; 4],
    /// 3 or 4 of them.
    pub(crate) count: usize,
}

impl SectionFace {
    fn of<const N: usize>(list: [usize; N]) -> Self {
        let mut corners = [0; 4];
        corners.iter_mut().zip(list).for_each(|(c, k)| *c = k as u16);
        Self { corners, count: N }
    }

    /// Its triangles, with corners in growing order.
    pub(crate) fn triangles(&self) -> impl Iterator<Item = [u16; 3]> {
        let [a, b, c, d] = self.corners;
        let second = (self.count == 4).then_some([a, c, d]);
        // Of a trapezoid both have its first medial corner.
        std::iter::once([a, b, c]).chain(second).map(|mut t| {
            t.sort_unstable();
            t
        })
    }
}

/// Strips of the longer side of a rectangle.
const DEFAULT_STRIPS: usize = 4;

/// Most points of a section.
const MOST_POINTS: usize = 2000;

impl RodSection {
    /// Whether it is a circle: then it need not follow the twist of the rod.
    pub fn is_round(&self) -> bool {
        self.round
    }

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
        let sector = |j: usize| SectionFace::of([0, 1 + j, 1 + (j + 1) % sides]);
        Ok(Self {
            points,
            medial_count: 1,
            faces: (0..sides).map(sector).collect(),
            round: a == b,
            end_depth: a.min(b),
            half: DVec2::new(a, b),
            is_ellipse: true,
        })
    }

    /// A rectangle of the width `width` along m1 and the height `height` along m2; `resolution` is the greatest width
    /// of the strips of its longer sides in m, by default a quarter of them: a strip touches as a whole, so a flat
    /// rod needs several to resist tilting.
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
            Some(length) => (long / length).ceil().max(1.0) as usize,
            None => DEFAULT_STRIPS,
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
        let mut faces = Vec::new();
        for side in [upper, lower] {
            faces.extend((0..last).map(|k| match parts {
                0 => SectionFace::of([0, side, side + 1]),
                _ => SectionFace::of([k, k + 1, side + k + 1, side + k]),
            }));
        }
        faces.push(SectionFace::of([0, upper, lower]));
        faces.push(SectionFace::of([parts, upper + last, lower + last]));
        Ok(Self {
            points,
            medial_count: parts + 1,
            faces,
            round: false,
            end_depth: 0.5 * short,
            half: DVec2::new(0.5 * w, 0.5 * h),
            is_ellipse: false,
        })
    }

    /// The multiple of `along` that leads from a point inside to the border; infinite if `along` is zero.
    pub(crate) fn exit_distance(&self, place: DVec2, along: DVec2) -> f64 {
        if self.is_ellipse {
            // |x + s d| = 1 in units of the half axes.
            let (x, d) = (place / self.half, along / self.half);
            let (a, b, c) = (d.length_squared(), x.dot(d), (1.0 - x.length_squared()).max(0.0));
            // Without cancellation for either sign of b.
            let root = (b * b + a * c).sqrt();
            return if b > 0.0 {
                c / (b + root)
            } else if a > 0.0 {
                (root - b) / a
            } else {
                f64::INFINITY
            };
        }
        let one = |half: f64, x: f64, d: f64| match d {
            0.0 => f64::INFINITY,
            _ => ((half - x * d.signum()) / d.abs()).max(0.0),
        };
        one(self.half.x, place.x, along.x).min(one(self.half.y, place.y, along.y))
    }

    /// How many points it has.
    pub fn point_count(&self) -> usize {
        self.points.len()
    }

    /// The radius of its circumscribed circle in m.
    pub fn reach(&self) -> f64 {
        self.points.iter().map(|p| p.length()).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(s: &RodSection) -> f64 {
        let one = |t: [u16; 3]| {
            let [a, b, c] = t.map(|k| s.points[k as usize]);
            0.5 * (b - a).perp_dot(c - a).abs()
        };
        s.faces.iter().flat_map(|f| f.triangles()).map(one).sum()
    }

    #[test]
    fn exits_end_on_the_border() {
        let rectangle = RodSection::rectangle(0.3, 0.1, None).unwrap();
        assert!((rectangle.exit_distance(DVec2::new(0.1, 0.0), DVec2::new(1.0, 0.0)) - 0.05).abs() < 1e-15);
        assert!((rectangle.exit_distance(DVec2::new(0.1, 0.04), DVec2::new(1.0, -1.0)) - 0.05).abs() < 1e-15);
        assert!((rectangle.exit_distance(DVec2::new(0.1, 0.04), DVec2::new(0.0, -0.5)) - 0.18).abs() < 1e-15);
        assert_eq!(rectangle.exit_distance(DVec2::ZERO, DVec2::ZERO), f64::INFINITY);
        let ellipse = RodSection::ellipse(0.3, 0.1, None).unwrap();
        for k in 0..12 {
            let (place, along) = (DVec2::new(0.1, -0.05), DVec2::from_angle(0.5 + f64::from(k)));
            let border = (place + ellipse.exit_distance(place, along) * along) / ellipse.half;
            assert!((border.length() - 1.0).abs() < 1e-14, "{k}");
        }
        assert_eq!(ellipse.exit_distance(DVec2::ZERO, DVec2::ZERO), f64::INFINITY);
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
            for face in &section.faces {
                let on_skin = |k: usize| face.corners[k] as usize >= section.medial_count;
                assert!((0..face.count).all(|k| on_skin(k) == (k + 2 >= face.count)), "{face:?}");
                assert!(face.triangles().all(|t| t[0] < t[1] && t[1] < t[2]));
            }
        }
        assert!(RodSection::circle(0.0, None).is_err());
        assert!(RodSection::circle(1.0, Some(1e-9)).is_err());
        assert!(RodSection::rectangle(1.0, f64::NAN, None).is_err());
    }
}
