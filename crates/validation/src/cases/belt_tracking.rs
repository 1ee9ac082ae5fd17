//! How fast a belt runs along two rollers, one of which is a cone: a closed form.
//!
//! The belt sticks where it lies. A point of it then goes round with the roller and has no velocity along the axis, so that
//! a belt that drifts at ẏ lies on both rollers at the slope −ε, ε = ẏ/v. On a cone of half-angle β and radius R the
//! circles in which points go round are curved in the developed surface, and the belt is laid with that curvature,
//! κ = sin β/R. The spans, of length L, are beams under tension, EI y⁗ = T y″, with the slope −ε at both ends and the
//! curvature at their end with which the roller lays them: y rises over the span to the cone by
//!
//! −εL − κ [(L/k) coth(kL/2) − 2/k²], k = √(T/EI),
//!
//! over the other by −εL, and over each half of a roller by −επR. Round the belt that adds up to zero:
//!
//! ẏ = −v κ [(L/k) coth(kL/2) − 2/k²]/(2 (L + πR)),
//!
//! towards the thicker end of the cone. Source: the boundary conditions are Shelton's of lateral web dynamics (1968); the
//! sum round a closed belt is elementary.

/// A belt over two rollers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Belt {
    /// T, N.
    pub(super) tension: f64,
    /// EI in the plane of the belt, N·m².
    pub(super) bending_stiffness: f64,
    /// L: distance of the axes, m.
    pub(super) span: f64,
}

impl Belt {
    /// How fast it runs to the thicker end of a cone of half-angle `angle` (rad), m/s: both rollers have the radius `radius`
    /// (m) and the belt the speed `speed` (m/s).
    pub(super) fn drift(&self, radius: f64, angle: f64, speed: f64) -> f64 {
        let (l, k) = (self.span, (self.tension / self.bending_stiffness).sqrt());
        let rise = l / (k * (0.5 * k * l).tanh()) - 2.0 / (k * k);
        speed * angle.sin() / radius * rise / (2.0 * (l + core::f64::consts::PI * radius))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slack_belt_is_a_beam_and_a_taut_one_hardly_drifts() {
        let belt = |tension: f64| Belt { tension, bending_stiffness: 1.0, span: 0.3 };
        let drift = |tension: f64| belt(tension).drift(0.05, 0.1, 2.0);
        // k → 0: κ L²/6.
        let round = 2.0 * (0.3 + core::f64::consts::PI * 0.05);
        let slack = 2.0 * 0.1f64.sin() / 0.05 * 0.09 / 6.0 / round;
        assert!((drift(1e-3) / slack - 1.0).abs() < 1e-4, "{} {slack}", drift(1e-3));
        assert!(drift(1e8) < 1e-2 * slack);
    }
}
