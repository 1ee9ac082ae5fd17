//! A twice continuously differentiable curve through points.
//!
//! Cubic on each span, with the chord length u as parameter: second derivatives M_i solve
//! h_{i−1} M_{i−1} + 2(h_{i−1} + h_i) M_i + h_i M_{i+1} = 6 (Δ_i/h_i − Δ_{i−1}/h_{i−1}), with M = 0 at the
//! ends of an open curve and cyclic for a closed one. Source: de Boor, A Practical Guide to Splines, IV.
//! Arclength by five-point Gauss–Legendre on pieces of each span, inverted by Newton's method.

use super::Curve;
use glam::DVec3;

/// Pieces of each span in the table of arclength.
const PIECES: usize = 8;
/// Gauss–Legendre nodes and weights on [−1, 1].
const GAUSS: [(f64, f64); 5] = [
    (-0.906_179_845_938_664, 0.236_926_885_056_189_1),
    (-0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
    (0.0, 0.568_888_888_888_888_9),
    (0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
    (0.906_179_845_938_664, 0.236_926_885_056_189_1),
];

/// The spline.
pub(crate) struct Spline {
    /// Points; a closed curve repeats its first at the end.
    points: Vec<DVec3>,
    /// Chord length of each span.
    spans: Vec<f64>,
    /// Second derivative at each point.
    second: Vec<DVec3>,
    /// Arclength at the start of each piece, and the whole at the end.
    table: Vec<f64>,
}

impl Spline {
    /// A curve through `points` (at least two; three if closed), or the index of a point that coincides
    /// with the one before.
    pub(crate) fn through(points: &[DVec3], closed: bool) -> Result<Self, usize> {
        let mut points = points.to_vec();
        if closed {
            points.push(points[0]);
        }
        let spans: Vec<f64> = points.windows(2).map(|p| (p[1] - p[0]).length()).collect();
        if let Some(bad) = spans.iter().position(|h| !(h.is_normal() && h.recip().is_finite())) {
            return Err(bad + 1);
        }
        let second =
            if closed { closed_second_derivatives(&points, &spans) } else { open_second(&points, &spans) };
        let mut spline = Self { points, spans, second, table: vec![0.0] };
        let mut total = 0.0;
        for span in 0..spline.spans.len() {
            for piece in 0..PIECES {
                let h = spline.spans[span] / PIECES as f64;
                total += spline.piece_length(span, piece as f64 * h, h);
                spline.table.push(total);
            }
        }
        Ok(spline)
    }

    fn piece_length(&self, span: usize, from: f64, h: f64) -> f64 {
        let speed = |u: f64| self.derivative(span, u).length();
        GAUSS.iter().map(|(x, w)| 0.5 * h * w * speed(from + 0.5 * h * (1.0 + x))).sum()
    }

    fn value(&self, span: usize, u: f64) -> DVec3 {
        let (h, a, b) = (self.spans[span], self.second[span], self.second[span + 1]);
        let v = h - u;
        (a * v.powi(3) + b * u.powi(3)) / (6.0 * h)
            + (self.points[span] / h - a * h / 6.0) * v
            + (self.points[span + 1] / h - b * h / 6.0) * u
    }

    fn derivative(&self, span: usize, u: f64) -> DVec3 {
        let (h, a, b) = (self.spans[span], self.second[span], self.second[span + 1]);
        let v = h - u;
        (b * u * u - a * v * v) / (2.0 * h) + (self.points[span + 1] - self.points[span]) / h
            - (b - a) * (h / 6.0)
    }

    /// Span and parameter at arclength `s`.
    fn locate(&self, s: f64) -> (usize, f64) {
        let s = s.clamp(0.0, self.length());
        let piece = self.table.partition_point(|&t| t <= s).clamp(1, self.table.len() - 1) - 1;
        let (span, h) = (piece / PIECES, self.spans[piece / PIECES] / PIECES as f64);
        let start = (piece % PIECES) as f64 * h;
        let wanted = s - self.table[piece];
        let whole = self.table[piece + 1] - self.table[piece];
        let mut u = if whole > 0.0 { h * wanted / whole } else { 0.0 };
        for _ in 0..4 {
            let speed = self.derivative(span, start + u).length();
            if speed > 0.0 {
                u = (u - (self.piece_length(span, start, u) - wanted) / speed).clamp(0.0, h);
            }
        }
        (span, start + u)
    }
}

impl Curve for Spline {
    fn length(&self) -> f64 {
        self.table[self.table.len() - 1]
    }
    fn point(&self, s: f64) -> DVec3 {
        let (span, u) = self.locate(s);
        self.value(span, u)
    }
    fn tangent(&self, s: f64) -> DVec3 {
        let (span, u) = self.locate(s);
        self.derivative(span, u).normalize()
    }
}

fn slope_change(points: &[DVec3], spans: &[f64], before: usize, after: usize) -> DVec3 {
    6.0 * ((points[after + 1] - points[after]) / spans[after]
        - (points[before + 1] - points[before]) / spans[before])
}

/// Natural ends: M = 0 there.
fn open_second(points: &[DVec3], spans: &[f64]) -> Vec<DVec3> {
    let inner = points.len() - 2;
    let diagonal: Vec<f64> = (0..inner).map(|i| 2.0 * (spans[i] + spans[i + 1])).collect();
    let right: Vec<DVec3> = (0..inner).map(|i| slope_change(points, spans, i, i + 1)).collect();
    let mut second = vec![DVec3::ZERO];
    second.extend(solve_tridiagonal(&diagonal, spans.get(1..).unwrap_or(&[]), right));
    second.push(DVec3::ZERO);
    second
}

/// Cyclic system by Sherman–Morrison: the corner c becomes the rank-one term u vᵀ with u = v = (−d₀, 0,
/// …, c) up to scale. Source: Press et al., Numerical Recipes, § 2.7.
fn closed_second_derivatives(points: &[DVec3], spans: &[f64]) -> Vec<DVec3> {
    let n = spans.len();
    let mut diagonal: Vec<f64> = (0..n).map(|i| 2.0 * (spans[(i + n - 1) % n] + spans[i])).collect();
    let right: Vec<DVec3> = (0..n).map(|i| slope_change(points, spans, (i + n - 1) % n, i)).collect();
    let corner = spans[n - 1];
    let gamma = -diagonal[0];
    diagonal[0] -= gamma;
    diagonal[n - 1] -= corner * corner / gamma;
    let mut u = vec![DVec3::ZERO; n];
    u[0] = DVec3::splat(gamma);
    u[n - 1] = DVec3::splat(corner);
    let x = solve_tridiagonal(&diagonal, spans, right);
    let z = solve_tridiagonal(&diagonal, spans, u);
    let factor = (x[0] + x[n - 1] * (corner / gamma)) / (1.0 + z[0].x + z[n - 1].x * corner / gamma);
    let mut second: Vec<DVec3> = x.iter().zip(&z).map(|(x, z)| *x - factor * z.x).collect();
    second.push(second[0]);
    second
}

/// Symmetric tridiagonal system; diagonally dominant, so no pivots are needed. `off[i]` couples i and
/// i + 1.
fn solve_tridiagonal(diagonal: &[f64], off: &[f64], mut right: Vec<DVec3>) -> Vec<DVec3> {
    let n = right.len();
    let mut d = diagonal.to_vec();
    for i in 1..n {
        let w = off[i - 1] / d[i - 1];
        d[i] -= w * off[i - 1];
        let before = right[i - 1];
        right[i] -= before * w;
    }
    for i in (0..n).rev() {
        let next = if i + 1 < n { right[i + 1] * off[i] } else { DVec3::ZERO };
        right[i] = (right[i] - next) / d[i];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::TAU;

    #[test]
    fn a_closed_spline_through_a_circle_is_nearly_that_circle() {
        let n = 40;
        let points: Vec<DVec3> = (0..n)
            .map(|i| {
                let (s, c) = (TAU * i as f64 / n as f64).sin_cos();
                DVec3::new(c, s, 0.5)
            })
            .collect();
        let spline = Spline::through(&points, true).unwrap();
        assert!((spline.length() - TAU).abs() < 2e-5, "{}", spline.length());
        for i in 0..100 {
            let s = spline.length() * i as f64 / 100.0;
            assert!(((spline.point(s) - DVec3::Z * 0.5).length() - 1.0).abs() < 1e-5);
            assert!(spline.tangent(s).dot(spline.point(s)).abs() < 1e-4);
        }
    }

    #[test]
    fn an_open_spline_passes_its_points_at_unit_speed() {
        let points = [
            DVec3::new(0.0, 0.0, 0.0),
            DVec3::new(1.0, 0.2, 0.0),
            DVec3::new(1.5, 1.0, 0.3),
            DVec3::new(0.4, 1.4, 0.9),
        ];
        let spline = Spline::through(&points, false).unwrap();
        assert_eq!(spline.point(0.0), points[0]);
        assert!((spline.point(spline.length()) - points[3]).length() < 1e-14);
        for p in points {
            let nearest = (0..4000)
                .map(|i| (spline.point(spline.length() * i as f64 / 3999.0) - p).length())
                .fold(f64::MAX, f64::min);
            assert!(nearest < 1e-3);
        }
        for i in 1..50 {
            let (s, h) = (spline.length() * i as f64 / 50.0, 1e-5);
            let speed = (spline.point(s + h) - spline.point(s - h)).length() / (2.0 * h);
            assert!((speed - 1.0).abs() < 1e-6, "{speed}");
        }
        assert!(Spline::through(&[points[0], points[0]], false).is_err());
    }
}
