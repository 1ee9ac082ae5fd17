//! Normal force of Hunt and Crossley, taken at the end of the step, and the softened slip speed.
//!
//! ```text
//!   n(v) = δt (f0 − δt k v)₊ (1 − d v)₊,     f0 = −k φ0
//! ```
//!
//! Both factors fall with v; the smaller root v̂ = min(f0/(δt k), 1/d) is where the force ends. With
//! s = v̂ − v = −u the force is a polynomial without differences of large numbers,
//!
//! ```text
//!   n = s₊ (a + b s₊),   a = |δt² k − δt d f0|,   b = δt² k d,   N(u) = s₊² (a/2 + b s₊/3),
//! ```
//!
//! with −dN/du = n. Softened slip speed: |u_t| is replaced by √(|u_t|² + ε²) − ε, written without the
//! difference as |u_t|²/(√(|u_t|² + ε²) + ε).
//!
//! Source: K. H. Hunt, F. R. E. Crossley, J. Appl. Mech. 42 (1975); A. M. Castro, X. Han,
//! J. Masterjohn, *Irrotational contact fields*, 2023.

use super::{ParameterError, Scalar, require};

/// Parameters of a contact with a Hunt–Crossley normal force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompliantParameters {
    /// μ, ≥ 0, of the pair. Default 0.
    pub friction: f64,
    /// φ0, m: signed distance at the start of the step, negative in overlap. Default 0.
    pub gap: f64,
    /// k, N/m, > 0. None (the default): as stiff as the near-rigid bound allows.
    pub stiffness: Option<f64>,
    /// d, s/m, ≥ 0. Default 0: implicit steps damp by themselves.
    pub dissipation: f64,
    /// β ≥ 0: the period of the contact is at least β steps, k ≤ 4π²/(β² w δt²). Default 1.
    pub near_rigid_beta: f64,
    /// v_s, m/s, > 0: slip speed below which friction softens. Default 1e-4: creep of 0.1 mm/s.
    pub slip_speed: f64,
    /// σ ≥ 0: friction also softens below μ σ w n0, the cone's creep. Default 1e-3.
    pub sigma: f64,
    /// n0, N·s, ≥ 0: normal impulse of the previous step, or at the start of this one. Default 0.
    pub lagged_impulse: f64,
}

impl Default for CompliantParameters {
    fn default() -> Self {
        Self {
            friction: 0.0,
            gap: 0.0,
            stiffness: None,
            dissipation: 0.0,
            near_rigid_beta: 1.0,
            slip_speed: 1e-4,
            sigma: 1e-3,
            lagged_impulse: 0.0,
        }
    }
}

/// The normal law n = s₊(a + b s₊).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormalForce {
    pub(super) a: f64,
    pub(super) b: f64,
    /// v̂_n.
    pub(super) bias: f64,
}

impl CompliantParameters {
    /// Checks the parameters that all compliant laws share.
    fn validate(&self, weight: f64, time_step: f64) -> Result<(), ParameterError> {
        let not_negative = |name, value: f64| {
            require(value >= 0.0 && value.is_finite(), name, value, "finite and not negative")
        };
        require(time_step > 0.0 && time_step.is_finite(), "time_step", time_step, "positive, in s")?;
        not_negative("weight", weight)?;
        not_negative("friction", self.friction)?;
        not_negative("dissipation", self.dissipation)?;
        not_negative("near_rigid_beta", self.near_rigid_beta)?;
        not_negative("sigma", self.sigma)?;
        not_negative("lagged_impulse", self.lagged_impulse)?;
        require(self.gap.is_finite(), "gap", self.gap, "finite, in m")?;
        let slip_speed = self.slip_speed;
        require(slip_speed > 0.0 && slip_speed.is_finite(), "slip_speed", slip_speed, "positive, in m/s")
    }

    /// The stiffness in use: the given one, but at most the near-rigid bound. Zero where nothing can move.
    pub fn effective_stiffness(&self, weight: f64, time_step: f64) -> Result<f64, ParameterError> {
        self.validate(weight, time_step)?;
        if weight == 0.0 {
            return Ok(0.0);
        }
        let period = self.near_rigid_beta * time_step;
        let bound = 4.0 * std::f64::consts::PI.powi(2) / (period * period * weight);
        if let Some(k) = self.stiffness {
            require(k > 0.0 && k.is_finite(), "stiffness", k, "positive and finite, in N/m")?;
        }
        let k = self.stiffness.unwrap_or(f64::INFINITY).min(bound);
        require(
            k.is_finite(),
            "near_rigid_beta",
            self.near_rigid_beta,
            "positive where no stiffness is given",
        )?;
        Ok(k)
    }

