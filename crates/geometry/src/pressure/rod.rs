//! Pressure fields of rods: they follow the rod, their connectivity stays.
//!
//! At each node the section lies in the plane that bisects the two edges, so both use the same points and the field
//! has no gap. With unit tangents t₀, t₁ of the edges and b = (t₀ + t₁)/|t₀ + t₁| the normal of that plane: the
//! directors of the section are the mean of those of both edges, each carried to b by parallel transport,
//!
//!   P(t → b) v = v − (v·b)/(1 + t·b) (t + b),
//!
//! and points are stretched by 1/(t₀·b) along c ∝ t₁ − t₀, so that the sides of the prisms stay parallel to the
//! edges and keep their thickness (at most twofold: sharper bends than 120° get thinner). Between two sections each
//! triangle is a prism of three tetrahedra. At the end of an open rod the medial line stops short by half of the
//! thickness (at most by half of the edge), and the pressure is zero on the end face.
//!
//! Between sections that are turned against one another by τ a prism has a waist of cos(τ/2). A flat rod has to follow
//! its twist (choose edges short enough for that). A round one, a polygon of n sides, looks the same after 1/n of a turn:
//! its sections follow the material, so that a rope that rolls takes its facets along and no torque comes from nowhere,
//! but they are turned against one another only by what is left of the twist after whole sides, at most half of one. Where a
//! closed rod ends, what is left over is spread over all edges.
//!
//! Cells of an edge are computed when first asked for after an update: most edges touch nothing.

use super::body::positive;
use super::field::FieldError;
use super::grid_cells::prism;
use super::rod_section::RodSection;
use super::tet::Tet;
use crate::aabb::Aabb;
use glam::DVec3;

/// Least cosine of half of the angle between edges for the stretch of the section between them.
const LEAST_COSINE: f64 = 0.5;

/// The pressure field of a rod, in world axes.
#[derive(Clone, Debug)]
pub struct RodField {
    section: RodSection,
    modulus: f64,
    closed: bool,
    edge_count: usize,
    cells: Template,
    /// By node: the points of its section.
    points: Vec<DVec3>,
    /// At both ends of an open rod: where the medial line ends.
    inner: [Vec<DVec3>; 2],
    bounds: Vec<Aabb>,
    tets: Vec<Tet>,
    tet_bounds: Vec<Aabb>,
    /// By edge: how many of its cells are good, and the update they belong to.
    ready: Vec<(u32, u32)>,
    updates: u32,
    gathered: Vec<DVec3>,
    /// By edge: the directors that sections follow.
    directors: Vec<DVec3>,
}

/// Cells of an edge, as indices into its gathered points: the section at its first node, at its second, and medial
/// points of the end faces.
#[derive(Clone, Debug)]
struct Template {
    middle: Vec<[u16; 4]>,
    caps: [Vec<[u16; 4]>; 2],
}

impl Template {
    fn of(section: &RodSection) -> Self {
        let (n, m) = (section.points.len() as u16, section.medial_count as u16);
        let mut middle = Vec::new();
        let mut caps = [Vec::new(), Vec::new()];
        for t in &section.triangles {
            prism(*t, t.map(|k| n + k), |tet| middle.push(tet));
            for (side, cap) in [0u16, 1].into_iter().zip(&mut caps) {
                let inner = t.map(|k| side * n + k);
                let outer = t.map(|k| if k < m { 2 * n + side * m + k } else { side * n + k });
                prism(inner, outer, |tet| {
                    // Where a corner lies on the skin the prism has no height, and some of the three vanish.
                    let again = (0..4).any(|i| (0..i).any(|j| tet[i] == tet[j]));
                    if !again {
                        cap.push(tet);
                    }
                });
            }
        }
        Self { middle, caps }
    }
}

