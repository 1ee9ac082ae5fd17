//! A loose overhand knot of order n.
//!
//! The rope comes in along x, winds about the second strand, goes round a stadium-shaped loop, winds
//! about the first strand in the same sense and goes out along x: 2n + 1 crossings, and joined at
//! infinity the torus knot T(2, 2n + 1).
//!
//! Each strand is an axis plus an offset a (cos ψ n + sin ψ y), n the axis's inward normal and y across
//! its plane. Both axes are the same straight line in the braid, where the phases differ by half a turn:
//! the strands are a double helix, 2a apart.
//!
//! ```text
//!          ______ b ______
//!         (               )      T: a turn by π, its curvature rising to κ and falling again
//!    A     ) ____ b ____ (    A
//! --------<-=-=-=-=-=-=-=->--------
//! ```
//!
//! ψ' = p in the braid and falls to zero, as a cosine, over f = π/p beyond it, where a quarter turn
//! remains (2np' within, π/2 on each side): there the loop's axis has begun to rise on the side to which
//! its strand turns, so the strands only move apart. The loop's curvature rises over the same f.
//!
//! | symbol | meaning | from |
//! |---|---|---|
//! | L, D, g | length, distance of the ends, gap | given |
//! | a | g/2 | |
//! | b | 2nπ/p | the braid holds n turns less the last quarters |
//! | T | (L − D)/2 − b | L = 2A + 3b + 2T, D = 2A + b |
//! | κ | π/(T − f) | a turn by π |
//! | p | a p² = κ | the braid bends as much as the loop: the least greatest curvature |
//!
//! The rope is a little longer than its axis; the length of the axis is corrected until the rope's is L.

use super::Curve;
use super::spline::Spline;
use crate::spec::OverhandSpec;
use core::f64::consts::{FRAC_PI_2, PI};
use glam::DVec3;

/// Samples over each fade length f.
const SAMPLES: usize = 24;
/// Most fade lengths along the rope: a bound on memory, far beyond real ropes.
const MOST_FADES: f64 = 2e4;
/// Steepest winding a p: two strands of a double helix touch beside the crossing at 1.
const STEEPEST: f64 = 0.5;

struct Knot {
    order: f64,
    offset: f64,
    braid: f64,
    fade: f64,
    turn: f64,
    curvature: f64,
    tail: f64,
    side: f64,
}

/// The knot's centerline, or why there is none.
pub(crate) fn overhand(spec: &OverhandSpec) -> Result<Spline, String> {
    let distance = spec.end_distance.unwrap_or(0.3 * spec.length);
    let mut axis_length = spec.length;
    for _ in 0..5 {
        let knot = Knot::fit(spec, axis_length, distance)?;
        let points: Vec<DVec3> = knot.points().into_iter().map(|p| p + DVec3::from(spec.center)).collect();
        let spline = Spline::through(&points, false)
            .map_err(|_| "the knot is too small to be told from a point".to_owned())?;
        if (spline.length() / spec.length - 1.0).abs() < 1e-10 {
            return Ok(spline);
        }
        axis_length *= spec.length / spline.length();
    }
    let knot = Knot::fit(spec, axis_length, distance)?;
    let points: Vec<DVec3> = knot.points().into_iter().map(|p| p + DVec3::from(spec.center)).collect();
    Spline::through(&points, false).map_err(|_| "the knot is too small to be told from a point".to_owned())
}

