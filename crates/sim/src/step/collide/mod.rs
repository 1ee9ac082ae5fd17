//! Collide: which edges of rods touch, or may touch within the step.
//!
//! Edges of round section are capsules (those of flat section boxes: [`flat_section`]). A bounding-volume tree,
//! its boxes grown by how far edges may move, gives candidate pairs. Which points of a pair are contacts, so that nothing
//! can pass between them, is the rule of [`ropewalk_geometry::coverage`].
//!
//! | symbol | name | meaning |
//! |---|---|---|
//! | s, t | `fraction` | place on the edge, 0…1 |
//! | n | `normal` | unit vector from the second side to the first |
//! | φ | `gap` | distance of the surfaces in m, negative in overlap |

mod at_end;
mod body_body;
mod contacts_by_edge;
pub(in crate::step) mod flat_section;
pub(in crate::step) mod look_ahead;
mod pair_cache;
pub(crate) mod patch;
mod placement;
pub(in crate::step) mod rod_body;
mod stiffness_share;
mod uncovered;

use crate::model::{Attachment, End, Model, State, Surface};
use crate::report::{ContactSide, stage};
use crate::step::SubStep;
use crate::step::collide::contacts_by_edge::ContactsByEdge;
use crate::step::collide::look_ahead::{EDGES, Reaches};
use crate::step::collide::pair_cache::{MARGIN, PairCache, Use};
use crate::step::collide::patch::{Fields, Points, Polygon, sink_points};
pub(in crate::step) use crate::step::collide::placement::Placement;
use crate::step::collide::rod_body::Placed;
use crate::step::collide::stiffness_share::StiffnessShares;
use crate::step::solve::coupled::CoupledSolve;
use crate::step::timer::Timer;
use crate::workspace::Workspace;
use glam::DVec3;
use rayon::prelude::*;
use ropewalk_geometry::{Aabb, Bvh, SelfPart, cover_edges};

/// Finds the contacts of rods and shapes at the start of the step.
pub(crate) fn find(model: &Model, state: &State, workspace: &mut Workspace, step: SubStep) {
    let Some(contact) = &model.contact else { return };
    let Workspace { rods, trees, coupling, seconds, .. } = workspace;
    let _timer = Timer::start(&mut seconds[stage::COLLIDE]);
    let CoupledSolve { collision, reaches, linearized, mean_normals, .. } = coupling;
    linearized.clear();
    *mean_normals = false;
    let dt = step.weights.dt;
    reaches.update(model, state, rods, dt, contact.look_ahead);
    collision.find(model, state, reaches);
    collision.find_shapes(model, state, trees, reaches, (dt, contact.look_ahead));
    collision.share_stiffness();
    collision.find_bodies(model, contact.look_ahead);
}

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

/// What of its first side touches in a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Feature {
    /// The axis of an edge of round section, with its radius.
    Axis,
    /// A corner of an edge of flat section: see [`flat_section`].
    Corner(u8),
    /// A rim of an edge of flat section: see [`flat_section`].
    Rim(u8),
    /// The line across the first or the second node of an edge of flat section.
    Across(u8),
    /// A face of an edge of flat section between its lines, or a body.
    Face,
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
    /// What of the first side touches.
    pub(crate) feature: Feature,
    /// Where on the line that this is, 0…1.
    pub(crate) on_line: f64,
    pub(crate) surface: Surface,
    /// What it has as a piece of a patch.
    pub(crate) polygon: Option<Polygon>,
}

impl Contact {
    /// At a point, with its normal and gap at the start of the step.
    pub(in crate::step) fn at_point(
        sides: [Side; 2],
        point: DVec3,
        (normal, gap): (DVec3, f64),
        surface: Surface,
    ) -> Self {
        let on_line = if let Side::Edge { fraction, .. } = sides[0] { fraction } else { 0.0 };
        Self { sides, point, normal, gap, sunk: 0.0, feature: Feature::Axis, on_line, surface, polygon: None }
    }
}

/// Contacts that do not overlap share out a given stiffness as if they did by this much, m.
const LEAST_OVERLAP: f64 = 1e-9;

/// So many pairs are looked at in one go by one thread.
pub(in crate::step) const LOT: usize = 128;

/// So many boxes are compared with another in one go.
const PAIRS: usize = 1024;

/// A tree with so many parts, of about half as many lots of edges, is worth the attention of another thread.
const WORTHWHILE_PARTS: usize = 8;

