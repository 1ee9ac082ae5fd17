//! Robots, what drives their joints, and attachments, as they stand in a scene file.

use super::attach::{AtSpec, FunctionSpec};
use super::place::{PathInterpolationSpec, RotationSpec};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A robot from a URDF or MJCF file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RobotSpec {
    /// A URDF file, its path counted from the scene file; or an embedded robot, such as robot:arm7_gripper. Either this or
    /// mjcf.
    pub(crate) urdf: Option<String>,
    /// An MJCF file (the format of MuJoCo), its path counted from the scene file.
    pub(crate) mjcf: Option<String>,
    /// The key frame of the MJCF in which it starts.
    pub(crate) key_frame: Option<String>,
    /// Whether the actuators of the MJCF drive it, called ROBOT.ACTUATOR; true by default.
    pub(crate) actuators: Option<bool>,
    /// Where its root is at the start, in m.
    #[serde(default)]
    pub(crate) position: [f64; 3],
    /// How its root is turned at the start.
    pub(crate) rotation: Option<RotationSpec>,
    /// How its root stands in the world; welded by default.
    #[serde(default)]
    pub(crate) base: BaseSpec,
    /// Positions of its joints at the start by name, in rad or m; else zero, or the limit nearest to it.
    #[serde(default)]
    pub(crate) joints: BTreeMap<String, f64>,
    /// Whether its controller balances its own weight, so that gravity does not act on its links.
    #[serde(default)]
    pub(crate) gravity_compensation: bool,
    /// Folders in which packages are looked for, counted from the scene file.
    #[serde(default)]
    pub(crate) package_paths: Vec<String>,
    /// Whether the nearest possible inertia stands for any of the file that no rigid body has; else such a file is refused.
    #[serde(default)]
    pub(crate) repair_inertia: bool,
    /// Coefficient of friction of its links; 0.5 by default.
    #[schemars(range(min = 0.0))]
    pub(crate) friction: Option<f64>,
    /// Surfaces of single links by name.
    #[serde(default)]
    pub(crate) links: BTreeMap<String, LinkSurfaceSpec>,
    /// Color in pictures: red, green, blue and opacity, each from 0 to 1 (sRGB); those of a palette, link by link, by default.
    #[schemars(extend("items" = { "type": "number", "minimum": 0.0, "maximum": 1.0 }))]
    pub(crate) color: Option<[f64; 4]>,
}

/// The surface of a link of a robot; what is not given is that of the robot.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LinkSurfaceSpec {
    /// Coefficient of friction.
    #[schemars(range(min = 0.0))]
    pub(crate) friction: Option<f64>,
    /// Stiffness in N/m; as hard as the step allows by default.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) contact_stiffness: Option<f64>,
    /// Hunt and Crossley's dissipation in s/m, for the laws lagged and similar.
    #[schemars(range(min = 0.0))]
    pub(crate) contact_dissipation: Option<f64>,
    /// Pressure in Pa at its middle, which makes it soft: it then touches in patches.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) pressure_modulus: Option<f64>,
    /// Size in m of the facets of round surfaces in patches.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) patch_resolution: Option<f64>,
}

/// How the root of a robot stands in the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BaseSpec {
    /// Welded to the world.
    #[default]
    Welded,
    /// Free to move.
    Free,
}

/// Drives one degree of freedom of a joint.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ActuatorSpec {
    /// Name of the robot; either this and joint, or body.
    pub(crate) robot: Option<String>,
    /// Name of the robot's joint.
    pub(crate) joint: Option<String>,
    /// Name of a body with a joint, or of a free body.
    pub(crate) body: Option<String>,
    /// Which degree of freedom of the joint, from 0.
    #[serde(default)]
    #[schemars(range(min = 0, max = 5))]
    pub(crate) dof: u32,
    /// What it does.
    pub(crate) kind: ActuatorKindSpec,
    /// The effort (N·m or N) of a force, else the target: rad or m, for a velocity rad/s or m/s.
    pub(crate) target: FunctionSpec,
    /// Effort per error in N·m/rad or N/m; for position and pi.
    #[schemars(range(min = 0.0))]
    pub(crate) position_gain: Option<f64>,
    /// Effort per error of the velocity in N·m·s/rad or N·s/m; for velocity, and for position (0 by default).
    #[schemars(range(min = 0.0))]
    pub(crate) velocity_gain: Option<f64>,
    /// Effort per integral of the error in N·m/(rad·s) or N/(m·s); for pi.
    #[schemars(range(min = 0.0))]
    pub(crate) integral_gain: Option<f64>,
    /// Greatest effort in N·m or N; that of the joint by default.
    #[schemars(range(min = 0.0))]
    pub(crate) effort_limit: Option<f64>,
}

/// Kinds of actuator.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ActuatorKindSpec {
    /// A given effort.
    Force,
    /// position_gain · (target − position) + velocity_gain · (rate of the target − velocity).
    Position,
    /// velocity_gain · (target − velocity).
    Velocity,
    /// position_gain · error + integral_gain · ∫ error dt, with the error target − position.
    Pi,
}

