//! Contact of rod edges: agreement with distances, two points without jumps, one contact along a rod.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Random, RandomPose, shape};
use glam::{DMat3, DQuat, DVec3};
use ropewalk_geometry::*;
use ropewalk_linalg::Pose;

fn random_edge(random: &mut Random, apart: f64) -> Edge {
    let a = random.vector(apart);
    let length = random.log_between(0.005, 0.3);
    Edge { a, b: a + length * random.direction(), radius: random.log_between(0.002, 0.05) }
}

/// The edge as a capsule at a pose.
fn capsule(e: &Edge) -> (Collider, Pose) {
    let z = (e.b - e.a).normalize();
    let x = z.any_orthonormal_vector();
    let rotation = DQuat::from_mat3(&DMat3::from_cols(x, z.cross(x), z));
    let shape = Shape::Capsule { radius: e.radius, length: e.a.distance(e.b) };
    (Collider::new(&shape).unwrap(), Pose::new(0.5 * (e.a + e.b), rotation))
}

#[test]
fn the_nearest_point_is_at_the_distance_of_a_capsule() {
    let mut random = Random(21);
    for case in 0..6000 {
        let kind = ["sphere", "capsule", "box", "cylinder", "convex", "half_space"][case % 6];
        let obstacle = Collider::new(&shape(kind, &mut random, 0.02, 0.3)).unwrap();
        let (e, pose) = (random_edge(&mut random, 0.3), random.pose(0.1));
        let (round, at) = capsule(&e);
        let exact = distance(&round, &at, &obstacle, &pose).unwrap();
        let mut found = None;
        edge_collider(&e, &obstacle, &pose, f64::INFINITY, |_, c| found = Some(c));
        let found = found.unwrap();
        assert!((found.gap() - exact.distance).abs() < 1e-12, "{kind}: {found:?} {exact:?}");
        assert!((found.closest.normal - exact.normal_ba).length() < 1e-6, "{kind}: {found:?} {exact:?}");
        let total: f64 = found.points().iter().map(|p| p.weight).sum();
        assert!((total - 1.0).abs() < 1e-15);
        for p in found.points() {
            assert!(
                p.gap >= found.gap() - 1e-12 && p.point.is_finite() && (0.0..=1.0).contains(&p.s),
                "{kind} {found:?}"
            );
            // Its gap is that of a ball of the edge's radius at s.
            let ball = Collider::new(&Shape::Sphere { radius: e.radius }).unwrap();
            let there = Pose::at(e.a + p.s * (e.b - e.a));
            let exact = distance(&ball, &there, &obstacle, &pose).unwrap().distance;
            assert!((p.gap - exact).abs() < 1e-12 || found.points().len() == 1, "{kind} {p:?} {exact}");
        }
    }
}

#[test]
fn two_edges_agree_with_two_capsules_and_with_one_another_exchanged() {
    let mut random = Random(22);
    for _ in 0..6000 {
        let (e, f) = (random_edge(&mut random, 0.2), random_edge(&mut random, 0.2));
        let ((ce, pe), (cf, pf)) = (capsule(&e), capsule(&f));
        let exact = distance(&ce, &pe, &cf, &pf).unwrap();
        let found = edge_edge(&e, &f, f64::INFINITY).unwrap();
        let back = edge_edge(&f, &e, f64::INFINITY).unwrap();
        assert!((found.gap() - exact.distance).abs() < 1e-12, "{found:?} {exact:?}");
        assert!(
            (found.gap() - back.gap()).abs() < 1e-14
                && (found.closest.normal + back.closest.normal).length() < 1e-7
        );
        assert_eq!(found.swapped().swapped(), found);
        assert!(edge_edge(&e, &f, found.gap() - 1e-9).is_none() || found.gap() < -e.radius - f.radius + 1e-9);
    }
}

/// Total penalty force and moment about the middle of the edge, with unit stiffness.
fn wrench(contacts: &EdgeContacts, e: &Edge) -> (DVec3, DVec3) {
    let middle = 0.5 * (e.a + e.b);
    contacts.points().iter().fold((DVec3::ZERO, DVec3::ZERO), |(f, m), p| {
        let force = p.weight * (-p.gap).max(0.0) * p.normal;
        (f + force, m + (p.point - middle).cross(force))
    })
}

