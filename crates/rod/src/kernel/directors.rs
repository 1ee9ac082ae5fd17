//! Directors parallel-transported to the end of a step, and the reference twist that follows.

use super::RodKernel;
use super::lane_arrays::{frame_at, load3, store3};
use crate::energy::edge_pair::Turn;
use crate::energy::twist;
use crate::rod::Rod;
use ropewalk_linalg::lanes::Lanes;
use ropewalk_linalg::{Real, for_vector_unit, parallel_transport};

for_vector_unit! {
    /// Tangents and transported directors, stored in place of the material frames.
    pub(super) fn director_pass(k: &mut RodKernel, rod: &Rod) = director_kernel;
}

#[inline(always)]
fn director_kernel<const N: usize, const F: bool>(k: &mut RodKernel, rod: &Rod) {
    for e in (0..rod.edge_count()).step_by(N) {
        let edge = load3::<N, F>(&k.position, e + 1) - load3(&k.position, e);
        let t = edge * edge.norm().recip();
        let carried =
            parallel_transport::transport(load3(&k.start_director, e), load3(&k.start_tangent, e), t);
        let d1 = parallel_transport::orthonormalize(carried, t);
        store3(t, &mut k.tangent, e + 1);
        store3(d1, &mut k.m1, e + 1);
        store3(t.cross(d1), &mut k.m2, e + 1);
    }
}

for_vector_unit! {
    /// The angle between transported directors at each node, on the branch nearest to its last value.
    pub(super) fn reference_twist_pass(k: &mut RodKernel, rod: &Rod) = reference_twist_kernel;
}

#[inline(always)]
fn reference_twist_kernel<const N: usize, const F: bool>(k: &mut RodKernel, rod: &Rod) {
    for j in (0..rod.edge_count()).step_by(N) {
        let turn = Turn::<Lanes<N, F>>::between(&frame_at(k, j), &frame_at(k, j + 1));
        twist::tau(&turn, Lanes::load(&k.start_beta[j..])).store(&mut k.strain[2][j..]);
    }
}
