//! Key frames: interpolated, smooth as stated, and rejected where invalid.

#![allow(clippy::unwrap_used)]

use glam::{DQuat, DVec3};
use ropewalk_body::{PathInterpolation, Trajectory, TrajectoryError};
use ropewalk_linalg::Pose;
use ropewalk_linalg::pose::{exp_rotation, log_rotation};

fn keys() -> (Vec<f64>, Vec<Pose>) {
    let times = vec![0.5, 0.8, 1.6, 2.0, 3.1];
    let poses = (0..5)
        .map(|i| {
            let x = f64::from(i);
            let turn = DVec3::new((1.7 * x).sin(), 1.2 * x.cos(), 0.6 * x);
            // A sign that must not matter.
            let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
            Pose::new(DVec3::new(x.sin(), 0.3 * x, (2.0 * x).cos()), exp_rotation(turn) * sign)
        })
        .collect();
    (times, poses)
}

fn angle(a: DQuat, b: DQuat) -> f64 {
    log_rotation(a * b.conjugate()).length()
}

/// Velocity and angular velocity, or their derivatives, on one side of `t`: one-sided differences of `h`.
fn one_sided(path: &Trajectory, t: f64, h: f64) -> [[DVec3; 2]; 2] {
    let here = path.pose(t);
    // Coordinates relative to the pose at t.
    let at = |s: f64| {
        let p = path.pose(t + s);
        [p.position - here.position, log_rotation(p.rotation * here.rotation.conjugate())]
    };
    let (a, b, c) = (at(h), at(2.0 * h), at(3.0 * h));
    // Of third and second order.
    let first = [0, 1].map(|k| (18.0 * a[k] - 9.0 * b[k] + 2.0 * c[k]) / (6.0 * h));
    let second = [0, 1].map(|k| (-5.0 * a[k] + 4.0 * b[k] - c[k]) / (h * h));
    [first, second]
}

#[test]
fn key_frames_are_met_and_ends_are_kept() {
    for interpolation in [PathInterpolation::Linear, PathInterpolation::Spline, PathInterpolation::Monotone] {
        let (times, poses) = keys();
        let path = Trajectory::new(times.clone(), poses.clone(), interpolation).unwrap();
        for (t, pose) in times.iter().zip(&poses) {
            assert!((path.pose(*t).position - pose.position).length() < 1e-15);
            assert!(angle(path.pose(*t).rotation, pose.rotation) < 1e-7);
            assert!((path.pose(*t).rotation.length() - 1.0).abs() < 1e-15);
        }
        assert_eq!(path.pose(-7.0), path.pose(0.5));
        assert_eq!(path.pose(9.0), path.pose(3.1));
    }
}

#[test]
fn a_spline_has_two_continuous_derivatives_inside_and_one_at_the_ends() {
    let (times, poses) = keys();
    let path = Trajectory::new(times.clone(), poses, PathInterpolation::Spline).unwrap();
    let (mut greatest, h) = ([0.0f64; 2], 1e-4);
    for (i, t) in times.iter().enumerate() {
        let (before, after) = (one_sided(&path, *t, -h), one_sided(&path, *t, h));
        for k in 0..2 {
            assert!((before[0][k] - after[0][k]).length() < 1e-5, "velocity jumps at {t}");
            greatest[0] = greatest[0].max(after[0][k].length());
            if i > 0 && i < times.len() - 1 {
                let jump = (before[1][k] - after[1][k]).length();
                assert!(jump < 1e-3 * (1.0 + after[1][k].length()), "acceleration jumps by {jump} at {t}");
                greatest[1] = greatest[1].max(after[1][k].length());
            }
        }
    }
    assert!(greatest[0] > 1.0 && greatest[1] > 1.0, "there is motion to speak of");
    assert!(one_sided(&path, 0.5, h)[0][0].length() < 1e-5, "it starts from rest");
    // A linear path is continuous, and its velocity jumps.
    let (times, poses) = keys();
    let path = Trajectory::new(times, poses, PathInterpolation::Linear).unwrap();
    let jump = one_sided(&path, 0.8, -h)[0][0] - one_sided(&path, 0.8, h)[0][0];
    assert!(jump.length() > 0.1);
}

