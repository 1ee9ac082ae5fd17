//! `similar`: Hunt–Crossley normal force, friction from the current normal impulse.
//!
//! The normal speed is replaced by z = u_n − μ (√(|u_t|² + ε²) − ε), a concave function of u, and N
//! falls with z, so ℓ is convex:
//!
//! ```text
//!   ℓ(u) = N(z),    λ_n = n(z),    λ_t = −μ n(z) u_t/√(|u_t|² + ε²)
//! ```
//!
//! Friction needs no lagged value; but a sliding contact is lifted, as with the cone. Notation and source:
//! [`super::hunt_crossley`].

use super::hunt_crossley::{CompliantParameters, NormalForce, soft_direction, soft_slip};
use super::{ConstraintLaw, Hessian, ParameterError, Rows, Scalar};

/// The similar law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimilarContact {
    normal: NormalForce,
    friction: f64,
    /// ε, m/s.
    softening: f64,
}

impl SimilarContact {
    /// The law of a contact of weight w; see [`CompliantParameters`].
    pub fn new(
        parameters: &CompliantParameters,
        weight: f64,
        time_step: f64,
    ) -> Result<Self, ParameterError> {
        let normal = parameters.normal_force(weight, time_step)?;
        Ok(Self { normal, friction: parameters.friction, softening: parameters.softening(weight) })
    }
}

impl ConstraintLaw for SimilarContact {
    #[inline]
    fn bias(&self) -> Rows {
        [0.0, 0.0, self.normal.bias]
    }

    #[inline]
    fn cost<R: Scalar>(&self, u: [R; 3]) -> R {
        self.normal.potential(u[2] - soft_slip(u[0], u[1], self.softening) * R::splat(self.friction))
    }

    #[inline]
    fn impulse(&self, u: Rows) -> Rows {
        let z = u[2] - self.friction * soft_slip(u[0], u[1], self.softening);
        let n = self.normal.force(z);
        let ([t1, t2], _) = soft_direction(u[0], u[1], self.softening);
        [-self.friction * n * t1, -self.friction * n * t2, n]
    }

    #[inline]
    fn hessian(&self, u: Rows) -> Hessian {
        // N'' a aᵀ + μ n/√(·) (I − t tᵀ) with a = (−μ t, 1).
        let z = u[2] - self.friction * soft_slip(u[0], u[1], self.softening);
        let (n, stiffness) = (self.normal.force(z), self.normal.stiffness(z));
        let ([t1, t2], inverse) = soft_direction(u[0], u[1], self.softening);
        let mu = self.friction;
        let bend = mu * n * inverse;
        let soft = (self.softening * inverse).powi(2);
        let along = stiffness * mu * mu;
        let g12 = (along - bend) * t1 * t2;
        let (g13, g23) = (-stiffness * mu * t1, -stiffness * mu * t2);
        [
            [along * t1 * t1 + bend * (t2 * t2 + soft), g12, g13],
            [g12, along * t2 * t2 + bend * (t1 * t1 + soft), g23],
            [g13, g23, stiffness],
        ]
    }

    fn stiffness(&self) -> f64 {
        self.normal.a
    }

    fn softened(&self, factor: f64) -> Self {
        Self { normal: self.normal.softened(factor), softening: self.softening * factor, ..*self }
    }

    fn row_count(&self) -> usize {
        3
    }

    fn is_finite(&self) -> bool {
        self.normal.is_finite() && self.friction.is_finite() && self.softening.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::derivative_check::{check, decades};

    #[test]
    fn derivatives_agree_over_decades_and_at_zero_slip() {
        for friction in [0.0, 0.2, 3.0] {
            for dissipation in [0.0, 50.0] {
                for gap in [-1e-4, 1e-3] {
                    let parameters = CompliantParameters {
                        friction,
                        gap,
                        stiffness: Some(1e5),
                        dissipation,
                        lagged_impulse: 0.1,
                        ..Default::default()
                    };
                    let law = SimilarContact::new(&parameters, 1.0, 1e-3).unwrap();
                    for u in decades() {
                        check(&law, u);
                    }
                    for normal in [-1.0, -1e-14, 0.0, 1e-14, 1.0] {
                        check(&law, [0.0, 0.0, normal]);
                        // The boundary z = 0 with slip, from both sides.
                        let z = friction * soft_slip(0.3, 0.4, law.softening);
                        check(&law, [0.3, 0.4, z + 1e-9 * normal]);
                    }
                }
            }
        }
    }

    #[test]
    fn friction_lies_in_the_cone_of_the_current_impulse() {
        let parameters =
            CompliantParameters { friction: 0.5, gap: -1e-4, stiffness: Some(1e4), ..Default::default() };
        let law = SimilarContact::new(&parameters, 1.0, 1e-3).unwrap();
        for u in decades() {
            let l = law.impulse(u);
            assert!(l[0].hypot(l[1]) <= 0.5 * l[2] * (1.0 + 1e-14));
        }
    }
}
