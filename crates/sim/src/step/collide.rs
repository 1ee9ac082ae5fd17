//! Collide: which edges of rods touch, or may touch within the step.
//!
//! Edges of round section are capsules (those of flat section boxes: [`super::collide_flat`]). A tree of their boxes, grown by how far they may move, gives candidate pairs; for each the nearest
//! points in closed form. Along a rod only local minima of the distance count, so that a contact which slides past a
//! node is one contact all the way: a nearest point at a node is left to the edge that begins there, and dropped if the
//! edge on the other side comes nearer. Edges that are nearly parallel also touch at their nodes, so that two ropes side
//! by side are held along their length and not at one point that jumps.
//!
//! | symbol | name | meaning |
//! |---|---|---|
//! | s, t | `fraction` | place on the edge, 0…1 |
//! | n | `normal` | unit vector from the second side to the first |
//! | φ | `gap` | distance of the surfaces in m, negative in overlap |

use super::collide_flat;
use super::collide_patch::{Fields, Points, Polygon, sink_points};
use super::collide_shapes::Placed;
use super::reach::Reaches;
use crate::model::{Attachment, End, Model, State, Surface};
use crate::report::ContactSide;
use glam::DVec3;
use rayon::prelude::*;
use ropewalk_geometry::segment::{closest_parameter, closest_parameters, segment_normal};
use ropewalk_geometry::{Aabb, Tree};

/// One side of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Side {
    /// A place on an edge of a rod.
    Edge { rod: u32, edge: u32, fraction: f64 },
    /// A shape of a link.
    Link { tree: u32, link: u32, shape: u32 },
}

impl From<Side> for ContactSide {
    fn from(side: Side) -> Self {
        match side {
            Side::Edge { rod, edge, fraction } => {
                Self::Rod { rod: rod as usize, edge: edge as usize, fraction }
            }
            Side::Link { tree, link, shape } => {
                Self::Link { tree: tree as usize, link: link as usize, shape: shape as usize }
            }
        }
    }
}

/// A place where two surfaces touch, or may touch within the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Contact {
    pub(crate) sides: [Side; 2],
    /// Half way between the surfaces, m.
    pub(crate) point: DVec3,
    /// Unit normal from the second side to the first.
    pub(crate) normal: DVec3,
    /// Distance of the surfaces in m, negative in overlap.
    pub(crate) gap: f64,
    /// What the turning of the normal within the step adds to it, m.
    pub(crate) foreseen: f64,
    /// Whether the normal is that of the end of the step.
    pub(crate) turned: bool,
    pub(crate) surface: Surface,
    /// What it has as a piece of a patch.
    pub(crate) polygon: Option<Polygon>,
}

/// sin² of the angle below which edges count as nearly parallel.
const NEARLY_PARALLEL: f64 = 0.05;
/// Share of the distance of the axes by which a node of such an edge may be farther away than the nearest point.
const PARALLEL_SLACK: f64 = 0.02;

/// So many pairs are looked at in one go by one thread.
pub(super) const LOT: usize = 128;

/// Edges of all rods, their boxes and the tree over them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Collider {
    /// Rod and edge of each item.
    pub(super) items: Vec<(u32, u32)>,
    pub(super) boxes: Vec<Aabb>,
    pub(super) tree: Tree,
    /// By item: arclength of the middle of the edge at rest, m.
    pub(super) middle: Vec<f64>,
    pub(super) placed: Vec<Placed>,
    /// Shape, as an index of `placed`, and item.
    pub(super) shape_pairs: Vec<(u32, u32)>,
    pub(crate) pairs: Vec<(u32, u32)>,
    /// Rods and edges that attachments hold together now.
    pub(super) tied: Vec<[(usize, usize); 2]>,
    pub(crate) contacts: Vec<Contact>,
    /// Contacts found by one thread in one go, before they are put together.
    lots: Vec<Vec<Contact>>,
    pub(crate) fields: Fields,
}

