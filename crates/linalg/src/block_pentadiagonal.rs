//! Block-pentadiagonal matrices, the Hessians of rods.
//!
//! Node i is coupled to i±1 and i±2, in 4×4 blocks. [`BlockPenta`] keeps the lower half: `diagonal[i]` =
//! A(i, i), `next[i]` = A(i+1, i), `second[i]` = A(i+2, i), indices modulo n for a closed rod (for an open one
//! the entries past the end are not read). With fewer than five nodes the couplings of a closed rod meet in
//! the same places; they then add up.
//!
//! [`PentaFactor`] holds A = 𝓛 𝓓 𝓛ᵀ, 𝓛 unit lower triangular, 𝓓 diagonal: no square roots, and the chain of
//! dependent operations from node to node is four divisions. A closed rod is cut at its last two nodes,
//! which become a border of eight rows.

use crate::block4::{
    self, Block, Pivot, ZERO, minus_product_transposed, minus_times, minus_transposed_times,
};
use crate::for_vector_unit;

/// A symmetric block-pentadiagonal matrix of n×n blocks.
#[derive(Clone, Debug)]
pub struct BlockPenta {
    closed: bool,
    /// A(i, i); only the lower triangle is read.
    pub diagonal: Vec<Block>,
    /// A(i+1, i).
    pub next: Vec<Block>,
    /// A(i+2, i).
    pub second: Vec<Block>,
}

impl BlockPenta {
    /// The zero matrix of `n` node blocks.
    pub fn zero(n: usize, closed: bool) -> Self {
        Self { closed, diagonal: vec![ZERO; n], next: vec![ZERO; n], second: vec![ZERO; n] }
    }
    /// Number of node blocks.
    pub fn block_count(&self) -> usize {
        self.diagonal.len()
    }
    /// Whether the last nodes are coupled to the first.
    pub fn closed(&self) -> bool {
        self.closed
    }
    /// Makes every entry zero.
    pub fn set_zero(&mut self) {
        self.diagonal.fill(ZERO);
        self.next.fill(ZERO);
        self.second.fill(ZERO);
    }
    /// How many of `next` and `second` are in use.
    fn couplings(&self) -> [usize; 2] {
        let n = self.block_count();
        if self.closed { [n, n] } else { [n.saturating_sub(1), n.saturating_sub(2)] }
    }

    /// Replaces row and column `k` of node `i` by those of the identity.
    pub fn fix(&mut self, i: usize, k: usize) {
        let n = self.block_count();
        for other in 0..4 {
            self.diagonal[i][k][other] = 0.0;
            self.diagonal[i][other][k] = 0.0;
            self.next[i][k][other] = 0.0;
            self.second[i][k][other] = 0.0;
            self.next[(i + n - 1) % n][other][k] = 0.0;
            self.second[(i + 2 * n - 2) % n][other][k] = 0.0;
        }
        self.diagonal[i][k][k] = 1.0;
    }

    /// Adds A x to `y`.
    pub fn multiply_add(&self, x: &[[f64; 4]], y: &mut [[f64; 4]]) {
        let n = self.block_count();
        for i in 0..n {
            for c in 0..4 {
                for r in c..4 {
                    let a = self.diagonal[i][c][r];
                    y[i][r] += a * x[i][c];
                    if r > c {
                        y[i][c] += a * x[i][r];
                    }
                }
            }
        }
        let [nexts, seconds] = self.couplings();
        for (blocks, count, offset) in [(&self.next, nexts, 1), (&self.second, seconds, 2)] {
            for i in 0..count {
                let j = (i + offset) % n;
                for c in 0..4 {
                    for r in 0..4 {
                        y[j][r] += blocks[i][c][r] * x[i][c];
                        y[i][c] += blocks[i][c][r] * x[j][r];
                    }
                }
            }
        }
    }

