//! Rods as surfaces: the true section swept along the centerline, turned with the material director.
//!
//! Each node has a ring of vertices, perpendicular to the mean of its two edges and oriented by the mean of their
//! directors. A round section has a stripe along m1, a flat one a side of another color, to show twist. Ends are
//! round for round sections, as they are in contact.

use crate::color::{LAST_SHADE, shade, shade_color};
use crate::geometry::{Geometry, Round, Surface};
use crate::quantity::Quantity;
use crate::stage::{RodFrame, RodLook};
use crate::style::Style;
use core::f64::consts::TAU;
use glam::{DVec3, Vec3};

/// Least and most sides of a round section.
const SIDES: [usize; 2] = [6, 32];
/// Target length of a side in px.
const SIDE: f64 = 2.5;
/// Least radius in px of rods with a stripe; on a thinner rod it would only blur the color.
const STRIPED: f64 = 2.5;

/// A point of the outline of a section: factors of the half extents along m1 and m2, normal along m1 and m2, stripe.
type Outline = ([f64; 2], [f64; 2], f32);

/// A rod with the frames at its nodes.
struct Sweep<'a> {
    look: &'a RodLook,
    rod: &'a RodFrame,
    least_radius: &'a dyn Fn(DVec3) -> f64,
}

/// Adds a rod: number `number` of the stage, colored by `quantity` if given.
pub(crate) fn add(
    geometry: &mut Geometry,
    look: &RodLook,
    rod: &RodFrame,
    (number, quantity): (usize, Option<&Quantity>),
    style: &Style,
    pixel: &dyn Fn(DVec3) -> f64,
) {
    let edges = look.edge_count();
    if edges == 0 || rod.nodes.iter().any(|p| !p.is_finite()) {
        return;
    }
    let first_surface = add_surfaces(geometry, look, number as u32 + 1, quantity.is_some());
    let surface = |e: usize| match quantity {
        Some(q) => first_surface + shade(q.fraction(q.edges[number][e])),
        None => first_surface,
    };
    let least_radius = |p: DVec3| 0.5 * style.least_rod_width * pixel(p);
    let sweep = Sweep { look, rod, least_radius: &least_radius };
    let nearest = rod.nodes.iter().map(|p| 1.0 / pixel(*p)).fold(0.0, f64::max);
    let mut outline: Vec<Outline> = Vec::new();
    let mut previous: Option<([f64; 2], u32)> = None;
    for e in 0..edges {
        let extents = look.half_extents[e];
        let fresh = previous.is_none_or(|(before, _)| before != extents);
        if fresh {
            outline_of(extents, nearest, &mut outline);
        }
        let start = match previous {
            Some((before, ring)) if before == extents => ring,
            _ => {
                let ring = sweep.ring(geometry, e, e, &outline);
                sweep.close(geometry, (e, e), (ring, outline.len() as u32), surface(e), false);
                ring
            }
        };
        let end = sweep.ring(geometry, e + 1, e, &outline);
        let count = outline.len() as u32;
        for k in 0..count {
            let l = (k + 1) % count;
            geometry.add_quad([start + k, start + l, end + l, end + k], surface(e));
        }
        let last = e + 1 == edges || look.half_extents[e + 1] != extents;
        if last {
            sweep.close(geometry, (e + 1, e), (end, count), surface(e), true);
        }
        previous = Some((extents, end));
    }
}

/// The surfaces of a rod: one, or one for each shade; the index of the first.
fn add_surfaces(geometry: &mut Geometry, look: &RodLook, instance: u32, by_quantity: bool) -> u32 {
    if !by_quantity {
        let mut surface = Surface::new(look.color, instance);
        // The stripe is lighter on dark rods and darker on light ones.
        let bright = surface.albedo.dot(Vec3::new(0.21, 0.72, 0.07));
        let toward = if bright < 0.35 { Vec3::ONE } else { Vec3::ZERO };
        surface.mark = surface.albedo.lerp(toward, 0.45);
        return geometry.add_surface(surface);
    }
    let first = geometry.surfaces.len() as u32;
    for s in 0..=LAST_SHADE {
        geometry.add_surface(Surface::new(shade_color(s), instance));
    }
    first
}