impl Collider {
    pub(crate) fn new(model: &Model) -> Self {
        let mut out = Self { fields: Fields::new(model), ..Self::default() };
        for (r, rod) in model.rods.iter().enumerate() {
            let mut at = 0.0;
            for (e, length) in rod.rest_lengths().iter().enumerate() {
                out.items.push((r as u32, e as u32));
                out.middle.push(at + 0.5 * length);
                at += length;
            }
        }
        out.boxes.resize(out.items.len(), Aabb::EMPTY);
        out.tree = Tree::ordered(&out.boxes);
        out
    }

    /// Rod and edge of an item.
    pub(crate) fn item(&self, item: u32) -> (usize, usize) {
        let (rod, edge) = self.items[item as usize];
        (rod as usize, edge as usize)
    }

    /// Finds candidate pairs and contacts at `state`.
    pub(crate) fn find(&mut self, model: &Model, state: &State, reaches: &Reaches) {
        self.contacts.clear();
        self.pairs.clear();
        for (i, &(r, e)) in self.items.iter().enumerate() {
            let (rod, s) = (&model.rods[r as usize], &state.rods[r as usize]);
            let (a, b) = (s.position(e as usize), s.position(rod.edge_end(e as usize)));
            let grow = radius(model, r, e) + reaches.edge(r as usize, e as usize);
            self.boxes[i] = Aabb::of_segment(a, b, grow);
        }
        self.tree.refit(&self.boxes);
        self.tied.clear();
        let held = model.attachments.iter().zip(&state.attachments).filter(|(_, s)| s.grip.is_some());
        self.tied.extend(held.filter_map(|(a, _)| tied_edges(a)));
        let (pairs, items, middle, tied) = (&mut self.pairs, &self.items, &self.middle, &self.tied);
        self.fields.update(model, state);
        self.tree.self_pairs(|i, j| {
            if may_touch(model, items, middle, i, j) && !are_tied(tied, items, i, j) {
                pairs.push((i, j));
            }
        });
        if self.fields.has_rods() {
            self.find_patches(model, state, reaches);
        } else {
            self.find_points(model, state, reaches);
        }
    }

    /// Contacts of all pairs, at points.
    fn find_points(&mut self, model: &Model, state: &State, reaches: &Reaches) {
        let Self { items, pairs, contacts, lots, .. } = self;
        let find = |pairs: &[(u32, u32)], out: &mut Vec<Contact>| {
            for &(i, j) in pairs {
                let pair = Pair::new(model, state, items[i as usize], items[j as usize]);
                pair.add_points(model, state, pair.reach(reaches), out);
            }
        };
        if pairs.len() <= LOT {
            return find(pairs, contacts);
        }
        let count = pairs.len().div_ceil(LOT);
        if lots.len() < count {
            lots.resize_with(count, || Vec::with_capacity(LOT));
        }
        pairs.par_chunks(LOT).zip(lots.par_iter_mut()).for_each(|(pairs, out)| {
            out.clear();
            find(pairs, out);
        });
        lots[..count].iter().for_each(|lot| contacts.extend_from_slice(lot));
    }

    /// Contacts of all pairs, in patches where both have a pressure field.
    fn find_patches(&mut self, model: &Model, state: &State, reaches: &Reaches) {
        for &(i, j) in &self.pairs {
            let (a, b) = (self.items[i as usize], self.items[j as usize]);
            let pair = Pair::new(model, state, a, b);
            let points = self.fields.add_edges([a, b], state, model, pair.surface, &mut self.contacts);
            if points == Points::None {
                continue;
            }
            let (first, reach) = (self.contacts.len(), pair.reach(reaches));
            pair.add_points(model, state, reach, &mut self.contacts);
            let depth = thickness(model, a) + thickness(model, b);
            sink_points(&mut self.contacts, first, points, depth, reach);
        }
    }
}

/// Whether an edge is a box and not a capsule.
pub(super) fn is_flat(model: &Model, (rod, edge): (u32, u32)) -> bool {
    let [a, b] = model.rods[rod as usize].half_extents()[edge as usize];
    (a - b).abs() > 1e-9 * a.max(b)
}

pub(super) fn radius(model: &Model, rod: u32, edge: u32) -> f64 {
    let [a, b] = model.rods[rod as usize].half_extents()[edge as usize];
    a.max(b)
}

