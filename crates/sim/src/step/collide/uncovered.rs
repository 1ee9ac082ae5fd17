//! Collide: what is closed at the end of the step without a contact that would hold it open.
//!
//! Contacts are sought within the reach of what moves as it does at the start. A blow may drive something farther, or
//! turn it, so that features meet that were out of reach. Every candidate pair that overlaps at the end of the step is
//! therefore collided again there, by the same narrow phase; a feature that has no contact yet gets one.

use super::at_end::is_node;
use super::{CollisionDetection, Contact, Feature, Pair, Placement, Side, radius, rod_body, thickness};
use crate::step::check::EndOfStep;
use crate::step::collide::look_ahead::Reaches;
use crate::step::collide::patch::{DEEP, NEARLY_DEEP, Points, sink_points};
use crate::step::constrain::Linearization;
use crate::step::constrain::contact_update::half_thickness;
use crate::step::constrain::friction_memory::side_number;
use crate::step::constrain::linearization::Taken;
use crate::step::parallel::lot_size;
use rayon::prelude::*;
use ropewalk_geometry::segment::closest_parameters;
use ropewalk_geometry::{Aabb, Shape};

impl CollisionDetection {
    /// Finds pairs anew if something moves beyond its reach: those whose whole motions come near one another.
    pub(in crate::step) fn follow_motion(&mut self, end: &EndOfStep<'_>, reaches: &Reaches) {
        let farther = |r: usize| end.goes_farther(r, reaches.rod(r));
        let rods = (0..end.rods.len()).into_par_iter().with_min_len(lot_size(end.rods)).any(farther);
        if !(self.follow_shapes(end) | rods) {
            return;
        }
        for (bounds, &(r, e)) in self.boxes.iter_mut().zip(&self.items) {
            // With what was within reach before: the next motion found may be a shorter one, another way.
            let moving = end.moving(r as usize, e as usize);
            let (radius, reach) = (radius(end.model, r, e), reaches.edge(r as usize, e as usize));
            let from = Aabb::of_points(&moving.start).grown(radius + reach);
            *bounds = from.joined(&Aabb::of_points(&moving.end).grown(radius));
        }
        self.find_pairs(end.model);
        self.gather_shape_pairs();
    }

    /// Makes the boxes of shapes that move beyond their reach larger. False if none does.
    fn follow_shapes(&mut self, end: &EndOfStep<'_>) -> bool {
        let mut any = false;
        for placed in &mut self.placed {
            let shape = placed.body_shape(end.model);
            let pose = Placement::End(end).shape_pose((placed.tree, placed.shape), &placed.pose);
            let (moved, turned) = (
                pose.position.distance(placed.pose.position),
                (pose.rotation * placed.pose.rotation.inverse()).to_scaled_axis().length(),
            );
            let bounds = shape.collider.shape().world_bounds(&pose);
            let far = moved + turned * bounds.map_or(0.0, |b| b.half().length());
            if far > placed.reach {
                any = true;
                (placed.reach, placed.turn) = (far, placed.turn.max(turned));
                placed.bounds = placed.bounds.zip(bounds).map(|(a, b)| a.joined(&b));
            }
        }
        any
    }

