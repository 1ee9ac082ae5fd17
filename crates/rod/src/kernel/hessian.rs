//! The second pass with the Hessian.

use super::lane_arrays::load3;
use super::stencils::{add_tension, scatter_gradient, strained};
use super::{Evaluated, RodKernel, Scales};
use crate::assemble::Gather;
use crate::energy::edge_pair::TurnDerivatives;
use crate::energy::stencil::{self, StencilDerivatives};
use crate::energy::{bend, stretch, twist};
use crate::rod::Rod;
use crate::state::NaturalShape;
use ropewalk_linalg::block_pentadiagonal::BlockPenta;
use ropewalk_linalg::lanes::Lanes;
use ropewalk_linalg::{Real, for_vector_unit};

for_vector_unit! {
    pub(super) fn hessian_pass(k: &mut RodKernel, rod: &Rod, natural: &NaturalShape, scales: Scales, geometric: f64,
        matrix: &mut BlockPenta) -> Evaluated = hessian_kernel;
}

#[inline(always)]
pub(super) fn hessian_kernel<const N: usize, const F: bool>(
    k: &mut RodKernel,
    rod: &Rod,
    natural: &NaturalShape,
    scales: Scales,
    // Factor on moments and tension, and so on the gradient: `scales.hessian`, or zero for Bᵀ k B alone.
    geometric: f64,
    matrix: &mut BlockPenta,
) -> Evaluated {
    let (nodes, count) = (rod.node_count(), rod.edge_count());
    let mut found = Evaluated::nothing();
    k.gradient.fill([0.0; 4]);
    // Stiffness is scaled before derivatives are taken, so only the short gradient is scaled after.
    let scale = [Lanes::<N, F>::splat(scales.hessian), Lanes::splat(geometric)];
    let along_factor = scales.hessian * k.rate.as_ref().map_or(1.0, |rate| 1.0 + rate.tangent);
    let back = scales.gradient / scales.hessian;
    let mut gather = Gather::<N, F>::new();
    for j in (0..count).step_by(N) {
        let valid = N.min(count - j);
        let mut d = derivatives::<N, F>(k, rod, natural, j, valid, scale, &mut found);
        let (tension, t) = (scale[1] * Lanes::load(&k.tension[j..]), load3(&k.tangent, j + 1));
        add_tension(&mut d.g1, tension, t);
        scatter_gradient(&mut k.gradient, rod, j, valid, &d.g0, &d.g1, back);
        let mut along =
            Lanes::splat(along_factor) * Lanes::load(&rod.stretch[j..]) / Lanes::load(&rod.rest_length[j..]);
        if rod.stretch_table.is_some() {
            for lane in 0..valid {
                along.0[lane] = scales.hessian * k.stiffness_along(rod, j + lane);
            }
        }
        let across = tension * Lanes::load(&k.inverse_length[j + 1..]);
        add_stretch(&mut d.h11, stretch::hessian(t, along, across));
        if valid < N {
            d.blank_beyond(valid);
        }
        gather.add(&d, matrix, j, nodes);
    }
    // Node i is finished by stencil i + 1, so nodes lag one behind; the last stencils are empty.
    for j in (count.next_multiple_of(N)..nodes + 1).step_by(N) {
        gather.add(&StencilDerivatives::zero(), matrix, j, nodes);
    }
    if rod.closed() {
        gather.close(matrix, count);
    }
    found
}

/// Derivatives of bending and twisting of N stencils, in edge variables.
#[inline(always)]
fn derivatives<const N: usize, const F: bool>(
    k: &mut RodKernel,
    rod: &Rod,
    natural: &NaturalShape,
    j: usize,
    valid: usize,
    [scale, geometric]: [Lanes<N, F>; 2],
    found: &mut Evaluated,
) -> StencilDerivatives<Lanes<N, F>> {
    let s = strained::<N, F>(k, rod, natural, j, valid, found);
    let mut d = TurnDerivatives::zero();
    let moment = [geometric * s.moment[0], geometric * s.moment[1]];
    bend::add_derivatives(&s.turn, s.kappa, moment, [scale * s.stiffness[0], scale * s.stiffness[1]], &mut d);
    twist::add_derivatives(&s.turn, geometric * s.torque, scale * s.stiffness[2], &mut d);
    if let Some(coupling) = s.coupling {
        bend::add_coupling(&s.turn, s.kappa, scale * coupling, &mut d);
    }
    let inverse = [Lanes::load(&k.inverse_length[j..]), Lanes::load(&k.inverse_length[j + 1..])];
    stencil::expand(&s.left, &s.right, inverse, &d)
}

/// Adds the Hessian of stretching (xx, yx, zx, yy, zy, zz) to the block of an edge.
#[inline(always)]
fn add_stretch<R: Real>(block: &mut [R; 10], h: [R; 6]) {
    for (place, entry) in [0, 1, 2, 4, 5, 7].into_iter().zip(h) {
        block[place] += entry;
    }
}
