//! Balls, cylinders and capsules, by rays: exact for any size in the image, with a few operations for a sample.
//!
//! A ray o + z d (d_z = 1) meets the cylinder about the axis through a with the unit direction u where
//! |P (o − a + z d)| = r, with P = 1 − u uᵀ: a quadratic equation A z² + 2 B z + C = 0. Past the ends of the axis it is a
//! ball or a disk that the ray meets. Along a row o and d are affine in the column x, one of them constant, so A, B,
//! C and B² − A C are polynomials in x of second order: the roots of the last bound the solid in the row, and a
//! sample costs one root and one division.

use crate::camera::Lens;
use glam::{DVec3, Vec3};

/// Half the width of a mark relative to the radius.
const MARK: f32 = 0.05;

/// Data for normals, in single precision.
#[derive(Clone, Copy, Debug)]
struct Skin {
    start: Vec3,
    axis: Vec3,
    length: f32,
    radius: f32,
    /// See [`crate::geometry::Round::mark`].
    mark: Vec3,
}

/// A solid of revolution in the camera's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProjectedRound {
    /// One end of the axis in m.
    start: DVec3,
    /// Unit direction to the other end; zero for a ball.
    axis: DVec3,
    length: f64,
    radius: f64,
    flat: bool,
    skin: Skin,
    pub(crate) surface: u32,
    /// Columns and rows of the image that hold it: first, and one past the last.
    pub(crate) columns: [usize; 2],
    pub(crate) rows: [usize; 2],
    /// The axis in the image, and the greatest distance of the solid from it in px.
    spine: Option<([[f64; 2]; 2], f64)>,
}

impl ProjectedRound {
    /// Of a solid with `ends` in the camera's frame; `None` if it is not in an image of `width` by `height` samples.
    pub(crate) fn new(
        round: &crate::geometry::Round,
        ends: [DVec3; 2],
        mark: DVec3,
        lens: &Lens,
        [width, height]: [usize; 2],
    ) -> Option<Self> {
        let along = ends[1] - ends[0];
        let (length, radius) = (along.length(), round.radius);
        let finite = ends.iter().all(|p| p.is_finite()) && radius.is_finite();
        if !finite || ends.iter().all(|p| p.z + radius <= lens.near) {
            return None;
        }
        let full = [[0.0, width as f64], [0.0, height as f64]];
        // The corners of the caps of a cylinder are within balls of √2 times its radius only if it is short; balls of its
        // radius at either end hold the sides, and disks lie within those.
        let boxes = ends.map(|p| ball_bounds(p, radius, lens));
        let [columns, rows] = match boxes {
            [Some(a), Some(b)] => [0, 1].map(|k| [a[k][0].min(b[k][0]), a[k][1].max(b[k][1])]),
            _ => full,
        };
        let spine = match boxes {
            [Some(a), Some(b)] => {
                let middle = |r: [[f64; 2]; 2]| r.map(|[low, high]| 0.5 * (low + high));
                let half = |r: [[f64; 2]; 2]| (r[0][1] - r[0][0]).max(r[1][1] - r[1][0]) * 0.5;
                // Projected balls are ellipses within their boxes: the corner of a box is the farthest.
                Some(([middle(a), middle(b)], half(a).max(half(b)) * core::f64::consts::SQRT_2 + 1.0))
            }
            _ => None,
        };
        let clip = |[low, high]: [f64; 2], count: usize| {
            [(low - 0.5).ceil().max(0.0) as usize, (high + 0.5).floor().clamp(0.0, count as f64) as usize]
        };
        let (columns, rows) = (clip(columns, width), clip(rows, height));
        (columns[0] < columns[1] && rows[0] < rows[1]).then_some(Self {
            start: ends[0],
            axis: if length > 0.0 { along / length } else { DVec3::ZERO },
            length,
            radius,
            flat: round.flat && length > 0.0,
            skin: Skin {
                start: ends[0].as_vec3(),
                axis: along.normalize_or_zero().as_vec3(),
                length: length as f32,
                radius: radius as f32,
                mark: mark.as_vec3(),
            },
            surface: round.surface,
            columns,
            rows,
            spine,
        })
    }

