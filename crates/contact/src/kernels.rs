//! The loops over constraints, compiled once for each vector unit and chosen at run time.

use crate::compiled::Compiled;
use crate::constraints::JacobianRows;
use crate::law::{ConstraintLaw, Hessian, Rows};
use ropewalk_linalg::block4::fma;
use ropewalk_linalg::for_vector_unit;
use ropewalk_linalg::sparse::Tile;

for_vector_unit! {
    /// out_i = J_i x for the constraints from `first` on; x from position `origin` on.
    pub(crate) fn multiply(constraints: &Compiled, x: (&[[f64; 4]], usize), out: &mut [Rows], first: usize) = multiply_body;
}
for_vector_unit! {
    /// y −= Jᵀλ.
    pub(crate) fn subtract_transposed(constraints: &Compiled, lambda: &[Rows], y: &mut [[f64; 4]]) = subtract_body;
}
for_vector_unit! {
    /// G_i at the excess velocities u for the constraints from `first` on. Returns whether any is another than before.
    pub(crate) fn update_hessians(constraints: &Compiled, u: &[Rows], hessians: &mut [Hessian], first: usize) -> bool = update_hessians_body;
}
for_vector_unit! {
    /// kept += Σ J_iᵀ G_i J_i over the constraints from `first` on; `kept` from slot `origin` on.
    pub(crate) fn add_hessians(constraints: &Compiled, hessians: &[Hessian], first: usize, kept: (&mut [Tile], usize)) = add_hessians_body;
}
for_vector_unit! {
    /// J_iᵀ G_i J_i of constraint `i`, tile by tile.
    pub(crate) fn hessian_tiles(constraints: &Compiled, hessian: &Hessian, i: usize, tiles: &mut [Tile]) = hessian_tiles_body;
}
for_vector_unit! {
    /// Impulses at u + α du into `impulse`; returns Σ λ_i·du_i.
    pub(crate) fn evaluate_along(constraints: &Compiled, u: &[Rows], du: &[Rows], alpha: f64, impulse: &mut [Rows]) -> f64 = evaluate_body;
}
for_vector_unit! {
    /// Σ du_iᵀ G_i du_i at u + α du.
    pub(crate) fn curvature_along(constraints: &Compiled, u: &[Rows], du: &[Rows], alpha: f64) -> f64 = curvature_body;
}

#[inline(always)]
fn multiply_body<const LANES: usize, const FUSED: bool>(
    constraints: &Compiled,
    (x, origin): (&[[f64; 4]], usize),
    out: &mut [Rows],
    first: usize,
) {
    for (i, out) in (first..).zip(out) {
        let mut sum = [[0.0; 4]; 3];
        for (&position, rows) in constraints.positions(i).iter().zip(constraints.jacobian(i)) {
            let part = &x[position as usize - origin];
            for row in 0..3 {
                for c in 0..4 {
                    sum[row][c] = fma::<FUSED>(rows[row][c], part[c], sum[row][c]);
                }
            }
        }
        *out = sum.map(|s| (s[0] + s[1]) + (s[2] + s[3]));
    }
}

#[inline(always)]
fn subtract_body<const LANES: usize, const FUSED: bool>(
    constraints: &Compiled,
    lambda: &[Rows],
    y: &mut [[f64; 4]],
) {
    for (i, lambda) in lambda.iter().enumerate() {
        for (&position, rows) in constraints.positions(i).iter().zip(constraints.jacobian(i)) {
            let mut part = y[position as usize];
            for row in 0..3 {
                for c in 0..4 {
                    part[c] = fma::<FUSED>(rows[row][c], -lambda[row], part[c]);
                }
            }
            y[position as usize] = part;
        }
    }
}