/// Half of the least thickness of an edge, m: the depth of its pressure field.
pub(super) fn thickness(model: &Model, (rod, edge): (u32, u32)) -> f64 {
    let [a, b] = model.rods[rod as usize].half_extents()[edge as usize];
    a.min(b)
}

/// Whether two edges can touch at all: those of one rod must be farther apart along it, at rest, than half the way
/// round a bend so tight that the rod meets itself, and a segment more.
pub(super) fn may_touch(model: &Model, items: &[(u32, u32)], middle: &[f64], i: u32, j: u32) -> bool {
    let ((ra, ea), (rb, eb)) = (items[i as usize], items[j as usize]);
    if !model.rods_may_touch(ra as usize, rb as usize) {
        return false;
    }
    if ra != rb {
        return true;
    }
    let rod = &model.rods[ra as usize];
    let mut apart = (middle[i as usize] - middle[j as usize]).abs();
    if rod.closed() {
        apart = apart.min(rod.total_rest_length() - apart);
    }
    let diameter = radius(model, ra, ea) + radius(model, rb, eb);
    let segment = rod.rest_lengths()[ea as usize].max(rod.rest_lengths()[eb as usize]);
    apart > 0.5 * core::f64::consts::PI * diameter + segment
}

/// The edges of two rods that an attachment holds together.
fn tied_edges(attachment: &Attachment) -> Option<[(usize, usize); 2]> {
    match attachment.ends {
        [End::Rod { rod: a, edge: e, .. }, End::Rod { rod: b, edge: f, .. }] => Some([(a, e), (b, f)]),
        _ => None,
    }
}

/// Whether two edges are held together, or are next to such ones: where rods are tied they share a point.
pub(super) fn are_tied(tied: &[[(usize, usize); 2]], items: &[(u32, u32)], i: u32, j: u32) -> bool {
    let place = |item: u32| {
        let (rod, edge) = items[item as usize];
        (rod as usize, edge as usize)
    };
    let (a, b) = (place(i), place(j));
    let near = |x: (usize, usize), y: (usize, usize)| x.0 == y.0 && x.1.abs_diff(y.1) <= 1;
    tied.iter().any(|&[x, y]| (near(a, x) && near(b, y)) || (near(a, y) && near(b, x)))
}

/// An edge with its neighbours.
struct EdgePlace {
    rod: u32,
    edge: u32,
    a: DVec3,
    b: DVec3,
    /// The node before a, if any.
    before: Option<DVec3>,
    has_next: bool,
    radius: f64,
}

impl EdgePlace {
    fn new(model: &Model, state: &State, (rod, edge): (u32, u32)) -> Self {
        let (shape, s) = (&model.rods[rod as usize], &state.rods[rod as usize]);
        let e = edge as usize;
        let n = shape.edge_count();
        Self {
            rod,
            edge,
            a: s.position(e),
            b: s.position(shape.edge_end(e)),
            before: (shape.closed() || e > 0).then(|| s.position((e + n - 1) % n)),
            has_next: shape.closed() || e + 1 < n,
            radius: radius(model, rod, edge),
        }
    }

    /// Whether the nearest point at `s` is a local minimum along the rod and this edge's to report; `normal` points
    /// from the other side to this one.
    fn owns(&self, s: f64, normal: DVec3) -> bool {
        if s >= 1.0 {
            !self.has_next
        } else if s <= 0.0 {
            self.before.is_none_or(|before| rises(before - self.a, normal))
        } else {
            true
        }
    }

    fn at(&self, s: f64) -> DVec3 {
        self.a + s * (self.b - self.a)
    }

    fn side(&self, fraction: f64) -> Side {
        Side::Edge { rod: self.rod, edge: self.edge, fraction }
    }
}

/// Whether the distance does not fall on the way from a node along `way`, up to round-off: on a straight rod it stays.
pub(super) fn rises(way: DVec3, normal: DVec3) -> bool {
    way.dot(normal) >= -1e-9 * way.length()
}

