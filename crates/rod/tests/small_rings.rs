//! Closed rods of few nodes, whose couplings meet in the same blocks: Newton's direction against a dense solve of the
//! same tangent, clamped degrees of freedom included.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Random, cases, greatest};
use ropewalk_rod::momentum_balance::{RodMotion, StepWeights};
use ropewalk_rod::{Material, RestShape, RodBuilder, Section};

/// x with a x = b, by Gaussian elimination with row exchanges.
fn solve_dense(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k..n {
                let above = a[k][j];
                a[i][j] -= factor * above;
            }
            let above = b[k];
            b[i] -= factor * above;
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - known) / a[k][k];
    }
    b
}

#[test]
fn directions_are_those_of_a_dense_solve() {
    let mut random = Random(31);
    let mut seen = [0; 8];
    for case in cases(31, 30).iter().filter(|c| c.rod.closed()) {
        let (rod, n) = (&case.rod, case.rod.node_count());
        seen[n.min(7)] += 1;
        let mut motion = RodMotion::new(rod);
        let weights = StepWeights { dt: 1e-3, theta: 1.0, theta_vq: 1.0 };
        for v in motion.v.iter_mut().flatten() {
            *v = random.signed();
        }
        for f in motion.force.iter_mut().flatten() {
            *f = random.signed();
        }
        let held = [[1, 0], [1, 1], [n - 1, 3], [0, 2]];
        for [node, k] in held {
            motion.held[node][k] = true;
        }
        motion.begin(rod, &case.start, weights);
        motion.linearize(rod, &case.start, weights);
        let dense = motion.tangent.to_dense();
        for (r, row) in dense.iter().enumerate() {
            for (c, x) in row.iter().enumerate() {
                assert_eq!(*x, dense[c][r], "{}", case.name);
            }
        }
        for [node, k] in held {
            let d = 4 * node + k;
            assert!(dense[d].iter().enumerate().all(|(c, &x)| x == f64::from(u8::from(c == d))));
        }
        let altered = motion.factor().is_err();
        if altered {
            motion.make_positive(rod, &case.start, weights);
            motion.factor().unwrap();
        }
        let slope = motion.solve_direction();
        assert!(slope < 0.0);
        let right: Vec<f64> = (0..4 * n)
            .map(|d| if motion.held[d / 4][d % 4] { 0.0 } else { -motion.residual[d / 4][d % 4] })
            .collect();
        let expected = solve_dense(motion.tangent.to_dense(), right);
        let size = greatest(&expected);
        for (d, x) in expected.iter().enumerate() {
            let found = motion.direction[d / 4][d % 4];
            assert!((found - x).abs() < 1e-9 * size, "{}: {d}: {found} {x}", case.name);
        }
    }
    assert!(seen[3..].iter().all(|&s| s > 0), "rings of 3 to 6 nodes and more: {seen:?}");
}

#[test]
fn rings_of_any_number_of_nodes_breathe_alike() {
    // A ring that is round at rest and grows evenly only stretches: u = r/r₀ − 1 obeys ü = −EA/(ρA r₀²) u whatever
    // the number of nodes, step by step of backward Euler as well.
    let (radius, dt) = (0.1, 1e-4);
    let material = Material::from_poisson(1e6, 0.4, 1000.0);
    let omega_squared = 1e6 / 1000.0 / (radius * radius);
    for n in [3, 4, 5, 6, 7, 12] {
        let nodes = (0..n)
            .map(|i| {
                let (s, c) = (core::f64::consts::TAU * f64::from(i) / f64::from(n)).sin_cos();
                glam::DVec3::new(c, s, 0.0) * radius
            })
            .collect();
        let mut builder = RodBuilder::new(nodes, Section::Circle { radius: 0.01 }, material);
        builder.closed = true;
        builder.rest = RestShape::AsGiven;
        let (rod, mut state) = builder.build().unwrap();
        for i in 0..n as usize {
            let outwards = state.position(i) / radius;
            for k in 0..3 {
                state.v[i][k] = 0.7 * outwards[k];
            }
        }
        let weights = StepWeights { dt, theta: 1.0, theta_vq: 1.0 };
        let (mut u, mut rate) = (0.0, 0.7 / radius);
        let mut motion = RodMotion::new(&rod);
        for _ in 0..20 {
            motion.v.copy_from_slice(&state.v);
            motion.begin(&rod, &state, weights);
            for _ in 0..6 {
                motion.linearize(&rod, &state, weights);
                motion.factor().unwrap();
                motion.solve_direction();
                motion.try_fraction(&rod, &state, weights, 1.0);
                motion.accept();
            }
            state.v.copy_from_slice(&motion.v);
            for (q, v) in state.q.iter_mut().flatten().zip(state.v.iter().flatten()) {
                *q += dt * v;
            }
            motion.kernel.carry_frames(&rod, &mut state);
            rate = (rate - dt * omega_squared * u) / (1.0 + dt * dt * omega_squared);
            u += dt * rate;
            for i in 0..n as usize {
                let found = state.position(i).length() / radius - 1.0;
                assert!((found - u).abs() < 1e-10, "{n} nodes: {found} {u}");
            }
        }
    }
}
