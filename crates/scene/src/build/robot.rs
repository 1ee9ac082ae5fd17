//! Builds robots from their files, with initial joint positions.

use super::Builder;
use super::contact::surface;
use crate::RobotFile;
use crate::error::{SceneError, list_names, nearest_name};
use crate::mjcf::{MjcfActuatorKind, MjcfKey};
use crate::spec::BaseSpec;
use crate::urdf::{BaseKind, EMBEDDED_PREFIX, RobotDescription, UrdfOptions, embedded_robots, load_robot};
use ropewalk_body::{Base, Tree};
use ropewalk_geometry::Collider;
use ropewalk_linalg::Pose;
use ropewalk_sim::{Actuator, ActuatorKind, BaseMotion, BodyShape, Model, State, TimeFunction, TreeModel};
use std::path::Path;

/// Most warnings about one robot's file; `ropewalk check` of the file itself lists all.
const MOST_WARNINGS: usize = 12;

impl Builder<'_> {
    /// Adds all robots.
    pub(super) fn robots(&mut self, model: &mut Model, state: &mut State) -> Result<(), SceneError> {
        for (name, spec) in &self.spec.robot {
            let pose = self.pose(&["robot", name], spec.position, spec.rotation.as_ref())?;
            // A welded robot has its base at its root, to which the base wrench refers.
            let (base, base_pose) = match spec.base {
                BaseSpec::Welded => (BaseKind::Welded, Pose::IDENTITY),
                BaseSpec::Free => (BaseKind::Free, pose),
            };
            let ground = if base == BaseKind::Welded { pose } else { Pose::IDENTITY };
            let robot = self.load(name, UrdfOptions { base, base_pose, ..UrdfOptions::default() })?;
            if let Some(file) = self.robot_files.last_mut() {
                file.tree = model.trees.len();
            }
            let mut tree_state = robot.zero_state();
            tree_state.base = Base::at(ground);
            let key = self.key_frame(name, &robot)?;
            if let Some(key) = key {
                tree_state.q.clone_from(&key.q);
            }
            self.start_joints(name, &robot.tree, &mut tree_state.q)?;
            for link in spec.links.keys() {
                self.link_index(&["robot", name, "links", link], &robot.tree, link)?;
            }
            if spec.actuators.unwrap_or(true) {
                let controls = key.map_or(&[][..], |k| k.ctrl.as_slice());
                file_actuators(model, name, &robot, &tree_state.q, controls);
            }
            state.trees.push(tree_state);
            self.robots.insert(name.clone(), model.trees.len());
            for pair in &robot.drives.excludes {
                let links = pair.each_ref().map(|link| robot.tree.link_index(link).unwrap_or(usize::MAX));
                self.file_excludes
                    .push((model.trees.len(), [links[0].min(links[1]), links[0].max(links[1])]));
            }
            let shapes = self.collision_shapes(name, &robot);
            model.trees.push(TreeModel {
                name: name.clone(),
                tree: robot.tree.clone(),
                base: BaseMotion::Fixed(ground),
                heavy: !spec.gravity_compensation,
                shapes,
            });
            self.cables(name, &robot, model, state)?;
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
        let (key, given) = match (&spec.urdf, &spec.mjcf) {
            (Some(file), None) => ("urdf", file),
            (None, Some(file)) => ("mjcf", file),
            _ => {
                let message = "it is not clear from which file this robot comes";
                return Err(self.error(&["robot", name], message).expected("either `urdf` or `mjcf`"));
            }
        };
        let embedded = embedded_robots().iter().any(|r| r.name == *given);
        let file = if embedded { format!("{EMBEDDED_PREFIX}{given}") } else { given.clone() };
        let robot = load_robot(&file, self.base_dir, &options).map_err(|e| {
            // Errors inside the file are reported there.
            if e.line > 0 {
                return e;
            }
            let error = self.error(&["robot", name, key], &format!("{}: {}", e.label, e.message));
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
        self.robot_files.push(RobotFile {
            tree: 0,
            file,
            directory: self.base_dir.map(Path::to_owned),
            package_paths: options.package_paths,
        });
        for entry in robot.not_carried_over.iter().take(MOST_WARNINGS) {
            self.warnings.push(format!("robot `{name}`: {entry}"));
        }
        if let Some(more) = robot.not_carried_over.len().checked_sub(MOST_WARNINGS).filter(|n| *n > 0) {
            self.warnings.push(format!("robot `{name}`: {more} more; `ropewalk check {given}` lists them"));
        }
        Ok(robot)
    }

    fn collision_shapes(&mut self, name: &str, robot: &RobotDescription) -> Vec<BodyShape> {
        let mut shapes = Vec::new();
        let spec = &self.spec.robot[name];
        for collision in &robot.collisions {
            let own = spec.links.get(&robot.tree.links()[collision.link].name).cloned().unwrap_or_default();
            let friction = own.friction.or(spec.friction).or(collision.friction);
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

    /// The key frame in which the robot called `name` starts, if the scene names one.
    fn key_frame<'r>(
        &self,
        name: &str,
        robot: &'r RobotDescription,
    ) -> Result<Option<&'r MjcfKey>, SceneError> {
        let Some(wanted) = &self.spec.robot[name].key_frame else { return Ok(None) };
        let keys = &robot.drives.keys;
        let names = || keys.iter().map(|k| k.name.as_str());
        keys.iter().find(|k| k.name == *wanted).map(Some).ok_or_else(|| {
            self.error(&["robot", name, "key_frame"], &format!("there is no key frame called \"{wanted}\""))
                .expected(format!("one of {}", list_names(names())))
                .nearest(nearest_name(wanted, names()))
        })
    }

    /// Sets the joint positions of the scene; joints that it does not name are at zero or at the limit nearest to it,
    /// followers where their leaders imply.
    fn start_joints(&self, name: &str, tree: &Tree, q: &mut [f64]) -> Result<(), SceneError> {
        let spec = &self.spec.robot[name];
        for (i, link) in tree.links().iter().enumerate() {
            if link.joint.kind.velocity_count() == 1 {
                let at = tree.q_range(i).start;
                q[at] = q[at].max(link.joint.limits[0]).min(link.joint.limits[1]);
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

    /// Sets followers to the positions that their leaders imply.
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
        // Every robot of the file has its tree here.
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

/// Adds the actuators that the file of the robot called `name` has, as `NAME.ACTUATOR`, for the tree that comes next.
/// Their targets are `controls`, or the initial positions `q`, at rest.
fn file_actuators(model: &mut Model, name: &str, robot: &RobotDescription, q: &[f64], controls: &[f64]) {
    for (k, actuator) in robot.drives.actuators.iter().enumerate() {
        let control = controls.get(k).copied();
        let target = |rest: f64| TimeFunction::Constant(control.unwrap_or(rest));
        let kind = match actuator.kind {
            MjcfActuatorKind::Motor => ActuatorKind::Force { effort: target(0.0) },
            MjcfActuatorKind::Velocity { velocity_gain } => {
                ActuatorKind::Velocity { velocity_gain, target: target(0.0) }
            }
            MjcfActuatorKind::Position { position_gain, velocity_gain } => {
                let start = q[robot.tree.q_range(actuator.link).start];
                ActuatorKind::Position { position_gain, velocity_gain, target: target(start) }
            }
        };
        model.actuators.push(Actuator {
            name: format!("{name}.{}", actuator.name),
            tree: model.trees.len(),
            link: actuator.link,
            dof: 0,
            kind,
            effort_limit: actuator.effort_limit,
        });
    }
}
