//! Pressure fields of rods: they follow the rod, with fixed connectivity.
//!
//! At each node the section lies in the plane that bisects the two edges, so both use the same points and the field
//! has no gap. With unit tangents t₀, t₁ of the edges and b = (t₀ + t₁)/|t₀ + t₁| the normal of that plane: the
//! directors of the section are the mean of those of both edges, each parallel-transported to b,
//!
//!   P(t → b) v = v − (v·b)/(1 + t·b) (t + b),
//!
//! and points are stretched by 1/(t₀·b) along c ∝ t₁ − t₀, so that the sides of the prisms stay parallel to the
//! edges and keep their thickness (at most twofold: sharper bends than 120° get thinner). Between two sections each
//! sector or strip is one convex cell as long as its faces are plane, which they are unless the rod is twisted; else
//! each of its triangles is a prism of three tetrahedra. At the end of an open rod the medial line stops short by half of the
//! thickness (at most by half of the edge), and the pressure is zero on the end face.
//!
//! Between sections that are turned against one another by τ a prism has a waist of cos(τ/2). A flat rod has to
//! follow its twist (its edges must be short enough for that); a round one must not, or a twisted rope would become
//! thin. So the sections of a round rod follow twist-free directors, parallel-transported along it from the first.
//! Where a closed one comes back to its first node, facets of the last edge meet those of the first turned by some
//! angle.
//!
//! Cells of an edge are computed, and use memory, only on demand: most edges have no contact. (Memory for the
//! greatest number of cells would be 58 kB for each edge of a strip, here and in every copy.)

use super::body::positive;
use super::convex::ConvexCell;
use super::field::FieldError;
use super::rod_cells::CellTemplate;
use super::rod_section::RodSection;
use crate::aabb::Aabb;
use glam::{DVec2, DVec3};
use std::mem::take;

/// Least cosine of half the angle between edges up to which the section between them is stretched.
const LEAST_COSINE: f64 = 0.5;

/// Range of the cells of an edge among the prepared ones.
#[derive(Clone, Copy, Debug, Default)]
struct EdgeCells {
    first: u32,
    count: u32,
    /// The update for which they were computed.
    update: u32,
}

/// The pressure field of a rod, in world axes.
#[derive(Clone, Debug)]
pub struct RodField {
    section: RodSection,
    modulus: f64,
    closed: bool,
    edge_count: usize,
    template: CellTemplate,
    /// Points by section, one more than there are edges. The last of a closed rod is at its first node.
    points: Vec<DVec3>,
    /// Ends of the medial line, at both ends of an open rod.
    inner: [Vec<DVec3>; 2],
    bounds: Vec<Aabb>,
    /// Cells of the edges that were prepared since the last update, one edge after the other, and their boxes.
    cells: Vec<ConvexCell>,
    cell_bounds: Vec<Aabb>,
    /// By edge: the range of its cells.
    ready: Vec<EdgeCells>,
    updates: u32,
    gathered: Vec<DVec3>,
    /// By edge: the directors of the sections.
    directors: Vec<DVec3>,
}

impl RodField {
    /// The field of a rod with the modulus in Pa on its axis; [`Self::update`] sets its pose.
    pub fn new(
        section: RodSection,
        modulus: f64,
        edge_count: usize,
        closed: bool,
    ) -> Result<Self, FieldError> {
        let modulus = positive("modulus", modulus, "Pa")?;
        if edge_count == 0 {
            return Err(FieldError::Empty);
        }
        let template = CellTemplate::of(&section);
        Ok(Self {
            points: vec![DVec3::ZERO; (edge_count + 1) * section.points.len()],
            inner: [vec![DVec3::ZERO; section.medial_count], vec![DVec3::ZERO; section.medial_count]],
            bounds: vec![Aabb::EMPTY; edge_count],
            cells: Vec::new(),
            cell_bounds: Vec::new(),
            ready: vec![EdgeCells::default(); edge_count],
            directors: vec![DVec3::X; edge_count],
            gathered: Vec::with_capacity(2 * (section.points.len() + section.medial_count)),
            updates: 0,
            section,
            modulus,
            closed,
            edge_count,
            template,
        })
    }

    /// How many edges the rod has.
    pub fn edge_count(&self) -> usize {
        self.edge_count
    }

    /// The modulus on its axis, Pa.
    pub fn modulus(&self) -> f64 {
        self.modulus
    }

    /// Its section.
    pub fn section(&self) -> &RodSection {
        &self.section
    }

