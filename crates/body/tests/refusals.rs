//! Invalid trees are rejected, with the name of the link or joint.

#![allow(clippy::unwrap_used)]

mod common;

use common::{link, odd_inertia};
use glam::{DMat3, DQuat, DVec3};
use ropewalk_body::{Inertia, JointKind, Link, Mimic, Tree, TreeError};
use ropewalk_linalg::Pose;

fn good() -> Vec<Link> {
    let inertia = odd_inertia([0.1; 6]);
    let axis = DVec3::Z;
    vec![
        link(0, None, JointKind::Fixed, Pose::IDENTITY, Inertia::ZERO),
        link(1, Some(0), JointKind::Revolute { axis }, Pose::at(DVec3::X), inertia),
        link(2, Some(1), JointKind::Prismatic { axis }, Pose::at(DVec3::X), inertia),
        link(3, Some(0), JointKind::Ball, Pose::IDENTITY, inertia),
    ]
}

/// The message for the good tree with one thing changed.
fn refused(change: impl FnOnce(&mut Vec<Link>)) -> String {
    let mut links = good();
    change(&mut links);
    Tree::new(links).unwrap_err().to_string()
}

#[test]
fn the_tree_without_changes_is_accepted() {
    let tree = Tree::new(good()).unwrap();
    assert_eq!((tree.position_count(), tree.velocity_count()), (6, 5));
    assert_eq!(tree.chain(2).collect::<Vec<_>>(), [1, 0]);
    assert_eq!(tree.chain(3).collect::<Vec<_>>(), [4, 3, 2]);
    assert_eq!(tree.chain(0).count(), 0);
}

#[test]
fn axes_and_rotations_are_made_unit() {
    let mut links = good();
    links[1].joint.kind = JointKind::Revolute { axis: DVec3::new(0.0, 3e-200, 4e-200) };
    links[1].joint.pose.rotation = DQuat::from_xyzw(0.0, 0.0, 3.0, 4.0);
    let tree = Tree::new(links).unwrap();
    let JointKind::Revolute { axis } = tree.links()[1].joint.kind else { panic!("the kind has changed") };
    assert!((axis - DVec3::new(0.0, 0.6, 0.8)).length() < 1e-15);
    let rotation = tree.links()[1].joint.pose.rotation;
    assert!((rotation - DQuat::from_xyzw(0.0, 0.0, 0.6, 0.8)).length() < 1e-15);
}

#[test]
fn each_defect_is_named_with_its_place() {
    assert_eq!(Tree::new(Vec::new()), Err(TreeError::Empty));
    type Change = fn(&mut Vec<Link>);
    let cases: &[(&str, &str, Change)] = &[
        ("link2", "without a parent", |l| l[2].parent = None),
        ("link0", "root", |l| l[0].parent = Some(0)),
        ("link1", "before its children", |l| l[1].parent = Some(2)),
        ("link1", "same name", |l| l[2].name = "link1".into()),
        ("joint1", "same name", |l| l[2].joint.name = "joint1".into()),
        ("link1", "negative", |l| l[1].inertia.mass = -1.0),
        ("link1", "finite", |l| l[1].inertia.com.x = f64::NAN),
        ("link1", "triangle", |l| l[1].inertia.about_com = DMat3::from_diagonal(DVec3::new(1.0, 1.0, 3.0))),
        ("link1", "symmetric", |l| l[1].inertia.about_com.x_axis.y += 1e-3),
        ("joint1", "finite", |l| l[1].joint.pose.position.y = f64::INFINITY),
        ("joint1", "quaternion", |l| l[1].joint.pose.rotation = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0)),
        ("joint1", "axis is zero", |l| l[1].joint.kind = JointKind::Revolute { axis: DVec3::ZERO }),
        ("joint1", "axis must be finite", |l| l[1].joint.kind = JointKind::Prismatic { axis: DVec3::NAN }),
        ("joint1", "parallel", |l| {
            l[1].joint.kind = JointKind::Universal { axes: [DVec3::X, DVec3::NEG_X * 2.0] }
        }),
        ("joint1", "limits are 1 to -1", |l| l[1].joint.limits = [1.0, -1.0]),
        ("joint1", "limits", |l| l[1].joint.limits = [f64::NAN, 1.0]),
        ("joint3", "cannot have limits", |l| l[3].joint.limits = [0.0, 1.0]),
        ("joint1", "make it revolute", |l| {
            l[1].joint.kind = JointKind::Continuous { axis: DVec3::Z };
            l[1].joint.limits[0] = -1.0;
        }),
        ("joint1", "damping is -1", |l| l[1].joint.damping = -1.0),
        ("joint1", "armature is NaN", |l| l[1].joint.armature = f64::NAN),
        ("joint1", "dry friction", |l| l[1].joint.dry_friction = f64::INFINITY),
        ("joint1", "spring stiffness", |l| l[1].joint.spring_stiffness = -3.0),
        ("joint3", "cannot have a spring", |l| l[3].joint.spring_stiffness = 3.0),
        ("joint1", "spring is at rest", |l| l[1].joint.spring_rest = f64::NAN),
        ("joint1", "effort limit", |l| l[1].joint.effort_limit = -1.0),
        ("joint1", "velocity limit", |l| l[1].joint.velocity_limit = f64::NAN),
        ("joint3", "cannot follow", |l| l[3].joint.mimic = Some(follow(1))),
        ("joint1", "only joints with one degree", |l| l[1].joint.mimic = Some(follow(3))),
        ("joint1", "not in the tree", |l| l[1].joint.mimic = Some(follow(9))),
        ("joint1", "circle", |l| l[1].joint.mimic = Some(follow(1))),
        ("joint1", "circle", |l| {
            l[1].joint.mimic = Some(follow(2));
            l[2].joint.mimic = Some(follow(1));
        }),
        ("joint1", "multiplier", |l| l[1].joint.mimic = Some(Mimic { multiplier: f64::NAN, ..follow(2) })),
    ];
    for (place, reason, change) in cases {
        let message = refused(change);
        assert!(message.contains(&format!("\"{place}\"")) && message.contains(reason), "{reason}: {message}");
    }
}

