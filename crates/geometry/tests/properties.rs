//! Properties that hold for every pair: invariance, the normal as a gradient, no NaN and no panic for any input.
#![allow(clippy::unwrap_used)]

mod common;

use common::{KINDS, Random, RandomPose, brute_force, certificate, shape};
use glam::DVec3;
use proptest::prelude::*;
use ropewalk_geometry::{Collider, ManifoldPoints, Shape, distance, manifold};
use ropewalk_linalg::Pose;

fn pairs() -> impl Iterator<Item = (&'static str, &'static str)> {
    KINDS
        .iter()
        .flat_map(|a| KINDS.iter().map(move |b| (*a, *b)))
        .filter(|p| *p != ("half_space", "half_space"))
}

#[test]
fn rigid_motion_changes_nothing() {
    let mut random = Random(11);
    for (ka, kb) in pairs() {
        for case in 0..60 {
            let [a, b] = [ka, kb].map(|k| Collider::new(&shape(k, &mut random, 0.02, 0.4)).unwrap());
            let apart = [0.05, 0.2, 0.5][case % 3];
            let (pa, pb, motion) = (random.pose(apart), random.pose(apart), random.pose(3.0));
            let here = distance(&a, &pa, &b, &pb).unwrap();
            let there = distance(&a, &(motion * pa), &b, &(motion * pb)).unwrap();
            assert!((here.distance - there.distance).abs() < 1e-13, "{ka}-{kb} {here:?} {there:?}");
            let turned = motion.vector(here.normal_ba);
            assert!((turned - there.normal_ba).length() < 1e-7, "{ka}-{kb} {here:?} {there:?}");
        }
    }
}

/// Displacing A by δ changes the distance by n·δ. Poses where the normal is not unique (a deep overlap with two ways
/// out of the same length) are not hit by random ones.
#[test]
fn the_normal_is_the_gradient_of_the_distance() {
    let mut random = Random(12);
    let mut skipped = 0;
    for (ka, kb) in pairs() {
        for case in 0..60 {
            let [a, b] = [ka, kb].map(|k| Collider::new(&shape(k, &mut random, 0.02, 0.4)).unwrap());
            let apart = [0.05, 0.2, 0.5][case % 3];
            let (pa, pb) = (random.pose(apart), random.pose(apart));
            let found = distance(&a, &pa, &b, &pb).unwrap();
            let h = 1e-6;
            let at = |d: DVec3| {
                let moved = Pose::new(pa.position + d, pa.rotation);
                distance(&a, &moved, &b, &pb).unwrap().distance
            };
            let slope = |d: DVec3| (at(h * d) - at(-h * d)) / (2.0 * h);
            let gradient = DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z));
            if (gradient - found.normal_ba).length() > 1e-4 {
                // A kink within h: the gradient is that of the other side, or between the two.
                skipped += 1;
            }
        }
    }
    assert!(skipped <= 2, "{skipped} of 2100 normals differ from the gradient");
}

/// Poses that are special: centers together, axes parallel or square, faces flush, corners on faces.
#[test]
fn special_poses_are_exact() {
    let mut random = Random(13);
    let turns = [
        glam::DQuat::IDENTITY,
        glam::DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2),
        glam::DQuat::from_rotation_y(std::f64::consts::FRAC_PI_4),
        glam::DQuat::from_rotation_y(1e-3),
        glam::DQuat::from_rotation_x(1e-7),
        glam::DQuat::from_rotation_x(1e-11),
    ];
    let mut count = 0;
    for (ka, kb) in pairs() {
        for rotation in turns {
            for place in 0..10 {
                let [a, b] = [ka, kb].map(|k| Collider::new(&shape(k, &mut random, 0.05, 0.3)).unwrap());
                let reach = |c: &Collider, d: DVec3| c.support(&Pose::IDENTITY, d).map_or(0.0, |p| p.dot(d));
                let touch = |d: DVec3| {
                    let turned = Pose::new(DVec3::ZERO, rotation);
                    let upper = a.support(&turned, -d).map_or(0.0, |p| -p.dot(d));
                    d * (reach(&b, d) + upper)
                };
                let position = match place {
                    0 => DVec3::ZERO,
                    1 => touch(DVec3::Z),
                    2 => touch(DVec3::X),
                    3 => touch(DVec3::Z) * (1.0 - 1e-9),
                    4 => touch(DVec3::X) * (1.0 + 1e-9),
                    5 => touch(DVec3::Z) * 0.9,
                    6 => touch(DVec3::X) * 0.9,
                    7 => touch(DVec3::X) * 0.5 + touch(DVec3::Z) * 0.5,
                    8 => touch(DVec3::Z) + 0.02 * DVec3::X,
                    _ => touch(DVec3::X) * 1e-12,
                };
                let (pa, pb) = (Pose::new(position, rotation), Pose::IDENTITY);
                let found = distance(&a, &pa, &b, &pb).unwrap();
                let (error, witness) = certificate(&a, &pa, &b, &pb, &found);
                // The middle of features that are nearly flush is as uncertain as their angle.
                assert!(
                    error < 1e-11 && witness < 2e-6,
                    "{ka}-{kb} place {place} {rotation:?}: {error:e} {witness:e} of {found:?}\n{:?}\n{:?}",
                    a.shape(),
                    b.shape()
                );
                if found.distance < 0.0 && ka != "half_space" && kb != "half_space" {
                    let brute = brute_force(&a, &pa, &b, &pb, &mut random, 300);
                    assert!(
                        brute <= found.distance + 1e-9,
                        "{ka}-{kb} place {place} {rotation:?}: {brute} {found:?}\n{:?}\n{:?}",
                        a.shape(),
                        b.shape()
                    );
                    count += 1;
                }
            }
        }
    }
    assert!(count > 500);
}

