//! Free motion: momenta, energy, and the flip of a spinning body, with their order of convergence.

#![allow(clippy::unwrap_used)]

mod common;

use common::{GRAVITY, all_kinds, kinematics, link, odd_inertia, orders, run};
use glam::{DMat3, DQuat, DVec3};
use ropewalk_body::{Inertia, JointKind, Tree, TreeState, energy};
use ropewalk_linalg::Pose;
use ropewalk_linalg::pose::exp_rotation;

/// Three links without symmetry, the first free, joined by a revolute and a ball joint; tumbling.
fn chain() -> (Tree, TreeState) {
    let kinds = [JointKind::Free, all_kinds()[0], JointKind::Ball];
    let links = (0..3)
        .map(|i| {
            let x = i as f64;
            let pose =
                Pose::new(DVec3::new(0.1, 0.05 * x, 0.2), exp_rotation(DVec3::new(0.3 * x, 0.2, -0.4)));
            let inertia = odd_inertia([0.3, -0.5 + 0.3 * x, 0.7 - 0.2 * x, 0.4, 0.6, -0.9]);
            link(i, i.checked_sub(1), kinds[i], pose, inertia)
        })
        .collect();
    let tree = Tree::new(links).unwrap();
    let mut state = tree.zero_state();
    for (k, v) in state.v.iter_mut().enumerate() {
        *v = (1.0 + 2.0 * k as f64).sin();
    }
    (tree, state)
}

#[test]
fn a_free_chain_keeps_linear_momentum_to_round_off_and_the_rest_at_the_order_of_the_scheme() {
    for (theta_vq, order) in [(1.0, 1.0), (0.5, 2.0)] {
        let (mut spins, mut energies) = (Vec::new(), Vec::new());
        for halving in 0..4 {
            let steps = 200 << halving;
            let (tree, mut state) = chain();
            let before = kinematics(&tree, &state);
            let start = energy::kinetic_energy(&tree, &before, &state.v);
            let spin = energy::angular_momentum(&tree, &before, DVec3::ZERO);
            run(&tree, &mut state, DVec3::ZERO, 1.0 / steps as f64, theta_vq, steps);
            let after = kinematics(&tree, &state);
            let momentum = energy::linear_momentum(&tree, &before);
            let drift = (energy::linear_momentum(&tree, &after) - momentum).length() / momentum.length();
            assert!(drift < 1e-13, "linear momentum drifts by {drift}");
            spins
                .push((energy::angular_momentum(&tree, &after, DVec3::ZERO) - spin).length() / spin.length());
            energies.push((energy::kinetic_energy(&tree, &after, &state.v) - start).abs() / start);
        }
        println!("θ_vq = {theta_vq}: angular momentum {spins:?} {:?}", orders(&spins));
        println!("θ_vq = {theta_vq}: energy {energies:?} {:?}", orders(&energies));
        for found in orders(&spins).into_iter().chain(orders(&energies)).skip(1) {
            assert!(found > order - 0.15, "order {found} at θ_vq = {theta_vq}: {spins:?}, {energies:?}");
        }
    }
}

#[test]
fn a_falling_chain_gains_the_momentum_of_its_weight() {
    let (tree, mut state) = chain();
    let before = energy::linear_momentum(&tree, &kinematics(&tree, &state));
    run(&tree, &mut state, GRAVITY, 1e-2, 1.0, 50);
    let gained = energy::linear_momentum(&tree, &kinematics(&tree, &state)) - before;
    let wanted = 0.5 * energy::total_mass(&tree) * GRAVITY;
    assert!((gained - wanted).length() < 1e-12 * wanted.length());
}

/// A free body with three different moments of inertia whose center is its origin, spun about the middle one.
fn spinning() -> (Tree, TreeState, DVec3) {
    let moments = DVec3::new(0.02, 0.03, 0.045);
    let inertia = Inertia { mass: 2.0, com: DVec3::ZERO, about_com: DMat3::from_diagonal(moments) };
    let tree = Tree::new(vec![link(0, None, JointKind::Free, Pose::IDENTITY, inertia)]).unwrap();
    let mut state = tree.zero_state();
    state.v.copy_from_slice(&[0.5, 0.0, -0.2, 0.05, 6.0, 0.02]);
    (tree, state, moments)
}

