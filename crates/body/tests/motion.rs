//! The momentum balance of a step: springs and damping, moving bases, reactions, tangent and potential.

#![allow(clippy::unwrap_used)]

mod common;

use common::{GRAVITY, all_kinds, link, odd_inertia, orders, run};
use glam::{DMat3, DQuat, DVec3};
use ropewalk_body::free_step::free_step;
use ropewalk_body::{
    Base, Inertia, JointKind, Link, PathInterpolation, Trajectory, Tree, TreeMotion, TreeState,
};
use ropewalk_linalg::Pose;
use ropewalk_linalg::pose::exp_rotation;

fn point(mass: f64) -> Inertia {
    Inertia { mass, com: DVec3::ZERO, about_com: DMat3::IDENTITY * 1e-3 }
}

/// A mass on a spring along x.
fn oscillator(stiffness: f64, damping: f64) -> Tree {
    let mut slider = link(0, None, JointKind::Prismatic { axis: DVec3::X }, Pose::IDENTITY, point(1.5));
    slider.joint.spring_stiffness = stiffness;
    slider.joint.spring_rest = 0.2;
    slider.joint.damping = damping;
    slider.joint.armature = 0.5;
    Tree::new(vec![slider]).unwrap()
}

#[test]
fn a_damped_oscillator_converges_at_the_order_of_the_scheme() {
    let tree = oscillator(50.0, 2.0);
    // Mass and armature make 2 kg: x = 0.2 + e^{−t/2} (a cos ωt + b sin ωt).
    let (decay, omega) = (0.5, (25.0f64 - 0.25).sqrt());
    let wanted = 0.2 - 0.2 * (-decay * 1.0f64).exp() * (omega.cos() + decay / omega * omega.sin());
    for (theta_vq, order) in [(1.0, 1.0), (0.5, 2.0)] {
        let errors: Vec<f64> = (0..4)
            .map(|halving| {
                let steps = 400 << halving;
                let mut state = tree.zero_state();
                run(&tree, &mut state, GRAVITY, 1.0 / steps as f64, theta_vq, steps);
                (state.q[0] - wanted).abs()
            })
            .collect();
        for found in orders(&errors) {
            assert!((found - order).abs() < 0.1, "θ_vq = {theta_vq}: {errors:?} {:?}", orders(&errors));
        }
    }
}

#[test]
fn a_spring_far_stiffer_than_the_step_resolves_comes_to_rest() {
    let tree = oscillator(1e10, 0.0);
    let mut state = tree.zero_state();
    run(&tree, &mut state, DVec3::ZERO, 1e-2, 1.0, 20);
    assert!((state.q[0] - 0.2).abs() < 1e-12, "{}", state.q[0]);
}

/// Two links that swing, on a welded root with mass of its own.
fn swinging(root: JointKind) -> Tree {
    let pose =
        |x: f64| Pose::new(DVec3::new(0.1 * x, 0.2, -0.3), exp_rotation(DVec3::new(0.2, 0.3 * x, 0.1)));
    Tree::new(vec![
        link(0, None, root, Pose::IDENTITY, odd_inertia([0.2, 0.1, 0.3, 0.6, 0.5, 0.4])),
        link(1, Some(0), all_kinds()[0], pose(1.0), odd_inertia([0.3, 0.5, 0.1, 0.2, 0.8, 0.1])),
        link(2, Some(1), all_kinds()[4], pose(2.0), odd_inertia([0.7, 0.2, 0.4, 0.1, 0.3, 0.9])),
    ])
    .unwrap()
}

fn swinging_state(tree: &Tree) -> TreeState {
    let mut state = tree.zero_state();
    let n = (state.q.len(), state.v.len());
    for k in 0..3 {
        state.q[n.0 - 3 + k] = 0.4 + 0.2 * k as f64;
        state.v[n.1 - 3 + k] = 1.0 - 0.7 * k as f64;
    }
    state
}

#[test]
fn an_accelerating_base_is_the_same_as_another_gravity() {
    let tree = swinging(JointKind::Fixed);
    let acceleration = DVec3::new(1.0, -2.0, 3.0);
    let (dt, mut motion) = (5e-3, TreeMotion::new(&tree));
    for theta_vq in [1.0, 0.5] {
        let place = |t: f64| Pose::at(0.5 * t * t * acceleration);
        let mut carried = swinging_state(&tree);
        carried.base = Base::moved(&place(-dt), &place(0.0), dt);
        for step in 1..=100 {
            let t = dt * f64::from(step);
            let base = Base::moved(&place(t - dt), &place(t), dt);
            free_step(&mut motion, &tree, &mut carried, &base, GRAVITY, dt, theta_vq).unwrap();
        }
        assert_eq!(carried.base.pose, place(0.5));
        let mut resting = swinging_state(&tree);
        run(&tree, &mut resting, GRAVITY - acceleration, dt, theta_vq, 100);
        for (a, b) in carried.q.iter().zip(&resting.q).chain(carried.v.iter().zip(&resting.v)) {
            assert!((a - b).abs() < 1e-9, "{a} and {b}");
        }
    }
}

