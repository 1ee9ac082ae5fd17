//! Collide: patches of pressure fields.
//!
//! An edge with a pressure field touches shapes, and edges that have one, in polygons; each is a contact with the gap
//! φ = −p/g and the stiffness k = A g (see `ropewalk_geometry::pressure`), at its center of pressure.
//!
//! A field feels nothing before it overlaps, and is soft when it does. So pairs without a polygon take part as points
//! whose gap counts from a little below the skin, [`SINK`] of its depth: they slow down what would go deeper within
//! the step, and leave the rest to the field. Where a pair has sunk to [`DEEP`] of the field, such a point, with its gap
//! counted from there, keeps it from going all the way through; and so where the round end of a rod overlaps another,
//! which the field, whose end is flat, does not feel.
//!
//! The pressure on a round rod acts through its axis. Its field is a prism, whose facets do not follow the spin of the
//! rod; they put the center of pressure a little beside the axis, and a rope on a floor would roll for ever. So the
//! polygons of a pair are shifted together, across the force F that they sum up to, by Δ = Σ α_r t_r × F/|F| over the round
//! rods r of the pair, so that the moments about their tangents t_r vanish; both sides see the same places, so moments still
//! balance.

use crate::model::{Model, State, Surface};
use crate::step::collide::{Contact, Side};
use glam::{DMat2, DVec2, DVec3};
use ropewalk_geometry::pressure::{
    Patch, PatchBody, PatchPolygon, RodField, body_body, cluster, edge_body, edge_edge_patch,
};
use ropewalk_geometry::segment::closest_parameter;
use ropewalk_linalg::Pose;
use std::sync::Arc;

/// Share of the depth of a field to which what does not overlap yet may sink in one step.
const SINK: f64 = 0.05;
/// Share of the depth below which points hold what the field does not.
pub(super) const DEEP: f64 = 0.4;
/// Share from which on they are looked for: one that comes only once a pair is too deep throws it out, to come again.
pub(super) const NEARLY_DEEP: f64 = 0.2;

/// What a contact of a patch has that a point has not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Polygon {
    /// m².
    pub(crate) area: f64,
    /// How deep it lies below the skins, m.
    pub(crate) depth: f64,
    /// w_i, share in the normal force of its pair at the start of the step.
    pub(crate) share: f64,
    /// ξ_i = (s, u), where on the first side's edge it is: the fraction of its length, and the way across it over half of the
    /// width; u = 0 on a round edge.
    pub(crate) place: DVec2,
    /// ξ̄ = Σ w_i ξ_i, where the pair's force acts.
    pub(crate) middle: DVec2,
    /// w_i C⁻¹ (ξ_i − ξ̄) with C = Σ w_j (ξ_j − ξ̄)(ξ_j − ξ̄)ᵀ: share in the first moments along and across the edge.
    pub(crate) lean: DVec2,
    /// First of its corners among those of the step, and how many there are.
    pub(crate) corners: [u32; 2],
}

/// Fields of rods and shapes, where they are in this step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields {
    rods: Vec<Option<RodField>>,
    /// By shape, in the order of all shapes of all trees.
    bodies: Vec<Option<Arc<PatchBody>>>,
    patch: Patch,
    /// Angle within which polygons are replaced by a few contacts, rad.
    cluster_angle: Option<f64>,
    clustered: Vec<PatchPolygon>,
    /// Polygons found in this step.
    found: usize,
    nodes: Vec<DVec3>,
    directors: Vec<DVec3>,
}

/// How far points of a pair may sink before they act, as a share of the depth of the field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::step) enum Points {
    /// There is no field: contact is at points.
    All,
    /// Points act from this share of the depth on.
    From(f64),
    /// The patch is enough.
    None,
}

impl Points {
    /// Whether there is a field and it does not overlap: points are for what comes.
    pub(in crate::step) fn is_look_ahead(self) -> bool {
        self == Self::From(SINK)
    }

    /// How far below the skin points begin to act, m, in a field of the depth `depth`.
    pub(in crate::step) fn sunk(self, depth: f64) -> f64 {
        if let Self::From(share) = self { share * depth } else { 0.0 }
    }
}

impl Fields {
    pub(crate) fn new(model: &Model) -> Self {
        let mut bodies = Vec::new();
        for (t, tree) in model.trees.iter().enumerate() {
            for s in 0..tree.shapes.len() {
                let mut given = model.patches.shapes.iter();
                bodies.push(given.find(|(at, _)| *at == (t, s)).map(|(_, body)| body.clone()));
            }
        }
        let mut rods = model.patches.rods.clone();
        rods.resize(model.rods.len(), None);
        Self { rods, bodies, patch: Patch::new(Default::default(), true), ..Self::default() }
    }

