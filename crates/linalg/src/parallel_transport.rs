//! Parallel transport, signed angles and orthonormal frames.
//!
//! Parallel transport from a unit vector t to another t' is the smallest rotation that carries t to
//! t'. It is undefined where t' = −t; callers keep 1 + t·t' away from zero.
//!
//! | symbol | name | meaning |
//! |---|---|---|
//! | t, t' | `from`, `to` | unit tangents |
//! | P(t→t') d | [`transport`] | d carried along, for d ⟂ t |

use crate::real::Real;
use crate::vec3::V3;
use glam::DVec3;

/// P(`from` → `to`) `d` for unit tangents and `d` perpendicular to `from`:
/// d − (d·t')/(1 + t·t') (t + t').
#[inline(always)]
pub fn transport<R: Real>(d: V3<R>, from: V3<R>, to: V3<R>) -> V3<R> {
    let chi = from.dot(to) + R::splat(1.0);
    (from + to).scale_add(-(d.dot(to) / chi), d)
}

/// The part of `d` perpendicular to the unit vector `t`, made a unit vector.
#[inline(always)]
pub fn orthonormalize<R: Real>(d: V3<R>, t: V3<R>) -> V3<R> {
    let perpendicular = t.scale_add(-d.dot(t), d);
    perpendicular * perpendicular.norm_squared().sqrt().recip()
}

/// The angle from `a` to `b` about the unit axis `t`, in (−π, π].
#[inline(always)]
pub fn signed_angle<R: Real>(a: V3<R>, b: V3<R>, t: V3<R>) -> R {
    a.cross(b).dot(t).atan2(a.dot(b))
}

/// `angle` + 2πk, on the branch nearest to `near`.
#[inline(always)]
pub fn unwrap_angle<R: Real>(angle: R, near: R) -> R {
    let turn = R::splat(core::f64::consts::TAU);
    turn.mul_add(((near - angle) * R::splat(1.0 / core::f64::consts::TAU)).round(), angle)
}

/// Some unit vector perpendicular to the unit vector `t`: the coordinate axis least aligned with it,
/// made perpendicular. The same `t` gives the same result.
pub fn any_perpendicular(t: DVec3) -> DVec3 {
    let a = t.abs();
    let axis = if a.x <= a.y && a.x <= a.z {
        DVec3::X
    } else if a.y <= a.z {
        DVec3::Y
    } else {
        DVec3::Z
    };
    (axis - t * axis.dot(t)).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transport_is_a_rotation_that_carries_the_tangent() {
        let t = DVec3::new(0.3, -0.5, 0.81).normalize();
        let u = DVec3::new(-0.2, 0.9, 0.1).normalize();
        let d = any_perpendicular(t);
        let moved: DVec3 = transport(V3::from(d), t.into(), u.into()).into();
        assert!((moved.length() - 1.0).abs() < 1e-15);
        assert!(moved.dot(u).abs() < 1e-15);
        // The component along the rotation axis stays.
        let axis = t.cross(u);
        assert!((moved.dot(axis) - d.dot(axis)).abs() < 1e-15);
    }

    #[test]
    fn angles_unwrap_to_the_nearest_branch() {
        let tau = core::f64::consts::TAU;
        assert!((unwrap_angle(0.1, 3.0 * tau) - (0.1 + 3.0 * tau)).abs() < 1e-12);
        assert!((unwrap_angle(3.0, -3.2) - (3.0 - tau)).abs() < 1e-12);
    }
}
