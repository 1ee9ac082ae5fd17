//! What is in a world, by name: its numbers, and what it can be told.

use crate::Error;
use glam::DVec3;
use ropewalk_linalg::Pose;
use ropewalk_sim::{Command, Energies, Guide, World, Wrench, measure};

/// The place of `name` in `known`.
pub(crate) fn index_of<'a>(
    kind: &'static str,
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> Result<usize, Error> {
    known.clone().position(|k| k == name).ok_or_else(|| Error::no_such_name(kind, name, known))
}

fn finite(what: &'static str, value: f64) -> Result<f64, Error> {
    match value.is_finite() {
        true => Ok(value),
        false => Err(Error::Number { what, value, expected: "a finite number" }),
    }
}

/// A rod and its numbers. An open rod of n nodes has n − 1 edges and n − 2 inner nodes, a closed one n of each.
///
/// ```
/// # use ropewalk::prelude::*;
/// # fn main() -> Result<(), Error> {
/// let mut world = World::load("cantilever", &["rod.beam.segments=20"])?;
/// world.step_by(50)?;
/// let beam = world.rod("beam")?;
/// assert_eq!((beam.positions().len(), beam.tension().len(), beam.curvature().len()), (21, 20, 19));
/// assert!(beam.moments()[0][0].is_finite() && beam.length() > 0.3 && beam.mass() > 0.0);
/// assert!(beam.energies().bend > 0.0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RodView<'a> {
    pub(crate) world: &'a World,
    pub(crate) index: usize,
}

impl RodView<'_> {
    /// Positions of the nodes in m.
    pub fn positions(&self) -> Vec<DVec3> {
        measure::positions(self.world.state(), self.index)
    }

    /// Velocities of the nodes in m/s.
    pub fn velocities(&self) -> Vec<DVec3> {
        let state = &self.world.state().rods[self.index];
        (0..state.v.len()).map(|i| state.velocity(i)).collect()
    }

    /// Tension of the edges in N, positive in pull.
    pub fn tension(&self) -> Vec<f64> {
        measure::tension(self.world.model(), self.world.state(), self.index)
    }

    /// Bending moments about the directors and torque at the inner nodes in N·m.
    pub fn moments(&self) -> Vec<[f64; 3]> {
        measure::moments(self.world.model(), self.world.state(), self.index)
    }

    /// Curvature at the inner nodes in 1/m.
    pub fn curvature(&self) -> Vec<f64> {
        measure::curvature(self.world.model(), self.world.state(), self.index)
    }

    /// Plastic curvature towards m₁ and m₂ at each stencil in 1/m: what would be left if it were let go.
    pub fn plastic_curvature(&self) -> Vec<[f64; 2]> {
        measure::plastic_curvature(self.world.model(), self.world.state(), self.index)
    }

    /// Work spent on plastic bending since the start in J.
    pub fn plastic_work(&self) -> f64 {
        self.world.state().rods[self.index].plastic.work
    }

    /// Twist per length at the inner nodes in rad/m.
    pub fn twist(&self) -> Vec<f64> {
        measure::twist_rate(self.world.model(), self.world.state(), self.index)
    }

    /// Length in m.
    pub fn length(&self) -> f64 {
        measure::length(self.world.model(), self.world.state(), self.index)
    }

    /// Mass in kg.
    pub fn mass(&self) -> f64 {
        self.world.model().rods[self.index].masses().iter().map(|m| m[0]).sum()
    }

    /// Sum of the forces of all contacts in the last step in N.
    pub fn contact_force(&self) -> DVec3 {
        self.world.workspace().rod_contact_forces()[self.index]
    }

    /// Energies in J.
    pub fn energies(&self) -> Energies {
        measure::rod_energies(self.world.model(), self.world.state(), self.index)
    }

    /// Writhe, in turns.
    pub fn writhe(&self) -> f64 {
        measure::writhe(self.world.model(), self.world.state(), self.index)
    }
}

