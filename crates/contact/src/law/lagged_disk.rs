//! `disk`: a normal spring, and friction of at most μ times a given normal impulse n0.
//!
//! ```text
//!   λ_n = (−u_n)₊/R_n     λ_t = P_D(−u_t/R_t),   D = { |λ_t| ≤ μ n0 }
//!   ℓ(u) = (−u_n)₊²/2R_n + H(|u_t|),   H(s) = s²/2R_t up to s = μ n0 R_t, then μ n0 (s − μ n0 R_t/2)
//! ```
//!
//! Normal and tangential directions are decoupled. Unlike with the cone of [`super::sap`], sliding neither lifts a
//! contact by μ|v_t|δt nor presses it more when it becomes faster, and friction on a light object that slips out of a
//! heavy grasp stays below μ times the grasp force. With n0 = λ_n the law is Coulomb's, so n0 has to be predicted,
//! and the problem is solved again where λ_n differs from the prediction. The law suits soft contacts whose overlap
//! measures their force: the polygons of pressure fields, which also end where the overlap ends. R and v̂ are those
//! of the cone law.

use super::sap::SapParameters;
use super::{ConstraintLaw, Hessian, ParameterError, Rows, SapContact, Scalar, require};

/// The disk law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiskContact {
    bias: Rows,
    friction: f64,
    inverse_r_t: f64,
    inverse_r_n: f64,
    /// μ n0, N·s, or the previous stick impulse if that is greater and the patch sticks.
    limit: f64,
    /// Whether the stick impulse may exceed μ n0.
    raised: bool,
}

impl DiskContact {
    /// The law of a contact of weight w with the predicted normal impulse n0 (N·s, ≥ 0). If its patch as a whole
    /// sticks (`holds`), its stick impulse may stay as large as before; see [`SapParameters`].
    pub fn new(
        parameters: &SapParameters,
        (n0, holds): (f64, bool),
        weight: f64,
        time_step: f64,
    ) -> Result<Self, ParameterError> {
        let cone = SapContact::new(parameters, weight, time_step)?;
        let [r_t, _, r_n] = cone.regularization();
        let bias = cone.bias();
        require(n0 >= 0.0 && n0.is_finite(), "normal_impulse", n0, "finite and not negative, in N·s")?;
        let own = if weight == 0.0 { 0.0 } else { parameters.friction * n0 };
        let [h1, h2] = parameters.held_impulse;
        let held = (h1 * h1 + h2 * h2).sqrt();
        let raised = holds && own > 0.0 && held > own;
        let limit = if raised { held } else { own };
        Ok(Self {
            bias,
            friction: parameters.friction,
            inverse_r_t: 1.0 / r_t,
            inverse_r_n: 1.0 / r_n,
            limit,
            raised,
        })
    }

    /// Error of friction, N·s, for the solved `impulse`: the shortfall from μ λ_n where the contact slips, or the
    /// stick impulse in excess of μ λ_n.
    pub fn friction_error(&self, impulse: Rows) -> f64 {
        let [l1, l2, normal] = impulse;
        let (held, can_hold) = ((l1 * l1 + l2 * l2).sqrt(), self.friction * normal);
        let slips = held >= (1.0 - 1e-9) * self.limit;
        if self.raised {
            0.0
        } else if slips {
            (can_hold - held).abs()
        } else {
            (held - can_hold).max(0.0)
        }
    }

    /// The same law with the predicted normal impulse `n0` (N·s, ≥ 0).
    pub fn expecting(self, n0: f64) -> Self {
        if self.raised { self } else { Self { limit: self.friction * n0, ..self } }
    }

    /// Whether friction is at its limit; a frictionless contact always is, even at rest.
    #[inline(always)]
    fn slips(&self, slip: f64) -> bool {
        self.limit == 0.0 || slip * self.inverse_r_t > self.limit
    }

