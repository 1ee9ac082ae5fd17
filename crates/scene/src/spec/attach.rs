//! Clamps, loads and drives of rods in a scene file.

use super::rod::Numbers;
use schemars::JsonSchema;
use serde::Deserialize;

/// A function of time: a number, or a ramp, sine or table.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum FunctionSpec {
    /// A constant value.
    Constant(f64),
    /// A shape in time.
    Shape(FunctionShapeSpec),
}

/// A shape in time. Before its first and after its last key a ramp or table keeps its end values.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum FunctionShapeSpec {
    /// From one value to another.
    Ramp(RampSpec),
    /// offset + amplitude · sin(2π · frequency · t + phase).
    Sine(SineSpec),
    /// Values at keys.
    Table(TableSpec),
}

/// From one value to another over a span of time.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RampSpec {
    /// Start and end of the ramp in s.
    pub(crate) times: [f64; 2],
    /// Values at start and end.
    pub(crate) values: [f64; 2],
    /// Interpolation; linear by default.
    #[serde(default)]
    pub(crate) interpolation: InterpolationSpec,
}

/// offset + amplitude · sin(2π · frequency · t + phase).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SineSpec {
    /// Amplitude.
    pub(crate) amplitude: f64,
    /// Frequency in Hz.
    #[schemars(range(min = 0.0))]
    pub(crate) frequency: f64,
    /// Phase in rad.
    #[serde(default)]
    pub(crate) phase: f64,
    /// Mean value.
    #[serde(default)]
    pub(crate) offset: f64,
}

/// Values at keys.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TableSpec {
    /// Times of the keys in s, increasing.
    #[schemars(length(min = 1))]
    pub(crate) times: Vec<f64>,
    /// Values at the keys.
    #[schemars(length(min = 1))]
    pub(crate) values: Vec<f64>,
    /// Interpolation; linear by default.
    #[serde(default)]
    pub(crate) interpolation: InterpolationSpec,
}

/// Interpolation of a ramp or table between keys.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum InterpolationSpec {
    /// Straight lines.
    #[default]
    Linear,
    /// 3u² − 2u³ between keys: at rest at every key.
    Smooth,
    /// Each value holds until the next key.
    Hold,
}

/// A position on a rod.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum AtSpec {
    /// The first node or edge.
    Start,
    /// The last node or edge.
    End,
    /// An edge, counted from 0.
    Edge(#[schemars(range(min = 0, max = 1000000))] u32),
    /// A node, counted from 0.
    Node(#[schemars(range(min = 0, max = 1000000))] u32),
    /// The node or edge nearest to this rest arclength in m.
    Arclength(#[schemars(range(min = 0.0))] f64),
}

/// The degrees of freedom that a clamp prescribes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum HoldSpec {
    /// Position, tangent and twist of an edge.
    #[default]
    All,
    /// Position of a node.
    Position,
    /// Position and tangent of an edge, which may spin about its axis.
    PositionTangent,
    /// The twist angle of an edge alone.
    Spin,
}

/// Fixes or drives part of a rod.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClampSpec {
    /// Name of the rod.
    pub(crate) rod: String,
    /// Where.
    pub(crate) at: AtSpec,
    /// The prescribed degrees of freedom; all by default.
    #[serde(default)]
    pub(crate) hold: HoldSpec,
    /// Motion relative to the initial position; none by default.
    pub(crate) motion: Option<MotionSpec>,
    /// Time in s at which the clamp is removed; never by default.
    #[schemars(range(min = 0.0))]
    pub(crate) release: Option<f64>,
}

/// A rigid motion in time.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MotionSpec {
    /// Translation along x, y and z in m.
    pub(crate) translation: Option<[FunctionSpec; 3]>,
    /// Axis of rotation, through the clamped point.
    pub(crate) axis: Option<[f64; 3]>,
    /// Angle about the axis in rad; may be many turns.
    pub(crate) angle: Option<FunctionSpec>,
}

/// An external force: exactly one of point, follower, distributed, distributed_follower, torque, drag.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LoadSpec {
    /// Name of the rod.
    pub(crate) rod: String,
    /// Factor on the force in time; 1 by default. Not for drag.
    pub(crate) scale: Option<FunctionSpec>,
    /// A force of fixed direction on a node.
    pub(crate) point: Option<PointLoadSpec>,
    /// A force on a node that rotates with the rod.
    pub(crate) follower: Option<PointLoadSpec>,
    /// A force per length of fixed direction.
    pub(crate) distributed: Option<DistributedLoadSpec>,
    /// A force per length that rotates with the rod.
    pub(crate) distributed_follower: Option<DistributedLoadSpec>,
    /// A torque about the tangent.
    pub(crate) torque: Option<TorqueSpec>,
    /// Drag of a fluid.
    pub(crate) drag: Option<DragSpec>,
}

/// A force on a node.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PointLoadSpec {
    /// Where.
    pub(crate) at: AtSpec,
    /// Force in N: along x, y, z, or, for a follower, along m1, m2 and the tangent.
    pub(crate) force: [f64; 3],
}

/// A force per length.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DistributedLoadSpec {
    /// Force in N/m per rest length: along x, y, z, or, for a follower, along m1, m2 and the tangent.
    pub(crate) force: [f64; 3],
    /// Where it starts, as a fraction of the rod's length.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub(crate) from: f64,
    /// Where it ends, as a fraction of the rod's length.
    #[serde(default = "whole")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub(crate) to: f64,
}

fn whole() -> f64 {
    1.0
}

/// A torque about the tangent of an edge.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TorqueSpec {
    /// Where.
    pub(crate) at: AtSpec,
    /// Torque in N·m.
    pub(crate) torque: f64,
}

/// Drag: per length c_t v_t + (c_n + c_q |v_n|) v_n against the velocity relative to the fluid.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DragSpec {
    /// c_n, normal to the rod, in N·s/m².
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub(crate) normal: f64,
    /// c_t, along the rod, in N·s/m².
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub(crate) tangential: f64,
    /// c_q, normal to the rod, in N·s²/m³.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub(crate) quadratic: f64,
    /// Velocity of the fluid in m/s.
    #[serde(default)]
    pub(crate) flow: [f64; 3],
}

/// Adds to the natural curvature and twist of a rod: rest + scale(t) · change.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DriveSpec {
    /// Name of the rod.
    pub(crate) rod: String,
    /// Whether it drives all copies of the rod, too.
    #[serde(default)]
    pub(crate) copies: bool,
    /// Change of the curvature towards m1 in 1/m.
    pub(crate) curvature1: Option<Numbers>,
    /// Change of the curvature towards m2 in 1/m.
    pub(crate) curvature2: Option<Numbers>,
    /// Change of the twist in rad/m.
    pub(crate) twist: Option<Numbers>,
    /// An additional random change, different for each rod.
    pub(crate) random: Option<RandomShapeSpec>,
    /// Factor in time.
    pub(crate) scale: FunctionSpec,
}

/// A random natural shape. Each rod has a uniform curvature that is normally distributed, in a direction that is
/// uniformly distributed around the rod; its twist is normally distributed at each node.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RandomShapeSpec {
    /// Mean of the curvature in 1/m.
    pub(crate) curvature: f64,
    /// Deviation of the curvature in 1/m.
    #[schemars(range(min = 0.0))]
    pub(crate) curvature_deviation: f64,
    /// Deviation of the twist in rad/m; its mean is zero.
    #[schemars(range(min = 0.0))]
    pub(crate) twist_deviation: f64,
}
