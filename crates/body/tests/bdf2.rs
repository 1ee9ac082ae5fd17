//! BDF2 on trees: order with every kind of joint, conservation and numerical damping.

#![allow(clippy::unwrap_used)]

mod common;

use common::{GRAVITY, all_kinds, kinematics, link, odd_inertia, orders};
use glam::{DMat3, DQuat, DVec3};
use ropewalk_body::free_step::solve_free;
use ropewalk_body::{Base, Inertia, JointKind, Tree, TreeHistory, TreeMotion, TreeState, energy};
use ropewalk_linalg::Pose;
use ropewalk_linalg::pose::exp_rotation;

fn run_on(tree: &Tree, state: &mut TreeState, base: impl Fn(f64) -> Pose, gravity: DVec3, steps: &[f64]) {
    let (mut motion, mut history) = (TreeMotion::new(tree), TreeHistory::none(tree));
    let mut time = 0.0;
    for dt in steps {
        let next = Base::moved(&base(time), &base(time + dt), *dt);
        motion.begin_bdf2(tree, state, &next, gravity, *dt, &history);
        solve_free(&mut motion, tree, state).unwrap();
        motion.advance_bdf2(tree, state, &mut history);
        time += dt;
    }
}

fn run(tree: &Tree, state: &mut TreeState, gravity: DVec3, dt: f64, steps: usize) {
    run_on(tree, state, |_| Pose::IDENTITY, gravity, &vec![dt; steps]);
}

/// A chain of two links on a root of the given kind, the second on a ball joint, with armature, damping and springs.
fn chain(root: JointKind) -> (Tree, TreeState) {
    let mut links = vec![
        link(
            0,
            None,
            root,
            Pose::at(DVec3::new(0.1, 0.2, 0.0)),
            odd_inertia([0.3, -0.5, 0.7, 0.4, 0.6, -0.9]),
        ),
        link(
            1,
            Some(0),
            JointKind::Ball,
            Pose::new(DVec3::new(0.1, 0.05, 0.2), exp_rotation(DVec3::new(0.3, 0.2, -0.4))),
            odd_inertia([0.1, 0.4, -0.2, 0.5, -0.3, 0.2]),
        ),
    ];
    links[0].joint.damping = 0.02;
    links[0].joint.armature = 0.01;
    if root.velocity_count() == 1 {
        links[0].joint.spring_stiffness = 0.5;
    }
    let tree = Tree::new(links).unwrap();
    let mut state = tree.zero_state();
    for (k, v) in state.v.iter_mut().enumerate() {
        *v = 2.0 * (1.0 + 2.0 * k as f64).sin();
    }
    (tree, state)
}

#[test]
fn the_order_is_two_for_every_kind_of_joint() {
    for kind in all_kinds() {
        let end = |steps: usize| {
            let (tree, mut state) = chain(kind);
            run(&tree, &mut state, GRAVITY, 0.5 / steps as f64, steps);
            state
        };
        let ends: Vec<_> = (0..4).map(|h| end(200 << h)).collect();
        let gaps: Vec<f64> = ends
            .windows(2)
            .map(|w| {
                let (a, b) = (w[0].q.iter().chain(&w[0].v), w[1].q.iter().chain(&w[1].v));
                a.zip(b).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()))
            })
            .collect();
        let found = orders(&gaps);
        assert!((found[1] - 2.0).abs() < 0.25, "{kind:?}: {gaps:?} {found:?}");
    }
}

#[test]
fn it_agrees_with_the_midpoint_rule() {
    // The same answer from another scheme: with fine steps both are near the truth.
    let (tree, mut state) = chain(all_kinds()[0]);
    let mut other = state.clone();
    run(&tree, &mut state, GRAVITY, 2.5e-4, 2000);
    common::run(&tree, &mut other, GRAVITY, 2.5e-4, 0.5, 2000);
    for (a, b) in state.v.iter().zip(&other.v) {
        assert!((a - b).abs() < 2e-4, "{a} {b}");
    }
}

