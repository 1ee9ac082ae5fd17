//! Claims on grasps and what they tie, as they stand in a scene file.

use schemars::JsonSchema;
use serde::Deserialize;

/// A claim on the force of a finger.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PinchForceSpec {
    /// Name of the actuator, of kind `force`, that closes the finger: a body on a prismatic joint.
    pub(crate) actuator: String,
    /// Time from which on the finger is closed, in s.
    #[schemars(range(min = 0.0))]
    pub(crate) from: f64,
    /// Greatest difference between force and command, as a share of the command at the end.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// A claim on how the force of a finger rises.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PinchRiseSpec {
    /// Name of the actuator, of kind `force`, that closes the finger: a body on a prismatic joint.
    pub(crate) actuator: String,
    /// Greatest fall below what the force has been before, as a share of the command at the end.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// An end of a rod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RodEndSpec {
    /// The first node.
    Start,
    /// The last node.
    End,
}

/// A claim on a rod that is held.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreepSpec {
    /// Name of the rod.
    pub(crate) rod: String,
    /// The end that is pulled.
    pub(crate) at: RodEndSpec,
    /// Direction of the pull.
    pub(crate) along: [f64; 3],
    /// Time from which on it is held, in s.
    #[schemars(range(min = 0.0))]
    pub(crate) from: f64,
    /// Greatest speed in m/s.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// A claim on a knot.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KnottedSpec {
    /// Name of the rod, which is open.
    pub(crate) rod: String,
    /// Determinant of the knot: 1 for none, 3 for an overhand knot, 5 for one with two turns or a figure eight.
    #[schemars(range(min = 1))]
    pub(crate) determinant: u32,
    /// Two rest arclengths in m, increasing: only the rod between them counts, as if it ended there; all of it by default.
    pub(crate) between: Option<[f64; 2]>,
    /// The direction in which both ends go on to infinity; by default each goes on along the line between them.
    pub(crate) ends: Option<[f64; 3]>,
    /// Greatest difference.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// A claim on two parts of a rod that are wound round one another.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TwinedSpec {
    /// Name of the rod.
    pub(crate) rod: String,
    /// The two parts, each by two rest arclengths in m, increasing.
    pub(crate) between: [[f64; 2]; 2],
    /// Turns about one another, right-handed ones positive if both run the same way.
    pub(crate) turns: f64,
    /// Greatest difference in turns.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// A claim on how tightly a rod is pulled at its clamps.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PulledTightSpec {
    /// Name of the rod.
    pub(crate) rod: String,
    /// Two rest arclengths in m, increasing, from which it is pulled; its ends by default.
    pub(crate) between: Option<[f64; 2]>,
    /// Greatest slack in thicknesses.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}
