//! Stiffness-proportional damping: a dashpot in parallel with every spring of the rod.
//!
//! Each strain s (stretch l/l̄ of an edge; κ₁, κ₂, τ of a node) of stiffness k resists its own rate with β k ṡ, so that
//! the force on the rod is −Bᵀ(q^θ) β k ṡ with B = ∂s/∂q. Over a step from q₀ to q₁ the rate is the change of the strain,
//!
//! ṡ = (s(q₁) − s(q₀))/δt,
//!
//! and not B v: for a rigid motion over a finite step only the former is zero. Such damping is Bᵀ D B to first order,
//! positive semidefinite by construction, and damps neither translation nor rotation. (The matrix β K would: its
//! geometric part, tension times curvature of the path, resists rotation.) A vibration of an unstressed rod of
//! angular frequency ω decays at β ω²/2; stiffness from tension, as in a string, is not damped.
//!
//! To each moment k (s − s̄) the kernel adds `weight` · k · change, weight = β/δt, and to each stiffness in Bᵀ k B
//! `tangent` · k, tangent = β/(θ δt): the derivative β θ_vq δt Bᵀ k B of the impulse adds to θ θ_vq δt² K in the
//! tangent. At θ = 1, q^θ is q₁ and the damping is the gradient of a potential, ½ β/δt Σ k change². Otherwise B(q₁)
//! is replaced by B(q^θ) in the tangent, which stays symmetric; Newton's method then converges linearly, by a factor
//! of the order of the angle that the rod turns by within the step.
//!
//! With BDF2 the rate is that of its difference, c (s₁ − s₀ − b (s₀ − s₋₁))/δt (see [`ropewalk_linalg::bdf2`]), which is
//! zero for rigid motion as well.
//!
//! B of curvatures and twist grows as 1/χ where a rod is folded, χ = 1 + t·t', and as l̄/l where an edge is short: a
//! dashpot there would be rigid for any β. Dashpots of a node are therefore scaled by
//!
//! f = min(1, χ/χ₀, l/(χ₀ l̄))², χ₀ = 0.1,
//!
//! evaluated at the start of the step: 1 for turns of up to 154° between neighboring edges, and less beyond. (Not in
//! the tangent of symplectic Euler, θ = 0.) A factor that is constant within the step keeps the damping a gradient at
//! θ = 1.
//!
//! | symbol | name | unit |
//! |---|---|---|
//! | f | `fold` | 1 |
//! | β | `rod.stiffness_damping` | s |
//! | s(q₀) | `start` | 1 (l/l̄), rad |
//! | change | `own` · s + `offset` | 1, rad |

use crate::rod::{LANE_PADDING, Rod};
use ropewalk_linalg::bdf2::Bdf2;

/// Strains of all edges and nodes; arrays are padded as those of the kernel.
#[derive(Clone, Debug)]
pub(crate) struct Strains {
    /// l/l̄ of each edge.
    pub(crate) ratio: Vec<f64>,
    /// κ₁, κ₂ and τ of each node.
    pub(crate) turn: [Vec<f64>; 3],
}

impl Strains {
    fn zero(rod: &Rod) -> Self {
        let array = || vec![0.0; rod.node_count() + 2 + LANE_PADDING];
        Self { ratio: array(), turn: [array(), array(), array()] }
    }
    fn arrays_mut(&mut self) -> impl Iterator<Item = &mut Vec<f64>> {
        core::iter::once(&mut self.ratio).chain(&mut self.turn)
    }
    fn arrays(&self) -> impl Iterator<Item = &Vec<f64>> {
        core::iter::once(&self.ratio).chain(&self.turn)
    }
}

/// χ₀: dashpots weaken where 1 + t·t' of two edges, or the ratio of an edge's length to its rest length, is below
/// this.
const FOLDED: f64 = 0.1;

/// Changes of strains within the step, and their contributions to moments and stiffness.
#[derive(Clone, Debug)]
pub(crate) struct StrainRate {
    start: Strains,
    /// The change of a strain is `own` · s + `offset`, s being the strain at the point of evaluation.
    pub(crate) offset: Strains,
    /// 1 where the point of evaluation is the end of the step, else 0.
    pub(crate) own: f64,
    /// β/δt.
    pub(crate) weight: f64,
    /// β/(θ δt).
    pub(crate) tangent: f64,
    /// f of each node.
    pub(crate) fold: Vec<f64>,
}

impl StrainRate {
    /// For a rod with stiffness damping.
    pub(crate) fn new(rod: &Rod) -> Self {
        Self {
            start: Strains::zero(rod),
            offset: Strains::zero(rod),
            own: 1.0,
            weight: 0.0,
            tangent: 0.0,
            fold: vec![1.0; rod.node_count() + 2 + LANE_PADDING],
        }
    }

    /// Sets f of node `node` between two edges, χ being 1 + t·t', and `ratios` l/l̄ of the two.
    pub(crate) fn set_fold(&mut self, node: usize, chi: f64, ratios: [f64; 2]) {
        let least = chi.min(ratios[0]).min(ratios[1]);
        self.fold[node] = (least / FOLDED).clamp(0.0, 1.0).powi(2);
    }

    /// Begins a step at the strains `ratio` and `turn`. With θ = 0 moments do not depend on the velocity; `tangent` is then
    /// for a matrix that has Bᵀ k B alone.
    pub(crate) fn begin(&mut self, beta: f64, dt: f64, theta: f64, ratio: &[f64], turn: &[Vec<f64>; 3]) {
        self.start.ratio.copy_from_slice(ratio);
        for (to, from) in self.start.turn.iter_mut().zip(turn) {
            to.copy_from_slice(from);
        }
        self.weight = beta / dt;
        self.tangent = if theta > 0.0 { beta / (theta * dt) } else { 0.0 };
        self.own = if theta == 1.0 { 1.0 } else { 0.0 };
        for (to, from) in self.offset.arrays_mut().zip(self.start.arrays()) {
            for (t, f) in to.iter_mut().zip(from) {
                *t = -f;
            }
        }
    }

    /// BDF2: the strains before the start were `ratio` and `turn`, and the change is s₁ − s₀ − b (s₀ − s₋₁).
    pub(crate) fn add_history(&mut self, bdf2: &Bdf2, ratio: &[f64], turn: &[Vec<f64>; 3]) {
        let before = core::iter::once(ratio).chain(turn.iter().map(Vec::as_slice));
        for ((to, start), before) in self.offset.arrays_mut().zip(self.start.arrays()).zip(before) {
            for ((t, s), b) in to.iter_mut().zip(start).zip(before) {
                *t = bdf2.carry * (b - s) - s;
            }
        }
        self.weight *= bdf2.lead;
        self.tangent *= bdf2.lead;
    }

    /// Sets the strains at the end of the step, from which later evaluations at other points take their changes.
    pub(crate) fn set_end(&mut self, ratio: &[f64], turn: &[Vec<f64>; 3]) {
        let ends = core::iter::once(ratio).chain(turn.iter().map(Vec::as_slice));
        for ((to, from), end) in self.offset.arrays_mut().zip(self.start.arrays()).zip(ends) {
            for ((t, f), e) in to.iter_mut().zip(from).zip(end) {
                *t = e - f;
            }
        }
    }

    /// The change of a strain that is `strain` at the point of evaluation, by its offset.
    #[inline(always)]
    pub(crate) fn change(&self, strain: f64, offset: f64) -> f64 {
        self.own.mul_add(strain, offset)
    }
}