    /// The normal force of a contact of weight w.
    pub fn normal_force(&self, weight: f64, time_step: f64) -> Result<NormalForce, ParameterError> {
        let k = self.effective_stiffness(weight, time_step)?;
        if k == 0.0 {
            return Ok(NormalForce { a: 0.0, b: 0.0, bias: 0.0 });
        }
        let (dt, d) = (time_step, self.dissipation);
        // f0/(δt k) = −φ0/δt.
        let bias = if d > 0.0 { (-self.gap / dt).min(1.0 / d) } else { -self.gap / dt };
        // δt² k − δt d f0 = δt k (δt + d φ0).
        let a = (dt * k * (dt + d * self.gap)).abs();
        Ok(NormalForce { a, b: dt * dt * k * d, bias })
    }

    /// Normal impulse at the start of the step, δt f0₊ (1 − d v_n0)₊: a value for `lagged_impulse` where there is no
    /// previous step.
    pub fn start_impulse(
        &self,
        weight: f64,
        time_step: f64,
        normal_speed: f64,
    ) -> Result<f64, ParameterError> {
        let k = self.effective_stiffness(weight, time_step)?;
        let f0 = (-k * self.gap).max(0.0);
        Ok(time_step * f0 * (1.0 - self.dissipation * normal_speed).max(0.0))
    }

    /// ε = max(v_s, μ σ w n0).
    pub fn softening(&self, weight: f64) -> f64 {
        self.slip_speed.max(self.friction * self.sigma * weight * self.lagged_impulse)
    }
}

impl NormalForce {
    /// N(u).
    #[inline(always)]
    pub(super) fn potential<R: Scalar>(&self, u: R) -> R {
        if u.value() >= 0.0 {
            return R::zero();
        }
        let s = -u;
        s * s * (R::splat(0.5 * self.a) + s * R::splat(self.b / 3.0))
    }

    /// n = −dN/du.
    #[inline(always)]
    pub(super) fn force(&self, u: f64) -> f64 {
        let s = (-u).max(0.0);
        s * (self.a + self.b * s)
    }

    /// d²N/du².
    #[inline(always)]
    pub(super) fn stiffness(&self, u: f64) -> f64 {
        if u >= 0.0 { 0.0 } else { self.a - 2.0 * self.b * u }
    }

    pub(super) fn softened(&self, factor: f64) -> Self {
        Self { a: self.a / factor, b: self.b / factor, ..*self }
    }

    pub(super) fn is_finite(&self) -> bool {
        self.a.is_finite() && self.b.is_finite() && self.bias.is_finite()
    }
}

/// √(|u_t|² + ε²) − ε.
#[inline(always)]
pub(super) fn soft_slip<R: Scalar>(u1: R, u2: R, epsilon: f64) -> R {
    let squared = u1 * u1 + u2 * u2;
    squared / ((squared + R::splat(epsilon * epsilon)).sqrt() + R::splat(epsilon))
}

/// Gradient of [`soft_slip`], and 1/√(|u_t|² + ε²).
#[inline(always)]
pub(super) fn soft_direction(u1: f64, u2: f64, epsilon: f64) -> ([f64; 2], f64) {
    let inverse = 1.0 / (u1 * u1 + u2 * u2 + epsilon * epsilon).sqrt();
    ([u1 * inverse, u2 * inverse], inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_force_is_that_of_the_formula() {
        let (k, dt, w) = (2e4, 1e-3, 1.0);
        for gap in [-1e-3, -1e-5, 0.0, 1e-4] {
            for d in [0.0, 0.5, 50.0] {
                let p = CompliantParameters {
                    gap,
                    stiffness: Some(k),
                    dissipation: d,
                    near_rigid_beta: 0.0,
                    ..Default::default()
                };
                let n = p.normal_force(w, dt).unwrap();
                for v in [-2.0, -0.3, -1e-3, 0.0, 1e-3, 0.019, 0.5] {
                    let expected = dt * (-k * gap - dt * k * v).max(0.0) * (1.0 - d * v).max(0.0);
                    let got = n.force(v - n.bias);
                    assert!((got - expected).abs() <= 1e-12 * (1.0 + expected), "{gap} {d} {v}");
                }
            }
        }
    }

    #[test]
    fn parameters_are_refused_by_name() {
        let name = |p: CompliantParameters| p.normal_force(1.0, 1e-3).unwrap_err().name;
        assert_eq!(
            name(CompliantParameters { near_rigid_beta: 0.0, ..Default::default() }),
            "near_rigid_beta"
        );
        assert_eq!(name(CompliantParameters { slip_speed: 0.0, ..Default::default() }), "slip_speed");
        assert_eq!(name(CompliantParameters { stiffness: Some(-1.0), ..Default::default() }), "stiffness");
        assert_eq!(name(CompliantParameters { dissipation: f64::NAN, ..Default::default() }), "dissipation");
    }
}