    /// Calls `point` with row, column and nearness of each sample in `rows` that sees it.
    pub(crate) fn points(
        &self,
        lens: &Lens,
        rows: core::ops::Range<usize>,
        width: usize,
        mut point: impl FnMut(usize, usize, f32),
    ) {
        let rows = rows.start.max(self.rows[0])..rows.end.min(self.rows[1]);
        for row in rows {
            let y = row as f64 + 0.5;
            let columns = self.row_range(y, width);
            if columns.is_empty() {
                continue;
            }
            let rays = RowOfRays::new(lens, columns.start as f64 + 0.5, y);
            let ends = [self.start, self.start + self.axis * self.length];
            let first = columns.start;
            let mut put = |column: usize, z: f64| {
                if z > lens.near {
                    point(row, column, lens.nearness(z) as f32);
                }
            };
            if self.length == 0.0 {
                let ball = Quadratic::ball(&rays, self.start, self.radius);
                for column in ball.columns(first, columns) {
                    if let Some(z) = ball.root((column - first) as f64) {
                        put(column, z);
                    }
                }
                continue;
            }
            let side = Quadratic::cylinder(&rays, self.start, self.axis, self.radius);
            let balls = ends.map(|end| Quadratic::ball(&rays, end, self.radius));
            let (mu, du) = rays.along(self.start, self.axis);
            for column in side.columns(first, columns) {
                let x = (column - first) as f64;
                let Some(z) = side.root(x) else { continue };
                let (mu, du) = (mu[0] + x * mu[1], du[0] + x * du[1]);
                let s = mu + z * du;
                // Past an end, or along the axis, where the side is met nowhere or far away: intersect the end that
                // faces the eye.
                let end = match s {
                    s if (0.0..=self.length).contains(&s) => {
                        put(column, z);
                        continue;
                    }
                    s if s.is_finite() => usize::from(s > self.length),
                    _ => usize::from(du < 0.0),
                };
                if !self.flat {
                    if let Some(z) = balls[end].root(x) {
                        put(column, z);
                    }
                    continue;
                }
                let (o, d) = lens.ray(column as f64 + 0.5, y);
                let z = (end as f64 * self.length - mu) / du;
                if (o + d * z - ends[end]).length_squared() <= self.radius * self.radius {
                    put(column, z);
                }
            }
        }
    }

    /// Columns in the row at `y` outside of which it is not seen.
    fn row_range(&self, y: f64, width: usize) -> core::ops::Range<usize> {
        let [low, high] = self.columns;
        let Some(([a, b], reach)) = self.spine else { return low..high.min(width) };
        // Where the axis is within reach of the row.
        let rise = b[1] - a[1];
        let (mut from, mut to) = (0.0, 1.0);
        if rise.abs() > 1e-9 {
            let ends = [(y - reach - a[1]) / rise, (y + reach - a[1]) / rise];
            (from, to) = (ends[0].min(ends[1]).max(0.0), ends[0].max(ends[1]).min(1.0));
            if from > to {
                return 0..0;
            }
        }
        let at = |t: f64| a[0] + (b[0] - a[0]) * t;
        let (left, right) = (at(from).min(at(to)) - reach, at(from).max(at(to)) + reach);
        low.max(left.max(0.0) as usize)..high.min(right.max(0.0).ceil() as usize).min(width)
    }

    /// Unit normal at a point of its surface, and whether the point is on its mark.
    #[inline]
    pub(crate) fn normal(&self, p: Vec3) -> (Vec3, bool) {
        let Skin { start, axis, length, radius, mark } = self.skin;
        let m = p - start;
        let s = m.dot(axis);
        let across = m - axis * s;
        if !self.flat {
            return ((m - axis * s.clamp(0.0, length)).normalize_or_zero(), false);
        }
        let side = mark.cross(axis);
        let marked = across.dot(mark) > 0.0 && across.dot(side).abs() < MARK * radius;
        // On an end if that is nearer than the side.
        if s.min(length - s) < (radius - across.length()).abs() {
            return (if s < 0.5 * length { -axis } else { axis }, marked);
        }
        (across.normalize_or_zero(), marked)
    }

    /// Nearness of the middle, by which transparent solids are ordered.
    pub(crate) fn middle(&self, lens: &Lens) -> f32 {
        lens.nearness((self.start + self.axis * 0.5 * self.length).z.max(lens.near)) as f32
    }
}

/// The least box in the image about a ball: [[left, right], [top, bottom]] in px; `None` if part of it is not in front.
fn ball_bounds(center: DVec3, radius: f64, lens: &Lens) -> Option<[[f64; 2]; 2]> {
    if center.z - radius <= lens.near {
        return None;
    }
    let along = |c: f64, middle: f64| {
        if !lens.perspective {
            return [middle + lens.focal * (c - radius), middle + lens.focal * (c + radius)];
        }
        // Tangents from the eye in the plane of this axis and z: (c z ± r √(c² + z² − r²)) / (z² − r²).
        let z = center.z;
        let scale = lens.focal / (z * z - radius * radius);
        let reach = radius * (c * c + z * z - radius * radius).sqrt();
        [middle + scale * (c * z - reach), middle + scale * (c * z + reach)]
    };
    Some([along(center.x, lens.center[0]), along(center.y, lens.center[1])])
}

