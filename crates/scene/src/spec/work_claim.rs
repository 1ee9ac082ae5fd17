//! Claims on ropes at work, as they stand in a scene file.

use schemars::JsonSchema;
use serde::Deserialize;

/// A claim on a free body that is carried.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BodyClaimSpec {
    /// Name of the body.
    pub(crate) body: String,
    /// Greatest error, relative to its weight.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// A claim on the weight of everything.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TotalWeightSpec {
    /// Greatest error, relative to the weight.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// A claim on a rod that stays where it is.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DriftSpec {
    /// Name of the rod.
    pub(crate) rod: String,
    /// Time from which on it stays, in s.
    #[schemars(range(min = 0.0))]
    pub(crate) from: f64,
    /// Greatest way of its ends and its centre of mass as a share of its thickness.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// A claim on a rod and a body.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RodOnBodySpec {
    /// Name of the rod.
    pub(crate) rod: String,
    /// Name of the body; where an axis is needed, its first shape is a cylinder or a capsule.
    pub(crate) body: String,
    /// Greatest error.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// A claim on a belt that slips on a pulley.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BeltSlipSpec {
    /// Name of the belt: a closed rod.
    pub(crate) rod: String,
    /// Name of the pulley: a body whose shape is a cylinder.
    pub(crate) body: String,
    /// Angle of the belt on the pulley in rad; its two spans are parallel.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) angle: f64,
    /// Greatest error, relative to the reference.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// A claim on a load that hangs on a rope, over a span of time.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HungTensionSpec {
    /// Name of the attachment that joins an end of the rope to the load.
    pub(crate) attach: String,
    /// Start of the span of time in s.
    #[schemars(range(min = 0.0))]
    pub(crate) from: f64,
    /// Its end in s.
    #[schemars(range(min = 0.0))]
    pub(crate) until: f64,
    /// Greatest error, relative to the reference.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// A claim on the motor of a winch, over a span of time.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WinchTorqueSpec {
    /// Name of the actuator that turns the drum.
    pub(crate) actuator: String,
    /// Name of the drum: a body whose shape is a cylinder.
    pub(crate) body: String,
    /// Name of the attachment that joins an end of the rope to the load.
    pub(crate) attach: String,
    /// Start of the span of time in s.
    #[schemars(range(min = 0.0))]
    pub(crate) from: f64,
    /// Its end in s.
    #[schemars(range(min = 0.0))]
    pub(crate) until: f64,
    /// Greatest error, relative to the reference.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// A claim on a rod whose halves are mirror images.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MirrorShapeSpec {
    /// Name of the rod.
    pub(crate) rod: String,
    /// Normal of the mirror, which lies half way between the ends of the rod.
    pub(crate) normal: [f64; 3],
    /// Greatest distance of a node from the image of its partner, as a share of the rod's length.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// A claim on two attachments whose forces and torques are mirror images.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MirrorForceSpec {
    /// Names of the two attachments; a rod is the first end of both.
    pub(crate) attach: [String; 2],
    /// Normal of the mirror.
    pub(crate) normal: [f64; 3],
    /// Greatest difference as a share of the greatest force and torque.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// A claim on an attachment that lets go.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReleasedSpec {
    /// Name of the attachment.
    pub(crate) attach: String,
    /// Greatest force afterwards as a share of the greatest one before.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// A claim on the pull of a loose knot.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LooseKnotSpec {
    /// Names of the clamps that hold the position of the two ends of the rope.
    pub(crate) clamps: [String; 2],
    /// Greatest error, relative to the reference.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// A claim on where a rod runs.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TracksSpec {
    /// Name of the rod.
    pub(crate) rod: String,
    /// Normal of the plane through the origin in which its centre of mass should be.
    pub(crate) normal: [f64; 3],
    /// Time from which on it should, in s.
    #[schemars(range(min = 0.0))]
    pub(crate) from: f64,
    /// Greatest distance from the plane in m.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// A claim on a rod that comes nearer to a plane.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApproachesSpec {
    /// Name of the rod.
    pub(crate) rod: String,
    /// Normal of the plane through the origin to which its centre of mass comes nearer.
    pub(crate) normal: [f64; 3],
    /// By how much it comes nearer over the run, in m.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) distance: f64,
    /// What it may fall short of that, relative.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// A claim on a body that stays where it is, or upright.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StaysSpec {
    /// Name of the body.
    pub(crate) body: String,
    /// Time from which on it does, in s.
    #[schemars(range(min = 0.0))]
    pub(crate) from: f64,
    /// Greatest way of its centre of mass in m, or angle in rad.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// A claim on a body that a belt slides under and pushes against a stop.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StopForceSpec {
    /// Name of the free body that lies on the belt.
    pub(crate) body: String,
    /// Name of the belt.
    pub(crate) rod: String,
    /// Name of the body that stops it.
    pub(crate) stop: String,
    /// Time from which on it is stopped, in s.
    #[schemars(range(min = 0.0))]
    pub(crate) from: f64,
    /// Greatest error, relative to the reference.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}
