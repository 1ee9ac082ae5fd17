//! Coupler (mimic joint): one joint follows another, q_a = ρ q_b + o.
//!
//! The gap is φ0 = q_a − ρ q_b − o and the row J = (1, −ρ) on the two joints; R and v̂ as in
//! [`super::spring`]:
//!
//! ```text
//!   ℓ(u) = ½ u²/R,    λ = −u/R
//! ```

use super::spring::Spring;
use super::{ConstraintLaw, Hessian, ParameterError, Rows, Scalar, require, scalar_hessian};

/// The coupler law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coupler {
    bias: f64,
    inverse_r: f64,
}

impl Coupler {
    /// Joints at `follower` and `leader` (m or rad) with the given `ratio` ρ and `offset` o.
    pub fn new(
        follower: f64,
        leader: f64,
        ratio: f64,
        offset: f64,
        spring: &Spring,
        weight: f64,
        time_step: f64,
    ) -> Result<Self, ParameterError> {
        for (name, value) in
            [("follower", follower), ("leader", leader), ("ratio", ratio), ("offset", offset)]
        {
            require(value.is_finite(), name, value, "finite")?;
        }
        let inverse_r = 1.0 / spring.regularization(weight, time_step)?;
        Ok(Self { bias: spring.bias(follower - ratio * leader - offset, time_step), inverse_r })
    }
}

impl ConstraintLaw for Coupler {
    #[inline]
    fn bias(&self) -> Rows {
        [self.bias, 0.0, 0.0]
    }

    #[inline]
    fn cost<R: Scalar>(&self, u: [R; 3]) -> R {
        u[0] * u[0] * R::splat(0.5 * self.inverse_r)
    }

    #[inline]
    fn impulse(&self, u: Rows) -> Rows {
        [-self.inverse_r * u[0], 0.0, 0.0]
    }

    #[inline]
    fn hessian(&self, _u: Rows) -> Hessian {
        scalar_hessian(self.inverse_r)
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
    fn derivatives_agree_over_decades() {
        let law = Coupler::new(0.2, 0.1, -1.5, 0.05, &Spring::default(), 4.0, 1e-3).unwrap();
        for u in decades() {
            check(&law, u);
        }
    }

    #[test]
    fn rests_where_the_gap_closes_in_one_step() {
        let (dt, ratio) = (1e-2, 2.0);
        let law = Coupler::new(0.5, 0.2, ratio, 0.0, &Spring::default(), 1.0, dt).unwrap();
        // q_a + δt v_a = ρ (q_b + δt v_b) for v_a − ρ v_b = −0.1/δt.
        assert!((law.bias()[0] + 0.1 / dt).abs() < 1e-9);
        assert_eq!(
            Coupler::new(0.0, 0.0, f64::NAN, 0.0, &Spring::default(), 1.0, dt).unwrap_err().name,
            "ratio"
        );
    }
}
