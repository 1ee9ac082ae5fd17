//! Patches of fine fields against closed forms, and how they converge.
#![allow(clippy::unwrap_used)]

mod common;

use common::Random;
use glam::{DQuat, DVec3};
use ropewalk_geometry::Shape;
use ropewalk_geometry::pressure::{Patch, PatchBody, body_body};
use ropewalk_linalg::Pose;
use serde_json::Value;
use std::f64::consts::FRAC_PI_2;

fn reference(kind: &str) -> Vec<Value> {
    let text = include_str!("../../../tests/reference/hydro_hertz_analytic.json");
    let file: Value = serde_json::from_str(text).unwrap();
    let all = file["pressure_field"].as_array().unwrap();
    all.iter().filter(|c| c["kind"] == kind).cloned().collect()
}

fn number(case: &Value, key: &str) -> f64 {
    case[key].as_f64().unwrap()
}

fn patch(a: &PatchBody, pose_a: &Pose, b: &PatchBody, pose_b: &Pose) -> Patch {
    let mut patch = Patch::default();
    body_body(a, pose_a, b, pose_b, &mut patch);
    patch
}

/// π E[(R² − h²) − 2(R³ − h³)/(3R)], h = R − d.
fn sphere_force(e: f64, r: f64, d: f64) -> f64 {
    let h = r - d;
    std::f64::consts::PI * e * ((r * r - h * h) - 2.0 * (r.powi(3) - h.powi(3)) / (3.0 * r))
}

/// E(2a − (aR + h² asinh(a/h))/R), a² = R² − h², per length.
fn cylinder_force(e: f64, r: f64, d: f64) -> f64 {
    let h = r - d;
    let a = (r * r - h * h).sqrt();
    e * (2.0 * a - (a * r + h * h * (a / h).asinh()) / r)
}

#[test]
fn the_closed_forms_are_those_of_the_reference() {
    for c in reference("sphere_vs_rigid_plane") {
        let f = sphere_force(number(&c, "E"), number(&c, "R"), number(&c, "depth"));
        assert!((f / number(&c, "force") - 1.0).abs() < 1e-12);
    }
    for c in reference("cylinder_side_vs_rigid_plane_per_length") {
        let f = cylinder_force(number(&c, "E"), number(&c, "R"), number(&c, "depth"));
        assert!((f / number(&c, "force_per_length") - 1.0).abs() < 1e-12);
    }
}

/// Greatest error of force and area of a sphere at element size R/n over directions.
fn sphere_error(n: f64, depth: f64, random: &mut Random) -> (f64, f64) {
    let (e, r) = (1e6, 0.01);
    let ball = PatchBody::soft(&Shape::Sphere { radius: r }, e, Some(r / n)).unwrap();
    let exact = sphere_force(e, r, depth * r);
    let h = r * (1.0 - depth);
    let disc = std::f64::consts::PI * (r * r - h * h);
    let (mut force, mut area): (f64, f64) = (0.0, 0.0);
    for _ in 0..10 {
        let pose = Pose::new(DVec3::new(3.0, -2.0, h), random.rotation());
        let found = patch(&ball, &pose, &PatchBody::RigidHalfSpace, &Pose::IDENTITY);
        let f = found.force_on_a();
        assert!(f.x.hypot(f.y) <= 1e-12 * f.z);
        force = force.max((f.z / exact - 1.0).abs());
        area = area.max((found.area() / disc - 1.0).abs());
    }
    (force, area)
}

#[test]
fn a_sphere_on_a_plane() {
    let mut random = Random(3);
    for depth in [0.1, 0.2, 0.3, 0.5] {
        let (force, area) = sphere_error(16.0, depth, &mut random);
        println!("sphere, R/16, depth {depth} R: force {force:.2e}, area {area:.2e}");
        assert!(force < 0.02 && area < 0.02, "{depth}: {force} {area}");
    }
    let errors = [4.0, 8.0, 16.0, 32.0].map(|n| 1e6 * sphere_error(n, 0.2, &mut random).0);
    println!("sphere, depth 0.2 R, R/4 … R/32: {errors:.1?} ppm");
    let order = (errors[0] / errors[3]).log2() / 3.0;
    assert!(order > 1.7, "{order} {errors:?}");
}

/// Error of the force per length on the side of a cylinder, from the difference of two lengths, over turns.
fn cylinder_error(n: f64, depth: f64, random: &mut Random) -> f64 {
    let (e, r) = (1e6, 0.01);
    let side = |length: f64, turn: f64| {
        let body = PatchBody::soft(&Shape::Cylinder { radius: r, length }, e, Some(r / n)).unwrap();
        let lying = DQuat::from_rotation_x(FRAC_PI_2) * DQuat::from_rotation_z(turn);
        let pose = Pose::new(DVec3::new(0.0, 0.0, r * (1.0 - depth)), lying);
        patch(&body, &pose, &PatchBody::RigidHalfSpace, &Pose::IDENTITY).force_on_a().z
    };
    let exact = cylinder_force(e, r, depth * r);
    let mut worst: f64 = 0.0;
    for _ in 0..6 {
        let turn = random.between(0.0, 6.3);
        let found = (side(7.0 * r, turn) - side(3.0 * r, turn)) / (4.0 * r);
        worst = worst.max((found / exact - 1.0).abs());
    }
    worst
}