impl RodField {
    /// The field of a rod with the modulus in Pa on its axis; to be placed by [`Self::update`].
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
        let cells = Template::of(&section);
        let stride = cells.middle.len() + cells.caps[0].len() + cells.caps[1].len();
        let node_count = edge_count + usize::from(!closed);
        // Places only: cells that were never prepared are never read.
        let blank =
            Tet::new([DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z], [1.0; 4]).ok_or(FieldError::Empty)?;
        Ok(Self {
            points: vec![DVec3::ZERO; node_count * section.points.len()],
            inner: [vec![DVec3::ZERO; section.medial_count], vec![DVec3::ZERO; section.medial_count]],
            bounds: vec![Aabb::EMPTY; edge_count],
            tets: vec![blank; edge_count * stride],
            tet_bounds: vec![Aabb::EMPTY; edge_count * stride],
            ready: vec![(0, 0); edge_count],
            directors: vec![DVec3::X; edge_count],
            gathered: vec![DVec3::ZERO; 2 * (section.points.len() + section.medial_count)],
            updates: 0,
            section,
            modulus,
            closed,
            edge_count,
            cells,
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

    /// Follows the rod: positions of the nodes in m and, by edge, the material director m1, a unit vector square to
    /// the edge (m2 = t × m1). Boxes of edges are new then; cells become so by [`Self::prepare_edge`].
    pub fn update(&mut self, nodes: &[DVec3], directors: &[DVec3]) -> Result<(), FieldError> {
        let (edges, count) = (self.edge_count, self.edge_count + usize::from(!self.closed));
        if nodes.len() != count || directors.len() != edges {
            return Err(FieldError::Rod { nodes: nodes.len(), directors: directors.len(), edges, count });
        }
        self.updates = self.updates.wrapping_add(1).max(1);
        let size = self.section.points.len();
        let next = |i: usize| if i + 1 == count { 0 } else { i + 1 };
        let tangent = |e: usize| (nodes[next(e)] - nodes[e]).normalize_or(DVec3::Z);
        self.directors.copy_from_slice(directors);
        if self.section.round {
            let sides = self.section.points.len() - self.section.medial_count;
            untwist(&mut self.directors, sides, self.closed, tangent);
        }
        let directors = &self.directors;
        let mut last = if self.closed { Some(edges - 1) } else { None };
        let mut last_tangent = last.map(tangent);
        for i in 0..count {
            let here = (i < edges).then_some(i);
            let here_tangent = here.map(tangent);
            let before = last.zip(last_tangent).map(|(e, t)| (t, directors[e]));
            let after = here.zip(here_tangent).map(|(e, t)| (t, directors[e]));
            let points = &mut self.points[i * size..(i + 1) * size];
            place_section(&self.section, nodes[i], before, after, points);
            (last, last_tangent) = (here, here_tangent);
        }
        if !self.closed {
            self.place_ends(nodes);
        }
        for e in 0..edges {
            let bounds = |node: usize| Aabb::of_points(&self.points[node * size..(node + 1) * size]);
            self.bounds[e] = bounds(e).joined(&bounds(next(e)));
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

    /// The box about an edge, as of the last update.
    #[inline]
    pub fn edge_bounds(&self, edge: usize) -> &Aabb {
        &self.bounds[edge]
    }

    /// Computes the cells of an edge, if that has not been done since the last update.
    pub fn prepare_edge(&mut self, edge: usize) {
        if self.ready[edge].1 == self.updates {
            return;
        }
        let (size, m) = (self.section.points.len(), self.section.medial_count);
        let nodes = self.points.len() / size;
        let second = if edge + 1 == nodes { 0 } else { edge + 1 };
        let ends = [!self.closed && edge == 0, !self.closed && edge + 1 == self.edge_count];
        for (side, node) in [edge, second].into_iter().enumerate() {
            let points = &self.points[node * size..(node + 1) * size];
            self.gathered[side * size..(side + 1) * size].copy_from_slice(points);
            if ends[side] {
                let face = 2 * size + side * m;
                self.gathered[face..face + m].copy_from_slice(&points[..m]);
                self.gathered[side * size..side * size + m].copy_from_slice(&self.inner[side]);
            }
        }
        let first = edge * self.stride();
        let mut count = 0;
        let lists =
            [(true, &self.cells.middle), (ends[0], &self.cells.caps[0]), (ends[1], &self.cells.caps[1])];
        for tet in lists.into_iter().filter(|(there, _)| *there).flat_map(|(_, list)| list) {
            let corners = tet.map(|k| self.gathered[k as usize]);
            let medial = |k: u16| (k as usize) < 2 * size && (k as usize) % size < m;
            let pressures = tet.map(|k| if medial(k) { self.modulus } else { 0.0 });
            if let Some(tet) = Tet::new(corners, pressures) {
                self.tets[first + count] = tet;
                self.tet_bounds[first + count] = tet.cell.bounds();
                count += 1;
            }
        }
        self.ready[edge] = (count as u32, self.updates);
    }

    fn stride(&self) -> usize {
        self.tets.len() / self.edge_count
    }

    /// The cells of an edge; none if it was not prepared since the last update.
    #[inline]
    pub fn edge_tets(&self, edge: usize) -> &[Tet] {
        &self.tets[self.range(edge)]
    }

    /// The boxes of the cells of an edge.
    #[inline]
    pub fn edge_tet_bounds(&self, edge: usize) -> &[Aabb] {
        &self.tet_bounds[self.range(edge)]
    }

    #[inline]
    fn range(&self, edge: usize) -> std::ops::Range<usize> {
        let (count, update) = self.ready[edge];
        let first = edge * self.stride();
        first..first + if update == self.updates { count as usize } else { 0 }
    }
}

/// Parallel transport of v, square to t, from t to b.
#[inline]
fn carried(t: DVec3, b: DVec3, v: DVec3) -> DVec3 {
    v - (v.dot(b) / (1.0 + t.dot(b))) * (t + b)
}

/// Directors of a round rod, as polygons of `sides` see them: carried along the rod, and turned to those of the material
/// by the least angle that makes the polygons the same; see the module's header.
fn untwist(directors: &mut [DVec3], sides: usize, closed: bool, tangent: impl Fn(usize) -> DVec3) {
    let n = directors.len();
    let square = |d: DVec3, t: DVec3| (d - d.dot(t) * t).normalize_or(t.any_orthonormal_vector());
    let angle = |from: DVec3, to: DVec3, t: DVec3| t.dot(from.cross(to)).atan2(from.dot(to));
    let turned = |d: DVec3, t: DVec3, angle: f64| {
        let (s, c) = angle.sin_cos();
        c * d + s * t.cross(d)
    };
    let one_side = std::f64::consts::TAU / sides.max(3) as f64;
    let first = tangent(0);
    directors[0] = square(directors[0], first);
    let mut t = first;
    for e in 1..n {
        let next = tangent(e);
        let along = square(carried(t, next, directors[e - 1]), next);
        let whole = angle(along, square(directors[e], next), next);
        let least = whole - (whole / one_side).round() * one_side;
        directors[e] = turned(along, next, least);
        t = next;
    }
    if closed && n > 1 {
        let around = square(carried(t, first, directors[n - 1]), first);
        let left = angle(around, directors[0], first);
        for e in 1..n {
            directors[e] = turned(directors[e], tangent(e), left * e as f64 / n as f64);
        }
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
    // Edges that fold back on themselves have no plane between them; that of the first will do.
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
