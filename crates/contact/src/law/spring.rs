//! Compliance of linear constraints: R and v̂ from stiffness and damping, and the near-rigid bound.
//!
//! A spring of stiffness k and damping c on the gap φ, taken at the end of the step, φ = φ0 + δt v:
//!
//! ```text
//!   λ = −δt (k φ + c v) = −(v − v̂)/R,    R = 1/(δt (δt k + c)) = 1/(δt k (δt + τ)),
//!                                        v̂ = −φ0/(δt + τ),   τ = c/k.
//! ```
//!
//! A spring with a period far below the step only makes the problem ill-conditioned. The near-rigid bound R ≥ β²
//! w/4π² limits its period to β δt. Source: A. M. Castro, F. N. Permenter, X. Han, *An unconstrained convex
//! formulation of compliant contact*, IEEE Trans. Robotics 39 (2023).

use super::{ParameterError, require};

/// Stiffness and damping of a linear constraint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// k, N/m or N·m/rad, > 0. None (the default): as stiff as the near-rigid bound allows.
    pub stiffness: Option<f64>,
    /// τ = c/k, s, ≥ 0. Default 0: the constraint removes its whole error in one step, which implicit
    /// time stepping damps by itself.
    pub dissipation_time: f64,
    /// β, the least period in steps, ≥ 0. Default 0.1 for bilateral constraints, which makes them 4π²/β² ≈ 4000 times
    /// as stiff as 1/(w δt²); with 1 it would be 40 times.
    pub near_rigid_beta: f64,
}

impl Default for Spring {
    fn default() -> Self {
        Self { stiffness: None, dissipation_time: 0.0, near_rigid_beta: 0.1 }
    }
}

impl Spring {
    /// R for a constraint of weight w. A weight of zero (nothing that can move) gives R = ∞.
    pub fn regularization(&self, weight: f64, time_step: f64) -> Result<f64, ParameterError> {
        let Self { stiffness, dissipation_time, near_rigid_beta } = *self;
        require(time_step > 0.0 && time_step.is_finite(), "time_step", time_step, "positive, in s")?;
        require(weight >= 0.0 && weight.is_finite(), "weight", weight, "finite and not negative")?;
        require(
            dissipation_time >= 0.0 && dissipation_time.is_finite(),
            "dissipation_time",
            dissipation_time,
            "finite and not negative, in s",
        )?;
        require(
            near_rigid_beta >= 0.0 && near_rigid_beta.is_finite(),
            "near_rigid_beta",
            near_rigid_beta,
            "finite and not negative",
        )?;
        if weight == 0.0 {
            return Ok(f64::INFINITY);
        }
        let bound = near_rigid_beta * near_rigid_beta * weight / (4.0 * std::f64::consts::PI.powi(2));
        let given = match stiffness {
            None => 0.0,
            Some(k) => {
                require(k > 0.0 && k.is_finite(), "stiffness", k, "positive and finite, in N/m")?;
                1.0 / (time_step * k * (time_step + dissipation_time))
            }
        };
        let r = bound.max(given);
        require(
            r > f64::MIN_POSITIVE && r.is_finite(),
            "near_rigid_beta",
            near_rigid_beta,
            "positive where no stiffness is given",
        )?;
        Ok(r)
    }

    /// v̂ = −φ0/(δt + τ).
    pub fn bias(&self, gap: f64, time_step: f64) -> f64 {
        -gap / (time_step + self.dissipation_time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_caps_the_stiffness() {
        let spring = Spring { stiffness: Some(1e12), dissipation_time: 0.0, near_rigid_beta: 1.0 };
        let r = spring.regularization(2.0, 1e-3).unwrap();
        assert!((r - 2.0 / (4.0 * std::f64::consts::PI.powi(2))).abs() < 1e-15);
        let soft = Spring { stiffness: Some(10.0), dissipation_time: 1e-3, near_rigid_beta: 1.0 };
        assert!((soft.regularization(2.0, 1e-3).unwrap() - 5e4).abs() < 1e-9);
    }

    #[test]
    fn no_stiffness_and_no_bound_is_refused() {
        let spring = Spring { stiffness: None, dissipation_time: 0.0, near_rigid_beta: 0.0 };
        assert_eq!(spring.regularization(1.0, 1e-3).unwrap_err().name, "near_rigid_beta");
        assert_eq!(spring.regularization(f64::NAN, 1e-3).unwrap_err().name, "weight");
    }
}