    /// The whole matrix, rows of 4n entries.
    pub fn to_dense(&self) -> Vec<Vec<f64>> {
        let n = self.block_count();
        let mut a = vec![vec![0.0; 4 * n]; 4 * n];
        for i in 0..n {
            for c in 0..4 {
                for r in c..4 {
                    a[4 * i + r][4 * i + c] += self.diagonal[i][c][r];
                    if r > c {
                        a[4 * i + c][4 * i + r] += self.diagonal[i][c][r];
                    }
                }
            }
        }
        let [nexts, seconds] = self.couplings();
        for (blocks, count, offset) in [(&self.next, nexts, 1), (&self.second, seconds, 2)] {
            for i in 0..count {
                let j = (i + offset) % n;
                for c in 0..4 {
                    for r in 0..4 {
                        a[4 * j + r][4 * i + c] += blocks[i][c][r];
                        a[4 * i + c][4 * j + r] += blocks[i][c][r];
                    }
                }
            }
        }
        a
    }
}

/// The matrix is not positive definite; found at this node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotPositive {
    /// The node whose pivot is not positive.
    pub node: usize,
}

/// 𝓛 𝓓 𝓛ᵀ of a [`BlockPenta`], with room kept between factorizations.
#[derive(Clone, Debug)]
pub struct PentaFactor {
    n: usize,
    /// Length of the chain: n, or n − 2 for a closed rod, or 0 for a small closed one (all dense).
    chain: usize,
    pivots: Vec<Pivot>,
    next: Vec<Block>,
    second: Vec<Block>,
    /// Rows of the border, two blocks per node of the chain.
    border: Vec<[Block; 2]>,
    /// Dense factor of the border or of a whole small matrix, by rows, lower triangle, unit diagonal.
    corner: Vec<f64>,
    corner_inverse: Vec<f64>,
    corner_rhs: Vec<f64>,
}

/// Closed rods shorter than this are factored as dense matrices.
const SMALL_CLOSED: usize = 6;

impl PentaFactor {
    /// Room for the factors of matrices with `n` node blocks.
    pub fn new(n: usize, closed: bool) -> Self {
        let (chain, corner) = match (closed, n < SMALL_CLOSED) {
            (false, _) => (n, 0),
            (true, false) => (n - 2, 8),
            (true, true) => (0, 4 * n),
        };
        Self {
            n,
            chain,
            pivots: vec![Pivot { lower: [0.0; 6], inverse: [1.0; 4] }; chain],
            next: vec![ZERO; chain],
            second: vec![ZERO; chain],
            border: vec![[ZERO; 2]; if closed { chain } else { 0 }],
            corner: vec![0.0; corner * corner],
            corner_inverse: vec![0.0; corner],
            corner_rhs: vec![0.0; corner],
        }
    }

    /// Factors `a`, which must have the size for which this was made.
    pub fn factor(&mut self, a: &BlockPenta) -> Result<(), NotPositive> {
        if self.corner.is_empty() {
            factor_open(self, a)
        } else if self.chain == 0 {
            self.fill_corner_with_all(a);
            self.factor_corner(0)
        } else {
            factor_closed(self, a)?;
            self.factor_corner(self.chain)
        }
    }

    /// Solves A x = b; `x` holds b on entry.
    pub fn solve(&mut self, x: &mut [[f64; 4]]) {
        solve_forward(self, x);
        if !self.corner.is_empty() {
            self.solve_corner(x);
        }
        solve_backward(self, x);
    }

    fn fill_corner_with_all(&mut self, a: &BlockPenta) {
        let size = self.corner_inverse.len();
        self.corner.fill(0.0);
        let n = self.n;
        let mut add = |r: usize, c: usize, value: f64| {
            self.corner[r.max(c) * size + r.min(c)] += value;
        };
        for i in 0..n {
            for c in 0..4 {
                for r in c..4 {
                    add(4 * i + r, 4 * i + c, a.diagonal[i][c][r]);
                }
                for r in 0..4 {
                    let (j, k) = ((i + 1) % n, (i + 2) % n);
                    add(4 * j + r, 4 * i + c, a.next[i][c][r]);
                    add(4 * k + r, 4 * i + c, a.second[i][c][r]);
                }
            }
        }
    }

    /// Factors the dense corner in place; its first node is `first`.
    fn factor_corner(&mut self, first: usize) -> Result<(), NotPositive> {
        let size = self.corner_inverse.len();
        let m = &mut self.corner;
        for k in 0..size {
            let scale = m[k * size + k];
            let mut d = scale;
            for j in 0..k {
                // The stored entries of row k are still L D here.
                let ld = m[k * size + j];
                let l = ld * self.corner_inverse[j];
                d -= l * ld;
                m[k * size + j] = l;
            }
            if !(d > 0.0 && d.is_finite()) {
                return Err(NotPositive { node: first + k / 4 });
            }
            self.corner_inverse[k] = 1.0 / d;
            for i in k + 1..size {
                let mut sum = m[i * size + k];
                for j in 0..k {
                    sum -= m[i * size + j] * m[k * size + j];
                }
                m[i * size + k] = sum;
            }
        }
        Ok(())
    }