/// Edges of all rods, their boxes and the tree over them.
#[derive(Clone, Debug, Default)]
pub(crate) struct CollisionDetection {
    /// Rod and edge of each item.
    pub(in crate::step) items: Vec<(u32, u32)>,
    pub(in crate::step) boxes: Vec<Aabb>,
    /// Over `boxes`, or those of the list of pair_cache, in which they are.
    pub(in crate::step) tree: Bvh,
    pair_cache: PairCache,
    /// Parts of the tree in which one thread seeks pairs at a time, and what it has found.
    parts: Vec<SelfPart>,
    part_pairs: Vec<Vec<(u32, u32)>>,
    rest: RestPlaces,
    /// By item: the first after it that may touch it, if it is of the same rod, or else the end of the rod.
    clear: Vec<u32>,
    pub(in crate::step) placed: Vec<Placed>,
    /// Shape, as an index of `placed`, and item.
    pub(in crate::step) shape_pairs: Vec<(u32, u32)>,
    pub(crate) pairs: Vec<(u32, u32)>,
    /// Rods and edges that attachments hold together now.
    pub(in crate::step) tied: Vec<[(usize, usize); 2]>,
    pub(crate) contacts: Vec<Contact>,
    /// Shapes, as indices of `placed`, that may touch one another.
    body_pairs: Vec<([usize; 2], Surface)>,
    /// Contacts found by one thread in one go, before they are put together.
    lots: Vec<Vec<Contact>>,
    /// What is closed at the end of the step.
    closed_at_end: Vec<Contact>,
    /// Those at points, to be compared with that.
    contacts_by_edge: ContactsByEdge,
    /// Pairs of sides, by number, of fields that touch, and how far they sink in, m.
    patches: Vec<([u64; 2], f64)>,
    /// Candidate pairs whose boxes meet now, lot by lot.
    pair_lots: Vec<Vec<(u32, u32)>>,
    pub(crate) fields: Fields,
    stiffness_shares: StiffnessShares,
}

impl CollisionDetection {
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
        out.pair_cache = PairCache::new(out.items.len());
        out.tree = Bvh::ordered(&out.boxes);
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

    /// Shares out the stiffness that was given for one contact among contacts of rods that are close together.
    pub(in crate::step) fn share_stiffness(&mut self) {
        self.stiffness_shares.apply(&mut self.contacts, LEAST_OVERLAP);
    }