#[test]
fn a_bead_on_a_turning_wire_flies_outwards() {
    let tree =
        Tree::new(vec![link(0, None, JointKind::Prismatic { axis: DVec3::X }, Pose::IDENTITY, point(0.3))])
            .unwrap();
    let omega = 2.0;
    for (theta_vq, order) in [(1.0, 1.0), (0.5, 2.0)] {
        let errors: Vec<f64> = (0..4)
            .map(|halving| {
                let steps = 100 << halving;
                let dt = 1.0 / f64::from(steps);
                let place = |t: f64| Pose::new(DVec3::Y, DQuat::from_rotation_z(omega * t));
                let (mut state, mut motion) = (tree.zero_state(), TreeMotion::new(&tree));
                state.q[0] = 0.1;
                state.base = Base::moved(&place(-dt), &place(0.0), dt);
                for step in 1..=steps {
                    let t = dt * f64::from(step);
                    let base = Base::moved(&place(t - dt), &place(t), dt);
                    free_step(&mut motion, &tree, &mut state, &base, DVec3::ZERO, dt, theta_vq).unwrap();
                }
                // r̈ = ω² r.
                (state.q[0] - 0.1 * omega.cosh()).abs()
            })
            .collect();
        for found in orders(&errors) {
            assert!((found - order).abs() < 0.1, "θ_vq = {theta_vq}: {errors:?} {:?}", orders(&errors));
        }
    }
}

#[test]
fn the_base_supplies_what_the_rows_of_a_free_root_would_lack() {
    // With one axis beyond the root: rows of several axes balance about a point that is not the same for both roots.
    let one_axis = |root: JointKind| {
        let tree = swinging(root);
        Tree::new(tree.links()[..2].to_vec()).unwrap()
    };
    let (welded, free) = (one_axis(JointKind::Fixed), one_axis(JointKind::Free));
    let (mut a, mut b) = (TreeMotion::new(&welded), TreeMotion::new(&free));
    let (mut state, mut free_state) = (welded.zero_state(), free.zero_state());
    (state.q[0], state.v[0]) = (0.4, 1.0);
    (free_state.q[7], free_state.v[6]) = (0.4, 1.0);
    let (dt, base) = (1e-2, Base::default());
    a.begin(&welded, &state, &base, GRAVITY, dt, 1.0);
    b.begin(&free, &free_state, &base, GRAVITY, dt, 1.0);
    (a.v[0], b.v[6]) = (0.3, 0.3);
    a.linearize(&welded, &state);
    b.linearize(&free, &free_state);
    let reaction = a.base_reaction();
    let supplied = b.base_reaction();
    assert!((supplied.force - DVec3::from_slice(&b.residual[..3])).length() < 1e-14);
    assert!((supplied.moment - DVec3::from_slice(&b.residual[3..6])).length() < 1e-14);
    assert!((reaction.force - supplied.force).length() < 1e-14);
    assert!((a.residual[0] - b.residual[6]).abs() < 1e-14);
    // Moments differ by what the rows of several axes add.
    let more = (reaction.moment - supplied.moment).length();
    assert!(more < 1e-2 * reaction.moment.length(), "{more} of {}", reaction.moment);
}

#[test]
fn a_kinematic_body_needs_no_unknowns_and_reports_its_reaction() {
    let body = Inertia { mass: 2.0, com: DVec3::new(0.0, 0.0, 0.5), about_com: DMat3::IDENTITY };
    let tree = Tree::new(vec![link(0, None, JointKind::Fixed, Pose::IDENTITY, body)]).unwrap();
    let keys = vec![Pose::IDENTITY, Pose::at(DVec3::X), Pose::at(DVec3::ONE)];
    let path = Trajectory::new(vec![0.0, 1.0, 2.0], keys, PathInterpolation::Spline).unwrap();
    let (mut state, mut motion, dt) = (tree.zero_state(), TreeMotion::new(&tree), 1e-3);
    state.base = path.base(0.0, dt);
    let mut impulse = DVec3::ZERO;
    for step in 1..=1000 {
        let base = path.base(dt * f64::from(step), dt);
        let found = free_step(&mut motion, &tree, &mut state, &base, GRAVITY, dt, 1.0).unwrap();
        assert_eq!((found.iterations, found.residual), (0, 0.0));
        impulse += motion.base_reaction().force;
    }
    assert_eq!(state.base.pose, path.pose(1.0));
    let wanted = 2.0 * state.base.linear - 2.0 * GRAVITY;
    assert!((impulse - wanted).length() < 1e-11, "{impulse} instead of {wanted}");
    // At rest the base carries the weight, and its moment.
    let tilted = Pose::new(DVec3::ONE, DQuat::from_rotation_y(1.0));
    let mut state = TreeState { base: Base::at(tilted), ..tree.zero_state() };
    free_step(&mut motion, &tree, &mut state, &Base::at(tilted), GRAVITY, dt, 1.0).unwrap();
    let reaction = motion.base_reaction();
    assert!((reaction.force + 2.0 * dt * GRAVITY).length() < 1e-16);
    let arm = tilted.vector(DVec3::new(0.0, 0.0, 0.5));
    assert!((reaction.moment + arm.cross(2.0 * dt * GRAVITY)).length() < 1e-16);
}

