//! `lagged`: Hunt–Crossley normal force, friction from the lagged normal impulse n0.
//!
//! ```text
//!   ℓ(u) = N(u_n) + μ n0 (√(|u_t|² + ε²) − ε),    λ_t = −μ n0 u_t/√(|u_t|² + ε²),   λ_n = n(u_n)
//! ```
//!
//! Normal and tangential directions are decoupled: sliding does not lift, but friction lags the normal force by one
//! step, and a sticking contact creeps at a fraction of ε. Notation and source: [`super::hunt_crossley`].

use super::hunt_crossley::{CompliantParameters, NormalForce, soft_direction, soft_slip};
use super::{ConstraintLaw, Hessian, ParameterError, Rows, Scalar};

/// The lagged law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaggedContact {
    normal: NormalForce,
    /// μ n0.
    friction_impulse: f64,
    /// ε, m/s.
    softening: f64,
}

impl LaggedContact {
    /// The law of a contact of weight w; see [`CompliantParameters`].
    pub fn new(
        parameters: &CompliantParameters,
        weight: f64,
        time_step: f64,
    ) -> Result<Self, ParameterError> {
        let normal = parameters.normal_force(weight, time_step)?;
        let friction_impulse =
            if weight == 0.0 { 0.0 } else { parameters.friction * parameters.lagged_impulse };
        Ok(Self { normal, friction_impulse, softening: parameters.softening(weight) })
    }
}

impl ConstraintLaw for LaggedContact {
    #[inline]
    fn bias(&self) -> Rows {
        [0.0, 0.0, self.normal.bias]
    }

    #[inline]
    fn cost<R: Scalar>(&self, u: [R; 3]) -> R {
        self.normal.potential(u[2]) + soft_slip(u[0], u[1], self.softening) * R::splat(self.friction_impulse)
    }

    #[inline]
    fn impulse(&self, u: Rows) -> Rows {
        let ([t1, t2], _) = soft_direction(u[0], u[1], self.softening);
        [-self.friction_impulse * t1, -self.friction_impulse * t2, self.normal.force(u[2])]
    }

    #[inline]
    fn hessian(&self, u: Rows) -> Hessian {
        // μ n0/√(·) (I − t tᵀ) with t = u_t/√(·), |t| < 1; written 1 − t1² = (t2² + ε²/(·)) to stay
        // exact where |u_t| ≫ ε.
        let ([t1, t2], inverse) = soft_direction(u[0], u[1], self.softening);
        let g = self.friction_impulse * inverse;
        let soft = (self.softening * inverse).powi(2);
        let g12 = -g * t1 * t2;
        [
            [g * (t2 * t2 + soft), g12, 0.0],
            [g12, g * (t1 * t1 + soft), 0.0],
            [0.0, 0.0, self.normal.stiffness(u[2])],
        ]
    }

    fn stiffness(&self) -> f64 {
        self.normal.a.max(self.friction_impulse / self.softening)
    }

    fn softened(&self, factor: f64) -> Self {
        Self { normal: self.normal.softened(factor), softening: self.softening * factor, ..*self }
    }

    fn row_count(&self) -> usize {
        3
    }

    fn is_finite(&self) -> bool {
        self.normal.is_finite() && self.friction_impulse.is_finite() && self.softening.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::derivative_check::{check, decades};

    #[test]
    fn derivatives_agree_over_decades_and_at_zero_slip() {
        for dissipation in [0.0, 0.01, 50.0] {
            for gap in [-1e-4, 0.0, 1e-3] {
                for lagged_impulse in [0.0, 1e-3, 10.0] {
                    let parameters = CompliantParameters {
                        friction: 0.4,
                        gap,
                        stiffness: Some(1e5),
                        dissipation,
                        lagged_impulse,
                        ..Default::default()
                    };
                    let law = LaggedContact::new(&parameters, 1.0, 1e-3).unwrap();
                    for u in decades() {
                        check(&law, u);
                    }
                    for normal in [-1.0, -1e-14, 0.0, 1e-14, 1.0] {
                        check(&law, [0.0, 0.0, normal]);
                    }
                }
            }
        }
    }

    #[test]
    fn friction_is_bounded_by_the_lagged_impulse() {
        let parameters = CompliantParameters { friction: 0.5, lagged_impulse: 2.0, ..Default::default() };
        let law = LaggedContact::new(&parameters, 1.0, 1e-3).unwrap();
        let l = law.impulse([300.0, 400.0, 1.0]);
        assert!((l[0].hypot(l[1]) - 1.0).abs() < 1e-9 && l[2] == 0.0);
    }
}
