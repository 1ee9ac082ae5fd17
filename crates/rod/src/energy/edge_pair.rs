//! The rotation from one edge to the next, in the coordinates of the two tangent planes.
//!
//! A small change of the tangent t⁰ of the first edge is a vector u in the plane of its directors (m₁⁰, m₂⁰), a
//! change of t¹ a vector w in the plane of (m₁¹, m₂¹). Together with the angles γ⁰ and γ¹ these are six variables
//! (u₁, u₂, γ⁰, w₁, w₂, γ¹) in which the derivatives of bending and twisting are short.
//!
//! To second order t(u) = t + u − ½|u|² t, and a parallel-transported director is m(u) = m − (m·u) t − ½ (m·u) u.
//!
//! | symbol | name | meaning |
//! |---|---|---|
//! | c | `cosine` | t⁰·t¹ |
//! | 1/χ | `inverse_chi` | 1/(1 + c) |
//! | a_p | `a` | t¹·m_p⁰, the second tangent in the first plane |
//! | b_q | `b` | t⁰·m_q¹, the first tangent in the second plane |
//! | R_pq | `r` | m_p⁰·m_q¹ |

use ropewalk_linalg::{Real, V3};

/// Material frame of an edge.
#[derive(Clone, Copy, Debug)]
pub struct EdgeFrame<R> {
    /// Unit tangent.
    pub t: V3<R>,
    /// First material director.
    pub m1: V3<R>,
    /// Second material director, t × m₁.
    pub m2: V3<R>,
}

/// The turn between two edges.
#[derive(Clone, Copy, Debug)]
pub struct Turn<R> {
    /// t⁰·t¹.
    pub cosine: R,
    /// 1 + t⁰·t¹.
    pub chi: R,
    /// 1/(1 + t⁰·t¹).
    pub inverse_chi: R,
    /// t¹·m_p⁰.
    pub a: [R; 2],
    /// t⁰·m_q¹.
    pub b: [R; 2],
    /// m_p⁰·m_q¹.
    pub r: [[R; 2]; 2],
}

/// Gradient and Hessian in the six variables of a turn.
#[derive(Clone, Copy, Debug)]
pub struct TurnDerivatives<R> {
    /// ∂/∂u.
    pub u: [R; 2],
    /// ∂/∂w.
    pub w: [R; 2],
    /// ∂/∂γ⁰ and ∂/∂γ¹.
    pub gamma: [R; 2],
    /// ∂²/∂u²: (11, 12, 22).
    pub uu: [R; 3],
    /// ∂²/∂w²: (11, 12, 22).
    pub ww: [R; 3],
    /// ∂²/∂u_p∂w_q.
    pub uw: [[R; 2]; 2],
    /// ∂²/∂u∂γ⁰ and ∂²/∂u∂γ¹.
    pub u_gamma: [[R; 2]; 2],
    /// ∂²/∂w∂γ⁰ and ∂²/∂w∂γ¹.
    pub w_gamma: [[R; 2]; 2],
    /// ∂²/∂γ⁰², ∂²/∂γ⁰∂γ¹, ∂²/∂γ¹².
    pub gamma_gamma: [R; 3],
}

impl<R: Real> TurnDerivatives<R> {
    /// All zero.
    #[inline(always)]
    pub fn zero() -> Self {
        let z = R::zero();
        Self {
            u: [z; 2],
            w: [z; 2],
            gamma: [z; 2],
            uu: [z; 3],
            ww: [z; 3],
            uw: [[z; 2]; 2],
            u_gamma: [[z; 2]; 2],
            w_gamma: [[z; 2]; 2],
            gamma_gamma: [z; 3],
        }
    }

    /// Adds k g gᵀ to the Hessian, for a strain with gradient g = (`u`, `w`, `gamma`).
    #[inline(always)]
    pub fn add_outer(&mut self, k: R, u: [R; 2], w: [R; 2], gamma: [R; 2]) {
        let (ku, kw) = ([k * u[0], k * u[1]], [k * w[0], k * w[1]]);
        self.uu[0] = ku[0].mul_add(u[0], self.uu[0]);
        self.uu[1] = ku[0].mul_add(u[1], self.uu[1]);
        self.uu[2] = ku[1].mul_add(u[1], self.uu[2]);
        self.ww[0] = kw[0].mul_add(w[0], self.ww[0]);
        self.ww[1] = kw[0].mul_add(w[1], self.ww[1]);
        self.ww[2] = kw[1].mul_add(w[1], self.ww[2]);
        for p in 0..2 {
            for q in 0..2 {
                self.uw[p][q] = ku[p].mul_add(w[q], self.uw[p][q]);
                self.u_gamma[q][p] = ku[p].mul_add(gamma[q], self.u_gamma[q][p]);
                self.w_gamma[q][p] = kw[p].mul_add(gamma[q], self.w_gamma[q][p]);
            }
        }
        let kg = [k * gamma[0], k * gamma[1]];
        self.gamma_gamma[0] = kg[0].mul_add(gamma[0], self.gamma_gamma[0]);
        self.gamma_gamma[1] = kg[0].mul_add(gamma[1], self.gamma_gamma[1]);
        self.gamma_gamma[2] = kg[1].mul_add(gamma[1], self.gamma_gamma[2]);
    }
}

impl<R: Real> Turn<R> {
    /// The turn from the edge with frame `f` to the one with frame `g`.
    #[inline(always)]
    pub fn between(f: &EdgeFrame<R>, g: &EdgeFrame<R>) -> Self {
        let cosine = f.t.dot(g.t);
        let chi = cosine + R::splat(1.0);
        Self {
            cosine,
            chi,
            inverse_chi: chi.recip(),
            a: [g.t.dot(f.m1), g.t.dot(f.m2)],
            b: [f.t.dot(g.m1), f.t.dot(g.m2)],
            r: [[f.m1.dot(g.m1), f.m1.dot(g.m2)], [f.m2.dot(g.m1), f.m2.dot(g.m2)]],
        }
    }

    /// (R x)_p = Σ_q R_pq x_q.
    #[inline(always)]
    pub fn r_times(&self, x: [R; 2]) -> [R; 2] {
        [self.r[0][0].mul_add(x[0], self.r[0][1] * x[1]), self.r[1][0].mul_add(x[0], self.r[1][1] * x[1])]
    }
    /// (Rᵀ x)_q = Σ_p R_pq x_p.
    #[inline(always)]
    pub fn r_transposed_times(&self, x: [R; 2]) -> [R; 2] {
        [self.r[0][0].mul_add(x[0], self.r[1][0] * x[1]), self.r[0][1].mul_add(x[0], self.r[1][1] * x[1])]
    }
}
