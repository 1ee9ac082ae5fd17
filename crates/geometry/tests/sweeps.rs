//! Sweeps against a dense sampling of the motion, and bounding-volume hierarchies against all pairs.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Random, RandomPose, shape};
use glam::DVec3;
use ropewalk_geometry::*;
use ropewalk_linalg::Pose;

fn moving(random: &mut Random, travel: f64) -> MovingSegment {
    let a = random.vector(0.2);
    let b = a + random.log_between(0.2, 1.0) * random.direction();
    MovingSegment { start: [a, b], end: [a + random.vector(travel), b + random.vector(travel)] }
}

/// Least distance over times that are `steps` apart, and when it is first below `eta`.
fn sampled(distance: impl Fn(f64) -> f64, steps: usize, eta: f64) -> (f64, Option<f64>) {
    let mut least = f64::INFINITY;
    let mut first = None;
    for k in 0..=steps {
        let tau = k as f64 / steps as f64;
        let d = distance(tau);
        least = least.min(d);
        if d <= eta && first.is_none() {
            first = Some(tau);
        }
    }
    (least, first)
}

#[test]
fn moving_segments_are_caught_as_sampling_catches_them() {
    let mut random = Random(31);
    let (mut hits, mut crossings) = (0, 0);
    for case in 0..1500 {
        let travel = [0.01, 0.3, 1.0][case % 3];
        let (a, mut b) = (moving(&mut random, travel), moving(&mut random, travel));
        if case % 5 == 0 {
            // In one plane: the cubic of coplanarity vanishes for all times.
            for p in b.start.iter_mut().chain(b.end.iter_mut()) {
                p.z = 0.0;
            }
        }
        let eta = 1e-3;
        let edge = |m: &MovingSegment, tau: f64| {
            let [a, b] = m.at(tau);
            Edge { a, b, radius: 0.0 }
        };
        let d = |tau: f64| edge_edge(&edge(&a, tau), &edge(&b, tau), f64::INFINITY).unwrap().gap();
        let (least, first) = sampled(d, 4000, eta);
        let found = sweep_segments(&a, &b, eta);
        match (found, first) {
            (Some(tau), Some(first)) => {
                assert!(tau <= first + 1e-9, "later than the samples: {tau} {first}");
                assert!(d(tau) <= 1.02 * eta, "no contact at {tau}: {}", d(tau));
            }
            (None, Some(first)) => panic!("missed at {first}: {least}"),
            // Between two samples: so near that they cannot tell.
            (Some(tau), None) => assert!(d(tau) <= 1.02 * eta && least < eta + 4e-3, "{tau} {least}"),
            (None, None) => {}
        }
        hits += usize::from(found.is_some());
        // The sign of the volume changes and the lines cross inside both segments: a true passage is always caught.
        crossings += usize::from(first.is_some_and(|f| f > 0.0));
    }
    assert!(hits > 100 && crossings > 100, "{hits} {crossings}");
}

#[test]
fn solids_and_triangles_are_not_passed() {
    let mut random = Random(32);
    let mut hits = 0;
    for case in 0..1200 {
        let kind = ["sphere", "capsule", "box", "cylinder", "convex"][case % 5];
        let solid = Collider::new(&shape(kind, &mut random, 0.05, 0.5)).unwrap();
        let (start, turn) = (random.pose(0.2), 0.05 * random.direction());
        let end = Pose::new(
            start.position + random.vector(0.3),
            ropewalk_linalg::pose::exp_rotation(turn) * start.rotation,
        );
        let a = moving(&mut random, 1.0);
        let found = sweep_collider(&a, &solid, &start, &end, 1e-4);
        // Straight through the middle of the solid is a passage, however fast.
        let along = 0.5 * (start.position + end.position);
        let middle = MovingSegment {
            start: [DVec3::X, -DVec3::X].map(|d| along + 10.0 * DVec3::Z + 5.0 * d),
            end: [DVec3::X, -DVec3::X].map(|d| along - 10.0 * DVec3::Z + 5.0 * d),
        };
        let center = if kind == "convex" { Pose::IDENTITY } else { Pose::at(along) };
        if kind != "convex" {
            let tau = sweep_collider(&middle, &solid, &center, &center, 1e-4).unwrap();
            assert!(tau > 0.0 && tau < 0.51);
        }
        if let Some(tau) = found {
            hits += 1;
            // It is inside the solid then.
            let seen = a.seen_from(&start, &end).at(tau);
            let thin = Edge { a: seen[0], b: seen[1], radius: 0.0 };
            edge_collider(&thin, &solid, &Pose::IDENTITY, f64::INFINITY, |_, c| {
                assert!(c.gap() < 2e-4, "{kind} {c:?}")
            });
        }
    }
    assert!(hits > 50, "{hits}");
    let wall = [DVec3::new(0.0, -1.0, -1.0), DVec3::new(0.0, 1.0, -1.0), DVec3::new(0.0, 0.0, 2.0)];
    let through = MovingSegment {
        start: [DVec3::new(-3.0, 0.1, 0.0), DVec3::new(-2.0, 0.1, 0.3)],
        end: [DVec3::new(3.0, 0.1, 0.0), DVec3::new(3.0, 0.1, 0.1)],
    };
    let tau = sweep_triangle(&through, &wall, 1e-4).unwrap();
    assert!((tau - 0.4).abs() < 1e-3, "{tau}");
    let past = MovingSegment {
        start: through.start.map(|p| p + 5.0 * DVec3::Y),
        end: through.end.map(|p| p + 5.0 * DVec3::Y),
    };
    assert_eq!(sweep_triangle(&past, &wall, 1e-4), None);
}

