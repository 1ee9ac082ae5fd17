//! Pressure fields of rods: they tile, follow the rod, and agree with closed forms.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Random, RandomPose};
use glam::{DQuat, DVec3};
use ropewalk_geometry::Shape;
use ropewalk_geometry::pressure::convex::ConvexCell;
use ropewalk_geometry::pressure::{Patch, PatchBody, RodField, RodSection, edge_body, edge_edge_patch};
use ropewalk_linalg::Pose;

const E: f64 = 1e6;
const R: f64 = 0.01;

/// Nodes and directors of a rod along a curve, with a twist per edge.
fn placed(nodes: Vec<DVec3>, closed: bool, twist: f64) -> (Vec<DVec3>, Vec<DVec3>) {
    let n = nodes.len();
    let edges = if closed { n } else { n - 1 };
    let mut directors: Vec<DVec3> = Vec::new();
    for e in 0..edges {
        let t = (nodes[(e + 1) % n] - nodes[e]).normalize();
        let last = directors.last().copied().unwrap_or_else(|| t.any_orthonormal_vector());
        let carried = (last - last.dot(t) * t).normalize();
        directors.push(DQuat::from_axis_angle(t, twist) * carried);
    }
    (nodes, directors)
}

fn prepared(section: RodSection, (nodes, directors): &(Vec<DVec3>, Vec<DVec3>), closed: bool) -> RodField {
    let mut rod = RodField::new(section, E, directors.len(), closed).unwrap();
    rod.update(nodes, directors).unwrap();
    (0..directors.len()).for_each(|e| rod.prepare_edge(e));
    rod
}

fn helix(n: usize) -> Vec<DVec3> {
    (0..n)
        .map(|i| {
            let s = 0.35 * i as f64;
            DVec3::new(0.06 * s.cos(), 0.06 * s.sin(), 0.03 * s)
        })
        .collect()
}

fn straight(edges: usize, length: f64, height: f64) -> Vec<DVec3> {
    (0..=edges).map(|i| DVec3::new(length * i as f64 / edges as f64, 0.0, height)).collect()
}

fn cells(rod: &RodField) -> Vec<ConvexCell> {
    (0..rod.edge_count()).flat_map(|e| rod.edge_cells(e).to_vec()).collect()
}

/// Every point in a bent and twisted rod lies in one cell, of whatever edge: no gap, no overlap.
#[test]
fn edges_tile_without_gap_or_overlap() {
    let sections = [RodSection::circle(R, None).unwrap(), RodSection::rectangle(3.0 * R, R, None).unwrap()];
    let ring: Vec<DVec3> = (0..12)
        .map(|i| {
            let a = std::f64::consts::TAU * i as f64 / 12.0;
            DVec3::new(0.1 * a.cos(), 0.1 * a.sin(), 0.02 * (2.0 * a).sin())
        })
        .collect();
    let mut random = Random(11);
    for section in sections {
        for (nodes, closed) in [(helix(12), false), (ring.clone(), true)] {
            let path = placed(nodes, closed, 0.2);
            let rod = prepared(section.clone(), &path, closed);
            let all = cells(&rod);
            let (mut odd, samples) = (0, 4000);
            for _ in 0..samples {
                // A point well inside of the middle of the rod, across the borders of edges.
                let e = 1 + random.below(path.1.len() - 2);
                let (a, b) = (path.0[e], path.0[(e + 1) % path.0.len()]);
                let m1 = path.1[e];
                let m2 = (b - a).normalize().cross(m1);
                let x = a.lerp(b, random.uniform())
                    + random.between(-0.3, 0.3) * R * m1
                    + random.between(-0.3, 0.3) * R * m2;
                let holding = all.iter().filter(|c| c.holds(x)).count();
                odd += usize::from(holding != 1);
            }
            assert_eq!(odd, 0, "{odd} of {samples} points, closed: {closed}");
        }
    }
}

#[test]
fn a_bent_rod_keeps_its_thickness_and_volume() {
    let path = placed(helix(30), false, 0.0);
    let rod = prepared(RodSection::circle(R, None).unwrap(), &path, false);
    let length: f64 = path.0.windows(2).map(|w| w[0].distance(w[1])).sum();
    let exact = std::f64::consts::PI * R * R * length;
    let found: f64 = cells(&rod).iter().map(ConvexCell::volume).sum();
    assert!((found / exact - 1.0).abs() < 1e-3, "{found} {exact}");
}

/// E(2a − (aR + h² asinh(a/h))/R), a² = R² − h², per length.
fn cylinder_force(d: f64) -> f64 {
    let h = R - d;
    let a = (R * R - h * h).sqrt();
    E * (2.0 * a - (a * R + h * h * (a / h).asinh()) / R)
}

fn total(rod: &RodField, body: &PatchBody, pose: &Pose) -> Patch {
    let mut patch = Patch::default();
    (0..rod.edge_count()).for_each(|e| edge_body(rod, e, body, pose, &mut patch));
    patch
}

