//! Distance between two points: a rope, which only pulls, or a bar, which also pushes.
//!
//! With the present distance r0 and the length L the gap is φ0 = r0 − L, and the row gives its rate:
//! J v = ṙ. R and v̂ = −φ0/(δt + τ) as in [`super::spring`].
//!
//! ```text
//!   bar:  ℓ = ½ u²/R        rope:  ℓ = ½ u₊²/R        tension = −λ/δt, positive in pull
//! ```

use super::spring::Spring;
use super::{ConstraintLaw, Hessian, ParameterError, Rows, Scalar, require, scalar_hessian};

/// Which changes of distance are resisted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// Stretching only.
    Rope,
    /// Stretching and compression.
    Bar,
}

/// The distance law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    tie: Tie,
    bias: f64,
    inverse_r: f64,
}

impl Distance {
    /// Points now `distance` apart, tied with `length` (both m).
    pub fn new(
        tie: Tie,
        distance: f64,
        length: f64,
        spring: &Spring,
        weight: f64,
        time_step: f64,
    ) -> Result<Self, ParameterError> {
        require(
            distance >= 0.0 && distance.is_finite(),
            "distance",
            distance,
            "finite and not negative, in m",
        )?;
        require(length >= 0.0 && length.is_finite(), "length", length, "finite and not negative, in m")?;
        let inverse_r = 1.0 / spring.regularization(weight, time_step)?;
        Ok(Self { tie, bias: spring.bias(distance - length, time_step), inverse_r })
    }

    #[inline(always)]
    fn acts(&self, u: f64) -> bool {
        self.tie == Tie::Bar || u > 0.0
    }
}

impl ConstraintLaw for Distance {
    #[inline]
    fn bias(&self) -> Rows {
        [self.bias, 0.0, 0.0]
    }

    #[inline]
    fn cost<R: Scalar>(&self, u: [R; 3]) -> R {
        if self.acts(u[0].value()) { u[0] * u[0] * R::splat(0.5 * self.inverse_r) } else { R::zero() }
    }

    #[inline]
    fn impulse(&self, u: Rows) -> Rows {
        [if self.acts(u[0]) { -self.inverse_r * u[0] } else { 0.0 }, 0.0, 0.0]
    }

    #[inline]
    fn hessian(&self, u: Rows) -> Hessian {
        scalar_hessian(if self.acts(u[0]) { self.inverse_r } else { 0.0 })
    }

    fn stiffness(&self) -> f64 {
        self.inverse_r
    }

    fn softened(&self, factor: f64) -> Self {
        Self { inverse_r: self.inverse_r / factor, ..*self }
    }

    fn row_count(&self) -> usize {
        1
    }

    fn is_finite(&self) -> bool {
        self.bias.is_finite() && self.inverse_r.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::derivative_check::{check, decades};

    #[test]
    fn derivatives_agree_over_decades_and_at_slack() {
        for tie in [Tie::Rope, Tie::Bar] {
            let law = Distance::new(tie, 1.0, 0.9, &Spring::default(), 0.5, 1e-2).unwrap();
            for u in decades() {
                check(&law, u);
            }
            check(&law, [1e-14, 0.0, 0.0]);
            check(&law, [-1e-14, 0.0, 0.0]);
        }
    }

    #[test]
    fn a_rope_pulls_and_a_bar_also_pushes() {
        let make = |tie| Distance::new(tie, 1.0, 1.0, &Spring::default(), 0.5, 1e-2).unwrap();
        let (rope, bar) = (make(Tie::Rope), make(Tie::Bar));
        assert!(rope.impulse([0.1, 0.0, 0.0])[0] < 0.0);
        assert_eq!(rope.impulse([-0.1, 0.0, 0.0])[0], 0.0);
        assert!(bar.impulse([-0.1, 0.0, 0.0])[0] > 0.0);
    }
}
