//! PD actuator with an effort limit, taken at the end of the step.
//!
//! ```text
//!   λ = δt·clamp(k_p (q_t − q0 − δt v) + k_d (v_t − v) + f, ±e) = δt·clamp(−K u, ±e)
//!   K = δt k_p + k_d,    v̂ = (k_p (q_t − q0) + k_d v_t + f)/K
//! ```
//!
//! with f a feed-forward effort. The cost is Huber's function: δt K u²/2 within the limit, linear
//! beyond. One row with J = 1 at the joint. However stiff the gains, the step stays stable.

use super::{ConstraintLaw, Hessian, ParameterError, Rows, Scalar, require, scalar_hessian};

/// Gains, targets and limit of an actuator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActuatorParameters {
    /// k_p, N/m or N·m/rad, ≥ 0. Default 0.
    pub position_gain: f64,
    /// k_d, N·s/m or N·m·s/rad, ≥ 0. Default 0. One of the gains must be positive.
    pub velocity_gain: f64,
    /// q_t, m or rad. Default 0.
    pub target_position: f64,
    /// v_t, m/s or rad/s. Default 0.
    pub target_velocity: f64,
    /// f, N or N·m: effort added before the limit. Default 0.
    pub feed_forward: f64,
    /// e, N or N·m, > 0, may be infinite. Default infinite: no limit.
    pub effort_limit: f64,
}

impl Default for ActuatorParameters {
    fn default() -> Self {
        Self {
            position_gain: 0.0,
            velocity_gain: 0.0,
            target_position: 0.0,
            target_velocity: 0.0,
            feed_forward: 0.0,
            effort_limit: f64::INFINITY,
        }
    }
}

/// The actuator law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Actuator {
    bias: f64,
    /// δt K.
    stiffness: f64,
    /// δt e.
    impulse_limit: f64,
}

impl Actuator {
    /// The law of a joint at `position` (m or rad); see [`ActuatorParameters`].
    pub fn new(
        parameters: &ActuatorParameters,
        position: f64,
        time_step: f64,
    ) -> Result<Self, ParameterError> {
        let p = parameters;
        require(time_step > 0.0 && time_step.is_finite(), "time_step", time_step, "positive, in s")?;
        for (name, gain) in [("position_gain", p.position_gain), ("velocity_gain", p.velocity_gain)] {
            require(gain >= 0.0 && gain.is_finite(), name, gain, "finite and not negative")?;
        }
        for (name, value) in [
            ("position", position),
            ("target_position", p.target_position),
            ("target_velocity", p.target_velocity),
            ("feed_forward", p.feed_forward),
        ] {
            require(value.is_finite(), name, value, "finite")?;
        }
        require(p.effort_limit > 0.0, "effort_limit", p.effort_limit, "positive, in N or N·m")?;
        let gain = time_step * p.position_gain + p.velocity_gain;
        require(gain > 0.0, "position_gain", p.position_gain, "positive where velocity_gain is zero")?;
        let effort = p.position_gain * (p.target_position - position)
            + p.velocity_gain * p.target_velocity
            + p.feed_forward;
        Ok(Self {
            bias: effort / gain,
            stiffness: time_step * gain,
            impulse_limit: time_step * p.effort_limit,
        })
    }
}

impl ConstraintLaw for Actuator {
    #[inline]
    fn bias(&self) -> Rows {
        [self.bias, 0.0, 0.0]
    }

    #[inline]
    fn cost<R: Scalar>(&self, u: [R; 3]) -> R {
        huber(u[0], self.stiffness, self.impulse_limit)
    }

    #[inline]
    fn impulse(&self, u: Rows) -> Rows {
        [(-self.stiffness * u[0]).clamp(-self.impulse_limit, self.impulse_limit), 0.0, 0.0]
    }

    #[inline]
    fn hessian(&self, u: Rows) -> Hessian {
        let within = (self.stiffness * u[0]).abs() <= self.impulse_limit;
        scalar_hessian(if within { self.stiffness } else { 0.0 })
    }

    fn stiffness(&self) -> f64 {
        self.stiffness
    }

    fn softened(&self, factor: f64) -> Self {
        Self { stiffness: self.stiffness / factor, ..*self }
    }

    fn row_count(&self) -> usize {
        1
    }

    fn is_finite(&self) -> bool {
        // An infinite limit is an actuator without one.
        self.bias.is_finite() && self.stiffness.is_finite() && !self.impulse_limit.is_nan()
    }
}

/// g u²/2 where g|u| ≤ limit, else limit·(|u| − limit/(2g)).
#[inline(always)]
pub(super) fn huber<R: Scalar>(u: R, stiffness: f64, limit: f64) -> R {
    if (u.value() * stiffness).abs() <= limit {
        return u * u * R::splat(0.5 * stiffness);
    }
    let size = if u.value() < 0.0 { -u } else { u };
    (size - R::splat(0.5 * limit / stiffness)) * R::splat(limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::derivative_check::{check, decades};

    fn parameters() -> ActuatorParameters {
        ActuatorParameters {
            position_gain: 400.0,
            velocity_gain: 20.0,
            target_position: 0.3,
            target_velocity: -0.1,
            feed_forward: 2.0,
            effort_limit: 7.0,
        }
    }

    #[test]
    fn derivatives_agree_over_decades_and_at_the_limit() {
        for effort_limit in [7.0, 1e-6, f64::INFINITY] {
            let law = Actuator::new(&ActuatorParameters { effort_limit, ..parameters() }, 0.1, 1e-3).unwrap();
            for u in decades() {
                check(&law, u);
            }
            let knee = law.impulse_limit / law.stiffness;
            if knee.is_finite() {
                for side in [1.0 - 1e-9, 1.0 + 1e-9] {
                    check(&law, [knee * side, 0.0, 0.0]);
                    check(&law, [-knee * side, 0.0, 0.0]);
                }
            }
        }
    }

    #[test]
    fn the_impulse_is_that_of_the_controller_at_the_end_of_the_step() {
        let (p, q, dt) = (parameters(), 0.29, 1e-2);
        let law = Actuator::new(&p, q, dt).unwrap();
        for v in [-3.0, -0.1, 0.2, 5.0] {
            let effort = p.position_gain * (p.target_position - q - dt * v)
                + p.velocity_gain * (p.target_velocity - v)
                + p.feed_forward;
            let expected = dt * effort.clamp(-p.effort_limit, p.effort_limit);
            assert!((law.impulse([v - law.bias()[0], 0.0, 0.0])[0] - expected).abs() < 1e-14);
        }
    }

    #[test]
    fn parameters_are_refused_by_name() {
        let name = |p: ActuatorParameters| Actuator::new(&p, 0.0, 1e-3).unwrap_err().name;
        assert_eq!(name(ActuatorParameters::default()), "position_gain");
        assert_eq!(name(ActuatorParameters { effort_limit: -1.0, ..parameters() }), "effort_limit");
        assert_eq!(name(ActuatorParameters { feed_forward: f64::NAN, ..parameters() }), "feed_forward");
    }
}
