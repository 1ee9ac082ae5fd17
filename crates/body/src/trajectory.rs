//! Poses through key frames.
//!
//! | interpolation | position | rotation | continuity inside | at the ends |
//! |---|---|---|---|---|
//! | linear | straight lines | about one axis at constant speed, by the shorter way | value | value |
//! | spline | cubic spline | cubic spline of quaternions, made unit | second derivative | first derivative |
//! | monotone | cubics that overshoot no key frame, coordinate by coordinate | the same of quaternions, made unit | first derivative | first derivative |
//!
//! Before the first key frame and after the last the pose stays. The spline starts and ends at rest (see the module
//! `spline`). For rotations the four components of the quaternions are splined, each with the sign nearer to the
//! previous one, and the result is normalized: a curve that is smooth in four dimensions and away from zero is smooth
//! as a rotation, and rotating all key frames rotates the whole curve. Key frames so uneven that the curve comes near
//! zero, or strays far from unit length, are rejected.

use crate::base::Base;
use crate::spline::CubicSpline;
use glam::DQuat;
use ropewalk_linalg::Pose;
use ropewalk_linalg::pose::{exp_rotation, log_rotation};
use thiserror::Error;

/// Bounds on the length of the splined quaternion: near zero the rotation becomes abrupt, far out it overshoots.
const QUATERNION_LENGTHS: [f64; 2] = [0.3, 2.0];

/// Interpolation between key frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PathInterpolation {
    /// Straight and at constant speed.
    #[default]
    Linear,
    /// Smoothly, from rest to rest.
    Spline,
    /// Smoothly, from rest to rest, and without overshooting a key frame.
    Monotone,
}

/// Why key frames are invalid.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum TrajectoryError {
    /// No key frame.
    #[error("a trajectory needs at least one key frame")]
    Empty,
    /// Different numbers of times and poses.
    #[error("there are {times} times but {poses} poses; each key frame needs both")]
    Lengths {
        /// Times.
        times: usize,
        /// Poses.
        poses: usize,
    },
    /// A number is not finite, or a quaternion zero.
    #[error("key frame {index}: time, position and rotation must be finite and the quaternion not zero")]
    NotFinite {
        /// Which.
        index: usize,
    },
    /// Times do not increase.
    #[error(
        "key frame {index} is at {time} s, but the one before at {before} s; sort key frames by time and keep one of those with equal times"
    )]
    Unsorted {
        /// The later one.
        index: usize,
        /// Its time in s.
        time: f64,
        /// The time before it in s.
        before: f64,
    },
    /// Rotations are too far apart for a spline.
    #[error(
        "rotations change too much between key frames {index} and {} for a smooth curve; put a key frame between them, or use linear interpolation",
        index + 1
    )]
    Abrupt {
        /// The first of the two.
        index: usize,
    },
}

/// A pose that changes with time.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    times: Vec<f64>,
    poses: Vec<Pose>,
    splines: Option<(CubicSpline<3>, CubicSpline<4>)>,
}

impl Trajectory {
    /// Through `poses` at `times` (s), which must increase.
    pub fn new(
        times: Vec<f64>,
        mut poses: Vec<Pose>,
        interpolation: PathInterpolation,
    ) -> Result<Self, TrajectoryError> {
        if times.len() != poses.len() {
            return Err(TrajectoryError::Lengths { times: times.len(), poses: poses.len() });
        }
        if times.is_empty() {
            return Err(TrajectoryError::Empty);
        }
        for (index, (time, pose)) in times.iter().zip(&mut poses).enumerate() {
            if !(time.is_finite() && pose.is_finite() && pose.rotation.length_squared() > 1e-12) {
                return Err(TrajectoryError::NotFinite { index });
            }
            pose.rotation = pose.rotation.normalize();
        }
        for index in 1..times.len() {
            if times[index] <= times[index - 1] {
                return Err(TrajectoryError::Unsorted {
                    index,
                    time: times[index],
                    before: times[index - 1],
                });
            }
            if poses[index].rotation.dot(poses[index - 1].rotation) < 0.0 {
                poses[index].rotation = -poses[index].rotation;
            }
        }
        let splines = (interpolation != PathInterpolation::Linear).then(|| {
            let positions = poses.iter().map(|p| p.position.to_array()).collect();
            let rotations = poses.iter().map(|p| p.rotation.to_array()).collect();
            match interpolation {
                PathInterpolation::Monotone => {
                    (CubicSpline::monotone(&times, positions), CubicSpline::monotone(&times, rotations))
                }
                _ => (CubicSpline::new(&times, positions), CubicSpline::new(&times, rotations)),
            }
        });
        if let Some((_, rotations)) = &splines {
            for index in 0..times.len() - 1 {
                // A cubic has at most two turning points; 32 samples detect any relevant bulge.
                let h = times[index + 1] - times[index];
                let mut lengths = (1..32)
                    .map(|k| DQuat::from_array(rotations.value(index, h, f64::from(k) / 32.0)).length());
                if lengths.any(|x| !(QUATERNION_LENGTHS[0]..=QUATERNION_LENGTHS[1]).contains(&x)) {
                    return Err(TrajectoryError::Abrupt { index });
                }
            }
        }
        Ok(Self { times, poses, splines })
    }

    /// Times of the key frames in s.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The pose at `t` (s).
    pub fn pose(&self, t: f64) -> Pose {
        let after = self.times.partition_point(|x| *x <= t);
        if after == 0 {
            return self.poses[0];
        }
        let i = after - 1;
        if after == self.times.len() {
            return self.poses[i];
        }
        let h = self.times[after] - self.times[i];
        let s = (t - self.times[i]) / h;
        match &self.splines {
            Some((positions, rotations)) => Pose::new(
                positions.value(i, h, s).into(),
                DQuat::from_array(rotations.value(i, h, s)).normalize(),
            ),
            None => {
                let (from, to) = (&self.poses[i], &self.poses[after]);
                let turn = log_rotation(to.rotation * from.rotation.conjugate());
                Pose::new(from.position.lerp(to.position, s), exp_rotation(s * turn) * from.rotation)
            }
        }
    }

    /// A base that follows the trajectory: its pose at `t` (s), and its mean velocity over the `dt` (s) before.
    pub fn base(&self, t: f64, dt: f64) -> Base {
        Base::moved(&self.pose(t - dt), &self.pose(t), dt)
    }
}
