//! Junctions of rods, as they stand in a scene file.

use super::attach::AtSpec;
use schemars::JsonSchema;
use serde::Deserialize;

/// Joins rods at a point: force and moment go through, and the angles between them stay as they are at the start.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JunctionSpec {
    /// What is joined, two or more; ends have the junction in the middle of their last edge.
    #[schemars(length(min = 2))]
    pub(crate) ends: Vec<JunctionEndSpec>,
}

/// A rod of a junction.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JunctionEndSpec {
    /// Name of the rod.
    pub(crate) rod: String,
    /// Where on it.
    pub(crate) at: AtSpec,
}
