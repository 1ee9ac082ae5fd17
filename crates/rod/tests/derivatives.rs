//! Gradient and Hessian of the kernel against hyper-dual differentiation of the energy, which is written here once
//! more from its definition and shares no formula with the kernel:
//!
//! E = Σ ½ EA (l/l̄ − 1)² l̄ + Σ ½ [k₁ (κ₁ − κ̄₁)² + k₂ (κ₂ − κ̄₂)² + k_t (τ − τ̄)²],
//! κ = 2 t⁰×t¹/(1 + t⁰·t¹), κ₁ = κ·(m₂⁰ + m₂¹)/2, κ₂ = −κ·(m₁⁰ + m₁¹)/2, τ = γ¹ − γ⁰ + β,
//! d₁(x) = P(t_ref → t(x)) d₁_ref with t_ref the tangents at the point of differentiation, β the angle about t¹ from
//! P(t⁰ → t¹) d₁⁰ to d₁¹.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::{Case, cases, greatest};
use glam::DVec3;
use num_dual::HyperDual64;
use ropewalk_linalg::block_pentadiagonal::BlockPenta;
use ropewalk_linalg::{Real, V3};
use ropewalk_rod::RodState;
use ropewalk_rod::kernel::{RodKernel, Scales};
use ropewalk_rod::momentum_balance::{RodMotion, StepWeights};

const ONE: Scales = Scales { gradient: 1.0, hessian: 1.0 };

/// The smallest rotation that carries the unit vector `from` to `to`, applied to `d` (Rodrigues' formula).
fn carry<R: Real>(d: V3<R>, from: V3<R>, to: V3<R>) -> V3<R> {
    let b = from.cross(to);
    let cosine = from.dot(to);
    let along = b.dot(d) / (R::splat(1.0) + cosine);
    d * cosine + b.cross(d) + b * along
}

fn unit<R: Real>(v: V3<R>) -> V3<R> {
    v * (R::splat(1.0) / v.dot(v).sqrt())
}

/// Frames of the edges at the point of differentiation: tangent and carried director.
struct Anchor {
    tangent: Vec<DVec3>,
    director: Vec<DVec3>,
    beta: Vec<f64>,
}

fn signed_angle<R: Real>(a: V3<R>, b: V3<R>, axis: V3<R>, near: f64) -> R {
    let angle = axis.dot(a.cross(b)).atan2(a.dot(b));
    // `round` has no derivative, as it should.
    let turns = ((R::splat(near) - angle) / R::splat(core::f64::consts::TAU)).round();
    angle + turns * R::splat(core::f64::consts::TAU)
}

fn anchor(case: &Case) -> Anchor {
    let rod = &case.rod;
    let position = |i: usize| DVec3::new(case.q[i][0], case.q[i][1], case.q[i][2]);
    let tangent: Vec<DVec3> =
        (0..rod.edge_count()).map(|e| (position(rod.edge_end(e)) - position(e)).normalize()).collect();
    let director: Vec<DVec3> = (0..rod.edge_count())
        .map(|e| {
            let from = case.start.tangent(rod, e);
            carry(V3::from(case.start.director(e)), from.into(), tangent[e].into()).into()
        })
        .collect();
    let mut beta = vec![0.0; rod.node_count()];
    for j in rod.stencils() {
        let e = rod.edge_before(j);
        let there = carry(V3::from(director[e]), tangent[e].into(), tangent[j].into());
        beta[j] = signed_angle(there, V3::from(director[j]), tangent[j].into(), case.start.beta[j]);
    }
    Anchor { tangent, director, beta }
}

