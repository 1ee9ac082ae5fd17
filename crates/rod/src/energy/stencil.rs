//! From the six variables of an edge pair to edges and angles.
//!
//! An edge e of length l moves its tangent by u = P δe/l with P = I − t tᵀ, and by −(t·δe) P δe/l² to second order.
//! So for a function of the pair with gradient g and Hessian S in the plane B = (m₁ m₂):
//!
//! ∂/∂e = B g/l,  ∂²/∂e² = [B S Bᵀ − t (Bg)ᵀ − (Bg) tᵀ]/l²,  ∂²/∂e⁰∂e¹ = B⁰ S B¹ᵀ/(l⁰ l¹).
//!
//! Blocks are in the variables (e, γ) of an edge, four each.

use super::edge_pair::{EdgeFrame, TurnDerivatives};
use ropewalk_linalg::lanes::Lanes;
use ropewalk_linalg::{Real, V3};

/// Gradient and Hessian of one stencil in (e⁰, γ⁰) and (e¹, γ¹). Symmetric blocks keep the lower triangle
/// by columns: (00, 10, 20, 30, 11, 21, 31, 22, 32, 33).
#[derive(Clone, Copy, Debug)]
pub struct StencilDerivatives<R> {
    /// Gradient in (e⁰, γ⁰).
    pub g0: [R; 4],
    /// Gradient in (e¹, γ¹).
    pub g1: [R; 4],
    /// Block (0, 0), lower triangle.
    pub h00: [R; 10],
    /// Block (1, 1), lower triangle.
    pub h11: [R; 10],
    /// Block (1, 0) by columns: `h10[column][row]`, column of edge 0, row of edge 1.
    pub h10: [[R; 4]; 4],
}

impl<R: Real> StencilDerivatives<R> {
    /// All zero.
    #[inline(always)]
    pub fn zero() -> Self {
        let z = R::zero();
        Self { g0: [z; 4], g1: [z; 4], h00: [z; 10], h11: [z; 10], h10: [[z; 4]; 4] }
    }
}

impl<const N: usize, const F: bool> StencilDerivatives<Lanes<N, F>> {
    /// Sets the Hessian to zero in the lanes from `valid` on, even where it is NaN.
    #[inline(always)]
    pub fn blank_beyond(&mut self, valid: usize) {
        let blocks = self.h00.iter_mut().chain(&mut self.h11).chain(self.h10.iter_mut().flatten());
        for lanes in blocks {
            *lanes = lanes.keep_first(valid);
        }
    }
}

/// Gradient in edge variables.
#[inline(always)]
pub fn edge_gradient<R: Real>(f: &EdgeFrame<R>, inverse_length: R, plane: [R; 2], gamma: R) -> [R; 4] {
    let g = f.m2.scale_add(plane[1], f.m1 * plane[0]) * inverse_length;
    [g.x, g.y, g.z, gamma]
}

/// All derivatives in edge variables.
#[inline(always)]
pub fn expand<R: Real>(
    f: &EdgeFrame<R>,
    g: &EdgeFrame<R>,
    inverse_lengths: [R; 2],
    d: &TurnDerivatives<R>,
) -> StencilDerivatives<R> {
    let [i0, i1] = inverse_lengths;
    // Directors divided by length, so that every product has its factor.
    let (f1, f2) = (f.m1 * i0, f.m2 * i0);
    let (g1, g2) = (g.m1 * i1, g.m2 * i1);
    let gradient0 = f2.scale_add(d.u[1], f1 * d.u[0]);
    let gradient1 = g2.scale_add(d.w[1], g1 * d.w[0]);
    let h00 = block(f.t * i0, f1, f2, gradient0, d.uu, mixed(f1, f2, d.u_gamma[0]), d.gamma_gamma[0]);
    let h11 = block(g.t * i1, g1, g2, gradient1, d.ww, mixed(g1, g2, d.w_gamma[1]), d.gamma_gamma[2]);
    // Columns of block (1, 0): e¹ rows are Σ_q g_q (Σ_p S_pq f_p)ᵀ, then the row of γ¹.
    let z1 = f2.scale_add(d.uw[1][0], f1 * d.uw[0][0]).to_array();
    let z2 = f2.scale_add(d.uw[1][1], f1 * d.uw[0][1]).to_array();
    let u_gamma1 = mixed(f1, f2, d.u_gamma[1]).to_array();
    let w_gamma0 = mixed(g1, g2, d.w_gamma[0]);
    let mut h10 = [[R::zero(); 4]; 4];
    for k in 0..3 {
        let v = g2.scale_add(z2[k], g1 * z1[k]);
        h10[k] = [v.x, v.y, v.z, u_gamma1[k]];
    }
    h10[3] = [w_gamma0.x, w_gamma0.y, w_gamma0.z, d.gamma_gamma[1]];
    StencilDerivatives {
        g0: [gradient0.x, gradient0.y, gradient0.z, d.gamma[0]],
        g1: [gradient1.x, gradient1.y, gradient1.z, d.gamma[1]],
        h00,
        h11,
        h10,
    }
}

/// a s₁ + b s₂. (Kernels consist of functions that are always inlined: a closure might be compiled separately,
/// without the vector unit.)
#[inline(always)]
fn mixed<R: Real>(a: V3<R>, b: V3<R>, s: [R; 2]) -> V3<R> {
    b.scale_add(s[1], a * s[0])
}

/// Lower triangle of m₁ y₁ᵀ + m₂ y₂ᵀ − t gᵀ − g tᵀ with its row and corner of γ; y_p = Σ_q S_pq m_q.
#[inline(always)]
fn block<R: Real>(
    t: V3<R>,
    m1: V3<R>,
    m2: V3<R>,
    g: V3<R>,
    s: [R; 3],
    gamma_row: V3<R>,
    corner: R,
) -> [R; 10] {
    let y1 = m2.scale_add(s[1], m1 * s[0]).to_array();
    let y2 = m2.scale_add(s[2], m1 * s[1]).to_array();
    let (m1, m2, t, g) = (m1.to_array(), m2.to_array(), t.to_array(), g.to_array());
    let mut out = [corner; 10];
    for (place, (c, r)) in [(0, (0, 0)), (1, (0, 1)), (2, (0, 2)), (4, (1, 1)), (5, (1, 2)), (7, (2, 2))] {
        out[place] = m1[r].mul_add(y1[c], m2[r] * y2[c]) - t[r].mul_add(g[c], g[r] * t[c]);
    }
    out[3] = gamma_row.x;
    out[6] = gamma_row.y;
    out[8] = gamma_row.z;
    out
}
