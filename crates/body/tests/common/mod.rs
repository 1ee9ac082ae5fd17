//! Trees that several tests share, and a reader for the URDF texts in the reference file.

#![allow(dead_code, clippy::unwrap_used, clippy::panic)]

use glam::{DMat3, DQuat, DVec3};
use ropewalk_body::{Base, Inertia, Joint, JointKind, Kinematics, Link, Tree, TreeState};
use ropewalk_linalg::Pose;
use ropewalk_linalg::pose::exp_rotation;

pub(crate) const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);

/// One tag of an XML text without text between tags: name, attributes, whether it opens, whether it closes.
struct Tag<'a> {
    name: &'a str,
    attributes: Vec<(&'a str, &'a str)>,
}

/// The tags in order; a closing tag is named "/name".
fn tags(text: &str) -> Vec<Tag<'_>> {
    text.split('<')
        .skip(1)
        .map(|piece| {
            let piece = piece.split('>').next().unwrap().trim_end_matches('/');
            let (name, rest) = piece.split_once(' ').unwrap_or((piece, ""));
            let mut parts = rest.split('"');
            let mut attributes = Vec::new();
            while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
                attributes.push((key.trim().trim_end_matches('='), value));
            }
            Tag { name, attributes }
        })
        .collect()
}

impl<'a> Tag<'a> {
    fn text(&self, key: &str) -> &'a str {
        self.attributes.iter().find(|a| a.0 == key).unwrap().1
    }
    fn number(&self, key: &str) -> f64 {
        self.text(key).parse().unwrap()
    }
    fn vector(&self, key: &str) -> DVec3 {
        let x: Vec<f64> = self.text(key).split_whitespace().map(|x| x.parse().unwrap()).collect();
        DVec3::new(x[0], x[1], x[2])
    }
    fn pose(&self) -> Pose {
        let rpy = self.vector("rpy");
        let rotation =
            DQuat::from_rotation_z(rpy.z) * DQuat::from_rotation_y(rpy.y) * DQuat::from_rotation_x(rpy.x);
        Pose::new(self.vector("xyz"), rotation)
    }
}

/// The tree of a URDF text whose joints come in the order of the chain.
pub(crate) fn urdf(text: &str) -> Tree {
    let mut inertias: Vec<(String, Inertia)> = Vec::new();
    let mut joints: Vec<(String, String, Joint)> = Vec::new();
    let mut in_link = false;
    for tag in tags(text) {
        match tag.name {
            "link" => {
                in_link = true;
                inertias.push((tag.text("name").into(), Inertia::ZERO));
            }
            "joint" => {
                in_link = false;
                let axis = DVec3::X;
                let kind = match tag.text("type") {
                    "continuous" => JointKind::Continuous { axis },
                    "revolute" => JointKind::Revolute { axis },
                    other => panic!("{other}"),
                };
                joints.push((
                    String::new(),
                    String::new(),
                    Joint::new(tag.text("name"), kind, Pose::IDENTITY),
                ));
            }
            "origin" if in_link => {
                assert_eq!(tag.vector("rpy"), DVec3::ZERO);
                inertias.last_mut().unwrap().1.com = tag.vector("xyz");
            }
            "mass" => inertias.last_mut().unwrap().1.mass = tag.number("value"),
            "inertia" => {
                let [xx, yy, zz] = ["ixx", "iyy", "izz"].map(|k| tag.number(k));
                let [xy, xz, yz] = ["ixy", "ixz", "iyz"].map(|k| tag.number(k));
                inertias.last_mut().unwrap().1.about_com =
                    DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz]);
            }
            "origin" => joints.last_mut().unwrap().2.pose = tag.pose(),
            "parent" => joints.last_mut().unwrap().0 = tag.text("link").into(),
            "child" => joints.last_mut().unwrap().1 = tag.text("link").into(),
            "axis" => match &mut joints.last_mut().unwrap().2.kind {
                JointKind::Continuous { axis } | JointKind::Revolute { axis } => *axis = tag.vector("xyz"),
                other => panic!("{other:?}"),
            },
            "limit" => {
                let joint = &mut joints.last_mut().unwrap().2;
                joint.limits = [tag.number("lower"), tag.number("upper")];
                joint.effort_limit = tag.number("effort");
                joint.velocity_limit = tag.number("velocity");
            }
            "dynamics" => joints.last_mut().unwrap().2.damping = tag.number("damping"),
            "robot" | "inertial" => {}
            other => assert!(other.starts_with('/'), "{other}"),
        }
    }
    let root = inertias.iter().find(|(name, _)| joints.iter().all(|j| j.1 != *name)).unwrap().clone();
    let weld = Joint::new("weld", JointKind::Fixed, Pose::IDENTITY);
    let mut links = vec![Link { name: root.0, parent: None, joint: weld, inertia: root.1 }];
    for (parent, child, joint) in joints {
        let parent = links.iter().position(|l| l.name == parent);
        let inertia = inertias.iter().find(|i| i.0 == child).unwrap().1;
        links.push(Link { name: child, parent, joint, inertia });
    }
    Tree::new(links).unwrap()
}