#[test]
fn a_monotone_path_overshoots_no_key_frame() {
    // Up, a dwell, a small step back: what a spline overshoots at both ends of the dwell.
    let heights = [0.0, 0.3, 0.3, 0.28, 0.9, 0.9];
    let times: Vec<f64> = (0..heights.len()).map(|i| i as f64 * 0.5).collect();
    let poses: Vec<Pose> = heights.iter().map(|&z| Pose::at(DVec3::new(-z, 0.0, z))).collect();
    let path = |interpolation| Trajectory::new(times.clone(), poses.clone(), interpolation).unwrap();
    let (smooth, spline) = (path(PathInterpolation::Monotone), path(PathInterpolation::Spline));
    let (mut off, mut spline_off) = (0.0f64, 0.0f64);
    for k in 0..=2500 {
        let t = f64::from(k) * 1e-3;
        let i = times.partition_point(|x| *x <= t).clamp(1, heights.len() - 1);
        let (low, high) = (heights[i - 1].min(heights[i]), heights[i - 1].max(heights[i]));
        let outside = |z: f64| (low - z).max(z - high).max(0.0);
        off = off.max(outside(smooth.pose(t).position.z));
        spline_off = spline_off.max(outside(spline.pose(t).position.z));
    }
    assert!(off < 1e-12, "{off}");
    assert!(spline_off > 0.01, "a spline does: {spline_off}");
    for t in &times {
        let (before, after) = (one_sided(&smooth, *t, -1e-4), one_sided(&smooth, *t, 1e-4));
        assert!((before[0][0] - after[0][0]).length() < 1e-4, "velocity jumps at {t}");
    }
    assert!(one_sided(&smooth, 0.0, 1e-4)[0][0].length() < 1e-4);
}

#[test]
fn linear_motion_is_straight_and_uniform() {
    let from = Pose::new(DVec3::X, exp_rotation(DVec3::new(0.3, 0.1, 0.0)));
    let turn = DVec3::new(0.0, 2.0, 1.0);
    let to = Pose::new(DVec3::new(2.0, 3.0, 4.0), exp_rotation(turn) * from.rotation);
    let path = Trajectory::new(vec![1.0, 3.0], vec![from, to], PathInterpolation::Linear).unwrap();
    for t in [1.0, 1.3, 2.0, 2.9] {
        let base = path.base(t + 0.1, 0.1);
        assert!((base.linear - 0.5 * DVec3::new(1.0, 3.0, 4.0)).length() < 1e-13);
        assert!((base.angular - 0.5 * turn).length() < 1e-13);
        assert_eq!(base.pose, path.pose(t + 0.1));
    }
    assert_eq!(path.base(4.0, 0.1).linear, DVec3::ZERO);
}

#[test]
fn a_spline_through_a_cubic_that_rests_at_both_ends_is_that_cubic() {
    let cubic = |t: f64| Pose::at(DVec3::new(t * t * (3.0 - 2.0 * t), -t * t * (3.0 - 2.0 * t), 1.0));
    let times = vec![0.0, 0.2, 0.5, 0.9, 1.0];
    let poses = times.iter().map(|t| cubic(*t)).collect();
    let path = Trajectory::new(times, poses, PathInterpolation::Spline).unwrap();
    for i in 0..=100 {
        let t = f64::from(i) / 100.0;
        assert!((path.pose(t).position - cubic(t).position).length() < 1e-14);
    }
}

#[test]
fn one_key_frame_stays() {
    for interpolation in [PathInterpolation::Linear, PathInterpolation::Spline] {
        let path = Trajectory::new(vec![1.0], vec![Pose::at(DVec3::X)], interpolation).unwrap();
        assert_eq!(
            (path.pose(0.0), path.pose(1.0), path.pose(2.0)),
            (path.pose(1.0), Pose::at(DVec3::X), path.pose(1.0))
        );
    }
}

#[test]
fn bad_key_frames_are_refused() {
    let pose = Pose::IDENTITY;
    let new = |times: &[f64], poses: &[Pose]| {
        Trajectory::new(times.to_vec(), poses.to_vec(), PathInterpolation::Spline).unwrap_err()
    };
    assert_eq!(new(&[], &[]), TrajectoryError::Empty);
    assert_eq!(new(&[0.0], &[]), TrajectoryError::Lengths { times: 1, poses: 0 });
    assert_eq!(
        new(&[0.0, 2.0, 1.0], &[pose; 3]),
        TrajectoryError::Unsorted { index: 2, time: 1.0, before: 2.0 }
    );
    assert_eq!(new(&[0.0, 0.0], &[pose; 2]), TrajectoryError::Unsorted { index: 1, time: 0.0, before: 0.0 });
    assert_eq!(new(&[0.0, f64::NAN], &[pose; 2]), TrajectoryError::NotFinite { index: 1 });
    assert_eq!(new(&[0.0], &[Pose::at(DVec3::NAN)]), TrajectoryError::NotFinite { index: 0 });
    let zero = Pose::new(DVec3::ZERO, DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0));
    assert_eq!(new(&[0.0], &[zero]), TrajectoryError::NotFinite { index: 0 });
    // Half a turn in no time, then as much in a long time: the curve overshoots.
    let turned = |a: f64| Pose::new(DVec3::ZERO, DQuat::from_rotation_x(a));
    let error = new(&[0.0, 0.01, 5.0], &[turned(0.0), turned(3.1), turned(6.2)]);
    assert!(matches!(error, TrajectoryError::Abrupt { .. }), "{error}");
    assert!(error.to_string().contains("key frame"));
}
