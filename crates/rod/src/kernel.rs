//! Energy, gradient and Hessian of a whole rod: two passes over its edges, several at a time.
//!
//! The first pass finds lengths, tangents and material frames; the second, at every node, the turn between
//! two edges with its derivatives, and adds them to the gradient and the matrix. Stencil j belongs to edge j:
//! it holds the turn from edge j−1 to edge j and the stretching of edge j. The first stencil of an open rod
//! has no turn; its stiffness is zero and its left edge a copy of the right one.
//!
//! Bending beyond the yield stress and stretch by a table ([`crate::plasticity`], [`crate::stretch_table`]) are found edge by
//! edge, for the rods that have them.
//!
//! In memory each component is an array of its own, so that a register takes neighbouring edges.

use crate::assemble::Gather;
use crate::energy::edge_pair::{EdgeFrame, Turn, TurnDerivatives};
use crate::energy::stencil::{self, StencilDerivatives};
use crate::energy::{bend, stretch, twist};
use crate::plasticity::{Bending, PlasticState, Yielding};
use crate::rod::{LANE_PADDING, Rod};
use crate::state::{NaturalShape, RodState};
use crate::strain_rate::StrainRate;
use crate::stretch_table::StretchTable;
use ropewalk_linalg::bdf2::Bdf2;
use ropewalk_linalg::block_pentadiagonal::BlockPenta;
use ropewalk_linalg::lanes::Lanes;
use ropewalk_linalg::{Real, V3, for_vector_unit, parallel_transport};

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

/// What an evaluation found.
#[derive(Clone, Copy, Debug)]
pub struct Evaluated {
    /// Energies at the point of evaluation.
    pub energies: ElasticEnergies,
    /// Smallest 1 + t·t' over neighbouring edges, and over edges before and after their motion.
    pub least_chi: f64,
    /// Smallest ratio of an edge's length to its rest length.
    pub least_stretch: f64,
    /// What strain rates dissipate in the step, J: Σ β k change²/δt.
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

    /// Joins what the pass over edges found to what the pass over stencils did.
    fn join(mut self, edges: &Self) -> Self {
        self.least_chi = self.least_chi.min(edges.least_chi);
        self.least_stretch = edges.least_stretch;
        self.energies.stretch = edges.energies.stretch;
        self.dissipation += edges.dissipation;
        self
    }
}

/// Scratch for evaluations of one rod; holds the frames from which evaluations start and, after one, the
/// frames and strains at its point.
#[derive(Clone, Debug)]
pub struct RodKernel {
    // Where frames are carried from. Edge e is at index e.
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
    /// Gradient after an evaluation, multiplied by the scale asked for.
    pub gradient: Vec<[f64; 4]>,
}

/// Factors on what an evaluation gives.
#[derive(Clone, Copy, Debug)]
pub struct Scales {
    /// Factor on the gradient.
    pub gradient: f64,
    /// Factor on the Hessian; must not be zero if one is asked for.
    pub hessian: f64,
}