#[test]
fn a_round_rod_on_a_plane_is_a_cylinder() {
    for (share, n, tolerance) in [(0.1, 16.0, 0.02), (0.3, 16.0, 0.02), (0.1, 32.0, 1e-3)] {
        let depth = share * R;
        let section = RodSection::circle(R, Some(R / n)).unwrap();
        // Edges of one length, so that the ends are the same.
        let force = |edges: usize| {
            let path = placed(straight(edges, 2.0 * R * edges as f64, R - depth), false, 0.3);
            total(&prepared(section.clone(), &path, false), &PatchBody::RigidHalfSpace, &Pose::IDENTITY)
                .force_on_a()
                .z
        };
        let found = (force(5) - force(3)) / (4.0 * R);
        let error = found / cylinder_force(depth) - 1.0;
        println!("rod, R/{n}, depth {share} R: {error:.2e}");
        assert!(error.abs() < tolerance, "{error}");
    }
}

/// A flat rod lies on its side: p grows by E over half of its height, so the pressure is E d/(h/2) over its width.
#[test]
fn a_flat_rod_on_a_plane() {
    let (w, h, d) = (0.02, 0.004, 0.0005);
    let force = |length: f64| {
        let nodes = straight(4, length, 0.5 * h - d);
        let rod = prepared(RodSection::rectangle(w, h, None).unwrap(), &(nodes, vec![DVec3::Y; 4]), false);
        total(&rod, &PatchBody::RigidHalfSpace, &Pose::IDENTITY)
    };
    // On the plane z = 0 the pressure is E d/(h/2) at depth d, but near the sides it falls to 0 over d.
    let found = (force(0.1).force_on_a().z - force(0.06).force_on_a().z) / 0.04;
    let exact = E * d / (0.5 * h) * (w - d);
    assert!((found / exact - 1.0).abs() < 1e-9, "{found} {exact}");
}

#[test]
fn the_end_of_a_rod_touches_without_a_jump() {
    let section = RodSection::circle(R, None).unwrap();
    let mut last = 0.0;
    for k in 0..=100 {
        let depth = 2e-5 * f64::from(k);
        let nodes: Vec<DVec3> = (0..=4).map(|i| DVec3::new(0.0, 0.0, 0.02 * f64::from(i) - depth)).collect();
        let rod = prepared(section.clone(), &placed(nodes, false, 0.0), false);
        let force = total(&rod, &PatchBody::RigidHalfSpace, &Pose::IDENTITY).force_on_a().z;
        assert!(force >= last && force - last < 2.0, "{k}: {last} {force}");
        last = force;
    }
    // Pressure E d/R on a disc that shrinks with depth.
    assert!(last > 0.5 * E * 0.2 * std::f64::consts::PI * R * R, "{last}");
}

#[test]
fn rod_on_rod_obeys_newtons_third_law() {
    let mut random = Random(17);
    let circle = RodSection::circle(R, None).unwrap();
    let flat = RodSection::rectangle(2.0 * R, 0.7 * R, None).unwrap();
    let mut touched = 0;
    for _ in 0..40 {
        let mut rod = |section: &RodSection, height: f64| {
            let turn = random.rotation();
            let along = DQuat::from_axis_angle(DVec3::Z, random.between(0.0, 6.0));
            let nodes =
                straight(4, 0.1, 0.0).into_iter().map(|x| along * (x - 0.05 * DVec3::X) + height * DVec3::Z);
            prepared(section.clone(), &placed(nodes.collect(), false, turn.x), false)
        };
        let (a, b) = (rod(&circle, 0.8 * R), rod(&flat, -0.4 * R));
        let (mut ab, mut ba) = (Patch::default(), Patch::default());
        for i in 0..4 {
            for j in 0..4 {
                edge_edge_patch(&a, i, &b, j, &mut ab);
                edge_edge_patch(&b, j, &a, i, &mut ba);
            }
        }
        let f = ab.force_on_a();
        assert!((f + ba.force_on_a()).length() <= 1e-10 * f.length());
        let about = DVec3::new(0.3, 0.1, -0.2);
        assert!((ab.moment_on_a(about) + ba.moment_on_a(about)).length() <= 1e-10 * f.length());
        touched += usize::from(f.z > 0.0);
    }
    assert!(touched > 35, "{touched}");
}

