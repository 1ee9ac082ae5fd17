//! Rotation about several axes at once, with backward Euler and the midpoint rule: angular momentum is conserved,
//! energy does not grow, and tops precess at the right rate.

#![allow(clippy::unwrap_used)]

mod common;

use common::{kinematics, link, odd_inertia, orders, run};
use glam::{DMat3, DQuat, DVec3};
use ropewalk_body::{Base, Inertia, JointKind, Tree, TreeMotion, TreeState, energy};
use ropewalk_linalg::Pose;

/// A body on a ball joint away from the world's origin, its center off the joint.
fn on_ball(moments: DVec3, com: DVec3) -> (Tree, DVec3) {
    let joint = DVec3::new(0.3, -0.2, 0.5);
    let inertia = Inertia { mass: 0.5, com, about_com: DMat3::from_diagonal(moments) };
    (Tree::new(vec![link(0, None, JointKind::Ball, Pose::at(joint), inertia)]).unwrap(), joint)
}

fn spinning(tree: &Tree, omega: DVec3) -> TreeState {
    let mut state = tree.zero_state();
    state.v[..3].copy_from_slice(&omega.to_array());
    state
}

/// J(q_m)ᵀ(h₁ − h₀) alone made 1.146 of the angular momentum and 1.085 of the energy in a second.
#[test]
fn a_body_on_a_ball_joint_keeps_its_angular_momentum_and_gains_no_energy() {
    let cases = [
        (DVec3::new(1e-3, 2e-3, 1.5e-3), DVec3::new(0.1, 0.0, 0.0), DVec3::new(50.0, 0.0, 20.0)),
        (DVec3::new(1e-3, 2e-3, 1.5e-3), DVec3::new(0.02, -0.05, 0.1), DVec3::new(-10.0, 30.0, 5.0)),
        (DVec3::new(4e-3, 4e-3, 1e-3), DVec3::new(0.0, 0.0, 0.2), DVec3::new(3.0, 0.0, 60.0)),
    ];
    for (moments, com, omega) in cases {
        for theta_vq in [1.0, 0.5] {
            for dt in [4e-3, 1e-3, 2.5e-4] {
                let (tree, joint) = on_ball(moments, com);
                let mut state = spinning(&tree, omega);
                let before = kinematics(&tree, &state);
                let momentum = energy::angular_momentum(&tree, &before, joint);
                let start = energy::kinetic_energy(&tree, &before, &state.v);
                let mut last = start;
                for _ in 0..10 {
                    run(&tree, &mut state, DVec3::ZERO, dt, theta_vq, (0.1 / dt) as usize);
                    let now = kinematics(&tree, &state);
                    let energy = energy::kinetic_energy(&tree, &now, &state.v);
                    let slack = if theta_vq == 1.0 { 1e-12 } else { 2e-3 };
                    assert!(energy <= last.min(start) * (1.0 + slack), "{omega} {dt}: {energy} after {last}");
                    last = if theta_vq == 1.0 { energy } else { start };
                }
                let now = energy::angular_momentum(&tree, &kinematics(&tree, &state), joint);
                let drift = (now - momentum).length() / momentum.length();
                assert!(drift < 1e-10, "{omega} at {dt} s, θ_vq {theta_vq}: {drift}");
            }
        }
    }
}

