//! `sap`: frictional contact with a regularized Coulomb cone.
//!
//! ```text
//!   C = { |λ_t| ≤ μ λ_n }     y = −R⁻¹u     λ = P_C(y) in the R-norm     ℓ(u) = ½ λᵀRλ
//! ```
//!
//! with R = diag(R_t, R_t, R_n). The optimum satisfies C ∋ λ ⟂ u + Rλ ∈ C*. In closed form, with
//! μ̂ = μ R_t/R_n and μ̃² = μ² R_t/R_n:
//!
//! | region | where | λ | ℓ |
//! |---|---|---|---|
//! | none  | y_n ≤ −μ̂ \|y_t\| | 0 | 0 |
//! | stick | \|y_t\| ≤ μ y_n | y | ½ uᵀR⁻¹u |
//! | slip  | else | λ_n = (μ\|u_t\| − u_n)/(R_n(1 + μ̃²)), λ_t = −μ λ_n u_t/\|u_t\| | (u_n − μ\|u_t\|)²/(2R_n(1 + μ̃²)) |
//!
//! Source: A. M. Castro, F. N. Permenter, X. Han, IEEE Trans. Robotics 39 (2023), sections III–IV.
//!
//! Artefacts of the cone: a contact that slides is lifted by μ|v_t|δt, unless v̂ compensates for it
//! ([`SapParameters::lift`]); one that sticks creeps at R_t λ_t. Pitfall: at μ = 0 the stick region shrinks to a
//! half-line, on which the tangential Hessian would be 1/R_t where it has to be 0; it is a case of its own.

use super::{ConstraintLaw, Hessian, ParameterError, Rows, Scalar, require, spring::Spring};

/// Parameters of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SapParameters {
    /// μ, ≥ 0, of the pair. Default 0: frictionless.
    pub friction: f64,
    /// φ0, m: signed distance at the start of the step, negative in overlap. Default 0.
    pub gap: f64,
    /// Normal compliance. Default: no stiffness, β = 1: hard contact, whose overlap is a small fraction of the
    /// displacement by gravity in a step, and does not grow with the step.
    pub spring: Spring,
    /// σ = R_t/w, > 0. Default 1e-3: sticking contacts creep at σ w F_t δt, a thousandth of what they
    /// would slip freely; smaller values cost iterations.
    pub sigma: f64,
    /// λ_t in N·s at which the contact does not creep: v̂_t = R_t times it. The friction memory sets it to the stick
    /// impulse of the previous step. Default 0.
    pub held_impulse: [f64; 2],
    /// λ_n in N·s at which the gap is zero, ≥ 0: the multiplier of hard contact, v̂_n += R_n times it. If the optimal
    /// λ_n equals it, the gap is zero for any R_n. Default 0.
    pub normal_multiplier: f64,
    /// Predicted μ|v_t| in m/s, ≥ 0. The cone law keeps v_n ≥ v̂_n + μ|v_t|, a lift that Coulomb's law does not have;
    /// v̂_n is lowered by the prediction, so that a contact that slides as predicted stays closed. Default 0.
    pub lift: f64,
}

impl Default for SapParameters {
    fn default() -> Self {
        Self {
            friction: 0.0,
            gap: 0.0,
            spring: Spring { near_rigid_beta: 1.0, ..Spring::default() },
            sigma: 1e-3,
            held_impulse: [0.0; 2],
            normal_multiplier: 0.0,
            lift: 0.0,
        }
    }
}

/// The cone law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SapContact {
    friction: f64,
    /// R_t, R_n.
    r_t: f64,
    r_n: f64,
    bias: Rows,
    // Stored to save divisions in the hot loops.
    inverse_r_t: f64,
    inverse_r_n: f64,
    /// 1/(R_n (1 + μ̃²)).
    slip_stiffness: f64,
}

/// Region of the projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// No contact.
    None,
    /// Inside the cone.
    Stick,
    /// On the cone.
    Slip,
}

impl SapContact {
    /// The law of a contact of weight w; see [`SapParameters`].
    pub fn new(parameters: &SapParameters, weight: f64, time_step: f64) -> Result<Self, ParameterError> {
        let SapParameters { friction, gap, spring, sigma, held_impulse: [h1, h2], normal_multiplier, lift } =
            *parameters;
        require(lift >= 0.0 && lift.is_finite(), "lift", lift, "finite and not negative, in m/s")?;
        require(gap.is_finite(), "gap", gap, "finite, in m")?;
        require(sigma > 0.0 && sigma.is_finite(), "sigma", sigma, "positive and finite")?;
        let r_n = spring.regularization(weight, time_step)?;
        // Nothing can move: no impulse for any overlap.
        let r_t = if weight == 0.0 { f64::INFINITY } else { sigma * weight };
        let shift = |r: f64, impulse: f64| if impulse == 0.0 || weight == 0.0 { 0.0 } else { r * impulse };
        Self::from_regularization(
            friction,
            r_t,
            r_n,
            [
                shift(r_t, h1),
                shift(r_t, h2),
                spring.bias(gap, time_step) + shift(r_n, normal_multiplier) - lift,
            ],
        )
    }

