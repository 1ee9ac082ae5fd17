//! Identities of elastic forces for any shape: they balance, they rotate with the rod, and they do not depend on the
//! choice of reference frames. Each to 1e-12 of the sum of the magnitudes that cancel.

mod common;

use common::{Case, Random, cases, greatest};
use glam::{DQuat, DVec3};
use ropewalk_linalg::block_pentadiagonal::BlockPenta;
use ropewalk_rod::RodState;
use ropewalk_rod::kernel::{ElasticEnergies, RodKernel, Scales};

const ONE: Scales = Scales { gradient: 1.0, hessian: 1.0 };

struct Evaluation {
    energies: ElasticEnergies,
    gradient: Vec<[f64; 4]>,
    matrix: BlockPenta,
}

fn evaluate(case: &Case, start: &RodState, q: &[[f64; 4]]) -> Evaluation {
    let mut kernel = RodKernel::new(&case.rod);
    kernel.start_from(&case.rod, start);
    let mut matrix = BlockPenta::zero(case.rod.node_count(), case.rod.closed());
    let found = kernel.evaluate(&case.rod, &start.natural, q, ONE, Some(&mut matrix));
    Evaluation { energies: found.energies, gradient: kernel.gradient.clone(), matrix }
}

fn force(g: &[f64; 4]) -> DVec3 {
    DVec3::new(g[0], g[1], g[2])
}

#[test]
fn forces_and_moments_balance() {
    for case in &cases(11, 16) {
        let (rod, name) = (&case.rod, &case.name);
        let found = evaluate(case, &case.start, &case.q);
        let (mut sum, mut size) = (DVec3::ZERO, 0.0);
        let (mut moment, mut moment_size) = (DVec3::ZERO, 0.0);
        for (q, g) in case.q.iter().zip(&found.gradient) {
            sum += force(g);
            size += force(g).length();
            let arm = force(q);
            moment += arm.cross(force(g));
            moment_size += arm.length() * force(g).length();
        }
        for e in 0..rod.edge_count() {
            let t = (force(&case.q[rod.edge_end(e)]) - force(&case.q[e])).normalize();
            moment += t * found.gradient[e][3];
            moment_size += found.gradient[e][3].abs();
        }
        assert!(sum.length() < 1e-12 * size, "{name}: force {sum} of {size}");
        assert!(moment.length() < 1e-12 * moment_size, "{name}: moment {moment} of {moment_size}");
        if !rod.closed() {
            assert_eq!(found.gradient[rod.node_count() - 1][3], 0.0, "{name}: the angle that is not there");
        }
    }
}

#[test]
fn translations_cost_nothing_to_second_order() {
    for case in &cases(12, 16) {
        let n = case.rod.node_count();
        let dense = evaluate(case, &case.start, &case.q).matrix.to_dense();
        let scale = greatest(dense.iter().flatten());
        for (r, row) in dense.iter().enumerate() {
            for k in 0..3 {
                let sum: f64 = (0..n).map(|i| row[4 * i + k]).sum();
                let size: f64 = (0..n).map(|i| row[4 * i + k].abs()).sum();
                let allowed = 1e-12 * size.max(1e-3 * scale);
                assert!(sum.abs() <= allowed, "{}: row {r}: {sum:e} of {size:e}", case.name);
            }
        }
    }
}

fn assert_same_energies(name: &str, a: ElasticEnergies, b: ElasticEnergies) {
    for (x, y) in [(a.stretch, b.stretch), (a.bend, b.bend), (a.twist, b.twist)] {
        assert!((x - y).abs() < 1e-12 * a.total(), "{name}: {x} {y}");
    }
}

#[test]
fn rigid_motions_change_nothing() {
    let mut random = Random(13);
    for case in &cases(13, 10) {
        let rotation: DQuat = random.turn();
        let shift = random.direction();
        let place = |q: &[[f64; 4]]| -> Vec<[f64; 4]> {
            q.iter()
                .map(|q| {
                    let x = rotation * force(q) + shift;
                    [x.x, x.y, x.z, q[3]]
                })
                .collect()
        };
        let moved = RodState {
            q: place(&case.start.q),
            d1: case.start.d1.iter().map(|&d| (rotation * DVec3::from_array(d)).to_array()).collect(),
            ..case.start.clone()
        };
        let (a, b) = (evaluate(case, &case.start, &case.q), evaluate(case, &moved, &place(&case.q)));
        assert_same_energies(&case.name, a.energies, b.energies);
        let size = greatest(a.gradient.iter().flatten());
        for (x, y) in a.gradient.iter().zip(&b.gradient) {
            assert!((rotation * force(x) - force(y)).length() < 1e-11 * size, "{}: {x:?} {y:?}", case.name);
            assert!((x[3] - y[3]).abs() < 1e-11 * size);
        }
    }
}

/// `state` with the reference director of edge e turned by `angles[e]` about its tangent, the angle γ turned back and
/// the reference twist following.
fn turned(case: &Case, angles: &[f64], q: &mut [[f64; 4]]) -> RodState {
    let rod = &case.rod;
    let mut state = case.start.clone();
    for e in 0..rod.edge_count() {
        let (s, c) = angles[e].sin_cos();
        let (t, d) = (state.tangent(rod, e), state.director(e));
        state.d1[e] = (d * c + t.cross(d) * s).to_array();
        q[e][3] -= angles[e];
        state.q[e][3] -= angles[e];
    }
    for j in rod.stencils() {
        state.beta[j] += angles[j] - angles[rod.edge_before(j)];
    }
    state
}

#[test]
fn reference_frames_are_a_matter_of_choice() {
    let mut random = Random(14);
    for case in &cases(14, 12) {
        let edges = case.rod.edge_count();
        let one = random.between(-3.0, 3.0);
        let each: Vec<f64> = (0..edges).map(|_| random.between(-3.0, 3.0)).collect();
        let before = evaluate(case, &case.start, &case.q);
        for angles in [vec![one; edges], each] {
            let mut q = case.q.clone();
            let state = turned(case, &angles, &mut q);
            let after = evaluate(case, &state, &q);
            assert_same_energies(&case.name, before.energies, after.energies);
            let size = greatest(before.gradient.iter().flatten());
            for (x, y) in before.gradient.iter().flatten().zip(after.gradient.iter().flatten()) {
                assert!((x - y).abs() < 1e-11 * size, "{}: {x} {y}", case.name);
            }
            let (a, b) = (before.matrix.to_dense(), after.matrix.to_dense());
            let size = greatest(a.iter().flatten());
            for (x, y) in a.iter().flatten().zip(b.iter().flatten()) {
                assert!((x - y).abs() < 1e-11 * size, "{}: {x} {y}", case.name);
            }
            // The strains that a state reports are the same as well, and its frames are consistent.
            let mut again = state.clone();
            again.update_reference_twist(&case.rod);
            for j in case.rod.stencils() {
                let (s, t) = (case.start.strain(&case.rod, j), state.strain(&case.rod, j));
                assert!((s.kappa1 - t.kappa1).abs() < 1e-12 && (s.kappa2 - t.kappa2).abs() < 1e-12);
                assert!((s.tau - t.tau).abs() < 1e-12, "{} {}", s.tau, t.tau);
                assert!((again.beta[j] - state.beta[j]).abs() < 1e-11, "{}", case.name);
            }
        }
    }
}
