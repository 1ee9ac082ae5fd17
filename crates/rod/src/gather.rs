//! From the Hessians of stencils in edge variables to the rod's matrix in node variables.
//!
//! With e_i = x_{i+1} − x_i and γ_i in the block of node i, edge i acts on node i by S = diag(−1, −1, −1, 1) and on
//! node i+1 by Z = diag(1, 1, 1, 0). Stencil j has edges j−1 (H₀₀) and j (H₁₁) and couples them by H₁₀:
//!
//! A(j−1, j−1) += P = S H₀₀ S            A(j, j−1) += Q = Z H₀₀ S + S H₁₀ S        A(j+1, j−1) = T = Z H₁₀ S
//! A(j, j)     += U = Z H₀₀ Z + Z H₁₀ᵀ S + S H₁₀ Z + S H₁₁ S                        A(j+1, j) += V = Z H₁₀ Z + Z H₁₁ S
//! A(j+1, j+1) += W = Z H₁₁ Z
//!
//! so that A(i, i) = U_i + P_{i+1} + W_{i−1}, A(i+1, i) = V_i + Q_{i+1}, A(i+2, i) = T_{i+1}: every block is written
//! once, from three neighbouring stencils.

use crate::energy::stencil::StencilDerivatives;
use ropewalk_linalg::lanes::Lanes;
use ropewalk_linalg::penta::BlockPenta;

/// Where the stencils at hand begin in the arrays of [`Gather`]; before them are the last two of the ones before.
const NOW: usize = 8;

/// Places of a 4×4 lower triangle by columns: (column, row).
const LOWER: [(usize, usize); 10] =
    [(0, 0), (0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3)];
/// The places of its upper left 3×3 part.
const UPPER_LEFT: [usize; 6] = [0, 1, 2, 4, 5, 7];

/// Keeps what later nodes need of earlier stencils.
pub(crate) struct Gather {
    /// U, lower triangle.
    mid: [[f64; 16]; 10],
    /// V by columns, three rows.
    next: [[[f64; 16]; 3]; 4],
    /// W, lower triangle of 3×3.
    right: [[f64; 16]; 6],
    /// P, Q and T of the first stencil, for the last node of a closed rod.
    first: [[f64; 16]; 3],
    /// W of the last stencil, for the first node of a closed rod.
    last_right: [f64; 6],
}

impl Gather {
    pub(crate) fn new() -> Self {
        Self {
            mid: [[0.0; 16]; 10],
            next: [[[0.0; 16]; 3]; 4],
            right: [[0.0; 16]; 6],
            first: [[0.0; 16]; 3],
            last_right: [0.0; 6],
        }
    }

    /// Takes the stencils j … j+N−1 and writes the blocks of the nodes j−1 … j+N−2 that exist.
    #[inline(always)]
    pub(crate) fn add<const N: usize, const F: bool>(
        &mut self,
        d: &StencilDerivatives<Lanes<N, F>>,
        matrix: &mut BlockPenta,
        j: usize,
        nodes: usize,
    ) {
        let (h00, h11, c) = (&d.h00, &d.h11, &d.h10);
        self.keep(d);
        // A(i, i) = U_i + P_{i+1} + W_{i−1}.
        let mut diagonal = [Lanes::<N, F>([0.0; N]); 10];
        for (place, (column, row)) in LOWER.into_iter().enumerate() {
            let mid = Lanes::load(&self.mid[place][NOW - 1..]);
            let p = h00[place];
            diagonal[place] = if row == 3 && column < 3 { mid - p } else { mid + p };
        }
        for (k, place) in UPPER_LEFT.into_iter().enumerate() {
            diagonal[place] += Lanes::load(&self.right[k][NOW - 2..]);
        }
        // A(i+1, i) = V_i + Q_{i+1} and A(i+2, i) = T_{i+1}.
        let mut next = [[Lanes::<N, F>([0.0; N]); 4]; 4];
        let mut second = [[Lanes::<N, F>([0.0; N]); 3]; 4];
        for column in 0..4 {
            for row in 0..3 {
                let h = h00[lower_place(row, column)];
                let q = if column < 3 { c[column][row] - h } else { h - c[column][row] };
                next[column][row] = Lanes::load(&self.next[column][row][NOW - 1..]) + q;
                second[column][row] = if column < 3 { -c[column][row] } else { c[column][row] };
            }
            next[column][3] = if column < 3 { -c[column][3] } else { c[column][3] };
        }
        if j == 0 {
            self.keep_first(d);
        }
        for lane in 0..N {
            // Lane 0 is node j−1: there is none before the first.
            let Some(node) = (j + lane).checked_sub(1).filter(|&node| node < nodes) else { continue };
            let block = &mut matrix.diagonal[node];
            for (place, (column, row)) in LOWER.into_iter().enumerate() {
                block[column][row] = diagonal[place].0[lane];
            }
            let block = &mut matrix.next[node];
            for column in 0..4 {
                for row in 0..4 {
                    block[column][row] = next[column][row].0[lane];
                }
            }
            let block = &mut matrix.second[node];
            for column in 0..4 {
                for row in 0..3 {
                    block[column][row] = second[column][row].0[lane];
                }
                block[column][3] = 0.0;
            }
        }
        // Stencil count−1 is the last that is not empty: its W goes to node count, the first of a closed rod.
        let last = nodes - 1;
        if j <= last && last < j + N {
            for k in 0..6 {
                self.last_right[k] = h11[UPPER_LEFT[k]].0[last - j];
            }
        }
    }