fn any_shape(kind: usize, sizes: [f64; 3], seed: u64) -> Shape {
    match kind {
        0 => Shape::Sphere { radius: sizes[0] },
        1 => Shape::Box { size: DVec3::from_array(sizes) },
        2 => Shape::Cylinder { radius: sizes[0], length: sizes[1] },
        3 => Shape::Capsule { radius: sizes[0], length: sizes[1] },
        4 => {
            let mut random = Random(seed);
            let vertices = (0..12).map(|_| random.direction() * DVec3::from_array(sizes)).collect();
            Shape::Convex(std::sync::Arc::new(ropewalk_geometry::TriangleMesh {
                vertices,
                triangles: vec![],
            }))
        }
        _ => Shape::HalfSpace,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Sizes over twelve decades and any pose: finite, a unit normal, and a distance that its normal supports to
    /// 1e-5 of the sizes: where one side is 1e11 times as long as another, a normal has six digits (2e-6 was seen). (Hulls so thin that they have no volume to speak of are refused, which is fine.)
    #[test]
    fn no_shape_gives_nan(
        kinds in (0usize..6, 0usize..6),
        logs in prop::array::uniform6(-6f64..6.0),
        place in prop::array::uniform3(-1f64..1.0),
        scale in -7f64..7.0,
        seed in 0u64..1_000_000,
    ) {
        prop_assume!(kinds != (5, 5));
        let size = logs.map(|x| 10f64.powf(x));
        let made = [
            Collider::new(&any_shape(kinds.0, [size[0], size[1], size[2]], seed)),
            Collider::new(&any_shape(kinds.1, [size[3], size[4], size[5]], seed + 1)),
        ];
        let [Ok(a), Ok(b)] = made else { return Ok(()) };
        let mut random = Random(seed);
        let mut rotation = || if random.below(3) == 0 { glam::DQuat::IDENTITY } else { random.rotation() };
        let pa = Pose::new(10f64.powf(scale) * DVec3::from_array(place), rotation());
        let pb = Pose::new(DVec3::ZERO, rotation());
        let found = distance(&a, &pa, &b, &pb).unwrap();
        prop_assert!(found.distance.is_finite() && found.point_a.is_finite() && found.point_b.is_finite());
        prop_assert!((found.normal_ba.length() - 1.0).abs() < 1e-9, "{found:?}");
        let reach = |c: &Collider| c.shape().bounds().map_or(0.0, |b| b.half().length());
        let scale = reach(&a) + reach(&b) + pa.position.length();
        let along = match kinds.0 {
            5 => common::gap(&b, &pb, &a, &pa, -found.normal_ba),
            _ => common::gap(&a, &pa, &b, &pb, found.normal_ba),
        };
        prop_assert!((along - found.distance).abs() < 1e-5 * scale, "{along} {found:?} {:?} {pa:?} {:?} {pb:?}", a.shape(), b.shape());
        let mut points = ManifoldPoints::default();
        manifold(&a, &pa, &b, &pb, 1e-3 * scale, &mut points).unwrap();
        for p in points.points() {
            prop_assert!(p.point.is_finite() && p.gap.is_finite() && p.normal.is_finite());
        }
        prop_assert!(points.points().is_empty() || found.distance < 1e-3 * scale);
    }
}
