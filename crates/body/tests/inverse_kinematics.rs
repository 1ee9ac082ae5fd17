//! An end effector that follows poses: reaches what is reachable, respects limits, reports the remaining error.

#![allow(clippy::unwrap_used)]

mod common;

use common::{link, odd_inertia, urdf};
use glam::{DQuat, DVec3};
use ropewalk_body::{InverseKinematics, InverseKinematicsError, JointKind, Link, Mimic, Tree};
use ropewalk_linalg::Pose;
use ropewalk_linalg::pose::exp_rotation;

const HAND: Pose = Pose::at(DVec3::new(0.0, 0.0, 0.1));

fn arm() -> Tree {
    let text = include_str!("../../../tests/reference/articulated.json");
    let reference: serde_json::Value = serde_json::from_str(text).unwrap();
    urdf(reference["models"]["arm7"]["urdf"].as_str().unwrap())
}

fn bent(tree: &Tree) -> Vec<f64> {
    (0..tree.position_count()).map(|k| [0.3, 0.6, -0.2, 1.2, 0.1, 0.9, 0.4][k]).collect()
}

#[test]
fn the_arm_reaches_poses_that_it_can_take() {
    let tree = arm();
    let base = Pose::new(DVec3::new(1.0, 2.0, 0.5), DQuat::from_rotation_z(1.0));
    let mut ik = InverseKinematics::new(&tree, 7, HAND, None).unwrap();
    for sample in 0..20 {
        let s = f64::from(sample);
        let posture: Vec<f64> = (0..7).map(|k| 2.0 * (1.0 + 1.7 * s + 2.3 * f64::from(k)).sin()).collect();
        let wanted = ik.pose(&tree, &base, &posture);
        let mut q = bent(&tree);
        let reached = ik.reach(&tree, &base, &mut q, &wanted, 1e-9);
        assert!(reached.position_error < 1e-9 && reached.rotation_error < 1e-8, "{sample}: {reached:?}");
        let found = ik.pose(&tree, &base, &q);
        assert!((found.position - wanted.position).length() < 1e-9);
        assert!(q.iter().all(|q| q.abs() <= 3.0), "limits are kept: {q:?}");
    }
    // Stretched out it stands on a singularity; the target straight below needs another start.
    let mut q = vec![0.0; 7];
    let mut wanted = ik.pose(&tree, &base, &q);
    wanted.position.z -= 0.3;
    let reached = ik.reach(&tree, &base, &mut q, &wanted, 1e-9);
    assert!(reached.position_error < 1e-9, "{reached:?}");
}

#[test]
fn what_is_out_of_reach_is_approached_and_the_rest_reported() {
    let tree = arm();
    let mut ik = InverseKinematics::new(&tree, 7, HAND, None).unwrap();
    let mut q = bent(&tree);
    let wanted = Pose::at(DVec3::new(5.0, 0.0, 0.5));
    let reached = ik.reach(&tree, &Pose::IDENTITY, &mut q, &wanted, 1e-9);
    let found = ik.pose(&tree, &Pose::IDENTITY, &q);
    assert!((reached.position_error - (found.position - wanted.position).length()).abs() < 1e-12);
    // The arm is about 1.3 m long from its shoulder.
    assert!(reached.position_error > 3.5 && reached.position_error < 4.2, "{reached:?}");
    assert!(q.iter().all(|q| q.abs() <= 3.0));
    assert!(reached.iterations < 8 * 200);
}

#[test]
fn the_hand_follows_a_moving_pose() {
    let tree = arm();
    let base = Pose::IDENTITY;
    let mut ik = InverseKinematics::new(&tree, 7, HAND, None).unwrap();
    let mut q = bent(&tree);
    let start = ik.pose(&tree, &base, &q);
    let (dt, mut v, mut next) = (1e-2, vec![0.0; 7], q.clone());
    for step in 1..=400 {
        let t = dt * f64::from(step);
        // A figure of eight of 0.2 m that also tilts.
        let wanted = Pose::new(
            start.position + 0.1 * DVec3::new((1.5 * t).sin(), (3.0 * t).sin(), 0.0),
            exp_rotation(0.3 * (1.5 * t).sin() * DVec3::X) * start.rotation,
        );
        let reached = ik.velocities(&tree, &base, &q, &wanted, dt, &mut v);
        tree.add_displacement(&q, &v, dt, &mut next);
        q.copy_from_slice(&next);
        let found = ik.pose(&tree, &base, &q);
        assert!((reached.position_error - (found.position - wanted.position).length()).abs() < 1e-12);
        assert!(reached.position_error < 1e-4 && reached.rotation_error < 1e-3, "{t}: {reached:?}");
        assert!(!reached.slowed && reached.at_limit == 0);
    }
}