/// Bending and twisting energy of stencil `j`, of the variables (x, γ) of its three nodes.
fn turn_energy<R: Real>(case: &Case, anchor: &Anchor, dashpots: &Dashpots, j: usize, z: &[R; 12]) -> R {
    let rod = &case.rod;
    let x = |i: usize| V3::new(z[4 * i], z[4 * i + 1], z[4 * i + 2]);
    let t = [unit(x(1) - x(0)), unit(x(2) - x(1))];
    let mut d1 = [V3::zero(); 2];
    let mut m = [[V3::zero(); 2]; 2];
    for (k, e) in [rod.edge_before(j), j].into_iter().enumerate() {
        d1[k] = carry(V3::splat(anchor.director[e]), V3::splat(anchor.tangent[e]), t[k]);
        let d2 = t[k].cross(d1[k]);
        let (s, c) = z[4 * k + 3].sin_cos();
        m[k] = [d1[k] * c + d2 * s, d2 * c - d1[k] * s];
    }
    let half = R::splat(0.5);
    let kappa = t[0].cross(t[1]) * (R::splat(2.0) / (R::splat(1.0) + t[0].dot(t[1])));
    let kappa1 = kappa.dot(m[0][1] + m[1][1]) * half;
    let kappa2 = -(kappa.dot(m[0][0] + m[1][0]) * half);
    let beta = signed_angle(carry(d1[0], t[0], t[1]), d1[1], t[1], anchor.beta[j]);
    let tau = z[7] - z[3] + beta;
    let natural = &case.start.natural;
    let rest = [natural.kappa1[j], natural.kappa2[j], natural.tau[j]];
    let stiffness = [rod.bend_stiffness(0)[j], rod.bend_stiffness(1)[j], rod.twist_stiffness()[j]];
    [kappa1, kappa2, tau].into_iter().enumerate().fold(R::zero(), |sum, (c, strain)| {
        let d = strain - R::splat(rest[c]);
        sum + R::splat(0.5 * stiffness[c]) * d * d + case_dashpots(dashpots, j, c).energy(strain)
    })
}

/// A term ½ `stiffness` (s − `natural`)² + `force` s of a strain s.
#[derive(Clone, Copy, Default)]
struct Dashpot {
    stiffness: f64,
    natural: f64,
    force: f64,
}

impl Dashpot {
    fn energy<R: Real>(&self, strain: R) -> R {
        let d = strain - R::splat(self.natural);
        R::splat(0.5 * self.stiffness) * d * d + R::splat(self.force) * strain
    }
}

/// One for l/l̄ of each edge, and for κ₁, κ₂ and τ of each node; none if empty.
#[derive(Default)]
struct Dashpots {
    edges: Vec<Dashpot>,
    nodes: Vec<[Dashpot; 3]>,
}

fn case_dashpots(dashpots: &Dashpots, j: usize, c: usize) -> Dashpot {
    dashpots.nodes.get(j).map_or(Dashpot::default(), |node| node[c])
}

/// Stretching energy of edge `e`, of the positions of its two nodes.
fn stretch_energy<R: Real>(case: &Case, dashpots: &Dashpots, e: usize, z: &[R; 8]) -> R {
    let (rest, stiffness) = (case.rod.rest_lengths()[e], case.rod.stretch_stiffness()[e]);
    let edge = V3::new(z[4] - z[0], z[5] - z[1], z[6] - z[2]);
    let ratio = edge.dot(edge).sqrt() / R::splat(rest);
    let strain = ratio - R::splat(1.0);
    let dashpot = dashpots.edges.get(e).copied().unwrap_or_default();
    R::splat(0.5 * stiffness * rest) * strain * strain + dashpot.energy(ratio)
}

/// Value, gradient and Hessian of a sum of terms, by hyper-dual numbers.
struct Differentiated {
    energy: f64,
    gradient: Vec<f64>,
    hessian: Vec<Vec<f64>>,
}

impl Differentiated {
    /// Adds a term of the degrees of freedom `dofs`.
    fn add<const M: usize>(
        &mut self,
        q: &[[f64; 4]],
        dofs: [usize; M],
        f: impl Fn(&[HyperDual64; M]) -> HyperDual64,
    ) {
        for a in 0..M {
            for b in 0..=a {
                let mut z = dofs.map(|d| HyperDual64::from_re(q[d / 4][d % 4]));
                z[a].eps1 = 1.0;
                z[b].eps2 = 1.0;
                let value = f(&z);
                self.hessian[dofs[a]][dofs[b]] += value.eps1eps2;
                if a == b {
                    self.gradient[dofs[a]] += value.eps1;
                } else {
                    self.hessian[dofs[b]][dofs[a]] += value.eps1eps2;
                }
                if a == 0 {
                    self.energy += value.re;
                }
            }
        }
    }
}

