//! Hulls of any points, meshes, heightfields, and contact manifolds.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Random, RandomPose, shape};
use glam::{DQuat, DVec3};
use proptest::prelude::*;
use ropewalk_geometry::hull::convex_hull;
use ropewalk_geometry::*;
use ropewalk_linalg::Pose;
use std::sync::Arc;

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    /// Points on grids (many in one plane or on one line, many equal), on spheres, nearly flat: a closed hull about
    /// all of them or an error.
    #[test]
    fn hulls_of_any_points(seed in 0u64..1_000_000, count in 0usize..80, kind in 0usize..6, scale in -6f64..6.0) {
        let mut random = Random(seed);
        let size = 10f64.powf(scale);
        let shift = if kind == 5 { 1e3 * size } else { 0.0 };
        let mut point = || {
            let v = random.vector(1.0);
            let p = match kind {
                0 => v,
                1 => (v * 2.0).round() / 2.0,
                2 => v.normalize_or_zero(),
                3 => DVec3::new(v.x, v.y, 1e-8 * v.z),
                4 => DVec3::new(v.x.signum(), v.y.signum(), v.z.signum()) + 1e-13 * random.vector(1.0),
                _ => v,
            };
            size * p + DVec3::splat(shift)
        };
        let points: Vec<DVec3> = (0..count).map(|_| point()).collect();
        let Ok(hull) = convex_hull(&points) else {
            prop_assert!(kind != 0 && kind != 2 && kind != 5 || count < 4, "{points:?}");
            return Ok(());
        };
        let extent = size + shift * 1e-3;
        for (n, offset) in hull.normals.iter().zip(&hull.offsets) {
            prop_assert!((n.length() - 1.0).abs() < 1e-12);
            for p in &points {
                prop_assert!(n.dot(*p) - offset < 1e-6 * extent, "{}", n.dot(*p) - offset);
            }
        }
        prop_assert_eq!(hull.mesh().open_edges(), 0);
        // Euler: V − E + F = 2 for triangles over V vertices.
        prop_assert_eq!(hull.triangles.len() + 4, 2 * hull.vertices.len());
    }
}

/// A closed mesh of a box's surface, each side cut into n × n squares.
fn box_mesh(half: f64, n: usize) -> Shape {
    let mut mesh = TriangleMesh::default();
    for axis in 0..3 {
        for sign in [-1.0, 1.0] {
            let start = mesh.vertices.len() as u32;
            for i in 0..=n {
                for j in 0..=n {
                    let mut p = DVec3::ZERO;
                    p[axis] = sign * half;
                    p[(axis + 1) % 3] = half * (2.0 * i as f64 / n as f64 - 1.0);
                    p[(axis + 2) % 3] = half * (2.0 * j as f64 / n as f64 - 1.0);
                    mesh.vertices.push(p);
                }
            }
            let at = |i: usize, j: usize| start + (i * (n + 1) + j) as u32;
            for i in 0..n {
                for j in 0..n {
                    let mut two = [
                        [at(i, j), at(i + 1, j), at(i + 1, j + 1)],
                        [at(i, j), at(i + 1, j + 1), at(i, j + 1)],
                    ];
                    if sign < 0.0 {
                        two.iter_mut().for_each(|t| t.swap(1, 2));
                    }
                    mesh.triangles.extend(two);
                }
            }
        }
    }
    Shape::Mesh(Arc::new(mesh))
}

#[test]
fn a_mesh_of_a_box_is_a_box() {
    let mut random = Random(41);
    let solid = Collider::new(&Shape::Box { size: DVec3::splat(0.4) }).unwrap();
    let mesh = Collider::new(&box_mesh(0.2, 4)).unwrap();
    let weight = mesh.shape().mass_properties(10.0).unwrap();
    let exact = solid.shape().mass_properties(10.0).unwrap();
    assert!((weight.mass - exact.mass).abs() < 1e-13 && weight.inertia.abs_diff_eq(exact.inertia, 1e-13));
    let (mut inside, mut outside) = (0, 0);
    for case in 0..3000 {
        let kind = ["sphere", "capsule", "box", "cylinder", "convex"][case % 5];
        let a = Collider::new(&shape(kind, &mut random, 0.01, 0.1)).unwrap();
        let (pa, pb) = (random.pose(0.4), random.pose(0.05));
        let (found, exact) =
            (distance(&a, &pa, &mesh, &pb).unwrap(), distance(&a, &pa, &solid, &pb).unwrap());
        // Outside all agree; a ball inside too, while the mesh knows only its triangles for the other overlaps.
        if exact.distance > 0.0 || kind == "sphere" {
            assert!((found.distance - exact.distance).abs() < 1e-12, "{kind}: {found:?} {exact:?}");
            let same = (found.normal_ba - exact.normal_ba).length() < 1e-6;
            assert!(same || exact.distance < 0.0, "{kind}: {found:?} {exact:?}");
            outside += 1;
        } else {
            assert!(found.distance < 1e-12, "{kind}: {found:?} {exact:?}");
            inside += 1;
        }
    }
    assert!(inside > 100 && outside > 1000);
}

