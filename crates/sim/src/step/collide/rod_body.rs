//! Collide: edges of rods against the shapes of bodies.

use crate::model::{BodyShape, Model, State, Surface};
use crate::step::collide::flat_section;
use crate::step::collide::look_ahead::Reaches;
use crate::step::collide::patch::{Points, sink_points};
use crate::step::collide::{CollisionDetection, Contact, Placement, Side, is_flat, thickness};
use crate::workspace::TreeWork;
use ropewalk_geometry::{Aabb, FlatEdge, cover_shape};
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
            let far = (self.boxes[item as usize].center() - placed.pose.position).length();
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
                let from_origin = bounds.center() - origin;
                let lowest = normal.dot(from_origin) - normal.abs().dot(bounds.half());
                if lowest <= placed.reach + placed.turn * from_origin.length() {
                    shape_pairs.push((p as u32, item as u32));
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
                    b.half().length() + (b.center() - kinematics.poses[shape.link].position).length()
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
                let bounds = bounds
                    .map(|b| b.grown(reach + super::body_body::resting_reach(shape, model, look_ahead)));
                self.placed.push(Placed { tree: t as u32, shape: s as u32, pose, bounds, reach, turn });
            }
        }
    }
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
    // Where the next edge may not touch, being held, the node between them is this one's.
    let next = (edge.0, (edge.1 + 1) % model.rods[edge.0 as usize].edge_count() as u32);
    let mut axis = place.rod_edge(edge);
    axis.has_next &= can_touch(model, place.state(), next, placed);
    if is_flat(model, edge) {
        return flat_section::add_shape(
            place,
            (edge, axis),
            (&body.collider, &pose, link),
            (reach, surface),
            out,
        );
    }
    cover_shape(&axis, &body.collider, &pose, reach, |found| {
        let sides = [Side::Edge { rod: edge.0, edge: edge.1, fraction: found.s }, link];
        out.push(Contact::at_point(sides, found.point, (found.normal, found.gap), surface));
    });
}
