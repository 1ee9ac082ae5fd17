//! Nearest points of segments: to points, segments, boxes, cylinders, triangles.
//!
//! Along a segment x(s) = a + s (b − a) the squared distance to a convex set is convex, so half its derivative
//! φ(s) = (b − a)·(x − foot) never falls. To a box φ is piecewise linear with breaks where x crosses a face plane;
//! to a cylinder it is smooth between the crossings of cap planes and of the side, and Newton's method kept inside a
//! bracket finds its zero to round-off.

use crate::convex::any_perpendicular;
use crate::point::closest_on_triangle;
use glam::DVec3;

/// Parameter in [0, 1] of the point of the segment a–b nearest to `p`; 0 if the segment has no length.
#[inline]
pub fn closest_parameter(a: DVec3, b: DVec3, p: DVec3) -> f64 {
    let u = b - a;
    let squared = u.length_squared();
    if squared > 0.0 { ((p - a).dot(u) / squared).clamp(0.0, 1.0) } else { 0.0 }
}

/// The point at a parameter, exactly the ends at 0 and 1.
#[inline]
pub(crate) fn at(a: DVec3, b: DVec3, s: f64) -> DVec3 {
    (1.0 - s) * a + s * b
}

/// Parameters of nearest points of the segments a–b and c–d (as Ericson, Real-Time Collision Detection, 5.1.9, with
/// one more projection on each, which removes the error of nearly parallel lines). For parallel segments that
/// overlap: the middle of the overlap.
#[inline]
pub fn closest_parameters(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> (f64, f64) {
    let (u, v, w) = (b - a, d - c, a - c);
    let (uu, vv, uv) = (u.length_squared(), v.length_squared(), u.dot(v));
    if uu <= 0.0 {
        return (0.0, closest_parameter(c, d, a));
    }
    if vv <= 0.0 {
        return (closest_parameter(a, b, c), 0.0);
    }
    let (uw, vw) = (u.dot(w), v.dot(w));
    // |u × v|² by the cross product: uu·vv − uv² would cancel.
    let area = u.cross(v).length_squared();
    if area <= 1e-24 * uu * vv {
        return parallel_parameters(uu, uv, uw, vv, vw);
    }
    // Independent divisions, which overlap.
    let (per_uu, per_vv) = (1.0 / uu, 1.0 / vv);
    let s = ((uv * vw - vv * uw) / area).clamp(0.0, 1.0);
    let t = ((uv * s + vw) * per_vv).clamp(0.0, 1.0);
    // Once more on a–b: needed if t was clamped to an end, and without effect otherwise; a branch would cost more.
    (((uv * t - uw) * per_uu).clamp(0.0, 1.0), t)
}

#[cold]
fn parallel_parameters(uu: f64, uv: f64, uw: f64, vv: f64, vw: f64) -> (f64, f64) {
    let (s0, s1) = (-uw / uu, (uv - uw) / uu);
    let (low, high) = (s0.min(s1).clamp(0.0, 1.0), s0.max(s1).clamp(0.0, 1.0));
    let s = 0.5 * (low + high);
    (s, ((uv * s + vw) / vv).clamp(0.0, 1.0))
}

/// Distance of two segments and the unit normal from the second to the first, given the vector `v` between the
/// nearest points at the parameters s and t. Where segments (nearly) cross, v is round-off: the normal is then
/// perpendicular to both, to the one that is met between its ends, or, for collinear segments, any perpendicular
/// direction.
#[inline]
pub fn segment_normal(ab: [DVec3; 2], cd: [DVec3; 2], st: [f64; 2], v: DVec3) -> (f64, DVec3) {
    let squared = v.length_squared();
    // A millionth of the longer one.
    if squared > 1e-12 * (ab[1] - ab[0]).length_squared().max((cd[1] - cd[0]).length_squared()) {
        let distance = squared.sqrt();
        return (distance, v / distance);
    }
    crossing_normal(ab, cd, st, v)
}

#[cold]
fn crossing_normal([a, b]: [DVec3; 2], [c, d]: [DVec3; 2], [s, t]: [f64; 2], v: DVec3) -> (f64, DVec3) {
    let inside = |s: f64, u: DVec3| (s > 0.0 && s < 1.0).then(|| u.try_normalize()).flatten();
    // The component of v along the segments is the error of s and t.
    let across = |u: DVec3| {
        let w = v - u * u.dot(v);
        let length = w.length();
        // A remainder at round-off has no direction of its own.
        let size = (b - a).length_squared().max((d - c).length_squared()).sqrt();
        (length, if length > 1e-12 * size { w / length } else { any_perpendicular(u) })
    };
    match (inside(s, b - a), inside(t, d - c)) {
        (Some(u), Some(w)) => match u.cross(w) {
            n if n.length_squared() > 1e-16 => {
                let n = n.normalize();
                (n.dot(v).abs(), if n.dot(v) < 0.0 { -n } else { n })
            }
            _ => across(u),
        },
        (Some(u), None) | (None, Some(u)) => across(u),
        // End against end: any direction that points away from both.
        (None, None) => {
            let fallback = || any_perpendicular(if a == b { d - c } else { b - a });
            (v.length(), v.try_normalize().unwrap_or_else(fallback))
        }
    }
}

/// A zero of a function on [0, 1] that never falls; the middle of them where it is zero on an interval that ends at
/// breaks. `breaks` may be anything; between them `solve` finds the zero in a bracket with a change of sign.
#[inline]
fn zero_of_rising(
    f: impl Fn(f64) -> f64,
    breaks: &[f64],
    solve: impl Fn((f64, f64), (f64, f64)) -> f64,
) -> f64 {
    let (mut low, mut high) = ((0.0, f(0.0)), (1.0, f(1.0)));
    let mut zeros: Option<(f64, f64)> = None;
    let mut zero = |s: f64| {
        zeros = Some(zeros.map_or((s, s), |(l, h): (f64, f64)| (l.min(s), h.max(s))));
    };
    if low.1 > 0.0 {
        return 0.0;
    }
    if high.1 < 0.0 {
        return 1.0;
    }
    if low.1 == 0.0 {
        zero(0.0);
    }
    if high.1 == 0.0 {
        zero(1.0);
    }
    for &s in breaks {
        if s > low.0 && s < high.0 {
            let value = f(s);
            if value < 0.0 {
                low = (s, value);
            } else if value > 0.0 {
                high = (s, value);
            } else {
                zero(s);
            }
        }
    }
    match zeros {
        Some((l, h)) => 0.5 * (l + h),
        None => solve(low, high),
    }
}

/// Parameter of the point of the segment a–b nearest to the box of half lengths `half` about the origin; in the
/// middle of the part inside, if there is one.
#[inline]
pub(crate) fn closest_to_box(a: DVec3, b: DVec3, half: DVec3) -> f64 {
    let u = b - a;
    let slope = |s: f64| {
        let x = a + s * u;
        u.dot(x - x.clamp(-half, half))
    };
    // Division by zero gives infinities and NaN, which are in no bracket.
    let (low, high) = ((-half - a) / u, (half - a) / u);
    let breaks = [low.x, high.x, low.y, high.y, low.z, high.z];
    zero_of_rising(slope, &breaks, |(l, fl), (h, fh)| l + (h - l) * (fl / (fl - fh)))
}

/// Parameter of the point of the segment a–b nearest to the cylinder about z.
#[inline]
pub(crate) fn closest_to_cylinder(a: DVec3, b: DVec3, radius: f64, half: f64) -> f64 {
    let u = b - a;
    // φ(s) and its derivative.
    let slope = |s: f64| {
        let x = a + s * u;
        let rho2 = x.x * x.x + x.y * x.y;
        let axial = x.z - x.z.clamp(-half, half);
        let (mut f, mut df) = (u.z * axial, if axial == 0.0 { 0.0 } else { u.z * u.z });
        if rho2 > radius * radius {
            let rho = rho2.sqrt();
            let along = x.x * u.x + x.y * u.y;
            let k = radius / rho;
            f += along * (1.0 - k);
            df += (u.x * u.x + u.y * u.y) * (1.0 - k) + k * along * along / rho2;
        }
        (f, df)
    };
    // |x_⟂|² = R²: q2 s² + 2 q1 s + q0 = 0.
    let (q2, q1) = (u.x * u.x + u.y * u.y, a.x * u.x + a.y * u.y);
    let q0 = a.x * a.x + a.y * a.y - radius * radius;
    let root = (q1 * q1 - q2 * q0).max(0.0).sqrt();
    let far = -(q1 + root.copysign(q1));
    let breaks = [(-half - a.z) / u.z, (half - a.z) / u.z, far / q2, q0 / far, -q1 / q2];
    zero_of_rising(
        |s| slope(s).0,
        &breaks,
        |(mut l, _), (mut h, _)| {
            let mut s = 0.5 * (l + h);
            for _ in 0..60 {
                let (f, df) = slope(s);
                if f < 0.0 {
                    l = s;
                } else {
                    h = s;
                }
                let newton = s - f / df;
                let next = if newton > l && newton < h { newton } else { 0.5 * (l + h) };
                if (next - s).abs() <= 1e-16 || h - l <= 1e-16 {
                    return next;
                }
                s = next;
            }
            s
        },
    )
}

/// Nearest points of a segment and a triangle: parameter on the segment, point of the triangle, squared distance.
/// If they cross: the crossing.
pub(crate) fn closest_to_triangle(a: DVec3, b: DVec3, t: &[DVec3; 3]) -> (f64, DVec3, f64) {
    let n = (t[1] - t[0]).cross(t[2] - t[0]);
    let (ha, hb) = (n.dot(a - t[0]), n.dot(b - t[0]));
    if ha * hb <= 0.0 && ha != hb {
        let s = ha / (ha - hb);
        let x = at(a, b, s);
        let inside = (0..3).all(|k| (t[(k + 1) % 3] - t[k]).cross(x - t[k]).dot(n) >= 0.0);
        if inside {
            return (s, x, 0.0);
        }
    }
    let mut best = (0.0, DVec3::ZERO, f64::INFINITY);
    for (s, p) in [(0.0, a), (1.0, b)] {
        let (foot, _) = closest_on_triangle(t, p);
        let d = foot.distance_squared(p);
        if d < best.2 {
            best = (s, foot, d);
        }
    }
    for k in 0..3 {
        let (c, d) = (t[k], t[(k + 1) % 3]);
        let (s, r) = closest_parameters(a, b, c, d);
        let foot = at(c, d, r);
        let squared = at(a, b, s).distance_squared(foot);
        if squared < best.2 {
            best = (s, foot, squared);
        }
    }
    best
}
