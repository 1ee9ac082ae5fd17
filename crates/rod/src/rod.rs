//! The model of a rod, constant during a run.
//!
//! Node i carries the position x_i and the twist angle γ_i of the edge that leaves it, four degrees of freedom in one
//! block. The last node of an open rod has no such edge: its γ is unused. Stencil j is the pair of edges j−1 and j
//! that meet at node j: the inner nodes of an open rod, every node of a closed one.
//!
//! | symbol | name | unit | per |
//! |---|---|---|---|
//! | l̄ | `rest_length` | m | edge |
//! | EA | `stretch` | N | edge |
//! | l̄_j | `voronoi_length` | m | node |
//! | EI₁/l̄_j, EI₂/l̄_j | `bend` | N·m | node |
//! | GJ/l̄_j | `twist` | N·m | node |
//! | M | `mass` | kg, kg·m² | node block |
//!
//! Where the section changes at a node, the two half-edges bend and twist in series, since moment and
//! torque are continuous there: l̄/EI = ½ l_{j−1}/EI_{j−1} + ½ l_j/EI_j.

use crate::plasticity::{YieldCurve, Yielding};
use crate::section::SectionProperties;
use crate::stretch_table::{StretchTable, Stretched};

/// Padding at the end of arrays that kernels read in vectors.
pub const LANE_PADDING: usize = 16;

/// One rod: topology, stiffness and inertia. Arrays per edge and per node are longer than the rod by
/// [`LANE_PADDING`]; the accessors give the true length.
#[derive(Clone, Debug)]
pub struct Rod {
    pub(crate) node_count: usize,
    pub(crate) closed: bool,
    pub(crate) rest_length: Vec<f64>,
    pub(crate) stretch: Vec<f64>,
    pub(crate) voronoi_length: Vec<f64>,
    pub(crate) bend: [Vec<f64>; 2],
    pub(crate) twist: Vec<f64>,
    pub(crate) mass: Vec<[f64; 4]>,
    pub(crate) line_density: Vec<f64>,
    pub(crate) half_extents: Vec<[f64; 2]>,
    /// `None` where bending is elastic.
    pub(crate) yielding: Option<Yielding>,
    /// `None` where tension is EA times strain.
    pub(crate) stretch_table: Option<StretchTable>,
    /// Mass-proportional Rayleigh damping α in 1/s.
    pub mass_damping: f64,
    /// Stiffness-proportional Rayleigh damping β in s.
    pub stiffness_damping: f64,
}

/// Given stiffness per edge and per node, for [`Rod::from_stiffness`].
#[derive(Clone, Debug)]
pub struct StiffnessArrays {
    /// Rest length of each edge in m.
    pub rest_length: Vec<f64>,
    /// EA of each edge in N.
    pub stretch: Vec<f64>,
    /// EI₁ and EI₂ of each stencil (node of a closed rod, inner node of an open one) in N·m².
    pub bend: [Vec<f64>; 2],
    /// GJ of each stencil in N·m².
    pub twist: Vec<f64>,
}

impl Rod {
    /// A rod from the rest lengths and section properties of its edges. `half_extents` is for contact.
    /// All slices have one entry per edge.
    pub(crate) fn from_edges(
        closed: bool,
        rest_length: &[f64],
        sections: &[SectionProperties],
        half_extents: &[[f64; 2]],
    ) -> Self {
        let edges = rest_length.len();
        let nodes = if closed { edges } else { edges + 1 };
        let mut rod = Self::blank(closed, nodes);
        rod.rest_length[..edges].copy_from_slice(rest_length);
        rod.half_extents.copy_from_slice(half_extents);
        for e in 0..edges {
            rod.stretch[e] = sections[e].stretch;
            rod.line_density[e] = sections[e].line_density;
            let half = 0.5 * sections[e].line_density * rest_length[e];
            for node in [e, (e + 1) % nodes] {
                for k in 0..3 {
                    rod.mass[node][k] += half;
                }
            }
            rod.mass[e][3] = sections[e].spin_inertia * rest_length[e];
        }
        if !closed {
            rod.mass[nodes - 1][3] = 1.0;
        }
        for j in rod.stencils() {
            let (a, b) = (rod.edge_before(j), j);
            let (la, lb) = (0.5 * rest_length[a], 0.5 * rest_length[b]);
            let series = |ka: f64, kb: f64| 1.0 / (la / ka + lb / kb);
            rod.voronoi_length[j] = la + lb;
            for k in 0..2 {
                rod.bend[k][j] = series(sections[a].bend[k], sections[b].bend[k]);
            }
            rod.twist[j] = series(sections[a].twist, sections[b].twist);
        }
        rod
    }

    /// A rod from arrays of stiffness and the diagonal of its mass matrix (one block per node; kg for
    /// positions, kg·m² for twist). For checks against other codes; users build with
    /// [`crate::RodBuilder`].
    pub fn from_stiffness(closed: bool, arrays: &StiffnessArrays, mass: &[[f64; 4]]) -> Self {
        let edges = arrays.rest_length.len();
        let nodes = if closed { edges } else { edges + 1 };
        let mut rod = Self::blank(closed, nodes);
        rod.rest_length[..edges].copy_from_slice(&arrays.rest_length);
        rod.stretch[..edges].copy_from_slice(&arrays.stretch);
        rod.mass.copy_from_slice(mass);
        if !closed {
            rod.mass[nodes - 1][3] = 1.0;
        }
        for (s, j) in rod.stencils().enumerate() {
            let length = 0.5 * (arrays.rest_length[rod.edge_before(j)] + arrays.rest_length[j]);
            rod.voronoi_length[j] = length;
            for k in 0..2 {
                rod.bend[k][j] = arrays.bend[k][s] / length;
            }
            rod.twist[j] = arrays.twist[s] / length;
        }
        rod
    }

