//! Distances of solids: reference values, and proofs by support points.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{KINDS, Random, RandomPose, brute_force, certificate, shape};
use glam::{DQuat, DVec3};
use ropewalk_geometry::{Collider, Shape, distance};
use ropewalk_linalg::Pose;
use serde_json::Value;

fn vector(v: &Value) -> DVec3 {
    DVec3::from_array([0, 1, 2].map(|i| v[i].as_f64().unwrap()))
}

fn read_shape(v: &Value) -> Shape {
    let number = |key: &str| v[key].as_f64().unwrap();
    match v["type"].as_str().unwrap() {
        "sphere" => Shape::Sphere { radius: number("radius") },
        "box" => Shape::Box { size: vector(&v["size"]) },
        "cylinder" => Shape::Cylinder { radius: number("radius"), length: number("length") },
        "capsule" => Shape::Capsule { radius: number("radius"), length: number("length") },
        "half_space" => Shape::HalfSpace,
        other => panic!("{other}"),
    }
}

fn read_pose(v: &Value) -> Pose {
    let q = [0, 1, 2, 3].map(|i| v["quat_wxyz"][i].as_f64().unwrap());
    Pose::new(vector(&v["p"]), DQuat::from_xyzw(q[1], q[2], q[3], q[0]))
}

#[test]
fn reference_poses() {
    let text = include_str!("../../../tests/reference/point_distances.json");
    let file: Value = serde_json::from_str(text).unwrap();
    let cases = file["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 112);
    let closed = ["sphere-sphere", "sphere-capsule", "sphere-box", "capsule-capsule"];
    let mut worst = std::collections::BTreeMap::new();
    for case in cases {
        let pair = case["pair"].as_str().unwrap();
        let tolerance = if closed.contains(&pair) || pair.ends_with("half_space") { 1e-12 } else { 1e-7 };
        let [a, b] = ["A", "B"].map(|k| Collider::new(&read_shape(&case[k])).unwrap());
        let [pa, pb] = ["X_WA", "X_WB"].map(|k| read_pose(&case[k]));
        let found = distance(&a, &pa, &b, &pb).unwrap();
        let exact = &case["exact"];
        let error = (found.distance - exact["distance"].as_f64().unwrap()).abs();
        let turn = (found.normal_ba - vector(&exact["nhat_BA_W"])).length();
        assert!(error <= tolerance, "{pair}: distance {} instead of {}", found.distance, exact["distance"]);
        assert!(turn <= 1e-5, "{pair}: normal {} instead of {}", found.normal_ba, exact["nhat_BA_W"]);
        let entry: &mut (f64, f64) = worst.entry(pair.to_owned()).or_default();
        *entry = (entry.0.max(error), entry.1.max(turn));
    }
    for (pair, (error, turn)) in worst {
        println!("{pair:24} distance {error:.1e} m, normal {turn:.1e}");
    }
}

/// Random poses of every pair of kinds with sizes from 0.02 to 0.4 m: apart, touching and deep inside one another.
#[test]
fn distances_are_proved_by_support_points() {
    let mut random = Random(7);
    for (i, ka) in KINDS.iter().enumerate() {
        for kb in &KINDS[i..] {
            if *ka == "half_space" {
                continue;
            }
            let (mut worst, mut worst_brute) = (0.0f64, f64::NEG_INFINITY);
            for case in 0..400 {
                let a = Collider::new(&shape(ka, &mut random, 0.02, 0.4)).unwrap();
                let b = Collider::new(&shape(kb, &mut random, 0.02, 0.4)).unwrap();
                let apart = [0.0, 0.05, 0.15, 0.4][case % 4];
                let (pa, pb) = (random.pose(apart), random.pose(apart));
                let found = distance(&a, &pa, &b, &pb).unwrap();
                let (gap, witness) = certificate(&a, &pa, &b, &pb, &found);
                let error = gap.max(witness);
                assert!(
                    error < 1e-12,
                    "{ka}-{kb} case {case}: error {error:e} of {found:?}\n{a:?} {pa:?}\n{b:?} {pb:?}"
                );
                worst = worst.max(error);
                if found.distance < 0.0 && *kb != "half_space" {
                    let brute = brute_force(&a, &pa, &b, &pb, &mut random, 400);
                    worst_brute = worst_brute.max(brute - found.distance);
                    assert!(
                        brute <= found.distance + 1e-9,
                        "{ka}-{kb} case {case}: a search over directions finds {brute}, more than {found:?}\n{:?} {pa:?}\n{:?} {pb:?}",
                        a.shape(),
                        b.shape()
                    );
                }
                // Symmetry.
                let other = distance(&b, &pb, &a, &pa).unwrap();
                assert!((other.distance - found.distance).abs() < 1e-9, "{ka}-{kb} {found:?} {other:?}");
            }
            println!("{ka:>10} {kb:<10} certificate {worst:.1e}, search beyond it by {worst_brute:.1e}");
        }
    }
}

/// The same at length, for the pairs whose overlap is searched: run with `--release -- --ignored`.
#[test]
#[ignore = "minutes"]
fn cylinders_at_length() {
    let mut random = Random(99);
    let mut worst = f64::NEG_INFINITY;
    for case in 0..40_000 {
        let kb = ["cylinder", "cylinder", "cylinder", "box", "convex"][case % 5];
        let a = Collider::new(&shape("cylinder", &mut random, 0.01, 0.5)).unwrap();
        let b = Collider::new(&shape(kb, &mut random, 0.01, 0.5)).unwrap();
        let apart = [0.0, 0.02, 0.1, 0.2][(case / 5) % 4];
        let (mut pa, pb) = (random.pose(apart), random.pose(apart));
        if case % 3 == 0 {
            // Nearly parallel.
            let turn = random.log_between(1e-6, 0.3) * random.direction();
            pa.rotation = ropewalk_linalg::pose::exp_rotation(turn) * pb.rotation;
        }
        let found = distance(&a, &pa, &b, &pb).unwrap();
        if found.distance < 0.0 {
            let brute = brute_force(&a, &pa, &b, &pb, &mut random, 1500);
            worst = worst.max(brute - found.distance);
            if brute > found.distance + 1e-10 {
                println!(
                    "{kb} case {case}: {:.3e} {brute} {found:?}\n{:?} {pa:?}\n{:?} {pb:?}",
                    brute - found.distance,
                    a.shape(),
                    b.shape()
                );
            }
        }
    }
    assert!(worst < 1e-10, "{worst:e}");
}
