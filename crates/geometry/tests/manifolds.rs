//! Contact manifolds of bodies that lie on one another.

#![allow(clippy::unwrap_used)]

use glam::{DQuat, DVec3};
use ropewalk_geometry::{Collider, ManifoldPoints, Shape, manifold};
use ropewalk_linalg::Pose;

/// A box that lies across a cylinder touches it along a line: it has two points, at the sides of the box, as its tilt
/// goes through zero. (With a tilt of 1e-3 only the lower one was found, and the box rocked forever.)
#[test]
fn a_box_across_a_cylinder_has_two_points_whatever_its_tilt() {
    let (width, radius) = (0.1, 0.02);
    let upper = Collider::new(&Shape::Box { size: DVec3::new(0.2, width, 0.04) }).unwrap();
    let lower = Collider::new(&Shape::Cylinder { radius, length: 0.3 }).unwrap();
    // Along y.
    let lying = Pose::new(DVec3::ZERO, DQuat::from_rotation_x(core::f64::consts::FRAC_PI_2));
    for tilt in [-1e-2, -1e-3, -1e-5, -1e-9, 0.0, 1e-9, 1e-5, 1e-3, 1e-2] {
        let pose = Pose::new(DVec3::new(0.0, 0.0, 0.04), DQuat::from_rotation_x(tilt));
        for swapped in [false, true] {
            let mut found = ManifoldPoints::default();
            let reach = 0.1 * width;
            if swapped {
                manifold(&lower, &lying, &upper, &pose, reach, &mut found).unwrap();
            } else {
                manifold(&upper, &pose, &lower, &lying, reach, &mut found).unwrap();
            }
            let mut points: Vec<_> = found.points().to_vec();
            points.sort_by(|a, b| a.point.y.total_cmp(&b.point.y));
            assert_eq!(points.len(), 2, "tilt {tilt:e}, swapped {swapped}: {points:?}");
            // A box that leans moves its foot by its height.
            let slack = 1e-9 + 0.04 * tilt.abs();
            for (point, side) in points.iter().zip([-1.0, 1.0]) {
                assert!((point.point.y - 0.5 * side * width).abs() < slack, "tilt {tilt:e}: {point:?}");
                let gap = 0.5 * side * width * f64::sin(tilt);
                assert!(
                    (point.gap - gap).abs() < 1e-2 * gap.abs() + 1e-5 * radius,
                    "tilt {tilt:e}: {point:?}"
                );
            }
        }
    }
}
