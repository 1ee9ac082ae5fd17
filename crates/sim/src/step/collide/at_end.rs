//! Collide: where a contact is at the end of the step.
//!
//! A contact is a feature of each side: a node, a place inside an edge, a shape. At the end of the step it is measured
//! anew on the same features, and on the next edge where it has slid past a node:
//!
//! | found at the start | measured at the end |
//! |---|---|
//! | node of a line, and shape | that node against the shape |
//! | inside a line, and shape | the line, or the next one, against the shape |
//! | node of a line, and edge | the node against the edge or the ones next to it, whichever is nearest |
//! | inside a line, and node of a flat edge | the line where it passes the plane across that node |
//! | inside two edges | where the two, or the next ones, are nearest |
//! | face of a flat edge, and shape | the point of the manifold that is nearest on the edge |
//! | two bodies | not measured: the linearization stands |
//!
//! The line of a round edge is its axis; a flat one has a line in each corner ([`super::flat_section`]).

use super::{Contact, Feature, Placement, Side, edges_can_meet, flat_section, is_flat};
use crate::step::check::EndOfStep;
use crate::step::constrain::Linearization;
use glam::DVec3;
use ropewalk_geometry::segment::{closest_parameter, closest_parameters, segment_normal};
use ropewalk_geometry::{
    Collider, Edge, EdgeContact, ManifoldPoint, ManifoldPoints, Shape, edge_collider, manifold,
};
use ropewalk_linalg::Pose;

/// A contact at the end of the step.
#[derive(Clone, Copy, Debug)]
pub(in crate::step) struct AtEnd {
    pub(in crate::step) sides: [Side; 2],
    /// Half way between the surfaces, m.
    pub(in crate::step) point: DVec3,
    /// Unit normal from the second side to the first.
    pub(in crate::step) normal: DVec3,
    /// m.
    pub(in crate::step) gap: f64,
    /// Where on the line of the first side, 0…1.
    pub(in crate::step) on_line: f64,
}