/// A rigid body and its numbers.
///
/// ```
/// # use ropewalk::prelude::*;
/// # fn main() -> Result<(), Error> {
/// let mut world = World::load("suspended_load", &[])?;
/// world.step_by(20)?;
/// let load = world.body("load")?;
/// assert!(load.position().x < 0.75 && load.velocity().x < 0.0);
/// assert_eq!(load.contact_wrench().force.length(), 0.0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BodyView<'a> {
    pub(crate) world: &'a World,
    pub(crate) tree: usize,
    pub(crate) link: usize,
}

impl BodyView<'_> {
    /// Where its frame is.
    pub fn pose(&self) -> Pose {
        measure::tree_kinematics(self.world.model(), self.world.state(), self.tree).poses[self.link]
    }

    /// Where the origin of its frame is, in m.
    pub fn position(&self) -> DVec3 {
        self.pose().position
    }

    /// Velocity of the origin of its frame in m/s.
    pub fn velocity(&self) -> DVec3 {
        measure::tree_kinematics(self.world.model(), self.world.state(), self.tree).linear[self.link]
    }

    /// Force and torque of all contacts in the last step, about the origin of its frame.
    pub fn contact_wrench(&self) -> Wrench {
        self.world.workspace().link_contact_wrenches(self.tree)[self.link]
    }

    /// Force and torque of what it hangs on in the last step, through its joint, about the origin of its frame: what a sensor there
    /// feels.
    pub fn joint_wrench(&self) -> Wrench {
        self.world.workspace().joint_wrenches(self.tree)[self.link]
    }
}

/// A robot and its numbers.
///
/// ```
/// # use ropewalk::prelude::*;
/// # fn main() -> Result<(), Error> {
/// let mut world = World::load("arm_rope", &[])?;
/// world.step_by(5)?;
/// let arm = world.robot("arm")?;
/// assert!(arm.link_pose("gripper")?.position.z > 0.3);
/// assert!(arm.joint_position("elbow")? > 1.0 && arm.joint_positions().len() >= 7);
/// assert!(arm.base_wrench().force.z.is_finite());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RobotView<'a> {
    pub(crate) world: &'a World,
    pub(crate) tree: usize,
}

impl RobotView<'_> {
    fn tree(&self) -> &ropewalk_body::Tree {
        &self.world.model().trees[self.tree].tree
    }

    /// Where a link is.
    pub fn link_pose(&self, name: &str) -> Result<Pose, Error> {
        let link = index_of("link", name, self.tree().links().iter().map(|l| l.name.as_str()))?;
        Ok(measure::tree_kinematics(self.world.model(), self.world.state(), self.tree).poses[link])
    }

    /// Position of a joint with one degree of freedom in rad or m.
    pub fn joint_position(&self, name: &str) -> Result<f64, Error> {
        let links = self.tree().links();
        let single = links.iter().filter(|l| l.joint.kind.position_count() == 1);
        let names: Vec<&str> = single.map(|l| l.joint.name.as_str()).collect();
        let chosen = names[index_of("joint with one degree of freedom", name, names.iter().copied())?];
        let before = links.iter().take_while(|l| l.joint.name != chosen);
        let at: usize = before.map(|l| l.joint.kind.position_count()).sum();
        Ok(self.world.state().trees[self.tree].q[at])
    }

    /// Positions of all joints.
    pub fn joint_positions(&self) -> &[f64] {
        &self.world.state().trees[self.tree].q
    }

    /// Force and torque with which the world holds its base, in the last step.
    pub fn base_wrench(&self) -> Wrench {
        self.world.workspace().base_wrenches()[self.tree]
    }
}

/// A clamp and its numbers.
///
/// ```
/// # use ropewalk::prelude::*;
/// # fn main() -> Result<(), Error> {
/// let mut world = World::load("hanging_rope", &["rod.rope.segments=20"])?;
/// world.step_by(20)?;
/// assert!(world.clamp("pin")?.wrench().force.z > 0.0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ClampView<'a> {
    pub(crate) world: &'a World,
    pub(crate) index: usize,
}

impl ClampView<'_> {
    /// Force and torque on the rod in the last step.
    pub fn wrench(&self) -> Wrench {
        self.world.workspace().clamp_wrenches()[self.index]
    }
}