/// Three joints in a plane, the tip 1 m beyond the last.
fn planar(change: impl FnOnce(&mut Vec<Link>)) -> Tree {
    let axis = DVec3::Z;
    let inertia = odd_inertia([0.2; 6]);
    let mut links = vec![
        link(0, None, JointKind::Revolute { axis }, Pose::IDENTITY, inertia),
        link(1, Some(0), JointKind::Revolute { axis }, Pose::at(DVec3::X), inertia),
        link(2, Some(1), JointKind::Revolute { axis }, Pose::at(DVec3::X), inertia),
    ];
    change(&mut links);
    Tree::new(links).unwrap()
}

const TIP: Pose = Pose::at(DVec3::X);

#[test]
fn joints_at_a_limit_leave_the_work_to_the_others() {
    let tree = planar(|l| l[0].joint.limits = [-0.2, 0.2]);
    let mut ik = InverseKinematics::new(&tree, 2, TIP, None).unwrap();
    // Only where the tip is matters here: the angle hardly counts.
    ik.rotation_length = 1e-6;
    let mut q = vec![0.1, 0.4, 0.4];
    let wanted = Pose::new(DVec3::new(0.5, 2.0, 0.0), DQuat::from_rotation_z(1.5));
    let (mut v, mut next, dt) = (vec![0.0; 3], q.clone(), 0.05);
    let mut held = 0;
    let mut last = f64::INFINITY;
    for _ in 0..60 {
        let reached = ik.velocities(&tree, &Pose::IDENTITY, &q, &wanted, dt, &mut v);
        tree.add_displacement(&q, &v, dt, &mut next);
        q.copy_from_slice(&next);
        assert!(q[0] <= 0.2 + 1e-15, "the limit is kept: {q:?}");
        held += reached.at_limit;
        last = reached.position_error;
    }
    assert!(held > 0 && last < 1e-6, "the limit takes part ({held}) and the tip arrives ({last})");
}

#[test]
fn what_a_limited_joint_still_does_is_not_done_twice() {
    // The first joint may go half of the small way that it would; the others make up for the rest, no more.
    let (base, q, dt) = (Pose::IDENTITY, [0.1, 0.7, -0.9], 0.1);
    let free = planar(|_| {});
    let mut ik = InverseKinematics::new(&free, 2, TIP, None).unwrap();
    (ik.damping, ik.rotation_length) = (1e-5, 1e-9);
    let mut wanted = ik.pose(&free, &base, &q);
    wanted.position += DVec3::new(-2e-4, 3e-4, 0.0);
    let mut v = [0.0; 3];
    ik.velocities(&free, &base, &q, &wanted, dt, &mut v);
    let way = dt * v[0];
    assert!(way.abs() > 2e-5, "{way}");
    let limit = q[0] + 0.5 * way;
    let tree = planar(|l| l[0].joint.limits = if way > 0.0 { [-3.0, limit] } else { [limit, 3.0] });
    let mut ik = InverseKinematics::new(&tree, 2, TIP, None).unwrap();
    (ik.damping, ik.rotation_length) = (1e-5, 1e-9);
    let reached = ik.velocities(&tree, &base, &q, &wanted, dt, &mut v);
    assert_eq!(reached.at_limit, 1);
    assert!((q[0] + dt * v[0] - limit).abs() < 1e-15);
    // The remaining error is of second order in the displacement.
    assert!(reached.position_error < 1e-6, "{reached:?}");
}