impl EndOfStep<'_> {
    /// Measures `contact`, whose rows are `now`, where its sides are at the end of the step; `None` if it has gone.
    pub(in crate::step) fn contact(&self, contact: &Contact, now: &Linearization) -> Option<AtEnd> {
        match now.sides {
            [
                Side::Edge { rod: ra, edge: ea, fraction: s },
                Side::Edge { rod: rb, edge: eb, fraction: t },
            ] => {
                if is_flat(self.model, (ra, ea)) || is_flat(self.model, (rb, eb)) {
                    return self.line_on_edge((ra, ea, s), contact.feature, (rb, eb, t), now.normal);
                }
                Some(if is_node(s) {
                    self.node_on_rod((ra, ea, s), (rb, eb))
                } else if is_node(t) {
                    self.node_on_rod((rb, eb, t), (ra, ea)).swapped()
                } else {
                    self.edge_on_edge((ra, ea), (rb, eb))
                })
            }
            [Side::Edge { .. }, Side::Link { .. }] if contact.feature == Feature::Face => {
                self.face_on_shape(contact, now)
            }
            [Side::Edge { rod, edge, fraction }, link @ Side::Link { tree, shape, .. }] => {
                let body = &self.model.trees[tree as usize].shapes[shape as usize];
                let pose = self.trees[tree as usize].motion.end_pose(body.link) * body.pose;
                let on_line = place_on_line(contact.feature, fraction);
                let on = |edge: u32| {
                    let line = self.line((rod, edge), contact.feature);
                    let found = self.line_on_solid((on_line, line), (&body.collider, &pose), now.normal)?;
                    let fraction = place_on_edge(contact.feature, found.s, fraction);
                    let EdgeContact { point, normal, gap, s, .. } = found;
                    let sides = [Side::Edge { rod, edge, fraction }, link];
                    Some(AtEnd { sides, point, normal, gap, on_line: s })
                };
                let found = on(edge)?;
                // It may have slid past a node; what is fixed to a node stays there.
                let across = matches!(contact.feature, Feature::Across(_));
                let slid = !across && !is_node(on_line) && is_node(found.on_line);
                let next = if slid { self.edge_beyond(rod, edge, found.on_line) } else { None };
                let beyond = |next: &AtEnd| !is_node(next.on_line) && next.gap < found.gap;
                Some(next.and_then(on).filter(beyond).unwrap_or(found))
            }
            // Bodies turn little in a step, and which points of a manifold belong together is not clear.
            _ => None,
        }
    }

    /// How far the place on the line of the first side where a contact touches now was from the second side at the start of the
    /// step, m; none on faces.
    pub(in crate::step) fn gap_at_start(&self, now: &Linearization, feature: Feature) -> Option<f64> {
        let start = Placement::Start { model: self.model, state: self.state };
        let Side::Edge { rod, edge, .. } = now.sides[0] else { return None };
        let line = start.line((rod, edge), feature)?;
        let place = line.a.lerp(line.b, now.on_line);
        let place = Edge { a: place, b: place, radius: line.radius };
        let mut least = f64::INFINITY;
        let mut measure = |collider: &Collider, pose: &Pose| {
            edge_collider(&place, collider, pose, f64::INFINITY, |_, found| {
                least = least.min(found.closest.gap);
            });
        };
        match now.sides[1] {
            Side::Edge { rod, edge, .. } => {
                let (collider, pose) = start.solid((rod, edge))?;
                measure(&collider, &pose);
            }
            Side::Link { tree, shape, .. } => {
                let body = &self.model.trees[tree as usize].shapes[shape as usize];
                measure(
                    &body.collider,
                    &(self.trees[tree as usize].motion.start.poses[body.link] * body.pose),
                );
            }
        }
        least.is_finite().then_some(least)
    }

    /// The manifold of a flat edge and a shape: its point nearest to where the contact was on the edge.
    fn face_on_shape(&self, contact: &Contact, now: &Linearization) -> Option<AtEnd> {
        let [Side::Edge { rod, edge, .. }, link @ Side::Link { tree, shape, .. }] = now.sides else {
            return None;
        };
        let edge = (rod, edge);
        let start = Placement::Start { model: self.model, state: self.state }.flat_edge(edge)?;
        let flat = Placement::End(self).flat_edge(edge)?;
        let body = &self.model.trees[tree as usize].shapes[shape as usize];
        let pose = self.trees[tree as usize].motion.end_pose(body.link) * body.pose;
        let place = start.pose().local_point(contact.point);
        let size = super::thickness(self.model, edge);
        let reach = contact.gap.abs() + 2.0 * size;
        let mut found = ManifoldPoints::default();
        manifold(flat.collider(), flat.pose(), &body.collider, &pose, reach, &mut found).ok()?;
        let away = |p: &ManifoldPoint| {
            flat.pose().local_point(p.point).distance(place) / size + (p.normal - now.normal).length()
        };
        let nearest = found.points().iter().min_by(|a, b| away(a).total_cmp(&away(b)))?;
        let [a, b] = Placement::End(self).ends(edge);
        let fraction = closest_parameter(a, b, nearest.point);
        let sides = [Side::Edge { rod, edge: edge.1, fraction }, link];
        let ManifoldPoint { point, normal, gap, .. } = *nearest;
        Some(AtEnd { sides, point, normal, gap, on_line: fraction })
    }

    /// A line of an edge, where the edge is at the end of the step.
    fn line(&self, edge: (u32, u32), feature: Feature) -> Edge {
        let place = Placement::End(self);
        place.line(edge, feature).unwrap_or_else(|| place.rod_edge(edge).edge)
    }

    /// The edges of a rod next to `edge`, and itself, that can touch the edge `other`.
    fn neighborhood(&self, rod: u32, edge: u32, other: (u32, u32)) -> impl Iterator<Item = u32> {
        let [before, after] = [0.0, 1.0].map(|node| self.edge_beyond(rod, edge, node));
        let can_meet = move |&near: &u32| near == edge || edges_can_meet(self.model, (rod, near), other);
        [Some(edge), before, after].into_iter().flatten().filter(can_meet)
    }

    /// The edge of a rod that goes on where `edge` ends, at its first or its second node.
    fn edge_beyond(&self, rod: u32, edge: u32, node: f64) -> Option<u32> {
        let shape = &self.model.rods[rod as usize];
        let (n, closed) = (shape.edge_count() as u32, shape.closed());
        if node > 0.5 {
            if edge + 1 < n { Some(edge + 1) } else { closed.then_some(0) }
        } else if edge > 0 {
            Some(edge - 1)
        } else {
            closed.then_some(n - 1)
        }
    }

    /// A line of an edge against the solid of another edge, of which one is flat; a node against that one or those next
    /// to it.
    fn line_on_edge(
        &self,
        (ra, ea, s): (u32, u32, f64),
        feature: Feature,
        (rb, eb, t): (u32, u32, f64),
        normal: DVec3,
    ) -> Option<AtEnd> {
        let line = self.line((ra, ea), feature);
        let place = Placement::End(self);
        let on_line = place_on_line(feature, s);
        if is_node(t) && !is_node(on_line) {
            let (collider, pose) = place.solid((rb, eb))?;
            let axis = place.rod_edge_near((rb, eb), (ra, ea));
            if let Some(found) = flat_section::across_node(&line, &axis, t, (&collider, &pose)) {
                let found = flat_section::on_own_side(&place, ((ra, ea), feature), &line, &found, (rb, eb));
                return Some(AtEnd::on_edge((ra, ea, feature, s), &found, (rb, eb, t)));
            }
        }
        let on = |edge: u32| {
            let (collider, pose) = place.solid((rb, edge))?;
            let found = self.line_on_solid((on_line, line), (&collider, &pose), normal)?;
            let axis = place.rod_edge_near((rb, edge), (ra, ea));
            let own = flat_section::within_edge(&found, &line, &axis, (&collider, &pose));
            let (found, fraction) = match own {
                Some(own) => own,
                None if edge == eb => (found, closest_parameter(axis.edge.a, axis.edge.b, found.point)),
                None => return None,
            };
            let found = flat_section::on_own_side(&place, ((ra, ea), feature), &line, &found, (rb, edge));
            Some(AtEnd::on_edge((ra, ea, feature, s), &found, (rb, edge, fraction)))
        };
        let edges = self.neighborhood(rb, eb, (ra, ea)).take(if is_node(on_line) { 3 } else { 1 });
        edges.filter_map(on).min_by(|x, y| x.gap.total_cmp(&y.gap))
    }

    /// A node, given as the end of an edge, against the edge of another rod that is nearest to it.
    fn node_on_rod(&self, (ra, ea, s): (u32, u32, f64), (rb, eb): (u32, u32)) -> AtEnd {
        let node = self.moving(ra as usize, ea as usize).end[usize::from(s > 0.5)];
        let place = |edge: u32| {
            let [a, b] = self.moving(rb as usize, edge as usize).end;
            let t = closest_parameter(a, b, node);
            (edge, [a, b], t, node - a.lerp(b, t))
        };
        let near = self.neighborhood(rb, eb, (ra, ea)).map(place);
        let nearest = near.min_by(|x, y| x.3.length_squared().total_cmp(&y.3.length_squared()));
        let (edge, other, t, apart) = nearest.unwrap_or_else(|| place(eb));
        let own = self.moving(ra as usize, ea as usize).end;
        let toward = segment_normal(own, other, [s, t], apart);
        self.round_edges(((ra, ea, s), node), ((rb, edge, t), other[0].lerp(other[1], t)), toward)
    }

    /// Two edges where they are nearest, or the next ones if they have slid past a node.
    fn edge_on_edge(&self, a: (u32, u32), b: (u32, u32)) -> AtEnd {
        let mut nearest = self.nearest_on_edges(a, b);
        for side in 0..2 {
            let [
                Side::Edge { rod: ra, edge: ea, fraction: s },
                Side::Edge { rod: rb, edge: eb, fraction: t },
            ] = nearest.sides
            else {
                continue;
            };
            let next = match side {
                0 if is_node(s) => self.edge_beyond(ra, ea, s).map(|e| ((ra, e), (rb, eb))),
                1 if is_node(t) => self.edge_beyond(rb, eb, t).map(|e| ((ra, ea), (rb, e))),
                _ => None,
            };
            let Some((a, b)) = next.filter(|&(a, b)| edges_can_meet(self.model, a, b)) else { continue };
            let there = self.nearest_on_edges(a, b);
            if there.gap < nearest.gap {
                nearest = there;
            }
        }
        nearest
    }

    /// Two edges where they are nearest.
    fn nearest_on_edges(&self, (ra, ea): (u32, u32), (rb, eb): (u32, u32)) -> AtEnd {
        let (a, b) = (self.moving(ra as usize, ea as usize).end, self.moving(rb as usize, eb as usize).end);
        let (s, t) = closest_parameters(a[0], a[1], b[0], b[1]);
        let (on_a, on_b) = (a[0].lerp(a[1], s), b[0].lerp(b[1], t));
        let toward = segment_normal(a, b, [s, t], on_a - on_b);
        self.round_edges(((ra, ea, s), on_a), ((rb, eb, t), on_b), toward)
    }

    /// A contact of two round edges at places on their axes, a `distance` (m) apart along `normal`.
    fn round_edges(
        &self,
        ((ra, ea, s), on_a): ((u32, u32, f64), DVec3),
        ((rb, eb, t), on_b): ((u32, u32, f64), DVec3),
        (distance, normal): (f64, DVec3),
    ) -> AtEnd {
        let [a, b] = [(ra, ea), (rb, eb)].map(|(rod, edge)| self.radius(rod as usize, edge as usize));
        let sides =
            [Side::Edge { rod: ra, edge: ea, fraction: s }, Side::Edge { rod: rb, edge: eb, fraction: t }];
        let point = 0.5 * (on_a + on_b + (b - a) * normal);
        AtEnd { sides, point, normal, gap: distance - (a + b), on_line: s }
    }

    /// A node of a line, or the line, against a solid at a pose. A mesh has a point on each triangle that is near: the
    /// same contact has nearly the same normal.
    fn line_on_solid(
        &self,
        (s, mut line): (f64, Edge),
        (collider, pose): (&Collider, &Pose),
        normal: DVec3,
    ) -> Option<EdgeContact> {
        // Beyond that it has gone.
        let reach = 2.0 * line.radius + line.a.distance(line.b);
        if is_node(s) {
            let node = if s > 0.5 { line.b } else { line.a };
            (line.a, line.b) = (node, node);
        }
        let mut nearest: Option<(f64, EdgeContact)> = None;
        edge_collider(&line, collider, pose, reach, |_, found| {
            for point in [&found.closest].into_iter().chain(found.points()) {
                let fraction = if is_node(s) { s } else { point.s };
                let away = (fraction - s).abs() + (point.normal - normal).length();
                if nearest.is_none_or(|(least, _)| away < least) {
                    nearest = Some((away, EdgeContact { s: fraction, ..*point }));
                }
            }
        });
        let found = nearest.map(|(_, found)| found)?;
        if found.gap >= 0.0 || found.normal.dot(normal) >= OPPOSITE_FACE {
            return Some(found);
        }
        if matches!(collider.shape(), Shape::Mesh(_) | Shape::Heightfield(_)) {
            return Some(found);
        }
        // It has gone through the middle of something thin: the way out is the one by which it came in.
        let out = face_normal(collider, pose, normal);
        let place = line.a.lerp(line.b, if is_node(s) { 0.0 } else { found.s });
        let gap = out.dot(place - collider.support(pose, out)?) - line.radius;
        let point = place - (line.radius + 0.5 * gap) * out;
        Some(EdgeContact { normal: out, gap, point, ..found })
    }
}

