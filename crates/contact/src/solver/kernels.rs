//! The loops over constraints, compiled once for each vector unit and chosen at run time.

use crate::law::{ConstraintLaw, Hessian, Law, Rows};
use crate::problem::constraints::{Constraints, JacobianRows};
use crate::solver::group_parallel::at_once;
use crate::solver::island_constraints::Compiled;
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
    /// out_i = J_i v of the constraints of a problem.
    pub(crate) fn velocities(constraints: &Constraints, v: &[[f64; 4]], out: &mut [Rows]) = velocities_body;
}
for_vector_unit! {
    /// y += Jᵀλ of the constraints of a problem.
    pub(crate) fn add_impulses(constraints: &Constraints, lambda: &[Rows], y: &mut [[f64; 4]]) = add_impulses_body;
}
for_vector_unit! {
    /// G_i at the excess velocities u for the constraints from `first` on. Returns whether any has changed.
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
    fn evaluate(laws: &[Law], u: &[Rows], du: &[Rows], alpha: f64, impulse: &mut [Rows]) -> f64 = evaluate_body;
}
for_vector_unit! {
    /// Σ du_iᵀ G_i du_i at u + α du.
    fn curvature(laws: &[Law], u: &[Rows], du: &[Rows], alpha: f64) -> f64 = curvature_body;
}

/// From this number of constraints on, the work is split in two.
const MANY: usize = 128;

/// Whether splitting the work pays.
pub(crate) fn are_many(constraints: &Compiled) -> bool {
    constraints.len() >= MANY
}

/// Impulses at u + α du into `impulse`; returns Σ λ_i·du_i. Each half is summed on its own, in parallel if
/// `parallel`.
pub(crate) fn evaluate_along(
    constraints: &Compiled,
    (u, du): (&[Rows], &[Rows]),
    alpha: f64,
    impulse: &mut [Rows],
    parallel: bool,
) -> f64 {
    let laws = constraints.laws();
    if laws.len() < MANY {
        return evaluate(laws, u, du, alpha, impulse);
    }
    let half = laws.len() / 2;
    let (left, right) = impulse.split_at_mut(half);
    let (left, right) = at_once(
        parallel,
        || evaluate(&laws[..half], &u[..half], &du[..half], alpha, left),
        || evaluate(&laws[half..], &u[half..], &du[half..], alpha, right),
    );
    left + right
}

/// Σ du_iᵀ G_i du_i at u + α du, in halves as well.
pub(crate) fn curvature_along(
    constraints: &Compiled,
    (u, du): (&[Rows], &[Rows]),
    alpha: f64,
    parallel: bool,
) -> f64 {
    let laws = constraints.laws();
    if laws.len() < MANY {
        return curvature(laws, u, du, alpha);
    }
    let half = laws.len() / 2;
    let (left, right) = at_once(
        parallel,
        || curvature(&laws[..half], &u[..half], &du[..half], alpha),
        || curvature(&laws[half..], &u[half..], &du[half..], alpha),
    );
    left + right
}

#[inline(always)]
fn multiply_body<const LANES: usize, const FUSED: bool>(
    constraints: &Compiled,
    (x, origin): (&[[f64; 4]], usize),
    out: &mut [Rows],
    first: usize,
) {
    for (i, out) in (first..).zip(out) {
        *out = row_velocities::<FUSED>(constraints.positions(i), constraints.jacobian(i), (x, origin));
    }
}

#[inline(always)]
fn subtract_body<const LANES: usize, const FUSED: bool>(
    constraints: &Compiled,
    lambda: &[Rows],
    y: &mut [[f64; 4]],
) {
    for (i, lambda) in lambda.iter().enumerate() {
        add_rows::<FUSED>(constraints.positions(i), constraints.jacobian(i), &lambda.map(|l| -l), y);
    }
}

#[inline(always)]
fn velocities_body<const LANES: usize, const FUSED: bool>(
    constraints: &Constraints,
    v: &[[f64; 4]],
    out: &mut [Rows],
) {
    for (i, out) in out.iter_mut().enumerate() {
        *out = row_velocities::<FUSED>(constraints.tiles(i), constraints.jacobian(i), (v, 0));
    }
}