#[test]
fn velocity_limits_slow_all_joints_alike() {
    let free = planar(|_| {});
    let slow = planar(|l| l[1].joint.velocity_limit = 0.1);
    let wanted = Pose::at(DVec3::new(1.0, 2.0, 0.0));
    let q = [0.1, 0.4, 0.4];
    let (mut fast, mut v) = ([0.0; 3], [0.0; 3]);
    let base = Pose::IDENTITY;
    let mut ik = InverseKinematics::new(&free, 2, TIP, None).unwrap();
    assert!(!ik.velocities(&free, &base, &q, &wanted, 0.1, &mut fast).slowed);
    let mut ik = InverseKinematics::new(&slow, 2, TIP, None).unwrap();
    assert!(ik.velocities(&slow, &base, &q, &wanted, 0.1, &mut v).slowed);
    assert!((v[1].abs() - 0.1).abs() < 1e-15);
    for k in 0..3 {
        assert!((v[k] - fast[k] * (v[1] / fast[1])).abs() < 1e-14);
    }
    // A joint that may not move at all stays, and the others go on.
    let stuck = planar(|l| l[1].joint.velocity_limit = 0.0);
    let mut ik = InverseKinematics::new(&stuck, 2, TIP, None).unwrap();
    ik.velocities(&stuck, &base, &q, &wanted, 0.1, &mut v);
    assert!(v[1] == 0.0 && v[0] != 0.0);
}

#[test]
fn only_chosen_joints_move_and_followers_follow() {
    let tree = planar(|l| l[2].joint.mimic = Some(Mimic { leader: 1, multiplier: -0.5, offset: 0.3 }));
    let mut ik = InverseKinematics::new(&tree, 2, TIP, Some(&[1])).unwrap();
    ik.rotation_length = 1e-6;
    // Where the leader at 0.9 puts the tip.
    let posture = [0.2, 0.9, 0.3 - 0.45];
    let wanted = ik.pose(&tree, &Pose::IDENTITY, &posture);
    let mut v = [0.0; 3];
    ik.velocities(&tree, &Pose::IDENTITY, &[0.2, 0.5, 0.05], &wanted, 0.1, &mut v);
    assert!(v[0] == 0.0 && v[1] > 0.0 && v[2] == -0.5 * v[1]);
    let mut q = [0.2, 0.5, 0.7];
    let reached = ik.reach(&tree, &Pose::IDENTITY, &mut q, &wanted, 1e-10);
    assert!(reached.position_error < 1e-10);
    for (q, wanted) in q.iter().zip(posture) {
        assert!((q - wanted).abs() < 1e-9);
    }
    // The follower's limit binds its leader.
    let tree = planar(|l| {
        l[2].joint.mimic = Some(Mimic { leader: 1, multiplier: -0.5, offset: 0.3 });
        l[2].joint.limits = [0.0, 1.0];
    });
    let mut ik = InverseKinematics::new(&tree, 2, TIP, Some(&[1])).unwrap();
    let reached = ik.reach(&tree, &Pose::IDENTITY, &mut q, &wanted, 1e-10);
    assert!((q[1] - 0.6).abs() < 1e-12 && q[2].abs() < 1e-12 && reached.position_error > 0.1, "{q:?}");
}

#[test]
fn what_cannot_be_solved_for_is_refused() {
    let tree = planar(|l| {
        l[2].joint.mimic = Some(Mimic { leader: 1, multiplier: 1.0, offset: 0.0 });
        l.push(link(3, Some(0), JointKind::Fixed, Pose::IDENTITY, odd_inertia([0.1; 6])));
    });
    let new = |link, joints: &[usize]| InverseKinematics::new(&tree, link, TIP, Some(joints)).unwrap_err();
    assert_eq!(new(9, &[0]), InverseKinematicsError::Link { index: 9, count: 4 });
    assert_eq!(new(2, &[7]), InverseKinematicsError::Link { index: 7, count: 4 });
    assert!(new(2, &[2]).to_string().contains("\"joint2\": it follows"));
    assert!(new(2, &[3]).to_string().contains("\"joint3\": it is fixed"));
    assert_eq!(new(3, &[1]), InverseKinematicsError::Immobile { link: "link3".into() });
}
