//! Collide: edges of rods against the shapes of bodies, and shapes against shapes.

use crate::model::{BodyShape, Model, State, Surface};
use crate::step::collide::flat_section;
use crate::step::collide::look_ahead::Reaches;
use crate::step::collide::patch::{Points, sink_points};
use crate::step::collide::{CollisionDetection, Contact, Feature, Placement, Side, is_flat, thickness};
use crate::workspace::TreeWork;
use ropewalk_geometry::{Aabb, FlatEdge, ManifoldPoints, cover_shape, manifold};
use ropewalk_linalg::Pose;

/// A shape of a body: where it is in this step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    pub(crate) tree: u32,
    /// Index among the shapes of the tree.
    pub(crate) shape: u32,
    pub(crate) pose: Pose,
    /// World box, grown by how far the shape may move; `None` for a half-space.
    pub(crate) bounds: Option<Aabb>,
    /// How far it may move in the step, m.
    pub(crate) reach: f64,
    /// How far a half-space may turn in the step, rad.
    pub(crate) turn: f64,
}

impl Placed {
    pub(crate) fn body_shape<'a>(&self, model: &'a Model) -> &'a BodyShape {
        &model.trees[self.tree as usize].shapes[self.shape as usize]
    }
}

impl CollisionDetection {
    /// Finds the contacts of rods with shapes.
    pub(crate) fn find_shapes(
        &mut self,
        model: &Model,
        state: &State,
        trees: &[TreeWork],
        reaches: &Reaches,
        (dt, look_ahead): (f64, bool),
    ) {
        self.place_shapes(model, trees, (dt, look_ahead));
        self.gather_shape_pairs();
        let place = Placement::Start { model, state };
        for k in 0..self.shape_pairs.len() {
            let (p, item) = self.shape_pairs[k];
            let (placed, (rod, edge)) = (&self.placed[p as usize], self.items[item as usize]);
            let shape = placed.body_shape(model);
            let Some(surface) = touching_surface(model, state, (rod, edge), placed) else { continue };
            let far = (self.boxes[item as usize].centre() - placed.pose.position).length();
            let reach = reaches.edge(rod as usize, edge as usize) + placed.reach + placed.turn * far;
            let link = Side::Link { tree: placed.tree, link: shape.link as u32, shape: placed.shape };
            let (at, contacts) = ((p as usize, &placed.pose, link), &mut self.contacts);
            let points = self.fields.add_edge_body((rod, edge), at, state, model, surface, contacts);
            if points == Points::None {
                continue;
            }
            let depth = thickness(model, (rod, edge));
            // Points that overlap without a patch are dropped below, and those beyond reach never asked for.
            let flat = (points.is_look_ahead() && is_flat(model, (rod, edge)))
                .then(|| place.flat_edge((rod, edge)))
                .flatten();
            let near =
                |f: FlatEdge| f.comes_within(&shape.collider, &placed.pose, reach - points.sunk(depth));
            if flat.and_then(near) == Some(false) {
                continue;
            }
            let first = self.contacts.len();
            add_contacts(&place, (rod, edge), placed, (reach, surface), &mut self.contacts);
            if points != Points::All && is_flat(model, (rod, edge)) {
                let mut i = first;
                while i < self.contacts.len() {
                    if flat_section::goes_on(&place, (rod, edge), self.contacts[i].normal) {
                        self.contacts.remove(i);
                    } else {
                        i += 1;
                    }
                }
            }
            sink_points(&mut self.contacts, first, points, depth, reach);
        }
    }

    /// Shapes and items whose boxes, as they are now, meet.
    pub(in crate::step) fn gather_shape_pairs(&mut self) {
        let Self { placed, shape_pairs, tree, boxes, .. } = self;
        shape_pairs.clear();
        for (p, placed) in placed.iter().enumerate() {
            if let Some(bounds) = placed.bounds {
                tree.query(&bounds, |item| {
                    // The boxes of the tree may be larger.
                    if boxes[item as usize].meets(&bounds) {
                        shape_pairs.push((p as u32, item));
                    }
                });
                continue;
            }
            let (origin, normal) = (placed.pose.position, placed.pose.matrix().z_axis);
            for (item, bounds) in boxes.iter().enumerate() {
                let from_origin = bounds.centre() - origin;
                let lowest = normal.dot(from_origin) - normal.abs().dot(bounds.half());
                if lowest <= placed.reach + placed.turn * from_origin.length() {
                    shape_pairs.push((p as u32, item as u32));
                }
            }
        }
    }