    fn solve_corner(&mut self, x: &mut [[f64; 4]]) {
        let size = self.corner_inverse.len();
        let first = self.chain;
        let (m, y) = (&self.corner, &mut self.corner_rhs);
        for k in 0..size {
            y[k] = x[first + k / 4][k % 4];
            for j in 0..k {
                y[k] -= m[k * size + j] * y[j];
            }
        }
        for k in (0..size).rev() {
            y[k] *= self.corner_inverse[k];
            for j in k + 1..size {
                y[k] -= m[j * size + k] * y[j];
            }
            x[first + k / 4][k % 4] = y[k];
        }
    }
}

#[inline(always)]
fn diagonal_of(a: &Block) -> [f64; 4] {
    [a[0][0], a[1][1], a[2][2], a[3][3]]
}

for_vector_unit! {
    fn factor_open(f: &mut PentaFactor, a: &BlockPenta) -> Result<(), NotPositive> = open_kernel;
}

#[inline(always)]
fn open_kernel<const N: usize, const FUSED: bool>(
    f: &mut PentaFactor,
    a: &BlockPenta,
) -> Result<(), NotPositive> {
    let n = f.chain;
    let (diagonal, next, second) = (&a.diagonal[..n], &a.next[..n], &a.second[..n]);
    let (pivots, f_next, f_second) = (&mut f.pivots[..n], &mut f.next[..n], &mut f.second[..n]);
    // A(i, i), A(i+1, i+1) and A(i+1, i) after elimination of the nodes so far.
    let mut here = diagonal[0];
    let mut there = if n > 1 { diagonal[1] } else { ZERO };
    let mut coupling = next[0];
    for i in 0..n {
        let scale = diagonal_of(&diagonal[i]);
        let pivot = block4::factor::<FUSED>(&here, scale).ok_or(NotPositive { node: i })?;
        pivots[i] = pivot;
        if i + 1 == n {
            break;
        }
        let y1 = pivot.solve_right::<FUSED>(&coupling);
        let x1 = pivot.scale_columns(&y1);
        f_next[i] = x1;
        here = minus_product_transposed::<FUSED>(there, &x1, &y1);
        if i + 2 < n {
            let y2 = pivot.solve_right::<FUSED>(&second[i]);
            let x2 = pivot.scale_columns(&y2);
            f_second[i] = x2;
            coupling = minus_product_transposed::<FUSED>(next[i + 1], &x2, &y1);
            there = minus_product_transposed::<FUSED>(diagonal[i + 2], &x2, &y2);
        }
    }
    Ok(())
}

for_vector_unit! {
    fn factor_closed(f: &mut PentaFactor, a: &BlockPenta) -> Result<(), NotPositive> = closed_kernel;
}

