//! From the Hessians of stencils in edge variables to the rod's matrix in node variables.
//!
//! With e_i = x_{i+1} − x_i and γ_i in the block of node i, edge i acts on node i by S = diag(−1, −1, −1, 1) and on
//! node i+1 by Z = diag(1, 1, 1, 0). Stencil j has edges j−1 (H₀₀) and j (H₁₁) and couples them by H₁₀:
//!
//! A(j−1, j−1) += P = S H₀₀ S            A(j, j−1) += Q = Z H₀₀ S + S H₁₀ S        A(j+1, j−1) = T = Z H₁₀ S
//! A(j, j)     += U = Z H₀₀ Z + Z H₁₀ᵀ S + S H₁₀ Z + S H₁₁ S                        A(j+1, j) += V = Z H₁₀ Z + Z H₁₁ S
//! A(j+1, j+1) += W = Z H₁₁ Z
//!
//! so that A(i, i) = U_i + W_{i−1} + P_{i+1}, A(i+1, i) = V_i + Q_{i+1}, A(i+2, i) = T_{i+1}: every block is written
//! once. Stencils come in batches of N; each batch completes N nodes, which lag by one.

use crate::energy::stencil::StencilDerivatives;
use ropewalk_linalg::Real;
use ropewalk_linalg::block_pentadiagonal::BlockPenta;
use ropewalk_linalg::block4::Block;
use ropewalk_linalg::lanes::Lanes;

/// Entries of a 4×4 lower triangle by columns: (column, row).
const LOWER: [(usize, usize); 10] =
    [(0, 0), (0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3)];
/// The entries of its upper left 3×3 part.
const UPPER_LEFT: [usize; 6] = [0, 1, 2, 4, 5, 7];

/// Carries contributions of one batch of stencils to the nodes of the next.
pub(crate) struct Gather<const N: usize, const F: bool> {
    /// U_i + W_{i−1}, lower triangle.
    diagonal: [Lanes<N, F>; 10],
    /// V by columns, three rows.
    next: [[Lanes<N, F>; 3]; 4],
    /// W, lower triangle of 3×3.
    right: [Lanes<N, F>; 6],
    /// P, Q and T of the first stencil, for the last node of a closed rod.
    first: [Block; 3],
    /// W of the last stencil, for the first node of a closed rod.
    last_right: [f64; 6],
}

impl<const N: usize, const F: bool> Gather<N, F> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        let zero = Lanes::splat(0.0);
        Self {
            diagonal: [zero; 10],
            next: [[zero; 3]; 4],
            right: [zero; 6],
            first: [[[0.0; 4]; 4]; 3],
            last_right: [0.0; 6],
        }
    }

    /// Adds the stencils j … j+N−1 and writes the blocks of the nodes j−1 … j+N−2 that exist.
    #[inline(always)]
    pub(crate) fn add(
        &mut self,
        d: &StencilDerivatives<Lanes<N, F>>,
        matrix: &mut BlockPenta,
        j: usize,
        nodes: usize,
    ) {
        let (h00, h11, c) = (&d.h00, &d.h11, &d.h10);
        if j == 0 {
            self.keep_first(d);
        }
        if j < nodes && nodes <= j + N {
            for k in 0..6 {
                self.last_right[k] = h11[UPPER_LEFT[k]].0[nodes - 1 - j];
            }
        }
        // Lane k is node j−1+k.
        let write = |lane: usize| (j + lane).checked_sub(1).filter(|&node| node < nodes);

        // U_i + W_{i−1} of these stencils, then of the nodes, which lag by one; P_{i+1} is in this batch.
        let mut diagonal = [Lanes::splat(0.0); 10];
        for (place, (column, row)) in LOWER.into_iter().enumerate() {
            let u = match (row == 3, column == 3) {
                (false, _) => h00[place] + h11[place] - (c[column][row] + c[row][column]),
                (true, false) => c[column][3] - h11[place],
                (true, true) => h11[place],
            };
            let before = UPPER_LEFT.iter().position(|&p| p == place);
            let sum = before.map_or(u, |k| u + h11[place].shifted_from(self.right[k]));
            let behind = sum.shifted_from(self.diagonal[place]);
            self.diagonal[place] = sum;
            diagonal[place] = if row == 3 && column < 3 { behind - h00[place] } else { behind + h00[place] };
        }
        for (k, place) in UPPER_LEFT.into_iter().enumerate() {
            self.right[k] = h11[place];
        }
        for column in 0..4 {
            let rows = core::array::from_fn(|row| diagonal[lower_place(row, column)]);
            Lanes::columns(rows, |lane, entries| {
                if let Some(node) = write(lane) {
                    matrix.diagonal[node][column] = entries;
                }
            });
        }
        for column in 0..4 {
            // A(i+1, i) = V_i + Q_{i+1}.
            let mut next = [Lanes::splat(0.0); 4];
            for row in 0..3 {
                let (h0, h1) = (h00[lower_place(row, column)], h11[lower_place(row, column)]);
                let (v, q) = if column < 3 {
                    (c[column][row] - h1, c[column][row] - h0)
                } else {
                    (h1, h0 - c[column][row])
                };
                next[row] = v.shifted_from(self.next[column][row]) + q;
                self.next[column][row] = v;
            }
            next[3] = if column < 3 { -c[column][3] } else { c[column][3] };
            Lanes::columns(next, |lane, entries| {
                if let Some(node) = write(lane) {
                    matrix.next[node][column] = entries;
                }
            });
            // A(i+2, i) = T_{i+1}.
            let sign = |x: Lanes<N, F>| if column < 3 { -x } else { x };
            let second = [sign(c[column][0]), sign(c[column][1]), sign(c[column][2]), Lanes::splat(0.0)];
            Lanes::columns(second, |lane, entries| {
                if let Some(node) = write(lane) {
                    matrix.second[node][column] = entries;
                }
            });
        }
    }

    #[inline(always)]
    fn keep_first(&mut self, d: &StencilDerivatives<Lanes<N, F>>) {
        for column in 0..4 {
            for row in 0..4 {
                let h = d.h00[lower_place(row, column)].0[0];
                let c = d.h10[column][row].0[0];
                let same = if (column < 3) == (row < 3) { 1.0 } else { -1.0 };
                let s = if column < 3 { -1.0 } else { 1.0 };
                self.first[0][column][row] = same * h;
                self.first[1][column][row] = if row < 3 { s * (h - c) } else { s * c };
                self.first[2][column][row] = if row < 3 { s * c } else { 0.0 };
            }
        }
    }

    /// Couples the ends of a closed rod of `nodes` nodes: stencil 0 has the last node on its left, the last stencil
    /// node 0 on its right.
    pub(crate) fn close(&self, matrix: &mut BlockPenta, nodes: usize) {
        for column in 0..4 {
            for row in 0..4 {
                matrix.diagonal[nodes - 1][column][row] += self.first[0][column][row];
                matrix.next[nodes - 1][column][row] += self.first[1][column][row];
                matrix.second[nodes - 1][column][row] += self.first[2][column][row];
            }
        }
        for (k, place) in UPPER_LEFT.into_iter().enumerate() {
            let (column, row) = LOWER[place];
            matrix.diagonal[0][column][row] += self.last_right[k];
        }
    }
}

/// Index of entry (row, column) of a symmetric block in its lower triangle by columns.
#[inline(always)]
const fn lower_place(row: usize, column: usize) -> usize {
    let (r, c) = if row >= column { (row, column) } else { (column, row) };
    [0, 4, 7, 9][c] + r - c
}
