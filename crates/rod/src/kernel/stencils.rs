//! The second pass without the Hessian: strains and moments at every node, and the gradient.

use super::lane_arrays::{add_valid, frame_at, min_valid};
use super::rates::change_of;
use super::{Evaluated, RodKernel, Scales};
use crate::energy::edge_pair::{EdgeFrame, Turn, TurnDerivatives};
use crate::energy::{bend, stencil, twist};
use crate::rod::Rod;
use crate::state::NaturalShape;
use ropewalk_linalg::lanes::Lanes;
use ropewalk_linalg::{Real, V3, for_vector_unit};

/// Frames, strains and moments of the stencils of edges j … j+N−1.
pub(super) struct Strained<const N: usize, const F: bool> {
    pub(super) left: EdgeFrame<Lanes<N, F>>,
    pub(super) right: EdgeFrame<Lanes<N, F>>,
    pub(super) turn: Turn<Lanes<N, F>>,
    pub(super) kappa: [Lanes<N, F>; 2],
    pub(super) moment: [Lanes<N, F>; 2],
    pub(super) torque: Lanes<N, F>,
    /// Of κ₁, κ₂ and τ in the tangent.
    pub(super) stiffness: [Lanes<N, F>; 3],
    /// ∂M₁/∂κ₂ of sections that yield.
    pub(super) coupling: Option<Lanes<N, F>>,
}

#[inline(always)]
pub(super) fn strained<const N: usize, const F: bool>(
    k: &mut RodKernel,
    rod: &Rod,
    natural: &NaturalShape,
    j: usize,
    valid: usize,
    found: &mut Evaluated,
) -> Strained<N, F> {
    let (left, right) = (frame_at(k, j), frame_at(k, j + 1));
    let turn = Turn::between(&left, &right);
    let kappa = bend::kappa(&turn);
    let near =
        Lanes::<N, F>::load(&k.gamma[j + 1..]) - Lanes::load(&k.gamma[j..]) + Lanes::load(&k.start_beta[j..]);
    let tau = twist::tau(&turn, near);
    let stiffness =
        [Lanes::load(&rod.bend[0][j..]), Lanes::load(&rod.bend[1][j..]), Lanes::load(&rod.twist[j..])];
    let rest = [Lanes::load(&natural.kappa1[j..]), Lanes::load(&natural.kappa2[j..])];
    let rest_tau = Lanes::load(&natural.tau[j..]);
    let mut bend_energy = bend::value(kappa, rest, [stiffness[0], stiffness[1]]);
    add_valid(&mut found.energies.twist, twist::value(tau, rest_tau, stiffness[2]), valid);
    min_valid(&mut found.least_chi, turn.chi, valid);
    kappa[0].store(&mut k.strain[0][j..]);
    kappa[1].store(&mut k.strain[1][j..]);
    tau.store(&mut k.strain[2][j..]);
    let mut moment = [stiffness[0] * (kappa[0] - rest[0]), stiffness[1] * (kappa[1] - rest[1])];
    let mut torque = stiffness[2] * (tau - rest_tau);
    let mut in_tangent = stiffness;
    let mut coupling = None;
    if let Some(yielding) = &rod.yielding {
        let mut couples = Lanes::<N, F>::splat(0.0);
        for lane in 0..valid {
            let node = j + lane;
            if !rod.stencils().contains(&node) {
                continue;
            }
            let b = k.bending(rod, natural, yielding, node);
            bend_energy.0[lane] = b.potential;
            for c in 0..2 {
                moment[c].0[lane] = b.moment[c];
                in_tangent[c].0[lane] = b.stiffness[c];
            }
            couples.0[lane] = b.stiffness[2];
        }
        coupling = Some(couples);
    }
    add_valid(&mut found.energies.bend, bend_energy, valid);
    if let Some(rate) = &k.rate {
        let strains = [kappa[0], kappa[1], tau];
        let fold = Lanes::load(&rate.fold[j..]);
        let (weight, tangent) = (fold * Lanes::splat(rate.weight), fold * Lanes::splat(rate.tangent));
        let [m1, m2] = &mut moment;
        for (c, to) in [m1, m2, &mut torque].into_iter().enumerate() {
            let change = change_of(rate, strains[c], &rate.offset.turn[c][j..]);
            let added = stiffness[c] * weight * change;
            add_valid(&mut found.dissipation, added * change, valid);
            *to += added;
            in_tangent[c] = if c < 2 && coupling.is_some() {
                in_tangent[c] + stiffness[c] * tangent
            } else {
                stiffness[c] * (Lanes::splat(1.0) + tangent)
            };
        }
    }
    Strained { left, right, turn, kappa, moment, torque, stiffness: in_tangent, coupling }
}

