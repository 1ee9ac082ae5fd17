//! The base of a tree: the frame in which its root joint is placed.

use glam::DVec3;
use ropewalk_linalg::Pose;
use ropewalk_linalg::pose::{exp_rotation, log_rotation};

/// World motion of a base: the ground, a moving platform, or a kinematic body, which is a tree whose only
/// link is welded to its base.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Base {
    /// Its pose in the world.
    pub pose: Pose,
    /// Velocity of its origin in m/s, world axes.
    pub linear: DVec3,
    /// Angular velocity in rad/s, world axes.
    pub angular: DVec3,
}

impl Base {
    /// At rest at `pose`.
    pub fn at(pose: Pose) -> Self {
        Self { pose, ..Self::default() }
    }

    /// At `to`, with the mean velocity of the motion there from `from` within `dt` (s): the difference quotient of
    /// positions, and the rotation vector from one to the other over `dt`. At rest where `dt` is zero.
    pub fn moved(from: &Pose, to: &Pose, dt: f64) -> Self {
        if dt == 0.0 {
            return Self::at(*to);
        }
        Self {
            pose: *to,
            linear: (to.position - from.position) / dt,
            angular: log_rotation(to.rotation * from.rotation.conjugate()) / dt,
        }
    }
}

/// The pose half way between two: mean position, half of the rotation.
pub fn middle(from: &Pose, to: &Pose) -> Pose {
    let turn = log_rotation(to.rotation * from.rotation.conjugate());
    Pose::new(0.5 * (from.position + to.position), exp_rotation(0.5 * turn) * from.rotation)
}