#[test]
fn a_rod_against_a_body_is_the_same_in_any_frame() {
    let mut random = Random(23);
    let shape = Shape::Cylinder { radius: 0.04, length: 0.2 };
    let soft = PatchBody::soft(&shape, 3e5, None).unwrap();
    let path = placed(straight(6, 0.12, 0.0), false, 0.1);
    let rod = prepared(RodSection::circle(R, None).unwrap(), &path, false);
    let body = Pose::new(DVec3::new(0.05, 0.01, -0.045), DQuat::from_rotation_x(1.5));
    let here = total(&rod, &soft, &body);
    assert!(here.force_on_a().z > 1.0);
    for _ in 0..20 {
        let world = random.pose(3.0);
        let nodes: Vec<DVec3> = path.0.iter().map(|x| world.point(*x)).collect();
        let directors: Vec<DVec3> = path.1.iter().map(|d| world.vector(*d)).collect();
        let moved = prepared(RodSection::circle(R, None).unwrap(), &(nodes, directors), false);
        let there = total(&moved, &soft, &(world * body));
        let error = (there.force_on_a() - world.vector(here.force_on_a())).length();
        assert!(error < 1e-9 * here.force_on_a().length(), "{error}");
        assert!((there.area() / here.area() - 1.0).abs() < 1e-9);
    }
}

#[test]
fn bad_arrays_are_refused_and_stale_cells_are_not_shown() {
    let mut rod = RodField::new(RodSection::circle(R, None).unwrap(), E, 3, false).unwrap();
    assert!(rod.update(&[DVec3::ZERO; 3], &[DVec3::X; 3]).is_err());
    let (nodes, directors) = placed(straight(3, 0.1, 0.0), false, 0.0);
    rod.update(&nodes, &directors).unwrap();
    assert!(rod.edge_cells(1).is_empty());
    rod.prepare_edge(1);
    assert_eq!(rod.edge_cells(1).len(), 8);
    rod.prepare_edge(0);
    assert_eq!(rod.edge_cells(0).len(), 16);
    rod.update(&nodes, &directors).unwrap();
    assert!(rod.edge_cells(1).is_empty());
    assert!(RodField::new(RodSection::circle(R, None).unwrap(), -1.0, 3, false).is_err());
}

/// A rod that is hardly twisted is made of tetrahedra, one that is not of prisms: the patch is the same.
#[test]
fn prisms_and_tetrahedra_give_the_same_patch() {
    let soft = PatchBody::soft(&Shape::Cylinder { radius: 0.04, length: 0.2 }, 3e5, None).unwrap();
    let rigid = PatchBody::rigid(&Shape::Cylinder { radius: 0.04, length: 0.2 }, None).unwrap();
    let pose = Pose::new(DVec3::new(0.05, 0.01, -0.042), DQuat::from_rotation_x(1.5));
    let ground = Pose::at(DVec3::new(0.0, 0.0, -0.3 * R));
    let nodes: Vec<DVec3> =
        (0..=6).map(|i| DVec3::new(0.02 * f64::from(i), 0.0, 0.002 * f64::from(i % 2))).collect();
    let section = RodSection::rectangle(3.0 * R, R, None).unwrap();
    let rod = |twist: f64| prepared(section.clone(), &twisted(&nodes, twist), false);
    let (plain, turned) = (rod(0.0), rod(1e-7));
    assert_eq!((plain.edge_cells(2).len(), turned.edge_cells(2).len()), (10, 54));
    let half_space = PatchBody::SoftHalfSpace { gradient: 1e8 };
    for (body, at) in
        [(&soft, &pose), (&rigid, &pose), (&PatchBody::RigidHalfSpace, &ground), (&half_space, &ground)]
    {
        let (one, two) = (total(&plain, body, at), total(&turned, body, at));
        let f = one.force_on_a();
        assert!(f.z > 1.0 && one.polygons.len() < two.polygons.len());
        assert!((f - two.force_on_a()).length() < 1e-5 * f.length(), "{f} {}", two.force_on_a());
        let moments = one.moment_on_a(DVec3::ZERO) - two.moment_on_a(DVec3::ZERO);
        assert!(moments.length() < 1e-5 * f.length() * 0.1, "{moments}");
        assert!((one.area() / two.area() - 1.0).abs() < 1e-5);
    }
    let across =
        prepared(RodSection::circle(R, None).unwrap(), &placed(straight(3, 0.1, 0.8 * R), false, 0.0), false);
    let mut patches = [Patch::default(), Patch::default()];
    for (rod, patch) in [&plain, &turned].into_iter().zip(&mut patches) {
        (0..18).for_each(|k| edge_edge_patch(&across, k / 6, rod, k % 6, patch));
    }
    let [f, g] = patches.map(|p| p.force_on_a());
    assert!(f.z > 1.0 && (f - g).length() < 1e-5 * f.length(), "{f} {g}");
}

/// Directors along y, each turned about its edge by a little more than the last.
fn twisted(nodes: &[DVec3], twist: f64) -> (Vec<DVec3>, Vec<DVec3>) {
    let turned = |(e, w): (usize, &[DVec3])| {
        DQuat::from_axis_angle((w[1] - w[0]).normalize(), twist * e as f64) * DVec3::Y
    };
    (nodes.to_vec(), nodes.windows(2).enumerate().map(turned).collect())
}