    /// Pairs of edges whose boxes meet.
    pub(in crate::step) fn find_pairs(&mut self, model: &Model) {
        let usage = self.pair_cache.usage(&self.boxes);
        if usage == Use::Renew {
            let PairCache { outer, .. } = &mut self.pair_cache;
            outer.clear();
            let larger = |(bounds, &(r, e)): (&Aabb, &(u32, u32))| bounds.grown(MARGIN * radius(model, r, e));
            outer.extend(self.boxes.iter().zip(&self.items).map(larger));
            self.tree.refit(outer);
            self.search_tree(model);
            let PairCache { pairs, .. } = &mut self.pair_cache;
            pairs.clear();
            self.part_pairs.iter().for_each(|found| pairs.extend_from_slice(found));
        } else if usage == Use::Without {
            self.tree.refit(&self.boxes);
            self.search_tree(model);
        }
        let Self { items, boxes, part_pairs, pair_cache, pairs, tied, pair_lots, .. } = self;
        pairs.clear();
        let free = |&(i, j): &(u32, u32)| !are_tied(tied, items, i, j);
        if usage == Use::Without {
            pairs.extend(part_pairs.iter().flatten().copied().filter(free));
            return;
        }
        let meet = |&(i, j): &(u32, u32)| boxes[i as usize].meets(&boxes[j as usize]);
        if pair_cache.pairs.len() <= PAIRS {
            pairs.extend(pair_cache.pairs.iter().copied().filter(meet).filter(free));
            return;
        }
        let count = pair_cache.pairs.len().div_ceil(PAIRS);
        if pair_lots.len() < count {
            pair_lots.resize_with(count, || Vec::with_capacity(PAIRS));
        }
        pair_cache.pairs.par_chunks(PAIRS).zip(pair_lots.par_iter_mut()).for_each(|(some, out)| {
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
                // Most pairs are neighbors along a rod.
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
        let place = Placement::Start { model, state };
        let find = |pairs: &[(u32, u32)], out: &mut Vec<Contact>| {
            for &(i, j) in pairs {
                let pair = Pair { place, edges: [items[i as usize], items[j as usize]] };
                pair.add_points(pair.reach(reaches), out);
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
            let pair = Pair { place: Placement::Start { model, state }, edges: [a, b] };
            let points = self.fields.add_edges([a, b], state, model, pair.surface(), &mut self.contacts);
            if points == Points::None {
                continue;
            }
            let (first, reach) = (self.contacts.len(), pair.reach(reaches));
            pair.add_points(reach, &mut self.contacts);
            let depth = thickness(model, a) + thickness(model, b);
            sink_points(&mut self.contacts, first, points, depth, reach);
        }
    }
}

/// Whether an edge is a box and not a capsule.
pub(in crate::step) fn is_flat(model: &Model, (rod, edge): (u32, u32)) -> bool {
    let [a, b] = model.rods[rod as usize].half_extents()[edge as usize];
    (a - b).abs() > 1e-9 * a.max(b)
}

pub(in crate::step) fn radius(model: &Model, rod: u32, edge: u32) -> f64 {
    let [a, b] = model.rods[rod as usize].half_extents()[edge as usize];
    a.max(b)
}

/// Half of the least thickness of an edge, m: the depth of its pressure field.
pub(in crate::step) fn thickness(model: &Model, (rod, edge): (u32, u32)) -> f64 {
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
        can_meet(model, r, [ea, eb], apart)
    }
}

/// Whether two edges of a rod that are `apart` (m) along it at rest can touch.
fn can_meet(model: &Model, rod: u32, [a, b]: [u32; 2], apart: f64) -> bool {
    let lengths = model.rods[rod as usize].rest_lengths();
    let diameter = radius(model, rod, a) + radius(model, rod, b);
    apart > 0.5 * core::f64::consts::PI * diameter + lengths[a as usize].max(lengths[b as usize])
}

/// Whether two edges can touch at all: always if they are of different rods.
pub(in crate::step) fn edges_can_meet(model: &Model, (ra, ea): (u32, u32), (rb, eb): (u32, u32)) -> bool {
    if ra != rb {
        return true;
    }
    let rod = &model.rods[ra as usize];
    let (first, last) = (ea.min(eb) as usize, ea.max(eb) as usize);
    let lengths = rod.rest_lengths();
    let between: f64 = lengths[first..last].iter().sum::<f64>() + 0.5 * (lengths[last] - lengths[first]);
    let around = if rod.closed() { lengths.iter().sum::<f64>() - between } else { f64::INFINITY };
    can_meet(model, ra, [ea, eb], between.min(around))
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

/// Whether another edge begins where this one ends.
pub(in crate::step) fn has_next(model: &Model, (rod, edge): (u32, u32)) -> bool {
    let shape = &model.rods[rod as usize];
    shape.closed() || (edge as usize) + 1 < shape.edge_count()
}

/// Two edges, by rod and edge.
struct Pair<'a> {
    place: Placement<'a>,
    edges: [(u32, u32); 2],
}

impl Pair<'_> {
    fn surface(&self) -> Surface {
        let (model, edges) = (self.place.model(), self.edges);
        let [a, b] = edges.map(|(rod, _)| rod as usize);
        let sides = edges.map(|(rod, e)| model.edge_surface(rod as usize, e as usize));
        model.pair_surface(|p| p.is_rod(a), |p| p.is_rod(b), sides)
    }

    /// How far the two may move towards one another, m.
    fn reach(&self, reaches: &Reaches) -> f64 {
        self.edges.iter().map(|&(rod, edge)| reaches.edge(rod as usize, edge as usize)).sum()
    }

    /// Adds the contacts with a gap of at most `reach`, whatever the sections.
    fn add_points(&self, reach: f64, out: &mut Vec<Contact>) {
        let Self { place, edges: [a, b] } = *self;
        if is_flat(place.model(), a) || is_flat(place.model(), b) {
            return flat_section::add_pair(&place, (a, b), (reach, self.surface()), out);
        }
        let mut surface = None;
        cover_edges(&place.rod_edge_near(a, b), &place.rod_edge_near(b, a), reach, |found| {
            let surface = *surface.get_or_insert_with(|| self.surface());
            let side = |(rod, edge): (u32, u32), fraction: f64| Side::Edge { rod, edge, fraction };
            let sides = [side(a, found.s), side(b, found.t)];
            out.push(Contact::at_point(sides, found.point, (found.normal, found.gap), surface));
        });
    }
}