#[test]
fn trees_find_all_pairs() {
    let mut random = Random(33);
    for case in 0..60 {
        let mut boxes = |n: usize| -> Vec<Aabb> {
            (0..n)
                .map(|_| Aabb::of_segment(random.vector(1.0), random.vector(1.0), 0.0))
                .map(|b| Aabb { min: b.min, max: b.min + 0.2 * (b.max - b.min) })
                .collect()
        };
        let (first, second, moved) = (boxes(case), boxes(2 * case + 1), boxes(case));
        for spatial in [false, true] {
            let build = |b: &[Aabb]| if spatial { Bvh::spatial(b) } else { Bvh::ordered(b) };
            let (mut a, b) = (build(&first), build(&second));
            for list in [&first, &moved] {
                a.refit(list);
                assert_eq!(a.item_count(), list.len());
                let mut found = Vec::new();
                a.pairs(&b, |i, j| found.push((i, j)));
                let mut again = Vec::new();
                a.pairs(&b, |i, j| again.push((i, j)));
                assert_eq!(found, again);
                found.sort_unstable();
                let all = |x: &[Aabb], y: &[Aabb], keep: &dyn Fn(usize, usize) -> bool| {
                    let mut out = Vec::new();
                    for i in 0..x.len() {
                        for j in 0..y.len() {
                            if keep(i, j) && x[i].meets(&y[j]) {
                                out.push((i as u32, j as u32));
                            }
                        }
                    }
                    out
                };
                assert_eq!(found, all(list, &second, &|_, _| true));
                let mut own = Vec::new();
                a.self_pairs(|i, j| own.push((i.min(j), i.max(j))));
                let mut by_parts = Vec::new();
                for part in a.self_parts(7) {
                    a.self_pairs_of(part, |i, j| by_parts.push((i.min(j), i.max(j))));
                }
                assert_eq!(own, by_parts);
                own.sort_unstable();
                assert_eq!(own, all(list, list, &|i, j| i < j));
                let mut near = Vec::new();
                a.query(&second[0], |i| near.push(i));
                near.sort_unstable();
                assert_eq!(
                    near,
                    (0..list.len() as u32)
                        .filter(|&i| list[i as usize].meets(&second[0]))
                        .collect::<Vec<_>>()
                );
            }
        }
    }
}

/// A half-space is passed when a centerline that started above its plane ends below: nothing else tells a rope that
/// went through the floor in one step from one that has always been there.
#[test]
fn a_half_space_is_passed_from_above() {
    let plane = Collider::new(&Shape::HalfSpace).unwrap();
    let at = Pose::at(DVec3::new(0.0, 0.0, 0.1));
    let segment = |z: [f64; 2]| z.map(|z| DVec3::new(z, 0.0, z));
    let moving = |start: [f64; 2], end: [f64; 2]| MovingSegment { start: segment(start), end: segment(end) };
    let hit = |m: MovingSegment| sweep_collider(&m, &plane, &at, &at, 1e-4);
    assert_eq!(hit(moving([0.2, 0.3], [0.15, 0.2])), None);
    let tau = hit(moving([0.2, 0.3], [0.0, 0.3])).unwrap();
    assert!((tau - 0.4995).abs() < 1e-6, "{tau}");
    // The plane comes up instead.
    let up = Pose::at(DVec3::new(0.0, 0.0, 0.25));
    assert!(sweep_collider(&moving([0.2, 0.3], [0.2, 0.3]), &plane, &at, &up, 1e-4).is_some());
}
