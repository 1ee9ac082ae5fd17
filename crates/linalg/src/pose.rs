//! Poses of frames: a rotation and a position.
//!
//! A pose X_AB places frame B in frame A: p_A = R p_B + x. Compose with `*`: X_AC = X_AB * X_BC.

use glam::{DMat3, DQuat, DVec3};

/// Where a frame is in another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Origin of the frame, in m.
    pub position: DVec3,
    /// Rotation from the frame's axes to those in which it is placed; a unit quaternion.
    pub rotation: DQuat,
}

impl Pose {
    /// The frame itself.
    pub const IDENTITY: Self = Self { position: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// A pose from its parts.
    pub const fn new(position: DVec3, rotation: DQuat) -> Self {
        Self { position, rotation }
    }

    /// A displacement without rotation.
    pub const fn at(position: DVec3) -> Self {
        Self { position, rotation: DQuat::IDENTITY }
    }

    /// A point of the frame, given in its axes.
    pub fn point(&self, p: DVec3) -> DVec3 {
        self.position + self.rotation * p
    }

    /// A direction of the frame, given in its axes.
    pub fn vector(&self, v: DVec3) -> DVec3 {
        self.rotation * v
    }

    /// The inverse of [`Self::point`].
    pub fn local_point(&self, p: DVec3) -> DVec3 {
        self.rotation.conjugate() * (p - self.position)
    }

    /// The inverse of [`Self::vector`].
    pub fn local_vector(&self, v: DVec3) -> DVec3 {
        self.rotation.conjugate() * v
    }

    /// The outer frame as seen from this one.
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.conjugate();
        Self { position: -(rotation * self.position), rotation }
    }

    /// The rotation as a matrix; its columns are the frame's axes.
    pub fn matrix(&self) -> DMat3 {
        DMat3::from_quat(self.rotation)
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.position.is_finite() && self.rotation.is_finite()
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl core::ops::Mul for Pose {
    type Output = Self;
    fn mul(self, inner: Self) -> Self {
        Self { position: self.point(inner.position), rotation: self.rotation * inner.rotation }
    }
}

/// The rotation by the vector `w` (rad).
pub fn exp_rotation(w: DVec3) -> DQuat {
    let angle = w.length();
    // sin(θ/2)/θ, by its series where θ is small.
    let s = if angle < 1e-4 { 0.5 - angle * angle / 48.0 } else { (0.5 * angle).sin() / angle };
    DQuat::from_xyzw(s * w.x, s * w.y, s * w.z, (0.5 * angle).cos()).normalize()
}

/// The vector (rad, at most π long) of a rotation: the inverse of [`exp_rotation`].
pub fn log_rotation(r: DQuat) -> DVec3 {
    let r = if r.w < 0.0 { -r } else { r };
    let v = DVec3::new(r.x, r.y, r.z);
    let s = v.length();
    // θ/sin(θ/2) with θ = 2 atan2(s, w).
    let factor = if s < 1e-4 { 2.0 / r.w * (1.0 - (s / r.w).powi(2) / 3.0) } else { 2.0 * s.atan2(r.w) / s };
    factor * v
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_and_logarithm_are_inverse() {
        for size in [0.0, 1e-12, 1e-5, 9.9e-5, 1.1e-4, 1e-3, 0.5, 3.1] {
            let w = DVec3::new(0.36, -0.48, 0.8) * size;
            assert!((log_rotation(exp_rotation(w)) - w).length() <= 4e-16 + 1e-14 * size);
            assert!((log_rotation(-exp_rotation(w)) - w).length() <= 4e-16 + 1e-14 * size);
        }
    }

    #[test]
    fn a_pose_and_its_inverse_cancel() {
        let a = Pose::new(DVec3::new(1.0, -2.0, 0.5), exp_rotation(DVec3::new(0.3, 1.2, -0.7)));
        let p = DVec3::new(0.2, 0.4, -0.9);
        assert!((a.local_point(a.point(p)) - p).length() < 1e-15);
        assert!(((a * a.inverse()).point(p) - p).length() < 1e-15);
        assert!((a.inverse().vector(p) - a.local_vector(p)).length() < 1e-15);
    }
}
