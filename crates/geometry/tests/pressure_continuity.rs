//! Forces without jumps as bodies slide and turn across the borders of cells, and finite under any pose.
#![allow(clippy::unwrap_used)]

mod common;

use common::patches;
use common::{KINDS, Random, RandomPose, shape};
use glam::{DQuat, DVec3};
use ropewalk_geometry::Shape;
use ropewalk_geometry::pressure::{
    Fade, Patch, PatchBody, PressureField, RodField, RodSection, body_body, edge_body, edge_edge_patch,
};
use ropewalk_linalg::Pose;

const STEPS: usize = 10_000;

/// Greatest change of the force in one step over its mean size.
fn greatest_jump(name: &str, mut force: impl FnMut(f64) -> DVec3) -> f64 {
    let (mut last, mut most, mut sum) = (force(0.0), 0.0f64, 0.0);
    for k in 1..=STEPS {
        let f = force(k as f64 / STEPS as f64);
        assert!(f.is_finite());
        most = most.max((f - last).length());
        sum += f.length();
        last = f;
    }
    let jump = most / (sum / STEPS as f64);
    println!("{name}: greatest jump {:.3} % of the mean force {:.3} N", 100.0 * jump, sum / STEPS as f64);
    jump
}

fn between(patch: &mut Patch, a: &PatchBody, pose_a: &Pose, b: &PatchBody, pose_b: &Pose) -> DVec3 {
    patch.clear();
    body_body(a, pose_a, b, pose_b, patch);
    patch.force_on_a()
}

#[test]
fn bodies_slide_without_jumps() {
    let mut patch = Patch::default();
    let ball = PatchBody::soft(&Shape::Sphere { radius: 0.02 }, 1e6, None).unwrap();
    let block = Shape::Box { size: DVec3::new(0.1, 0.08, 0.04) };
    let soft = PatchBody::soft(&block, 2e6, None).unwrap();
    let rigid = PatchBody::rigid(&block, None).unwrap();
    let drum = PatchBody::soft(&Shape::Cylinder { radius: 0.03, length: 0.1 }, 1e6, None).unwrap();
    let skin = ropewalk_geometry::pressure::body::skin(&block, None).unwrap().unwrap();
    let grid = PatchBody::soft(&Shape::Mesh(std::sync::Arc::new(skin)), 2e6, Some(0.01)).unwrap();
    // Over the middle, over an edge of the block, and off.
    let slide =
        |s: f64| Pose::new(DVec3::new(-0.02 + 0.09 * s, 0.013 * s, 0.037), DQuat::from_rotation_y(0.4));
    for (name, other) in [("soft block", &soft), ("rigid block", &rigid), ("block on a grid", &grid)] {
        let jump = greatest_jump(&format!("ball over a {name}"), |s| {
            between(&mut patch, &ball, &slide(s), other, &Pose::IDENTITY)
        });
        assert!(jump < 0.01, "{name}: {jump}");
    }
    let jump = greatest_jump("drum over a soft block", |s| {
        let pose = Pose::new(DVec3::new(-0.02 + 0.09 * s, 0.0, 0.045), DQuat::from_rotation_x(1.4));
        between(&mut patch, &drum, &pose, &soft, &Pose::IDENTITY)
    });
    assert!(jump < 0.01, "{jump}");
    let jump = greatest_jump("ball rolling on a soft half-space", |s| {
        let ground = PatchBody::SoftHalfSpace { gradient: 1e8 };
        let pose = Pose::new(
            DVec3::new(0.02 * s, 0.0, 0.018),
            DQuat::from_rotation_y(s) * DQuat::from_rotation_x(0.3),
        );
        between(&mut patch, &ball, &pose, &ground, &Pose::IDENTITY)
    });
    assert!(jump < 0.01, "{jump}");
}

/// Bodies that turn deep in one another: a pair of cells comes to face the wrong way. With a threshold the force jumps,
/// which is why polygons fade.
#[test]
fn bodies_turn_without_jumps_thanks_to_the_fade() {
    let file = patches::file();
    let case = patches::case(&file, "random_0_cube9_octa7");
    let (a, b) = (patches::field(&file["meshes"]["cube9"]), patches::field(&file["meshes"]["octa7"]));
    let (pa, pb) = (patches::pose(&case["X_WA"]), patches::pose(&case["X_WB"]));
    let mut jumps = [0.0; 2];
    for (jump, fade) in jumps.iter_mut().zip([Fade::Smooth, Fade::Sharp]) {
        let mut patch = Patch::new(fade, false);
        *jump = greatest_jump(&format!("cube turning in an octahedron, {fade:?}"), |s| {
            let turn = DQuat::from_axis_angle(DVec3::new(0.3, 0.5, 0.8).normalize(), s - 0.5);
            between(&mut patch, &a, &Pose::new(pa.position, turn * pa.rotation), &b, &pb)
        });
    }
    assert!(jumps[0] < 0.01, "{jumps:?}");
    assert!(jumps[1] > 0.02, "{jumps:?}");
}

