//! The messages of a recording. Comments here are the descriptions in the schemas of the file.
//!
//! Readers should pass over fields that they do not know: later versions may add some.

pub use super::binary_frame::FrameMessage;
pub use super::contact_message::{
    ContactInfo, ContactSideInfo, ContactsMessage, PatchInfo, PatchSideInfo, PatchTotals, PatchesMessage,
    PolygonInfo,
};
pub use super::envelope::Message;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The scene, constant during a run. SI units, radians, z up, world axes unless stated otherwise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SceneMessage {
    /// Version of the messages.
    pub format: u32,
    /// Version of the program that wrote this.
    pub ropewalk: String,
    /// Name of the scene.
    pub name: String,
    /// What it shows, in one line.
    pub title: String,
    /// Gravity in m/s².
    pub gravity: [f64; 3],
    /// Time step in s.
    pub dt: f64,
    /// Time between frames in s.
    pub frame_interval: f64,
    /// Rods, in the order of all messages.
    pub rods: Vec<RodInfo>,
    /// Bodies and robots, each a tree of links, in the order of all messages.
    pub trees: Vec<TreeInfo>,
    /// Names of the clamps, in the order of all messages.
    pub clamps: Vec<String>,
    /// Names of the attachments, in the order of all messages.
    pub attachments: Vec<String>,
    /// Actuators, in the order of all messages.
    pub actuators: Vec<ActuatorInfo>,
    /// The text of the scene (TOML).
    pub text: String,
    /// Overrides of the text, such as `rod.beam.segments=40`.
    pub overrides: Vec<String>,
}

/// A rod.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RodInfo {
    /// Name.
    pub name: String,
    /// Whether the last node is joined to the first.
    pub closed: bool,
    /// Nodes.
    pub node_count: usize,
    /// Edges: as many as nodes if closed, else one less.
    pub edge_count: usize,
    /// Half the thickness of the section of each edge along the material directors m1 and m2, in m: two equal numbers,
    /// the radius, for a round section.
    pub half_extents: Vec<[f64; 2]>,
    /// Length of each edge at rest in m.
    pub rest_lengths: Vec<f64>,
    /// Mass in kg.
    pub mass: f64,
    /// Color that the scene gives it: red, green, blue and opacity, each from 0 to 1 (sRGB).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<[f64; 4]>,
}

/// A body or a robot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TreeInfo {
    /// Name.
    pub name: String,
    /// Whether it is a robot; else it is a body of the scene.
    pub robot: bool,
    /// Links; parents come before their children.
    pub links: Vec<LinkInfo>,
}

/// A link.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LinkInfo {
    /// Name.
    pub name: String,
    /// Index of the parent; null for the root.
    pub parent: Option<usize>,
    /// Name of the joint to the parent, or to the world.
    pub joint: String,
    /// Kind of the joint: fixed, revolute, continuous, prismatic, ball, universal, planar or free.
    pub joint_kind: String,
    /// Mass in kg.
    pub mass: f64,
    /// Shapes of the link.
    pub shapes: Vec<ShapeInfo>,
    /// Color that the scene gives it: red, green, blue and opacity, each from 0 to 1 (sRGB).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<[f64; 4]>,
}

/// A shape of a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShapeInfo {
    /// Name, if it has one.
    pub name: Option<String>,
    /// Position of its frame in the link in m.
    pub position: [f64; 3],
    /// Rotation of its frame in the link.
    pub quat_xyzw: [f64; 4],
    /// The solid.
    pub geometry: Geometry,
}

/// A solid in its own frame. Lengths in m.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Geometry {
    /// Ball about the origin.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// Box about the origin.
    Box {
        /// Full lengths along x, y and z.
        size: [f64; 3],
    },
    /// Cylinder about the z axis, centered.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Full length.
        length: f64,
    },
    /// Capsule about the z axis, centered.
    Capsule {
        /// Radius.
        radius: f64,
        /// Length between the centers of its caps.
        length: f64,
    },
    /// All points with z ≤ 0.
    HalfSpace,
    /// A surface of triangles: a convex hull, a mesh, or the top of a heightfield.
    Mesh {
        /// Vertices.
        vertices: Vec<[f64; 3]>,
        /// Corners of each triangle as indices of vertices, counter-clockwise from outside.
        triangles: Vec<[u32; 3]>,
    },
}

/// An actuator.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActuatorInfo {
    /// Name.
    pub name: String,
    /// Index of its tree.
    pub tree: usize,
    /// Index of the link whose joint it drives.
    pub link: usize,
    /// Unit of its effort: N or N·m.
    pub unit: String,
}