fn follow(leader: usize) -> Mimic {
    Mimic { leader, multiplier: 2.0, offset: 0.1 }
}

#[test]
fn joints_that_move_nothing_are_refused_unless_they_have_an_armature() {
    let point = |com: DVec3| Inertia { mass: 1.0, com, about_com: DMat3::ZERO };
    let massless: &[(JointKind, Inertia)] = &[
        (JointKind::Revolute { axis: DVec3::Z }, Inertia::ZERO),
        (JointKind::Free, Inertia::ZERO),
        // A point mass on the axis, off the world's axes so that round-off has a say.
        (JointKind::Revolute { axis: DVec3::new(0.3, 0.5, 0.7) }, point(0.37 * DVec3::new(0.3, 0.5, 0.7))),
        // A ball with a point mass has no inertia about the line to it, though about each axis there is some.
        (JointKind::Ball, point(DVec3::new(0.1, 0.2, 0.3))),
        (JointKind::Free, point(DVec3::ZERO)),
    ];
    for (kind, inertia) in massless {
        let message =
            refused(|l| l[1] = link(1, Some(0), *kind, Pose::at(DVec3::ONE), *inertia).without_children(l));
        assert!(message.contains("\"joint1\"") && message.contains("armature"), "{message}");
        let mut links = good();
        links[1] = link(1, Some(0), *kind, Pose::at(DVec3::ONE), *inertia);
        links.truncate(2);
        links[1].joint.armature = 1e-3;
        Tree::new(links).unwrap();
    }
    // Two turns about one line, with mass beyond the second only: the first feels none.
    let message = refused(|l| {
        l[1].inertia = Inertia::ZERO;
        l[2].joint.kind = l[1].joint.kind;
        l[2].joint.pose = Pose::at(DVec3::Z);
    });
    assert!(message.contains("\"joint1\""), "{message}");
    // A massless link between two axes that cross is harmless.
    let mut links = good();
    links[1].inertia = Inertia::ZERO;
    links[2].joint.kind = JointKind::Revolute { axis: DVec3::X };
    Tree::new(links).unwrap();
    // Nor is a thin wire turned about its length.
    let mut links = good();
    links.truncate(2);
    links[1].inertia.about_com = DMat3::from_diagonal(DVec3::new(1.0, 1.0, 1e-8));
    links[1].inertia.com = DVec3::ZERO;
    Tree::new(links).unwrap();
}

trait Alone {
    fn without_children(self, links: &mut Vec<Link>) -> Self;
}

impl Alone for Link {
    /// Drops the links after the second, which would hang on this one.
    fn without_children(self, links: &mut Vec<Link>) -> Self {
        links.truncate(2);
        self
    }
}
