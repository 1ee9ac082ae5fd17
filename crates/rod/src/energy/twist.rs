//! Twisting at a node.
//!
//! E_t = ½ k (τ − τ̄)², k = GJ/l̄. τ is the angle about t¹ from the director m₁⁰, parallel-transported from t⁰ to t¹,
//! to m₁¹, on the branch nearest to its last value.
//!
//! In the notation of [`super::edge_pair`]: cos τ = R₁₁ − a₁ b₁/χ, sin τ = a₁ b₂/χ − R₁₂.
//!
//! | symbol | name | unit |
//! |---|---|---|
//! | τ, τ̄ | `tau`, `natural` | rad |
//! | k | `stiffness` | N·m |
//! | T = k (τ − τ̄) | `torque` | N·m |
//!
//! When t⁰ moves by u, the frame goes round the spherical triangle (t⁰, t⁰ + u, t¹); the twist changes by its
//! area, tan(Ω/2) = t⁰·(t⁰' × t¹)/(1 + t⁰·t⁰' + t⁰'·t¹ + t⁰·t¹). To second order, with h = t⁰×t¹/χ:
//!
//! ∂τ/∂u = ∂τ/∂w = h, that is (−a₂, a₁)/χ in the first plane and (b₂, −b₁)/χ in the second,
//! ∂²τ/∂u² = −(h aᵀ + a hᵀ)/2χ, ∂²τ/∂w² = −(h bᵀ + b hᵀ)/2χ, ∂²τ/∂u_p∂w_q = (X_pq − h_p b_q)/χ,
//! X = (−R₂:; R₁:), the cross product with t⁰.

use super::edge_pair::{Turn, TurnDerivatives};
use ropewalk_linalg::{Real, parallel_transport};

/// τ on the branch nearest to `near`.
#[inline(always)]
pub fn tau<R: Real>(turn: &Turn<R>, near: R) -> R {
    let cosine = turn.r[0][0] - turn.a[0] * turn.b[0] * turn.inverse_chi;
    let sine = turn.a[0] * turn.b[1] * turn.inverse_chi - turn.r[0][1];
    parallel_transport::unwrap_angle(sine.atan2(cosine), near)
}

/// E_t in J.
#[inline(always)]
pub fn value<R: Real>(tau: R, natural: R, stiffness: R) -> R {
    let d = tau - natural;
    R::splat(0.5) * stiffness * d * d
}

/// Adds the gradient of E_t.
#[inline(always)]
pub fn add_gradient<R: Real>(turn: &Turn<R>, torque: R, out: &mut TurnDerivatives<R>) {
    let ti = torque * turn.inverse_chi;
    out.u[0] -= ti * turn.a[1];
    out.u[1] += ti * turn.a[0];
    out.w[0] += ti * turn.b[1];
    out.w[1] -= ti * turn.b[0];
    out.gamma[0] -= torque;
    out.gamma[1] += torque;
}

/// Adds gradient and Hessian of E_t.
#[inline(always)]
pub fn add_derivatives<R: Real>(turn: &Turn<R>, torque: R, stiffness: R, out: &mut TurnDerivatives<R>) {
    add_gradient(turn, torque, out);
    let (i, a, b, r) = (turn.inverse_chi, turn.a, turn.b, turn.r);
    let hu = [-(a[1] * i), a[0] * i];
    let hw = [b[1] * i, -(b[0] * i)];
    let ti = torque * i;
    let half = ti * R::splat(0.5);
    out.uu[0] -= ti * hu[0] * a[0];
    out.uu[1] -= half * hu[0].mul_add(a[1], hu[1] * a[0]);
    out.uu[2] -= ti * hu[1] * a[1];
    out.ww[0] -= ti * hw[0] * b[0];
    out.ww[1] -= half * hw[0].mul_add(b[1], hw[1] * b[0]);
    out.ww[2] -= ti * hw[1] * b[1];
    for q in 0..2 {
        out.uw[0][q] -= ti * hu[0].mul_add(b[q], r[1][q]);
        out.uw[1][q] += ti * (r[0][q] - hu[1] * b[q]);
    }
    out.add_outer(stiffness, hu, hw, [R::splat(-1.0), R::splat(1.0)]);
}