    /// Corners of all polygons of the step, m.
    pub(crate) fn corners(&self) -> &[DVec3] {
        &self.patch.vertices
    }

    /// Pairs of cells that were cut with one another for each polygon of the step; none without a polygon.
    pub(crate) fn pairs_by_polygon(&self) -> Option<f64> {
        (self.found > 0).then(|| self.patch.candidates as f64 / self.found as f64)
    }

    /// Whether any rod has a field.
    pub(in crate::step) fn has_rods(&self) -> bool {
        self.rods.iter().any(Option::is_some)
    }

    /// Whether two edges touch in patches.
    pub(in crate::step) fn join_edges(&self, [(a, _), (b, _)]: [(u32, u32); 2]) -> bool {
        self.rods[a as usize].is_some() && self.rods[b as usize].is_some()
    }

    /// Whether a rod touches the shape `shape` (counted over all trees) in patches.
    pub(in crate::step) fn join_edge_body(&self, rod: u32, shape: usize) -> bool {
        self.rods[rod as usize].is_some() && self.bodies[shape].is_some()
    }

    /// Whether two shapes touch in patches.
    pub(in crate::step) fn join_bodies(&self, shapes: [usize; 2]) -> bool {
        let [Some(a), Some(b)] = shapes.map(|s| self.bodies[s].as_ref()) else { return false };
        !(a.is_rigid() && b.is_rigid())
    }

    /// Places the fields of all rods.
    pub(in crate::step) fn update(&mut self, model: &Model, state: &State) {
        self.patch.clear();
        self.found = 0;
        self.cluster_angle = model.contact.and_then(|c| c.cluster_angle);
        for (r, field) in self.rods.iter_mut().enumerate() {
            let Some(field) = field else { continue };
            let (rod, s) = (&model.rods[r], &state.rods[r]);
            self.nodes.clear();
            self.nodes.extend((0..rod.node_count()).map(|i| s.position(i)));
            self.directors.clear();
            if field.section().is_round() {
                // Only the first counts, and must not follow the spin.
                self.directors.resize(rod.edge_count(), s.director(0));
            } else {
                self.directors.extend((0..rod.edge_count()).map(|e| s.material_frame(rod, e)[0]));
            }
            // Fails only for arrays of another length.
            let _ = field.update(&self.nodes, &self.directors);
        }
    }

    /// Adds the patch of two edges; says what is left to points.
    pub(in crate::step) fn add_edges(
        &mut self,
        [(ra, ea), (rb, eb)]: [(u32, u32); 2],
        state: &State,
        model: &Model,
        surface: Surface,
        out: &mut Vec<Contact>,
    ) -> Points {
        let (a, b) = (ra as usize, rb as usize);
        if self.rods[a].is_none() || self.rods[b].is_none() {
            return Points::All;
        }
        for (r, e) in [(a, ea), (b, eb)] {
            if let Some(field) = &mut self.rods[r] {
                field.prepare_edge(e as usize);
            }
        }
        let (Some(first), Some(second)) = (&self.rods[a], &self.rods[b]) else { return Points::All };
        edge_edge_patch(first, ea as usize, second, eb as usize, &mut self.patch);
        let modulus = first.modulus().min(second.modulus());
        center_pressure(
            &[axis(model, state, first, (ra, ea)), axis(model, state, second, (rb, eb))],
            &mut self.patch,
        );
        let sides = |p: &PatchPolygon| {
            [(ra, ea), (rb, eb)].map(|(rod, edge)| {
                let fraction = fraction_at(model, state, (rod, edge), p.point);
                Side::Edge { rod, edge, fraction }
            })
        };
        let width = Width::of(model, state, (ra, ea));
        match self.take(modulus, surface, sides, |p| width.place(p.point), out) {
            // The end of one may be deep in the other where their pressure is low.
            Points::None => Points::From(DEEP),
            points => points,
        }
    }