#[test]
fn ground_of_heights_is_solid_below() {
    let rows = 9;
    let heights = (0..rows * rows)
        .map(|k| 0.05 * ((k % rows) as f64).sin() + 0.03 * ((k / rows) as f64).cos())
        .collect();
    let field = Heightfield { size_x: 1.0, size_y: 1.0, rows, columns: rows, heights };
    let ground = Collider::new(&Shape::Heightfield(Arc::new(field.clone()))).unwrap();
    let ball = Collider::new(&Shape::Sphere { radius: 0.01 }).unwrap();
    let mut random = Random(42);
    for _ in 0..2000 {
        let p = DVec3::new(random.between(-0.4, 0.4), random.between(-0.4, 0.4), random.between(-0.15, 0.15));
        let found = distance(&ball, &Pose::at(p), &ground, &Pose::IDENTITY).unwrap();
        let above = p.z > field.height(p.x, p.y).unwrap();
        assert_eq!(found.distance > -0.01, above, "{p} {found:?}");
    }
}

#[test]
fn bodies_at_rest_touch_in_their_faces() {
    let mut points = ManifoldPoints::default();
    let make = |s: Shape| Collider::new(&s).unwrap();
    let cube = make(Shape::Box { size: DVec3::splat(0.2) });
    let plane = make(Shape::HalfSpace);
    let tilt = DQuat::from_rotation_x(1e-3);
    manifold(&cube, &Pose::new(DVec3::new(3.0, 1.0, 0.1), tilt), &plane, &Pose::IDENTITY, 0.01, &mut points)
        .unwrap();
    assert_eq!(points.points().len(), 4);
    assert!(points.points().iter().all(|p| p.gap.abs() < 1.1e-4 && p.normal == DVec3::Z));
    // A small box on a large one, turned: the four corners of the small one.
    let table = make(Shape::Box { size: DVec3::new(1.0, 1.0, 0.1) });
    let turned = Pose::new(DVec3::new(0.1, 0.2, 0.15 - 1e-4), DQuat::from_rotation_z(0.4));
    manifold(&cube, &turned, &table, &Pose::IDENTITY, 0.0, &mut points).unwrap();
    assert_eq!(points.points().len(), 4);
    for p in points.points() {
        assert!((p.gap + 1e-4).abs() < 1e-12 && (p.normal - DVec3::Z).length() < 1e-12, "{p:?}");
        assert!((turned.local_point(p.point).truncate().abs() - 0.1).length() < 1e-9);
    }
    // The same the other way round.
    manifold(&table, &Pose::IDENTITY, &cube, &turned, 0.0, &mut points).unwrap();
    assert!(
        points.points().len() == 4 && points.points().iter().all(|p| (p.normal + DVec3::Z).length() < 1e-12)
    );
    // Half over the edge of the table: clipped.
    let over = Pose::new(DVec3::new(0.5, 0.0, 0.15 - 1e-4), DQuat::IDENTITY);
    manifold(&cube, &over, &table, &Pose::IDENTITY, 0.0, &mut points).unwrap();
    assert_eq!(points.points().len(), 4);
    assert!(points.points().iter().all(|p| p.point.x < 0.5 + 1e-9));
    // Cylinders: on the side two points, on the cap some of the rim.
    let post = make(Shape::Cylinder { radius: 0.05, length: 0.3 });
    let lying =
        Pose::new(DVec3::new(0.0, 0.0, 0.05 - 1e-4), DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2));
    for ground in [&plane, &table] {
        let level =
            if ground.kind() == "box" { Pose::at(DVec3::new(0.0, 0.0, -0.05)) } else { Pose::IDENTITY };
        manifold(&post, &lying, ground, &level, 0.0, &mut points).unwrap();
        assert_eq!(points.points().len(), 2);
        assert!(
            points
                .points()
                .iter()
                .all(|p| (p.gap + 1e-4).abs() < 1e-12 && (p.point.y.abs() - 0.15).abs() < 1e-12)
        );
        manifold(&post, &Pose::at(DVec3::new(0.0, 0.0, 0.15 - 1e-4)), ground, &level, 0.0, &mut points)
            .unwrap();
        assert_eq!(points.points().len(), 8);
        assert!(points.points().iter().all(|p| (p.point.truncate().length() - 0.05).abs() < 1e-12));
    }
    // Capsule along a box, across its edge: two points, one at the rim of the face.
    let finger = make(Shape::Capsule { radius: 0.02, length: 0.2 });
    let beside =
        Pose::new(DVec3::new(0.45, 0.0, 0.07 - 1e-4), DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2));
    manifold(&finger, &beside, &table, &Pose::IDENTITY, 0.0, &mut points).unwrap();
    let mut x: Vec<f64> = points.points().iter().map(|p| p.point.x).collect();
    x.sort_by(f64::total_cmp);
    assert!(x.len() == 2 && (x[0] - 0.35).abs() < 1e-9 && (x[1] - 0.5).abs() < 1e-9, "{x:?}");
    // A box on a mesh of a box.
    let ground = make(box_mesh(0.5, 3));
    manifold(
        &cube,
        &Pose::new(DVec3::new(0.1, 0.05, 0.6 - 1e-4), DQuat::from_rotation_z(0.3)),
        &ground,
        &Pose::IDENTITY,
        0.0,
        &mut points,
    )
    .unwrap();
    assert!((4..=8).contains(&points.points().len()), "{}", points.points().len());
    assert!(
        points.points().iter().all(|p| (p.gap + 1e-4).abs() < 1e-9 && (p.normal - DVec3::Z).length() < 1e-9),
        "{:?}",
        points.points()
    );
    assert!(manifold(&ground, &Pose::IDENTITY, &ground, &Pose::IDENTITY, 0.0, &mut points).is_err());
}

