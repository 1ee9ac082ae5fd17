//! Collide: edges of flat section, which are boxes.
//!
//! The corners of a section are rounded by [`ROUNDING`] of half of its thickness. The four lines about which they are
//! round are covered like the axis of a round rod ([`ropewalk_geometry::coverage`]): wherever a flat edge touches with a
//! corner, or lies on something, it is one of these that does. What pokes its faces between them is found as
//!
//! - the lines of the other edge, against the box of this one, if the other is an edge;
//! - the lines across its nodes, and points of the manifold ([`ropewalk_geometry::manifold()`]) between all of these, if
//!   the other is a shape.
//!
//! A corner that has gone in deeper than its radius has no normal to tell. At the end of the step the two rims, which are
//! as thick as the section, show what has gone in that far.

use super::Placement;
use super::at_end::is_node;
use crate::model::{Model, Surface};
use crate::step::collide::{Contact, Feature, Side, is_flat, thickness};
use glam::DVec3;
use ropewalk_geometry::segment::closest_parameter;
use ropewalk_geometry::{
    Collider, Edge, EdgeContact, FlatEdge, ManifoldPoints, RodEdge, cover_shape, edge_collider,
};
use ropewalk_linalg::Pose;

/// Rounding of the corners of a section, over half of its thickness: a corner is off by 0.41 of it, a twentieth of the
/// thickness, and has a normal as long as it is not deeper than that in something.
const ROUNDING: f64 = 0.25;

/// Radius of the corners of a flat section, m.
pub(in crate::step) fn corner_radius(model: &Model, edge: (u32, u32)) -> f64 {
    ROUNDING * thickness(model, edge)
}

/// The line of a corner of an edge: two bits for the signs along the two directors.
pub(in crate::step) fn corner_line(place: &Placement<'_>, edge: (u32, u32), corner: u8) -> Edge {
    let model = place.model();
    let [w, h] = model.rods[edge.0 as usize].half_extents()[edge.1 as usize];
    let [m1, m2] = place.directors(edge);
    let inset = corner_radius(model, edge);
    let sign = |bit: u8| if corner & bit == 0 { 1.0 } else { -1.0 };
    let offset = sign(1) * (w - inset) * m1 + sign(2) * (h - inset) * m2;
    let [a, b] = place.ends(edge);
    Edge { a: a + offset, b: b + offset, radius: inset }
}

/// The line across a node of an edge, in the middle of its thickness: half of that is its radius.
pub(in crate::step) fn across_line(place: &Placement<'_>, edge: (u32, u32), end: u8) -> Edge {
    let [w, h] = place.model().rods[edge.0 as usize].half_extents()[edge.1 as usize];
    let [m1, m2] = place.directors(edge);
    let (half, radius) = ((w - h).abs(), w.min(h));
    let across = half * if w > h { m1 } else { m2 };
    let node = place.ends(edge)[usize::from(end > 0)];
    Edge { a: node - across, b: node + across, radius }
}

/// A rim of an edge: the line half of the thickness inside one of its narrow sides.
pub(in crate::step) fn rim_line(place: &Placement<'_>, edge: (u32, u32), rim: u8) -> Edge {
    let [near, far] = [0, 1].map(|end| across_line(place, edge, end));
    let pick = |line: &Edge| if rim == 0 { line.a } else { line.b };
    Edge { a: pick(&near), b: pick(&far), radius: near.radius }
}

/// Visits the lines of an edge with the given axis: that if it is round, else its four corners; the lines across its nodes if
/// `faces` may be poked between corners; and at the end of the step its rims.
fn for_each_line(
    place: &Placement<'_>,
    edge: (u32, u32),
    axis: RodEdge,
    faces: bool,
    mut visit: impl FnMut(Feature, RodEdge),
) {
    let model = place.model();
    if !is_flat(model, edge) {
        return visit(Feature::Axis, axis);
    }
    let count = model.rods[edge.0 as usize].edge_count() as u32;
    let next = axis.has_next.then(|| (edge.0, (edge.1 + 1) % count));
    for corner in 0..4 {
        let line = corner_line(place, edge, corner);
        // A corner goes on from edge to edge where the rod is neither bent nor twisted; else both ends count.
        let goes_on = next.is_some_and(|next| {
            let apart = corner_line(place, next, corner).a.distance(line.b);
            apart < 1e-3 * line.radius
        });
        visit(Feature::Corner(corner), RodEdge { edge: line, before: None, has_next: goes_on });
    }
    let alone = |edge: Edge| RodEdge { edge, before: None, has_next: false };
    let at_end = matches!(place, Placement::End(_));
    if faces || at_end {
        for end in 0..=u8::from(next.is_none()) {
            visit(Feature::Across(end), alone(across_line(place, edge, end)));
        }
    }
    if at_end {
        (0..2).for_each(|rim| visit(Feature::Rim(rim), alone(rim_line(place, edge, rim))));
    }
}

