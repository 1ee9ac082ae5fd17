//! Junctions of rods in a scene file.

use super::attach::AtSpec;
use schemars::JsonSchema;
use serde::Deserialize;

/// Joins rods rigidly at a point: force and moment are transmitted, and the initial angles between them stay
/// constant.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JunctionSpec {
    /// The joined rods, two or more; the junction is in the middle of their end edges.
    #[schemars(length(min = 2))]
    pub(crate) ends: Vec<JunctionEndSpec>,
}

/// A rod of a junction.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JunctionEndSpec {
    /// Name of the rod.
    pub(crate) rod: String,
    /// Position on it.
    pub(crate) at: AtSpec,
}