/// The outline of a section of given half extents, where a meter has `resolution` px.
fn outline_of(extents: [f64; 2], resolution: f64, out: &mut Vec<Outline>) {
    out.clear();
    let [a, b] = extents;
    if a == b {
        let around = TAU * a * resolution / SIDE;
        let sides = (around.min(1e6) as usize).clamp(SIDES[0], SIDES[1]);
        let striped = a * resolution >= STRIPED;
        out.extend((0..sides).map(|k| {
            let (sin, cos) = (TAU * k as f64 / sides as f64).sin_cos();
            ([cos, sin], [cos, sin], if striped { cos as f32 } else { 0.0 })
        }));
        return;
    }
    // A rectangle, each corner twice, once for either side. One of the wide sides is marked.
    let corners = [[1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]];
    let normals = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];
    let marked = if a > b { 1 } else { 0 };
    for side in 0..4 {
        let stripe = if side == marked { 1.0 } else { 0.0 };
        for corner in [corners[side], corners[(side + 1) % 4]] {
            out.push((corner, normals[side], stripe));
        }
    }
}

impl Sweep<'_> {
    fn tangent(&self, e: usize) -> DVec3 {
        let nodes = &self.rod.nodes;
        (nodes[self.look.edge_end(e)] - nodes[e]).normalize_or(DVec3::X)
    }

    /// Unit tangent and directors at a node: the means over its edges.
    fn frame(&self, node: usize) -> [DVec3; 3] {
        let edges = self.look.edge_count();
        let (before, after) = match (self.look.closed, node) {
            (true, n) => ((n + edges - 1) % edges, n % edges),
            (false, 0) => (0, 0),
            (false, n) => (n - 1, n.min(edges - 1)),
        };
        let (t0, t1) = (self.tangent(before), self.tangent(after));
        let t = (t0 + t1).normalize_or(t1);
        let directors = &self.rod.directors;
        let director = match (directors.get(before), directors.get(after)) {
            (Some(a), Some(b)) if (*a + *b).length() > 0.1 => *a + *b,
            (_, Some(b)) => *b,
            _ => t.any_orthonormal_vector(),
        };
        let m1 = (director - t * director.dot(t)).normalize_or(t.any_orthonormal_vector());
        [t, m1, t.cross(m1)]
    }

    /// Half extents of an edge, at least those of a visible line.
    fn extents(&self, e: usize, at: DVec3) -> [f64; 2] {
        let least = (self.least_radius)(at);
        self.look.half_extents[e].map(|h| h.max(least))
    }

    /// Adds the ring at a node with the section of edge `e`; its first vertex.
    fn ring(&self, geometry: &mut Geometry, node: usize, e: usize, outline: &[Outline]) -> u32 {
        let first = geometry.points.len() as u32;
        let [_, m1, m2] = self.frame(node);
        let at = self.rod.nodes[node % self.rod.nodes.len()];
        let [a, b] = self.extents(e, at);
        for (place, normal, stripe) in outline {
            let point = at + m1 * (a * place[0]) + m2 * (b * place[1]);
            let normal = m1 * normal[0] + m2 * normal[1];
            geometry.add_vertex(point, normal.as_vec3(), *stripe);
        }
        first
    }

    /// Closes the tube at an end of the rod, or where its section changes, with the section of edge `e`.
    fn close(
        &self,
        geometry: &mut Geometry,
        (node, e): (usize, usize),
        (ring, count): (u32, u32),
        surface: u32,
        at_end: bool,
    ) {
        let edges = self.look.edge_count();
        let outer = node == 0 || node == edges;
        if self.look.closed && outer {
            return;
        }
        let at = self.rod.nodes[node];
        let [a, b] = self.extents(e, at);
        if outer && a == b {
            let mark = DVec3::ZERO;
            geometry.rounds.push(Round { ends: [at; 2], radius: a, flat: false, mark, surface });
            return;
        }
        // A fan of its own vertices, whose normals point along the rod.
        let [t, ..] = self.frame(node);
        let normal = if at_end { t } else { -t };
        let middle = geometry.add_vertex(at, normal.as_vec3(), 0.0);
        for k in 0..count {
            let point = geometry.points[(ring + k) as usize];
            geometry.add_vertex(point, normal.as_vec3(), 0.0);
        }
        for k in 0..count {
            let (p, q) = (middle + 1 + k, middle + 1 + (k + 1) % count);
            let corners = if at_end { [middle, p, q] } else { [middle, q, p] };
            geometry.triangles.push(crate::geometry::Triangle { corners, surface });
        }
    }
}
