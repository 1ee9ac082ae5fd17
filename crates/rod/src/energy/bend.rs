//! Bending at a node.
//!
//! E_b = ½ Σ_j k_j (κ_j − κ̄_j)², k_j = EI_j/l̄, with the discrete curvature κ = 2 t⁰×t¹/(1 + t⁰·t¹),
//! κ₁ = κ·(m₂⁰ + m₂¹)/2 and κ₂ = −κ·(m₁⁰ + m₁¹)/2. Since m₂ × t = m₁ and t × m₁ = m₂, in the notation of
//! [`super::edge_pair`] both are
//!
//! κ_j = (a_j − b_j)/χ.
//!
//! | symbol | name | unit |
//! |---|---|---|
//! | κ_j, κ̄_j | `kappa`, `natural` | rad |
//! | k_j | `stiffness` | N·m |
//! | M_j = k_j (κ_j − κ̄_j) | `moment` | N·m |
//!
//! First derivatives, from a(u) = a − c u − ½ (m·u)(t¹·u), b(u) = b + R-column·u − ½ |u|² b, χ(u) = χ + a·u
//! − ½ |u|² c and the mirror images for w (δ_j the unit vector of director j):
//!
//! ∂κ_j/∂u = (−c δ_j − R_:j − κ_j a)/χ, ∂κ_j/∂w = (R_j: + c δ_j − κ_j b)/χ,
//! ∂κ₁/∂γ = (a₂, −b₂)/χ, ∂κ₂/∂γ = (−a₁, b₁)/χ.
//!
//! Second derivatives are needed only in the sum Σ_j M_j ∂²κ_j; see [`add_derivatives`].

use super::edge_pair::{Turn, TurnDerivatives};
use ropewalk_linalg::Real;

/// κ₁ and κ₂.
#[inline(always)]
pub fn kappa<R: Real>(turn: &Turn<R>) -> [R; 2] {
    [(turn.a[0] - turn.b[0]) * turn.inverse_chi, (turn.a[1] - turn.b[1]) * turn.inverse_chi]
}

/// E_b in J.
#[inline(always)]
pub fn value<R: Real>(kappa: [R; 2], natural: [R; 2], stiffness: [R; 2]) -> R {
    let (d1, d2) = (kappa[0] - natural[0], kappa[1] - natural[1]);
    R::splat(0.5) * (stiffness[0] * d1 * d1 + stiffness[1] * d2 * d2)
}

/// Adds the gradient of E_b: G_u = Σ M_j ∂κ_j/∂u and so on. Returns nothing else; the Hessian is in
/// [`add_derivatives`].
#[inline(always)]
pub fn add_gradient<R: Real>(turn: &Turn<R>, kappa: [R; 2], moment: [R; 2], out: &mut TurnDerivatives<R>) {
    let i = turn.inverse_chi;
    let s = moment[0].mul_add(kappa[0], moment[1] * kappa[1]);
    let r_m = turn.r_times(moment);
    let rt_m = turn.r_transposed_times(moment);
    for p in 0..2 {
        out.u[p] -= turn.cosine.mul_add(moment[p], s.mul_add(turn.a[p], r_m[p])) * i;
        out.w[p] += (turn.cosine.mul_add(moment[p], rt_m[p]) - s * turn.b[p]) * i;
    }
    out.gamma[0] += (moment[0] * turn.a[1] - moment[1] * turn.a[0]) * i;
    out.gamma[1] += (moment[1] * turn.b[0] - moment[0] * turn.b[1]) * i;
}

