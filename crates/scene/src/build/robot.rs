//! Robots from their files, and where their joints start.

use super::Builder;
use super::contact::surface;
use crate::error::{SceneError, list_names, nearest_name};
use crate::spec::BaseSpec;
use crate::urdf::{BaseKind, EMBEDDED_PREFIX, RobotDescription, UrdfOptions, embedded_robots, load_robot};
use ropewalk_body::{Base, Tree};
use ropewalk_geometry::Collider;
use ropewalk_linalg::Pose;
use ropewalk_sim::{BaseMotion, BodyShape, Model, State, TreeModel};

/// Warnings about one robot's file at most; `ropewalk check` of the file itself lists all.
const MOST_WARNINGS: usize = 12;

impl Builder<'_> {
    /// Adds all robots.
    pub(super) fn robots(&mut self, model: &mut Model, state: &mut State) -> Result<(), SceneError> {
        for (name, spec) in &self.spec.robot {
            let pose = self.pose(&["robot", name], spec.position, spec.rotation.as_ref())?;
            // A welded robot stands on its base, so that the force on it counts from there.
            let (base, base_pose) = match spec.base {
                BaseSpec::Welded => (BaseKind::Welded, Pose::IDENTITY),
                BaseSpec::Free => (BaseKind::Free, pose),
            };
            let ground = if base == BaseKind::Welded { pose } else { Pose::IDENTITY };
            let robot = self.load(name, UrdfOptions { base, base_pose, ..UrdfOptions::default() })?;
            let mut tree_state = robot.zero_state();
            tree_state.base = Base::at(ground);
            self.start_joints(name, &robot.tree, &mut tree_state.q)?;
            for link in spec.links.keys() {
                self.link_index(&["robot", name, "links", link], &robot.tree, link)?;
            }
            state.trees.push(tree_state);
            self.robots.insert(name.clone(), model.trees.len());
            let shapes = self.collision_shapes(name, &robot);
            model.trees.push(TreeModel {
                name: name.clone(),
                tree: robot.tree,
                base: BaseMotion::Fixed(ground),
                heavy: !spec.gravity_compensation,
                shapes,
            });
        }
        Ok(())
    }

    fn load(&mut self, name: &str, options: UrdfOptions) -> Result<RobotDescription, SceneError> {
        let spec = &self.spec.robot[name];
        let place = |p: &String| self.base_dir.map_or_else(|| p.into(), |dir| dir.join(p));
        let options = UrdfOptions {
            package_paths: spec.package_paths.iter().map(place).collect(),
            repair_inertia: spec.repair_inertia,
            ..options
        };
        let embedded = embedded_robots().iter().any(|r| r.name == spec.urdf);
        let file = if embedded { format!("{EMBEDDED_PREFIX}{}", spec.urdf) } else { spec.urdf.clone() };
        let robot = load_robot(&file, self.base_dir, &options).map_err(|e| {
            // What is wrong inside the file is shown there.
            if e.line > 0 {
                return e;
            }
            let error = self.error(&["robot", name, "urdf"], &format!("{}: {}", e.label, e.message));
            let error = error.nearest(e.nearest.clone());
            let error = match &e.expected {
                Some(expected) => error.expected(expected.clone()),
                None => error,
            };
            match &e.hint {
                Some(hint) => error.hint(hint.clone()),
                None => error,
            }
        })?;
        for entry in robot.not_carried_over.iter().take(MOST_WARNINGS) {
            self.warnings.push(format!("robot `{name}`: {entry}"));
        }
        if let Some(more) = robot.not_carried_over.len().checked_sub(MOST_WARNINGS).filter(|n| *n > 0) {
            self.warnings
                .push(format!("robot `{name}`: {more} more; `ropewalk check {}` lists them", spec.urdf));
        }
        Ok(robot)
    }

    fn collision_shapes(&mut self, name: &str, robot: &RobotDescription) -> Vec<BodyShape> {
        let mut shapes = Vec::new();
        let spec = &self.spec.robot[name];
        for collision in &robot.collisions {
            let own = spec.links.get(&robot.tree.links()[collision.link].name).cloned().unwrap_or_default();
            let friction = own.friction.or(spec.friction);
            match Collider::new(&collision.shape) {
                Ok(collider) => shapes.push(BodyShape {
                    link: collision.link,
                    pose: collision.pose,
                    collider,
                    surface: surface(friction, own.contact_stiffness, own.contact_dissipation),
                    name: collision.name.clone(),
                }),
                Err(e) => {
                    let link = &robot.tree.links()[collision.link].name;
                    self.warnings.push(format!("robot `{name}`: a shape of link `{link}` is left out: {e}"));
                }
            }
        }
        shapes
    }

    /// Puts joints where the scene wants them; those that it does not name at zero or at the limit nearest to it;
    /// followers where their leaders put them.
    fn start_joints(&self, name: &str, tree: &Tree, q: &mut [f64]) -> Result<(), SceneError> {
        let spec = &self.spec.robot[name];
        for (i, link) in tree.links().iter().enumerate() {
            if link.joint.kind.velocity_count() == 1 {
                q[tree.q_range(i).start] = 0.0f64.max(link.joint.limits[0]).min(link.joint.limits[1]);
            }
        }
        for (joint_name, position) in &spec.joints {
            let key = ["robot", name, "joints", joint_name.as_str()];
            let link = self.joint_link(&key, tree, joint_name)?;
            let joint = &tree.links()[link].joint;
            if let Some(mimic) = joint.mimic {
                let leader = &tree.links()[mimic.leader].joint.name;
                return Err(self
                    .error(&key, &format!("this joint follows `{leader}`"))
                    .hint("give the position of that one"));
            }
            let [least, greatest] = joint.limits;
            if !(least <= *position && *position <= greatest) {
                return Err(self
                    .error(&key, &format!("{position} is outside of the joint's limits"))
                    .expected(format!("a position from {least} to {greatest}")));
            }
            q[tree.q_range(link).start] = *position;
        }
        self.follow(tree, q);
        Ok(())
    }

    /// Puts followers where their leaders put them.
    pub(super) fn follow(&self, tree: &Tree, q: &mut [f64]) {
        for (i, link) in tree.links().iter().enumerate() {
            if let Some(mimic) = link.joint.mimic {
                let leader = q[tree.q_range(mimic.leader).start];
                q[tree.q_range(i).start] = mimic.multiplier * leader + mimic.offset;
            }
        }
    }

    /// The tree of the robot that the key `words` names.
    pub(crate) fn robot_index(&self, words: &[&str], name: &str) -> Result<usize, SceneError> {
        self.index("robot", self.spec.robot.keys(), words, name)?;
        // Every robot of the file has its tree by now.
        self.robots.get(name).copied().ok_or_else(|| self.error(words, "this robot is not built"))
    }

    /// The link whose joint of one degree of freedom is called `name`.
    pub(super) fn joint_link(&self, words: &[&str], tree: &Tree, name: &str) -> Result<usize, SceneError> {
        let usable = || tree.links().iter().map(|l| &l.joint).filter(|j| j.kind.velocity_count() == 1);
        let found = tree.joint_index(name).filter(|&i| tree.links()[i].joint.kind.velocity_count() == 1);
        found.ok_or_else(|| {
            let names = || usable().map(|j| j.name.as_str());
            self.error(words, &format!("there is no joint called \"{name}\" with one degree of freedom"))
                .expected(format!("one of {}", list_names(names())))
                .nearest(nearest_name(name, names()))
        })
    }

    /// The link called `name`.
    pub(super) fn link_index(&self, words: &[&str], tree: &Tree, name: &str) -> Result<usize, SceneError> {
        tree.link_index(name).ok_or_else(|| {
            let names = || tree.links().iter().map(|l| l.name.as_str());
            self.error(words, &format!("there is no link called \"{name}\""))
                .expected(format!("one of {}", list_names(names())))
                .nearest(nearest_name(name, names()))
        })
    }
}
