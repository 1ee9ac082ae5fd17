//! Energy, gradient and Hessian of a whole rod: two passes over its edges, several at a time.
//!
//! The first pass finds lengths, tangents and material frames; the second finds, at every node, the rotation between
//! two edges with its derivatives, and adds them to the gradient and the matrix. Stencil j belongs to edge j: it
//! holds the rotation from edge j−1 to edge j and the stretching of edge j. The first stencil of an open rod has no
//! rotation; its stiffness is zero and its left edge a copy of the right one.
//!
//! Plastic bending and tabulated stretch ([`crate::plasticity`], [`crate::stretch_table`]) are evaluated edge by
//! edge, for the rods that have them.
//!
//! In memory each component is an array of its own, so that a register takes neighboring edges.

//!
//! | file | subject |
//! |---|---|
//! | `edges` | first pass: lengths, tangents, frames, tension |
//! | `stencils` | second pass: strains, moments, gradient |
//! | `hessian` | second pass with the Hessian |
//! | `directors` | directors transported to the end of a step |
//! | `rates` | damping of strain rates |
//! | `readout` | results of the last evaluation, node by node |

mod directors;
mod edges;
mod hessian;
mod lane_arrays;
mod rates;
mod readout;
mod stencils;

use crate::plasticity::PlasticState;
use crate::rod::{LANE_PADDING, Rod};
use crate::state::{NaturalShape, RodState};
use crate::strain_rate::StrainRate;
use directors::{director_pass, reference_twist_pass};
use edges::{edge_kernel, edge_pass};
use hessian::{hessian_kernel, hessian_pass};
use ropewalk_linalg::block_pentadiagonal::BlockPenta;
use stencils::gradient_pass;

/// Three arrays, one per component.
type Components = [Vec<f64>; 3];

/// Elastic energies of one rod in J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ElasticEnergies {
    /// Stretching.
    pub stretch: f64,
    /// Bending; of a rod that yields, the incremental potential of the step.
    pub bend: f64,
    /// Twisting.
    pub twist: f64,
}

impl ElasticEnergies {
    /// The sum of the three.
    pub fn total(&self) -> f64 {
        self.stretch + self.bend + self.twist
    }
}

/// Result of an evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Evaluated {
    /// Energies at the point of evaluation.
    pub energies: ElasticEnergies,
    /// Smallest 1 + t·t' over neighboring edges, and over edges before and after their motion.
    pub least_chi: f64,
    /// Smallest ratio of an edge's length to its rest length.
    pub least_stretch: f64,
    /// Dissipation by strain rates in the step, J: Σ β k change²/δt.
    pub dissipation: f64,
}

impl Evaluated {
    fn nothing() -> Self {
        Self {
            energies: ElasticEnergies::default(),
            least_chi: f64::MAX,
            least_stretch: f64::MAX,
            dissipation: 0.0,
        }
    }

    /// Combines the results of the passes over edges and over stencils.
    fn join(mut self, edges: &Self) -> Self {
        self.least_chi = self.least_chi.min(edges.least_chi);
        self.least_stretch = edges.least_stretch;
        self.energies.stretch = edges.energies.stretch;
        self.dissipation += edges.dissipation;
        self
    }
}

/// Scratch for evaluations of one rod: the frames from which evaluations start and, after an evaluation, its frames
/// and strains.
#[derive(Clone, Debug)]
pub struct RodKernel {
    // Frames at the start of transport. Edge e is at index e.
    start_tangent: Components,
    start_director: Components,
    start_beta: Vec<f64>,
    // The point of evaluation. Node i is at index i; node n of a closed rod is node 0 again.
    position: Components,
    // Edge e is at index e + 1; index 0 is the edge before the first.
    gamma: Vec<f64>,
    inverse_length: Vec<f64>,
    tangent: Components,
    m1: Components,
    m2: Components,
    // Edge e at index e.
    tension: Vec<f64>,
    ratio: Vec<f64>,
    /// dT/dε of each edge; empty unless there is a table.
    slope: Vec<f64>,
    /// Plastic curvatures at the start; empty unless the rod yields.
    plastic: Vec<[f64; 2]>,
    /// κ₁, κ₂ and τ at each node after an evaluation; not meaningful at the ends of an open rod.
    strain: Components,
    rate: Option<StrainRate>,
    /// Gradient after an evaluation, multiplied by the requested scale.
    pub gradient: Vec<[f64; 4]>,
}

/// Factors on the results of an evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Scales {
    /// Factor on the gradient.
    pub gradient: f64,
    /// Factor on the Hessian; must not be zero if one is requested.
    pub hessian: f64,
}