fn node_dofs<const N: usize, const M: usize>(nodes: [usize; N]) -> [usize; M] {
    core::array::from_fn(|k| 4 * nodes[k / 4] + k % 4)
}

fn differentiate(case: &Case, dashpots: &Dashpots) -> Differentiated {
    let rod = &case.rod;
    let size = 4 * rod.node_count();
    let mut out =
        Differentiated { energy: 0.0, gradient: vec![0.0; size], hessian: vec![vec![0.0; size]; size] };
    let anchor = anchor(case);
    for e in 0..rod.edge_count() {
        out.add(&case.q, node_dofs::<2, 8>([e, rod.edge_end(e)]), |z| stretch_energy(case, dashpots, e, z));
    }
    for j in rod.stencils() {
        let dofs = node_dofs::<3, 12>([rod.edge_before(j), j, rod.edge_end(j)]);
        out.add(&case.q, dofs, |z| turn_energy(case, &anchor, dashpots, j, z));
    }
    out
}

#[test]
fn gradient_and_hessian_are_the_derivatives_of_the_energy() {
    let cases = cases(2024, 40);
    assert!(cases.len() == 200);
    for case in &cases {
        let (rod, name) = (&case.rod, &case.name);
        let expected = differentiate(case, &Dashpots::default());
        let mut kernel = RodKernel::new(rod);
        kernel.start_from(rod, &case.start);
        let mut matrix = BlockPenta::zero(rod.node_count(), rod.closed());
        let found = kernel.evaluate(rod, &case.start.natural, &case.q, ONE, Some(&mut matrix));
        let energy = found.energies.total();
        assert!((energy - expected.energy).abs() < 1e-12 * energy, "{name}: {energy} {}", expected.energy);
        let scale = greatest(&expected.gradient);
        for (i, g) in expected.gradient.iter().enumerate() {
            let value = kernel.gradient[i / 4][i % 4];
            assert!((value - g).abs() < 1e-10 * scale, "{name}: gradient {i}: {value} {g}, scale {scale}");
        }
        let dense = matrix.to_dense();
        let scale = greatest(expected.hessian.iter().flatten());
        for (r, row) in expected.hessian.iter().enumerate() {
            for (c, h) in row.iter().enumerate() {
                let value = dense[r][c];
                assert!(
                    (value - h).abs() < 1e-10 * scale,
                    "{name}: Hessian {r} {c}: {value} {h}, of {scale}"
                );
            }
        }
    }
}

#[test]
fn bending_and_twisting_alone_agree_as_well() {
    // Without stretching, so that the soft parts are measured by their own size; and without one another.
    for (bend, twist) in [([1.0, 0.2], 1e-9), ([1e-9, 1e-9], 1.0)] {
        for mut case in cases(77, 4) {
            let edges = case.rod.edge_count();
            let stencils = case.rod.stencils().len();
            let arrays = ropewalk_rod::StiffnessArrays {
                rest_length: case.rod.rest_lengths().to_vec(),
                stretch: vec![1e-9; edges],
                bend: [vec![bend[0]; stencils], vec![bend[1]; stencils]],
                twist: vec![twist; stencils],
            };
            let masses = vec![[1.0; 4]; case.rod.node_count()];
            case.rod = ropewalk_rod::Rod::from_stiffness(case.rod.closed(), &arrays, &masses);
            let (rod, name) = (&case.rod, &case.name);
            let expected = differentiate(&case, &Dashpots::default());
            let mut kernel = RodKernel::new(rod);
            kernel.start_from(rod, &case.start);
            let mut matrix = BlockPenta::zero(rod.node_count(), rod.closed());
            kernel.evaluate(rod, &case.start.natural, &case.q, ONE, Some(&mut matrix));
            let scale = greatest(&expected.gradient);
            for (i, g) in expected.gradient.iter().enumerate() {
                let value = kernel.gradient[i / 4][i % 4];
                assert!((value - g).abs() < 1e-10 * scale, "{name}: gradient {i}: {value} {g}");
            }
            let dense = matrix.to_dense();
            let scale = greatest(expected.hessian.iter().flatten());
            for (r, row) in expected.hessian.iter().enumerate() {
                for (c, h) in row.iter().enumerate() {
                    assert!((dense[r][c] - h).abs() < 1e-10 * scale, "{name}: {r} {c}: {} {h}", dense[r][c]);
                }
            }
        }
    }
}