    /// Adds the patch of an edge with the shape `shape` (counted over all trees); says what is left to points.
    pub(in crate::step) fn add_edge_body(
        &mut self,
        (rod, edge): (u32, u32),
        (shape, pose, link): (usize, &Pose, Side),
        state: &State,
        model: &Model,
        surface: Surface,
        out: &mut Vec<Contact>,
    ) -> Points {
        let (Some(field), Some(body)) = (&mut self.rods[rod as usize], &self.bodies[shape]) else {
            return Points::All;
        };
        edge_body(field, edge as usize, body, pose, &mut self.patch);
        let modulus = field.modulus();
        center_pressure(&[axis(model, state, field, (rod, edge))], &mut self.patch);
        let sides = |p: &PatchPolygon| {
            let fraction = fraction_at(model, state, (rod, edge), p.point);
            [Side::Edge { rod, edge, fraction }, link]
        };
        let width = Width::of(model, state, (rod, edge));
        self.take(modulus, surface, sides, |p| width.place(p.point), out)
    }

    /// Adds the patch of two shapes, of which at least one has a field; says what is left to points.
    pub(in crate::step) fn add_bodies(
        &mut self,
        shapes: [usize; 2],
        poses: [&Pose; 2],
        sides: [Side; 2],
        surface: Surface,
        out: &mut Vec<Contact>,
    ) -> Points {
        let [Some(a), Some(b)] = shapes.map(|s| self.bodies[s].clone()) else { return Points::All };
        if a.is_rigid() && b.is_rigid() {
            return Points::All;
        }
        body_body(&a, poses[0], &b, poses[1], &mut self.patch);
        // Soft bodies of any shape have no one depth; points are for what does not overlap at all.
        match self.take(f64::INFINITY, surface, |_| sides, |_| 0.0, out) {
            Points::From(_) => Points::From(0.0),
            other => other,
        }
    }

    /// Turns the polygons found into contacts. `modulus` is that of the softer field.
    fn take(
        &mut self,
        modulus: f64,
        surface: Surface,
        sides: impl Fn(&PatchPolygon) -> [Side; 2],
        across: impl Fn(&PatchPolygon) -> f64,
        out: &mut Vec<Contact>,
    ) -> Points {
        let deepest = self.patch.polygons.iter().map(|p| p.pressure / modulus).fold(0.0, f64::max);
        self.found += self.patch.polygons.len();
        if let Some(angle) = self.cluster_angle {
            cluster(&mut self.patch.polygons, angle, &mut self.clustered);
        }
        let total: f64 = self.patch.polygons.iter().map(|p| p.area * p.pressure).sum();
        let first = out.len();
        for p in &self.patch.polygons {
            let sides = sides(p);
            let along = if let Side::Edge { fraction, .. } = sides[0] { fraction } else { 0.0 };
            let surface = Surface { stiffness: Some(p.stiffness()), ..surface };
            out.push(Contact {
                polygon: Some(Polygon {
                    area: p.area,
                    depth: p.depth,
                    share: p.area * p.pressure / total,
                    place: DVec2::new(along, across(p)),
                    middle: DVec2::ZERO,
                    lean: DVec2::ZERO,
                    corners: [p.first_vertex, p.vertex_count],
                }),
                ..Contact::at_point(sides, p.point, (p.normal, p.gap()), surface)
            });
        }
        spread_over_edge(&mut out[first..]);
        let found = !self.patch.polygons.is_empty();
        self.patch.polygons.clear();
        match found {
            false => Points::From(SINK),
            true if deepest > NEARLY_DEEP => Points::From(DEEP),
            true => Points::None,
        }
    }
}

/// A point and the direction of the axis of an edge whose section is round.
fn axis(model: &Model, state: &State, field: &RodField, (rod, edge): (u32, u32)) -> Option<[DVec3; 2]> {
    let (shape, s) = (&model.rods[rod as usize], &state.rods[rod as usize]);
    let e = edge as usize;
    field.section().is_round().then(|| [s.position(e), s.tangent(shape, e)])
}

/// Shifts the polygons so that their pressure has no moment about the axes of round edges.
fn center_pressure(axes: &[Option<[DVec3; 2]>], patch: &mut Patch) {
    let force = patch.force_on_a();
    let size = force.length();
    if size == 0.0 {
        return;
    }
    let across = |t: DVec3| t.cross(force) / size;
    // Moments over |F|, m: how far beside each axis the force passes.
    let beside = |[point, t]: [DVec3; 2]| t.dot(patch.moment_on_a(point)) / size;
    let shift = match axes {
        [Some(a)] | [Some(a), None] | [None, Some(a)] => beside(*a) * across(a[1]),
        [Some(a), Some(b)] => {
            // α + c β = m_a, c α + β = m_b; a little is added to the diagonal for axes that are parallel.
            let (m, c) = ([beside(*a), beside(*b)], a[1].dot(b[1]));
            let d = 1.0 + 1e-3;
            let scale = 1.0 / (d * d - c * c);
            scale * ((d * m[0] - c * m[1]) * across(a[1]) + (d * m[1] - c * m[0]) * across(b[1]))
        }
        _ => DVec3::ZERO,
    };
    patch.polygons.iter_mut().for_each(|p| p.point += shift);
}

