//! Joint limit: pushes a joint back into its range, never pulls.
//!
//! With φ the distance to a limit, λ ≥ 0 acts to increase it, as soft as [`super::spring`] says:
//!
//! ```text
//!   v̂_lo = (q_lo − q)/(δt + τ),   v̂_hi = (q_hi − q)/(δt + τ)
//!   ℓ = ½ (v̂_lo − v)₊²/R + ½ (v − v̂_hi)₊²/R
//! ```
//!
//! One row with J = 1 at the joint. The excess counts from the lower limit (or from the upper, with
//! its sign turned, if there is no lower): u = v − v̂_lo, and the upper limit lies at u = `span`.

use super::spring::Spring;
use super::{ConstraintLaw, Hessian, ParameterError, Rows, Scalar, require, scalar_hessian};

/// The joint-limit law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointLimit {
    bias: f64,
    /// Whether there is a limit at u = 0 that pushes up.
    lower: bool,
    /// Where the limit that pushes down lies; infinite if there is none.
    span: f64,
    inverse_r: f64,
}

impl JointLimit {
    /// A joint at `position` whose range is [`lower`, `upper`] (m or rad; either may be infinite, not
    /// both).
    pub fn new(
        position: f64,
        lower: f64,
        upper: f64,
        spring: &Spring,
        weight: f64,
        time_step: f64,
    ) -> Result<Self, ParameterError> {
        require(position.is_finite(), "position", position, "finite, in m or rad")?;
        require(lower < f64::INFINITY && !lower.is_nan(), "lower", lower, "a number or −∞, in m or rad")?;
        require(upper >= lower, "upper", upper, "at least the lower limit, in m or rad")?;
        require(
            lower.is_finite() || upper.is_finite(),
            "upper",
            upper,
            "finite where there is no lower limit",
        )?;
        let inverse_r = 1.0 / spring.regularization(weight, time_step)?;
        let bias = |limit: f64| spring.bias(position - limit, time_step);
        Ok(if lower.is_finite() {
            let span = if upper.is_finite() { bias(upper) - bias(lower) } else { f64::INFINITY };
            Self { bias: bias(lower), lower: true, span, inverse_r }
        } else {
            Self { bias: bias(upper), lower: false, span: 0.0, inverse_r }
        })
    }

    /// How far the excess lies outside the range, with its sign; zero inside.
    #[inline(always)]
    fn outside<R: Scalar>(&self, u: R) -> R {
        if self.lower && u.value() < 0.0 {
            u
        } else if u.value() > self.span {
            u - R::splat(self.span)
        } else {
            R::zero()
        }
    }
}

impl ConstraintLaw for JointLimit {
    #[inline]
    fn bias(&self) -> Rows {
        [self.bias, 0.0, 0.0]
    }

    #[inline]
    fn cost<R: Scalar>(&self, u: [R; 3]) -> R {
        let x = self.outside(u[0]);
        x * x * R::splat(0.5 * self.inverse_r)
    }

    #[inline]
    fn impulse(&self, u: Rows) -> Rows {
        [-self.inverse_r * self.outside(u[0]), 0.0, 0.0]
    }

    #[inline]
    fn hessian(&self, u: Rows) -> Hessian {
        let out = (self.lower && u[0] < 0.0) || u[0] > self.span;
        scalar_hessian(if out { self.inverse_r } else { 0.0 })
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
        // An infinite span is a joint without upper limit.
        self.bias.is_finite() && self.inverse_r.is_finite() && !self.span.is_nan()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::derivative_check::{check, decades};

    #[test]
    fn derivatives_agree_over_decades_and_at_the_limits() {
        for (lower, upper) in [(-0.5, 0.5), (0.1, f64::INFINITY), (f64::NEG_INFINITY, -0.1), (0.2, 0.2)] {
            let law = JointLimit::new(0.1, lower, upper, &Spring::default(), 3.0, 1e-3).unwrap();
            for u in decades() {
                check(&law, u);
            }
            for offset in [-1e-9, 1e-9] {
                check(&law, [offset, 0.0, 0.0]);
                if law.span.is_finite() {
                    check(&law, [law.span * (1.0 + offset), 0.0, 0.0]);
                }
            }
        }
    }

    #[test]
    fn pushes_inward_only() {
        let spring = Spring { stiffness: Some(1e3), dissipation_time: 0.0, near_rigid_beta: 0.0 };
        let law = JointLimit::new(0.0, -1.0, 1.0, &spring, 1.0, 0.1).unwrap();
        let at = |v: f64| law.impulse([v - law.bias()[0], 0.0, 0.0])[0];
        assert_eq!(at(9.0), 0.0);
        // At v = ±12 rad/s the joint would end 0.2 rad outside: λ = ∓δt k 0.2.
        assert!((at(12.0) + 20.0).abs() < 1e-9 && (at(-12.0) - 20.0).abs() < 1e-9);
        assert!(JointLimit::new(0.0, f64::NEG_INFINITY, f64::INFINITY, &spring, 1.0, 0.1).is_err());
    }
}