    fn blank(closed: bool, nodes: usize) -> Self {
        let padded = nodes + LANE_PADDING;
        let edges = if closed { nodes } else { nodes - 1 };
        Self {
            node_count: nodes,
            closed,
            // Ones, not zeros: padding lanes divide by it.
            rest_length: vec![1.0; padded],
            stretch: vec![0.0; padded],
            voronoi_length: vec![0.0; padded],
            bend: [vec![0.0; padded], vec![0.0; padded]],
            twist: vec![0.0; padded],
            mass: vec![[0.0; 4]; nodes],
            line_density: vec![0.0; edges],
            half_extents: vec![[0.0; 2]; edges],
            yielding: None,
            stretch_table: None,
            mass_damping: 0.0,
            stiffness_damping: 0.0,
        }
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.node_count
    }
    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        if self.closed { self.node_count } else { self.node_count - 1 }
    }
    /// Whether the last node is joined to the first.
    pub fn closed(&self) -> bool {
        self.closed
    }
    /// Degrees of freedom: 4n for a closed rod, 4n − 1 for an open one.
    pub fn dof_count(&self) -> usize {
        if self.closed { 4 * self.node_count } else { 4 * self.node_count - 1 }
    }
    /// The nodes at which two edges meet.
    pub fn stencils(&self) -> core::ops::Range<usize> {
        if self.closed { 0..self.node_count } else { 1..self.node_count - 1 }
    }
    /// The edge that ends at node `node`.
    pub fn edge_before(&self, node: usize) -> usize {
        if node == 0 { self.node_count - 1 } else { node - 1 }
    }
    /// The node at the far end of edge `edge`.
    pub fn edge_end(&self, edge: usize) -> usize {
        if edge + 1 == self.node_count { 0 } else { edge + 1 }
    }
    /// Rest lengths of the edges in m.
    pub fn rest_lengths(&self) -> &[f64] {
        &self.rest_length[..self.edge_count()]
    }
    /// EA of the edges in N; with a table, its slope at zero strain.
    pub fn stretch_stiffness(&self) -> &[f64] {
        &self.stretch[..self.edge_count()]
    }
    /// The greatest stiffness of edge `edge` at any stretch, N.
    pub fn greatest_stretch_stiffness(&self, edge: usize) -> f64 {
        self.stretch_table.as_ref().map_or(self.stretch[edge], StretchTable::greatest_slope)
    }
    /// Energy per rest length (N), tension (N) and stiffness (N) of edge `edge` at `strain` = l/l̄ − 1.
    pub fn stretched(&self, edge: usize, strain: f64) -> Stretched {
        let slope = self.stretch[edge];
        let linear = || Stretched { energy: 0.5 * slope * strain * strain, tension: slope * strain, slope };
        self.stretch_table.as_ref().map_or_else(linear, |table| table.at(strain))
    }
    /// Whether stretching and bending are linear: no table, no yield.
    pub fn is_linear(&self) -> bool {
        !self.yields() && self.stretch_table.is_none()
    }
    /// Whether it can bend plastically.
    pub fn yields(&self) -> bool {
        self.yielding.is_some()
    }
    /// Sets the yield curves, one entry per edge. Existing states of this rod become invalid.
    pub(crate) fn set_yield(&mut self, curves: &[Option<YieldCurve>]) {
        self.yielding = Yielding::new(self, curves);
    }
    /// Voronoi length of each node in m; zero at the ends of an open rod.
    pub fn voronoi_lengths(&self) -> &[f64] {
        &self.voronoi_length[..self.node_count]
    }
    /// EI/l̄ about director `k` (0 or 1) of each node in N·m; zero at the ends of an open rod.
    pub fn bend_stiffness(&self, k: usize) -> &[f64] {
        &self.bend[k][..self.node_count]
    }
    /// GJ/l̄ of each node in N·m; zero at the ends of an open rod.
    pub fn twist_stiffness(&self) -> &[f64] {
        &self.twist[..self.node_count]
    }
    /// Diagonal of the mass matrix, a block (kg, kg, kg, kg·m²) per node. The last γ of an open rod is unused and has
    /// the entry 1.
    pub fn masses(&self) -> &[[f64; 4]] {
        &self.mass
    }
    /// Mass per length of the edges in kg/m.
    pub fn line_densities(&self) -> &[f64] {
        &self.line_density
    }
    /// Half extents of the section of each edge along m₁ and m₂ in m.
    pub fn half_extents(&self) -> &[[f64; 2]] {
        &self.half_extents
    }
    /// Total mass in kg.
    pub fn total_mass(&self) -> f64 {
        self.mass.iter().map(|m| m[0]).sum()
    }
    /// Total rest length in m.
    pub fn total_rest_length(&self) -> f64 {
        self.rest_lengths().iter().sum()
    }
    /// Sets the diagonal of the mass matrix, a block (kg, kg, kg, kg·m²) per node.
    pub fn set_masses(&mut self, mass: &[[f64; 4]]) {
        self.mass.copy_from_slice(mass);
    }
}
