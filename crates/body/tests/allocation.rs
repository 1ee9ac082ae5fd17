//! Nothing is allocated once the scratch has been made: steps, dynamics, trajectories, inverse kinematics.

#![allow(clippy::unwrap_used)]

mod common;

use common::{GRAVITY, all_kinds, arm, link, odd_inertia};
use glam::DVec3;
use ropewalk_body::free_step::free_step;
use ropewalk_body::{
    Dynamics, InverseKinematics, Kinematics, PathInterpolation, Trajectory, Tree, TreeMotion,
};
use ropewalk_linalg::Pose;
use ropewalk_testing::allocations::{CountingAllocator, count};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn nothing_is_allocated_after_the_scratch() {
    let links = all_kinds().into_iter().enumerate();
    let tree = Tree::new(
        links
            .map(|(i, kind)| link(i, i.checked_sub(1), kind, Pose::at(DVec3::X), odd_inertia([0.3; 6])))
            .collect(),
    )
    .unwrap();
    let n = tree.velocity_count();
    let keys = vec![Pose::IDENTITY, Pose::at(DVec3::Y), Pose::at(DVec3::Z)];
    let path = Trajectory::new(vec![0.0, 1.0, 2.0], keys, PathInterpolation::Spline).unwrap();
    let (mut state, mut motion) = (tree.zero_state(), TreeMotion::new(&tree));
    let (mut kinematics, mut dynamics) = (Kinematics::new(&tree), Dynamics::new(&tree));
    let (mut matrix, mut row, tau) = (vec![0.0; n * n], vec![0.0; n], vec![0.1; n]);
    let hand = arm();
    let mut ik = InverseKinematics::new(&hand, 7, Pose::IDENTITY, None).unwrap();
    let (mut q, mut v) = (vec![0.3; 7], vec![0.0; 7]);
    let before = count();
    for step in 1..=50 {
        let base = path.base(1e-2 * f64::from(step), 1e-2);
        free_step(&mut motion, &tree, &mut state, &base, GRAVITY, 1e-2, 1.0).unwrap();
        kinematics.update(&tree, &state.base, &state.q, &state.v);
        dynamics.mass_matrix(&tree, &kinematics, &mut matrix);
        dynamics.acceleration(&tree, &kinematics, &state.q, &state.v, &tau, GRAVITY, &mut row).unwrap();
        let wanted = path.pose(0.1 * f64::from(step));
        ik.velocities(&hand, &Pose::IDENTITY, &q, &wanted, 1e-2, &mut v);
        ik.reach(&hand, &Pose::IDENTITY, &mut q, &wanted, 1e-9);
    }
    assert_eq!(count() - before, 0);
    assert!(state.v.iter().any(|v| v.abs() > 0.1), "it moves");
}