/// Sine of the angle between a normal and the sides of a section above which it belongs to an end.
const END_FACE: f64 = 0.1;

/// Whether a contact with the given normal, towards the edge, would stop the rod along itself where it goes on, and nearer.
/// A strip with a pressure field that slides in between two fingers is thicker before them than between them; its points
/// must not be caught on their sides, where the field gives way.
pub(in crate::step) fn goes_on(place: &Placement<'_>, (rod, edge): (u32, u32), normal: DVec3) -> bool {
    let shape = &place.model().rods[rod as usize];
    let n = shape.edge_count() as u32;
    let falls = |along: DVec3| along.dot(normal) < -END_FACE * along.length();
    let along = place.span((rod, edge));
    if falls(along) {
        (shape.closed() || edge + 1 < n) && falls(place.span((rod, (edge + 1) % n)))
    } else {
        falls(-along) && (shape.closed() || edge > 0) && falls(-place.span((rod, (edge + n - 1) % n)))
    }
}

/// A contact of a line of an edge with something. The ends of a line across an edge are corners, which have their own.
fn on_line(
    (rod, edge): (u32, u32),
    feature: Feature,
    found: &EdgeContact,
    other: Side,
    surface: Surface,
) -> Option<Contact> {
    let fraction = match feature {
        Feature::Across(_) if is_node(found.s) => return None,
        Feature::Across(end) => f64::from(end),
        _ => found.s,
    };
    let sides = [Side::Edge { rod, edge, fraction }, other];
    let contact = Contact::at_point(sides, found.point, (found.normal, found.gap), surface);
    Some(Contact { feature, on_line: found.s, ..contact })
}

/// Adds the contacts of two edges of which at least one is flat: the lines of each against the solid that the other is.
pub(in crate::step) fn add_pair(
    place: &Placement<'_>,
    (a, b): ((u32, u32), (u32, u32)),
    (reach, surface): (f64, Surface),
    out: &mut Vec<Contact>,
) {
    for (owner, other) in [(a, b), (b, a)] {
        // An edge that has shrunk to nothing has no contact.
        let Some((collider, pose)) = place.solid(other) else { continue };
        let axis = place.rod_edge_near(other, owner);
        for_each_line(place, owner, place.rod_edge_near(owner, other), false, |feature, line| {
            cover_shape(&line, &collider, &pose, reach, |found| {
                let Some((found, t)) = within_edge(&found, &line.edge, &axis, (&collider, &pose)) else {
                    return;
                };
                let found = on_own_side(place, (owner, feature), &line.edge, &found, other);
                if found.gap <= reach {
                    let other = Side::Edge { rod: other.0, edge: other.1, fraction: t };
                    out.extend(on_line(owner, feature, &found, other, surface));
                }
            });
        });
    }
}

/// A contact of a line of the edge `owner` that is inside the box of another edge, with the way out on the side of the owner's
/// axis. (Which face is nearest does not tell: one corner that had passed the middle of a thin strip was pushed out
/// by both of its faces.)
pub(in crate::step) fn on_own_side(
    place: &Placement<'_>,
    (owner, feature): ((u32, u32), Feature),
    line: &Edge,
    found: &EdgeContact,
    other: (u32, u32),
) -> EdgeContact {
    if found.gap >= -line.radius || feature == Feature::Axis || !is_flat(place.model(), other) {
        return *found;
    }
    let [w, h] = place.model().rods[other.0 as usize].half_extents()[other.1 as usize];
    let [m1, m2] = place.directors(other);
    let (thin, half) = if w < h { (m1, w) } else { (m2, h) };
    let [a, b] = place.ends(owner);
    let own = if let Feature::Across(end) = feature { [a, b][usize::from(end)] } else { a.lerp(b, found.s) };
    let [from, to] = place.ends(other);
    let middle = 0.5 * (from + to);
    let side = thin.dot(own - middle);
    let leans = thin.dot(found.normal);
    // Beyond the next edges its plane tells nothing.
    let along = to - from;
    let facing = along.dot(own - middle).abs() <= along.length_squared();
    if !facing || side.abs() < half || leans.abs() < 0.5 || leans * side > 0.0 {
        return *found;
    }
    let out = thin * side.signum();
    let at = line.a.lerp(line.b, found.s);
    let gap = out.dot(at - middle) - half - line.radius;
    EdgeContact { normal: out, gap, point: at - (line.radius + 0.5 * gap) * out, ..*found }
}

