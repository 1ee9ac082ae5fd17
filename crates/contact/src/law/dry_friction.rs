//! Dry friction in a joint: an effort of at most τ_c against the motion.
//!
//! ```text
//!   λ = clamp(−v/R, ±δt τ_c),    R = σ w
//! ```
//!
//! and the cost is Huber's function. The joint sticks with a creep of at most R δt τ_c, which is σ times the speed
//! that the friction impulse alone would cause. One row with J = 1 at the joint.

use super::actuator::huber;
use super::{ConstraintLaw, Hessian, ParameterError, Rows, Scalar, require, scalar_hessian};

/// The dry-friction law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DryFriction {
    inverse_r: f64,
    /// δt τ_c.
    impulse_limit: f64,
}

impl DryFriction {
    /// Default σ of [`Self::new`], the same as for contacts.
    pub const DEFAULT_SIGMA: f64 = 1e-3;

    /// Friction of at most `effort` (N or N·m, ≥ 0) in a joint of weight w, with σ = `sigma` > 0.
    pub fn new(effort: f64, sigma: f64, weight: f64, time_step: f64) -> Result<Self, ParameterError> {
        require(
            effort >= 0.0 && effort.is_finite(),
            "effort",
            effort,
            "finite and not negative, in N or N·m",
        )?;
        require(sigma > 0.0 && sigma.is_finite(), "sigma", sigma, "positive and finite")?;
        require(weight >= 0.0 && weight.is_finite(), "weight", weight, "finite and not negative")?;
        require(time_step > 0.0 && time_step.is_finite(), "time_step", time_step, "positive, in s")?;
        // A joint that cannot move needs no friction; no friction needs no stiffness.
        let inverse_r = if weight == 0.0 || effort == 0.0 { 0.0 } else { 1.0 / (sigma * weight) };
        require(inverse_r.is_finite(), "weight", weight, "large enough to be inverted")?;
        Ok(Self { inverse_r, impulse_limit: time_step * effort })
    }
}

impl ConstraintLaw for DryFriction {
    #[inline]
    fn bias(&self) -> Rows {
        [0.0; 3]
    }

    #[inline]
    fn cost<R: Scalar>(&self, u: [R; 3]) -> R {
        huber(u[0], self.inverse_r, self.impulse_limit)
    }

    #[inline]
    fn impulse(&self, u: Rows) -> Rows {
        [(-self.inverse_r * u[0]).clamp(-self.impulse_limit, self.impulse_limit), 0.0, 0.0]
    }

    #[inline]
    fn hessian(&self, u: Rows) -> Hessian {
        let within = (self.inverse_r * u[0]).abs() <= self.impulse_limit;
        scalar_hessian(if within { self.inverse_r } else { 0.0 })
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
        self.inverse_r.is_finite() && self.impulse_limit.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::derivative_check::{check, decades};

    #[test]
    fn derivatives_agree_over_decades_and_at_the_knee() {
        for effort in [0.0, 1e-3, 10.0] {
            let law = DryFriction::new(effort, 1e-3, 2.0, 1e-3).unwrap();
            for u in decades() {
                check(&law, u);
            }
            if effort > 0.0 {
                let knee = law.impulse_limit / law.inverse_r;
                for side in [1.0 - 1e-9, 1.0 + 1e-9] {
                    check(&law, [knee * side, 0.0, 0.0]);
                    check(&law, [-knee * side, 0.0, 0.0]);
                }
            }
        }
    }

    #[test]
    fn friction_saturates_against_the_motion() {
        let law = DryFriction::new(5.0, 1e-3, 1.0, 1e-2).unwrap();
        assert_eq!(law.impulse([1.0, 0.0, 0.0])[0], -0.05);
        assert_eq!(law.impulse([-1.0, 0.0, 0.0])[0], 0.05);
        assert_eq!(law.impulse([0.0; 3])[0], 0.0);
    }
}
