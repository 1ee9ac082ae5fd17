//! Joints of all bodies and robots, and targets of all actuators, as arrays in one order.
//!
//! Positions `qpos` are those of all trees in the order of [`Model::trees`], joint by joint, parents first: an angle in rad, a
//! displacement in m; of a ball joint a quaternion x, y, z, w; of a free joint x, y, z and a quaternion x, y, z, w. Velocities
//! `qvel` likewise, with three angular velocities (rad/s, axes of the frame in which the joint is placed) in place of a
//! quaternion. Targets `ctrl` are in the order of [`Model::actuators`].

use super::motion::finite;
use crate::command::{CommandError, Guided};
use crate::model::{Command, Model};
use crate::world::World;
use ropewalk_body::JointKind;

impl Model {
    /// Names of the entries of [`World::qpos`]: `TREE/JOINT`, with `.x`, …, `.qw` for each of several coordinates.
    pub fn qpos_names(&self) -> Vec<String> {
        self.joint_names(|kind| match kind {
            JointKind::Free => &["x", "y", "z", "qx", "qy", "qz", "qw"],
            JointKind::Ball => &["qx", "qy", "qz", "qw"],
            JointKind::Planar { .. } => &["x", "y", "angle"],
            JointKind::Universal { .. } => &["angle1", "angle2"],
            JointKind::Fixed => &[],
            _ => &[""],
        })
    }

    /// Names of the entries of [`World::qvel`].
    pub fn qvel_names(&self) -> Vec<String> {
        self.joint_names(|kind| match kind {
            JointKind::Free => &["vx", "vy", "vz", "wx", "wy", "wz"],
            JointKind::Ball => &["wx", "wy", "wz"],
            JointKind::Planar { .. } => &["vx", "vy", "w"],
            JointKind::Universal { .. } => &["w1", "w2"],
            JointKind::Fixed => &[],
            _ => &[""],
        })
    }

    fn joint_names(&self, parts: impl Fn(&JointKind) -> &'static [&'static str]) -> Vec<String> {
        let joints = self.trees.iter().flat_map(|t| t.tree.links().iter().map(move |link| (t, link)));
        joints
            .flat_map(|(tree, link)| {
                // The joint of a single body has no name worth saying.
                let joint = match tree.tree.links().len() {
                    1 => tree.name.clone(),
                    _ => format!("{}/{}", tree.name, link.joint.name),
                };
                parts(&link.joint.kind).iter().map(move |part| match part.is_empty() {
                    true => joint.clone(),
                    false => format!("{joint}.{part}"),
                })
            })
            .collect()
    }

    /// Whether an end effector sets the target of actuator `a`.
    pub fn is_led(&self, a: usize) -> bool {
        self.hands.iter().any(|hand| hand.actuators.contains(&a))
    }
}

impl World {
    /// Positions of all joints; see the module.
    pub fn qpos(&self) -> Vec<f64> {
        self.state().trees.iter().flat_map(|t| t.q.iter().copied()).collect()
    }

    /// Velocities of all joints.
    pub fn qvel(&self) -> Vec<f64> {
        self.state().trees.iter().flat_map(|t| t.v.iter().copied()).collect()
    }

    /// Puts all joints at `qpos`; quaternions are made unit. End effectors start again from there.
    pub fn set_qpos(&mut self, qpos: &[f64]) -> Result<(), CommandError> {
        let thing = || "qpos".to_owned();
        let expected = self.state().trees.iter().map(|t| t.q.len()).sum();
        check_list(thing, "positions of joints", qpos, expected)?;
        let names = || self.model().qpos_names();
        let mut place = 0;
        let mut q = qpos.to_vec();
        for tree in &self.model().trees {
            for (i, link) in tree.tree.links().iter().enumerate() {
                let size = tree.tree.q_range(i).len();
                let quaternion = match link.joint.kind {
                    JointKind::Ball => Some(place),
                    JointKind::Free => Some(place + 3),
                    _ => None,
                };
                if let Some(at) = quaternion {
                    let length = q[at..at + 4].iter().map(|x| x * x).sum::<f64>().sqrt();
                    if length < 1e-6 {
                        return Err(CommandError::Range {
                            thing: names()[at].clone(),
                            what: "length of the quaternion",
                            number: length,
                            expected: "more than 0: the order is x, y, z, w",
                        });
                    }
                    // One that is unit but for round-off keeps its bits.
                    if (length - 1.0).abs() > 1e-12 {
                        q[at..at + 4].iter_mut().for_each(|x| *x /= length);
                    }
                }
                place += size;
            }
        }
        let state = self.state_mut();
        let mut rest = &q[..];
        for tree in &mut state.trees {
            let (now, later) = rest.split_at(tree.q.len());
            tree.q.copy_from_slice(now);
            rest = later;
        }
        self.forget_places();
        Ok(())
    }