/// Position actuators on the joints of a robot, with the same gains for all.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ControlSpec {
    /// Name of the robot.
    pub(crate) robot: String,
    /// Names of the joints; by default all with one degree of freedom that follow no other.
    pub(crate) joints: Option<Vec<String>>,
    /// Effort per error in N·m/rad or N/m.
    #[schemars(range(min = 0.0))]
    pub(crate) position_gain: f64,
    /// Effort per error of the velocity in N·m·s/rad or N·s/m.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub(crate) velocity_gain: f64,
    /// Targets by joint in rad or m; else the position at the start.
    #[serde(default)]
    pub(crate) targets: BTreeMap<String, FunctionSpec>,
}

/// An end effector: a frame of a link that follows a path, by inverse kinematics and position actuators.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EndEffectorSpec {
    /// Name of the robot.
    pub(crate) robot: String,
    /// Name of the link.
    pub(crate) link: String,
    /// Where its frame is in the link, in m.
    #[serde(default)]
    pub(crate) offset_position: [f64; 3],
    /// How its frame is turned in the link.
    pub(crate) offset_rotation: Option<RotationSpec>,
    /// Joints that move it; by default all with a position actuator between the base and the link.
    pub(crate) joints: Option<Vec<String>>,
    /// Times of the key frames in s, increasing.
    #[schemars(length(min = 1))]
    pub(crate) times: Vec<f64>,
    /// Positions of its frame in the world in m, one for each time.
    #[schemars(length(min = 1))]
    pub(crate) positions: Vec<[f64; 3]>,
    /// Rotations of its frame in the world, one for each time; by default that at the start, all the time.
    pub(crate) rotations: Option<Vec<RotationSpec>>,
    /// The way from one key frame to the next; linear by default.
    #[serde(default)]
    pub(crate) interpolation: PathInterpolationSpec,
    /// Where the joints start: on the path, which is sought from the robot's joint positions (by default), or at these
    /// positions themselves.
    #[serde(default)]
    pub(crate) start: EndEffectorStartSpec,
}

/// Where the joints of an end effector start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EndEffectorStartSpec {
    /// Where it is on its path.
    #[default]
    Path,
    /// As the robot's joints are given.
    Joints,
}

/// Holds two things together as they are when it begins.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AttachSpec {
    /// What is held.
    pub(crate) kind: AttachKindSpec,
    /// The first end: name of a rod.
    pub(crate) rod: Option<String>,
    /// Where on that rod.
    pub(crate) at: Option<AtSpec>,
    /// Whether all copies of that rod are held, too, in the same way; they are called NAME_1, NAME_2 and so on.
    #[serde(default)]
    pub(crate) copies: bool,
    /// The first end: name of a body.
    pub(crate) body: Option<String>,
    /// The first end: name of a robot.
    pub(crate) robot: Option<String>,
    /// Name of the robot's link.
    pub(crate) link: Option<String>,
    /// The point of that body or link, in its frame in m; its origin by default.
    pub(crate) point: Option<[f64; 3]>,
    /// The second end.
    pub(crate) to: EndSpec,
    /// The springs of a bushing.
    pub(crate) bushing: Option<BushingSpec>,
    /// It holds from this time on, in s.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub(crate) from: f64,
    /// It is gone from this time on, in s; never by default.
    #[schemars(range(min = 0.0))]
    pub(crate) until: Option<f64>,
}

/// What an attachment holds.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AttachKindSpec {
    /// A node of a rod, which may turn.
    Pin,
    /// A point, which may turn.
    Ball,
    /// A point and the orientation: of a rod, its tangent and twist.
    Clamp,
    /// A point and the orientation, by springs: `bushing` says how stiff they are.
    Bushing,
}

/// Springs between two ends, one kind along each axis between the points and two about the axes of the first end.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BushingSpec {
    /// Stiffness between the points in N/m.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) translation: f64,
    /// Stiffness about the axes x and y of the first end in N·m/rad; of a rod those across its tangent.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) bend: f64,
    /// Stiffness about the axis z of the first end in N·m/rad; of a rod its tangent.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) twist: f64,
    /// Damping over stiffness in s.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub(crate) damping_time: f64,
    /// Rotation of the first end's frame in that of the second at which no torque acts; as they are when it begins by default.
    pub(crate) rest: Option<RotationSpec>,
}

/// The second end of an attachment.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum EndSpec {
    /// By name.
    Named(WorldName),
    /// A rod, body or link.
    Thing(ThingSpec),
}

/// The world.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WorldName {
    /// The world.
    World,
}

/// A point of a rod, body or link; of the world if none is named.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ThingSpec {
    /// Name of a body.
    pub(crate) body: Option<String>,
    /// Name of a robot.
    pub(crate) robot: Option<String>,
    /// Name of the robot's link.
    pub(crate) link: Option<String>,
    /// Name of a rod.
    pub(crate) rod: Option<String>,
    /// Where on that rod.
    pub(crate) at: Option<AtSpec>,
    /// The point in the frame of the body, link or world in m; where the first end is by default.
    pub(crate) point: Option<[f64; 3]>,
}