fn rod(edges: usize, place: impl Fn(f64) -> DVec3, twist: f64, section: RodSection) -> RodField {
    let nodes: Vec<DVec3> = (0..=edges).map(|i| place(i as f64 / edges as f64)).collect();
    let mut rod = RodField::new(section, 1e6, edges, false).unwrap();
    turn(&mut rod, &nodes, twist, 0.05);
    rod
}

fn turn(rod: &mut RodField, nodes: &[DVec3], turn: f64, per_edge: f64) {
    let directors: Vec<DVec3> = nodes
        .windows(2)
        .enumerate()
        .map(|(e, w)| {
            let t = (w[1] - w[0]).normalize();
            let up = (DVec3::Z - DVec3::Z.dot(t) * t).normalize();
            DQuat::from_axis_angle(t, turn + per_edge * e as f64) * up
        })
        .collect();
    rod.update(nodes, &directors).unwrap();
    (0..rod.edge_count()).for_each(|e| rod.prepare_edge(e));
}

fn arch(s: f64) -> DVec3 {
    let a = 2.0 * (s - 0.5);
    DVec3::new(0.1 * a.sin(), 0.0, 0.1 * a.cos() - 0.1)
}

#[test]
fn bodies_slide_along_rods_without_jumps() {
    let mut patch = Patch::default();
    let sections = [
        ("round", RodSection::circle(0.006, None).unwrap()),
        ("flat", RodSection::rectangle(0.02, 0.006, None).unwrap()),
    ];
    let ball = PatchBody::soft(&Shape::Sphere { radius: 0.02 }, 1e6, None).unwrap();
    let rigid = PatchBody::rigid(&Shape::Sphere { radius: 0.02 }, None).unwrap();
    for (name, section) in sections {
        let bent = rod(12, arch, 0.3, section.clone());
        for (kind, body) in [("soft", &ball), ("rigid", &rigid)] {
            let jump = greatest_jump(&format!("{kind} ball along a {name} bent rod"), |s| {
                // From the middle along the arch over the end and off.
                let x = arch(0.4 + 0.75 * s);
                let away = (x + DVec3::new(0.0, 0.0, 0.1)).normalize();
                patch.clear();
                let pose = Pose::new(x + 0.0225 * away, DQuat::from_rotation_y(0.2));
                (0..12).for_each(|e| edge_body(&bent, e, body, &pose, &mut patch));
                patch.force_on_a()
            });
            assert!(jump < 0.01, "{name} {kind}: {jump}");
        }
        let mut across = rod(6, |s| DVec3::new(0.0, 0.1 * (s - 0.5), 0.0), 0.0, section.clone());
        let jump = greatest_jump(&format!("{name} rod sliding across a bent rod"), |s| {
            let x = arch(0.3 + 0.4 * s) + DVec3::new(0.0, 0.0, 0.0075);
            let nodes: Vec<DVec3> =
                (0..=6).map(|i| x + DVec3::Y * 0.1 * (f64::from(i) / 6.0 - 0.46)).collect();
            turn(&mut across, &nodes, 0.5 * s, 0.1);
            patch.clear();
            for i in 0..6 {
                for j in 0..12 {
                    edge_edge_patch(&across, i, &bent, j, &mut patch);
                }
            }
            patch.force_on_a()
        });
        assert!(jump < 0.01, "{name}: {jump}");
        let mut rolling = rod(5, |s| DVec3::new(0.1 * s, 0.0, 0.0), 0.0, section);
        let jump = greatest_jump(&format!("{name} rod rolling on a plane"), |s| {
            let nodes: Vec<DVec3> = (0..=5).map(|i| DVec3::new(0.02 * f64::from(i), 0.0, 0.0)).collect();
            turn(&mut rolling, &nodes, 6.3 * s, 0.1);
            patch.clear();
            let ground = Pose::at(DVec3::new(0.0, 0.0, -0.0045));
            (0..5).for_each(|e| edge_body(&rolling, e, &PatchBody::RigidHalfSpace, &ground, &mut patch));
            patch.force_on_a()
        });
        assert!(jump < 0.01, "{name}: {jump}");
    }
}

fn check(patch: &Patch) {
    for p in &patch.polygons {
        let numbers = [p.area, p.pressure, p.gradient, p.gap(), p.stiffness()];
        assert!(numbers.iter().all(|x| x.is_finite()) && p.centroid.is_finite(), "{p:?}");
        assert!(p.area > 0.0 && p.pressure > 0.0 && p.gradient > 0.0 && p.gap() < 0.0, "{p:?}");
        assert!((p.normal.length() - 1.0).abs() < 1e-9, "{p:?}");
    }
}