/// What to compute besides the gradient.
enum Wanted<'a> {
    Gradient,
    /// The Hessian, or its part Bᵀ k B alone; with that part alone the gradient is skipped.
    Hessian(&'a mut BlockPenta),
    Outer(&'a mut BlockPenta),
}

impl RodKernel {
    /// Scratch for `rod`.
    pub fn new(rod: &Rod) -> Self {
        let padded = rod.node_count() + 2 + LANE_PADDING;
        let component = || vec![0.0; padded];
        let components = || [component(), component(), component()];
        // Padding represents edges of unit length along x, so that spare lanes stay finite.
        let ones = || [vec![1.0; padded], component(), component()];
        let mut position = components();
        for (i, x) in position[0].iter_mut().enumerate() {
            *x = i as f64;
        }
        Self {
            start_tangent: ones(),
            start_director: [component(), vec![1.0; padded], component()],
            start_beta: component(),
            position,
            gamma: component(),
            inverse_length: vec![1.0; padded],
            tangent: ones(),
            m1: components(),
            m2: components(),
            tension: component(),
            ratio: component(),
            slope: if rod.stretch_table.is_some() { component() } else { Vec::new() },
            plastic: PlasticState::none(rod).curvature,
            strain: components(),
            rate: (rod.stiffness_damping > 0.0).then(|| StrainRate::new(rod)),
            gradient: vec![[0.0; 4]; rod.node_count()],
        }
    }

    /// Starts from the frames of `state`: evaluations transport its directors from its tangents.
    pub fn start_from(&mut self, rod: &Rod, state: &RodState) {
        for e in 0..rod.edge_count() {
            let edge = state.edge(rod, e);
            let t = (edge / edge.length()).to_array();
            for k in 0..3 {
                self.start_tangent[k][e] = t[k];
                self.start_director[k][e] = state.d1[e][k];
            }
        }
        self.start_beta[..rod.node_count()].copy_from_slice(&state.beta);
        self.plastic.clone_from(&state.plastic.curvature);
    }

    /// Starts from given frames: unit tangents and directors of the edges, reference twist of the nodes.
    pub fn start_from_frames(&mut self, tangents: &[[f64; 3]], directors: &[[f64; 3]], beta: &[f64]) {
        for (e, (t, d)) in tangents.iter().zip(directors).enumerate() {
            for k in 0..3 {
                self.start_tangent[k][e] = t[k];
                self.start_director[k][e] = d[k];
            }
        }
        self.start_beta[..beta.len()].copy_from_slice(beta);
    }

    /// Energies and gradient at `q`; with `hessian`, the Hessian is written to that matrix.
    pub fn evaluate(
        &mut self,
        rod: &Rod,
        natural: &NaturalShape,
        q: &[[f64; 4]],
        scales: Scales,
        hessian: Option<&mut BlockPenta>,
    ) -> Evaluated {
        let wanted = hessian.map_or(Wanted::Gradient, Wanted::Hessian);
        self.evaluate_wanted(rod, natural, q, scales, wanted)
    }

    /// Writes `scale` Bᵀ k B at `q` to `matrix`: the contribution of strain rates to a tangent without a Hessian.
    pub(crate) fn outer_products(
        &mut self,
        rod: &Rod,
        natural: &NaturalShape,
        q: &[[f64; 4]],
        scale: f64,
        matrix: &mut BlockPenta,
    ) {
        let scales = Scales { gradient: 0.0, hessian: scale };
        self.evaluate_wanted(rod, natural, q, scales, Wanted::Outer(matrix));
    }

    fn evaluate_wanted(
        &mut self,
        rod: &Rod,
        natural: &NaturalShape,
        q: &[[f64; 4]],
        scales: Scales,
        wanted: Wanted<'_>,
    ) -> Evaluated {
        self.load(rod, q);
        let edges = edge_pass(self, rod);
        self.close(rod);
        let found = match wanted {
            Wanted::Hessian(matrix) => hessian_pass(self, rod, natural, scales, scales.hessian, matrix),
            Wanted::Outer(matrix) => hessian_pass(self, rod, natural, scales, 0.0, matrix),
            Wanted::Gradient => gradient_pass(self, rod, natural, scales),
        };
        found.join(&edges)
    }

    /// [`RodKernel::evaluate`] with the Hessian, one edge at a time, as a reference for the vectorized evaluation.
    pub fn evaluate_scalar(
        &mut self,
        rod: &Rod,
        natural: &NaturalShape,
        q: &[[f64; 4]],
        scales: Scales,
        matrix: &mut BlockPenta,
    ) -> Evaluated {
        self.load(rod, q);
        let edges = edge_kernel::<1, false>(self, rod);
        self.close(rod);
        hessian_kernel::<1, false>(self, rod, natural, scales, scales.hessian, matrix).join(&edges)
    }

    /// Transports the directors from the start to the positions of `state`, and writes them, orthonormalized, with
    /// the reference twist that follows.
    pub fn carry_frames(&mut self, rod: &Rod, state: &mut RodState) {
        self.load(rod, &state.q);
        director_pass(self, rod);
        self.close(rod);
        reference_twist_pass(self, rod);
        let [x, y, z] = &self.m1;
        for (e, d) in state.d1.iter_mut().enumerate() {
            *d = [x[e + 1], y[e + 1], z[e + 1]];
        }
        let stencils = rod.stencils();
        state.beta[stencils.clone()].copy_from_slice(&self.strain[2][stencils]);
    }

    fn load(&mut self, rod: &Rod, q: &[[f64; 4]]) {
        let n = rod.node_count();
        let [x, y, z] = &mut self.position;
        let (x, y, z, gamma) = (&mut x[..n], &mut y[..n], &mut z[..n], &mut self.gamma[1..n + 1]);
        for (i, node) in q.iter().enumerate() {
            x[i] = node[0];
            y[i] = node[1];
            z[i] = node[2];
            gamma[i] = node[3];
        }
        if rod.closed() {
            for k in 0..3 {
                self.position[k][n] = q[0][k];
            }
        } else {
            self.gamma[n] = 0.0;
        }
    }

    /// Fills the entry before the first edge: the last edge of a closed rod, a copy of the first otherwise.
    fn close(&mut self, rod: &Rod) {
        let from = if rod.closed() { rod.node_count() } else { 1 };
        for components in [&mut self.tangent, &mut self.m1, &mut self.m2] {
            for array in components {
                array[0] = array[from];
            }
        }
        self.gamma[0] = self.gamma[from];
        self.inverse_length[0] = self.inverse_length[from];
    }
}