/// Every kind of joint in one tree, with springs and damping where they can be.
fn busy() -> Tree {
    let links: Vec<Link> = (0..7)
        .map(|i| {
            let x = i as f64;
            let pose =
                Pose::new(DVec3::new(0.1, 0.2, 0.05 * x), exp_rotation(DVec3::new(0.1 * x, 0.5, -0.2)));
            let mut link = link(i, i.checked_sub(1), all_kinds()[6 - i], pose, odd_inertia([0.1 * x; 6]));
            link.joint.damping = 0.1;
            link.joint.armature = 0.01;
            if link.joint.kind.velocity_count() == 1 {
                link.joint.spring_stiffness = 3.0;
                link.joint.spring_rest = 0.1;
            }
            link
        })
        .collect();
    Tree::new(links).unwrap()
}

fn busy_motion(dt: f64) -> (Tree, TreeState, TreeMotion) {
    let tree = busy();
    let mut state = tree.zero_state();
    let (q, v): (Vec<f64>, Vec<f64>) =
        (state.q.clone(), (0..state.v.len()).map(|k| (1.0 + k as f64).sin()).collect());
    tree.add_displacement(&q, &v, 1.0, &mut state.q);
    state.v.copy_from_slice(&v);
    let mut motion = TreeMotion::new(&tree);
    motion.begin(&tree, &state, &Base::default(), GRAVITY, dt, 1.0);
    for (k, force) in motion.force.iter_mut().enumerate() {
        *force = (2.0 * k as f64).cos();
    }
    (tree, state, motion)
}

#[test]
fn the_tangent_is_the_derivative_of_the_balance_up_to_the_motion_within_the_step() {
    let gap = |dt: f64| {
        let (tree, state, mut motion) = busy_motion(dt);
        let n = motion.v.len();
        let (v, h) = (motion.v.clone(), 1e-5);
        let mut worst = 0.0f64;
        for k in 0..n {
            let mut at = |step: f64| {
                motion.v.copy_from_slice(&v);
                motion.v[k] += step;
                motion.linearize(&tree, &state);
                motion.residual.clone()
            };
            let (plus, minus) = (at(h), at(-h));
            for i in 0..n {
                let slope = (plus[i] - minus[i]) / (2.0 * h);
                worst = worst.max((slope - motion.tangent[i * n + k]).abs());
            }
        }
        worst
    };
    let gaps: Vec<f64> = [4e-3, 2e-3, 1e-3].into_iter().map(gap).collect();
    for order in orders(&gaps) {
        assert!((order - 1.0).abs() < 0.1, "{gaps:?}");
    }
}

#[test]
fn the_potential_has_the_slope_of_the_balance_and_no_jumps() {
    let (tree, state, mut motion) = busy_motion(1e-2);
    let first = motion.linearize(&tree, &state);
    assert_eq!(first.potential, 0.0);
    motion.factor().unwrap();
    let slope = motion.solve_direction();
    assert!(slope < 0.0);
    for fraction in [1e-4, 1e-5] {
        let found = motion.try_fraction(&tree, &state, fraction).potential / fraction;
        assert!((found - slope).abs() < fraction * slope.abs(), "{found} and {slope}");
    }
    let trial = motion.try_fraction(&tree, &state, 1.0);
    assert!(trial.potential < 0.25 * slope && trial.residual < 0.1 * first.residual && trial.admissible);
    motion.accept();
    let again = motion.linearize(&tree, &state);
    assert_eq!((again.potential, again.residual), (trial.potential, trial.residual));
    motion.v[0] = f64::NAN;
    assert!(!motion.linearize(&tree, &state).admissible && !motion.is_finite());
}

#[test]
fn an_arm_that_falls_limp_is_followed_with_long_steps() {
    // With the tangent at the start of the step no fraction of the direction lessens the residual here.
    let tree = common::arm();
    let mut state = tree.zero_state();
    for k in 0..7 {
        state.q[k] = (1.0 + k as f64).sin();
        state.v[k] = 4.0 * (2.0 * k as f64).cos();
    }
    run(&tree, &mut state, GRAVITY, 1e-2, 1.0, 100);
    assert!(state.v.iter().any(|v| v.abs() > 4.0), "it is fast: {:?}", state.v);
}

#[test]
fn a_step_that_cannot_be_solved_leaves_the_state() {
    let (tree, mut state, mut motion) = busy_motion(1e-2);
    let before = state.clone();
    motion.force[0] = f64::NAN;
    let error = free_step(&mut motion, &tree, &mut state, &Base::default(), GRAVITY, 1e-2, 1.0).unwrap_err();
    assert!(error.to_string().contains("smaller step"));
    assert_eq!(state, before);
}
