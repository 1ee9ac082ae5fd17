//! Arrays with neighboring edges in the lanes of a register.

use super::{Components, RodKernel};
use crate::energy::edge_pair::EdgeFrame;
use ropewalk_linalg::V3;
use ropewalk_linalg::lanes::Lanes;

#[inline(always)]
pub(super) fn load3<const N: usize, const F: bool>(c: &Components, i: usize) -> V3<Lanes<N, F>> {
    V3::new(Lanes::load(&c[0][i..]), Lanes::load(&c[1][i..]), Lanes::load(&c[2][i..]))
}

#[inline(always)]
pub(super) fn store3<const N: usize, const F: bool>(v: V3<Lanes<N, F>>, c: &mut Components, i: usize) {
    v.x.store(&mut c[0][i..]);
    v.y.store(&mut c[1][i..]);
    v.z.store(&mut c[2][i..]);
}

/// Frames of the edges at index `i` and after.
#[inline(always)]
pub(super) fn frame_at<const N: usize, const F: bool>(k: &RodKernel, i: usize) -> EdgeFrame<Lanes<N, F>> {
    EdgeFrame { t: load3(&k.tangent, i), m1: load3(&k.m1, i), m2: load3(&k.m2, i) }
}

/// Adds the first `valid` lanes to `sum`, in order.
#[inline(always)]
pub(super) fn add_valid<const N: usize, const F: bool>(sum: &mut f64, lanes: Lanes<N, F>, valid: usize) {
    for lane in &lanes.0[..valid] {
        *sum += lane;
    }
}

#[inline(always)]
pub(super) fn min_valid<const N: usize, const F: bool>(least: &mut f64, lanes: Lanes<N, F>, valid: usize) {
    for &lane in &lanes.0[..valid] {
        // Written so that NaN wins: a NaN is a failed evaluation.
        *least = if lane >= *least { *least } else { lane };
    }
}
