//! Normals through a point of an ellipse at which the distance to the ellipse is a local minimum.
//!
//! The ellipse x = (A cos t, B sin t), A ≥ B, has at t the outward normal (B cos t, A sin t) up to length. The line
//! through q and x(t) is normal there if
//!
//!   g(t) = (A² − B²) cos t sin t − A q₁ sin t + B q₂ cos t = 0.
//!
//! For q₁, q₂ ≥ 0: g changes from ≥ 0 at t = 0 to ≤ 0 at π/2, which gives the nearest point. A second local minimum
//! lies across the long axis, −π/2 < t < 0, if q is inside the evolute. At tan t₀ = −(B q₂/A q₁)^⅓ the point q
//! is (κ times) the evolute's point, and g(t₀) < 0 exactly if q is inside; then g changes sign between −π/2 and t₀.

use std::f64::consts::FRAC_PI_2;

/// Unit normals of the local minima; the second only where there is one. `major` ≥ `minor` ≥ 0.
pub(crate) fn nearest_normals(major: f64, minor: f64, q: [f64; 2]) -> [Option<[f64; 2]>; 2] {
    let (signs, q) = (q.map(|x| 1f64.copysign(x)), q.map(f64::abs));
    let (k, aq, bq) = (major * major - minor * minor, major * q[0], minor * q[1]);
    let g = |t: f64| {
        let (s, c) = t.sin_cos();
        (k * c * s - aq * s + bq * c, k * (c * c - s * s) - aq * c - bq * s)
    };
    let normal = |t: f64| {
        let (s, c) = t.sin_cos();
        let (x, y) = (minor * c, major * s);
        let length = x.hypot(y);
        (length > 0.0).then(|| [signs[0] * x / length, signs[1] * y / length])
    };
    let near = normal(fall(g, 0.0, FRAC_PI_2));
    let t0 = -(bq / aq).cbrt().atan();
    let across = match t0.is_finite() && g(t0).0 < 0.0 {
        true => normal(fall(g, -FRAC_PI_2, t0)),
        false => None,
    };
    [near, across]
}

/// Where g falls through zero between `low` (g ≥ 0) and `high` (g ≤ 0): Newton's method inside the bracket.
fn fall(g: impl Fn(f64) -> (f64, f64), mut low: f64, mut high: f64) -> f64 {
    let mut t = 0.5 * (low + high);
    for _ in 0..80 {
        let (value, slope) = g(t);
        if value > 0.0 {
            low = t;
        } else {
            high = t;
        }
        let newton = t - value / slope;
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if (next - t).abs() <= 1e-16 || high - low <= 1e-16 {
            return next;
        }
        t = next;
    }
    t
}