/// The rays of a row: o = o₀ + x o₁ and d = d₀ + x d₁, x counted from its first sample.
struct RowOfRays {
    origin: [DVec3; 2],
    direction: [DVec3; 2],
}

impl RowOfRays {
    fn new(lens: &Lens, x: f64, y: f64) -> Self {
        let (o, d) = lens.ray(x, y);
        let step = DVec3::X / lens.focal;
        match lens.perspective {
            true => Self { origin: [o, DVec3::ZERO], direction: [d, step] },
            false => Self { origin: [o, step], direction: [d, DVec3::ZERO] },
        }
    }

    /// (o − start)·axis and d·axis, each as a constant and a slope.
    fn along(&self, start: DVec3, axis: DVec3) -> ([f64; 2], [f64; 2]) {
        let [o0, o1] = self.origin;
        ([(o0 - start).dot(axis), o1.dot(axis)], self.direction.map(|d| d.dot(axis)))
    }
}

/// A z² + 2 B z + C = 0 along a row, each a polynomial in x.
#[derive(Clone, Copy)]
struct Quadratic {
    a: [f64; 3],
    b: [f64; 2],
    /// B² − A C.
    discriminant: [f64; 3],
}

impl Quadratic {
    fn ball(rays: &RowOfRays, center: DVec3, radius: f64) -> Self {
        let [o0, o1] = rays.origin;
        Self::of([o0 - center, o1], rays.direction, radius)
    }

    fn cylinder(rays: &RowOfRays, start: DVec3, axis: DVec3, radius: f64) -> Self {
        let across = |v: DVec3| v - axis * v.dot(axis);
        let [o0, o1] = rays.origin;
        Self::of([across(o0 - start), across(o1)], rays.direction.map(across), radius)
    }

    /// |m + z d|² = r².
    fn of([m0, m1]: [DVec3; 2], [d0, d1]: [DVec3; 2], radius: f64) -> Self {
        let a = [d0.dot(d0), 2.0 * d0.dot(d1), d1.dot(d1)];
        let b = [m0.dot(d0), m0.dot(d1) + m1.dot(d0)];
        let c = [m0.dot(m0) - radius * radius, 2.0 * m0.dot(m1), m1.dot(m1)];
        // Only one of A and C depends on x. For the constant term the length of what is left of m without d is exact where
        // a small ball is far away: B² − A C = A (r² − |m − d B/A|²).
        let closest = if a[0] > 0.0 { m0 - d0 * (b[0] / a[0]) } else { m0 };
        let discriminant = [
            a[0] * (radius * radius - closest.length_squared()),
            2.0 * b[0] * b[1] - a[0] * c[1] - a[1] * c[0],
            b[1] * b[1] - a[0] * c[2] - a[2] * c[0] - a[1] * c[1],
        ];
        Self { a, b, discriminant }
    }

    /// The columns, counted from `first`, that lie between the roots of the discriminant, as far as they are in `within`.
    fn columns(&self, first: usize, within: core::ops::Range<usize>) -> core::ops::Range<usize> {
        let [p, q, r] = self.discriminant;
        // Convex solids are met between two roots, with r < 0; else (the eye may be inside) every column is tried.
        if r >= 0.0 {
            return within;
        }
        let under = q * q - 4.0 * p * r;
        if under < 0.0 {
            return 0..0;
        }
        let (middle, half) = (-0.5 * q / r, -0.5 * under.sqrt() / r);
        let (low, high) = (middle - half - 1.0 + first as f64, middle + half + 2.0 + first as f64);
        within.start.max(low.max(0.0) as usize)..within.end.min(high.max(0.0) as usize)
    }

    /// The lesser root at x.
    #[inline]
    fn root(&self, x: f64) -> Option<f64> {
        let [p, q, r] = self.discriminant;
        let discriminant = p + x * (q + x * r);
        if discriminant < 0.0 {
            return None;
        }
        let a = self.a[0] + x * (self.a[1] + x * self.a[2]);
        Some((-(self.b[0] + x * self.b[1]) - discriminant.sqrt()) / a)
    }
}