    /// Contacts at points that are closed at the end of the step, as they are there, and that none of those present which
    /// are known to be near closed there (`gap_at_end` in m, by index) stands for; with the index of the one that does if it
    /// were. `rows` are what the present ones are linearized as.
    pub(in crate::step) fn uncovered(
        &mut self,
        end: &EndOfStep<'_>,
        (rows, reaches): (&[Linearization], &Reaches),
        gap_at_end: impl Fn(usize) -> Option<f64>,
        out: &mut Vec<(Option<usize>, Contact)>,
    ) {
        let goes_farther =
            |edge: (u32, u32)| end.farthest(edge) > reaches.edge(edge.0 as usize, edge.1 as usize);
        let place = Placement::End(end);
        out.clear();
        let mut found = core::mem::take(&mut self.closed_at_end);
        found.clear();
        self.list_patches(end);
        for &(i, j) in &self.pairs {
            let edges = [self.items[i as usize], self.items[j as usize]];
            let [a, b] = edges.map(|edge| place.ends(edge));
            let span: f64 = edges.iter().map(|&(rod, edge)| radius(end.model, rod, edge)).sum();
            let (s, t) = closest_parameters(a[0], a[1], b[0], b[1]);
            if a[0].lerp(a[1], s).distance_squared(b[0].lerp(b[1], t)) >= span * span {
                continue;
            }
            let joined = self.fields.join_edges(edges);
            let halves = edges.map(|edge| thickness(end.model, edge));
            let is_new = || edges.into_iter().any(goes_farther);
            if joined && !self.may_be_deep(edges.map(on_edge), halves[0] + halves[1], is_new) {
                continue;
            }
            let (first, reach) = (found.len(), -end.tuning().contact_tolerance * halves[0].min(halves[1]));
            Pair { place, edges }.add_points(reach, &mut found);
            if joined {
                sink_points(&mut found, first, Points::From(DEEP), halves[0] + halves[1], reach);
            }
        }
        for &(p, item) in &self.shape_pairs {
            let (placed, edge) = (&self.placed[p as usize], self.items[item as usize]);
            let joined = self.fields.join_edge_body(edge.0, p as usize);
            let link = Side::Link { tree: placed.tree, link: 0, shape: placed.shape };
            let half = thickness(end.model, edge);
            if joined && !self.may_be_deep([on_edge(edge), link], half, || goes_farther(edge)) {
                continue;
            }
            let (first, reach) = (found.len(), -end.tuning().contact_tolerance * half);
            if let Some(surface) = rod_body::touching_surface(end.model, end.state, edge, placed) {
                rod_body::add_contacts(&place, edge, placed, (reach, surface), &mut found);
            }
            if joined {
                sink_points(&mut found, first, Points::From(DEEP), half, reach);
            }
        }
        let slack =
            |contact: &Contact| end.tuning().contact_tolerance * half_thickness(&contact.sides, end.model);
        let point = |&(_, (other, _)): &(usize, (&Contact, &Linearization))| other.polygon.is_none();
        let points = self.contacts.iter().zip(rows).enumerate().filter(point);
        // Mostly nothing is closed that no contact holds open.
        if !found.is_empty() {
            self.contacts_by_edge.list(points.map(|(c, (_, row))| (c, &row.sides)));
        }
        for contact in &found {
            let (mut first, mut covered) = (None, false);
            for c in self.contacts_by_edge.near(&contact.sides) {
                let row = &rows[c];
                let stands = || gap_at_end(c).is_some_and(|gap| gap < contact.gap + slack(contact));
                let same = is_same(contact, self.contacts[c].feature, &row.sides)
                    && (contact.feature != Feature::Face || is_near_on_face(end, contact, row))
                    && is_same_on_surface(end, contact, row);
                // A spring pushes as deep as it is, be it along another line of the section.
                let pushes = contact.surface.stiffness.is_some() && is_near_along(contact, row);
                if same {
                    first = Some(first.map_or(c, |other: usize| other.min(c)));
                }
                covered |= (same || pushes) && stands();
            }
            if !covered {
                out.push((first, *contact));
            }
        }
        self.closed_at_end = found;
        self.uncovered_bodies(end, rows, out);
    }

    /// Lists the pairs that touch in patches, with how far they sink into one another by the motion found, and those of fields that
    /// have points already.
    fn list_patches(&mut self, end: &EndOfStep<'_>) {
        let Self { contacts, patches, .. } = self;
        patches.clear();
        for contact in contacts.iter() {
            let sinks = if contact.polygon.is_some() {
                let [a, b] = contact.sides.each_ref().map(|side| end.carried(side, contact.point));
                contact.normal.dot(b - a)
            } else if contact.sunk > 0.0 {
                0.0
            } else {
                continue;
            };
            patches.push((contact.sides.map(side_number), sinks));
        }
        patches.sort_unstable_by_key(|(pair, _)| *pair);
        patches.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.max(next.1);
            }
            same
        });
    }

    /// Whether two fields of the depth `depth` (m) together may be deep in one another at the end of the step without a point that
    /// holds them: if they touch in a patch (those that are nearly deep have points) and sink in so far, or do not touch and move
    /// farther than was expected (`is_new`).
    fn may_be_deep(&self, sides: [Side; 2], depth: f64, is_new: impl Fn() -> bool) -> bool {
        let [a, b] = sides.map(side_number);
        let find = |pair: [u64; 2]| self.patches.binary_search_by_key(&pair, |(pair, _)| *pair);
        match find([a, b]).or_else(|_| find([b, a])) {
            Ok(at) => self.patches[at].1 > (DEEP - NEARLY_DEEP) * depth,
            Err(_) => is_new(),
        }
    }
}