#[test]
fn every_width_gives_the_same() {
    for case in &cases(5, 24) {
        let (rod, name) = (&case.rod, &case.name);
        let mut wide = RodKernel::new(rod);
        let mut narrow = RodKernel::new(rod);
        let mut only_gradient = RodKernel::new(rod);
        wide.start_from(rod, &case.start);
        narrow.start_from(rod, &case.start);
        only_gradient.start_from(rod, &case.start);
        let zero = BlockPenta::zero(rod.node_count(), rod.closed());
        let (mut a, mut b) = (zero.clone(), zero);
        let scales = Scales { gradient: 0.25, hessian: 3.0 };
        let found = wide.evaluate(rod, &case.start.natural, &case.q, scales, Some(&mut a));
        let scalar = narrow.evaluate_scalar(rod, &case.start.natural, &case.q, scales, &mut b);
        let short = only_gradient.evaluate(rod, &case.start.natural, &case.q, scales, None);
        for other in [scalar, short] {
            let (e, o) = (found.energies, other.energies);
            for (x, y) in [(e.stretch, o.stretch), (e.bend, o.bend), (e.twist, o.twist)] {
                assert!((x - y).abs() <= 1e-12 * e.total(), "{name}: {x} {y}");
            }
            assert!((found.least_chi - other.least_chi).abs() < 1e-14, "{name}");
            assert!((found.least_stretch / other.least_stretch - 1.0).abs() < 1e-14, "{name}");
        }
        let scale = greatest(wide.gradient.iter().flatten());
        for other in [&narrow, &only_gradient] {
            for (x, y) in wide.gradient.iter().flatten().zip(other.gradient.iter().flatten()) {
                assert!((x - y).abs() <= 1e-12 * scale, "{name}: {x} {y}");
            }
        }
        let (a, b) = (a.to_dense(), b.to_dense());
        let scale = greatest(a.iter().flatten());
        for (x, y) in a.iter().flatten().zip(b.iter().flatten()) {
            assert!((x - y).abs() <= 1e-12 * scale, "{name}: {x} {y}");
        }
        for j in rod.stencils() {
            let (x, y) = (wide.strain(j), narrow.strain(j));
            for k in 0..3 {
                assert!((x[k] - y[k]).abs() < 1e-13 * (1.0 + x[k].abs()), "{name}");
            }
        }
    }
}

/// l/l̄ of the edges, and strains of the nodes.
fn strains(case: &Case, state: &RodState) -> (Vec<f64>, Vec<[f64; 3]>) {
    let rod = &case.rod;
    let edges = (0..rod.edge_count()).map(|e| state.edge(rod, e).length() / rod.rest_lengths()[e]).collect();
    let mut nodes = vec![[0.0; 3]; rod.node_count()];
    for j in rod.stencils() {
        let s = state.strain(rod, j);
        nodes[j] = [s.kappa1, s.kappa2, s.tau];
    }
    (edges, nodes)
}