/// The deepest point of a manifold is as deep as the distance says, for all pairs.
#[test]
fn the_deepest_point_is_at_the_distance() {
    let mut random = Random(43);
    let mut points = ManifoldPoints::default();
    for case in 0..4000 {
        let (ka, kb) = (common::KINDS[case % 5], common::KINDS[(case / 5) % 6]);
        let [a, b] = [ka, kb].map(|k| Collider::new(&shape(k, &mut random, 0.02, 0.4)).unwrap());
        let (pa, pb) = (random.pose(0.2), random.pose(0.2));
        let found = distance(&a, &pa, &b, &pb).unwrap();
        manifold(&a, &pa, &b, &pb, 1.0, &mut points).unwrap();
        assert!((1..=8).contains(&points.points().len()));
        let deepest = points.points()[0].gap;
        assert!(
            (deepest - found.distance).abs() < 1e-9
                || (deepest > found.distance && deepest < found.distance + 1e-2),
            "{ka}-{kb} {deepest} {found:?}"
        );
        assert!(points.points().iter().all(|p| (p.normal - found.normal_ba).length() < 1e-9));
    }
}

/// Points evenly spread over a ball, all of them corners of its hull.
fn ball(count: usize) -> Vec<DVec3> {
    let golden = core::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let point = |i: usize| {
        let z = 1.0 - 2.0 * (i as f64 + 0.5) / count as f64;
        let (sin, cos) = (golden * i as f64).sin_cos();
        let across = (1.0 - z * z).sqrt();
        DVec3::new(across * cos, across * sin, z)
    };
    (0..count).map(point).collect()
}

/// 50 000 points on a ball took minutes: after each corner all faces were looked at again, and there was no bound.
#[test]
fn a_hull_of_many_corners_is_found_or_refused() {
    let hull = convex_hull(&ball(4000)).unwrap();
    assert_eq!((hull.vertices.len(), hull.triangles.len()), (4000, 7996));
    assert!(hull.offsets.iter().all(|d| (0.99..1.0).contains(d)));
    let error = convex_hull(&ball(200_000)).unwrap_err().to_string();
    assert!(error.contains("too many faces"), "{error}");
}