/// A link with the next free name.
pub(crate) fn link(i: usize, parent: Option<usize>, kind: JointKind, pose: Pose, inertia: Inertia) -> Link {
    Link { name: format!("link{i}"), parent, joint: Joint::new(format!("joint{i}"), kind, pose), inertia }
}

/// An inertia without symmetry, from six numbers between −1 and 1.
pub(crate) fn odd_inertia(seed: [f64; 6]) -> Inertia {
    let [a, b, c, d, e, f] = seed;
    // Principal moments of three masses on the axes obey the triangle inequality.
    let [x, y, z] = [0.02 + 0.01 * a, 0.015 + 0.01 * b, 0.012 + 0.01 * c];
    let r = DMat3::from_quat(exp_rotation(DVec3::new(d, e, f)));
    let about_com = r * DMat3::from_diagonal(DVec3::new(y + z, x + z, x + y)) * r.transpose();
    // Exactly symmetric.
    let about_com = 0.5 * (about_com + about_com.transpose());
    Inertia { mass: 1.0 + 0.5 * (a + d) / 2.0, com: 0.1 * DVec3::new(b, c, e), about_com }
}

/// Every kind of joint that moves.
pub(crate) fn all_kinds() -> [JointKind; 7] {
    let axis = DVec3::new(0.3, -0.5, 0.8);
    [
        JointKind::Revolute { axis },
        JointKind::Continuous { axis: DVec3::Y },
        JointKind::Prismatic { axis },
        JointKind::Ball,
        JointKind::Universal { axes: [DVec3::new(1.0, 0.2, 0.0), DVec3::new(0.1, 0.7, -0.6)] },
        JointKind::Planar { normal: DVec3::new(0.2, 0.1, 0.9) },
        JointKind::Free,
    ]
}

/// Kinematics of `state`.
pub(crate) fn kinematics(tree: &Tree, state: &TreeState) -> Kinematics {
    let mut out = Kinematics::new(tree);
    out.update(tree, &state.base, &state.q, &state.v);
    out
}

/// One free step, which must converge.
pub(crate) fn free_step(
    motion: &mut ropewalk_body::TreeMotion,
    tree: &Tree,
    state: &mut TreeState,
    base: &Base,
    gravity: DVec3,
    dt: f64,
    theta_vq: f64,
) {
    ropewalk_body::free_step::free_step(motion, tree, state, base, gravity, dt, theta_vq).unwrap();
}

/// Steps `state` by `steps` free steps on a resting base.
pub(crate) fn run(tree: &Tree, state: &mut TreeState, gravity: DVec3, dt: f64, theta_vq: f64, steps: usize) {
    let mut motion = ropewalk_body::TreeMotion::new(tree);
    let base = Base::at(state.base.pose);
    for _ in 0..steps {
        ropewalk_body::free_step::free_step(&mut motion, tree, state, &base, gravity, dt, theta_vq).unwrap();
    }
}

/// The order of convergence from errors at steps halved each time.
pub(crate) fn orders(errors: &[f64]) -> Vec<f64> {
    errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect()
}

/// An arm of seven revolute joints on a fixed base, without symmetry.
pub(crate) fn arm() -> Tree {
    let base = Joint::new("weld", JointKind::Fixed, Pose::IDENTITY);
    let mut links = vec![Link { name: "base".into(), parent: None, joint: base, inertia: Inertia::ZERO }];
    for k in 0..7 {
        let axis = if k % 2 == 0 { DVec3::Z } else { DVec3::Y };
        let size = 1.0 - 0.1 * f64::from(k);
        let pose = Pose::new(
            DVec3::new(0.01 * f64::from(k % 3), 0.0, 0.3 * size),
            DQuat::from_rotation_x(0.05 * f64::from(k)),
        );
        let moments = 0.01 * size * DVec3::new(2.0, 2.1, 0.7);
        let inertia = Inertia {
            mass: 4.0 * size,
            com: DVec3::new(0.02, 0.01, 0.1),
            about_com: DMat3::from_diagonal(moments),
        };
        let joint = Joint::new(format!("j{}", k + 1), JointKind::Revolute { axis }, pose);
        links.push(Link { name: format!("l{}", k + 1), parent: Some(links.len() - 1), joint, inertia });
    }
    Tree::new(links).unwrap()
}