/// Adds the gradient of stencil j in edge variables to the nodes: e = x_{i+1} − x_i.
#[inline(always)]
pub(super) fn scatter_gradient<const N: usize, const F: bool>(
    gradient: &mut [[f64; 4]],
    rod: &Rod,
    j: usize,
    valid: usize,
    g0: &[Lanes<N, F>; 4],
    g1: &[Lanes<N, F>; 4],
    scale: f64,
) {
    let n = rod.node_count;
    for lane in 0..valid {
        let mid = j + lane;
        let right = if mid + 1 == n { 0 } else { mid + 1 };
        // The left node of the first stencil of an open rod gets zeros; any node will do.
        let left = if mid == 0 { n - 1 } else { mid - 1 };
        let mut a = [0.0; 4];
        let mut b = [0.0; 4];
        for r in 0..4 {
            a[r] = g0[r].0[lane] * scale;
            b[r] = g1[r].0[lane] * scale;
        }
        for r in 0..3 {
            gradient[left][r] -= a[r];
            gradient[mid][r] += a[r] - b[r];
            gradient[right][r] += b[r];
        }
        gradient[left][3] += a[3];
        gradient[mid][3] += b[3];
    }
}

for_vector_unit! {
    /// Strains at every node, without energies or gradient.
    pub(super) fn strain_pass(k: &mut RodKernel, rod: &Rod, natural: &NaturalShape) = strain_kernel;
}

#[inline(always)]
fn strain_kernel<const N: usize, const F: bool>(k: &mut RodKernel, rod: &Rod, natural: &NaturalShape) {
    let count = rod.edge_count();
    let mut found = Evaluated::nothing();
    for j in (0..count).step_by(N) {
        strained::<N, F>(k, rod, natural, j, N.min(count - j), &mut found);
    }
}

for_vector_unit! {
    pub(super) fn gradient_pass(k: &mut RodKernel, rod: &Rod, natural: &NaturalShape, scales: Scales) -> Evaluated
        = gradient_kernel;
}

#[inline(always)]
fn gradient_kernel<const N: usize, const F: bool>(
    k: &mut RodKernel,
    rod: &Rod,
    natural: &NaturalShape,
    scales: Scales,
) -> Evaluated {
    let count = rod.edge_count();
    let mut found = Evaluated::nothing();
    k.gradient.fill([0.0; 4]);
    for j in (0..count).step_by(N) {
        let valid = N.min(count - j);
        let s = strained::<N, F>(k, rod, natural, j, valid, &mut found);
        let mut d = TurnDerivatives::zero();
        bend::add_gradient(&s.turn, s.kappa, s.moment, &mut d);
        twist::add_gradient(&s.turn, s.torque, &mut d);
        let g0 = stencil::edge_gradient(&s.left, Lanes::load(&k.inverse_length[j..]), d.u, d.gamma[0]);
        let mut g1 =
            stencil::edge_gradient(&s.right, Lanes::load(&k.inverse_length[j + 1..]), d.w, d.gamma[1]);
        add_tension(&mut g1, Lanes::load(&k.tension[j..]), s.right.t);
        scatter_gradient(&mut k.gradient, rod, j, valid, &g0, &g1, scales.gradient);
    }
    found
}

#[inline(always)]
pub(super) fn add_tension<const N: usize, const F: bool>(
    g1: &mut [Lanes<N, F>; 4],
    tension: Lanes<N, F>,
    t: V3<Lanes<N, F>>,
) {
    g1[0] = tension.mul_add(t.x, g1[0]);
    g1[1] = tension.mul_add(t.y, g1[1]);
    g1[2] = tension.mul_add(t.z, g1[2]);
}
