//! Collide: what is closed at the end of the step without a contact that would hold it open.
//!
//! Contacts are sought within the reach of what moves as it does at the start. A blow may drive something farther, or
//! turn it, so that features meet that were out of reach. Every candidate pair that overlaps at the end of the step is
//! therefore collided again there, by the same narrow phase; a feature that has no contact yet gets one.

use super::at_end::is_node;
use super::{CollisionDetection, Contact, Feature, Pair, Placement, Side, radius, rod_body, thickness};
use crate::step::check::EndOfStep;
use crate::step::collide::look_ahead::Reaches;
use crate::step::constrain::Linearization;
use crate::step::constrain::contact_update::TOLERANCE;
use crate::step::parallel::lot_size;
use rayon::prelude::*;
use ropewalk_geometry::Aabb;
use ropewalk_geometry::segment::closest_parameters;

impl CollisionDetection {
    /// Finds pairs anew if something moves beyond its reach: those whose whole motions come near one another.
    pub(in crate::step) fn follow_motion(&mut self, end: &EndOfStep<'_>, reaches: &Reaches) {
        let farther = |r: usize| end.goes_farther(r, reaches.rod(r));
        if !(0..end.rods.len()).into_par_iter().with_min_len(lot_size(end.rods)).any(farther) {
            return;
        }
        for (bounds, &(r, e)) in self.boxes.iter_mut().zip(&self.items) {
            let moving = end.moving(r as usize, e as usize);
            let ends = [moving.start[0], moving.start[1], moving.end[0], moving.end[1]];
            *bounds = Aabb::of_points(&ends).grown(radius(end.model, r, e));
        }
        self.find_pairs(end.model);
        self.gather_shape_pairs();
    }

    /// Contacts at points that are closed at the end of the step and that none of the present ones, linearized as
    /// `rows`, stands for. They are as they are at the end of the step.
    pub(in crate::step) fn uncovered(
        &self,
        end: &EndOfStep<'_>,
        rows: &[Linearization],
        out: &mut Vec<Contact>,
    ) {
        let place = Placement::End(end);
        let mut found = Vec::new();
        for &(i, j) in &self.pairs {
            let edges = [self.items[i as usize], self.items[j as usize]];
            let [a, b] = edges.map(|edge| place.ends(edge));
            let span: f64 = edges.iter().map(|&(rod, edge)| radius(end.model, rod, edge)).sum();
            let (s, t) = closest_parameters(a[0], a[1], b[0], b[1]);
            if a[0].lerp(a[1], s).distance_squared(b[0].lerp(b[1], t)) >= span * span
                || self.fields.join_edges(edges)
            {
                continue;
            }
            let least = edges.map(|edge| thickness(end.model, edge));
            Pair { place, edges }.add_points(-TOLERANCE * least[0].min(least[1]), &mut found);
        }
        for &(p, item) in &self.shape_pairs {
            let (placed, edge) = (&self.placed[p as usize], self.items[item as usize]);
            if self.fields.join_edge_body(edge.0, p as usize) {
                continue;
            }
            let (place_, reach) = (&place, -TOLERANCE * thickness(end.model, edge));
            if let Some(surface) = rod_body::touching_surface(end.model, end.state, edge, placed) {
                rod_body::add_contacts(place_, edge, placed, (reach, surface), &mut found);
            }
        }
        let is_new = |contact: &Contact| {
            let mut known = self.contacts.iter().zip(rows);
            !known.any(|(other, row)| other.polygon.is_none() && is_same(contact, other.feature, &row.sides))
        };
        out.extend(found.into_iter().filter(is_new));
    }
}

/// Whether a contact is the one that touches with `feature` and has come to be at `sides`.
fn is_same(contact: &Contact, feature: Feature, sides: &[Side; 2]) -> bool {
    let same = |x: &[Side; 2], y: &[Side; 2]| is_same_place(x, y);
    contact.feature == feature && same(&contact.sides, sides)
}

fn is_same_place([a, b]: &[Side; 2], [x, y]: &[Side; 2]) -> bool {
    match (*a, *b, *x, *y) {
        (
            Side::Edge { rod: ra, edge: ea, fraction: s },
            Side::Edge { rod: rb, edge: eb, fraction: t },
            Side::Edge { rod: rx, edge: ex, fraction: u },
            Side::Edge { rod: ry, edge: ey, fraction: w },
        ) => {
            let near = |e: u32, f: u32| e.abs_diff(f) <= 1;
            ra == rx
                && rb == ry
                && if is_node(s) || is_node(u) {
                    node(ea, s) == node(ex, u) && near(eb, ey)
                } else if is_node(t) || is_node(w) {
                    node(eb, t) == node(ey, w) && near(ea, ex)
                } else {
                    (ea, eb) == (ex, ey)
                }
        }
        (
            Side::Edge { rod, edge, fraction },
            Side::Link { tree, shape, .. },
            Side::Edge { rod: rx, edge: ex, fraction: u },
            Side::Link { tree: ty, shape: sy, .. },
        ) => {
            (rod, tree, shape) == (rx, ty, sy)
                && if is_node(fraction) || is_node(u) {
                    node(edge, fraction) == node(ex, u)
                } else {
                    edge == ex
                }
        }
        _ => false,
    }
}

/// The node of an edge at a fraction of it; none inside.
fn node(edge: u32, fraction: f64) -> Option<u32> {
    is_node(fraction).then(|| edge + u32::from(fraction > 0.5))
}