    /// μ n0/|u_t| where the contact slips.
    #[inline(always)]
    fn bend(&self, slip: f64) -> f64 {
        if self.limit == 0.0 { 0.0 } else { self.limit / slip }
    }
}

impl ConstraintLaw for DiskContact {
    #[inline]
    fn bias(&self) -> Rows {
        self.bias
    }

    #[inline]
    fn cost<R: Scalar>(&self, u: [R; 3]) -> R {
        let squared = u[0] * u[0] + u[1] * u[1];
        let along = if self.limit == 0.0 {
            R::zero()
        } else if self.slips(squared.value().sqrt()) {
            (squared.sqrt() - R::splat(0.5 * self.limit / self.inverse_r_t)) * R::splat(self.limit)
        } else {
            squared * R::splat(0.5 * self.inverse_r_t)
        };
        if u[2].value() >= 0.0 { along } else { along + u[2] * u[2] * R::splat(0.5 * self.inverse_r_n) }
    }

    #[inline]
    fn impulse(&self, u: Rows) -> Rows {
        let slip = (u[0] * u[0] + u[1] * u[1]).sqrt();
        let scale = if self.slips(slip) { self.bend(slip) } else { self.inverse_r_t };
        [-scale * u[0], -scale * u[1], (-u[2]).max(0.0) * self.inverse_r_n]
    }

    #[inline]
    fn hessian(&self, u: Rows) -> Hessian {
        let normal = if u[2] >= 0.0 { 0.0 } else { self.inverse_r_n };
        let slip = (u[0] * u[0] + u[1] * u[1]).sqrt();
        if !self.slips(slip) {
            return [[self.inverse_r_t, 0.0, 0.0], [0.0, self.inverse_r_t, 0.0], [0.0, 0.0, normal]];
        }
        // μ n0/|u_t| (I − t tᵀ) with t = u_t/|u_t|.
        let bend = self.bend(slip);
        let (t1, t2) = if bend == 0.0 { (0.0, 0.0) } else { (u[0] / slip, u[1] / slip) };
        let g12 = -bend * t1 * t2;
        [[bend * t2 * t2, g12, 0.0], [g12, bend * t1 * t1, 0.0], [0.0, 0.0, normal]]
    }

    fn stiffness(&self) -> f64 {
        self.inverse_r_t.max(self.inverse_r_n)
    }

    fn softened(&self, factor: f64) -> Self {
        Self { inverse_r_t: self.inverse_r_t / factor, inverse_r_n: self.inverse_r_n / factor, ..*self }
    }

    fn row_count(&self) -> usize {
        3
    }