    /// The law with given R and v̂.
    pub fn from_regularization(
        friction: f64,
        r_t: f64,
        r_n: f64,
        bias: Rows,
    ) -> Result<Self, ParameterError> {
        require(friction >= 0.0 && friction.is_finite(), "friction", friction, "finite and not negative")?;
        require(r_t > 0.0, "R_t", r_t, "positive")?;
        require(r_n > 0.0, "R_n", r_n, "positive")?;
        for value in bias {
            require(value.is_finite(), "bias", value, "finite, in m/s")?;
        }
        let (inverse_r_t, inverse_r_n) = (1.0 / r_t, 1.0 / r_n);
        require(inverse_r_t.is_finite(), "R_t", r_t, "large enough to be inverted")?;
        require(inverse_r_n.is_finite(), "R_n", r_n, "large enough to be inverted")?;
        // 1/(R_n + μ² R_t); zero where R is infinite.
        let slip_stiffness =
            if friction == 0.0 { inverse_r_n } else { 1.0 / (r_n + friction * friction * r_t) };
        Ok(Self { friction, r_t, r_n, bias, inverse_r_t, inverse_r_n, slip_stiffness })
    }

    /// μ.
    pub fn friction(&self) -> f64 {
        self.friction
    }

    /// (R_t, R_t, R_n).
    pub fn regularization(&self) -> Rows {
        [self.r_t, self.r_t, self.r_n]
    }

    /// The region of the projection at `excess`.
    pub fn region(&self, excess: Rows) -> Region {
        self.classify(excess[0].hypot(excess[1]), excess[2])
    }

    /// With y_t = −u_t/R_t and y_n = −u_n/R_n: none where u_n ≥ μ|u_t|, stick where
    /// |u_t|/R_t ≤ −μ u_n/R_n.
    #[inline(always)]
    fn classify(&self, slip: f64, normal: f64) -> Region {
        if normal >= self.friction * slip {
            Region::None
        } else if slip * self.inverse_r_t <= -self.friction * normal * self.inverse_r_n {
            Region::Stick
        } else {
            Region::Slip
        }
    }
}

impl ConstraintLaw for SapContact {
    #[inline]
    fn bias(&self) -> Rows {
        self.bias
    }

    #[inline]
    fn cost<R: Scalar>(&self, u: [R; 3]) -> R {
        let squared = u[0] * u[0] + u[1] * u[1];
        match self.classify(squared.value().sqrt(), u[2].value()) {
            Region::None => R::zero(),
            Region::Stick => {
                // At μ = 0 the stick region is the half-line u_t = 0, part of frictionless contact.
                let g_t = if self.friction == 0.0 { 0.0 } else { self.inverse_r_t };
                (squared * R::splat(g_t) + u[2] * u[2] * R::splat(self.inverse_r_n)) * R::splat(0.5)
            }
            Region::Slip => {
                let normal =
                    if self.friction == 0.0 { u[2] } else { u[2] - squared.sqrt() * R::splat(self.friction) };
                normal * normal * R::splat(0.5 * self.slip_stiffness)
            }
        }
    }

    #[inline]
    fn impulse(&self, u: Rows) -> Rows {
        let slip = (u[0] * u[0] + u[1] * u[1]).sqrt();
        match self.classify(slip, u[2]) {
            Region::None => [0.0; 3],
            Region::Stick => [-u[0] * self.inverse_r_t, -u[1] * self.inverse_r_t, -u[2] * self.inverse_r_n],
            Region::Slip => {
                let normal = (self.friction * slip - u[2]) * self.slip_stiffness;
                let scale = if self.friction == 0.0 { 0.0 } else { -self.friction * normal / slip };
                [scale * u[0], scale * u[1], normal]
            }
        }
    }

    #[inline]
    fn hessian(&self, u: Rows) -> Hessian {
        let slip = (u[0] * u[0] + u[1] * u[1]).sqrt();
        match self.classify(slip, u[2]) {
            Region::None => [[0.0; 3]; 3],
            Region::Stick => {
                let g_t = if self.friction == 0.0 { 0.0 } else { self.inverse_r_t };
                [[g_t, 0.0, 0.0], [0.0, g_t, 0.0], [0.0, 0.0, self.inverse_r_n]]
            }
            Region::Slip => {
                // With t = u_t/|u_t|, a = (−μt, 1), s = slip stiffness:
                // G = s a aᵀ + μ λ_n/|u_t| (I − t tᵀ) on the tangents.
                let (s, mu) = (self.slip_stiffness, self.friction);
                if mu == 0.0 {
                    return [[0.0; 3], [0.0; 3], [0.0, 0.0, s]];
                }
                let (t1, t2) = (u[0] / slip, u[1] / slip);
                let bend = mu * (mu * slip - u[2]) * s / slip;
                let g11 = s * mu * mu * t1 * t1 + bend * t2 * t2;
                let g22 = s * mu * mu * t2 * t2 + bend * t1 * t1;
                let g12 = (s * mu * mu - bend) * t1 * t2;
                let (g13, g23) = (-s * mu * t1, -s * mu * t2);
                [[g11, g12, g13], [g12, g22, g23], [g13, g23, s]]
            }
        }
    }

