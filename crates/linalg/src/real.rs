//! One trait for everything a kernel computes with: `f64`, lanes of `f64`, hyper-dual numbers.

use core::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// A real number, or several of them side by side.
///
/// Kernels written against this trait serve the scalar path, the vector path and the derivative
/// checks with one source.
pub trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
{
    /// The same constant in every lane.
    fn splat(value: f64) -> Self;
    /// √self.
    fn sqrt(self) -> Self;
    /// (sin self, cos self), self in radians.
    fn sin_cos(self) -> (Self, Self);
    /// The angle of the point (x, y) = (`x`, `self`), in (−π, π].
    fn atan2(self, x: Self) -> Self;
    /// The nearest whole number, ties to even; its derivative is zero.
    fn round(self) -> Self;
    /// self·a + b, fused where the machine does that at no cost.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// 1/self.
    #[inline(always)]
    fn recip(self) -> Self {
        Self::splat(1.0) / self
    }
    /// Zero in every lane.
    #[inline(always)]
    fn zero() -> Self {
        Self::splat(0.0)
    }
}

impl Real for f64 {
    #[inline(always)]
    fn splat(value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        f64::sin_cos(self)
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        f64::atan2(self, x)
    }
    #[inline(always)]
    fn round(self) -> Self {
        self.round_ties_even()
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        // Not fused: without the instruction `f64::mul_add` is a library call.
        self * a + b
    }
}

#[cfg(feature = "autodiff")]
mod hyper_dual {
    use super::Real;
    use num_dual::{DualNum, HyperDual64};

    impl Real for HyperDual64 {
        fn splat(value: f64) -> Self {
            HyperDual64::from_re(value)
        }
        fn sqrt(self) -> Self {
            DualNum::sqrt(&self)
        }
        fn sin_cos(self) -> (Self, Self) {
            DualNum::sin_cos(&self)
        }
        fn atan2(self, x: Self) -> Self {
            DualNum::atan2(&self, x)
        }
        fn round(self) -> Self {
            HyperDual64::from_re(self.re.round_ties_even())
        }
        fn mul_add(self, a: Self, b: Self) -> Self {
            self * a + b
        }
    }
}