impl Knot {
    fn fit(spec: &OverhandSpec, length: f64, distance: f64) -> Result<Self, String> {
        let too_short = || {
            format!(
                "a rope of {} m is too short for an overhand knot of order {} with a gap of {} m and its \
                 ends {} m apart",
                spec.length, spec.order, spec.gap, distance
            )
        };
        let order = f64::from(spec.order);
        let (offset, half) = (0.5 * spec.gap, 0.5 * (length - distance));
        if half.is_nan() || half <= 0.0 {
            return Err(too_short());
        }
        // a p² − π/(half − (2n+1)π/p) rises with p from −∞ at the pole.
        let pole = (2.0 * order + 1.0) * PI / half;
        let excess = |p: f64| offset * p * p - PI / (half - (2.0 * order + 1.0) * PI / p);
        let (mut low, mut high) = (pole, 2.0 * pole);
        while excess(high) < 0.0 {
            if offset * high > STEEPEST {
                break;
            }
            high *= 2.0;
        }
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if middle > pole && excess(middle) > 0.0 { high = middle } else { low = middle }
        }
        let (braid, fade) = (2.0 * order * PI / high, PI / high);
        let turn = half - braid;
        let tail = 0.5 * (distance - braid);
        if !(offset * high <= STEEPEST && turn > 2.0 * fade && tail >= fade) {
            return Err(too_short());
        }
        if length / fade > MOST_FADES {
            return Err(format!("a gap of {} m is too small for a rope of {} m", spec.gap, spec.length));
        }
        let side = if spec.left_handed { -1.0 } else { 1.0 };
        Ok(Self { order, offset, braid, fade, turn, curvature: PI / (turn - fade), tail, side })
    }

    /// Curvature of the axis at a distance `u` into a turn.
    fn turn_heading(&self, u: f64) -> f64 {
        let (k, f) = (self.curvature, self.fade);
        let rise = |u: f64| 0.5 * k * (u - f / PI * (PI * u / f).sin());
        if u <= f {
            rise(u)
        } else if u < self.turn - f {
            0.5 * k * f + k * (u - f)
        } else {
            PI - rise(self.turn - u)
        }
    }

    /// Heading of the axis at its arclength `s`.
    fn heading(&self, s: f64) -> f64 {
        let first = self.tail + self.braid;
        let second = first + self.turn + self.braid;
        if s <= first {
            0.0
        } else if s < first + self.turn {
            self.turn_heading(s - first)
        } else if s <= second {
            PI
        } else if s < second + self.turn {
            PI + self.turn_heading(s - second)
        } else {
            2.0 * PI
        }
    }

    /// Winding of a strand at `x` from the middle of the braid: from 0 to (2n + 1)π.
    fn winding(&self, x: f64) -> f64 {
        let (half, f) = (0.5 * self.braid, self.fade);
        let all = (2.0 * self.order + 1.0) * PI;
        // Beyond the braid p(1 + cos(πu/f))/2 remains, a quarter turn in all.
        let beyond = |u: f64| 0.5 * PI / f * (u + f / PI * (PI * u / f).sin());
        if x <= -half - f {
            0.0
        } else if x < -half {
            FRAC_PI_2 - beyond(-half - x)
        } else if x <= half {
            FRAC_PI_2 + (x + half) * PI / f
        } else if x < half + f {
            all - FRAC_PI_2 + beyond(x - half)
        } else {
            all
        }
    }

    fn points(&self) -> Vec<DVec3> {
        let total = 2.0 * self.tail + 3.0 * self.braid + 2.0 * self.turn;
        let count = (total / self.fade * SAMPLES as f64).ceil() as usize;
        let h = total / count as f64;
        let pass_1 = self.tail + 0.5 * self.braid;
        let pass_2 = pass_1 + 2.0 * (self.braid + self.turn);
        let mut axis = DVec3::new(-self.tail - 0.5 * self.braid, 0.0, 0.0);
        let direction = |angle: f64| DVec3::new(angle.cos(), 0.0, angle.sin());
        let mut points = Vec::with_capacity(count + 1);
        for i in 0..=count {
            let s = i as f64 * h;
            // The first strand comes in on the outer side and leaves on the inner one, the second the
            // other way round.
            let psi = if s < 0.5 * total {
                PI + self.winding(s - pass_1)
            } else {
                PI + (2.0 * self.order + 1.0) * PI + self.winding(s - pass_2)
            };
            let heading = self.heading(s);
            let inward = DVec3::new(-heading.sin(), 0.0, heading.cos());
            let offset = inward * psi.cos() + DVec3::Y * (self.side * psi.sin());
            points.push(axis + offset * self.offset);
            // Simpson's rule for the axis.
            let (mid, end) = (self.heading(s + 0.5 * h), self.heading(s + h));
            axis += (direction(heading) + 4.0 * direction(mid) + direction(end)) * (h / 6.0);
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::nodes_along;
    use crate::spec::HalfEdgeSpec;

    const GAP: f64 = 3.2e-3;

    fn nodes(order: u32) -> Vec<DVec3> {
        let spec = OverhandSpec {
            order,
            length: 1.0,
            gap: GAP,
            end_distance: None,
            center: [0.1, 0.2, 0.3],
            left_handed: false,
        };
        nodes_along(&overhand(&spec).unwrap(), 300, false, HalfEdgeSpec::None)
    }

    /// Distance of two segments, by the clamped closest points (Ericson, Real-Time Collision Detection,
    /// § 5.1.9).
    fn segment_distance(p: [DVec3; 2], q: [DVec3; 2]) -> f64 {
        let (d1, d2, r) = (p[1] - p[0], q[1] - q[0], p[0] - q[0]);
        let (a, e, f, c, b) = (d1.dot(d1), d2.dot(d2), d2.dot(r), d1.dot(r), d1.dot(d2));
        let denominator = a * e - b * b;
        let mut s = if denominator > 1e-30 { ((b * f - c * e) / denominator).clamp(0.0, 1.0) } else { 0.0 };
        let t = ((b * s + f) / e).clamp(0.0, 1.0);
        s = ((b * t - c) / a).clamp(0.0, 1.0);
        (p[0] + d1 * s - q[0] - d2 * t).length()
    }

    #[test]
    fn strands_keep_their_gap() {
        for order in 1..=4 {
            let x = nodes(order);
            let mut least = f64::MAX;
            for i in 0..300 {
                // Neighbors along the rope are always close.
                for j in i + 20..300 {
                    least = least.min(segment_distance([x[i], x[i + 1]], [x[j], x[j + 1]]));
                }
            }
            // The chords of 300 edges cut inside the curve by κh²/8 on each strand.
            let chords = 2.0 * 27.0 * (1.0f64 / 300.0).powi(2) / 8.0;
            assert!(least > GAP - chords && least > 3e-3, "order {order}: {least}");
            assert!(least < GAP * 1.02, "order {order}: {least}");
        }
    }

    #[test]
    fn the_side_view_has_two_n_plus_one_crossings_of_one_sign() {
        for order in 1..=4 {
            let x = nodes(order);
            let cross = |a: DVec3, b: DVec3| a.x * b.z - a.z * b.x;
            let mut signs = Vec::new();
            for i in 0..300 {
                for j in i + 2..300 {
                    let (d1, d2, r) = (x[i + 1] - x[i], x[j + 1] - x[j], x[j] - x[i]);
                    let denominator = cross(d1, d2);
                    let (s, t) = (cross(r, d2) / denominator, cross(r, d1) / denominator);
                    if (0.0..1.0).contains(&s) && (0.0..1.0).contains(&t) {
                        let over = (x[i] + d1 * s).y - (x[j] + d2 * t).y;
                        signs.push((over * denominator).signum());
                    }
                }
            }
            assert_eq!(signs.len(), 2 * order as usize + 1, "order {order}");
            assert!(signs.iter().all(|s| *s == signs[0]), "order {order}: {signs:?}");
        }
    }

    #[test]
    fn segments_are_even_and_curvature_is_bounded() {
        for (order, bound) in [(1, 14.0), (2, 17.5), (3, 22.0), (4, 27.5)] {
            let x = nodes(order);
            let lengths: Vec<f64> = x.windows(2).map(|p| (p[1] - p[0]).length()).collect();
            let total: f64 = lengths.iter().sum();
            assert!((total - 1.0).abs() < 2e-3, "{total}");
            for l in &lengths {
                assert!((l / total * 300.0 - 1.0).abs() < 1e-3, "order {order}: {l}");
            }
            assert!(((x[300] - x[0]).length() - 0.3).abs() < 1e-6);
            let greatest = x
                .windows(3)
                .map(|p| {
                    let (a, b) = (p[1] - p[0], p[2] - p[1]);
                    2.0 * (0.5 * a.angle_between(b)).tan() / (0.5 * (a.length() + b.length()))
                })
                .fold(0.0, f64::max);
            assert!(greatest < bound && greatest > 0.7 * bound, "order {order}: {greatest}");
        }
    }

    #[test]
    fn a_rope_that_is_too_short_is_refused() {
        let spec = |order, length| OverhandSpec {
            order,
            length,
            gap: GAP,
            end_distance: None,
            center: [0.0; 3],
            left_handed: true,
        };
        assert!(overhand(&spec(4, 1.0)).is_ok());
        assert!(overhand(&spec(4, 0.05)).is_err());
        assert!(overhand(&spec(50, 1.0)).is_err());
        assert!(overhand(&OverhandSpec { end_distance: Some(2.0), ..spec(1, 1.0) }).is_err());
    }
}