    /// Follows the rod: positions of the nodes in m and, by edge, the material director m1, a unit vector
    /// perpendicular to the edge (m2 = t × m1). For a round rod only the first director counts; with one that does
    /// not follow the rod's spin, facets do not roll. Updates the boxes of edges; [`Self::prepare_edge`] updates
    /// cells.
    pub fn update(&mut self, nodes: &[DVec3], directors: &[DVec3]) -> Result<(), FieldError> {
        let (edges, count) = (self.edge_count, self.edge_count + usize::from(!self.closed));
        if nodes.len() != count || directors.len() != edges {
            return Err(FieldError::Rod { nodes: nodes.len(), directors: directors.len(), edges, count });
        }
        self.updates = self.updates.wrapping_add(1).max(1);
        self.cells.clear();
        self.cell_bounds.clear();
        let size = self.section.points.len();
        let next = |i: usize| if i + 1 == count { 0 } else { i + 1 };
        let tangent = |e: usize| (nodes[next(e)] - nodes[e]).normalize_or(DVec3::Z);
        self.directors.copy_from_slice(directors);
        if self.section.round {
            untwist(&mut self.directors, tangent);
        }
        let directors = &self.directors;
        for i in 0..=edges {
            let ahead = if self.closed { Some(i % edges) } else { (i < edges).then_some(i) };
            let behind = if self.closed { Some((i + edges - 1) % edges) } else { i.checked_sub(1) };
            let side = |e: Option<usize>| e.map(|e| (tangent(e), directors[e]));
            let (mut before, mut after) = (side(behind), side(ahead));
            if self.section.round && self.closed && (i == 0 || i == edges) {
                // Each edge keeps its own facets where a closed rod comes back.
                let (one, two) = (before, after);
                if i == 0 {
                    before = one.zip(two).map(|((t, _), (u, d))| (t, carried(u, t, d)));
                } else {
                    after = one.zip(two).map(|((t, d), (u, _))| (u, carried(t, u, d)));
                }
            }
            let points = &mut self.points[i * size..(i + 1) * size];
            place_section(&self.section, nodes[i % count], before, after, points);
        }
        if !self.closed {
            self.place_ends(nodes);
        }
        for e in 0..edges {
            let bounds = |node: usize| Aabb::of_points(&self.points[node * size..(node + 1) * size]);
            self.bounds[e] = bounds(e).joined(&bounds(e + 1));
        }
        Ok(())
    }

    fn place_ends(&mut self, nodes: &[DVec3]) {
        let (m, size) = (self.section.medial_count, self.section.points.len());
        let n = nodes.len();
        for (side, (end, other)) in [(0, 1), (n - 1, n - 2)].into_iter().enumerate() {
            let along = nodes[other] - nodes[end];
            let length = along.length();
            let inwards = if length > 0.0 {
                along * (self.section.end_depth.min(0.5 * length) / length)
            } else {
                along
            };
            let at = if side == 0 { 0 } else { (n - 1) * size };
            for k in 0..m {
                self.inner[side][k] = self.points[at + k] + inwards;
            }
        }
    }

    /// The bounding box of an edge, as of the last update.
    #[inline]
    pub fn edge_bounds(&self, edge: usize) -> &Aabb {
        &self.bounds[edge]
    }

    /// Distance in m from a point in an edge to its skin along a unit vector, as of the last update. There is no skin
    /// between edges: along a rod the distance is infinite.
    pub fn exit_distance(&self, edge: usize, x: DVec3, along: DVec3) -> f64 {
        let [a, b] = [edge, edge + 1].map(|node| {
            let at = node * self.section.points.len();
            // Medial points lie on both sides of the node alike.
            0.5 * (self.points[at] + self.points[at + self.section.medial_count - 1])
        });
        let tangent = (b - a).normalize_or(DVec3::Z);
        let m1 = self.directors[edge];
        let m2 = tangent.cross(m1);
        let plane = |v: DVec3| DVec2::new(v.dot(m1), v.dot(m2));
        let aside = self.section.exit_distance(plane(x - a), plane(along));
        let ahead = along.dot(tangent);
        let is_end = !self.closed && if ahead > 0.0 { edge + 1 == self.edge_count } else { edge == 0 };
        if !is_end || ahead == 0.0 {
            return aside;
        }
        let end = if ahead > 0.0 { b } else { a };
        aside.min((end - x).dot(tangent) / ahead)
    }

    /// The corner points of the cells of an edge, in the given frame.
    #[inline(always)]
    pub(crate) fn gather(&self, edge: usize, place: impl Fn(DVec3) -> DVec3, out: &mut Vec<DVec3>) {
        let (size, m) = (self.section.points.len(), self.section.medial_count);
        let ends = self.ends(edge);
        let points = |node: usize| &self.points[node * size..(node + 1) * size];
        out.clear();
        for side in 0..2 {
            let points = points(edge + side);
            let medial = if ends[side] { &self.inner[side] } else { &points[..m] };
            out.extend(medial.iter().chain(&points[m..]).map(|p| place(*p)));
        }
        for side in 0..2 {
            // Only for the end faces; not read elsewhere.
            out.extend(points(edge + side)[..m].iter().map(|p| place(*p)));
        }
    }

