//! Builds actuators, controllers of whole robots, and end effectors.

use super::pose::KeyFrames;
use super::{Builder, LinkPlace};
use crate::document::path;
use crate::error::SceneError;
use crate::number::with_prefix;
use crate::spec::{ActuatorKindSpec, ActuatorSpec, EndEffectorSpec, EndEffectorStartSpec};
use ropewalk_linalg::Pose;
use ropewalk_sim::{Actuator, ActuatorKind, Hand, Model, State, TimeFunction, measure};

/// Greatest distance of an end effector from its path at the start, in m and rad.
const START_ERROR: f64 = 1e-6;

impl Builder<'_> {
    /// Adds all actuators.
    pub(super) fn actuators(&self, model: &mut Model) -> Result<(), SceneError> {
        for (name, spec) in &self.spec.actuator {
            let LinkPlace { tree, link } = self.driven_joint(name, spec, model)?;
            let joint = &model.trees[tree].tree.links()[link].joint;
            let (dof, count) = (spec.dof as usize, joint.kind.velocity_count());
            let at = |key: &'static str| ["actuator", name.as_str(), key];
            if dof >= count {
                let message = format!("a {} joint has no degree of freedom {dof}", joint.kind.name());
                return Err(self.error(&at("dof"), &message).expected(match count {
                    0 => "a joint that moves".to_owned(),
                    n => format!("a number below {n}"),
                }));
            }
            let wants_position = matches!(spec.kind, ActuatorKindSpec::Position | ActuatorKindSpec::Pi);
            if wants_position && joint.kind.position_count() != count {
                return Err(self
                    .error(&at("kind"), &format!("a {} joint has no single positions", joint.kind.name()))
                    .expected("\"force\" or \"velocity\""));
            }
            let effort_limit = spec.effort_limit.unwrap_or(joint.effort_limit);
            let kind = self.actuator_kind(name, spec)?;
            model.actuators.push(Actuator { name: name.clone(), tree, link, dof, kind, effort_limit });
        }
        Ok(())
    }

    fn driven_joint(&self, name: &str, spec: &ActuatorSpec, model: &Model) -> Result<LinkPlace, SceneError> {
        match (&spec.robot, &spec.joint, &spec.body) {
            (Some(robot), Some(joint), None) => {
                let tree = self.robot_index(&["actuator", name, "robot"], robot)?;
                let key = ["actuator", name, "joint"];
                Ok(LinkPlace { tree, link: self.joint_link(&key, &model.trees[tree].tree, joint)? })
            }
            (None, None, Some(body)) => self.body_place(&["actuator", name, "body"], body),
            _ => Err(self
                .error(&["actuator", name], "it is not clear which joint is driven")
                .expected("`robot` and `joint`, or `body`")),
        }
    }

    fn actuator_kind(&self, name: &str, spec: &ActuatorSpec) -> Result<ActuatorKind, SceneError> {
        let gain = |key: &str, value: Option<f64>| {
            value.ok_or_else(|| {
                self.error(&["actuator", name, key], &format!("the key `{key}` is missing"))
                    .expected(format!("{key} = …"))
            })
        };
        let target = self.function(&path(&["actuator", name, "target"]), &spec.target)?;
        let (kind, used): (_, &[&str]) = match spec.kind {
            ActuatorKindSpec::Force => (ActuatorKind::Force { effort: target }, &[]),
            ActuatorKindSpec::Position => (
                ActuatorKind::Position {
                    position_gain: gain("position_gain", spec.position_gain)?,
                    velocity_gain: spec.velocity_gain.unwrap_or(0.0),
                    target,
                },
                &["position_gain", "velocity_gain"],
            ),
            ActuatorKindSpec::Velocity => (
                ActuatorKind::Velocity { velocity_gain: gain("velocity_gain", spec.velocity_gain)?, target },
                &["velocity_gain"],
            ),
            ActuatorKindSpec::Pi => (
                ActuatorKind::ProportionalIntegral {
                    position_gain: gain("position_gain", spec.position_gain)?,
                    integral_gain: gain("integral_gain", spec.integral_gain)?,
                    target,
                },
                &["position_gain", "integral_gain"],
            ),
        };
        for (key, value) in [
            ("position_gain", spec.position_gain),
            ("velocity_gain", spec.velocity_gain),
            ("integral_gain", spec.integral_gain),
        ] {
            if value.is_some() && !used.contains(&key) {
                let message = format!("an actuator of this kind has no {key}");
                return Err(self.error(&["actuator", name, key], &message).hint("leave it out"));
            }
        }
        Ok(kind)
    }

    /// Adds the position actuators of all controllers, called `CONTROL.JOINT`.
    pub(super) fn controls(&self, model: &mut Model, state: &State) -> Result<(), SceneError> {
        for (name, spec) in &self.spec.control {
            let index = self.robot_index(&["control", name, "robot"], &spec.robot)?;
            let tree = &model.trees[index].tree;
            let links: Vec<usize> = match &spec.joints {
                Some(joints) => joints
                    .iter()
                    .map(|joint| self.joint_link(&["control", name, "joints"], tree, joint))
                    .collect::<Result<_, _>>()?,
                None => (0..tree.links().len())
                    .filter(|&i| {
                        let joint = &tree.links()[i].joint;
                        joint.kind.velocity_count() == 1 && joint.mimic.is_none()
                    })
                    .collect(),
            };
            let mut added = Vec::with_capacity(links.len());
            for joint in spec.targets.keys() {
                let key = ["control", name.as_str(), "targets", joint.as_str()];
                let link = self.joint_link(&key, tree, joint)?;
                if !links.contains(&link) {
                    return Err(self.error(&key, "this joint is not among those that are controlled"));
                }
            }
            for link in links {
                let joint = &tree.links()[link].joint;
                let target = match spec.targets.get(&joint.name) {
                    Some(f) => self.function(&path(&["control", name, "targets", &joint.name]), f)?,
                    None => TimeFunction::Constant(state.trees[index].q[tree.q_range(link).start]),
                };
                added.push(Actuator {
                    name: format!("{name}.{}", joint.name),
                    tree: index,
                    link,
                    dof: 0,
                    kind: ActuatorKind::Position {
                        position_gain: spec.position_gain,
                        velocity_gain: spec.velocity_gain,
                        target,
                    },
                    effort_limit: joint.effort_limit,
                });
            }
            model.actuators.extend(added);
        }
        Ok(())
    }

    /// Adds all end effectors, and puts the joints of those that start on their path there.
    pub(super) fn end_effectors(&self, model: &mut Model, state: &mut State) -> Result<(), SceneError> {
        for (name, spec) in &self.spec.end_effector {
            let index = self.robot_index(&["end_effector", name, "robot"], &spec.robot)?;
            let tree = &model.trees[index].tree;
            let link = self.link_index(&["end_effector", name, "link"], tree, &spec.link)?;
            let turn = self
                .rotation(&path(&["end_effector", name, "offset_rotation"]), spec.offset_rotation.as_ref())?;
            let offset = Pose::new(spec.offset_position.into(), turn);
            let actuators = self.hand_actuators(name, spec, (index, link), model)?;
            if let Some(other) =
                model.hands.iter().find(|h| h.actuators.iter().any(|a| actuators.contains(a)))
            {
                return Err(self
                    .error(
                        &["end_effector", name],
                        &format!("end effector `{}` moves one of its joints already", other.name),
                    )
                    .hint("divide the joints between the end effectors by `joints`"));
            }
            let frame = measure::tree_kinematics(model, state, index).poses[link] * offset;
            let frames = KeyFrames {
                times: &spec.times,
                positions: &spec.positions,
                rotations: spec.rotations.as_deref(),
                interpolation: spec.interpolation,
            };
            let way = self.trajectory(&["end_effector", name], &frames, frame.rotation)?;
            let first = way.pose(0.0);
            let hand =
                Hand::new(name.clone(), (index, tree), (link, offset), way, actuators, &model.actuators)
                    .map_err(|e| self.error(&["end_effector", name], &e.to_string()))?;
            if spec.start == EndEffectorStartSpec::Path {
                let tree_state = &mut state.trees[index];
                let base = tree_state.base.pose;
                let reached = hand.reach(tree, &base, &mut tree_state.q, &first);
                self.follow(tree, &mut tree_state.q);
                if !(reached.position_error <= START_ERROR && reached.rotation_error <= START_ERROR) {
                    return Err(self
                        .error(
                            &["end_effector", name, "positions"],
                            &format!(
                                "the end effector cannot reach the start of its path: {} and {} are left",
                                with_prefix(reached.position_error, 3, "m"),
                                with_prefix(reached.rotation_error, 3, "rad"),
                            ),
                        )
                        .hint("other `joints` of the robot to start the search from, another path, or start = \"joints\""));
                }
            }
            model.hands.push(hand);
        }
        Ok(())
    }

    /// The position actuators that an end effector uses.
    fn hand_actuators(
        &self,
        name: &str,
        spec: &EndEffectorSpec,
        (index, link): (usize, usize),
        model: &Model,
    ) -> Result<Vec<usize>, SceneError> {
        let tree = &model.trees[index].tree;
        let drives = |wanted: usize| {
            model.actuators.iter().position(|a| {
                (a.tree, a.link) == (index, wanted) && matches!(a.kind, ActuatorKind::Position { .. })
            })
        };
        let found: Vec<usize> = match &spec.joints {
            Some(joints) => {
                let key = ["end_effector", name, "joints"];
                let mut found = Vec::new();
                for joint in joints {
                    let wanted = self.joint_link(&key, tree, joint)?;
                    found.push(drives(wanted).ok_or_else(|| {
                        self.error(&key, &format!("the joint \"{joint}\" has no position actuator"))
                            .hint("[control.NAME] gives one to every joint of a robot")
                    })?);
                }
                found
            }
            None => {
                let mut links: Vec<usize> = tree.chain(link).map(|dof| tree.dof_link(dof)).collect();
                links.dedup();
                let single = links.into_iter().filter(|&l| tree.links()[l].joint.kind.velocity_count() == 1);
                single.filter_map(drives).collect()
            }
        };
        if found.is_empty() {
            return Err(self
                .error(&["end_effector", name], "no position actuator moves this end effector")
                .hint("[control.NAME] gives one to every joint of a robot"));
        }
        Ok(found)
    }
}