/// As the open chain, carrying the two border nodes p = n−2 and q = n−1 along.
#[inline(always)]
fn closed_kernel<const N: usize, const FUSED: bool>(
    f: &mut PentaFactor,
    a: &BlockPenta,
) -> Result<(), NotPositive> {
    let (n, m) = (f.n, f.chain);
    let (p, q) = (n - 2, n - 1);
    // Border rows against chain node i, before elimination: p meets m−2, m−1 and 0; q meets m−1, 0 and 1.
    let border_of = |i: usize| -> [Block; 2] {
        let mut rows = [ZERO; 2];
        if i == m - 2 {
            rows[0] = a.second[i];
        }
        if i == m - 1 {
            rows[0] = a.next[i];
            rows[1] = a.second[i];
        }
        if i == 0 {
            // A(p, 0) = A(0, p)ᵀ with A(0, p) = second[p], and A(0, q) = next[q].
            rows[0] = sum(&rows[0], &transposed(&a.second[p]));
            rows[1] = sum(&rows[1], &transposed(&a.next[q]));
        }
        if i == 1 {
            rows[1] = sum(&rows[1], &transposed(&a.second[q]));
        }
        rows
    };
    let mut here = a.diagonal[0];
    let mut there = a.diagonal[1];
    let mut coupling = a.next[0];
    let mut border_here = border_of(0);
    let mut border_there = border_of(1);
    let (mut pp, mut qp, mut qq) = (a.diagonal[p], a.next[p], a.diagonal[q]);
    for i in 0..m {
        let scale = diagonal_of(&a.diagonal[i]);
        let pivot = block4::factor::<FUSED>(&here, scale).ok_or(NotPositive { node: i })?;
        f.pivots[i] = pivot;
        let yb = [pivot.solve_right::<FUSED>(&border_here[0]), pivot.solve_right::<FUSED>(&border_here[1])];
        let xb = [pivot.scale_columns(&yb[0]), pivot.scale_columns(&yb[1])];
        f.border[i] = xb;
        pp = minus_product_transposed::<FUSED>(pp, &xb[0], &yb[0]);
        qp = minus_product_transposed::<FUSED>(qp, &xb[1], &yb[0]);
        qq = minus_product_transposed::<FUSED>(qq, &xb[1], &yb[1]);
        if i + 1 == m {
            break;
        }
        let y1 = pivot.solve_right::<FUSED>(&coupling);
        let x1 = pivot.scale_columns(&y1);
        f.next[i] = x1;
        here = minus_product_transposed::<FUSED>(there, &x1, &y1);
        border_here = [
            minus_product_transposed::<FUSED>(border_there[0], &xb[0], &y1),
            minus_product_transposed::<FUSED>(border_there[1], &xb[1], &y1),
        ];
        if i + 2 < m {
            let y2 = pivot.solve_right::<FUSED>(&a.second[i]);
            let x2 = pivot.scale_columns(&y2);
            f.second[i] = x2;
            coupling = minus_product_transposed::<FUSED>(a.next[i + 1], &x2, &y1);
            there = minus_product_transposed::<FUSED>(a.diagonal[i + 2], &x2, &y2);
            let fresh = border_of(i + 2);
            border_there = [
                minus_product_transposed::<FUSED>(fresh[0], &xb[0], &y2),
                minus_product_transposed::<FUSED>(fresh[1], &xb[1], &y2),
            ];
        }
    }
    for c in 0..4 {
        for r in 0..4 {
            if r >= c {
                f.corner[r * 8 + c] = pp[c][r];
                f.corner[(4 + r) * 8 + 4 + c] = qq[c][r];
            }
            f.corner[(4 + r) * 8 + c] = qp[c][r];
        }
    }
    Ok(())
}

#[inline(always)]
fn transposed(a: &Block) -> Block {
    let mut t = ZERO;
    for c in 0..4 {
        for r in 0..4 {
            t[r][c] = a[c][r];
        }
    }
    t
}

#[inline(always)]
fn sum(a: &Block, b: &Block) -> Block {
    let mut s = *a;
    for c in 0..4 {
        for r in 0..4 {
            s[c][r] += b[c][r];
        }
    }
    s
}

for_vector_unit! {
    fn solve_forward(f: &PentaFactor, x: &mut [[f64; 4]]) = forward_kernel;
}

/// 𝓛 y = b along the chain; its contribution to the border is subtracted from the border's right-hand side.
#[inline(always)]
fn forward_kernel<const N: usize, const FUSED: bool>(f: &PentaFactor, x: &mut [[f64; 4]]) {
    let m = f.chain;
    if m == 0 {
        return;
    }
    let (pivots, next, second) = (&f.pivots[..m], &f.next[..m], &f.second[..m]);
    let with_border = !f.border.is_empty();
    let mut here = x[0];
    let mut there = if m > 1 { x[1] } else { [0.0; 4] };
    for i in 0..m {
        let y = pivots[i].solve_lower::<FUSED>(here);
        x[i] = y;
        if with_border {
            x[f.n - 2] = minus_times::<FUSED>(x[f.n - 2], &f.border[i][0], y);
            x[f.n - 1] = minus_times::<FUSED>(x[f.n - 1], &f.border[i][1], y);
        }
        if i + 1 < m {
            here = minus_times::<FUSED>(there, &next[i], y);
            there = if i + 2 < m { minus_times::<FUSED>(x[i + 2], &second[i], y) } else { [0.0; 4] };
        }
    }
}