    fn stiffness(&self) -> f64 {
        self.inverse_r_t.max(self.inverse_r_n)
    }

    fn softened(&self, factor: f64) -> Self {
        Self {
            r_t: self.r_t * factor,
            r_n: self.r_n * factor,
            inverse_r_t: self.inverse_r_t / factor,
            inverse_r_n: self.inverse_r_n / factor,
            slip_stiffness: self.slip_stiffness / factor,
            ..*self
        }
    }

    fn row_count(&self) -> usize {
        3
    }

    fn is_finite(&self) -> bool {
        // R = ∞: a contact between immovable bodies has no impulse.
        self.friction.is_finite()
            && self.bias.iter().all(|b| b.is_finite())
            && [self.inverse_r_t, self.inverse_r_n, self.slip_stiffness].iter().all(|s| s.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::derivative_check::{check, decades};

    #[test]
    fn derivatives_agree_in_every_region_and_over_decades() {
        for friction in [0.0, 1e-3, 0.3, 5.0] {
            for (r_t, r_n) in [(1e-3, 1e-2), (1.0, 1e-6), (1e-6, 1e3)] {
                let law = SapContact::from_regularization(friction, r_t, r_n, [0.0; 3]).unwrap();
                for u in decades() {
                    check(&law, u);
                }
            }
        }
    }

    #[test]
    fn derivatives_agree_beside_the_boundaries_and_at_zero_slip() {
        let (friction, r_t, r_n) = (0.5, 1e-3, 2e-2);
        let law = SapContact::from_regularization(friction, r_t, r_n, [0.0; 3]).unwrap();
        for side in [1.0 - 1e-9, 1.0 + 1e-9] {
            for scale in [1e-9, 1.0, 1e6] {
                // Stick–slip: |u_t|/R_t = −μ u_n/R_n. None–slip: u_n = μ |u_t|.
                let slip = friction * r_t / r_n * scale * side;
                check(&law, [slip * 0.6, slip * 0.8, -scale]);
                check(&law, [0.6 * scale, -0.8 * scale, friction * scale * side]);
            }
        }
        for normal in [-1.0, -1e-12, 1e-12, 1.0] {
            check(&law, [0.0, 0.0, normal]);
            let smooth = SapContact::from_regularization(0.0, r_t, r_n, [0.0; 3]).unwrap();
            check(&smooth, [0.0, 0.0, normal]);
        }
        assert_eq!(law.impulse([0.0; 3]), [0.0; 3]);
        assert!(law.hessian([0.0; 3]).iter().flatten().all(|g| g.is_finite()));
    }

    #[test]
    fn the_projection_is_optimal() {
        // λ ∈ C, u + Rλ ∈ C*, λ ⟂ u + Rλ.
        let law = SapContact::from_regularization(0.7, 2e-3, 5e-2, [0.0; 3]).unwrap();
        let r = law.regularization();
        for u in decades() {
            let l = law.impulse(u);
            let x: Vec<f64> = (0..3).map(|i| u[i] + r[i] * l[i]).collect();
            let scale = u.iter().map(|e| e.abs()).fold(1e-300, f64::max);
            assert!(l[0].hypot(l[1]) <= 0.7 * l[2] * (1.0 + 1e-12) + 1e-300);
            assert!(x[2] >= 0.7 * x[0].hypot(x[1]) - 1e-12 * scale);
            let product: f64 = (0..3).map(|i| l[i] * x[i]).sum();
            assert!(product.abs() <= 1e-12 * scale * (l[2] + 1e-300), "{u:?}: {product:e}");
        }
    }

    #[test]
    fn parameters_are_refused_by_name() {
        let bad = |p: SapParameters| SapContact::new(&p, 1.0, 1e-3).unwrap_err().name;
        assert_eq!(bad(SapParameters { friction: -0.1, ..Default::default() }), "friction");
        assert_eq!(bad(SapParameters { gap: f64::NAN, ..Default::default() }), "gap");
        assert_eq!(bad(SapParameters { sigma: 0.0, ..Default::default() }), "sigma");
        // Nothing that can move gives no impulse.
        let fixed =
            SapContact::new(&SapParameters { gap: -1.0, friction: 1.0, ..Default::default() }, 0.0, 1e-3);
        assert_eq!(fixed.unwrap().impulse([1.0, 0.0, -3.0]), [0.0, 0.0, 0.0]);
    }
}
