//! Builds bodies; bodies connected by joints form one tree.

use super::pose::KeyFrames;
use super::{Builder, LinkPlace, MOST_DOFS};
use crate::error::SceneError;
use crate::estimate::children;
use crate::spec::{AxisJointSpec, BodyMotionSpec, BodySpec, JointSpec};
use glam::DVec3;
use ropewalk_body::{Base, Joint, JointKind, Link, Tree, TreeError};
use ropewalk_geometry::{Shape, TriangleMesh};
use ropewalk_linalg::Pose;
use ropewalk_sim::{BaseMotion, BodyShape, Model, State, TreeModel};
use std::collections::BTreeMap;

/// A joint with its initial coordinates.
struct Start {
    joint: Joint,
    q: Vec<f64>,
    v: Vec<f64>,
}

impl Builder<'_> {
    /// Adds all bodies: a tree for each body without parent and its descendants.
    pub(super) fn bodies(&mut self, model: &mut Model, state: &mut State) -> Result<(), SceneError> {
        let all = &self.spec.body;
        for (name, body) in all {
            if let Some(parent) = body.parent.as_ref().filter(|parent| !all.contains_key(*parent)) {
                self.index("body", all.keys(), &["body", name, "parent"], parent)?;
            }
        }
        let children = children(self.spec);
        for root in all.iter().filter(|(_, b)| b.parent.is_none()).map(|(name, _)| name) {
            self.body_tree(root, &children, model, state)?;
        }
        match all.keys().find(|name| !self.bodies.contains_key(*name)) {
            Some(lost) => Err(self
                .error(&["body", lost, "parent"], "these bodies hang on one another in a circle")
                .hint("one of them must be without a parent")),
            None => Ok(()),
        }
    }

    fn body_tree(
        &mut self,
        root: &str,
        children: &BTreeMap<&str, Vec<&str>>,
        model: &mut Model,
        state: &mut State,
    ) -> Result<(), SceneError> {
        let tree_index = model.trees.len();
        let (base, heads) = self.root_motion(root)?;
        let (mut links, mut shapes): (Vec<Link>, Vec<_>) = (Vec::new(), Vec::new());
        let (mut q, mut v) = (Vec::new(), Vec::new());
        let mut waiting = vec![(root, None)];
        let mut next = 0;
        while let Some(&(name, parent)) = waiting.get(next) {
            let link = links.len();
            next += 1;
            let start =
                if parent.is_none() { self.root_start(name, heads)? } else { self.child_start(name)? };
            let own = self.shapes(name, link)?;
            self.check_meshes(name, &own)?;
            // Links that do not move, or are welded, may be without mass.
            let moves = start.joint.kind.velocity_count() > 0;
            let inertia = self.inertia(name, &own, moves)?;
            shapes.extend(own);
            q.extend(start.q);
            v.extend(start.v);
            links.push(Link { name: name.to_owned(), parent, joint: start.joint, inertia });
            self.bodies.insert(name.to_owned(), LinkPlace { tree: tree_index, link });
            let below = children.get(name).into_iter().flatten();
            waiting.extend(below.map(|child| (*child, Some(link))));
        }
        if v.len() > self.most_dofs {
            return Err(self
                .error(
                    &["body", root],
                    &format!("this body and all that hangs on it have {} degrees of freedom", v.len()),
                )
                .expected(format!("at most {MOST_DOFS}: their mass matrix is dense"))
                .hint("hang less on one another, or add --allow-large"));
        }
        let tree = Tree::new(links).map_err(|e| self.tree_error(root, e))?;
        let mut tree_state = tree.zero_state();
        tree_state.q.copy_from_slice(&q);
        tree_state.v.copy_from_slice(&v);
        tree_state.base = Base { pose: base.pose(0.0), ..Base::default() };
        state.trees.push(tree_state);
        model.trees.push(TreeModel { name: root.to_owned(), tree, base, heavy: true, shapes });
        Ok(())
    }

    /// Warns of meshes that are closed but inside out, which push in the wrong direction, and of open ones that
    /// should be solid. Open meshes act on one side only, as intended for a sheet (a hill, a wall).
    fn check_meshes(&mut self, name: &str, shapes: &[BodyShape]) -> Result<(), SceneError> {
        for shape in shapes {
            let Shape::Mesh(mesh) = shape.collider.shape() else { continue };
            let open = mesh.open_edges();
            if open > 0 && is_sheet(mesh) {
                continue;
            }
            if open > 0 {
                self.warnings.push(format!(
                    "body `{name}`: its mesh is open ({open} edges do not join two triangles of the same orientation): things are \
                     pushed to the side from which its triangles are counter-clockwise, and may get behind it"
                ));
            } else if let Err(error) = shape.collider.shape().mass_properties(1.0) {
                return Err(self
                    .error(&["body", name], &error.to_string())
                    .hint("turn the triangles round: swap two corners of each"));
            }
        }
        Ok(())
    }

    fn tree_error(&self, root: &str, e: TreeError) -> SceneError {
        match e {
            TreeError::Empty => self.error(&["body", root], &e.to_string()),
            TreeError::Link { link, message } => self.error(&["body", &link], &message),
            TreeError::Joint { joint, message } => self.error(&["body", &joint, "joint"], &message),
        }
    }

    /// The motion of the frame of a body without parent, and whether the body itself is free.
    fn root_motion(&self, name: &str) -> Result<(BaseMotion, bool), SceneError> {
        let spec = &self.spec.body[name];
        let pose = self.body_pose(name, spec)?;
        let key = ["body", name, "motion"];
        Ok(match &spec.motion {
            Some(BodyMotionSpec::Free) if spec.joint.is_some() => {
                return Err(self
                    .error(&key, "a body with a joint is not free")
                    .hint("leave the motion out, or say what moves the joint's frame"));
            }
            None if spec.joint.is_none() => (BaseMotion::Fixed(Pose::IDENTITY), true),
            Some(BodyMotionSpec::Free) => (BaseMotion::Fixed(Pose::IDENTITY), true),
            None | Some(BodyMotionSpec::Fixed) => (BaseMotion::Fixed(pose), false),
            Some(BodyMotionSpec::KeyFrames(frames)) => {
                if spec.position.is_some() {
                    return Err(self
                        .error(&["body", name, "position"], "the key frames say where the body is")
                        .hint("leave the position out"));
                }
                let frames = KeyFrames {
                    times: &frames.times,
                    positions: &frames.positions,
                    rotations: frames.rotations.as_deref(),
                    interpolation: frames.interpolation,
                };
                let words = ["body", name, "motion", "key_frames"];
                (BaseMotion::KeyFrames(self.trajectory(&words, &frames, pose.rotation)?), false)
            }
            Some(BodyMotionSpec::Driven(motion)) => {
                let words = ["body", name, "motion", "driven"];
                if motion.angle.is_some() && motion.axis.is_none() {
                    let key = ["body", name, "motion", "driven", "axis"];
                    return Err(self.error(&key, "an angle needs an axis").expected("axis = [x, y, z]"));
                }
                let motion = self.rigid_motion(&words, motion, DVec3::Z)?;
                (BaseMotion::Driven { start: pose, motion }, false)
            }
        })
    }

    fn body_pose(&self, name: &str, spec: &BodySpec) -> Result<Pose, SceneError> {
        self.pose(&["body", name], spec.position.unwrap_or_default(), spec.rotation.as_ref())
    }

    fn root_start(&self, name: &str, free: bool) -> Result<Start, SceneError> {
        let spec = &self.spec.body[name];
        if !free {
            return self.held_start(name, Pose::IDENTITY);
        }
        let pose = self.body_pose(name, spec)?;
        let q = [&pose.position.to_array()[..], &pose.rotation.to_array()].concat();
        let v = [spec.velocity.unwrap_or_default(), spec.angular_velocity.unwrap_or_default()].concat();
        Ok(Start { joint: Joint::new(name, JointKind::Free, Pose::IDENTITY), q, v })
    }

    fn child_start(&self, name: &str) -> Result<Start, SceneError> {
        let spec = &self.spec.body[name];
        match &spec.motion {
            None | Some(BodyMotionSpec::Fixed) => self.held_start(name, self.body_pose(name, spec)?),
            Some(_) => Err(self
                .error(&["body", name, "motion"], "a body that hangs on another is moved by its joint")
                .hint("leave out the motion, or the parent")),
        }
    }

    /// The joint of a body that is not free, its frame at `pose`.
    fn held_start(&self, name: &str, pose: Pose) -> Result<Start, SceneError> {
        let spec = &self.spec.body[name];
        for (key, given) in
            [("velocity", spec.velocity.is_some()), ("angular_velocity", spec.angular_velocity.is_some())]
        {
            if given {
                return Err(self
                    .error(&["body", name, key], "only a free body has a velocity of its own")
                    .hint("a joint has `velocity` or `rates`"));
            }
        }
        let mut joint = Joint::new(name, JointKind::Fixed, pose);
        let (mut q, mut v) = (Vec::new(), Vec::new());
        match &spec.joint {
            None => {}
            Some(JointSpec::Revolute(j)) => {
                joint.kind = JointKind::Revolute { axis: j.axis.into() };
                self.axis_joint(name, "revolute", j, &mut joint)?;
                (q, v) = (vec![j.position], vec![j.velocity]);
            }
            Some(JointSpec::Prismatic(j)) => {
                joint.kind = JointKind::Prismatic { axis: j.axis.into() };
                self.axis_joint(name, "prismatic", j, &mut joint)?;
                (q, v) = (vec![j.position], vec![j.velocity]);
            }
            Some(JointSpec::Ball(j)) => {
                joint.kind = JointKind::Ball;
                (joint.damping, joint.dry_friction) = (j.damping, j.dry_friction);
                (q, v) = (vec![0.0, 0.0, 0.0, 1.0], j.rates.to_vec());
            }
            Some(JointSpec::Universal(j)) => {
                joint.kind = JointKind::Universal { axes: j.axes.map(DVec3::from) };
                (joint.damping, joint.dry_friction) = (j.damping, j.dry_friction);
                (q, v) = (j.angles.to_vec(), j.rates.to_vec());
            }
            Some(JointSpec::Planar(j)) => {
                joint.kind = JointKind::Planar { normal: j.normal.into() };
                (joint.damping, joint.dry_friction) = (j.damping, j.dry_friction);
                (q, v) = (vec![0.0; 3], j.rates.to_vec());
            }
        }
        Ok(Start { joint, q, v })
    }

    fn axis_joint(
        &self,
        name: &str,
        kind: &str,
        spec: &AxisJointSpec,
        joint: &mut Joint,
    ) -> Result<(), SceneError> {
        if let Some([least, greatest]) = spec.limits {
            if !(least <= spec.position && spec.position <= greatest) {
                return Err(self
                    .error(
                        &["body", name, "joint", kind, "position"],
                        "the joint starts outside of its limits",
                    )
                    .expected(format!("a position from {least} to {greatest}")));
            }
            joint.limits = [least, greatest];
        }
        joint.effort_limit = spec.effort_limit.unwrap_or(f64::INFINITY);
        joint.damping = spec.damping;
        joint.dry_friction = spec.dry_friction;
        joint.armature = spec.armature;
        joint.spring_stiffness = spec.spring_stiffness;
        joint.spring_rest = spec.spring_rest;
        Ok(())
    }
}

/// Whether a mesh faces mainly one direction, as a sheet does: the vector sum of its areas is at least half of their
/// sum. For a solid it vanishes.
fn is_sheet(mesh: &TriangleMesh) -> bool {
    let (mut vector, mut sum) = (DVec3::ZERO, 0.0);
    for &corners in &mesh.triangles {
        let [a, b, c] = corners.map(|corner| mesh.vertices[corner as usize]);
        let area = (b - a).cross(c - a);
        vector += area;
        sum += area.length();
    }
    vector.length() >= 0.5 * sum
}