/// An edge as a side, wherever on it.
fn on_edge((rod, edge): (u32, u32)) -> Side {
    Side::Edge { rod, edge, fraction: 0.0 }
}

/// Whether a point on the face of a flat edge at the end of the step is within its thickness of where `row` is on it.
fn is_near_on_face(end: &EndOfStep<'_>, contact: &Contact, row: &Linearization) -> bool {
    let Side::Edge { rod, edge, .. } = contact.sides[0] else { return true };
    let (to, start) = (Placement::End(end), Placement::Start { model: end.model, state: end.state });
    let from = if row.taken == Taken::AtEnd { to } else { start };
    let (Some(from), Some(to)) = (from.flat_edge((rod, edge)), to.flat_edge((rod, edge))) else {
        return true;
    };
    let apart = from.pose().local_point(row.point) - to.pose().local_point(contact.point);
    apart.length() < 2.0 * thickness(end.model, (rod, edge))
}

/// Whether an edge touches the other side of a contact in one stretch at the most.
fn is_convex(end: &EndOfStep<'_>, contact: &Contact) -> bool {
    let Side::Link { tree, shape, .. } = contact.sides[1] else { return true };
    let body = &end.model.trees[tree as usize].shapes[shape as usize];
    !matches!(body.collider.shape(), Shape::Mesh(_) | Shape::Heightfield(_))
}

/// Whether a contact of an edge with a surface that is not convex, which it may touch in several places, is the one of `row`.
fn is_same_on_surface(end: &EndOfStep<'_>, contact: &Contact, row: &Linearization) -> bool {
    let [Side::Edge { rod, edge, .. }, Side::Link { .. }] = contact.sides else { return true };
    if is_convex(end, contact) {
        return true;
    }
    let along = (contact.on_line - row.on_line).abs() * Placement::End(end).span((rod, edge)).length();
    along < thickness(end.model, (rod, edge)) && contact.normal.dot(row.normal) > end.tuning().same_contact
}

/// Whether a contact is less than an edge away along the rod from `row`, which is of the same rod and obstacle.
fn is_near_along(contact: &Contact, row: &Linearization) -> bool {
    let Side::Edge { rod, edge, fraction } = contact.sides[0] else { return false };
    let Side::Edge { rod: rx, edge: ex, fraction: u } = row.sides[0] else { return false };
    let apart = f64::from(edge) + fraction - f64::from(ex) - u;
    rod == rx && apart.abs() < 1.0
}

/// Whether a contact is the one that touches with `feature` and has come to be at `sides`.
fn is_same(contact: &Contact, feature: Feature, sides: &[Side; 2]) -> bool {
    if contact.feature != feature {
        return false;
    }
    // An axis goes on from edge to edge; the corners of two edges end apart where the rod is bent or twisted.
    let node = |edge: u32, fraction: f64| {
        let end = u32::from(fraction > 0.5);
        is_node(fraction).then_some(if feature == Feature::Axis { (edge + end, 0) } else { (edge, end) })
    };
    match (contact.sides, *sides) {
        (
            [Side::Edge { rod: ra, edge: ea, fraction: s }, Side::Edge { rod: rb, edge: eb, fraction: t }],
            [Side::Edge { rod: rx, edge: ex, fraction: u }, Side::Edge { rod: ry, edge: ey, fraction: w }],
        ) => {
            let place = if is_node(s) || is_node(u) {
                node(ea, s) == node(ex, u) && eb.abs_diff(ey) <= 1
            } else if is_node(t) || is_node(w) {
                node(eb, t) == node(ey, w) && ea.abs_diff(ex) <= 1
            } else {
                (ea, eb) == (ex, ey)
            };
            (ra, rb) == (rx, ry) && place
        }
        (
            [Side::Edge { rod, edge, fraction }, Side::Link { tree, shape, .. }],
            [Side::Edge { rod: rx, edge: ex, fraction: u }, Side::Link { tree: ty, shape: sy, .. }],
        ) => {
            let place = if is_node(fraction) || is_node(u) {
                node(edge, fraction) == node(ex, u)
            } else {
                edge == ex
            };
            (rod, tree, shape) == (rx, ty, sy) && place
        }
        _ => false,
    }
}
