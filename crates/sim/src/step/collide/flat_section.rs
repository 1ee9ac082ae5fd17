//! Collide: edges of flat section, which are boxes.
//!
//! Its two rims, the lines half of the thickness inside its narrow sides, are covered like rods of round section
//! ([`ropewalk_geometry::coverage`]): a capsule about a line has a normal as long as the line itself is outside, whatever
//! the depth of the thin box. The points of the box itself ([`ropewalk_geometry::manifold()`]) hold what meets its faces
//! between the rims.
//!
//! A box has end faces where its rod goes on. What slides along the rod, or the rod along it, must not be caught on them:
//! a contact at an end is dropped if the next edge comes nearer there ([`goes_on`]).

use crate::model::{Model, State, Surface};
use crate::step::collide::{Contact, Side, is_flat, radius};
use glam::{DQuat, DVec3};
use ropewalk_geometry::segment::closest_parameter;
use ropewalk_geometry::{Collider, EdgeContact, FlatEdge, ManifoldPoints, Shape};
use ropewalk_linalg::Pose;
use ropewalk_rod::RodState;

/// The box of an edge; `None` for one that has shrunk to nothing.
pub(in crate::step) fn flat_edge(model: &Model, state: &State, (rod, edge): (u32, u32)) -> Option<FlatEdge> {
    let (shape, s) = (&model.rods[rod as usize], &state.rods[rod as usize]);
    let e = edge as usize;
    let [w, h] = shape.half_extents()[e];
    let m1 = s.material_frame(shape, e)[0];
    FlatEdge::new(s.position(e), s.position(shape.edge_end(e)), m1, 2.0 * w, 2.0 * h).ok()
}

/// The rims of an edge: how far they are from the centerline, m, along the wide director.
pub(in crate::step) fn rims(model: &Model, (rod, edge): (u32, u32)) -> [f64; 2] {
    let [a, b] = model.rods[rod as usize].half_extents()[edge as usize];
    [(a - b).abs(), -(a - b).abs()]
}

/// The ends of a rim, m.
pub(in crate::step) fn rim_ends(
    model: &Model,
    s: &RodState,
    (rod, edge): (u32, u32),
    rim: f64,
) -> [DVec3; 2] {
    let (shape, e) = (&model.rods[rod as usize], edge as usize);
    let [a, b] = shape.half_extents()[e];
    let [m1, m2, _] = s.material_frame(shape, e);
    let across = rim * if a > b { m1 } else { m2 };
    [s.position(e) + across, s.position(shape.edge_end(e)) + across]
}

/// Sine of the angle between a normal and the sides of a box above which it belongs to an end.
const END_FACE: f64 = 0.1;

/// Whether a contact with the given normal, towards the edge, is at an end of it where the rod goes on, and nearer.
pub(in crate::step) fn goes_on(model: &Model, state: &State, (rod, edge): (u32, u32), normal: DVec3) -> bool {
    let (shape, s) = (&model.rods[rod as usize], &state.rods[rod as usize]);
    let (e, n) = (edge as usize, shape.edge_count());
    let falls = |along: DVec3| along.dot(normal) < -END_FACE * along.length();
    let along = s.edge(shape, e);
    if falls(along) {
        (shape.closed() || e + 1 < n) && falls(s.edge(shape, (e + 1) % n))
    } else {
        falls(-along) && (shape.closed() || e > 0) && falls(-s.edge(shape, (e + n - 1) % n))
    }
}

/// Adds the contacts of two edges of which at least one is flat.
pub(in crate::step) fn add_pair(
    model: &Model,
    state: &State,
    (a, b): ((u32, u32), (u32, u32)),
    (reach, surface): (f64, Surface),
    out: &mut Vec<Contact>,
) {
    let mut scratch = ManifoldPoints::default();
    let contact =
        |c: EdgeContact, sides: [Side; 2]| Contact::at_point(sides, c.point, (c.normal, c.gap), surface);
    let side = |(rod, edge): (u32, u32), fraction: f64| Side::Edge { rod, edge, fraction };
    // Towards the first of the two.
    let at_inner_end = |normal: DVec3| {
        is_flat(model, a) && goes_on(model, state, a, normal)
            || is_flat(model, b) && goes_on(model, state, b, -normal)
    };
    // A pair without a distance (an edge that has shrunk to nothing) has no contact.
    if is_flat(model, a) && is_flat(model, b) {
        let (Some(first), Some(second)) = (flat_edge(model, state, a), flat_edge(model, state, b)) else {
            return;
        };
        let _ = first.contacts_with(&second, reach, &mut scratch, |c| {
            if !at_inner_end(c.normal) {
                out.push(contact(c, [side(a, c.s), side(b, c.t)]));
            }
        });
        return;
    }
    let (flat, round, flipped) = if is_flat(model, a) { (a, b, false) } else { (b, a, true) };
    let Some(edge) = flat_edge(model, state, flat) else { return };
    let (shape, s) = (&model.rods[round.0 as usize], &state.rods[round.0 as usize]);
    let (p, q) = (s.position(round.1 as usize), s.position(shape.edge_end(round.1 as usize)));
    let length = p.distance(q);
    if length == 0.0 {
        return;
    }
    let capsule = Shape::Capsule { radius: radius(model, round.0, round.1), length };
    let Ok(capsule) = Collider::new(&capsule) else { return };
    let turn = DQuat::from_rotation_arc(DVec3::Z, (q - p) / length);
    let pose = Pose::new(0.5 * (p + q), turn);
    let _ = edge.contacts(&capsule, &pose, reach, &mut scratch, |mut c| {
        let t = closest_parameter(p, q, c.point);
        let sides = if flipped {
            c.normal = -c.normal;
            [side(round, t), side(flat, c.s)]
        } else {
            [side(flat, c.s), side(round, t)]
        };
        if !at_inner_end(c.normal) {
            out.push(contact(c, sides));
        }
    });
}
