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

use super::candidates::{Candidates, MARGIN, Use};
use super::collide_flat;
use super::collide_patch::{Fields, Points, Polygon, sink_points};
use super::collide_shapes::Placed;
use super::reach::{EDGES, Reaches};
use crate::model::{Attachment, End, Model, State, Surface};
use crate::report::ContactSide;
use glam::DVec3;
use rayon::prelude::*;
use ropewalk_geometry::segment::{closest_parameter, closest_parameters, segment_normal};
use ropewalk_geometry::{Aabb, SelfPart, Tree};

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
    /// How far below the skins that distance counts from, m: of points beside pressure fields.
    pub(crate) sunk: f64,
    /// What the turning of the normal within the step adds to it, m.
    pub(crate) foreseen: f64,
    /// Whether the normal is that of the end of the step.
    pub(crate) turned: bool,
    pub(crate) surface: Surface,
    /// What it has as a piece of a patch.
    pub(crate) polygon: Option<Polygon>,
}

impl Contact {
    /// At a point, with its normal and gap at the start of the step.
    pub(super) fn at_point(
        sides: [Side; 2],
        point: DVec3,
        (normal, gap): (DVec3, f64),
        surface: Surface,
    ) -> Self {
        Self { sides, point, normal, gap, sunk: 0.0, foreseen: 0.0, turned: false, surface, polygon: None }
    }
}

/// sin² of the angle below which edges count as nearly parallel.
const NEARLY_PARALLEL: f64 = 0.05;
/// Share of the distance of the axes by which a node of such an edge may be farther away than the nearest point.
const PARALLEL_SLACK: f64 = 0.02;

/// So many pairs are looked at in one go by one thread.
pub(super) const LOT: usize = 128;

/// So many boxes are compared with another in one go.
const PAIRS: usize = 1024;

/// A tree with so many parts, of about half as many lots of edges, is worth the attention of another thread.
const WORTHWHILE_PARTS: usize = 8;

/// Edges of all rods, their boxes and the tree over them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Collider {
    /// Rod and edge of each item.
    pub(super) items: Vec<(u32, u32)>,
    pub(super) boxes: Vec<Aabb>,
    /// Over `boxes`, or those of the list of candidates, in which they are.
    pub(super) tree: Tree,
    candidates: Candidates,
    /// Parts of the tree in which one thread seeks pairs at a time, and what it has found.
    parts: Vec<SelfPart>,
    part_pairs: Vec<Vec<(u32, u32)>>,
    rest: RestPlaces,
    /// By item: the first after it that may touch it, if it is of the same rod, or else the end of the rod.
    clear: Vec<u32>,
    pub(super) placed: Vec<Placed>,
    /// Shape, as an index of `placed`, and item.
    pub(super) shape_pairs: Vec<(u32, u32)>,
    pub(crate) pairs: Vec<(u32, u32)>,
    /// Rods and edges that attachments hold together now.
    pub(super) tied: Vec<[(usize, usize); 2]>,
    pub(crate) contacts: Vec<Contact>,
    /// Contacts found by one thread in one go, before they are put together.
    lots: Vec<Vec<Contact>>,
    /// Candidate pairs whose boxes meet now, lot by lot.
    pair_lots: Vec<Vec<(u32, u32)>>,
    pub(crate) fields: Fields,
}

impl Collider {
    pub(crate) fn new(model: &Model) -> Self {
        let mut out = Self { fields: Fields::new(model), ..Self::default() };
        for (r, rod) in model.rods.iter().enumerate() {
            let (first, mut at) = (out.items.len() as u32, 0.0);
            for (e, length) in rod.rest_lengths().iter().enumerate() {
                out.items.push((r as u32, e as u32));
                out.rest.middle.push(at + 0.5 * length);
                at += length;
            }
            out.rest.length.push(at);
            let end = out.items.len() as u32;
            for i in first..end {
                let clear = (i + 1..end).find(|&j| out.rest.are_apart(model, &out.items, i, j));
                out.clear.push(clear.unwrap_or(end));
            }
        }
        out.boxes.resize(out.items.len(), Aabb::EMPTY);
        out.candidates = Candidates::new(out.items.len());
        out.tree = Tree::ordered(&out.boxes);
        out.parts = out.tree.self_parts(LOT);
        out.part_pairs.resize_with(out.parts.len(), Vec::new);
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
        let edges = self.boxes.par_iter_mut().zip(&self.items).with_min_len(EDGES);
        edges.for_each(|(bounds, &(r, e))| {
            let (rod, s) = (&model.rods[r as usize], &state.rods[r as usize]);
            let (a, b) = (s.position(e as usize), s.position(rod.edge_end(e as usize)));
            let grow = radius(model, r, e) + reaches.edge(r as usize, e as usize);
            *bounds = Aabb::of_segment(a, b, grow);
        });
        self.tied.clear();
        let held = model.attachments.iter().zip(&state.attachments).filter(|(_, s)| s.grip.is_some());
        self.tied.extend(held.filter_map(|(a, _)| tied_edges(a)));
        self.find_pairs(model);
        self.fields.update(model, state);
        if self.fields.has_rods() {
            self.find_patches(model, state, reaches);
        } else {
            self.find_points(model, state, reaches);
        }
    }