/// The width of a flat edge: from its first node, across it, over half of its width.
#[derive(Clone, Copy)]
struct Width {
    origin: DVec3,
    /// Zero for a round edge.
    across: DVec3,
}

impl Width {
    fn of(model: &Model, state: &State, (rod, edge): (u32, u32)) -> Self {
        let (shape, s) = (&model.rods[rod as usize], &state.rods[rod as usize]);
        let e = edge as usize;
        let [a, b] = shape.half_extents()[e];
        let across = if crate::step::collide::is_flat(model, (rod, edge)) {
            let frame = s.material_frame(shape, e);
            if a >= b { frame[0] / a } else { frame[1] / b }
        } else {
            DVec3::ZERO
        };
        Self { origin: s.position(e), across }
    }

    fn place(&self, point: DVec3) -> f64 {
        (point - self.origin).dot(self.across)
    }
}

/// Least mean square of places, lengths and half widths being one, that counts as a spread: polygons all in one place have
/// no first moment.
const LEAST_SPREAD: f64 = 1e-6;

/// Sets where on the edge each polygon of a pair is, against the others.
fn spread_over_edge(contacts: &mut [Contact]) {
    let of = |c: &Contact| c.polygon.map_or((0.0, DVec2::ZERO), |p| (p.share, p.place));
    let middle: DVec2 = contacts.iter().map(of).map(|(w, x)| w * x).sum();
    let mut spread = DMat2::ZERO;
    for (w, x) in contacts.iter().map(of) {
        let d = x - middle;
        spread += DMat2::from_cols(w * d.x * d, w * d.y * d);
    }
    let inverse = inverse_spread(spread);
    for p in contacts.iter_mut().filter_map(|c| c.polygon.as_mut()) {
        p.middle = middle;
        p.lean = inverse * (p.share * (p.place - middle));
    }
}

/// The inverse of a matrix of mean squares in the directions in which there is a spread, zero in others.
fn inverse_spread(c: DMat2) -> DMat2 {
    let (x, y, xy) = (c.x_axis.x, c.y_axis.y, c.x_axis.y);
    // What is left of each with the other taken out.
    let both = x > LEAST_SPREAD && y > LEAST_SPREAD && x * y - xy * xy > LEAST_SPREAD * x.max(y);
    if both {
        c.inverse()
    } else if x.max(y) <= LEAST_SPREAD {
        DMat2::ZERO
    } else if x >= y {
        DMat2::from_cols_array(&[1.0 / x, 0.0, 0.0, 0.0])
    } else {
        DMat2::from_cols_array(&[0.0, 0.0, 0.0, 1.0 / y])
    }
}

/// Counts the gaps of points from a share of `depth` (m) below the skin, hard, and drops those beyond `reach`. Friction acts at them
/// only once they touch.
pub(in crate::step) fn sink_points(
    contacts: &mut Vec<Contact>,
    first: usize,
    points: Points,
    depth: f64,
    reach: f64,
) {
    let Points::From(_) = points else { return };
    let mut kept = first;
    for i in first..contacts.len() {
        let mut contact = contacts[i];
        let mut points = points;
        if points.is_look_ahead() && contact.gap < 0.0 {
            // Capsules have round ends and fields have not: what overlaps there and has no patch does not touch, but the
            // end of a rod that meets another head on has no field that would stop it before it is inside.
            let [Side::Edge { .. }, Side::Edge { .. }] = contact.sides else { continue };
            points = Points::From(DEEP);
        }
        contact.sunk = points.sunk(depth);
        contact.gap += contact.sunk;
        contact.surface = Surface { friction: contact.surface.friction, ..Surface::default() };
        if contact.gap <= reach {
            contacts[kept] = contact;
            kept += 1;
        }
    }
    contacts.truncate(kept);
}

fn fraction_at(model: &Model, state: &State, (rod, edge): (u32, u32), point: DVec3) -> f64 {
    let (shape, s) = (&model.rods[rod as usize], &state.rods[rod as usize]);
    let e = edge as usize;
    closest_parameter(s.position(e), s.position(shape.edge_end(e)), point)
}
