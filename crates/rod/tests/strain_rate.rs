//! Damping of strain rates: it damps vibration but not rigid motion, and it never adds energy.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Case, Random, cases, greatest};
use glam::{DQuat, DVec3};
use ropewalk_linalg::parallel_transport::{signed_angle, transport};
use ropewalk_linalg::vec3::V3;
use ropewalk_rod::momentum_balance::{RodMotion, StepWeights};
use ropewalk_rod::{Rod, RodState};

const SCHEMES: [[f64; 2]; 4] = [[1.0, 1.0], [0.5, 0.5], [0.7, 0.6], [0.0, 1.0]];
const DT: f64 = 1e-3;

/// δt times the damping force (the residual with damping less that without) of a step from `start` to `end`, its
/// tangent, and q^θ.
struct Damped {
    impulse: Vec<[f64; 4]>,
    tangent: Vec<Vec<f64>>,
    q_theta: Vec<[f64; 4]>,
}

fn damped(rod: &Rod, start: &RodState, end: &[[f64; 4]], [theta, theta_vq]: [f64; 2]) -> Damped {
    let weights = StepWeights { dt: DT, theta, theta_vq };
    let mut start = start.clone();
    // The step has one velocity throughout.
    for (v, (to, from)) in start.v.iter_mut().zip(end.iter().zip(&start.q)) {
        for k in 0..4 {
            v[k] = (to[k] - from[k]) / DT;
        }
    }
    let q_theta =
        start.q.iter().zip(end).map(|(a, b)| core::array::from_fn(|k| a[k] + theta * (b[k] - a[k])));
    let [with, without] = [rod.stiffness_damping, 0.0].map(|beta| {
        let mut rod = rod.clone();
        rod.stiffness_damping = beta;
        let mut motion = RodMotion::new(&rod);
        motion.v.copy_from_slice(&start.v);
        motion.begin(&rod, &start, weights);
        motion.linearize(&rod, &start, weights);
        motion
    });
    let impulse =
        with.residual.iter().zip(&without.residual).map(|(a, b)| core::array::from_fn(|k| a[k] - b[k]));
    Damped { impulse: impulse.collect(), tangent: with.tangent.to_dense(), q_theta: q_theta.collect() }
}

/// The end of a rigid motion of `state`: nodes turned and shifted, material frames turned with them.
fn rigidly_moved(rod: &Rod, state: &RodState, turn: DQuat, shift: DVec3) -> Vec<[f64; 4]> {
    let moved = state.moved(turn, shift);
    let mut q = moved.q.clone();
    for e in 0..rod.edge_count() {
        let (from, to) = (state.tangent(rod, e), moved.tangent(rod, e));
        let carried = transport(V3::from(state.director(e)), from.into(), to.into());
        q[e][3] += signed_angle(carried, V3::from(moved.director(e)), to.into());
    }
    q
}

fn with_damping(mut case: Case) -> Case {
    case.rod.stiffness_damping = 2e-3;
    case
}

#[test]
fn rigid_motion_is_not_damped() {
    let mut random = Random(3);
    for case in cases(3, 8).into_iter().map(with_damping) {
        let rod = &case.rod;
        for scheme in SCHEMES {
            let turn = DQuat::from_axis_angle(random.direction(), random.between(0.01, 1.0));
            let end = rigidly_moved(rod, &case.start, turn, random.direction());
            let found = greatest(damped(rod, &case.start, &end, scheme).impulse.iter().flatten());
            // A motion of the same size that is not rigid.
            let mut bent = end.clone();
            for q in &mut bent {
                for x in &mut q[..3] {
                    *x += 1e-3 * random.signed();
                }
            }
            let size = greatest(damped(rod, &case.start, &bent, scheme).impulse.iter().flatten());
            assert!(found < 1e-9 * size, "{} {scheme:?}: {found} of {size}", case.name);
        }
    }
}

#[test]
fn damping_forces_balance_and_take_energy() {
    let mut random = Random(4);
    for case in cases(4, 8).into_iter().map(with_damping) {
        let (rod, name) = (&case.rod, &case.name);
        for scheme in SCHEMES {
            let turn = DQuat::from_axis_angle(random.direction(), random.between(0.0, 0.1));
            let mut end = rigidly_moved(rod, &case.start, turn, random.direction());
            for q in &mut end {
                for x in q {
                    *x += 2e-4 * random.signed();
                }
            }
            let Damped { impulse, q_theta, .. } = damped(rod, &case.start, &end, scheme);
            let vector = |x: &[f64; 4]| DVec3::new(x[0], x[1], x[2]);
            let (mut force, mut moment, mut size, mut work) = (DVec3::ZERO, DVec3::ZERO, 0.0, 0.0);
            for (i, f) in impulse.iter().enumerate() {
                force += vector(f);
                moment += vector(&q_theta[i]).cross(vector(f));
                size += vector(f).length() * (1.0 + vector(&q_theta[i]).length());
                for k in 0..4 {
                    work += f[k] * (end[i][k] - case.start.q[i][k]) / DT;
                }
            }
            for e in 0..rod.edge_count() {
                let t = (vector(&q_theta[rod.edge_end(e)]) - vector(&q_theta[e])).normalize();
                moment += t * impulse[e][3];
            }
            assert!(force.length() < 1e-9 * size, "{name}: {force} of {size}");
            assert!(moment.length() < 1e-9 * size, "{name}: {moment} of {size}");
            assert!(work > 0.0, "{name} {scheme:?}: {work} J are taken");
        }
    }
}

#[test]
fn symplectic_euler_has_its_damping_in_the_tangent() {
    // Elastic forces are explicit there; A − M is β δt Bᵀ k B, positive semidefinite, and zero for rigid motion.
    let mut random = Random(5);
    for case in cases(5, 4).into_iter().map(with_damping) {
        let (rod, start) = (&case.rod, &case.start);
        let tangent = damped(rod, start, &start.q, [0.0, 1.0]).tangent;
        let n = 4 * rod.node_count() - usize::from(!rod.closed());
        let quadratic = |x: &[f64]| -> f64 {
            let mass: f64 = (0..n).map(|i| rod.masses()[i / 4][i % 4] * x[i] * x[i]).sum();
            let all: f64 = (0..n).map(|i| x[i] * (0..n).map(|j| tangent[i][j] * x[j]).sum::<f64>()).sum();
            all - mass
        };
        let x: Vec<f64> = (0..n).map(|_| random.signed()).collect();
        let size = quadratic(&x);
        assert!(size > 0.0, "{}", case.name);
        let shift = random.direction();
        let x: Vec<f64> = (0..n).map(|i| if i % 4 < 3 { shift[i % 4] } else { 0.0 }).collect();
        assert!(quadratic(&x).abs() < 1e-10 * size, "{}", case.name);
    }
}