/// The state at one time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StateMessage {
    /// Time in s.
    pub time: f64,
    /// Rods.
    pub rods: Vec<RodFrame>,
    /// Bodies and robots.
    pub trees: Vec<TreeFrame>,
    /// Whether each attachment holds.
    pub attached: Vec<bool>,
}

/// A rod at one time: n nodes, e edges.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RodFrame {
    /// (n, 4): position (m) of each node and twist angle (rad) of the edge that leaves it.
    pub q: Vec<[f64; 4]>,
    /// (n, 4): velocities in m/s and rad/s.
    pub v: Vec<[f64; 4]>,
    /// (e, 3): reference director of each edge; turned about the edge by the twist angle it is the material director m1.
    pub d1: Vec<[f64; 3]>,
    /// (e,): tension in N, positive in pull.
    pub tension: Vec<f64>,
    /// Curvature in 1/m at each node between two edges: n - 2 of an open rod, n of a closed one.
    pub curvature: Vec<f64>,
    /// Twist in rad/m at the same nodes.
    pub twist_rate: Vec<f64>,
}

/// A tree at one time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TreeFrame {
    /// Positions of the joints (rad, m; quaternions x, y, z, w).
    pub q: Vec<f64>,
    /// Velocities of the joints (rad/s, m/s).
    pub v: Vec<f64>,
    /// (l, 7): position (m) and quat_xyzw of each link.
    pub poses: Vec<[f64; 7]>,
}

/// Measured values at one time. Forces, torques and efforts are means over the last step, and absent before the
/// first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MeasuresMessage {
    /// Time in s.
    pub time: f64,
    /// Energies in J.
    pub energies: EnergiesInfo,
    /// Work of clamps, loads, drives, actuators and driven bodies since the start in J.
    pub work: f64,
    /// Length of each rod in m.
    pub rod_lengths: Vec<f64>,
    /// Wrench of each clamp on its rod.
    pub clamps: Vec<WrenchInfo>,
    /// Wrench of each attachment on its first end.
    pub attachments: Vec<WrenchInfo>,
    /// Wrench of the ground, or of the drive, on the base of each tree, about the base's origin.
    pub bases: Vec<WrenchInfo>,
    /// Effort of each actuator, N or N·m.
    pub efforts: Vec<f64>,
    /// Contacts that push.
    pub contact_count: usize,
    /// Deepest overlap of a contact of a rod as a share of the thickness of the thinner side.
    pub deepest_overlap: f64,
    /// Sums over the patches of pressure fields; absent without pressure fields, and before the first step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patches: Option<PatchTotals>,
    /// Numbers of the frame that were not finite and are written as 0; absent if none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_finite: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Energies in J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EnergiesInfo {
    /// Of motion.
    pub kinetic: f64,
    /// Of stretching.
    pub stretch: f64,
    /// Of bending.
    pub bend: f64,
    /// Of twisting.
    pub twist: f64,
    /// Of gravity.
    pub gravity: f64,
    /// Of springs in joints.
    pub joints: f64,
    /// The sum.
    pub total: f64,
}

/// A force and a torque.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WrenchInfo {
    /// Force in N.
    pub force: [f64; 3],
    /// Torque about the held point in N·m.
    pub torque: [f64; 3],
}

/// An event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EventMessage {
    /// Time in s.
    pub time: f64,
    /// What.
    pub kind: EventKind,
    /// The affected thing; empty for the run itself.
    pub name: String,
    /// Details in words.
    pub detail: String,
}

/// Kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// The recording begins.
    Start,
    /// An attachment is made.
    Attach,
    /// An attachment, or a clamp, is released.
    Release,
    /// A viewer has changed the run: `name` is the command, `detail` JSON with the number of steps before it. If
    /// `name` is `commands`, a program has changed it, and `detail` is JSON with all commands from then on.
    Command,
    /// A step failed; the state before it is the last of the recording.
    Failure,
    /// The recording ends.
    End,
}

/// Wall-clock time of stages since the last such message.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimersMessage {
    /// Time in s.
    pub time: f64,
    /// Steps since the last message.
    pub steps: u64,
    /// Sub-steps in them.
    pub substeps: u64,
    /// Linearizations in them.
    pub iterations: u64,
    /// Names of the stages of a step.
    pub stages: Vec<String>,
    /// Seconds in each stage, summed over threads.
    pub seconds: Vec<f64>,
}