/// A contact of `line` with the solid of an edge, as one of that edge alone, with the place on it. What is found beyond a node
/// at which the rod goes on is the next edge's; here the line then touches where it passes the plane across that node. (In a
/// bend or a twist each of two edges may be nearest in the other's part. Dropped by both, strips sank into one another.)
pub(in crate::step) fn within_edge(
    found: &EdgeContact,
    line: &Edge,
    axis: &RodEdge,
    (collider, pose): (&Collider, &Pose),
) -> Option<(EdgeContact, f64)> {
    let Edge { a, b, .. } = axis.edge;
    let t = closest_parameter(a, b, found.point);
    if axis.is_nearest_along_rod(found.point, t) {
        return Some((*found, t));
    }
    let there = if is_node(found.s) { None } else { across_node(line, axis, t, (collider, pose)) };
    there.map(|there| (there, t))
}

/// Where a line touches the solid of an edge in the plane across its first (`t` = 0) or second node, at which the rod goes on;
/// none if it does not pass that plane, or the rod ends there.
pub(in crate::step) fn across_node(
    line: &Edge,
    axis: &RodEdge,
    t: f64,
    (collider, pose): (&Collider, &Pose),
) -> Option<EdgeContact> {
    let Edge { a, b, .. } = axis.edge;
    let (node, goes_on) = if t >= 1.0 { (b, axis.has_next) } else { (a, axis.before.is_some()) };
    let s = (b - a).dot(node - line.a) / (b - a).dot(line.b - line.a);
    if !goes_on || is_node(s) || !s.is_finite() {
        return None;
    }
    let place = line.a.lerp(line.b, s);
    let mut there = None;
    edge_collider(
        &Edge { a: place, b: place, radius: line.radius },
        collider,
        pose,
        f64::INFINITY,
        |_, c| {
            there = Some(EdgeContact { s, ..c.closest });
        },
    );
    there
}

/// Adds the contacts of a flat edge with a shape at a pose.
pub(in crate::step) fn add_shape(
    place: &Placement<'_>,
    (edge, axis): ((u32, u32), RodEdge),
    (collider, pose, link): (&Collider, &Pose, Side),
    (reach, surface): (f64, Surface),
    out: &mut Vec<Contact>,
) {
    let pokes = !collider.is_half_space();
    for_each_line(place, edge, axis, pokes, |feature, line| {
        cover_shape(&line, collider, pose, reach, |found| {
            out.extend(on_line(edge, feature, &found, link, surface));
        });
    });
    if !pokes {
        return;
    }
    let Some(flat) = place.flat_edge(edge) else { return };
    let mut scratch = ManifoldPoints::default();
    // A box has a distance to every shape that can be made.
    let _ = flat.contacts(collider, pose, reach, &mut scratch, |found| {
        if is_on_face(place.model(), edge, &flat, &found) {
            out.extend(on_line(edge, Feature::Face, &found, link, surface));
        }
    });
}

/// Whether a point of the manifold of an edge is on one of its faces, away from its lines: those have contacts of their
/// own.
fn is_on_face(model: &Model, edge: (u32, u32), flat: &FlatEdge, found: &EdgeContact) -> bool {
    let [w, h] = model.rods[edge.0 as usize].half_extents()[edge.1 as usize];
    let local = flat.pose().local_point(found.point);
    let rounding = 2.0 * corner_radius(model, edge);
    let at_corner = w - local.x.abs() < rounding && h - local.y.abs() < rounding;
    // An end face is none of the rod's.
    let at_end = flat.pose().local_vector(found.normal).z.abs() > 0.5;
    !at_corner && !at_end && !is_node(found.s)
}
