//! Robots, actuators, end effectors and attachments in a scene file.

use super::attach::{AtSpec, FunctionSpec};
use super::place::{PathInterpolationSpec, RotationSpec};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A robot from a URDF or MJCF file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RobotSpec {
    /// A URDF file, relative to the scene file; or an embedded robot, such as robot:arm7_gripper. Either this or
    /// mjcf.
    pub(crate) urdf: Option<String>,
    /// An MJCF file (the format of MuJoCo), relative to the scene file.
    pub(crate) mjcf: Option<String>,
    /// The key frame of the MJCF in which it starts.
    pub(crate) key_frame: Option<String>,
    /// Whether the actuators of the MJCF drive it, called ROBOT.ACTUATOR; true by default.
    pub(crate) actuators: Option<bool>,
    /// Initial position of its root, in m.
    #[serde(default)]
    pub(crate) position: [f64; 3],
    /// Initial rotation of its root.
    pub(crate) rotation: Option<RotationSpec>,
    /// Connection of its root to the world; welded by default.
    #[serde(default)]
    pub(crate) base: BaseSpec,
    /// Initial positions of its joints by name, in rad or m; otherwise zero, or the limit nearest to it.
    #[serde(default)]
    pub(crate) joints: BTreeMap<String, f64>,
    /// Whether its controller compensates gravity exactly, so that gravity does not act on its links.
    #[serde(default)]
    pub(crate) gravity_compensation: bool,
    /// Folders in which packages are searched, relative to the scene file.
    #[serde(default)]
    pub(crate) package_paths: Vec<String>,
    /// Whether impossible inertias are replaced by the nearest possible ones; otherwise such a file is rejected.
    #[serde(default)]
    pub(crate) repair_inertia: bool,
    /// Coefficient of friction of its links; 0.5 by default.
    #[schemars(range(min = 0.0))]
    pub(crate) friction: Option<f64>,
    /// Surfaces of single links by name.
    #[serde(default)]
    pub(crate) links: BTreeMap<String, LinkSurfaceSpec>,
    /// Color in pictures: red, green, blue and opacity, each from 0 to 1 (sRGB); from a palette, link by link, by
    /// default.
    #[schemars(extend("items" = { "type": "number", "minimum": 0.0, "maximum": 1.0 }))]
    pub(crate) color: Option<[f64; 4]>,
}

/// The surface of a link of a robot; missing values are those of the robot.
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
    /// Greatest pressure of its pressure field in Pa, which makes it soft: its contact is then in patches.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) pressure_modulus: Option<f64>,
    /// Size in m of the facets of round surfaces in patches.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) patch_resolution: Option<f64>,
}

/// Connection of the root of a robot to the world.
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
    /// Its kind.
    pub(crate) kind: ActuatorKindSpec,
    /// The effort (N·m or N) of a force actuator, otherwise the target: rad or m, for a velocity rad/s or m/s.
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
    /// Names of the joints; by default all with one degree of freedom that are not mimic joints.
    pub(crate) joints: Option<Vec<String>>,
    /// Effort per error in N·m/rad or N/m.
    #[schemars(range(min = 0.0))]
    pub(crate) position_gain: f64,
    /// Effort per error of the velocity in N·m·s/rad or N·s/m.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub(crate) velocity_gain: f64,
    /// Targets by joint in rad or m; otherwise the initial position.
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
    /// Position of its frame in the link, in m.
    #[serde(default)]
    pub(crate) offset_position: [f64; 3],
    /// Rotation of its frame in the link.
    pub(crate) offset_rotation: Option<RotationSpec>,
    /// Joints that move it; by default all with a position actuator between the base and the link.
    pub(crate) joints: Option<Vec<String>>,
    /// Times of the key frames in s, increasing.
    #[schemars(length(min = 1))]
    pub(crate) times: Vec<f64>,
    /// Positions of its frame in the world in m, one for each time.
    #[schemars(length(min = 1))]
    pub(crate) positions: Vec<[f64; 3]>,
    /// Rotations of its frame in the world, one for each time; constant by default.
    pub(crate) rotations: Option<Vec<RotationSpec>>,
    /// Interpolation of key frames; linear by default.
    #[serde(default)]
    pub(crate) interpolation: PathInterpolationSpec,
    /// Initial joint positions: on the path, by inverse kinematics from the robot's joint positions (by default), or
    /// these positions themselves.
    #[serde(default)]
    pub(crate) start: EndEffectorStartSpec,
}

/// Initial joint positions of an end effector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EndEffectorStartSpec {
    /// At the start of its path.
    #[default]
    Path,
    /// The given positions of the robot's joints.
    Joints,
}

/// Connects two things in their relative pose at the time when it begins.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AttachSpec {
    /// The constrained degrees of freedom.
    pub(crate) kind: AttachKindSpec,
    /// The first end: name of a rod.
    pub(crate) rod: Option<String>,
    /// Position on that rod.
    pub(crate) at: Option<AtSpec>,
    /// Whether all copies of that rod are attached, too; these attachments are called NAME_1, NAME_2 and so on.
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
    /// Time in s at which it begins.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub(crate) from: f64,
    /// Time in s at which it is released; never by default.
    #[schemars(range(min = 0.0))]
    pub(crate) until: Option<f64>,
}

/// The degrees of freedom constrained by an attachment.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AttachKindSpec {
    /// A node of a rod; rotation is free.
    Pin,
    /// A point; rotation is free.
    Ball,
    /// A point and the orientation: of a rod, its tangent and twist.
    Clamp,
    /// A point and the orientation, by springs with the stiffness of `bushing`.
    Bushing,
}

/// Springs between two ends, one kind along each axis between the points and two about the axes of the first end.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BushingSpec {
    /// Stiffness between the points in N/m.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) translation: f64,
    /// Stiffness about the axes x and y of the first end in N·m/rad; for a rod, those normal to its tangent.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) bend: f64,
    /// Stiffness about the axis z of the first end in N·m/rad; for a rod, its tangent.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) twist: f64,
    /// Damping over stiffness in s.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub(crate) damping_time: f64,
    /// Rotation of the first end's frame in that of the second at which no torque acts; by default that at the time
    /// when it begins.
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
    /// Position on that rod.
    pub(crate) at: Option<AtSpec>,
    /// The point in the frame of the body, link or world in m; by default the position of the first end.
    pub(crate) point: Option<[f64; 3]>,
}
