//! Several `f64` side by side.
//!
//! [`Lanes`] is a plain array. `FUSED` says that the code at hand is compiled for a vector unit of this
//! width with fused multiply–add; each operation is then one instruction. Only
//! [`crate::for_vector_unit`] sets it. Elsewhere an operation is a loop.
//!
//! sin, cos and atan are polynomials without branches. Coefficients: Moshier, Cephes library
//! (sin.c, atan.c); the error is below 2 units in the last place for |x| < 1e5.

use crate::real::Real;
use crate::simd;
use core::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// `N` numbers side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Lanes<const N: usize, const FUSED: bool>(pub [f64; N]);

impl<const N: usize, const FUSED: bool> Lanes<N, FUSED> {
    /// The first `N` numbers of `slice`, which must have that many.
    #[inline(always)]
    pub fn load(slice: &[f64]) -> Self {
        let mut out = [0.0; N];
        out.copy_from_slice(&slice[..N]);
        Self(out)
    }
    /// Writes the lanes to the first `N` places of `slice`.
    #[inline(always)]
    pub fn store(self, slice: &mut [f64]) {
        slice[..N].copy_from_slice(&self.0);
    }
    /// The sum of the lanes, from first to last.
    #[inline(always)]
    pub fn sum(self) -> f64 {
        self.0.iter().sum()
    }
    /// The last lane of `before`, then all but the last of `self`.
    #[inline(always)]
    pub fn shifted_from(self, before: Self) -> Self {
        Self(simd::shift_one::<N, FUSED>(before.0, self.0))
    }
    /// Zero in the lanes from `count` on, whatever they hold.
    #[inline(always)]
    pub fn keep_first(self, count: usize) -> Self {
        Self(simd::keep_first::<N, FUSED>(self.0, count))
    }
    /// Calls `out(lane, column)` for every lane with the column of that lane's entries of `rows`.
    #[inline(always)]
    pub fn columns(rows: [Self; 4], out: impl FnMut(usize, [f64; 4])) {
        simd::columns::<N, FUSED>(&rows.map(|r| r.0), out);
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(simd::abs::<N, FUSED>(self.0))
    }
    /// Lane by lane: `a` where `self` < `bound`, else `b`.
    #[inline(always)]
    fn select_less(self, bound: Self, a: Self, b: Self) -> Self {
        Self(simd::select_less::<N, FUSED>(self.0, bound.0, a.0, b.0))
    }
}

macro_rules! elementwise {
    ($trait:ident, $method:ident) => {
        impl<const N: usize, const FUSED: bool> $trait for Lanes<N, FUSED> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, o: Self) -> Self {
                Self(simd::$method::<N, FUSED>(self.0, o.0))
            }
        }
    };
}
elementwise!(Add, add);
elementwise!(Sub, sub);
elementwise!(Mul, mul);
elementwise!(Div, div);

impl<const N: usize, const FUSED: bool> Neg for Lanes<N, FUSED> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(simd::neg::<N, FUSED>(self.0))
    }
}

impl<const N: usize, const FUSED: bool> AddAssign for Lanes<N, FUSED> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl<const N: usize, const FUSED: bool> SubAssign for Lanes<N, FUSED> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

/// π/2 in three parts whose products with whole numbers below 2²⁷ are exact (Cody and Waite).
const HALF_PI: [f64; 3] = [1.570_796_251_296_997, 7.549_789_415_861_596e-8, 5.390_302_858_158_119e-15];