#[test]
fn a_moving_base_and_steps_of_changing_length() {
    let (tree, start) = chain(all_kinds()[0]);
    let base = |t: f64| Pose::new(DVec3::new((3.0 * t).sin(), t * t, 0.0), DQuat::from_rotation_z(2.0 * t));
    let end = |h: f64| {
        let pattern = [1.0, 2.0, 1.0, 0.5, 0.5, 1.0, 2.0];
        let (mut steps, mut time, mut i) = (Vec::new(), 0.0, 0);
        while time < 0.5 - 1e-9 {
            let dt = f64::min(h * pattern[i % 7], 0.5 - time);
            steps.push(dt);
            time += dt;
            i += 1;
        }
        let mut state = start.clone();
        // The base has its velocity at the start.
        state.base = Base::moved(&base(-1e-6), &base(1e-6), 2e-6);
        state.base.pose = base(0.0);
        run_on(&tree, &mut state, base, GRAVITY, &steps);
        state.v
    };
    let ends: Vec<_> = [2e-3, 1e-3, 5e-4, 2.5e-4].into_iter().map(end).collect();
    let gap = |w: &[Vec<f64>]| w[0].iter().zip(&w[1]).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    let gaps: Vec<f64> = ends.windows(2).map(gap).collect();
    assert!((orders(&gaps)[1] - 2.0).abs() < 0.35, "{gaps:?} {:?}", orders(&gaps));
}

#[test]
fn angular_momentum_is_kept_and_energy_lost_only_slowly() {
    let joint = DVec3::new(0.3, -0.2, 0.5);
    let inertia = Inertia {
        mass: 0.5,
        com: DVec3::new(0.1, 0.0, 0.02),
        about_com: DMat3::from_diagonal(DVec3::new(1e-3, 2e-3, 1.5e-3)),
    };
    for kind in [JointKind::Ball, JointKind::Free, JointKind::Revolute { axis: DVec3::Y }] {
        let tree = Tree::new(vec![link(0, None, kind, Pose::at(joint), inertia)]).unwrap();
        let mut state = tree.zero_state();
        let n = state.v.len();
        for (k, omega) in [10.0, 3.0, 5.0].into_iter().enumerate().take(n) {
            state.v[if n == 6 { 3 + k } else { k }] = omega;
        }
        let about = |s: &TreeState| {
            let k = kinematics(&tree, s);
            let point = if n == 6 { k.com[0] } else { joint };
            (energy::angular_momentum(&tree, &k, point), energy::kinetic_energy(&tree, &k, &s.v))
        };
        let (momentum, start) = about(&state);
        run(&tree, &mut state, DVec3::ZERO, 1e-3, 10_000);
        let (now, end) = about(&state);
        // About the axis of a hinge only what lies along it is kept.
        let drift = if n == 1 { (now - momentum).y.abs() } else { (now - momentum).length() };
        assert!(drift < 1e-9 * momentum.length(), "{kind:?}: {drift}");
        assert!(end < start * (1.0 + 1e-9) && end > 0.99 * start, "{kind:?}: {start} J became {end}");
    }
}

#[test]
fn a_history_survives_a_file_but_not_a_changed_state() {
    let (tree, mut state) = chain(JointKind::Ball);
    let (mut motion, mut history) = (TreeMotion::new(&tree), TreeHistory::none(&tree));
    for _ in 0..2 {
        motion.begin_bdf2(&tree, &state, &Base::default(), GRAVITY, 1e-3, &history);
        solve_free(&mut motion, &tree, &state).unwrap();
        motion.advance_bdf2(&tree, &mut state, &mut history);
    }
    let mut read = TreeHistory::none(&tree);
    assert!(read.set_numbers(&history.numbers(), &state) && read == history);
    assert!(!read.set_numbers(&[1.0], &state));
    assert_eq!(history.step_to(&state), 1e-3);
    state.v[0] += 1e-3;
    assert_eq!(history.step_to(&state), 0.0);
}

#[test]
fn an_arm_that_falls_limp_is_followed_with_long_steps() {
    let tree = common::arm();
    let mut state = tree.zero_state();
    for k in 0..7 {
        state.q[k] = (1.0 + k as f64).sin();
        state.v[k] = 4.0 * (2.0 * k as f64).cos();
    }
    run(&tree, &mut state, GRAVITY, 5e-3, 200);
    assert!(state.v.iter().any(|v| v.abs() > 4.0), "it is fast: {:?}", state.v);
}
