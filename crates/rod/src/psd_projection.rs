//! Projection of the Hessian to a positive semi-definite one, used only where the exact tangent cannot be factored.
//!
//! Negative eigenvalues of the Hessian of each stencil in its edge variables become zero, and so does the negative
//! lateral stiffness of a compressed edge. Since edge variables are differences of positions, the result still does
//! not resist translation.

use crate::energy::edge_pair::{EdgeFrame, Turn, TurnDerivatives};
use crate::energy::{bend, stencil, stretch, twist};
use crate::kernel::RodKernel;
use crate::rod::Rod;
use crate::state::NaturalShape;
use ropewalk_linalg::block_pentadiagonal::BlockPenta;
use ropewalk_linalg::eigen::diagonalise;
use ropewalk_linalg::vec3::V3;

/// A symmetric matrix in the eight edge variables of a stencil, (e_{j−1}, γ_{j−1}, e_j, γ_j).
type Stencil = [[f64; 8]; 8];

/// Adds `scale` times the clamped Hessian at the last point at which `kernel` was evaluated.
pub fn add_positive_hessian(
    kernel: &RodKernel,
    rod: &Rod,
    natural: &NaturalShape,
    scale: f64,
    matrix: &mut BlockPenta,
) {
    for j in 0..rod.edge_count() {
        let mut h = [[0.0; 8]; 8];
        if rod.stencils().contains(&j) {
            stencil_hessian(kernel, rod, natural, j, &mut h);
            h = without_negative_eigenvalues(&h);
        }
        // Variables 4–6 are edge j itself.
        let [_, _, t] = kernel.material_frame(j);
        let along = kernel.stiffness_along(rod, j);
        let across = (kernel.tension(j) * kernel.inverse_length(j)).max(0.0);
        let s = stretch::hessian(V3::from(t), along, across);
        for (place, (r, c)) in [(0, 0), (1, 0), (2, 0), (1, 1), (2, 1), (2, 2)].into_iter().enumerate() {
            h[4 + r][4 + c] += s[place];
            if r != c {
                h[4 + c][4 + r] += s[place];
            }
        }
        add_to_nodes(matrix, rod, j, scale, &h);
    }
}

fn stencil_hessian(kernel: &RodKernel, rod: &Rod, natural: &NaturalShape, j: usize, h: &mut Stencil) {
    let frame_of = |e: usize| {
        let [m1, m2, t] = kernel.material_frame(e);
        EdgeFrame { t: V3::from(t), m1: V3::from(m1), m2: V3::from(m2) }
    };
    let e0 = rod.edge_before(j);
    let (left, right) = (frame_of(e0), frame_of(j));
    let turn = Turn::between(&left, &right);
    let [k1, k2, _] = kernel.strain(j);
    let [[m1, b1], [m2, b2], [torque, twist_stiffness]] = kernel.moments(rod, natural, j);
    let mut d = TurnDerivatives::zero();
    bend::add_derivatives(&turn, [k1, k2], [m1, m2], [b1, b2], &mut d);
    twist::add_derivatives(&turn, torque, twist_stiffness, &mut d);
    if rod.yields() {
        bend::add_coupling(&turn, [k1, k2], kernel.bend_coupling(rod, natural, j), &mut d);
    }
    let s = stencil::expand(&left, &right, [kernel.inverse_length(e0), kernel.inverse_length(j)], &d);
    for (block, offset) in [(&s.h00, 0), (&s.h11, 4)] {
        let mut place = 0;
        for c in 0..4 {
            for r in c..4 {
                h[offset + r][offset + c] = block[place];
                h[offset + c][offset + r] = block[place];
                place += 1;
            }
        }
    }
    for c in 0..4 {
        for r in 0..4 {
            h[4 + r][c] = s.h10[c][r];
            h[c][4 + r] = s.h10[c][r];
        }
    }
}

fn without_negative_eigenvalues(h: &Stencil) -> Stencil {
    let mut values = *h;
    let mut vectors: Stencil = [[0.0; 8]; 8];
    let greatest = h.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
    // Entries that are negative only by round-off of the whole are harmless.
    diagonalise(values.as_flattened_mut(), vectors.as_flattened_mut(), 8, 1e-16 * greatest);
    let mut out = [[0.0; 8]; 8];
    for (k, vector) in vectors.iter().enumerate() {
        let value = values[k][k];
        if value > 0.0 {
            for r in 0..8 {
                for c in 0..8 {
                    out[r][c] += value * vector[r] * vector[c];
                }
            }
        }
    }
    out
}

/// Adds the matrix of a stencil to the nodes j−1, j, j+1.
fn add_to_nodes(matrix: &mut BlockPenta, rod: &Rod, j: usize, scale: f64, h: &Stencil) {
    let n = rod.node_count();
    let nodes = [(j + n - 1) % n, j, (j + 1) % n];
    // Node (0, 1, 2), component and sign of each edge variable.
    let touches = |variable: usize| -> [Option<(usize, f64)>; 2] {
        let first = variable / 4;
        if variable % 4 == 3 {
            [Some((first, 1.0)), None]
        } else {
            [Some((first, -1.0)), Some((first + 1, 1.0))]
        }
    };
    for a in 0..8 {
        for b in 0..8 {
            let value = scale * h[a][b];
            if value == 0.0 {
                continue;
            }
            for (row, sr) in touches(a).into_iter().flatten() {
                for (col, sc) in touches(b).into_iter().flatten() {
                    let add = sr * sc * value;
                    let (r, c) = (a % 4, b % 4);
                    match row as isize - col as isize {
                        0 => matrix.diagonal[nodes[row]][c][r] += add,
                        1 => matrix.next[nodes[col]][c][r] += add,
                        2 => matrix.second[nodes[col]][c][r] += add,
                        _ => {}
                    }
                }
            }
        }
    }
}
