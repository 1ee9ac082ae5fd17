//! 4×4 blocks, by columns: `block[column][row]`.
//!
//! A rod's node has four degrees of freedom, so its matrices are made of these. Columns are four `f64` in a
//! row: one register of four lanes. `FUSED` says whether multiply–add is fused; see [`crate::lanes`].

/// A 4×4 block: `block[column][row]`.
pub type Block = [[f64; 4]; 4];

/// The zero block.
pub const ZERO: Block = [[0.0; 4]; 4];

/// a·b + c.
#[inline(always)]
pub fn fma<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// y − x s, for columns.
#[inline(always)]
pub fn column_minus<const FUSED: bool>(y: [f64; 4], x: [f64; 4], s: f64) -> [f64; 4] {
    let mut out = [0.0; 4];
    for r in 0..4 {
        out[r] = fma::<FUSED>(-x[r], s, y[r]);
    }
    out
}

/// C − X Yᵀ.
#[inline(always)]
pub fn minus_product_transposed<const FUSED: bool>(mut c: Block, x: &Block, y: &Block) -> Block {
    for j in 0..4 {
        for k in 0..4 {
            c[j] = column_minus::<FUSED>(c[j], x[k], y[k][j]);
        }
    }
    c
}

/// y − X s.
#[inline(always)]
pub fn minus_times<const FUSED: bool>(mut y: [f64; 4], x: &Block, s: [f64; 4]) -> [f64; 4] {
    for k in 0..4 {
        y = column_minus::<FUSED>(y, x[k], s[k]);
    }
    y
}

/// y − Xᵀ s.
#[inline(always)]
pub fn minus_transposed_times<const FUSED: bool>(y: [f64; 4], x: &Block, s: [f64; 4]) -> [f64; 4] {
    let mut out = y;
    for r in 0..4 {
        // Row r of the block against s, for all four columns at once.
        for k in 0..4 {
            out[k] = fma::<FUSED>(-x[k][r], s[r], out[k]);
        }
    }
    out
}

/// A = L D Lᵀ of a positive definite block: L unit lower triangular, D diagonal.
#[derive(Clone, Copy, Debug)]
pub struct Pivot {
    /// Below the diagonal of L: (10, 20, 30, 21, 31, 32).
    pub lower: [f64; 6],
    /// 1/D.
    pub inverse: [f64; 4],
}

/// A pivot below this fraction of its original diagonal entry counts as not positive: it is round-off.
const RELATIVE_PIVOT: f64 = 1e-15;

/// Factors the lower triangle of `a`; `None` if it is not positive definite. `scale` holds the diagonal before
/// anything was subtracted from it.
#[inline(always)]
pub fn factor<const FUSED: bool>(a: &Block, scale: [f64; 4]) -> Option<Pivot> {
    let d0 = a[0][0];
    let i0 = 1.0 / d0;
    let (l10, l20, l30) = (a[0][1] * i0, a[0][2] * i0, a[0][3] * i0);
    let d1 = fma::<FUSED>(-l10, a[0][1], a[1][1]);
    let a21 = fma::<FUSED>(-l20, a[0][1], a[1][2]);
    let a31 = fma::<FUSED>(-l30, a[0][1], a[1][3]);
    let a22 = fma::<FUSED>(-l20, a[0][2], a[2][2]);
    let a32 = fma::<FUSED>(-l30, a[0][2], a[2][3]);
    let a33 = fma::<FUSED>(-l30, a[0][3], a[3][3]);
    let i1 = 1.0 / d1;
    let (l21, l31) = (a21 * i1, a31 * i1);
    let d2 = fma::<FUSED>(-l21, a21, a22);
    let a32 = fma::<FUSED>(-l31, a21, a32);
    let a33 = fma::<FUSED>(-l31, a31, a33);
    let i2 = 1.0 / d2;
    let l32 = a32 * i2;
    let d3 = fma::<FUSED>(-l32, a32, a33);
    let i3 = 1.0 / d3;
    let positive = d0 > RELATIVE_PIVOT * scale[0]
        && d1 > RELATIVE_PIVOT * scale[1]
        && d2 > RELATIVE_PIVOT * scale[2]
        && d3 > RELATIVE_PIVOT * scale[3]
        && (d0 + d1 + d2 + d3).is_finite();
    positive.then_some(Pivot { lower: [l10, l20, l30, l21, l31, l32], inverse: [i0, i1, i2, i3] })
}

impl Pivot {
    /// Y = B L⁻ᵀ, that is Y Lᵀ = B.
    #[inline(always)]
    pub fn solve_right<const FUSED: bool>(&self, b: &Block) -> Block {
        let [l10, l20, l30, l21, l31, l32] = self.lower;
        let y0 = b[0];
        let y1 = column_minus::<FUSED>(b[1], y0, l10);
        let y2 = column_minus::<FUSED>(column_minus::<FUSED>(b[2], y0, l20), y1, l21);
        let y3 = column_minus::<FUSED>(
            column_minus::<FUSED>(column_minus::<FUSED>(b[3], y0, l30), y1, l31),
            y2,
            l32,
        );
        [y0, y1, y2, y3]
    }
    /// X = Y D⁻¹.
    #[inline(always)]
    pub fn scale_columns(&self, y: &Block) -> Block {
        let mut x = *y;
        for k in 0..4 {
            for r in 0..4 {
                x[k][r] *= self.inverse[k];
            }
        }
        x
    }
    /// y with L y = b.
    #[inline(always)]
    pub fn solve_lower<const FUSED: bool>(&self, b: [f64; 4]) -> [f64; 4] {
        let [l10, l20, l30, l21, l31, l32] = self.lower;
        let y0 = b[0];
        let y1 = fma::<FUSED>(-l10, y0, b[1]);
        let y2 = fma::<FUSED>(-l21, y1, fma::<FUSED>(-l20, y0, b[2]));
        let y3 = fma::<FUSED>(-l32, y2, fma::<FUSED>(-l31, y1, fma::<FUSED>(-l30, y0, b[3])));
        [y0, y1, y2, y3]
    }
    /// x with Lᵀ x = b.
    #[inline(always)]
    pub fn solve_upper<const FUSED: bool>(&self, b: [f64; 4]) -> [f64; 4] {
        let [l10, l20, l30, l21, l31, l32] = self.lower;
        let x3 = b[3];
        let x2 = fma::<FUSED>(-l32, x3, b[2]);
        let x1 = fma::<FUSED>(-l31, x3, fma::<FUSED>(-l21, x2, b[1]));
        let x0 = fma::<FUSED>(-l30, x3, fma::<FUSED>(-l20, x2, fma::<FUSED>(-l10, x1, b[0])));
        [x0, x1, x2, x3]
    }
    /// D⁻¹ y.
    #[inline(always)]
    pub fn scale(&self, y: [f64; 4]) -> [f64; 4] {
        let mut z = y;
        for k in 0..4 {
            z[k] *= self.inverse[k];
        }
        z
    }
}
