//! What drives joints: actuators, controllers of whole robots, end effectors on paths.

use crate::table::{IntoValue, keys, table};
use crate::{Rotation, TimeFunction};
use glam::DVec3;
use toml::{Table, Value};

/// What an actuator does.
///
/// ```
/// use ropewalk::prelude::*;
///
/// # fn main() -> Result<(), Error> {
/// use ropewalk::ActuatorKind;
///
/// // A wheel brought up to 10 rad/s by a velocity controller.
/// let wheel = Body::new(Shape::cylinder(0.05, 0.02)).density(1000.0).joint(Joint::revolute(DVec3::Z));
/// let mut world = World::builder()
///     .body("wheel", wheel)
///     .actuator("motor", Actuator::of_body("wheel", ActuatorKind::Velocity, 10.0).velocity_gain(0.1))
///     .build()?;
/// world.run(0.1)?;
/// assert!((world.state().trees[0].v[0] - 10.0).abs() < 1e-3);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActuatorKind {
    /// A given effort in N·m or N.
    Force,
    /// position_gain · (target − position) + velocity_gain · (rate of the target − velocity).
    Position,
    /// velocity_gain · (target − velocity).
    Velocity,
    /// position_gain · error + integral_gain · ∫ error dt.
    Pi,
}

impl ActuatorKind {
    fn name(self) -> &'static str {
        match self {
            Self::Force => "force",
            Self::Position => "position",
            Self::Velocity => "velocity",
            Self::Pi => "pi",
        }
    }
}

/// Drives one degree of freedom of a joint. Efforts are taken at the end of the step: no gain is unstable.
///
/// ```
/// use ropewalk::{Actuator, ActuatorKind};
///
/// let elbow = Actuator::of_joint("arm", "elbow", ActuatorKind::Position, 1.2).position_gain(50.0).velocity_gain(5.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Actuator(pub(crate) Table);

impl Actuator {
    /// Of a joint of a robot.
    pub fn of_joint(robot: &str, joint: &str, kind: ActuatorKind, target: impl Into<TimeFunction>) -> Self {
        Self(table([
            ("robot", robot.into_value()),
            ("joint", joint.into_value()),
            ("kind", kind.name().into_value()),
            ("target", target.into().into_value()),
        ]))
    }

    /// Of the joint of a body, or of a free body.
    pub fn of_body(body: &str, kind: ActuatorKind, target: impl Into<TimeFunction>) -> Self {
        Self(table([
            ("body", body.into_value()),
            ("kind", kind.name().into_value()),
            ("target", target.into().into_value()),
        ]))
    }
}

keys!(Actuator {
    /// Which degree of freedom of the joint, from 0.
    dof: u32,
    /// Effort per error in N·m/rad or N/m.
    position_gain: f64,
    /// Effort per error of the velocity in N·m·s/rad or N·s/m.
    velocity_gain: f64,
    /// Effort per integral of the error in N·m/(rad·s) or N/(m·s).
    integral_gain: f64,
    /// Greatest effort in N·m or N; that of the joint by default.
    effort_limit: f64,
});

/// Position actuators on the joints of a robot, with the same gains for all. Each is called CONTROLLER.JOINT.
///
/// ```
/// use ropewalk::prelude::*;
///
/// # fn main() -> Result<(), Error> {
/// let mut world = World::builder()
///     .robot("arm", Robot::new("robot:planar_arm"))
///     .controller("hold", Controller::new("arm", 1e4, 300.0).target("elbow", 0.2))
///     .build()?;
/// world.run(0.5)?;
/// assert!((world.robot("arm")?.joint_position("elbow")? - 0.2).abs() < 1e-2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Controller(pub(crate) Table);

impl Controller {
    /// On all joints of `robot` with one degree of freedom, which hold where they start.
    pub fn new(robot: &str, position_gain: f64, velocity_gain: f64) -> Self {
        Self(table([
            ("robot", robot.into_value()),
            ("position_gain", position_gain.into_value()),
            ("velocity_gain", velocity_gain.into_value()),
        ]))
    }

    /// The target of a joint, in place of where it starts.
    #[must_use]
    pub fn target(mut self, joint: &str, target: impl Into<TimeFunction>) -> Self {
        let targets = self.0.entry("targets").or_insert_with(|| Value::Table(Table::new()));
        if let Value::Table(targets) = targets {
            targets.insert(joint.to_owned(), target.into().into_value());
        }
        self
    }
}

/// A frame of a robot's link that follows a path, by inverse kinematics and position actuators.
///
/// ```
/// use ropewalk::prelude::*;
///
/// # fn main() -> Result<(), Error> {
/// let path = vec![DVec3::new(0.4, 0.0, 0.5), DVec3::new(0.4, 0.02, 0.5)];
/// let mut world = World::builder()
///     .robot("arm", Robot::new("robot:arm7_gripper").joint("elbow", 1.0).joint("wrist_pitch", 0.8))
///     .controller("arm", Controller::new("arm", 1e3, 50.0))
///     .end_effector("tool", EndEffector::new("arm", "hand", vec![0.0, 0.2], path))
///     .build()?;
/// world.run(0.2)?;
/// assert!(world.end_effector("tool")?.position_error().is_some_and(|error| error < 1e-3));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct EndEffector(pub(crate) Table);

impl EndEffector {
    /// Follows `positions` (m) at `times` (s).
    pub fn new(robot: &str, link: &str, times: Vec<f64>, positions: Vec<DVec3>) -> Self {
        Self(table([
            ("robot", robot.into_value()),
            ("link", link.into_value()),
            ("times", times.into_value()),
            ("positions", positions.into_value()),
        ]))
    }
}

keys!(EndEffector {
    /// Where its frame is in the link, in m.
    offset_position: DVec3,
    /// Rotations of its frame in the world, one for each time; by default that at the start.
    rotations: Vec<Rotation>,
    /// How key frames are joined: `linear` or `spline`.
    interpolation: &str,
});