    /// Pairs of edges whose boxes meet.
    pub(super) fn find_pairs(&mut self, model: &Model) {
        let usage = self.candidates.usage(&self.boxes);
        if usage == Use::Renew {
            let Candidates { outer, .. } = &mut self.candidates;
            outer.clear();
            let larger = |(bounds, &(r, e)): (&Aabb, &(u32, u32))| bounds.grown(MARGIN * radius(model, r, e));
            outer.extend(self.boxes.iter().zip(&self.items).map(larger));
            self.tree.refit(outer);
            self.search_tree(model);
            let Candidates { pairs, .. } = &mut self.candidates;
            pairs.clear();
            self.part_pairs.iter().for_each(|found| pairs.extend_from_slice(found));
        } else if usage == Use::Without {
            self.tree.refit(&self.boxes);
            self.search_tree(model);
        }
        let Self { items, boxes, part_pairs, candidates, pairs, tied, pair_lots, .. } = self;
        pairs.clear();
        let free = |&(i, j): &(u32, u32)| !are_tied(tied, items, i, j);
        if usage == Use::Without {
            pairs.extend(part_pairs.iter().flatten().copied().filter(free));
            return;
        }
        let meet = |&(i, j): &(u32, u32)| boxes[i as usize].meets(&boxes[j as usize]);
        if candidates.pairs.len() <= PAIRS {
            pairs.extend(candidates.pairs.iter().copied().filter(meet).filter(free));
            return;
        }
        let count = candidates.pairs.len().div_ceil(PAIRS);
        if pair_lots.len() < count {
            pair_lots.resize_with(count, || Vec::with_capacity(PAIRS));
        }
        candidates.pairs.par_chunks(PAIRS).zip(pair_lots.par_iter_mut()).for_each(|(some, out)| {
            out.clear();
            out.extend(some.iter().copied().filter(meet).filter(free));
        });
        pair_lots[..count].iter().for_each(|lot| pairs.extend_from_slice(lot));
    }

    /// Pairs of edges whose boxes in the tree meet and that are apart along the rod, part by part.
    fn search_tree(&mut self, model: &Model) {
        let Self { items, tree, parts, part_pairs, rest, clear, .. } = self;
        let find = |part: SelfPart, out: &mut Vec<(u32, u32)>| {
            out.clear();
            tree.self_pairs_of(part, |i, j| {
                let (ra, rb) = (items[i as usize].0, items[j as usize].0);
                // Most pairs are neighbours along a rod.
                let apart = ra != rb || j >= clear[i as usize] && rest.are_apart(model, items, i, j);
                if apart && model.rods_may_touch(ra as usize, rb as usize) {
                    out.push((i, j));
                }
            });
        };
        if parts.len() < WORTHWHILE_PARTS {
            parts.iter().zip(part_pairs.iter_mut()).for_each(|(part, out)| find(*part, out));
        } else {
            parts.par_iter().zip(part_pairs.par_iter_mut()).for_each(|(part, out)| find(*part, out));
        }
    }

