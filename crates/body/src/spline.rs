//! Cubic splines through values at given times.
//!
//! Between t_i and t_{i+1} = t_i + h_i the curve is the cubic with the values y and slopes s of both ends. Slopes are
//! such that the second derivative is continuous,
//!
//! s_{i−1}/h_{i−1} + 2 (1/h_{i−1} + 1/h_i) s_i + s_{i+1}/h_i = 3 (y_i − y_{i−1})/h²_{i−1} + 3 (y_{i+1} − y_i)/h²_i,
//!
//! and zero at both ends, where the curve comes from rest and goes to rest: two continuous derivatives inside, one
//! where it joins the constant before and after.
//!
//! A *monotone* curve has slopes that keep it between neighboring values instead: zero where the values have an
//! extremum, else the weighted harmonic mean of the slopes d of the chords on both sides,
//!
//! s_i = (w₁ + w₂)/(w₁/d_{i−1} + w₂/d_i), w₁ = 2 h_i + h_{i−1}, w₂ = h_i + 2 h_{i−1},
//!
//! with one continuous derivative. It never overshoots a key. Source: Fritsch and Butland, A method for constructing
//! local monotone piecewise cubic interpolants, SIAM J. Sci. Stat. Comput. 5 (1984).
//!
//! Source: de Boor, A Practical Guide to Splines (2001), chapter IV (complete spline).

/// A cubic spline of N components.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CubicSpline<const N: usize> {
    values: Vec<[f64; N]>,
    slopes: Vec<[f64; N]>,
}

impl<const N: usize> CubicSpline<N> {
    /// Through `values` at `times`, which increase.
    pub(crate) fn new(times: &[f64], values: Vec<[f64; N]>) -> Self {
        let n = values.len();
        let mut slopes = vec![[0.0; N]; n];
        // Thomas' elimination of the tridiagonal system; the matrix is diagonally dominant.
        let mut upper = vec![0.0; n];
        for i in 1..n.saturating_sub(1) {
            let (before, after) = (1.0 / (times[i] - times[i - 1]), 1.0 / (times[i + 1] - times[i]));
            // The first unknown has no neighbor before it: the slope at the end is zero.
            let (below, carried) = if i == 1 { (0.0, 0.0) } else { (before, upper[i - 1]) };
            let pivot = 2.0 * (before + after) - below * carried;
            upper[i] = after / pivot;
            for c in 0..N {
                let right = 3.0
                    * ((values[i][c] - values[i - 1][c]) * before * before
                        + (values[i + 1][c] - values[i][c]) * after * after);
                slopes[i][c] = (right - below * slopes[i - 1][c]) / pivot;
            }
        }
        for i in (1..n.saturating_sub(2)).rev() {
            for c in 0..N {
                slopes[i][c] -= upper[i] * slopes[i + 1][c];
            }
        }
        Self { values, slopes }
    }

    /// Through `values` at `times`, without overshooting any of them.
    pub(crate) fn monotone(times: &[f64], values: Vec<[f64; N]>) -> Self {
        let n = values.len();
        let mut slopes = vec![[0.0; N]; n];
        for i in 1..n.saturating_sub(1) {
            let (before, after) = (times[i] - times[i - 1], times[i + 1] - times[i]);
            let (w1, w2) = (2.0 * after + before, after + 2.0 * before);
            for c in 0..N {
                let a = (values[i][c] - values[i - 1][c]) / before;
                let b = (values[i + 1][c] - values[i][c]) / after;
                if a * b > 0.0 {
                    slopes[i][c] = (w1 + w2) / (w1 / a + w2 / b);
                }
            }
        }
        Self { values, slopes }
    }

    /// The value in interval `i`, which is `h` long, at the fraction `s` of it.
    pub(crate) fn value(&self, i: usize, h: f64, s: f64) -> [f64; N] {
        let (y0, y1) = (&self.values[i], &self.values[i + 1]);
        let (m0, m1) = (&self.slopes[i], &self.slopes[i + 1]);
        let (a, b) = (s * s * (3.0 - 2.0 * s), s * (1.0 - s));
        let mut out = [0.0; N];
        for c in 0..N {
            out[c] = y0[c] + a * (y1[c] - y0[c]) + h * b * ((1.0 - s) * m0[c] - s * m1[c]);
        }
        out
    }
}