/// Two edges.
struct Pair {
    first: EdgePlace,
    second: EdgePlace,
    surface: Surface,
}

impl Pair {
    fn new(model: &Model, state: &State, a: (u32, u32), b: (u32, u32)) -> Self {
        let side = |(rod, edge): (u32, u32)| model.edge_surface(rod as usize, edge as usize);
        let surface =
            model.pair_surface(|p| p.is_rod(a.0 as usize), |p| p.is_rod(b.0 as usize), [side(a), side(b)]);
        Self { first: EdgePlace::new(model, state, a), second: EdgePlace::new(model, state, b), surface }
    }

    fn place(&self) -> [(u32, u32); 2] {
        [(self.first.rod, self.first.edge), (self.second.rod, self.second.edge)]
    }

    /// How far the two may move towards one another, m.
    fn reach(&self, reaches: &Reaches) -> f64 {
        self.place().iter().map(|&(rod, edge)| reaches.edge(rod as usize, edge as usize)).sum()
    }

    /// Adds the contacts with a gap of at most `reach`, whatever the sections.
    fn add_points(&self, model: &Model, state: &State, reach: f64, out: &mut Vec<Contact>) {
        let [a, b] = self.place();
        if is_flat(model, a) || is_flat(model, b) {
            collide_flat::add_pair(model, state, (a, b), (reach, self.surface), out);
        } else {
            self.contacts(reach, out);
        }
    }

    /// Adds the contacts of capsules with a gap of at most `reach`.
    fn contacts(&self, reach: f64, out: &mut Vec<Contact>) {
        let Self { first, second, .. } = self;
        let (s, t) = closest_parameters(first.a, first.b, second.a, second.b);
        let nearest = self.contact(s, t);
        if nearest.gap > reach {
            return;
        }
        let (u, v) = (first.b - first.a, second.b - second.a);
        let sine = u.cross(v).length_squared() / (u.length_squared() * v.length_squared());
        let mut at_nodes = 0;
        if sine < NEARLY_PARALLEL {
            let slack = PARALLEL_SLACK * (first.radius + second.radius);
            let mut add = |s: f64, t: f64| {
                let contact = self.contact(s, t);
                if contact.gap <= reach.min(nearest.gap + slack) {
                    out.push(contact);
                    at_nodes += 1;
                }
            };
            // Each node is the first of one edge; the last of an open rod is the second of its last.
            for (s, node) in [(0.0, first.a), (1.0, first.b)] {
                let t = closest_parameter(second.a, second.b, node);
                if (s == 0.0 || !first.has_next) && inside(t, second) {
                    add(s, t);
                }
            }
            for (t, node) in [(0.0, second.a), (1.0, second.b)] {
                let s = closest_parameter(first.a, first.b, node);
                // A node on a node has been found above.
                if (t == 0.0 || !second.has_next) && s > 0.0 && s < 1.0 {
                    add(s, t);
                }
            }
        }
        let near_node = |s: f64| s <= 0.0 || s >= 1.0;
        let doubled = at_nodes > 0 && (near_node(s) || near_node(t) || at_nodes > 1);
        if !doubled && first.owns(s, nearest.normal) && second.owns(t, -nearest.normal) {
            out.push(nearest);
        }
    }

    fn contact(&self, s: f64, t: f64) -> Contact {
        let Self { first, second, surface } = self;
        let (x, y) = (first.at(s), second.at(t));
        let (distance, normal) = segment_normal([first.a, first.b], [second.a, second.b], [s, t], x - y);
        let (on_first, on_second) = (x - first.radius * normal, y + second.radius * normal);
        Contact {
            sides: [first.side(s), second.side(t)],
            point: 0.5 * (on_first + on_second),
            normal,
            gap: distance - first.radius - second.radius,
            surface: *surface,
            foreseen: 0.0,
            turned: false,
            polygon: None,
        }
    }
}

/// Whether the place t on an edge is inside it, or at an end that is this edge's to report.
fn inside(t: f64, edge: &EdgePlace) -> bool {
    t > 0.0 && t < 1.0 || t == 0.0 || t >= 1.0 && !edge.has_next
}