for_vector_unit! {
    fn solve_backward(f: &PentaFactor, x: &mut [[f64; 4]]) = backward_kernel;
}

/// 𝓛ᵀ x = 𝓓⁻¹ y along the chain.
#[inline(always)]
fn backward_kernel<const N: usize, const FUSED: bool>(f: &PentaFactor, x: &mut [[f64; 4]]) {
    let m = f.chain;
    let (pivots, next, second) = (&f.pivots[..m], &f.next[..m], &f.second[..m]);
    let with_border = !f.border.is_empty();
    let (mut x1, mut x2) = ([0.0; 4], [0.0; 4]);
    for i in (0..m).rev() {
        let mut z = pivots[i].scale(x[i]);
        if with_border {
            z = minus_transposed_times::<FUSED>(z, &f.border[i][0], x[f.n - 2]);
            z = minus_transposed_times::<FUSED>(z, &f.border[i][1], x[f.n - 1]);
        }
        if i + 2 < m {
            z = minus_transposed_times::<FUSED>(z, &second[i], x2);
        }
        if i + 1 < m {
            z = minus_transposed_times::<FUSED>(z, &next[i], x1);
        }
        let here = pivots[i].solve_upper::<FUSED>(z);
        x[i] = here;
        (x2, x1) = (x1, here);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reproducible stream of numbers in (−1, 1).
    fn random(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((*seed >> 11) as f64 / (1u64 << 53) as f64) * 2.0 - 1.0
    }

    fn random_matrix(n: usize, closed: bool, seed: &mut u64) -> BlockPenta {
        let mut a = BlockPenta::zero(n, closed);
        for i in 0..n {
            for c in 0..4 {
                for r in 0..4 {
                    a.next[i][c][r] = random(seed);
                    a.second[i][c][r] = random(seed);
                    if r >= c {
                        a.diagonal[i][c][r] = random(seed) + if r == c { 20.0 } else { 0.0 };
                    }
                }
            }
        }
        a
    }

    #[test]
    fn solutions_satisfy_the_equations() {
        let mut seed = 7;
        for closed in [false, true] {
            for n in [1, 2, 3, 4, 5, 6, 7, 8, 20, 101] {
                if closed && n < 3 {
                    continue;
                }
                let a = random_matrix(n, closed, &mut seed);
                let b: Vec<[f64; 4]> = (0..n).map(|_| [(); 4].map(|()| random(&mut seed))).collect();
                let mut x = b.clone();
                let mut factor = PentaFactor::new(n, closed);
                factor.factor(&a).unwrap();
                factor.solve(&mut x);
                let mut product = vec![[0.0; 4]; n];
                a.multiply_add(&x, &mut product);
                let dense = a.to_dense();
                for i in 0..n {
                    for k in 0..4 {
                        assert!((product[i][k] - b[i][k]).abs() < 1e-13, "n {n}, closed {closed}");
                        let row: f64 = (0..4 * n).map(|c| dense[4 * i + k][c] * x[c / 4][c % 4]).sum();
                        assert!((row - b[i][k]).abs() < 1e-13);
                    }
                }
            }
        }
    }

    #[test]
    fn an_indefinite_matrix_is_refused_at_its_node() {
        let mut seed = 3;
        for closed in [false, true] {
            let mut a = random_matrix(12, closed, &mut seed);
            a.diagonal[5][2][2] = -30.0;
            let mut factor = PentaFactor::new(12, closed);
            assert_eq!(factor.factor(&a), Err(NotPositive { node: 5 }));
        }
    }

    #[test]
    fn fixed_rows_are_rows_of_the_identity() {
        let mut seed = 11;
        for closed in [false, true] {
            let n = 9;
            let mut a = random_matrix(n, closed, &mut seed);
            let free = a.to_dense();
            a.fix(0, 1);
            a.fix(8, 2);
            let dense = a.to_dense();
            for r in 0..4 * n {
                for c in 0..4 * n {
                    let fixed = [1, 34].contains(&r) || [1, 34].contains(&c);
                    let expected = if fixed { f64::from(u8::from(r == c)) } else { free[r][c] };
                    assert_eq!(dense[r][c], expected);
                }
            }
        }
    }
}
