//! Coverage: where along a rod of round section contacts are needed so that no part of it can penetrate a surface
//! undetected.
//!
//! The distance from a straight edge to a convex obstacle is a convex function of the place s on the edge. The part
//! between two points that are kept out of the obstacle is therefore kept out, too, unless there is a strict minimum
//! in between. So an edge has a contact
//!
//! - at each of its nodes within reach, and
//! - at an interior point in which the distance has a strict minimum (where the edge lies over the end of a flat face
//!   or side, that is at the ends of the overlap: see [`crate::edge`]).
//!
//! A node counts whether or not a neighbor is nearer: a rope that falls at an angle touches first at its lowest node,
//! and the next nodes reach the floor within the same step. A node belongs to the edge that begins there, so that
//! each has one contact with an obstacle.
//!
//! Rods on rods: the obstacle is a polyline with a radius. A node has a contact wherever its distance is a local
//! minimum along the *other* rod (past a node of the other rod it is that of the next edge), and two edges have one
//! where they are nearest if that is inside both. As a contact slides past a node, two of these coincide in point and
//! normal, so the set of half-space constraints changes continuously.

use crate::collider::{Collider, Kind};
use crate::edge::{Edge, EdgeContact, edge_half_space};
use crate::edge_shape::edge_collider;
use crate::segment::{closest_parameter, closest_parameters, segment_normal};
use glam::DVec3;
use ropewalk_linalg::Pose;

/// A contact closer to a node than this fraction of the edge is reported at the node.
const AT_NODE: f64 = 1e-9;

/// sin² of the angle below which two edges have no strict minimum between their nodes: over a length l and at a
/// distance d of their axes it is deeper than the nodes by less than 5e-7 l²/d.
const STRICT_SINE_SQUARED: f64 = 1e-6;

/// An interior point has a contact if it is nearer than the ends of the overlap by this fraction of the radius.
const STRICTLY_NEARER: f64 = 1e-3;

/// An edge of a rod with its neighborhood.
#[derive(Clone, Copy, Debug)]
pub struct RodEdge {
    /// The edge itself.
    pub edge: Edge,
    /// The node before its first, if any, m.
    pub before: Option<DVec3>,
    /// Whether another edge begins at its second node.
    pub has_next: bool,
}

impl RodEdge {
    fn at(&self, s: f64) -> DVec3 {
        self.edge.a + s * (self.edge.b - self.edge.a)
    }

    /// Parameters and positions of the nodes that this edge reports.
    fn nodes(&self) -> impl Iterator<Item = (f64, DVec3)> {
        let last = (!self.has_next).then_some((1.0, self.edge.b));
        [(0.0, self.edge.a)].into_iter().chain(last)
    }

    /// Whether the nearest point to `x`, at `t` on this edge, is a local minimum along the rod and reported by this
    /// edge.
    pub fn is_nearest_along_rod(&self, x: DVec3, t: f64) -> bool {
        if t >= 1.0 {
            !self.has_next
        } else if t <= 0.0 {
            let a = self.edge.a;
            self.before.is_none_or(|before| (before - a).dot(a - x) >= 0.0)
        } else {
            true
        }
    }
}

/// Visits the contacts of an edge with a shape at a pose, those with a gap of at most `reach` (m).
pub fn cover_shape(
    rod_edge: &RodEdge,
    collider: &Collider,
    pose: &Pose,
    reach: f64,
    mut visit: impl FnMut(EdgeContact),
) {
    let e = &rod_edge.edge;
    if let Kind::HalfSpace = collider.kind {
        // The distance is linear along the edge: its nodes suffice.
        for (s, node) in rod_edge.nodes() {
            let point = Edge { a: node, b: node, radius: e.radius };
            let found = edge_half_space(&point, pose.position, pose.vector(DVec3::Z), reach);
            found.into_iter().for_each(|c| visit(EdgeContact { s, ..c.closest }));
        }
        return;
    }
    let mut near = false;
    edge_collider(e, collider, pose, reach, |_, found| {
        near = true;
        // Where the centerline is inside, the shortest exit of the whole edge differs from those of its nodes.
        if found.closest.gap < -e.radius {
            visit(EdgeContact { weight: 1.0, ..found.closest });
            return;
        }
        // On flat features the nearest point is not unique, and the ends of the overlap are as near, unless there is
        // a ridge or a corner between them.
        let least = found.points().iter().map(|p| p.gap).fold(f64::INFINITY, f64::min);
        let strict = found.spread < 1.0 || found.closest.gap < least - STRICTLY_NEARER * e.radius;
        let nearest = strict.then_some(&found.closest);
        let ends = found.points().iter().filter(|p| p.s != found.closest.s || nearest.is_none());
        for contact in nearest.into_iter().chain(ends) {
            if contact.s > AT_NODE && contact.s < 1.0 - AT_NODE && contact.gap <= reach {
                visit(EdgeContact { weight: 1.0, ..*contact });
            }
        }
    });
    if !near {
        return;
    }
    for (s, node) in rod_edge.nodes() {
        let point = Edge { a: node, b: node, radius: e.radius };
        edge_collider(&point, collider, pose, reach, |_, found| {
            if found.closest.gap <= reach {
                visit(EdgeContact { s, weight: 1.0, ..found.closest });
            }
        });
    }
}