/// The start of a case, carried to `q`.
fn carried(case: &Case, q: &[[f64; 4]]) -> RodState {
    let mut state = case.start.clone();
    let nodes: Vec<DVec3> = q.iter().map(|q| DVec3::new(q[0], q[1], q[2])).collect();
    state.carry_to(&case.rod, &nodes).unwrap();
    for (to, from) in state.q.iter_mut().zip(q) {
        to[3] = from[3];
    }
    state
}

/// Residual and tangent of a step from rest that ends at `end` and is evaluated at q^θ = `case.q`, against forces and
/// stiffness of springs with the dashpots that `make` chooses from EA, EI, GJ and the change of each strain.
fn check_damped_step(case: &Case, theta: f64, end: &[[f64; 4]], hessian: bool) {
    let (dt, beta) = (3e-3, 7e-3);
    let mut rod = case.rod.clone();
    rod.stiffness_damping = beta;
    let n = rod.node_count();
    let (start, stop) = (strains(case, &case.start), strains(case, &carried(case, end)));
    // θ = 1: a spring about the strain at the start. Else: the force of the whole step.
    let dashpot = |k: f64, from: f64, to: f64| {
        let k = k * beta / dt;
        if theta == 1.0 {
            Dashpot { stiffness: k, natural: from, force: 0.0 }
        } else {
            Dashpot { force: k * (to - from), ..Dashpot::default() }
        }
    };
    let stiffness = |e: usize| rod.stretch_stiffness()[e] * rod.rest_lengths()[e];
    let edges = (0..rod.edge_count()).map(|e| dashpot(stiffness(e), start.0[e], stop.0[e])).collect();
    let node = |j: usize| {
        let k = [rod.bend_stiffness(0)[j], rod.bend_stiffness(1)[j], rod.twist_stiffness()[j]];
        core::array::from_fn(|c| dashpot(k[c], start.1[j][c], stop.1[j][c]))
    };
    let expected = differentiate(case, &Dashpots { edges, nodes: (0..n).map(node).collect() });
    let mut state = case.start.clone();
    state.v.fill([0.0; 4]);
    let mut motion = RodMotion::new(&rod);
    let weights = StepWeights { dt, theta, theta_vq: 1.0 };
    for (i, v) in motion.v.iter_mut().enumerate() {
        for k in 0..4 {
            v[k] = (end[i][k] - state.q[i][k]) / dt;
        }
    }
    let v = motion.v.clone();
    motion.begin(&rod, &state, weights);
    motion.linearize(&rod, &state, weights);
    let (name, size) = (&case.name, if rod.closed() { 4 * n } else { 4 * n - 1 });
    let scale = dt * greatest(&expected.gradient);
    for i in 0..size {
        let value = motion.residual[i / 4][i % 4] - rod.masses()[i / 4][i % 4] * v[i / 4][i % 4];
        let wanted = dt * expected.gradient[i];
        assert!((value - wanted).abs() < 1e-9 * scale, "{name}: residual {i}: {value} {wanted}, of {scale}");
    }
    if hessian {
        let dense = motion.tangent.to_dense();
        let scale = dt * dt * greatest(expected.hessian.iter().flatten());
        for r in 0..size {
            for c in 0..size {
                let mass = if r == c { rod.masses()[r / 4][r % 4] } else { 0.0 };
                let (value, wanted) = (dense[r][c] - mass, dt * dt * expected.hessian[r][c]);
                assert!((value - wanted).abs() < 1e-9 * scale, "{name}: tangent {r} {c}: {value} {wanted}");
            }
        }
    }
}

#[test]
fn damping_of_strain_rates_has_exact_derivatives() {
    for case in &cases(91, 8) {
        check_damped_step(case, 1.0, &case.q, true);
        // Evaluated half way, with strain rates of the whole step.
        let mut half = Case {
            name: case.name.clone(),
            rod: case.rod.clone(),
            start: case.start.clone(),
            q: case.q.clone(),
        };
        for (q, from) in half.q.iter_mut().zip(&case.start.q) {
            for k in 0..4 {
                q[k] = 0.5 * (q[k] + from[k]);
            }
        }
        check_damped_step(&half, 0.5, &case.q, false);
    }
}