#[test]
fn the_side_of_a_cylinder_on_a_plane() {
    let mut random = Random(5);
    for depth in [0.1, 0.2, 0.3, 0.5] {
        let error = cylinder_error(16.0, depth, &mut random);
        println!("cylinder, R/16, depth {depth} R: force {error:.2e}");
        assert!(error < 0.02, "{depth}: {error}");
    }
    let errors = [4.0, 8.0, 16.0, 32.0].map(|n| 1e6 * cylinder_error(n, 0.2, &mut random));
    println!("cylinder, depth 0.2 R, R/4 … R/32: {errors:.1?} ppm");
    let order = (errors[0] / errors[3]).log2() / 3.0;
    assert!(order > 1.5, "{order} {errors:?}");
}

#[test]
fn a_capsule_on_a_plane_is_a_sphere_and_a_cylinder() {
    let (e, r, length, depth) = (1e6, 0.01, 0.03, 0.002);
    let body = PatchBody::soft(&Shape::Capsule { radius: r, length }, e, Some(r / 16.0)).unwrap();
    let lying = Pose::new(DVec3::new(0.0, 0.0, r - depth), DQuat::from_rotation_x(FRAC_PI_2));
    let found = patch(&body, &lying, &PatchBody::RigidHalfSpace, &Pose::IDENTITY).force_on_a().z;
    let exact = sphere_force(e, r, depth) + length * cylinder_force(e, r, depth);
    assert!((found / exact - 1.0).abs() < 0.02, "{found} {exact}");
    let standing = Pose::new(DVec3::new(0.0, 0.0, 0.5 * length + r - depth), DQuat::IDENTITY);
    let found = patch(&body, &standing, &PatchBody::RigidHalfSpace, &Pose::IDENTITY).force_on_a().z;
    assert!((found / sphere_force(e, r, depth) - 1.0).abs() < 0.02, "{found}");
}

/// Two equal soft solids face to face touch half way, as each alone against a rigid plane half as deep. A plane in
/// the middle is a mirror, so the force is that of either on a rigid plane through the mirror.
#[test]
fn two_equal_spheres_touch_in_their_mirror_plane() {
    let (e, r, depth) = (1e6, 0.01, 0.002);
    let ball = PatchBody::soft(&Shape::Sphere { radius: r }, e, Some(r / 16.0)).unwrap();
    let apart = 2.0 * (r - depth);
    let mirrored = DQuat::from_rotation_y(2.0 * FRAC_PI_2);
    let found = patch(&ball, &Pose::at(DVec3::Z * apart), &ball, &Pose::new(DVec3::ZERO, mirrored));
    let force = found.force_on_a();
    assert!((force.z / sphere_force(e, r, depth) - 1.0).abs() < 0.02, "{force}");
    assert!(force.x.hypot(force.y) < 0.01 * force.z);
    // Each polygon: two equal springs in series.
    for p in &found.polygons {
        assert!((p.gradient / p.gradient_a - 0.5).abs() < 0.1);
    }
}

#[test]
fn a_rigid_plate_is_the_limit_of_hard_ones_and_of_a_half_space() {
    let r = 0.01;
    let ball = PatchBody::soft(&Shape::Sphere { radius: r }, 1e6, Some(r / 16.0)).unwrap();
    let plate = Shape::Box { size: DVec3::new(0.1, 0.1, 0.02) };
    let above = Pose::at(DVec3::new(0.001, 0.002, 0.01 + 0.8 * r));
    let on_plane = {
        let pose = Pose::at(DVec3::new(0.001, 0.002, 0.8 * r));
        patch(&ball, &pose, &PatchBody::RigidHalfSpace, &Pose::IDENTITY).force_on_a()
    };
    let rigid = PatchBody::rigid(&plate, None).unwrap();
    let on_rigid = patch(&ball, &above, &rigid, &Pose::IDENTITY);
    assert!((on_rigid.force_on_a() - on_plane).length() < 1e-9 * on_plane.length());
    // The other way round: Newton's third law.
    let swapped = patch(&rigid, &Pose::IDENTITY, &ball, &above);
    assert!((swapped.force_on_a() + on_plane).length() < 1e-9 * on_plane.length());
    let mut last = f64::INFINITY;
    for e in [1e8, 1e9, 1e10] {
        let hard = PatchBody::soft(&plate, e, None).unwrap();
        let force = patch(&ball, &above, &hard, &Pose::IDENTITY).force_on_a();
        let error = (force - on_plane).length() / on_plane.length();
        assert!(error < 0.2 * last, "{e}: {error} {last}");
        last = error;
    }
    assert!(last < 1e-3, "{last}");
    // A soft half-space of the same gradient as the plate's upper face.
    let soft = PatchBody::soft(&plate, 1e6, None).unwrap();
    let ground = PatchBody::soft(&Shape::HalfSpace, 1e6, Some(0.01)).unwrap();
    let one = patch(&ball, &above, &soft, &Pose::IDENTITY).force_on_a();
    let two = patch(&ball, &above, &ground, &Pose::at(DVec3::Z * 0.01)).force_on_a();
    assert!((one - two).length() < 1e-9 * one.length(), "{one} {two}");
}

#[test]
fn a_mesh_of_a_sphere_is_a_sphere() {
    let (r, depth) = (0.01, 0.002);
    let skin = ropewalk_geometry::pressure::body::skin(&Shape::Sphere { radius: r }, Some(r / 10.0));
    let mesh = Shape::Mesh(std::sync::Arc::new(skin.unwrap().unwrap()));
    let body = PatchBody::soft(&mesh, 1e6, Some(r / 16.0)).unwrap();
    let pose = Pose::at(DVec3::new(0.0, 0.0, r - depth));
    let found = patch(&body, &pose, &PatchBody::RigidHalfSpace, &Pose::IDENTITY).force_on_a().z;
    let error = found / sphere_force(1e6, r, depth) - 1.0;
    println!("mesh of a sphere, grid of R/16, depth 0.2 R: force {error:.2e}");
    assert!(error.abs() < 0.05, "{error}");
}