#[inline(always)]
fn add_impulses_body<const LANES: usize, const FUSED: bool>(
    constraints: &Constraints,
    lambda: &[Rows],
    y: &mut [[f64; 4]],
) {
    for (i, lambda) in lambda.iter().enumerate() {
        add_rows::<FUSED>(constraints.tiles(i), constraints.jacobian(i), lambda, y);
    }
}

/// J x of one constraint; x from place `origin` on.
#[inline(always)]
fn row_velocities<const FUSED: bool>(
    places: &[u32],
    jacobian: &[JacobianRows],
    (x, origin): (&[[f64; 4]], usize),
) -> Rows {
    let mut sum = [[0.0; 4]; 3];
    for (&place, rows) in places.iter().zip(jacobian) {
        let part = &x[place as usize - origin];
        for row in 0..3 {
            for c in 0..4 {
                sum[row][c] = fma::<FUSED>(rows[row][c], part[c], sum[row][c]);
            }
        }
    }
    sum.map(|s| (s[0] + s[1]) + (s[2] + s[3]))
}

/// y += Jᵀλ of one constraint.
#[inline(always)]
fn add_rows<const FUSED: bool>(places: &[u32], jacobian: &[JacobianRows], lambda: &Rows, y: &mut [[f64; 4]]) {
    for (&place, rows) in places.iter().zip(jacobian) {
        let mut part = y[place as usize];
        for row in 0..3 {
            for c in 0..4 {
                part[c] = fma::<FUSED>(rows[row][c], lambda[row], part[c]);
            }
        }
        y[place as usize] = part;
    }
}

#[inline(always)]
fn evaluate_body<const LANES: usize, const FUSED: bool>(
    laws: &[Law],
    u: &[Rows],
    du: &[Rows],
    alpha: f64,
    impulse: &mut [Rows],
) -> f64 {
    let mut sum = 0.0;
    for (((law, u), du), impulse) in laws.iter().zip(u).zip(du).zip(impulse) {
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
    laws: &[Law],
    u: &[Rows],
    du: &[Rows],
    alpha: f64,
) -> f64 {
    let mut sum = 0.0;
    for ((law, u), du) in laws.iter().zip(u).zip(du) {
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
        let slots = constraints.slots(i);
        for_each_tile::<FUSED>(constraints.jacobian(i), g, |k, rows, column| {
            add_outer::<FUSED>(&mut kept[slots[k] as usize - origin], rows, column);
        });
    }
}

#[inline(always)]
fn hessian_tiles_body<const LANES: usize, const FUSED: bool>(
    constraints: &Compiled,
    hessian: &Hessian,
    i: usize,
    tiles: &mut [Tile],
) {
    for_each_tile::<FUSED>(constraints.jacobian(i), hessian, |k, rows, column| {
        tiles[k] = Tile::ZERO;
        add_outer::<FUSED>(&mut tiles[k], rows, column);
    });
}

/// Visits the tiles J_rᵀ G J_c on and below the diagonal: their number among the slots of a constraint, G J_r and J_c. G is symmetric,
/// and is applied to the side whose entries lie along a vector register.
#[inline(always)]
fn for_each_tile<const FUSED: bool>(
    jacobian: &[JacobianRows],
    g: &Hessian,
    mut visit: impl FnMut(usize, &JacobianRows, &JacobianRows),
) {
    for (r, row) in jacobian.iter().enumerate() {
        let rows = multiply_rows::<FUSED>(g, row);
        // Slots are sorted by column, from the diagonal down.
        let mut slot = r;
        for (c, column) in jacobian[..=r].iter().enumerate() {
            visit(slot, &rows, column);
            slot += jacobian.len() - 1 - c;
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

/// tile += (G J_r)ᵀ J_c.
#[inline(always)]
fn add_outer<const FUSED: bool>(tile: &mut Tile, rows: &JacobianRows, column: &JacobianRows) {
    for c in 0..4 {
        let mut sum = tile.0[c];
        for a in 0..3 {
            for r in 0..4 {
                sum[r] = fma::<FUSED>(rows[a][r], column[a][c], sum[r]);
            }
        }
        tile.0[c] = sum;
    }
}