    /// Stores U, V and W of the stencils at hand behind the last two of the ones before.
    #[inline(always)]
    fn keep<const N: usize, const F: bool>(&mut self, d: &StencilDerivatives<Lanes<N, F>>) {
        let (h00, h11, c) = (&d.h00, &d.h11, &d.h10);
        let keep = |array: &mut [f64; 16], lanes: Lanes<N, F>| {
            array[NOW - 2] = array[NOW + N - 2];
            array[NOW - 1] = array[NOW + N - 1];
            lanes.store(&mut array[NOW..]);
        };
        for (place, (column, row)) in LOWER.into_iter().enumerate() {
            let u = match (row == 3, column == 3) {
                (false, _) => h00[place] + h11[place] - (c[column][row] + c[row][column]),
                (true, false) => c[column][3] - h11[place],
                (true, true) => h11[place],
            };
            keep(&mut self.mid[place], u);
        }
        for column in 0..4 {
            for row in 0..3 {
                let h = h11[lower_place(row, column)];
                let v = if column < 3 { c[column][row] - h } else { h };
                keep(&mut self.next[column][row], v);
            }
        }
        for (k, place) in UPPER_LEFT.into_iter().enumerate() {
            keep(&mut self.right[k], h11[place]);
        }
    }

    #[inline(always)]
    fn keep_first<const N: usize, const F: bool>(&mut self, d: &StencilDerivatives<Lanes<N, F>>) {
        for column in 0..4 {
            for row in 0..4 {
                let h = d.h00[lower_place(row, column)].0[0];
                let c = d.h10[column][row].0[0];
                let sign = if (column < 3) == (row < 3) { 1.0 } else { -1.0 };
                let s = if column < 3 { -1.0 } else { 1.0 };
                self.first[0][4 * column + row] = sign * h;
                self.first[1][4 * column + row] = if row < 3 { s * h - s * c } else { s * c };
                self.first[2][4 * column + row] = if row < 3 { s * c } else { 0.0 };
            }
        }
    }

    /// Couples the ends of a closed rod of `nodes` nodes: stencil 0 has the last node on its left, the last stencil
    /// node 0 on its right.
    pub(crate) fn close(&self, matrix: &mut BlockPenta, nodes: usize) {
        for column in 0..4 {
            for row in 0..4 {
                matrix.diagonal[nodes - 1][column][row] += self.first[0][4 * column + row];
                matrix.next[nodes - 1][column][row] += self.first[1][4 * column + row];
                matrix.second[nodes - 1][column][row] += self.first[2][4 * column + row];
            }
        }
        for (k, place) in UPPER_LEFT.into_iter().enumerate() {
            let (column, row) = LOWER[place];
            matrix.diagonal[0][column][row] += self.last_right[k];
        }
    }
}

/// Place of entry (row, column) of a symmetric block in its lower triangle by columns.
#[inline(always)]
const fn lower_place(row: usize, column: usize) -> usize {
    let (r, c) = if row >= column { (row, column) } else { (column, row) };
    [0, 4, 7, 9][c] + r - c
}