/// An edge that turns through parallel over another edge, a cylinder, a plane, a box, a triangle, a hull: force and
/// moment are continuous. Steps of 1e-5 rad change them by less than 1 % of the greatest.
#[test]
fn turning_through_parallel_is_continuous() {
    let corners = [[0.5, 0.5], [0.5, -0.5], [-0.5, 0.5], [-0.5, -0.5]];
    let prism = corners.iter().flat_map(|c| [-1.0, 1.0].map(|z| 0.1 * DVec3::new(2.0 * c[0], 0.2 * c[1], z)));
    let hull =
        Shape::Convex(std::sync::Arc::new(TriangleMesh { vertices: prism.collect(), triangles: vec![] }));
    let lying =
        Pose::new(DVec3::new(0.003, -0.01, 0.001), DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2));
    // Tops of all obstacles are at y = 0, so that the edge, along x, lies on them from above.
    let sideways = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    let obstacles = [
        (Shape::Capsule { radius: 0.01, length: 0.02 }, Pose::new(DVec3::new(0.004, -0.01, 0.0), sideways)),
        (Shape::Cylinder { radius: 0.01, length: 0.02 }, Pose::new(DVec3::new(0.004, -0.01, 0.0), sideways)),
        (Shape::Cylinder { radius: 0.02, length: 0.02 }, lying),
        (Shape::Box { size: DVec3::new(0.02, 0.02, 0.03) }, Pose::at(DVec3::new(0.006, -0.01, 0.002))),
        (Shape::HalfSpace, Pose::new(DVec3::ZERO, DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2))),
        (hull, Pose::at(DVec3::new(0.006, -0.01, 0.002))),
    ];
    let radius = 0.0015;
    for (shape, pose) in obstacles {
        let obstacle = Collider::new(&shape).unwrap();
        for axis in [DVec3::Y, DVec3::Z, DVec3::new(0.0, 0.6, 0.8)] {
            let mut last: Option<(DVec3, DVec3)> = None;
            let mut greatest = (0.0f64, 0.0f64);
            let mut jump = (0.0f64, 0.0f64);
            let mut pairs = 0;
            for step in -40_000..=40_000 {
                let turn = DQuat::from_axis_angle(axis, 1e-5 * step as f64);
                let middle = DVec3::new(0.0, radius - 1e-4, 0.0);
                let half = turn * DVec3::new(0.008, 0.0, 0.0);
                let e = Edge { a: middle - half, b: middle + half, radius };
                let mut now = (DVec3::ZERO, DVec3::ZERO);
                edge_collider(&e, &obstacle, &pose, 1e-3, |_, c| {
                    now = wrench(&c, &e);
                    pairs += usize::from(c.points().len() == 2);
                });
                if let Some(last) = last {
                    jump = (jump.0.max((now.0 - last.0).length()), jump.1.max((now.1 - last.1).length()));
                }
                greatest = (greatest.0.max(now.0.length()), greatest.1.max(now.1.length()));
                last = Some(now);
            }
            let relative = (jump.0 / greatest.0, jump.1 / (greatest.0 * 0.008));
            assert!(pairs > 1000, "{}: {pairs}", shape.kind());
            assert!(relative.0 < 0.01 && relative.1 < 0.01, "{} about {axis}: {relative:?}", shape.kind());
            println!(
                "{:>10} about {axis}: greatest jump of force {:.1e}, of moment {:.1e}",
                shape.kind(),
                relative.0,
                relative.1
            );
        }
    }
}

/// A rod of edges with the given turns in its plane, at each node.
fn bent_rod(turns: &[f64], length: f64, radius: f64) -> Vec<Edge> {
    let mut nodes = vec![DVec3::ZERO];
    let mut angle = 0.0;
    for k in 0..=turns.len() {
        nodes.push(nodes[k] + length * DVec3::new(f64::cos(angle), f64::sin(angle), 0.0));
        angle += turns.get(k).copied().unwrap_or(0.0);
    }
    nodes.windows(2).map(|w| Edge { a: w[0], b: w[1], radius }).collect()
}

/// The edges of an open rod, each with where the rod goes on.
fn rod_edges(rod: &[Edge]) -> Vec<RodEdge> {
    let edge = |(k, edge): (usize, &Edge)| RodEdge {
        edge: *edge,
        before: (k > 0).then(|| rod[k - 1].a),
        has_next: k + 1 < rod.len(),
    };
    rod.iter().enumerate().map(edge).collect()
}

