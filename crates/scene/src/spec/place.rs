//! Rotations and key frames in a scene file.

use schemars::JsonSchema;
use serde::Deserialize;

/// A rotation from the axes of a thing to those in which it is placed.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum RotationSpec {
    /// A quaternion x, y, z, w; normalized.
    QuatXyzw([f64; 4]),
    /// Roll, pitch and yaw in rad, as in URDF: about the fixed axes x, then y, then z.
    Rpy([f64; 3]),
    /// An angle about an axis.
    AxisAngle(AxisAngleSpec),
}

/// A rotation by an angle about an axis.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AxisAngleSpec {
    /// Axis; normalized.
    pub(crate) axis: [f64; 3],
    /// Angle in rad.
    pub(crate) angle: f64,
}

/// Poses at given times. Before the first and after the last the pose stays.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyFramesSpec {
    /// Times in s, increasing.
    #[schemars(length(min = 1))]
    pub(crate) times: Vec<f64>,
    /// Positions in m, world axes, one for each time.
    #[schemars(length(min = 1))]
    pub(crate) positions: Vec<[f64; 3]>,
    /// Rotations, one for each time; constant by default.
    pub(crate) rotations: Option<Vec<RotationSpec>>,
    /// Interpolation; linear by default.
    #[serde(default)]
    pub(crate) interpolation: PathInterpolationSpec,
}

/// Interpolation of key frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PathInterpolationSpec {
    /// Straight and at constant speed.
    #[default]
    Linear,
    /// Smoothly, from rest to rest.
    Spline,
    /// Smoothly, from rest to rest, without overshooting a key frame.
    Monotone,
}