/// Visits the contacts of two edges of rods, those with a gap of at most `reach` (m).
pub fn cover_edges(first: &RodEdge, second: &RodEdge, reach: f64, mut visit: impl FnMut(EdgeContact)) {
    let (e, f) = (&first.edge, &second.edge);
    let limit = e.radius + f.radius + reach;
    let (s, t) = closest_parameters(e.a, e.b, f.a, f.b);
    if limit <= 0.0 || (first.at(s) - second.at(t)).length_squared() >= limit * limit {
        return;
    }
    let contact = |s: f64, t: f64| {
        let (x, y) = (first.at(s), second.at(t));
        let (distance, normal) = segment_normal([e.a, e.b], [f.a, f.b], [s, t], x - y);
        let point = 0.5 * (x - e.radius * normal + y + f.radius * normal);
        EdgeContact { s, t, point, normal, gap: distance - e.radius - f.radius, weight: 1.0 }
    };
    let mut offer = |found: EdgeContact| {
        if found.gap <= reach {
            visit(found);
        }
    };
    let (u, w) = (e.b - e.a, f.b - f.a);
    let crosses =
        || u.cross(w).length_squared() > STRICT_SINE_SQUARED * u.length_squared() * w.length_squared();
    let inside = |s: f64| s > AT_NODE && s < 1.0 - AT_NODE;
    if inside(s) && inside(t) && crosses() {
        offer(contact(s, t));
    }
    let on_second = |node: DVec3| {
        let t = closest_parameter(f.a, f.b, node);
        second.is_nearest_along_rod(node, t).then_some(t)
    };
    for (s, node) in first.nodes() {
        if let Some(t) = on_second(node) {
            offer(contact(s, t));
        }
    }
    for (t, node) in second.nodes() {
        let s = closest_parameter(e.a, e.b, node);
        // A contact of two nodes may have been found above.
        let known = !inside(s) && on_second(first.at(s)) == Some(t);
        if !known && first.is_nearest_along_rod(node, s) {
            offer(contact(s, t));
        }
    }
}

/// A contact of a rod with one obstacle, for [`shares`].
#[derive(Clone, Copy, Debug)]
pub struct RowPlace {
    /// Position along the rod in edges: the index of the edge plus the parameter on it.
    pub along: f64,
    /// Unit normal.
    pub normal: DVec3,
    /// Gap, m.
    pub gap: f64,
}

/// The share of each contact of a rod with one obstacle in a property that was given for one contact (a stiffness):
///
///   share_c = d_c² / Σ_j hat(|s_c − s_j|) (n_c·n_j)₊ d_j²
///
/// over all contacts j, c included, where d is the overlap and hat falls from 1 to 0 over the length of an edge. An
/// isolated contact has 1, two that coincide have ½ each, nodes an edge apart 1 each. Because of the squares the
/// deepest contact keeps the largest share while a neighbor grows. Contacts without overlap count with an overlap of
/// `least` (m). `rows` are in the order of `along`.
pub fn shares(rows: &[RowPlace], least: f64, mut set: impl FnMut(usize, f64)) {
    let measure = |gap: f64| (-gap).max(least).powi(2);
    for (c, row) in rows.iter().enumerate() {
        let term = |other: &RowPlace| {
            let hat = 1.0 - (row.along - other.along).abs();
            hat * row.normal.dot(other.normal).max(0.0) * measure(other.gap)
        };
        let near = |other: &&RowPlace| (row.along - other.along).abs() < 1.0;
        let before: f64 = rows[..c].iter().rev().take_while(near).map(term).sum();
        let after: f64 = rows[c + 1..].iter().take_while(near).map(term).sum();
        let own = measure(row.gap);
        set(c, own / (own + before + after));
    }
}