/// Force and stiffness of contacts along a rod that share a unit stiffness, and how many push.
fn shared_force(mut found: Vec<(f64, EdgeContact)>) -> (DVec3, f64, usize) {
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let rows: Vec<RowPlace> =
        found.iter().map(|(along, c)| RowPlace { along: *along, normal: c.normal, gap: c.gap }).collect();
    let (mut force, mut stiffness, mut count) = (DVec3::ZERO, 0.0, 0);
    shares(&rows, 1e-9, |c, share| {
        let RowPlace { normal, gap, .. } = rows[c];
        if gap < 0.0 {
            force -= share * gap * normal;
            stiffness += share;
            count += 1;
        }
    });
    (force, stiffness, count)
}

/// Force on a ball from all edges, with the rule along the rod.
fn force_on_ball(rod: &[Edge], center: DVec3, radius: f64) -> (DVec3, f64, usize) {
    let ball = Collider::new(&Shape::Sphere { radius }).unwrap();
    let margin = 0.1 * rod[0].radius;
    let mut found = Vec::new();
    for (k, e) in rod_edges(rod).iter().enumerate() {
        cover_shape(e, &ball, &Pose::at(center), margin, |c| found.push((k as f64 + c.s, c)));
    }
    let (force, stiffness, count) = shared_force(found);
    (-force, stiffness, count)
}

/// A peg slides along a bent rod, at a constant overlap with the nearest edge, on either side: total force changes by
/// less than 3 % from one place to the next (2 µm on, 0.5 µm on sharp bends, where it changes fast); on gentle bends the force stays within 20 % of that of one contact: nodes beside it share in it.
#[test]
fn a_peg_slides_along_a_bent_rod() {
    let (length, radius, peg, overlap) = (0.003, 0.0015, 0.01, 1e-4);
    for (turns, gentle) in [
        (vec![0.05, -0.03, 0.1, 0.02, -0.1, -0.04], true),
        (vec![0.25, -0.3, 0.2, 0.5, -0.45, -0.2], false),
        (vec![0.0; 6], true),
    ] {
        let rod = bent_rod(&turns, length, radius);
        for above in [1.0, -1.0] {
            let mut last: Option<(DVec3, f64)> = None;
            let (mut jump, mut stiff_jump, mut deviation) = (0.0f64, 0.0f64, 0.0f64);
            let span = rod.last().unwrap().b;
            let steps = if gentle { 8000 } else { 40_000 };
            for step in steps / 25..=steps {
                // Down (or up) on the rod at x until the nearest edge is overlapped by `overlap`.
                let x = span.x * (0.05 + 0.9 * step as f64 / (1.03 * steps as f64));
                let gap = |y: f64| {
                    let c = DVec3::new(x, y, 0.0);
                    rod.iter()
                        .map(|e| edge_sphere(e, c, peg, f64::INFINITY).unwrap().gap())
                        .fold(f64::INFINITY, f64::min)
                };
                let on_axis = rod
                    .iter()
                    .find(|e| e.b.x >= x)
                    .map_or(0.0, |e| e.a.y + (x - e.a.x) * (e.b.y - e.a.y) / (e.b.x - e.a.x));
                let (mut near, mut far) = (on_axis, above * 0.1);
                for _ in 0..60 {
                    let middle = 0.5 * (near + far);
                    if gap(middle) > -overlap { far = middle } else { near = middle }
                }
                let (force, stiffness, count) = force_on_ball(&rod, DVec3::new(x, far, 0.0), peg);
                assert!((1..=4).contains(&count));
                if let Some((f, k)) = last {
                    jump = jump.max((force - f).length() / overlap);
                    stiff_jump = stiff_jump.max((stiffness - k).abs());
                }
                deviation = deviation.max((force.length() / overlap - 1.0).abs());
                last = Some((force, stiffness));
            }
            println!(
                "turns to {:.2}: jump {jump:.1e}, of stiffness {stiff_jump:.1e}, from one contact {deviation:.1e}",
                turns.iter().cloned().fold(0.0, f64::max)
            );
            assert!(jump < 0.03, "{jump}");
            assert!(!gentle || deviation < 0.2, "{deviation}");
        }
    }
}

/// Distance and normal as an edge slides past a node of another rod.
#[test]
fn distance_and_normal_are_continuous_past_a_node() {
    let rod = bent_rod(&[0.2, 0.3], 0.01, 0.001);
    let mut last: Option<(f64, DVec3)> = None;
    for step in 0..20_000 {
        let x = 0.001 + 1e-6 * step as f64;
        let e = Edge { a: DVec3::new(x, -0.004, -0.02), b: DVec3::new(x, -0.004, 0.03), radius: 0.002 };
        let nearest = rod.iter().map(|f| edge_edge(&e, f, f64::INFINITY).unwrap().closest);
        let nearest = nearest.min_by(|a, b| a.gap.total_cmp(&b.gap)).unwrap();
        if let Some((gap, normal)) = last {
            assert!(
                (nearest.gap - gap).abs() < 1.1e-6 && (nearest.normal - normal).length() < 1e-3,
                "at {x}"
            );
        }
        last = Some((nearest.gap, nearest.normal));
    }
}