#[inline(always)]
fn evaluate_body<const LANES: usize, const FUSED: bool>(
    constraints: &Compiled,
    u: &[Rows],
    du: &[Rows],
    alpha: f64,
    impulse: &mut [Rows],
) -> f64 {
    let mut sum = 0.0;
    for (((law, u), du), impulse) in constraints.laws().iter().zip(u).zip(du).zip(impulse) {
        let at = [
            fma::<FUSED>(alpha, du[0], u[0]),
            fma::<FUSED>(alpha, du[1], u[1]),
            fma::<FUSED>(alpha, du[2], u[2]),
        ];
        *impulse = law.impulse(at);
        sum += impulse[0] * du[0] + impulse[1] * du[1] + impulse[2] * du[2];
    }
    sum
}

#[inline(always)]
fn curvature_body<const LANES: usize, const FUSED: bool>(
    constraints: &Compiled,
    u: &[Rows],
    du: &[Rows],
    alpha: f64,
) -> f64 {
    let mut sum = 0.0;
    for ((law, u), du) in constraints.laws().iter().zip(u).zip(du) {
        let at = [
            fma::<FUSED>(alpha, du[0], u[0]),
            fma::<FUSED>(alpha, du[1], u[1]),
            fma::<FUSED>(alpha, du[2], u[2]),
        ];
        for (g, d) in law.hessian(at).iter().zip(du) {
            sum += d * (g[0] * du[0] + g[1] * du[1] + g[2] * du[2]);
        }
    }
    sum
}

#[inline(always)]
fn update_hessians_body<const LANES: usize, const FUSED: bool>(
    constraints: &Compiled,
    u: &[Rows],
    hessians: &mut [Hessian],
    first: usize,
) -> bool {
    let mut changed = false;
    for (i, hessian) in (first..).zip(hessians) {
        let g = constraints.laws()[i].hessian(u[i]);
        changed |= g != *hessian;
        *hessian = g;
    }
    changed
}

#[inline(always)]
fn add_hessians_body<const LANES: usize, const FUSED: bool>(
    constraints: &Compiled,
    hessians: &[Hessian],
    first: usize,
    (kept, origin): (&mut [Tile], usize),
) {
    for (i, g) in (first..).zip(hessians) {
        if *g == [[0.0; 3]; 3] {
            continue;
        }
        let jacobian = constraints.jacobian(i);
        let mut slots = constraints.slots(i).iter();
        for column in 0..jacobian.len() {
            let gj = multiply_rows::<FUSED>(g, &jacobian[column]);
            for row in &jacobian[column..] {
                if let Some(&slot) = slots.next() {
                    add_outer::<FUSED>(&mut kept[slot as usize - origin], row, &gj);
                }
            }
        }
    }
}

#[inline(always)]
fn hessian_tiles_body<const LANES: usize, const FUSED: bool>(
    constraints: &Compiled,
    hessian: &Hessian,
    i: usize,
    tiles: &mut [Tile],
) {
    tiles.fill(Tile::ZERO);
    let jacobian = constraints.jacobian(i);
    let mut tiles = tiles.iter_mut();
    for column in 0..jacobian.len() {
        let gj = multiply_rows::<FUSED>(hessian, &jacobian[column]);
        for row in &jacobian[column..] {
            if let Some(tile) = tiles.next() {
                add_outer::<FUSED>(tile, row, &gj);
            }
        }
    }
}

/// G·J on one tile.
#[inline(always)]
fn multiply_rows<const FUSED: bool>(g: &Hessian, rows: &JacobianRows) -> JacobianRows {
    let mut out = [[0.0; 4]; 3];
    for a in 0..3 {
        for b in 0..3 {
            for c in 0..4 {
                out[a][c] = fma::<FUSED>(rows[b][c], g[a][b], out[a][c]);
            }
        }
    }
    out
}

/// tile += J_rowᵀ (G J_column).
#[inline(always)]
fn add_outer<const FUSED: bool>(tile: &mut Tile, row: &JacobianRows, gj: &JacobianRows) {
    for c in 0..4 {
        let mut column = tile.0[c];
        for a in 0..3 {
            for r in 0..4 {
                column[r] = fma::<FUSED>(row[a][r], gj[a][c], column[r]);
            }
        }
        tile.0[c] = column;
    }
}