    /// Sets the velocities of all joints.
    pub fn set_qvel(&mut self, qvel: &[f64]) -> Result<(), CommandError> {
        let expected = self.state().trees.iter().map(|t| t.v.len()).sum();
        check_list(|| "qvel".to_owned(), "velocities of joints", qvel, expected)?;
        let mut rest = qvel;
        for tree in &mut self.state_mut().trees {
            let (now, later) = rest.split_at(tree.v.len());
            tree.v.copy_from_slice(now);
            rest = later;
        }
        Ok(())
    }

    /// What depended on where joints were before they were put elsewhere.
    pub(crate) fn forget_places(&mut self) {
        let model = self.model().clone();
        let state = self.state_mut();
        state.stick_forces.clear();
        for (hand, s) in model.hands.iter().zip(&mut state.hands) {
            s.q.clone_from(&state.trees[hand.tree].q);
        }
    }

    /// Targets of all actuators now: of the scene, or as they were set.
    pub fn ctrl(&self) -> Vec<f64> {
        let (model, state) = (self.model(), self.state());
        let both = model.actuators.iter().zip(&state.actuators);
        both.map(|(a, s)| s.target.unwrap_or_else(|| a.kind.target().value(state.time))).collect()
    }

    /// Sets the targets of all actuators from the next step on. Those that an end effector leads are left to it.
    pub fn set_ctrl(&mut self, ctrl: &[f64]) -> Result<(), CommandError> {
        check_list(|| "ctrl".to_owned(), "targets of actuators", ctrl, self.model().actuators.len())?;
        let model = self.model().clone();
        for (a, (&target, state)) in ctrl.iter().zip(&mut self.state_mut().actuators).enumerate() {
            if !model.is_led(a) {
                (state.target, state.target_velocity) = (Some(target), 0.0);
            }
        }
        Ok(())
    }

    /// Sets the target of one actuator, and its rate for a position actuator; that of the scene again if `None`.
    pub fn set_actuator(
        &mut self,
        actuator: usize,
        target: Option<f64>,
        rate: f64,
    ) -> Result<(), CommandError> {
        let thing = || format!("actuator '{}'", self.model().actuators[actuator].name);
        finite(thing, "target", &[target.unwrap_or(0.0), rate])?;
        if let Some(hand) = self.model().hands.iter().find(|hand| hand.actuators.contains(&actuator)) {
            let why = format!("it is led by the end effector '{}'", hand.name);
            let remedy = "set the target of the end effector";
            return Err(CommandError::Unfit { thing: thing(), why, remedy });
        }
        let state = &mut self.state_mut().actuators[actuator];
        (state.target, state.target_velocity) = (target, if target.is_some() { rate } else { 0.0 });
        Ok(())
    }

    /// Gives everything that was commanded back to the scene: what was led goes back over `over` s, or within the next step.
    /// Attachments that were made let go.
    pub fn clear_command(&mut self, over: Option<f64>) -> Result<(), CommandError> {
        let model = self.model().clone();
        let clamps = (0..model.clamps.len()).map(Guided::Clamp);
        // Links that were led are welded to a base: what leads the base leads them.
        let bases = (0..model.trees.len()).filter(|&t| self.state().commands.bases[t].is_some());
        let things: Vec<Guided> =
            clamps.chain(bases.map(Guided::Base)).chain((0..model.hands.len()).map(Guided::Hand)).collect();
        let before = self.state().clone();
        for thing in things {
            if let Err(error) = self.clear_target(thing, over) {
                *self.state_mut() = before;
                return Err(error);
            }
        }
        for r in 0..model.rods.len() {
            self.clear_natural_shape(r);
        }
        let scene = self.scene_attachment_count();
        let state = self.state_mut();
        state.commands.gravity = None;
        state.commands.links.clear();
        for rod in &mut state.commands.rods {
            for list in [&mut rod.forces, &mut rod.edge_forces, &mut rod.torques] {
                list.clear();
            }
        }
        for (a, actuator) in state.actuators.iter_mut().enumerate() {
            if !model.is_led(a) {
                (actuator.target, actuator.target_velocity) = (None, 0.0);
            }
        }
        for (a, attachment) in state.attachments.iter_mut().enumerate() {
            attachment.command = if a < scene { Command::Scheduled } else { Command::Release };
        }
        Ok(())
    }
}

fn check_list(
    thing: impl Fn() -> String,
    what: &'static str,
    numbers: &[f64],
    expected: usize,
) -> Result<(), CommandError> {
    if numbers.len() != expected {
        return Err(CommandError::Count { thing: thing(), what, found: numbers.len(), expected });
    }
    finite(thing, what, numbers)
}
