//! Attachment: keeps a point on a point, an orientation on an orientation, or a twist angle.
//!
//! ```text
//!   ℓ(u) = ½ uᵀR⁻¹u,    λ = −R⁻¹u,    R and v̂ as in [`super::spring`]
//! ```
//!
//! The gap φ0 is the distance vector (m) from anchor to point, the rotation vector (rad) from the
//! wanted to the present orientation, or the twist angle (rad); the rows J give its rate. A pin is a
//! point attachment, a clamp a point and an orientation, a weld of two bodies likewise. The reaction
//! on the attached side is λ/δt: a force (N) or a torque (N·m).

use super::spring::Spring;
use super::{ConstraintLaw, Hessian, ParameterError, Rows, Scalar, require};

/// The attachment law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attachment {
    /// 1/R by row; zero for rows not in use.
    inverse_r: Rows,
    bias: Rows,
    row_count: usize,
}

impl Attachment {
    /// Three rows (a point or an orientation) with gap φ0 and equal stiffness.
    pub fn vector(gap: Rows, spring: &Spring, weight: f64, time_step: f64) -> Result<Self, ParameterError> {
        let r = spring.regularization(weight, time_step)?;
        Self::with_rows(gap, [1.0 / r; 3], 3, spring, time_step)
    }

    /// Three rows with gap φ0, each with its own spring; rows without a stiffness are as stiff as the near-rigid
    /// bound allows.
    pub fn springs(
        gap: Rows,
        springs: &[Spring; 3],
        weight: f64,
        time_step: f64,
    ) -> Result<Self, ParameterError> {
        let mut law = Self::vector(gap, &springs[0], weight, time_step)?;
        for row in 1..3 {
            law.inverse_r[row] = 1.0 / springs[row].regularization(weight, time_step)?;
            law.bias[row] = springs[row].bias(gap[row], time_step);
        }
        Ok(law)
    }

    /// One row (a twist angle, or a distance along an axis) with gap φ0.
    pub fn scalar(gap: f64, spring: &Spring, weight: f64, time_step: f64) -> Result<Self, ParameterError> {
        let r = spring.regularization(weight, time_step)?;
        Self::with_rows([gap, 0.0, 0.0], [1.0 / r, 0.0, 0.0], 1, spring, time_step)
    }

    fn with_rows(
        gap: Rows,
        inverse_r: Rows,
        row_count: usize,
        spring: &Spring,
        time_step: f64,
    ) -> Result<Self, ParameterError> {
        for value in gap {
            require(value.is_finite(), "gap", value, "finite, in m or rad")?;
        }
        let bias = gap.map(|g| spring.bias(g, time_step));
        Ok(Self { inverse_r, bias, row_count })
    }
}

impl ConstraintLaw for Attachment {
    #[inline]
    fn bias(&self) -> Rows {
        self.bias
    }

    #[inline]
    fn cost<R: Scalar>(&self, u: [R; 3]) -> R {
        let mut sum = R::zero();
        for row in 0..3 {
            sum += u[row] * u[row] * R::splat(0.5 * self.inverse_r[row]);
        }
        sum
    }

    #[inline]
    fn impulse(&self, u: Rows) -> Rows {
        [-self.inverse_r[0] * u[0], -self.inverse_r[1] * u[1], -self.inverse_r[2] * u[2]]
    }

    #[inline]
    fn hessian(&self, _u: Rows) -> Hessian {
        let [a, b, c] = self.inverse_r;
        [[a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, c]]
    }

    fn stiffness(&self) -> f64 {
        self.inverse_r.iter().fold(0.0, |m, g| g.max(m))
    }

    fn softened(&self, factor: f64) -> Self {
        Self { inverse_r: self.inverse_r.map(|g| g / factor), ..*self }
    }

    fn row_count(&self) -> usize {
        self.row_count
    }

    fn is_finite(&self) -> bool {
        self.inverse_r.iter().chain(&self.bias).all(|x| x.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::derivative_check::{check, decades};

    #[test]
    fn derivatives_agree_over_decades() {
        let spring = Spring { stiffness: Some(1e4), dissipation_time: 0.01, near_rigid_beta: 0.0 };
        let point = Attachment::vector([1e-3, 0.0, -2e-3], &spring, 1.0, 1e-3).unwrap();
        let twist = Attachment::scalar(0.1, &Spring::default(), 2.0, 1e-3).unwrap();
        for u in decades() {
            check(&point, u);
            check(&twist, u);
        }
    }

    #[test]
    fn each_row_has_its_own_spring() {
        let (dt, gap, v) = (1e-3, [4e-3, -2e-3, 1e-3], [-0.7, 0.3, 0.1]);
        let spring =
            |k: f64, tau: f64| Spring { stiffness: Some(k), dissipation_time: tau, near_rigid_beta: 0.0 };
        let law = Attachment::springs(gap, &[spring(3.0, 0.0), spring(5.0, 0.1), spring(9.0, 0.02)], 1.0, dt)
            .unwrap();
        let u = core::array::from_fn(|row| v[row] - law.bias()[row]);
        for (row, (k, tau)) in [(3.0, 0.0), (5.0, 0.1), (9.0, 0.02)].into_iter().enumerate() {
            let expected = -dt * (k * (gap[row] + dt * v[row]) + k * tau * v[row]);
            assert!((law.impulse(u)[row] - expected).abs() < 1e-14);
        }
    }

    #[test]
    fn the_impulse_is_that_of_the_spring_at_the_end_of_the_step() {
        let (k, tau, dt, gap, v) = (300.0, 0.02, 1e-3, 4e-3, -0.7);
        let spring = Spring { stiffness: Some(k), dissipation_time: tau, near_rigid_beta: 0.0 };
        let law = Attachment::scalar(gap, &spring, 1.0, dt).unwrap();
        let expected = -dt * (k * (gap + dt * v) + k * tau * v);
        assert!((law.impulse([v - law.bias()[0], 0.0, 0.0])[0] - expected).abs() < 1e-14);
    }
}