    /// Contacts of all pairs, at points.
    fn find_points(&mut self, model: &Model, state: &State, reaches: &Reaches) {
        let Self { items, pairs, contacts, lots, .. } = self;
        let find = |pairs: &[(u32, u32)], out: &mut Vec<Contact>| {
            for &(i, j) in pairs {
                let pair = Pair::new(model, state, items[i as usize], items[j as usize]);
                pair.add_points(state, pair.reach(reaches), out);
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
            let points = self.fields.add_edges([a, b], state, model, pair.surface(), &mut self.contacts);
            if points == Points::None {
                continue;
            }
            let (first, reach) = (self.contacts.len(), pair.reach(reaches));
            pair.add_points(state, reach, &mut self.contacts);
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

/// Where edges are along their rods at rest.
#[derive(Clone, Debug, Default)]
struct RestPlaces {
    /// By item: arclength of its middle, m.
    middle: Vec<f64>,
    /// By rod: its length, m.
    length: Vec<f64>,
}

impl RestPlaces {
    /// Whether two edges of one rod can touch at all: they must be farther apart along it, at rest, than half the way
    /// round a bend so tight that the rod meets itself, and a segment more.
    fn are_apart(&self, model: &Model, items: &[(u32, u32)], i: u32, j: u32) -> bool {
        let ((r, ea), (_, eb)) = (items[i as usize], items[j as usize]);
        let rod = &model.rods[r as usize];
        let mut apart = (self.middle[i as usize] - self.middle[j as usize]).abs();
        if rod.closed() {
            apart = apart.min(self.length[r as usize] - apart);
        }
        let diameter = radius(model, r, ea) + radius(model, r, eb);
        let segment = rod.rest_lengths()[ea as usize].max(rod.rest_lengths()[eb as usize]);
        apart > 0.5 * core::f64::consts::PI * diameter + segment
    }
}

/// The edges of two rods that an attachment holds together.
fn tied_edges(attachment: &Attachment) -> Option<[(usize, usize); 2]> {
    match attachment.ends {
        [End::Rod { rod: a, edge: e, .. }, End::Rod { rod: b, edge: f, .. }] => Some([(a, e), (b, f)]),
        _ => None,
    }
}

/// Whether two edges are held together, or are next to such ones: where rods are tied they share a point.
fn are_tied(tied: &[[(usize, usize); 2]], items: &[(u32, u32)], i: u32, j: u32) -> bool {
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
struct Pair<'a> {
    model: &'a Model,
    first: EdgePlace,
    second: EdgePlace,
}

impl<'a> Pair<'a> {
    fn new(model: &'a Model, state: &State, a: (u32, u32), b: (u32, u32)) -> Self {
        Self { model, first: EdgePlace::new(model, state, a), second: EdgePlace::new(model, state, b) }
    }

    fn surface(&self) -> Surface {
        let Self { model, first, second } = self;
        let (a, b) = (first.rod as usize, second.rod as usize);
        let sides = [(a, first.edge), (b, second.edge)].map(|(rod, e)| model.edge_surface(rod, e as usize));
        model.pair_surface(|p| p.is_rod(a), |p| p.is_rod(b), sides)
    }

    fn place(&self) -> [(u32, u32); 2] {
        [(self.first.rod, self.first.edge), (self.second.rod, self.second.edge)]
    }

    /// How far the two may move towards one another, m.
    fn reach(&self, reaches: &Reaches) -> f64 {
        self.place().iter().map(|&(rod, edge)| reaches.edge(rod as usize, edge as usize)).sum()
    }

    /// Adds the contacts with a gap of at most `reach`, whatever the sections.
    fn add_points(&self, state: &State, reach: f64, out: &mut Vec<Contact>) {
        let ([a, b], model) = (self.place(), self.model);
        if is_flat(model, a) || is_flat(model, b) {
            collide_flat::add_pair(model, state, (a, b), (reach, self.surface()), out);
        } else {
            self.contacts(reach, out);
        }
    }

    /// Adds the contacts of capsules with a gap of at most `reach`.
    fn contacts(&self, reach: f64, out: &mut Vec<Contact>) {
        let Self { first, second, .. } = self;
        let (s, t) = closest_parameters(first.a, first.b, second.a, second.b);
        if (first.at(s) - second.at(t)).length() - first.radius - second.radius > reach {
            return;
        }
        let surface = self.surface();
        let nearest = self.contact(s, t, surface);
        let (u, v) = (first.b - first.a, second.b - second.a);
        let sine = u.cross(v).length_squared() / (u.length_squared() * v.length_squared());
        let mut at_nodes = 0;
        if sine < NEARLY_PARALLEL {
            let slack = PARALLEL_SLACK * (first.radius + second.radius);
            let mut add = |s: f64, t: f64| {
                let contact = self.contact(s, t, surface);
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

    fn contact(&self, s: f64, t: f64, surface: Surface) -> Contact {
        let Self { first, second, .. } = self;
        let (x, y) = (first.at(s), second.at(t));
        let (distance, normal) = segment_normal([first.a, first.b], [second.a, second.b], [s, t], x - y);
        let (on_first, on_second) = (x - first.radius * normal, y + second.radius * normal);
        let gap = distance - first.radius - second.radius;
        let sides = [first.side(s), second.side(t)];
        Contact::at_point(sides, 0.5 * (on_first + on_second), (normal, gap), surface)
    }
}

/// Whether the place t on an edge is inside it, or at an end that is this edge's to report.
fn inside(t: f64, edge: &EdgePlace) -> bool {
    t > 0.0 && t < 1.0 || t == 0.0 || t >= 1.0 && !edge.has_next
}