/// Cosine of the angle to the normal of a contact beyond which it is that of an opposite face. (Between them are corners,
/// round which a contact goes from face to face.)
const OPPOSITE_FACE: f64 = -0.5;

/// The normal of the face of a box that faces `normal` most; of another solid, `normal`.
fn face_normal(collider: &Collider, pose: &Pose, normal: DVec3) -> DVec3 {
    let Shape::Box { .. } = collider.shape() else { return normal };
    let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| pose.vector(axis));
    let facing = |axis: &DVec3| axis.dot(normal);
    let most = axes.iter().max_by(|a, b| facing(a).abs().total_cmp(&facing(b).abs()));
    most.map_or(normal, |axis| *axis * facing(axis).signum())
}

/// Where on its line a contact is that is at `fraction` of its edge: on one across the edge, inside.
fn place_on_line(feature: Feature, fraction: f64) -> f64 {
    if let Feature::Across(_) = feature { 0.5 } else { fraction }
}

/// Where on the edge a place on its line is: a line across the edge is at its node, where it was.
fn place_on_edge(feature: Feature, on_line: f64, fraction: f64) -> f64 {
    if let Feature::Across(_) = feature { fraction } else { on_line }
}

impl AtEnd {
    /// A line of an edge, which was at `s` of it, at a place on another edge.
    fn on_edge(
        (ra, ea, feature, s): (u32, u32, Feature, f64),
        found: &EdgeContact,
        (rb, eb, t): (u32, u32, f64),
    ) -> Self {
        let fraction = place_on_edge(feature, found.s, s);
        let sides =
            [Side::Edge { rod: ra, edge: ea, fraction }, Side::Edge { rod: rb, edge: eb, fraction: t }];
        Self { sides, point: found.point, normal: found.normal, gap: found.gap, on_line: found.s }
    }

    fn swapped(self) -> Self {
        let [a, b] = self.sides;
        let Side::Edge { fraction: on_line, .. } = b else { return self };
        Self { sides: [b, a], normal: -self.normal, on_line, ..self }
    }
}

/// Whether a place on an edge is one of its nodes.
pub(in crate::step) fn is_node(fraction: f64) -> bool {
    fraction <= 0.0 || fraction >= 1.0
}