#[test]
fn a_chain_on_a_ball_joint_keeps_it_too() {
    // Beyond the ball: a revolute, a universal and another ball joint.
    let kinds = [
        JointKind::Ball,
        JointKind::Revolute { axis: DVec3::new(0.3, -0.5, 0.8) },
        JointKind::Universal { axes: [DVec3::X, DVec3::Y] },
        JointKind::Ball,
    ];
    let links = kinds.iter().enumerate().map(|(i, &kind)| {
        let x = i as f64;
        let pose = Pose::at(DVec3::new(0.1, 0.05 * x, 0.15));
        link(i, i.checked_sub(1), kind, pose, odd_inertia([0.1 * x, 0.4, -0.3, 0.2, 0.5 - 0.2 * x, 0.1]))
    });
    let tree = Tree::new(links.collect()).unwrap();
    let joint = DVec3::new(0.1, 0.0, 0.15);
    for (theta_vq, dt) in [(1.0, 2e-3), (0.5, 2e-3)] {
        let mut state = tree.zero_state();
        for (k, v) in state.v.iter_mut().enumerate() {
            *v = 6.0 * (1.0 + 2.0 * k as f64).sin();
        }
        let before = kinematics(&tree, &state);
        let momentum = energy::angular_momentum(&tree, &before, joint);
        let start = energy::kinetic_energy(&tree, &before, &state.v);
        run(&tree, &mut state, DVec3::ZERO, dt, theta_vq, (1.0 / dt) as usize);
        let after = kinematics(&tree, &state);
        let drift = (energy::angular_momentum(&tree, &after, joint) - momentum).length() / momentum.length();
        assert!(drift < 1e-10, "θ_vq {theta_vq}: {drift}");
        let end = energy::kinetic_energy(&tree, &after, &state.v);
        assert!(end < start * 1.01, "θ_vq {theta_vq}: {start} J became {end}");
    }
}

#[test]
fn what_a_platform_carries_does_not_see_its_uniform_motion() {
    let (tree, _) = on_ball(DVec3::new(1e-3, 2e-3, 1.5e-3), DVec3::new(0.02, -0.05, 0.1));
    let (velocity, dt) = (DVec3::new(3.0, -2.0, 1.0), 1e-3);
    let (mut resting, mut carried) =
        (spinning(&tree, DVec3::new(9.0, 4.0, -20.0)), spinning(&tree, DVec3::new(9.0, 4.0, -20.0)));
    let place = |step: usize| Pose::at(velocity * (step as f64 * dt));
    carried.base = Base { linear: velocity, ..Base::default() };
    let mut motion = TreeMotion::new(&tree);
    let gravity = DVec3::new(0.0, 0.0, -9.81);
    for step in 1..=500 {
        let base = Base { pose: place(step), linear: velocity, angular: DVec3::ZERO };
        common::free_step(&mut motion, &tree, &mut carried, &base, gravity, dt, 1.0);
        common::free_step(&mut motion, &tree, &mut resting, &Base::default(), gravity, dt, 1.0);
    }
    for (a, b) in carried.v.iter().zip(&resting.v) {
        assert!((a - b).abs() < 1e-8, "{a} and {b}");
    }
}

/// A symmetric top whose axis lies level precesses steadily at Ω = m g l/(I₃ s) if it starts with just that.
#[test]
fn a_gyroscope_precesses_at_its_rate() {
    let (g, arm, spin, axial) = (9.81, 0.1, 300.0, 1e-3);
    let inertia = Inertia {
        mass: 0.5,
        com: DVec3::new(arm, 0.0, 0.0),
        about_com: DMat3::from_diagonal(DVec3::new(axial, 6e-4, 6e-4)),
    };
    let tree = Tree::new(vec![link(0, None, JointKind::Ball, Pose::IDENTITY, inertia)]).unwrap();
    let rate = 0.5 * g * arm / (axial * spin);
    let time = 0.5;
    for (theta_vq, order) in [(1.0, 1.0), (0.5, 2.0)] {
        let errors: Vec<f64> = (0..3)
            .map(|halving| {
                let steps = 1000 << halving;
                let mut state = spinning(&tree, DVec3::new(spin, 0.0, rate));
                run(&tree, &mut state, DVec3::NEG_Z * g, time / f64::from(steps), theta_vq, steps as usize);
                let axis = DQuat::from_slice(&state.q) * DVec3::X;
                let wanted = DVec3::new((rate * time).cos(), (rate * time).sin(), 0.0);
                (axis - wanted).length()
            })
            .collect();
        assert!(errors[2] < 0.02, "θ_vq {theta_vq}: {errors:?}");
        assert!(orders(&errors)[1] > order - 0.3, "θ_vq {theta_vq}: {errors:?} {:?}", orders(&errors));
    }
}