/// Adds gradient and Hessian of E_b.
///
/// With M the vector of moments, s = M·κ, G_u and G_w the gradient and M⊥ = (M₂, −M₁):
///
/// Σ M ∂²κ/∂u²  = [(M·b + c s) I − (V aᵀ + a Vᵀ)]/χ with V = G_u + ½ M
/// Σ M ∂²κ/∂w²  = [(c s − M·a) I − (W bᵀ + b Wᵀ)]/χ with W = G_w − ½ M
/// Σ M ∂²κ/∂u∂w = [a (M − G_w)ᵀ − (M + G_u) bᵀ − s R]/χ
/// Σ M ∂²κ/∂u∂γ = [c M⊥ − G_γ⁰ a, R M⊥ − G_γ¹ a]/χ
/// Σ M ∂²κ/∂w∂γ = [−Rᵀ M⊥ − G_γ⁰ b, −c M⊥ − G_γ¹ b]/χ
/// Σ M ∂²κ/∂γ²  = (−M·a, 0, M·b)/χ
#[inline(always)]
pub fn add_derivatives<R: Real>(
    turn: &Turn<R>,
    kappa: [R; 2],
    moment: [R; 2],
    stiffness: [R; 2],
    out: &mut TurnDerivatives<R>,
) {
    let (i, c, a, b, r) = (turn.inverse_chi, turn.cosine, turn.a, turn.b, turn.r);
    let half = R::splat(0.5);
    let s = moment[0].mul_add(kappa[0], moment[1] * kappa[1]);
    let r_m = turn.r_times(moment);
    let rt_m = turn.r_transposed_times(moment);
    let mut gu = [R::zero(); 2];
    let mut gw = [R::zero(); 2];
    for p in 0..2 {
        gu[p] = -(c.mul_add(moment[p], s.mul_add(a[p], r_m[p])) * i);
        gw[p] = (c.mul_add(moment[p], rt_m[p]) - s * b[p]) * i;
        out.u[p] += gu[p];
        out.w[p] += gw[p];
    }
    let gamma = [(moment[0] * a[1] - moment[1] * a[0]) * i, (moment[1] * b[0] - moment[0] * b[1]) * i];
    out.gamma[0] += gamma[0];
    out.gamma[1] += gamma[1];

    let m_a = moment[0].mul_add(a[0], moment[1] * a[1]);
    let m_b = moment[0].mul_add(b[0], moment[1] * b[1]);
    let uu = c.mul_add(s, m_b);
    let v = [half.mul_add(moment[0], gu[0]) * i, half.mul_add(moment[1], gu[1]) * i];
    out.uu[0] += uu * i - (v[0] + v[0]) * a[0];
    out.uu[1] -= v[0].mul_add(a[1], v[1] * a[0]);
    out.uu[2] += uu * i - (v[1] + v[1]) * a[1];
    let ww = c * s - m_a;
    let w = [(gw[0] - half * moment[0]) * i, (gw[1] - half * moment[1]) * i];
    out.ww[0] += ww * i - (w[0] + w[0]) * b[0];
    out.ww[1] -= w[0].mul_add(b[1], w[1] * b[0]);
    out.ww[2] += ww * i - (w[1] + w[1]) * b[1];
    let si = s * i;
    let left = [(moment[0] + gu[0]) * i, (moment[1] + gu[1]) * i];
    let right = [(moment[0] - gw[0]) * i, (moment[1] - gw[1]) * i];
    for p in 0..2 {
        for q in 0..2 {
            out.uw[p][q] += a[p] * right[q] - left[p].mul_add(b[q], si * r[p][q]);
        }
    }
    let perp = [moment[1], -moment[0]];
    let r_perp = turn.r_times(perp);
    let rt_perp = turn.r_transposed_times(perp);
    for p in 0..2 {
        out.u_gamma[0][p] += (c * perp[p] - gamma[0] * a[p]) * i;
        out.u_gamma[1][p] += (r_perp[p] - gamma[1] * a[p]) * i;
        out.w_gamma[0][p] -= gamma[0].mul_add(b[p], rt_perp[p]) * i;
        out.w_gamma[1][p] -= c.mul_add(perp[p], gamma[1] * b[p]) * i;
    }
    out.gamma_gamma[0] -= m_a * i;
    out.gamma_gamma[2] += m_b * i;

    // Σ k_j ∇κ_j ∇κ_jᵀ.
    for j in 0..2 {
        let (u, w, gamma) = kappa_gradient(turn, kappa, j);
        out.add_outer(stiffness[j], u, w, gamma);
    }
}

/// ∂κ_j/∂u, ∂κ_j/∂w and ∂κ_j/∂γ.
#[inline(always)]
fn kappa_gradient<R: Real>(turn: &Turn<R>, kappa: [R; 2], j: usize) -> ([R; 2], [R; 2], [R; 2]) {
    let (i, a, b, r) = (turn.inverse_chi, turn.a, turn.b, turn.r);
    let (ci, ki) = (turn.cosine * i, kappa[j] * i);
    let mut u = [-r[0][j].mul_add(i, ki * a[0]), -r[1][j].mul_add(i, ki * a[1])];
    let mut w = [r[j][0] * i - ki * b[0], r[j][1] * i - ki * b[1]];
    u[j] -= ci;
    w[j] += ci;
    let gamma = if j == 0 { [a[1] * i, -(b[1] * i)] } else { [-(a[0] * i), b[0] * i] };
    (u, w, gamma)
}

/// Adds k (∇κ₁ ∇κ₂ᵀ + ∇κ₂ ∇κ₁ᵀ) to the Hessian, k = ∂M₁/∂κ₂, which only sections that yield have.
#[inline(always)]
pub fn add_coupling<R: Real>(turn: &Turn<R>, kappa: [R; 2], k: R, out: &mut TurnDerivatives<R>) {
    let (u1, w1, g1) = kappa_gradient(turn, kappa, 0);
    let (u2, w2, g2) = kappa_gradient(turn, kappa, 1);
    let sum = |x: [R; 2], y: [R; 2]| [x[0] + y[0], x[1] + y[1]];
    out.add_outer(k, sum(u1, u2), sum(w1, w2), sum(g1, g2));
    out.add_outer(-k, u1, w1, g1);
    out.add_outer(-k, u2, w2, g2);
}
