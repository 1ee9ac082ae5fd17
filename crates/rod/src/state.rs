//! The state of a rod, which changes during a run and is small enough to save.

use crate::plasticity::PlasticState;
use crate::rod::{LANE_PADDING, Rod};
use glam::{DQuat, DVec3};
use ropewalk_linalg::parallel_transport::{self, any_perpendicular, transport};
use ropewalk_linalg::vec3::V3;

/// Natural curvature and twist, integrated over each stencil and so dimensionless (radians). Arrays
/// have one entry per node and [`LANE_PADDING`] spare ones; the values at the ends of an open rod have no effect,
/// but must be finite.
#[derive(Debug, PartialEq)]
pub struct NaturalShape {
    /// κ̄₁ in rad.
    pub kappa1: Vec<f64>,
    /// κ̄₂ in rad.
    pub kappa2: Vec<f64>,
    /// τ̄ in rad.
    pub tau: Vec<f64>,
}

// Implemented by hand, here and for [`RodState`], so that `clone_from` does not allocate, unlike the derived one: a
// step keeps a copy of the state.
impl Clone for NaturalShape {
    fn clone(&self) -> Self {
        Self { kappa1: self.kappa1.clone(), kappa2: self.kappa2.clone(), tau: self.tau.clone() }
    }
    fn clone_from(&mut self, source: &Self) {
        self.kappa1.clone_from(&source.kappa1);
        self.kappa2.clone_from(&source.kappa2);
        self.tau.clone_from(&source.tau);
    }
}

impl NaturalShape {
    /// Straight and untwisted, for a rod of `node_count` nodes.
    pub fn straight(node_count: usize) -> Self {
        let zeros = vec![0.0; node_count + LANE_PADDING];
        Self { kappa1: zeros.clone(), kappa2: zeros.clone(), tau: zeros }
    }
}

/// Positions, velocities and frames of one rod.
#[derive(Debug, PartialEq)]
pub struct RodState {
    /// Position (m) of each node and twist angle (rad) of the edge that leaves it.
    pub q: Vec<[f64; 4]>,
    /// Velocities: m/s and rad/s.
    pub v: Vec<[f64; 4]>,
    /// Reference director d₁ of each edge, a unit vector perpendicular to the edge.
    pub d1: Vec<[f64; 3]>,
    /// Reference twist β of each node in rad, without jumps of 2π; zero at the ends of an open rod.
    pub beta: Vec<f64>,
    /// Natural curvature and twist now.
    pub natural: NaturalShape,
    /// Plastic curvature; empty for elastic rods.
    pub plastic: PlasticState,
}

impl Clone for RodState {
    fn clone(&self) -> Self {
        Self {
            q: self.q.clone(),
            v: self.v.clone(),
            d1: self.d1.clone(),
            beta: self.beta.clone(),
            natural: self.natural.clone(),
            plastic: self.plastic.clone(),
        }
    }
    fn clone_from(&mut self, source: &Self) {
        self.q.clone_from(&source.q);
        self.v.clone_from(&source.v);
        self.d1.clone_from(&source.d1);
        self.beta.clone_from(&source.beta);
        self.natural.clone_from(&source.natural);
        self.plastic.clone_from(&source.plastic);
    }
}

/// Strains of one stencil, integrated over it (radians).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StencilStrain {
    /// κ₁.
    pub kappa1: f64,
    /// κ₂.
    pub kappa2: f64,
    /// τ.
    pub tau: f64,
}

impl RodState {
    /// A rod at rest at `nodes`, its reference frames parallel-transported along the rod from the first edge, where
    /// d₁ is `director` made perpendicular (or any perpendicular, if that is `None`); all γ zero.
    pub fn at_rest(rod: &Rod, nodes: &[DVec3], director: Option<DVec3>) -> Self {
        let n = rod.node_count();
        let mut state = Self {
            q: nodes.iter().map(|x| [x.x, x.y, x.z, 0.0]).collect(),
            v: vec![[0.0; 4]; n],
            d1: Vec::with_capacity(rod.edge_count()),
            beta: vec![0.0; n],
            natural: NaturalShape::straight(n),
            plastic: PlasticState::none(rod),
        };
        let mut previous = state.tangent(rod, 0);
        let mut d = director
            .map(|d| d - previous * d.dot(previous))
            .filter(|d| d.length() > 1e-9)
            .map_or_else(|| any_perpendicular(previous), DVec3::normalize);
        state.d1.push(d.to_array());
        for e in 1..rod.edge_count() {
            let t = state.tangent(rod, e);
            d = DVec3::from(transport(V3::from(d), previous.into(), t.into()));
            d = DVec3::from(parallel_transport::orthonormalize(V3::from(d), t.into()));
            state.d1.push(d.to_array());
            previous = t;
        }
        state.update_reference_twist(rod);
        state
    }