/// Euler's equations in body axes and the quaternion, by the classical method of Runge and Kutta.
fn euler(moments: DVec3, omega: DVec3, time: f64, steps: usize) -> (DQuat, DVec3) {
    let rate = |r: DQuat, w: DVec3| {
        let spin = r * DQuat::from_xyzw(0.5 * w.x, 0.5 * w.y, 0.5 * w.z, 0.0);
        (spin, (moments * w).cross(w) / moments)
    };
    let h = time / steps as f64;
    let (mut r, mut w) = (DQuat::IDENTITY, omega);
    for _ in 0..steps {
        let (r1, w1) = rate(r, w);
        let (r2, w2) = rate(r + r1 * (0.5 * h), w + 0.5 * h * w1);
        let (r3, w3) = rate(r + r2 * (0.5 * h), w + 0.5 * h * w2);
        let (r4, w4) = rate(r + r3 * h, w + h * w3);
        r = (r + (r1 + r2 * 2.0 + r3 * 2.0 + r4) * (h / 6.0)).normalize();
        w += h / 6.0 * (w1 + 2.0 * w2 + 2.0 * w3 + w4);
    }
    (r, r * w)
}

#[test]
fn a_body_spun_about_its_middle_axis_flips_as_euler_says() {
    let time = 4.0;
    let (_, start, moments) = spinning();
    let omega = DVec3::from_slice(&start.v[3..]);
    let (rotation, wanted) = euler(moments, omega, time, 40_000);
    let (coarser, _) = euler(moments, omega, time, 20_000);
    assert!((rotation - coarser).length() < 1e-11, "the reference is fine enough");
    // It has turned over: the middle axis, along which the momentum lies, points the other way.
    let flipped = (rotation * DVec3::Y).y;
    assert!(flipped < -0.5, "the middle axis is at {flipped}");
    for (theta_vq, order, first) in [(1.0, 1.0, 4000), (0.5, 2.0, 500)] {
        let errors: Vec<f64> = (0..4)
            .map(|halving| {
                let steps = first << halving;
                let (tree, mut state, _) = spinning();
                let before = kinematics(&tree, &state);
                let center = |k: &ropewalk_body::Kinematics| energy::angular_momentum(&tree, k, k.com[0]);
                run(&tree, &mut state, DVec3::ZERO, time / steps as f64, theta_vq, steps);
                let after = kinematics(&tree, &state);
                assert!((center(&after) - center(&before)).length() < 1e-12, "angular momentum is kept");
                let found = DQuat::from_slice(&state.q[3..]);
                assert!((found.length() - 1.0).abs() < 1e-15, "the quaternion is unit");
                let turned = (found * rotation.conjugate()).to_scaled_axis().length();
                turned + (DVec3::from_slice(&state.v[3..]) - wanted).length() / omega.length()
            })
            .collect();
        println!("θ_vq = {theta_vq}: {errors:?} {:?}", orders(&errors));
        for found in &orders(&errors)[1..] {
            assert!((found - order).abs() < 0.1, "orders {:?}, errors {errors:?}", orders(&errors));
        }
    }
}

#[test]
fn quaternions_stay_unit_over_many_steps() {
    let (tree, mut state) = chain();
    run(&tree, &mut state, DVec3::ZERO, 1e-2, 1.0, 2000);
    for range in [3..7, 8..12] {
        assert!((DQuat::from_slice(&state.q[range]).length() - 1.0).abs() < 1e-15);
    }
}

#[test]
fn a_pendulum_without_weight_keeps_its_speed_at_any_step() {
    let inertia = odd_inertia([0.1, 0.9, 0.8, 0.2, 0.3, 0.4]);
    let kind = JointKind::Continuous { axis: DVec3::Y };
    let tree = Tree::new(vec![link(0, None, kind, Pose::at(DVec3::ONE), inertia)]).unwrap();
    for theta_vq in [1.0, 0.5] {
        let mut state = tree.zero_state();
        state.v[0] = 3.0;
        run(&tree, &mut state, DVec3::ZERO, 0.05, theta_vq, 200);
        assert!((state.v[0] - 3.0).abs() < 1e-11, "{}", state.v[0]);
    }
}