    fn is_finite(&self) -> bool {
        self.bias.iter().all(|b| b.is_finite())
            && [self.inverse_r_t, self.inverse_r_n, self.limit, self.friction].iter().all(|x| x.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::derivative_check::{check, decades};
    use crate::law::spring::Spring;

    /// 1e4 N/m at the given gap, in a step of 1 ms, with the normal impulse of the gap as prediction.
    fn law(friction: f64, gap: f64, held_impulse: [f64; 2]) -> DiskContact {
        let spring = Spring { stiffness: Some(1e4), near_rigid_beta: 1.0, ..Spring::default() };
        let parameters =
            SapParameters { friction, gap, spring, sigma: 0.02, held_impulse, ..SapParameters::default() };
        DiskContact::new(&parameters, (10.0 * (-gap).max(0.0), false), 1.5, 1e-3).unwrap()
    }

    #[test]
    fn derivatives_agree_over_decades_and_beside_the_boundaries() {
        for friction in [0.0, 1e-3, 0.3, 5.0] {
            for gap in [-1e-3, -1e-6, 0.0, 1e-4] {
                let law = law(friction, gap, [0.0; 2]);
                for u in decades() {
                    check(&law, u);
                }
                for side in [1.0 - 1e-9, 1.0 + 1e-9] {
                    let slip = law.limit * 0.03 * side;
                    check(&law, [0.6 * slip, -0.8 * slip, -1e-3]);
                    check(&law, [0.6 * slip, -0.8 * slip, 1e-3]);
                }
                check(&law, [0.0, 0.0, -1.0]);
                check(&law.expecting(0.0), [0.0, 0.0, -1.0]);
                check(&law.expecting(0.0), [0.3, -0.1, 1.0]);
            }
        }
    }

    #[test]
    fn friction_is_that_of_the_force_that_is_expected() {
        // 1 mm deep: 10 N, 0.01 N·s in a step; μ = 0.3. Speeds of sliding and separation make no difference.
        let law = law(0.3, -1e-3, [0.0; 2]);
        for (slip, part) in [(0.1, 0.0), (10.0, 0.0), (10.0, 5.0), (1.0, -2.0)] {
            let v = [0.6 * slip, 0.8 * slip, part];
            let bias = law.bias();
            let l = law.impulse([0, 1, 2].map(|i| v[i] - bias[i]));
            assert!((l[0].hypot(l[1]) - 3e-3).abs() < 1e-15, "{l:?}");
            assert!((l[2] - (1e-2 - 1e-2 * part).max(0.0)).abs() < 1e-12, "{l:?}");
        }
        // No contact, no friction.
        assert_eq!(self::law(0.3, 1e-3, [0.0; 2]).impulse([1.0, 1.0, -1e-9])[..2], [0.0, 0.0]);
    }

    #[test]
    fn a_sticking_contact_holds_what_it_held() {
        let law = law(0.5, -1e-3, [1e-3, -2e-3]);
        let l = law.impulse(law.bias().map(|b| -b));
        assert!((l[0] - 1e-3).abs() < 1e-15 && (l[1] + 2e-3).abs() < 1e-15, "{l:?}");
    }

    #[test]
    fn a_part_of_a_patch_that_holds_goes_on_to_hold_what_it_held() {
        let parameters =
            SapParameters { friction: 0.5, gap: -1e-3, held_impulse: [0.0, 6e-3], ..Default::default() };
        for (holds, limit) in [(true, 6e-3), (false, 5e-3)] {
            let law = DiskContact::new(&parameters, (1e-2, holds), 1.5, 1e-3).unwrap();
            let l = law.impulse([0, 1, 2].map(|i| [0.0, -1.0, 0.0][i] - law.bias()[i]));
            assert!((l[1] - limit).abs() < 1e-12, "{l:?}");
        }
    }

    #[test]
    fn friction_that_is_not_that_of_the_normal_force_is_seen() {
        let law = law(0.5, -1e-3, [0.0; 2]);
        // The stick limit is 5e-3 N·s, and 4e-3 is needed.
        assert!((law.friction_error([3e-3, 4e-3, 8e-3]) - 1e-3).abs() < 1e-15);
        assert_eq!(law.friction_error([0.0, 3e-3, 8e-3]), 0.0);
        assert!((law.friction_error([0.0, 4.5e-3, 8e-3]) - 0.5e-3).abs() < 1e-15);
        assert!((law.friction_error([0.0, 5e-3, 1.2e-2]) - 1e-3).abs() < 1e-15);
        assert_eq!(law.expecting(8e-3).friction_error([0.0, 4e-3, 8e-3]), 0.0);
    }

    #[test]
    fn parameters_are_refused_by_name() {
        let bad =
            |n0: f64| DiskContact::new(&SapParameters::default(), (n0, false), 1.0, 1e-3).unwrap_err().name;
        assert_eq!([bad(-1.0), bad(f64::NAN)], ["normal_impulse"; 2]);
        // Nothing that can move gives no impulse.
        let fixed =
            DiskContact::new(&SapParameters { friction: 1.0, ..Default::default() }, (1.0, true), 0.0, 1e-3);
        assert_eq!(fixed.unwrap().impulse([1.0, 0.0, -3.0]), [0.0, 0.0, 0.0]);
    }
}