/// Two rods cross at their nodes: of the four pairs of edges that meet there one reports the contact.
#[test]
fn crossing_nodes_touch_once() {
    let bend = |up: f64| {
        let at = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
        [at(-0.01, 0.0, -0.001 * up), at(0.0, 0.0, 0.0), at(0.01, 0.0, -0.001 * up)]
    };
    let (lower, upper) = (bend(1.0), bend(-1.0).map(|p| DVec3::new(p.y, p.x, p.z + 0.0019)));
    let edges = |n: [DVec3; 3]| rod_edges(&[0, 1].map(|k| Edge { a: n[k], b: n[k + 1], radius: 0.001 }));
    let mut found = Vec::new();
    for e in &edges(lower) {
        for f in &edges(upper) {
            cover_edges(e, f, 0.0, |c| found.push(c));
        }
    }
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].gap + 1e-4).abs() < 1e-12);
}

/// A rod that comes down inclined: every node within reach has a contact, not only the lowest.
#[test]
fn every_node_within_reach_of_a_plane_is_covered() {
    let rod = bent_rod(&[0.0; 4], 0.01, 0.001);
    let tilt = DQuat::from_rotation_z(0.03);
    let plane = Collider::new(&Shape::HalfSpace).unwrap();
    let up = Pose::new(DVec3::new(0.0, -0.002, 0.0), DQuat::from_rotation_arc(DVec3::Z, DVec3::Y));
    let rod: Vec<Edge> = rod.iter().map(|e| Edge { a: tilt * e.a, b: tilt * e.b, ..*e }).collect();
    let mut places = Vec::new();
    for (k, e) in rod_edges(&rod).iter().enumerate() {
        cover_shape(e, &plane, &up, 0.01, |c| places.push(k as f64 + c.s));
    }
    assert_eq!(places, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
}

/// Points of a rod that no contact covers stay above a convex obstacle if all contacts do: the distance along an edge
/// exceeds the least of its contacts nowhere by more than round-off.
#[test]
fn no_part_of_an_edge_is_nearer_than_its_contacts() {
    let mut random = Random(29);
    for case in 0..3000 {
        let kind = ["sphere", "capsule", "box", "cylinder", "convex", "half_space"][case % 6];
        let obstacle = Collider::new(&shape(kind, &mut random, 0.02, 0.3)).unwrap();
        let (edge, pose) = (random_edge(&mut random, 0.3), random.pose(0.1));
        let rod_edge = RodEdge { edge, before: None, has_next: false };
        let mut least = f64::INFINITY;
        cover_shape(&rod_edge, &obstacle, &pose, f64::INFINITY, |c| least = least.min(c.gap));
        let ball = Collider::new(&Shape::Sphere { radius: edge.radius }).unwrap();
        for k in 0..=20 {
            let at = Pose::at(edge.a.lerp(edge.b, 0.05 * f64::from(k)));
            let gap = distance(&ball, &at, &obstacle, &pose).unwrap().distance;
            assert!(gap >= least - 1e-9 || least < -edge.radius, "{kind}: {gap} below {least}");
        }
    }
}

#[test]
fn degenerate_edges_have_finite_contacts() {
    let mut random = Random(23);
    for case in 0..4000 {
        let kind = common::KINDS[case % 6];
        let obstacle = Collider::new(&shape(kind, &mut random, 1e-3, 1e3)).unwrap();
        let pose = random.pose(if case % 2 == 0 { 0.0 } else { 1.0 });
        let a = if case % 3 == 0 { pose.position } else { random.vector(1.0) };
        let b = a + [0.0, 1e-300, 1e-12, 1.0, 1e6][case % 5] * random.direction();
        let e = Edge { a, b, radius: random.log_between(1e-6, 1e3) };
        edge_collider(&e, &obstacle, &pose, f64::INFINITY, |_, c| {
            for p in c.points().iter().chain([&c.closest]) {
                assert!(
                    p.gap.is_finite() && p.point.is_finite() && (p.normal.length() - 1.0).abs() < 1e-9,
                    "{kind} {e:?} {p:?}"
                );
            }
        });
        for f in [e, Edge { a: b, b: a, radius: 1.0 }, Edge { a, b: a, radius: 0.5 }] {
            let c = edge_edge(&e, &f, f64::INFINITY).unwrap();
            assert!(
                c.gap().is_finite() && (c.closest.normal.length() - 1.0).abs() < 1e-9,
                "{e:?} {f:?} {c:?}"
            );
        }
    }
}

/// Flat edges lie on a plane on four corners and on one another on a clipped face.
#[test]
fn flat_edges_touch_in_faces() {
    let lower = FlatEdge::new(DVec3::ZERO, DVec3::new(0.02, 0.0, 0.0), DVec3::Y, 0.006, 0.0012).unwrap();
    let upper = FlatEdge::new(
        DVec3::new(0.005, -0.01, 0.0012),
        DVec3::new(0.005, 0.01, 0.0012),
        DVec3::X,
        0.006,
        0.0012,
    );
    let (upper, mut scratch, mut found) = (upper.unwrap(), ManifoldPoints::default(), Vec::new());
    upper.contacts_with(&lower, 1e-4, &mut scratch, |c| found.push(c)).unwrap();
    assert_eq!(found.len(), 4);
    for c in &found {
        assert!(c.gap.abs() < 1e-15 && (c.normal - DVec3::Z).length() < 1e-12 && c.weight == 0.25);
        assert!((c.t - 0.1).abs() < 1e-12 || (c.t - 0.4).abs() < 1e-12, "{c:?}");
        assert!((c.s - 0.35).abs() < 1e-12 || (c.s - 0.65).abs() < 1e-12, "{c:?}");
    }
    let plane = Collider::new(&Shape::HalfSpace).unwrap();
    found.clear();
    lower
        .contacts(&plane, &Pose::at(DVec3::new(0.0, 0.0, -0.0005)), 0.0, &mut scratch, |c| found.push(c))
        .unwrap();
    assert_eq!(found.len(), 4);
    assert!(found.iter().all(|c| (c.gap + 1e-4).abs() < 1e-15));
}

/// The same with a second rod in place of the peg: bent itself, across the first, sliding past the nodes of both.
#[test]
fn a_rod_slides_across_a_bent_rod() {
    let (length, radius, overlap) = (0.003, 0.0015, 5e-5);
    let rod = bent_rod(&[0.05, -0.1, 0.12, 0.02, -0.1], length, radius);
    let tilt = DQuat::from_rotation_y(1.1) * DQuat::from_rotation_x(0.4);
    let shape = bent_rod(&[0.1, -0.08, 0.1], length, radius);
    let at = |x: f64, y: f64| -> Vec<Edge> {
        let place =
            |p: DVec3| tilt * (p - DVec3::new(0.006, 0.0, 0.0)) + DVec3::new(x, y, 0.35 * (x - 0.009));
        shape.iter().map(|e| Edge { a: place(e.a), b: place(e.b), radius }).collect()
    };
    let nearest = |other: &[Edge]| {
        let pairs =
            rod.iter().flat_map(|e| other.iter().map(move |f| edge_edge(e, f, f64::INFINITY).unwrap().gap()));
        pairs.fold(f64::INFINITY, f64::min)
    };
    let (mut last, mut jump, mut nodes) = (None::<DVec3>, 0.0f64, 0);
    for step in 0..12_000 {
        let x = 0.002 + 1e-6 * step as f64;
        let (mut near, mut far) = (-0.001, 0.02);
        for _ in 0..50 {
            let middle = 0.5 * (near + far);
            if nearest(&at(x, middle)) > -overlap { far = middle } else { near = middle }
        }
        let other = at(x, far);
        let margin = 0.1 * radius;
        let mut found = Vec::new();
        for (i, e) in rod_edges(&rod).iter().enumerate() {
            for f in &rod_edges(&other) {
                cover_edges(e, f, margin, |c| found.push((i as f64 + c.s, c)));
            }
        }
        nodes += usize::from(found.len() > 1);
        let (force, ..) = shared_force(found);
        assert!(force.length() > 0.7 * overlap, "at {x}: {force}");
        if let Some(last) = last {
            jump = jump.max((force - last).length() / overlap);
        }
        last = Some(force);
    }
    println!("greatest jump {jump:.1e}, several pairs in {nodes} of 12000 places");
    assert!(jump < 0.05 && nodes > 1000, "{jump} {nodes}");
}
