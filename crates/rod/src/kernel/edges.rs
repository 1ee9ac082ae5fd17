//! The first pass: lengths, tangents, frames and tension of every edge.

use super::lane_arrays::{add_valid, load3, min_valid, store3};
use super::rates::change_of;
use super::{Evaluated, RodKernel};
use crate::energy::stretch;
use crate::rod::Rod;
use crate::stretch_table::StretchTable;
use ropewalk_linalg::lanes::Lanes;
use ropewalk_linalg::{Real, for_vector_unit, parallel_transport};

for_vector_unit! {
    /// Lengths, tangents, frames and tension of every edge.
    pub(super) fn edge_pass(k: &mut RodKernel, rod: &Rod) -> Evaluated = edge_kernel;
}

#[inline(always)]
pub(super) fn edge_kernel<const N: usize, const F: bool>(k: &mut RodKernel, rod: &Rod) -> Evaluated {
    let count = rod.edge_count();
    let mut found = Evaluated::nothing();
    for e in (0..count).step_by(N) {
        let valid = N.min(count - e);
        let edge = load3::<N, F>(&k.position, e + 1) - load3(&k.position, e);
        let length = edge.norm();
        let inverse = length.recip();
        let t = edge * inverse;
        let from = load3(&k.start_tangent, e);
        let d1 = parallel_transport::transport(load3(&k.start_director, e), from, t);
        let (sin, cos) = Lanes::<N, F>::load(&k.gamma[e + 1..]).sin_cos();
        let m1 = t.cross(d1).scale_add(sin, d1 * cos);
        let rest = Lanes::load(&rod.rest_length[e..]);
        let stiffness = Lanes::load(&rod.stretch[e..]);
        let mut energy = stretch::value(length, rest, stiffness);
        let ratio = length / rest;
        let mut tension = stretch::tension(length, rest, stiffness);
        if let Some(table) = &rod.stretch_table {
            (energy, tension) = by_table(table, ratio, rest, &mut k.slope[e..], valid);
        }
        if let Some(rate) = &k.rate {
            let change = change_of(rate, ratio, &rate.offset.ratio[e..]);
            let added = stiffness * Lanes::splat(rate.weight) * change;
            add_valid(&mut found.dissipation, added * change * rest, valid);
            tension += added;
        }
        inverse.store(&mut k.inverse_length[e + 1..]);
        ratio.store(&mut k.ratio[e..]);
        tension.store(&mut k.tension[e..]);
        store3(t, &mut k.tangent, e + 1);
        store3(m1, &mut k.m1, e + 1);
        store3(t.cross(m1), &mut k.m2, e + 1);
        add_valid(&mut found.energies.stretch, energy, valid);
        min_valid(&mut found.least_chi, from.dot(t) + Lanes::splat(1.0), valid);
        min_valid(&mut found.least_stretch, ratio, valid);
    }
    found
}

/// Energies and tensions of N edges from a table, and its slopes.
fn by_table<const N: usize, const F: bool>(
    table: &StretchTable,
    ratio: Lanes<N, F>,
    rest: Lanes<N, F>,
    slope: &mut [f64],
    valid: usize,
) -> (Lanes<N, F>, Lanes<N, F>) {
    let mut energy = Lanes::<N, F>::splat(0.0);
    let mut tension = energy;
    for lane in 0..valid {
        let found = table.at(ratio.0[lane] - 1.0);
        energy.0[lane] = found.energy * rest.0[lane];
        tension.0[lane] = found.tension;
        slope[lane] = found.slope;
    }
    (energy, tension)
}