/// An attachment: its numbers, and what it can be told.
///
/// ```
/// # use ropewalk::prelude::*;
/// # fn main() -> Result<(), Error> {
/// let mut world = World::load("two_hands", &["rod.cable.segments=20"])?;
/// world.step()?;
/// let mut left = world.attachment("left")?;
/// assert!(left.holds() && left.wrench().force.length() > 0.0);
/// left.release();
/// world.step()?;
/// assert!(!world.attachment("left")?.holds());
/// world.attachment("left")?.clear_command();
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct AttachmentView<'a> {
    pub(crate) world: &'a mut World,
    pub(crate) index: usize,
}

impl AttachmentView<'_> {
    /// Force and torque on its first end in the last step.
    pub fn wrench(&self) -> Wrench {
        self.world.workspace().attachment_wrenches()[self.index]
    }

    /// Whether it holds.
    pub fn holds(&self) -> bool {
        self.world.state().attachments[self.index].grip.is_some()
    }

    /// Holds from the next step on, whatever the scene says.
    pub fn hold(&mut self) {
        self.command(Command::Hold);
    }

    /// Lets go from the next step on, whatever the scene says.
    pub fn release(&mut self) {
        self.command(Command::Release);
    }

    /// Does as the scene says again.
    pub fn clear_command(&mut self) {
        self.command(Command::Scheduled);
    }

    fn command(&mut self, command: Command) {
        self.world.state_mut().attachments[self.index].command = command;
    }
}

/// An actuator: its numbers, and what it can be told.
///
/// ```
/// # use ropewalk::prelude::*;
/// # fn main() -> Result<(), Error> {
/// let mut world = World::load("winch", &[])?;
/// let mut motor = world.actuator("motor")?;
/// motor.set_target(-0.1)?;
/// world.step()?;
/// let mut motor = world.actuator("motor")?;
/// assert!(motor.effort() != 0.0);
/// motor.clear_target();
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ActuatorView<'a> {
    pub(crate) world: &'a mut World,
    pub(crate) index: usize,
}

impl ActuatorView<'_> {
    /// Effort in the last step in N·m or N.
    pub fn effort(&self) -> f64 {
        self.world.workspace().actuator_efforts()[self.index]
    }

    /// A target in place of the scene's: rad or m, rad/s or m/s for a velocity, N·m or N for a force.
    pub fn set_target(&mut self, target: f64) -> Result<(), Error> {
        let target = finite("the target of an actuator", target)?;
        let state = &mut self.world.state_mut().actuators[self.index];
        (state.target, state.target_velocity) = (Some(target), 0.0);
        Ok(())
    }

    /// The target of the scene again.
    pub fn clear_target(&mut self) {
        let state = &mut self.world.state_mut().actuators[self.index];
        (state.target, state.target_velocity) = (None, 0.0);
    }
}

/// An end effector: its numbers, and what it can be told.
///
/// ```
/// # use ropewalk::prelude::*;
/// # fn main() -> Result<(), Error> {
/// let mut world = World::load("two_arms", &[])?;
/// world.step()?;
/// let mut left = world.end_effector("left")?;
/// assert!(left.position_error().is_some_and(|error| error < 1e-3));
/// left.clear_target();
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct EndEffectorView<'a> {
    pub(crate) world: &'a mut World,
    pub(crate) index: usize,
}

impl EndEffectorView<'_> {
    /// How far its joint targets are from where it should be, in m; `None` before the first step.
    pub fn position_error(&self) -> Option<f64> {
        self.world.workspace().hand_reached(self.index).map(|reached| reached.position_error)
    }

    /// A pose in the world in place of its path.
    pub fn set_target(&mut self, pose: Pose) -> Result<(), Error> {
        let numbers = pose.position.to_array().into_iter().chain(pose.rotation.to_array());
        for number in numbers {
            finite("a number of the pose of an end effector", number)?;
        }
        let length = pose.rotation.length();
        if length < 1e-6 {
            let what = "the length of the quaternion of an end effector";
            return Err(Error::Number { what, value: length, expected: "a unit quaternion" });
        }
        let pose = Pose::new(pose.position, pose.rotation.normalize());
        self.world.state_mut().hands[self.index].target = Some(Guide::at(pose));
        Ok(())
    }

    /// The path of the scene again.
    pub fn clear_target(&mut self) {
        self.world.state_mut().hands[self.index].target = None;
    }
}