    /// Position of node `node` in m.
    pub fn position(&self, node: usize) -> DVec3 {
        let q = &self.q[node];
        DVec3::new(q[0], q[1], q[2])
    }
    /// Velocity of node `node` in m/s.
    pub fn velocity(&self, node: usize) -> DVec3 {
        let v = &self.v[node];
        DVec3::new(v[0], v[1], v[2])
    }
    /// Edge `edge` as a vector in m.
    pub fn edge(&self, rod: &Rod, edge: usize) -> DVec3 {
        self.position(rod.edge_end(edge)) - self.position(edge)
    }
    /// Unit tangent of edge `edge`.
    pub fn tangent(&self, rod: &Rod, edge: usize) -> DVec3 {
        self.edge(rod, edge).normalize()
    }
    /// Reference director d₁ of edge `edge`.
    pub fn director(&self, edge: usize) -> DVec3 {
        DVec3::from_array(self.d1[edge])
    }
    /// Material frame (m₁, m₂, t) of edge `edge`: m₁ = cos γ d₁ + sin γ d₂.
    pub fn material_frame(&self, rod: &Rod, edge: usize) -> [DVec3; 3] {
        let t = self.tangent(rod, edge);
        let d1 = self.director(edge);
        let (s, c) = self.q[edge][3].sin_cos();
        let m1 = d1 * c + t.cross(d1) * s;
        [m1, t.cross(m1), t]
    }
    /// Bending and twist at node `node`, which must have two edges.
    pub fn strain(&self, rod: &Rod, node: usize) -> StencilStrain {
        let e0 = rod.edge_before(node);
        let [m1a, m2a, ta] = self.material_frame(rod, e0);
        let [m1b, m2b, tb] = self.material_frame(rod, node);
        let chi = 1.0 + ta.dot(tb);
        StencilStrain {
            kappa1: (tb.dot(m1a) - ta.dot(m1b)) / chi,
            kappa2: (tb.dot(m2a) - ta.dot(m2b)) / chi,
            tau: self.q[node][3] - self.q[e0][3] + self.beta[node],
        }
    }
    /// Recomputes β from the directors, on the 2π branch nearest to its last value.
    pub fn update_reference_twist(&mut self, rod: &Rod) {
        for j in rod.stencils() {
            let (e0, e1) = (rod.edge_before(j), j);
            let (ta, tb) = (self.tangent(rod, e0), self.tangent(rod, e1));
            let carried = transport(V3::from(self.director(e0)), ta.into(), tb.into());
            let angle = parallel_transport::signed_angle(carried, self.director(e1).into(), tb.into());
            self.beta[j] = parallel_transport::unwrap_angle(angle, self.beta[j]);
        }
    }
    /// Moves the nodes to `nodes` and parallel-transports the frames. If an edge has zero length there, or reverses
    /// its direction, nothing changes and the error is that edge.
    pub fn carry_to(&mut self, rod: &Rod, nodes: &[DVec3]) -> Result<(), usize> {
        let mut d1 = Vec::with_capacity(self.d1.len());
        for e in 0..rod.edge_count() {
            let (from, to) = (self.tangent(rod, e), (nodes[rod.edge_end(e)] - nodes[e]).normalize_or_zero());
            if to == DVec3::ZERO || 1.0 + from.dot(to) < 1e-9 {
                return Err(e);
            }
            let carried = transport(V3::from(self.director(e)), from.into(), to.into());
            d1.push(DVec3::from(parallel_transport::orthonormalize(carried, to.into())).to_array());
        }
        for (q, x) in self.q.iter_mut().zip(nodes) {
            q[..3].copy_from_slice(&x.to_array());
        }
        self.d1 = d1;
        self.update_reference_twist(rod);
        Ok(())
    }
    /// Makes the present shape, its curvature and twist, the natural one.
    pub fn take_natural_shape(&mut self, rod: &Rod) {
        for j in rod.stencils() {
            let s = self.strain(rod, j);
            self.natural.kappa1[j] = s.kappa1;
            self.natural.kappa2[j] = s.kappa2;
            self.natural.tau[j] = s.tau;
        }
    }
    /// Smallest 1 + t·t' of neighboring edges, or ratio of an edge's length to its rest length if that is smaller.
    pub fn least_shape(&self, rod: &Rod) -> f64 {
        let stretch = (0..rod.edge_count()).map(|e| self.edge(rod, e).length() / rod.rest_lengths()[e]);
        let turns =
            rod.stencils().map(|j| 1.0 + self.tangent(rod, rod.edge_before(j)).dot(self.tangent(rod, j)));
        stretch.chain(turns).fold(f64::INFINITY, f64::min)
    }
    /// The same rod rotated about the origin and then translated (m); velocities rotate with it.
    pub fn moved(&self, turn: DQuat, shift: DVec3) -> Self {
        let turned = |x: &[f64; 4], shift: DVec3| {
            let p = turn * DVec3::new(x[0], x[1], x[2]) + shift;
            [p.x, p.y, p.z, x[3]]
        };
        Self {
            q: self.q.iter().map(|q| turned(q, shift)).collect(),
            v: self.v.iter().map(|v| turned(v, DVec3::ZERO)).collect(),
            d1: self.d1.iter().map(|&d| (turn * DVec3::from(d)).to_array()).collect(),
            beta: self.beta.clone(),
            natural: self.natural.clone(),
            plastic: self.plastic.clone(),
        }
    }
    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        let blocks = self.q.iter().chain(&self.v).flatten();
        let NaturalShape { kappa1, kappa2, tau } = &self.natural;
        let natural = kappa1.iter().chain(kappa2).chain(tau);
        let natural = natural.chain(self.plastic.curvature.iter().flatten()).chain([&self.plastic.work]);
        blocks.chain(self.d1.iter().flatten()).chain(&self.beta).chain(natural).all(|x| x.is_finite())
    }
}