/// What is asked for besides the gradient.
enum Wanted<'a> {
    Gradient,
    /// The Hessian, or its part Bᵀ k B alone; with that part alone the gradient is not made.
    Hessian(&'a mut BlockPenta),
    Outer(&'a mut BlockPenta),
}

impl RodKernel {
    /// Scratch for `rod`.
    pub fn new(rod: &Rod) -> Self {
        let padded = rod.node_count() + 2 + LANE_PADDING;
        let component = || vec![0.0; padded];
        let components = || [component(), component(), component()];
        // Padding stands for edges of unit length along x, so that spare lanes compute with numbers.
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

    /// Starts from the frames of `state`: evaluations carry its directors from its tangents.
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

    /// Writes `scale` Bᵀ k B at `q` to `matrix`: what strain rates add to a tangent that has no Hessian.
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

    /// Begins a step of `dt` from `q`, where evaluations start: from now on they include the damping of strain rates.
    /// With `theta` below 1 each evaluation has to be preceded by [`RodKernel::set_end`].
    pub(crate) fn begin_rates(
        &mut self,
        rod: &Rod,
        natural: &NaturalShape,
        q: &[[f64; 4]],
        dt: f64,
        theta: f64,
    ) {
        let Some(mut rate) = self.rate.take() else { return };
        self.find_strains(rod, natural, q);
        rate.begin(rod.stiffness_damping, dt, theta, &self.ratio, &self.strain);
        for j in rod.stencils() {
            // Edge e at index e + 1, the one before the first at 0.
            let chi = 1.0 + self.tangent.iter().map(|t| t[j] * t[j + 1]).sum::<f64>();
            rate.set_fold(j, chi, [self.ratio[rod.edge_before(j)], self.ratio[j]]);
        }
        self.rate = Some(rate);
    }

    /// Strain rates are those of BDF2 after a step that began at `q`; follows [`RodKernel::begin_rates`].
    pub(crate) fn add_rate_history(
        &mut self,
        rod: &Rod,
        natural: &NaturalShape,
        q: &[[f64; 4]],
        bdf2: &Bdf2,
    ) {
        let Some(mut rate) = self.rate.take() else { return };
        self.find_strains(rod, natural, q);
        rate.add_history(bdf2, &self.ratio, &self.strain);
        self.rate = Some(rate);
    }

    /// Strain rates are those of a step that ends at `q`.
    pub(crate) fn set_end(&mut self, rod: &Rod, natural: &NaturalShape, q: &[[f64; 4]]) {
        let Some(mut rate) = self.rate.take() else { return };
        self.find_strains(rod, natural, q);
        rate.set_end(&self.ratio, &self.strain);
        self.rate = Some(rate);
    }

    fn find_strains(&mut self, rod: &Rod, natural: &NaturalShape, q: &[[f64; 4]]) {
        self.load(rod, q);
        edge_pass(self, rod);
        self.close(rod);
        strain_pass(self, rod, natural);
    }

    /// Whether bending yields: the tangent depends on more than the shape.
    pub(crate) fn yields(&self) -> bool {
        !self.plastic.is_empty()
    }

    /// Whether evaluations include the damping of strain rates.
    pub(crate) fn is_damped(&self) -> bool {
        self.rate.is_some()
    }

    /// [`RodKernel::evaluate`] with the Hessian, one edge at a time: what the lanes are measured against.
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

    /// Carries the directors from where evaluations start to the positions of `state` and writes them, made
    /// orthonormal again, and the reference twist that follows.
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

    /// κ₁, κ₂ and τ (rad) of node `node` at the last point of evaluation.
    pub fn strain(&self, node: usize) -> [f64; 3] {
        [self.strain[0][node], self.strain[1][node], self.strain[2][node]]
    }
    /// Moments k (s − s̄) of κ₁, κ₂ and τ of node `node` in N·m at the last point of evaluation, with what strain rates
    /// add, and their stiffness in the tangent.
    pub(crate) fn moments(&self, rod: &Rod, natural: &NaturalShape, node: usize) -> [[f64; 2]; 3] {
        let rest = [natural.kappa1[node], natural.kappa2[node], natural.tau[node]];
        let stiffness = [rod.bend[0][node], rod.bend[1][node], rod.twist[node]];
        let bending = rod.yielding.as_ref().map(|yielding| self.bending(rod, natural, yielding, node));
        core::array::from_fn(|c| {
            let (strain, k) = (self.strain[c][node], stiffness[c]);
            let (elastic, tangent) = match &bending {
                Some(b) if c < 2 => (b.moment[c] / k, b.stiffness[c] / k),
                _ => (strain - rest[c], 1.0),
            };
            let Some(rate) = &self.rate else { return [k * elastic, k * tangent] };
            let change = rate.change(strain, rate.offset.turn[c][node]);
            let fold = rate.fold[node];
            [k * (elastic + fold * rate.weight * change), k * (tangent + fold * rate.tangent)]
        })
    }
    /// ∂M₁/∂κ₂ at node `node` in N·m, zero where bending is elastic.
    pub(crate) fn bend_coupling(&self, rod: &Rod, natural: &NaturalShape, node: usize) -> f64 {
        rod.yielding.as_ref().map_or(0.0, |y| self.bending(rod, natural, y, node).stiffness[2])
    }
    /// Bending of node `node` of a rod that yields, at the strains last found.
    fn bending(&self, rod: &Rod, natural: &NaturalShape, yielding: &Yielding, node: usize) -> Bending {
        let curvature =
            [self.strain[0][node] - natural.kappa1[node], self.strain[1][node] - natural.kappa2[node]];
        let plastic = &self.plastic[node * yielding.count..(node + 1) * yielding.count];
        yielding.bending(node, [rod.bend[0][node], rod.bend[1][node]], curvature, plastic)
    }
    /// Stiffness of edge `edge` along itself in the tangent, N/m: EA/l̄, more with strain rates.
    pub(crate) fn stiffness_along(&self, rod: &Rod, edge: usize) -> f64 {
        let linear = rod.stretch[edge] / rod.rest_length[edge];
        let more = self.rate.as_ref().map_or(0.0, |rate| rate.tangent);
        match &rod.stretch_table {
            None => linear * (1.0 + more),
            Some(_) => self.slope[edge] / rod.rest_length[edge] + linear * more,
        }
    }
    /// Tension of edge `edge` in N at the last point of evaluation; within a step with what strain rates add.
    pub fn tension(&self, edge: usize) -> f64 {
        self.tension[edge]
    }
    /// 1/length of edge `edge` in 1/m at the last point of evaluation.
    pub fn inverse_length(&self, edge: usize) -> f64 {
        self.inverse_length[edge + 1]
    }
    /// Unit tangent and material directors of edge `edge` at the last point of evaluation: (m₁, m₂, t).
    pub fn material_frame(&self, edge: usize) -> [glam::DVec3; 3] {
        let get = |c: &Components| glam::DVec3::new(c[0][edge + 1], c[1][edge + 1], c[2][edge + 1]);
        [get(&self.m1), get(&self.m2), get(&self.tangent)]
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

    /// Fills the place before the first edge: the last edge of a closed rod, a copy of the first otherwise.
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

#[inline(always)]
fn load3<const N: usize, const F: bool>(c: &Components, i: usize) -> V3<Lanes<N, F>> {
    V3::new(Lanes::load(&c[0][i..]), Lanes::load(&c[1][i..]), Lanes::load(&c[2][i..]))
}

#[inline(always)]
fn store3<const N: usize, const F: bool>(v: V3<Lanes<N, F>>, c: &mut Components, i: usize) {
    v.x.store(&mut c[0][i..]);
    v.y.store(&mut c[1][i..]);
    v.z.store(&mut c[2][i..]);
}

/// Frames of the edges at index `i` and after.
#[inline(always)]
fn frame_at<const N: usize, const F: bool>(k: &RodKernel, i: usize) -> EdgeFrame<Lanes<N, F>> {
    EdgeFrame { t: load3(&k.tangent, i), m1: load3(&k.m1, i), m2: load3(&k.m2, i) }
}

/// Adds the first `valid` lanes to `sum`, in order.
#[inline(always)]
fn add_valid<const N: usize, const F: bool>(sum: &mut f64, lanes: Lanes<N, F>, valid: usize) {
    for lane in &lanes.0[..valid] {
        *sum += lane;
    }
}

#[inline(always)]
fn min_valid<const N: usize, const F: bool>(least: &mut f64, lanes: Lanes<N, F>, valid: usize) {
    for &lane in &lanes.0[..valid] {
        // Written so that NaN wins: a NaN is a failed evaluation.
        *least = if lane >= *least { *least } else { lane };
    }
}

/// The change of N strains within the step.
#[inline(always)]
fn change_of<const N: usize, const F: bool>(
    rate: &StrainRate,
    strain: Lanes<N, F>,
    offset: &[f64],
) -> Lanes<N, F> {
    Lanes::splat(rate.own).mul_add(strain, Lanes::load(offset))
}

for_vector_unit! {
    /// Lengths, tangents, frames and tension of every edge.
    fn edge_pass(k: &mut RodKernel, rod: &Rod) -> Evaluated = edge_kernel;
}

#[inline(always)]
fn edge_kernel<const N: usize, const F: bool>(k: &mut RodKernel, rod: &Rod) -> Evaluated {
    let count = rod.edge_count();
    let mut found = Evaluated::nothing();
    for e in (0..count).step_by(N) {
        let valid = N.min(count - e);
        let edge = load3::<N, F>(&k.position, e + 1) - load3(&k.position, e);
        let length = edge.norm();
        let inverse = length.recip();
        let t = edge * inverse;
        let from = load3(&k.start_tangent, e);
        let d1 = parallel_transport::transport(load3(&k.start_director, e), from, t);
        let (sin, cos) = Lanes::<N, F>::load(&k.gamma[e + 1..]).sin_cos();
        let m1 = t.cross(d1).scale_add(sin, d1 * cos);
        let rest = Lanes::load(&rod.rest_length[e..]);
        let stiffness = Lanes::load(&rod.stretch[e..]);
        let mut energy = stretch::value(length, rest, stiffness);
        let ratio = length / rest;
        let mut tension = stretch::tension(length, rest, stiffness);
        if let Some(table) = &rod.stretch_table {
            (energy, tension) = by_table(table, ratio, rest, &mut k.slope[e..], valid);
        }
        if let Some(rate) = &k.rate {
            let change = change_of(rate, ratio, &rate.offset.ratio[e..]);
            let added = stiffness * Lanes::splat(rate.weight) * change;
            add_valid(&mut found.dissipation, added * change * rest, valid);
            tension += added;
        }
        inverse.store(&mut k.inverse_length[e + 1..]);
        ratio.store(&mut k.ratio[e..]);
        tension.store(&mut k.tension[e..]);
        store3(t, &mut k.tangent, e + 1);
        store3(m1, &mut k.m1, e + 1);
        store3(t.cross(m1), &mut k.m2, e + 1);
        add_valid(&mut found.energies.stretch, energy, valid);
        min_valid(&mut found.least_chi, from.dot(t) + Lanes::splat(1.0), valid);
        min_valid(&mut found.least_stretch, ratio, valid);
    }
    found
}

/// Energies and tensions of N edges from a table, and its slopes.
fn by_table<const N: usize, const F: bool>(
    table: &StretchTable,
    ratio: Lanes<N, F>,
    rest: Lanes<N, F>,
    slope: &mut [f64],
    valid: usize,
) -> (Lanes<N, F>, Lanes<N, F>) {
    let mut energy = Lanes::<N, F>::splat(0.0);
    let mut tension = energy;
    for lane in 0..valid {
        let found = table.at(ratio.0[lane] - 1.0);
        energy.0[lane] = found.energy * rest.0[lane];
        tension.0[lane] = found.tension;
        slope[lane] = found.slope;
    }
    (energy, tension)
}

/// Frames, strains and moments of the stencils of edges j … j+N−1.
struct Strained<const N: usize, const F: bool> {
    left: EdgeFrame<Lanes<N, F>>,
    right: EdgeFrame<Lanes<N, F>>,
    turn: Turn<Lanes<N, F>>,
    kappa: [Lanes<N, F>; 2],
    moment: [Lanes<N, F>; 2],
    torque: Lanes<N, F>,
    /// Of κ₁, κ₂ and τ in the tangent.
    stiffness: [Lanes<N, F>; 3],
    /// ∂M₁/∂κ₂ of sections that yield.
    coupling: Option<Lanes<N, F>>,
}

#[inline(always)]
fn strained<const N: usize, const F: bool>(
    k: &mut RodKernel,
    rod: &Rod,
    natural: &NaturalShape,
    j: usize,
    valid: usize,
    found: &mut Evaluated,
) -> Strained<N, F> {
    let (left, right) = (frame_at(k, j), frame_at(k, j + 1));
    let turn = Turn::between(&left, &right);
    let kappa = bend::kappa(&turn);
    let near =
        Lanes::<N, F>::load(&k.gamma[j + 1..]) - Lanes::load(&k.gamma[j..]) + Lanes::load(&k.start_beta[j..]);
    let tau = twist::tau(&turn, near);
    let stiffness =
        [Lanes::load(&rod.bend[0][j..]), Lanes::load(&rod.bend[1][j..]), Lanes::load(&rod.twist[j..])];
    let rest = [Lanes::load(&natural.kappa1[j..]), Lanes::load(&natural.kappa2[j..])];
    let rest_tau = Lanes::load(&natural.tau[j..]);
    let mut bend_energy = bend::value(kappa, rest, [stiffness[0], stiffness[1]]);
    add_valid(&mut found.energies.twist, twist::value(tau, rest_tau, stiffness[2]), valid);
    min_valid(&mut found.least_chi, turn.chi, valid);
    kappa[0].store(&mut k.strain[0][j..]);
    kappa[1].store(&mut k.strain[1][j..]);
    tau.store(&mut k.strain[2][j..]);
    let mut moment = [stiffness[0] * (kappa[0] - rest[0]), stiffness[1] * (kappa[1] - rest[1])];
    let mut torque = stiffness[2] * (tau - rest_tau);
    let mut in_tangent = stiffness;
    let mut coupling = None;
    if let Some(yielding) = &rod.yielding {
        let mut couples = Lanes::<N, F>::splat(0.0);
        for lane in 0..valid {
            let node = j + lane;
            if !rod.stencils().contains(&node) {
                continue;
            }
            let b = k.bending(rod, natural, yielding, node);
            bend_energy.0[lane] = b.potential;
            for c in 0..2 {
                moment[c].0[lane] = b.moment[c];
                in_tangent[c].0[lane] = b.stiffness[c];
            }
            couples.0[lane] = b.stiffness[2];
        }
        coupling = Some(couples);
    }
    add_valid(&mut found.energies.bend, bend_energy, valid);
    if let Some(rate) = &k.rate {
        let strains = [kappa[0], kappa[1], tau];
        let fold = Lanes::load(&rate.fold[j..]);
        let (weight, tangent) = (fold * Lanes::splat(rate.weight), fold * Lanes::splat(rate.tangent));
        let [m1, m2] = &mut moment;
        for (c, to) in [m1, m2, &mut torque].into_iter().enumerate() {
            let change = change_of(rate, strains[c], &rate.offset.turn[c][j..]);
            let added = stiffness[c] * weight * change;
            add_valid(&mut found.dissipation, added * change, valid);
            *to += added;
            in_tangent[c] = if c < 2 && coupling.is_some() {
                in_tangent[c] + stiffness[c] * tangent
            } else {
                stiffness[c] * (Lanes::splat(1.0) + tangent)
            };
        }
    }
    Strained { left, right, turn, kappa, moment, torque, stiffness: in_tangent, coupling }
}

/// Adds the gradient of stencil j in edge variables to the nodes: e = x_{i+1} − x_i.
#[inline(always)]
fn scatter_gradient<const N: usize, const F: bool>(
    gradient: &mut [[f64; 4]],
    rod: &Rod,
    j: usize,
    valid: usize,
    g0: &[Lanes<N, F>; 4],
    g1: &[Lanes<N, F>; 4],
    scale: f64,
) {
    let n = rod.node_count;
    for lane in 0..valid {
        let mid = j + lane;
        let right = if mid + 1 == n { 0 } else { mid + 1 };
        // The left node of the first stencil of an open rod gets zeros; any node will do.
        let left = if mid == 0 { n - 1 } else { mid - 1 };
        let mut a = [0.0; 4];
        let mut b = [0.0; 4];
        for r in 0..4 {
            a[r] = g0[r].0[lane] * scale;
            b[r] = g1[r].0[lane] * scale;
        }
        for r in 0..3 {
            gradient[left][r] -= a[r];
            gradient[mid][r] += a[r] - b[r];
            gradient[right][r] += b[r];
        }
        gradient[left][3] += a[3];
        gradient[mid][3] += b[3];
    }
}

for_vector_unit! {
    /// Strains at every node, nothing else.
    fn strain_pass(k: &mut RodKernel, rod: &Rod, natural: &NaturalShape) = strain_kernel;
}

#[inline(always)]
fn strain_kernel<const N: usize, const F: bool>(k: &mut RodKernel, rod: &Rod, natural: &NaturalShape) {
    let count = rod.edge_count();
    let mut found = Evaluated::nothing();
    for j in (0..count).step_by(N) {
        strained::<N, F>(k, rod, natural, j, N.min(count - j), &mut found);
    }
}

for_vector_unit! {
    fn gradient_pass(k: &mut RodKernel, rod: &Rod, natural: &NaturalShape, scales: Scales) -> Evaluated
        = gradient_kernel;
}

#[inline(always)]
fn gradient_kernel<const N: usize, const F: bool>(
    k: &mut RodKernel,
    rod: &Rod,
    natural: &NaturalShape,
    scales: Scales,
) -> Evaluated {
    let count = rod.edge_count();
    let mut found = Evaluated::nothing();
    k.gradient.fill([0.0; 4]);
    for j in (0..count).step_by(N) {
        let valid = N.min(count - j);
        let s = strained::<N, F>(k, rod, natural, j, valid, &mut found);
        let mut d = TurnDerivatives::zero();
        bend::add_gradient(&s.turn, s.kappa, s.moment, &mut d);
        twist::add_gradient(&s.turn, s.torque, &mut d);
        let g0 = stencil::edge_gradient(&s.left, Lanes::load(&k.inverse_length[j..]), d.u, d.gamma[0]);
        let mut g1 =
            stencil::edge_gradient(&s.right, Lanes::load(&k.inverse_length[j + 1..]), d.w, d.gamma[1]);
        add_tension(&mut g1, Lanes::load(&k.tension[j..]), s.right.t);
        scatter_gradient(&mut k.gradient, rod, j, valid, &g0, &g1, scales.gradient);
    }
    found
}

#[inline(always)]
fn add_tension<const N: usize, const F: bool>(
    g1: &mut [Lanes<N, F>; 4],
    tension: Lanes<N, F>,
    t: V3<Lanes<N, F>>,
) {
    g1[0] = tension.mul_add(t.x, g1[0]);
    g1[1] = tension.mul_add(t.y, g1[1]);
    g1[2] = tension.mul_add(t.z, g1[2]);
}

for_vector_unit! {
    fn hessian_pass(k: &mut RodKernel, rod: &Rod, natural: &NaturalShape, scales: Scales, geometric: f64,
        matrix: &mut BlockPenta) -> Evaluated = hessian_kernel;
}

#[inline(always)]
fn hessian_kernel<const N: usize, const F: bool>(
    k: &mut RodKernel,
    rod: &Rod,
    natural: &NaturalShape,
    scales: Scales,
    // Factor on moments and tension, and so on the gradient: `scales.hessian`, or zero for Bᵀ k B alone.
    geometric: f64,
    matrix: &mut BlockPenta,
) -> Evaluated {
    let (nodes, count) = (rod.node_count(), rod.edge_count());
    let mut found = Evaluated::nothing();
    k.gradient.fill([0.0; 4]);
    // Stiffness is scaled before derivatives are taken, so only the short gradient is scaled after.
    let scale = [Lanes::<N, F>::splat(scales.hessian), Lanes::splat(geometric)];
    let along_factor = scales.hessian * k.rate.as_ref().map_or(1.0, |rate| 1.0 + rate.tangent);
    let back = scales.gradient / scales.hessian;
    let mut gather = Gather::<N, F>::new();
    for j in (0..count).step_by(N) {
        let valid = N.min(count - j);
        let mut d = derivatives::<N, F>(k, rod, natural, j, valid, scale, &mut found);
        let (tension, t) = (scale[1] * Lanes::load(&k.tension[j..]), load3(&k.tangent, j + 1));
        add_tension(&mut d.g1, tension, t);
        scatter_gradient(&mut k.gradient, rod, j, valid, &d.g0, &d.g1, back);
        let mut along =
            Lanes::splat(along_factor) * Lanes::load(&rod.stretch[j..]) / Lanes::load(&rod.rest_length[j..]);
        if rod.stretch_table.is_some() {
            for lane in 0..valid {
                along.0[lane] = scales.hessian * k.stiffness_along(rod, j + lane);
            }
        }
        let across = tension * Lanes::load(&k.inverse_length[j + 1..]);
        add_stretch(&mut d.h11, stretch::hessian(t, along, across));
        if valid < N {
            d.blank_beyond(valid);
        }
        gather.add(&d, matrix, j, nodes);
    }
    // Node i is finished by stencil i + 1, so nodes lag one behind; the last stencils are empty.
    for j in (count.next_multiple_of(N)..nodes + 1).step_by(N) {
        gather.add(&StencilDerivatives::zero(), matrix, j, nodes);
    }
    if rod.closed() {
        gather.close(matrix, count);
    }
    found
}

/// Derivatives of bending and twisting of N stencils, in edge variables.
#[inline(always)]
fn derivatives<const N: usize, const F: bool>(
    k: &mut RodKernel,
    rod: &Rod,
    natural: &NaturalShape,
    j: usize,
    valid: usize,
    [scale, geometric]: [Lanes<N, F>; 2],
    found: &mut Evaluated,
) -> StencilDerivatives<Lanes<N, F>> {
    let s = strained::<N, F>(k, rod, natural, j, valid, found);
    let mut d = TurnDerivatives::zero();
    let moment = [geometric * s.moment[0], geometric * s.moment[1]];
    bend::add_derivatives(&s.turn, s.kappa, moment, [scale * s.stiffness[0], scale * s.stiffness[1]], &mut d);
    twist::add_derivatives(&s.turn, geometric * s.torque, scale * s.stiffness[2], &mut d);
    if let Some(coupling) = s.coupling {
        bend::add_coupling(&s.turn, s.kappa, scale * coupling, &mut d);
    }
    let inverse = [Lanes::load(&k.inverse_length[j..]), Lanes::load(&k.inverse_length[j + 1..])];
    stencil::expand(&s.left, &s.right, inverse, &d)
}

/// Adds the Hessian of stretching (xx, yx, zx, yy, zy, zz) to the block of an edge.
#[inline(always)]
fn add_stretch<R: Real>(block: &mut [R; 10], h: [R; 6]) {
    for (place, entry) in [0, 1, 2, 4, 5, 7].into_iter().zip(h) {
        block[place] += entry;
    }
}

for_vector_unit! {
    /// Tangents and carried directors; the directors stand in for the material frames.
    fn director_pass(k: &mut RodKernel, rod: &Rod) = director_kernel;
}

#[inline(always)]
fn director_kernel<const N: usize, const F: bool>(k: &mut RodKernel, rod: &Rod) {
    for e in (0..rod.edge_count()).step_by(N) {
        let edge = load3::<N, F>(&k.position, e + 1) - load3(&k.position, e);
        let t = edge * edge.norm().recip();
        let carried =
            parallel_transport::transport(load3(&k.start_director, e), load3(&k.start_tangent, e), t);
        let d1 = parallel_transport::orthonormalise(carried, t);
        store3(t, &mut k.tangent, e + 1);
        store3(d1, &mut k.m1, e + 1);
        store3(t.cross(d1), &mut k.m2, e + 1);
    }
}

for_vector_unit! {
    /// The angle between carried directors at each node, on the branch nearest to where it was.
    fn reference_twist_pass(k: &mut RodKernel, rod: &Rod) = reference_twist_kernel;
}

#[inline(always)]
fn reference_twist_kernel<const N: usize, const F: bool>(k: &mut RodKernel, rod: &Rod) {
    for j in (0..rod.edge_count()).step_by(N) {
        let turn = Turn::<Lanes<N, F>>::between(&frame_at(k, j), &frame_at(k, j + 1));
        twist::tau(&turn, Lanes::load(&k.start_beta[j..])).store(&mut k.strain[2][j..]);
    }
}