#[test]
fn fuzzed_shapes_and_poses_give_finite_polygons_and_newtons_third_law() {
    let mut random = Random(29);
    let (mut patch, mut back) = (Patch::default(), Patch::default());
    for round in 0..150 {
        let body = |soft: bool, random: &mut Random| {
            let kind = KINDS[random.below(KINDS.len())];
            let s = shape(kind, random, 1e-3, 0.1);
            let depth = matches!(s, Shape::HalfSpace).then_some(0.05);
            if soft {
                PatchBody::soft(&s, random.log_between(1e3, 1e9), depth)
            } else {
                PatchBody::rigid(&s, None)
            }
            .unwrap()
        };
        let a = body(true, &mut random);
        let b = body(round % 2 == 0, &mut random);
        for _ in 0..10 {
            // Some of them aligned, some far from the origin.
            let far = if random.below(3) == 0 { 1e3 } else { 0.0 };
            let aligned = random.below(3) == 0;
            let mut pose = |size: f64| {
                let p = random.pose(size);
                let q = if aligned { DQuat::IDENTITY } else { p.rotation };
                Pose::new(p.position + DVec3::splat(far), q)
            };
            let (pa, pb) = (pose(0.05), pose(0.05));
            patch.clear();
            back.clear();
            body_body(&a, &pa, &b, &pb, &mut patch);
            body_body(&b, &pb, &a, &pa, &mut back);
            check(&patch);
            let size: f64 = patch.polygons.iter().map(|p| p.force().length()).sum();
            // A thousand metres away a length has thirteen digits after all.
            let digits = if far > 0.0 { 1e-5 } else { 1e-8 };
            assert!((patch.force_on_a() + back.force_on_a()).length() <= digits * size, "{round}");
        }
    }
    let ball = PatchBody::soft(&Shape::Sphere { radius: 1.0 }, 1.0, None).unwrap();
    for bad in [f64::NAN, f64::INFINITY] {
        patch.clear();
        body_body(&ball, &Pose::at(DVec3::splat(bad)), &ball, &Pose::IDENTITY, &mut patch);
        assert!(patch.polygons.is_empty());
    }
}

/// Meshes of random tetrahedra, many of them slivers or inside out, with random pressures.
#[test]
fn fuzzed_tetrahedra_give_finite_polygons() {
    let mut random = Random(31);
    let mut patch = Patch::default();
    for _ in 0..3000 {
        let mut field = || {
            let squash = random.log_between(1e-16, 1.0);
            let corners: Vec<DVec3> = (0..8)
                .map(|_| {
                    let v = random.vector(0.05);
                    DVec3::new(v.x, v.y, v.z * squash)
                })
                .collect();
            let pressures: Vec<f64> = (0..8).map(|_| (1e6 * random.between(-0.5, 1.0)).max(0.0)).collect();
            let tets: Vec<[u32; 4]> = (0..6).map(|_| [0; 4].map(|_: i32| random.below(8) as u32)).collect();
            PressureField::new(&corners, &tets, &pressures)
        };
        let (Ok(a), Ok(b)) = (field(), field()) else { continue };
        let (a, b) = (PatchBody::Soft(a), PatchBody::Soft(b));
        let pose = random.pose(0.02);
        patch.clear();
        body_body(&a, &pose, &b, &Pose::IDENTITY, &mut patch);
        check(&patch);
    }
}

/// Rods that fold back, kink, collapse to points, or contain NaN.
#[test]
fn fuzzed_rods_give_finite_polygons() {
    let mut random = Random(37);
    let mut patch = Patch::default();
    let ball = PatchBody::soft(&Shape::Sphere { radius: 0.02 }, 1e6, None).unwrap();
    for round in 0..600 {
        let section = match round % 2 {
            0 => RodSection::circle(0.005, None).unwrap(),
            _ => RodSection::rectangle(0.012, 0.004, Some(0.003)).unwrap(),
        };
        let closed = round % 3 == 0;
        let edges = 5;
        let mut nodes: Vec<DVec3> = (0..edges + usize::from(!closed)).map(|_| random.vector(0.03)).collect();
        match random.below(6) {
            0 => nodes[2] = nodes[1],
            1 => nodes[3] = nodes[1],
            2 => nodes[2] = DVec3::splat(f64::NAN),
            3 => nodes.fill(DVec3::ZERO),
            _ => {}
        }
        let directors: Vec<DVec3> = (0..edges).map(|_| random.direction()).collect();
        let mut rod = RodField::new(section, 1e6, edges, closed).unwrap();
        rod.update(&nodes, &directors).unwrap();
        (0..edges).for_each(|e| rod.prepare_edge(e));
        patch.clear();
        for e in 0..edges {
            edge_body(&rod, e, &ball, &random.pose(0.02), &mut patch);
            edge_body(&rod, e, &PatchBody::RigidHalfSpace, &random.pose(0.02), &mut patch);
            for f in 0..e {
                edge_edge_patch(&rod, e, &rod, f, &mut patch);
            }
        }
        check(&patch);
    }
}