impl<const N: usize, const FUSED: bool> Real for Lanes<N, FUSED> {
    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self([value; N])
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(simd::sqrt::<N, FUSED>(self.0))
    }
    #[inline(always)]
    fn round(self) -> Self {
        Self(simd::round::<N, FUSED>(self.0))
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Self(simd::mul_add::<N, FUSED>(self.0, a.0, b.0))
    }

    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let c = Self::splat;
        // x = k π/2 + r with |r| ≤ π/4.
        let k = (self * c(core::f64::consts::FRAC_2_PI)).round();
        let r = k.mul_add(c(-HALF_PI[0]), self);
        let r = k.mul_add(c(-HALF_PI[1]), r);
        let r = k.mul_add(c(-HALF_PI[2]), r);
        let z = r * r;
        let mut s = c(1.589_623_015_765_465_6e-10);
        for coefficient in [
            -2.505_074_776_285_780_7e-8,
            2.755_731_362_138_572_5e-6,
            -1.984_126_982_958_954e-4,
            8.333_333_333_322_118e-3,
            -1.666_666_666_666_663e-1,
        ] {
            s = s.mul_add(z, c(coefficient));
        }
        let s = (r * z).mul_add(s, r);
        let mut q = c(-1.135_853_652_138_768_2e-11);
        for coefficient in [
            2.087_570_084_197_473e-9,
            -2.755_731_417_929_674e-7,
            2.480_158_728_885_171_7e-5,
            -1.388_888_888_887_305_6e-3,
            4.166_666_666_666_66e-2,
        ] {
            q = q.mul_add(z, c(coefficient));
        }
        let q = (z * z).mul_add(q, c(1.0) - z * c(0.5));
        // Quadrant: k mod 4 in {−1, 0, 1, 2} up to rounding, found with whole numbers in f64.
        let quarter = k - c(4.0) * (k * c(0.25)).round();
        let magnitude = quarter.abs();
        // |k mod 4| = 1 swaps sine and cosine.
        let odd = (magnitude - c(1.0)).abs();
        let sine = odd.select_less(c(0.5), q, s);
        let cosine = odd.select_less(c(0.5), s, q);
        // sin changes sign for k mod 4 in {−1, ±2}, cos for {1, ±2}.
        let half_turn = c(1.5).select_less(magnitude, c(-1.0), c(1.0));
        let sine_sign = (quarter - c(-1.0)).abs().select_less(c(0.5), c(-1.0), half_turn);
        let cosine_sign = (quarter - c(1.0)).abs().select_less(c(0.5), c(-1.0), half_turn);
        (sine * sine_sign, cosine * cosine_sign)
    }

    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        let c = Self::splat;
        let (ay, ax) = (self.abs(), x.abs());
        let small = ay.select_less(ax, ay, ax);
        let large = ay.select_less(ax, ax, ay);
        // w = tan of an angle in [0, π/4]; above tan(π/8) it is turned back by π/4:
        // tan(a − π/4) = (w − 1)/(w + 1), here with the division by `large` put off.
        let above = small - large * c(0.414_213_562_373_095_05);
        let numerator = above.select_less(c(0.0), small, small - large);
        let denominator = above.select_less(c(0.0), large, small + large);
        let offset = above.select_less(c(0.0), c(0.0), c(core::f64::consts::FRAC_PI_4));
        // 0/0 at the origin: the angle of the zero vector is zero.
        let denominator = large.select_less(c(f64::MIN_POSITIVE), c(1.0), denominator);
        let w = numerator / denominator;
        let z = w * w;
        let mut p = c(-8.750_608_600_031_904e-1);
        for coefficient in [
            -1.615_753_718_733_365_2e1,
            -7.500_855_792_314_705e1,
            -1.228_866_684_490_136_2e2,
            -6.485_021_904_942_025e1,
        ] {
            p = p.mul_add(z, c(coefficient));
        }
        let mut q = z + c(2.485_846_490_142_306_2e1);
        for coefficient in [
            1.650_270_098_316_988_5e2,
            4.328_810_604_912_902_5e2,
            4.853_903_996_359_137e2,
            1.945_506_571_482_614e2,
        ] {
            q = q.mul_add(z, c(coefficient));
        }
        let angle = (w * z).mul_add(p / q, w) + offset;
        let angle = ay.select_less(ax, angle, c(core::f64::consts::FRAC_PI_2) - angle);
        let angle = large.select_less(c(f64::MIN_POSITIVE), c(0.0), angle);
        let angle = x.select_less(c(0.0), c(core::f64::consts::PI) - angle, angle);
        Self(simd::with_sign::<N, FUSED>(angle.0, self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    type L = Lanes<4, false>;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 3.0 * f64::EPSILON * b.abs().max(0.25)
    }

    #[test]
    fn sine_and_cosine_agree_with_the_library() {
        for i in -40_000..40_000 {
            let x = i as f64 * 0.0137;
            let (s, c) = L::splat(x).sin_cos();
            assert!(close(s.0[0], x.sin()) && close(c.0[3], x.cos()), "{x}: {} {}", s.0[0], c.0[3]);
        }
    }

    #[test]
    fn arc_tangent_agrees_with_the_library_in_every_quadrant() {
        for i in 0..20_000 {
            let a = (i as f64 - 10_000.0) * 3.141e-4;
            for r in [1e-8, 1.0, 1e6] {
                let (s, c) = a.sin_cos();
                let got = L::splat(r * s).atan2(L::splat(r * c)).0[1];
                assert!(close(got, (r * s).atan2(r * c)), "{a} {r}: {got}");
            }
        }
        assert_eq!(L::splat(0.0).atan2(L::splat(0.0)).0[0], 0.0);
        assert_eq!(L::splat(0.0).atan2(L::splat(-1.0)).0[0], core::f64::consts::PI);
        assert!(L::splat(f64::NAN).atan2(L::splat(1.0)).0[0].is_nan());
    }
}
