//! Collide: shapes of bodies against shapes of others, at the start of the step and where the motion found leads.

use crate::model::{BodyShape, Model, Surface};
use crate::step::check::EndOfStep;
use crate::step::collide::patch::Points;
use crate::step::collide::rod_body::Placed;
use crate::step::collide::{CollisionDetection, Contact, Feature, Placement, Side};
use crate::step::constrain::Linearization;
use crate::step::constrain::contact_update::half_thickness;
use crate::step::constrain::linearization::Taken;
use ropewalk_geometry::{Aabb, ManifoldPoint, ManifoldPoints, manifold};

impl Placed {
    fn side(&self, model: &Model) -> Side {
        Side::Link { tree: self.tree, link: self.body_shape(model).link as u32, shape: self.shape }
    }
}

impl CollisionDetection {
    /// Visits the pairs of shapes that may touch and whose boxes meet, as indices of `placed`, with their surface.
    fn for_each_body_pair(&self, model: &Model, mut visit: impl FnMut([usize; 2], Surface)) {
        let moves = |p: &Placed| model.trees[p.tree as usize].tree.velocity_count() > 0;
        for (i, a) in self.placed.iter().enumerate() {
            for (k, b) in self.placed[i + 1..].iter().enumerate() {
                if (a.tree == b.tree && model.self_contacts.is_empty()) || !(moves(a) || moves(b)) {
                    continue;
                }
                let apart = matches!((a.bounds, b.bounds), (Some(x), Some(y)) if !x.meets(&y));
                let shapes = [a, b].map(|p| p.body_shape(model));
                let links = [(a.tree as usize, shapes[0].link), (b.tree as usize, shapes[1].link)];
                if apart || !model.links_may_touch(links[0], links[1]) {
                    continue;
                }
                let surface = model.pair_surface(
                    |p| p.has_link(links[0].0, links[0].1),
                    |p| p.has_link(links[1].0, links[1].1),
                    shapes.map(|shape| shape.surface),
                );
                visit([i, i + 1 + k], surface);
            }
        }
    }

    /// Finds the contacts of shapes of different trees, and of links of one tree that may touch, of which at least one can
    /// move.
    pub(crate) fn find_bodies(&mut self, model: &Model, look_ahead: bool) {
        let mut scratch = ManifoldPoints::default();
        let mut pairs = core::mem::take(&mut self.body_pairs);
        pairs.clear();
        self.for_each_body_pair(model, |pair, surface| pairs.push((pair, surface)));
        for &(pair, mut surface) in &pairs {
            let [a, b] = pair.map(|p| self.placed[p]);
            let shapes = [a, b].map(|p| p.body_shape(model));
            let resting = shapes.map(|shape| resting_reach(shape, model, look_ahead));
            let reach = a.reach + b.reach + resting[0].min(resting[1]);
            let sides = [a.side(model), b.side(model)];
            let points = self.fields.add_bodies(pair, [&a.pose, &b.pose], sides, surface, &mut self.contacts);
            if points == Points::None {
                continue;
            }
            let colliders = shapes.map(|shape| &shape.collider);
            // Two surfaces, or two half-spaces, have no distance and do not touch.
            if manifold(colliders[0], &a.pose, colliders[1], &b.pose, reach, &mut scratch).is_err() {
                continue;
            }
            surface.stiffness = surface.stiffness.map(|k| k / scratch.points().len().max(1) as f64);
            if points != Points::All {
                // Soft bodies sink by a little before anything holds them.
                let size = |b: Option<Aabb>| b.map_or(f64::INFINITY, |b| b.half().min_element());
                let depth = 0.02 * size(a.bounds).min(size(b.bounds));
                surface = Surface { friction: 0.0, ..Surface::default() };
                scratch.points_mut().iter_mut().for_each(|p| p.gap += depth);
            }
            self.contacts.extend(scratch.points().iter().map(|point| face_contact(sides, point, surface)));
        }
        self.body_pairs = pairs;
    }

    /// Hard contacts of bodies that are closed at the end of the step and that no row stands for: none of the same two shapes
    /// is within their thickness of the place.
    pub(super) fn uncovered_bodies(
        &self,
        end: &EndOfStep<'_>,
        rows: &[Linearization],
        out: &mut Vec<(Option<usize>, Contact)>,
    ) {
        let (model, mut scratch) = (end.model, ManifoldPoints::default());
        self.for_each_body_pair(model, |pair, surface| {
            if surface.stiffness.is_some() || self.fields.join_bodies(pair) {
                return;
            }
            let placed = pair.map(|p| &self.placed[p]);
            let place = Placement::End(end);
            let poses = placed.map(|p| place.shape_pose((p.tree, p.shape), &p.pose));
            let colliders = placed.map(|p| &p.body_shape(model).collider);
            let sides = placed.map(|p| p.side(model));
            let half = half_thickness(&sides, model);
            let reach = -end.tuning().contact_tolerance * half;
            if manifold(colliders[0], &poses[0], colliders[1], &poses[1], reach, &mut scratch).is_err() {
                return;
            }
            for found in scratch.points() {
                let before = end.carried_back(&sides, found.point);
                let is_near = |(other, row): (&Contact, &Linearization)| {
                    let place = if row.taken == Taken::AtEnd { found.point } else { before };
                    other.polygon.is_none() && row.sides == sides && row.point.distance(place) < half
                };
                if !self.contacts.iter().zip(rows).any(is_near) {
                    out.push((None, face_contact(sides, found, surface)));
                }
            }
        });
    }
}

fn face_contact(sides: [Side; 2], found: &ManifoldPoint, surface: Surface) -> Contact {
    let contact = Contact::at_point(sides, found.point, (found.normal, found.gap), surface);
    Contact { feature: Feature::Face, ..contact }
}

/// How far a shape at rest reaches beyond its skin, m: there its gap is zero, give or take what an update of contacts
/// leaves.
pub(super) fn resting_reach(shape: &BodyShape, model: &Model, look_ahead: bool) -> f64 {
    if look_ahead { 5.0 * model.settings.tuning.contact_tolerance * shape.half_thickness() } else { 0.0 }
}