    /// Visits the cells of an edge, from its gathered points, whose boxes are `wanted`.
    #[inline(always)]
    pub(crate) fn visit_cells(
        &self,
        edge: usize,
        gathered: &[DVec3],
        wanted: impl Fn(&Aabb) -> bool,
        visit: impl FnMut(u32, &ConvexCell, &Aabb),
    ) {
        let ends = self.ends(edge);
        self.template.visit((&self.section, self.modulus), (gathered, ends), wanted, visit);
    }

    /// Whether the rod ends at the first and at the second node of an edge.
    fn ends(&self, edge: usize) -> [bool; 2] {
        [!self.closed && edge == 0, !self.closed && edge + 1 == self.edge_count]
    }

    /// Computes the cells of an edge, if that has not been done since the last update.
    pub fn prepare_edge(&mut self, edge: usize) {
        if self.ready[edge].update == self.updates {
            return;
        }
        let mut gathered = take(&mut self.gathered);
        self.gather(edge, |p| p, &mut gathered);
        let (mut cells, mut bounds) = (take(&mut self.cells), take(&mut self.cell_bounds));
        let first = cells.len();
        self.visit_cells(
            edge,
            &gathered,
            |_| true,
            |_, cell, around| {
                cells.push(*cell);
                bounds.push(*around);
            },
        );
        let count = (cells.len() - first) as u32;
        (self.cells, self.cell_bounds, self.gathered) = (cells, bounds, gathered);
        self.ready[edge] = EdgeCells { first: first as u32, count, update: self.updates };
    }

    /// The cells of an edge; none if it was not prepared since the last update.
    #[inline]
    pub fn edge_cells(&self, edge: usize) -> &[ConvexCell] {
        &self.cells[self.range(edge)]
    }

    /// The boxes of the cells of an edge.
    #[inline]
    pub fn edge_cell_bounds(&self, edge: usize) -> &[Aabb] {
        &self.cell_bounds[self.range(edge)]
    }

    #[inline]
    fn range(&self, edge: usize) -> std::ops::Range<usize> {
        let EdgeCells { first, count, update } = self.ready[edge];
        let first = first as usize;
        if update == self.updates { first..first + count as usize } else { 0..0 }
    }

    /// Bytes of memory in use.
    pub fn memory_bytes(&self) -> usize {
        let points = self.points.capacity() + self.inner.iter().map(Vec::capacity).sum::<usize>();
        size_of::<DVec3>() * (points + self.gathered.capacity() + self.directors.capacity())
            + size_of::<Aabb>() * (self.bounds.capacity() + self.cell_bounds.capacity())
            + size_of::<ConvexCell>() * self.cells.capacity()
            + size_of::<EdgeCells>() * self.ready.capacity()
    }
}

/// Parallel transport of v, perpendicular to t, from t to b.
#[inline]
fn carried(t: DVec3, b: DVec3, v: DVec3) -> DVec3 {
    v - (v.dot(b) / (1.0 + t.dot(b))) * (t + b)
}

/// Twist-free directors, parallel-transported along the rod from the first; see the module's header.
fn untwist(directors: &mut [DVec3], tangent: impl Fn(usize) -> DVec3) {
    let square = |d: DVec3, t: DVec3| (d - d.dot(t) * t).normalize_or(t.any_orthonormal_vector());
    let mut t = tangent(0);
    directors[0] = square(directors[0], t);
    for e in 1..directors.len() {
        let next = tangent(e);
        directors[e] = square(carried(t, next, directors[e - 1]), next);
        t = next;
    }
}

/// Places a section between the edges (tangent, director) before and after it.
#[inline]
fn place_section(
    section: &RodSection,
    node: DVec3,
    before: Option<(DVec3, DVec3)>,
    after: Option<(DVec3, DVec3)>,
    points: &mut [DVec3],
) {
    let one = before.or(after).unwrap_or((DVec3::Z, DVec3::X));
    let two = after.unwrap_or(one);
    let sum = one.0 + two.0;
    // Edges that fold back have no bisecting plane; use that of the first.
    let b = if sum.length_squared() > 1e-12 { sum.normalize() } else { one.0 };
    let (carried_one, carried_two) = (carried(one.0, b, one.1), carried(two.0, b, two.1));
    let mean = carried_one + carried_two;
    // Directors half a turn apart have no mean.
    let m1 = if mean.length_squared() > 1e-12 { mean } else { carried_one };
    let m1 = (m1 - m1.dot(b) * b).normalize_or_zero();
    let m2 = b.cross(m1);
    let bend = two.0 - one.0;
    let c = (bend - bend.dot(b) * b).normalize_or_zero();
    let stretch = 1.0 / one.0.dot(b).max(LEAST_COSINE) - 1.0;
    let (u1, u2) = (m1 + stretch * m1.dot(c) * c, m2 + stretch * m2.dot(c) * c);
    for (p, q) in points.iter_mut().zip(&section.points) {
        *p = node + q.x * u1 + q.y * u2;
    }
}