    /// Finds the contacts of shapes of different trees of which at least one can move.
    pub(crate) fn find_bodies(&mut self, model: &Model, look_ahead: bool) {
        let mut scratch = ManifoldPoints::default();
        for (i, a) in self.placed.iter().enumerate() {
            let moves = |p: &Placed| model.trees[p.tree as usize].tree.velocity_count() > 0;
            for (k, b) in self.placed[i + 1..].iter().enumerate() {
                if a.tree == b.tree || !(moves(a) || moves(b)) {
                    continue;
                }
                let apart = matches!((a.bounds, b.bounds), (Some(x), Some(y)) if !x.meets(&y));
                let (shape_a, shape_b) = (a.body_shape(model), b.body_shape(model));
                let links = [(a.tree as usize, shape_a.link), (b.tree as usize, shape_b.link)];
                if apart || !model.links_may_touch(links[0], links[1]) {
                    continue;
                }
                let resting =
                    resting_reach(shape_a, model, look_ahead).min(resting_reach(shape_b, model, look_ahead));
                let reach = a.reach + b.reach + resting;
                let side =
                    |p: &Placed, link: usize| Side::Link { tree: p.tree, link: link as u32, shape: p.shape };
                let sides = [side(a, shape_a.link), side(b, shape_b.link)];
                let mut surface = model.pair_surface(
                    |p| p.has_link(links[0].0, links[0].1),
                    |p| p.has_link(links[1].0, links[1].1),
                    [shape_a.surface, shape_b.surface],
                );
                let (places, poses) = ([i, i + 1 + k], [&a.pose, &b.pose]);
                let points = self.fields.add_bodies(places, poses, sides, surface, &mut self.contacts);
                if points == Points::None {
                    continue;
                }
                let found =
                    manifold(&shape_a.collider, &a.pose, &shape_b.collider, &b.pose, reach, &mut scratch);
                // Two surfaces, or two half-spaces, have no distance and do not touch.
                if found.is_err() {
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
                for point in scratch.points() {
                    let at = (point.normal, point.gap);
                    let contact = Contact::at_point(sides, point.point, at, surface);
                    self.contacts.push(Contact { feature: Feature::Face, ..contact });
                }
            }
        }
    }

    /// Poses, boxes and reaches of all shapes.
    fn place_shapes(&mut self, model: &Model, trees: &[TreeWork], (dt, look_ahead): (f64, bool)) {
        self.placed.clear();
        for (t, (tree, work)) in model.trees.iter().zip(trees).enumerate() {
            for (s, shape) in tree.shapes.iter().enumerate() {
                let kinematics = &work.motion.start;
                let pose = kinematics.poses[shape.link] * shape.pose;
                let bounds = shape.collider.shape().world_bounds(&pose);
                // A half-space that turns would sweep everything; it reaches as far as its origin moves.
                let arm = bounds.map_or(0.0, |b| {
                    b.half().length() + (b.centre() - kinematics.poses[shape.link].position).length()
                });
                let speed = f64::max(
                    kinematics.linear[shape.link].length() + arm * kinematics.angular[shape.link].length(),
                    work.next_base.linear.length()
                        + (arm + (pose.position - work.next_base.pose.position).length())
                            * work.next_base.angular.length(),
                );
                let ahead = if look_ahead { model.settings.tuning.speed_margin * dt } else { 0.0 };
                let reach = ahead * speed;
                let turning = kinematics.angular[shape.link].length().max(work.next_base.angular.length());
                let turn = ahead * turning;
                let bounds = bounds.map(|b| b.grown(reach + resting_reach(shape, model, look_ahead)));
                self.placed.push(Placed { tree: t as u32, shape: s as u32, pose, bounds, reach, turn });
            }
        }
    }
}

/// How far a shape at rest reaches beyond its skin, m: there its gap is zero, give or take what an update of contacts
/// leaves.
fn resting_reach(shape: &BodyShape, model: &Model, look_ahead: bool) -> f64 {
    if look_ahead { 5.0 * model.settings.tuning.contact_tolerance * shape.half_thickness() } else { 0.0 }
}

/// Whether an attachment holds this edge, or one near it, to this tree.
fn is_attached(model: &Model, state: &State, (rod, edge): (u32, u32), tree: u32) -> bool {
    use crate::model::End;
    model.attachments.iter().zip(&state.attachments).any(|(attachment, s)| {
        let Some(grip) = s.grip else { return false };
        let (r, e, t) = match attachment.ends {
            [End::Rod { rod, edge, .. }, End::Link { tree, .. }]
            | [End::Link { tree, .. }, End::Rod { rod, edge, .. }] => (rod, edge, tree),
            _ => return false,
        };
        r == rod as usize && e.abs_diff(edge as usize) <= grip.covered && t == tree as usize
    })
}

/// Whether an edge may touch a shape: it is not told otherwise, and no attachment holds the two together there.
pub(in crate::step) fn can_touch(model: &Model, state: &State, edge: (u32, u32), placed: &Placed) -> bool {
    let link = placed.body_shape(model).link;
    model.rod_may_touch(edge.0 as usize, placed.tree as usize, link)
        && !is_attached(model, state, edge, placed.tree)
}

/// The surface of an edge and a shape; none if they may not touch.
pub(in crate::step) fn touching_surface(
    model: &Model,
    state: &State,
    (rod, edge): (u32, u32),
    placed: &Placed,
) -> Option<Surface> {
    let (shape, tree) = (placed.body_shape(model), placed.tree as usize);
    can_touch(model, state, (rod, edge), placed).then(|| {
        model.pair_surface(
            |p| p.is_rod(rod as usize),
            |p| p.has_link(tree, shape.link),
            [model.edge_surface(rod as usize, edge as usize), shape.surface],
        )
    })
}

/// Adds the contacts of an edge with a shape.
pub(in crate::step) fn add_contacts(
    place: &Placement<'_>,
    edge: (u32, u32),
    placed: &Placed,
    (reach, surface): (f64, Surface),
    out: &mut Vec<Contact>,
) {
    let model = place.model();
    let body = placed.body_shape(model);
    let link = Side::Link { tree: placed.tree, link: body.link as u32, shape: placed.shape };
    let pose = place.shape_pose((placed.tree, placed.shape), &placed.pose);
    if is_flat(model, edge) {
        return flat_section::add_shape(place, edge, (&body.collider, &pose, link), (reach, surface), out);
    }
    cover_shape(&place.rod_edge(edge), &body.collider, &pose, reach, |found| {
        let sides = [Side::Edge { rod: edge.0, edge: edge.1, fraction: found.s }, link];
        out.push(Contact::at_point(sides, found.point, (found.normal, found.gap), surface));
    });
}
