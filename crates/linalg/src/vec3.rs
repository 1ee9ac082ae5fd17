//! Three-vectors over any [`Real`], for kernels. Public interfaces use `glam::DVec3`.

use crate::real::Real;
use core::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};
use glam::DVec3;

/// A three-vector.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct V3<R> {
    /// First component.
    pub x: R,
    /// Second component.
    pub y: R,
    /// Third component.
    pub z: R,
}

impl<R: Real> V3<R> {
    /// A vector from its components.
    #[inline(always)]
    pub fn new(x: R, y: R, z: R) -> Self {
        Self { x, y, z }
    }
    /// The zero vector.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::new(R::zero(), R::zero(), R::zero())
    }
    /// a·b.
    #[inline(always)]
    pub fn dot(self, other: Self) -> R {
        self.z.mul_add(other.z, self.y.mul_add(other.y, self.x * other.x))
    }
    /// a × b.
    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        Self::new(
            self.y.mul_add(other.z, -(self.z * other.y)),
            self.z.mul_add(other.x, -(self.x * other.z)),
            self.x.mul_add(other.y, -(self.y * other.x)),
        )
    }
    /// |a|².
    #[inline(always)]
    pub fn norm_squared(self) -> R {
        self.dot(self)
    }
    /// |a|.
    #[inline(always)]
    pub fn norm(self) -> R {
        self.norm_squared().sqrt()
    }
    /// self·s + other.
    #[inline(always)]
    pub fn scale_add(self, s: R, other: Self) -> Self {
        Self::new(self.x.mul_add(s, other.x), self.y.mul_add(s, other.y), self.z.mul_add(s, other.z))
    }
    /// The components in order.
    #[inline(always)]
    pub fn to_array(self) -> [R; 3] {
        [self.x, self.y, self.z]
    }
    /// A vector from its components in order.
    #[inline(always)]
    pub fn from_array(a: [R; 3]) -> Self {
        Self::new(a[0], a[1], a[2])
    }
    /// The same vector with constant components.
    #[inline(always)]
    pub fn splat(v: DVec3) -> Self {
        Self::new(R::splat(v.x), R::splat(v.y), R::splat(v.z))
    }
}

impl<R: Real> Add for V3<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self::new(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}

impl<R: Real> Sub for V3<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self::new(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}

impl<R: Real> Neg for V3<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y, -self.z)
    }
}

impl<R: Real> Mul<R> for V3<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: R) -> Self {
        Self::new(self.x * s, self.y * s, self.z * s)
    }
}

impl<R: Real> AddAssign for V3<R> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl<R: Real> SubAssign for V3<R> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

impl From<V3<f64>> for DVec3 {
    fn from(v: V3<f64>) -> Self {
        DVec3::new(v.x, v.y, v.z)
    }
}

impl From<DVec3> for V3<f64> {
    fn from(v: DVec3) -> Self {
        V3::new(v.x, v.y, v.z)
    }
}
