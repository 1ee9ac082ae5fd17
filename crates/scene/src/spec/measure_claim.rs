//! Claims on a measure, as they stand in a scene file.

use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A measure of the run that equals a number or a closed form.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MeasureClaimSpec {
    /// What is read after each step, such as tension, velocities or clamp_wrenches; docs/measures.md lists them.
    pub(crate) quantity: String,
    /// Of what: the name of a rod, body, robot, clamp, attachment or actuator, or ROBOT/LINK. Not needed where there is one.
    pub(crate) of: Option<String>,
    /// Which component of a vector (x, y, z, norm), wrench (force, torque, fx, …) or list of energies (total, kinetic, …).
    pub(crate) component: Option<String>,
    /// Which row, from 0: a node, an edge, a joint.
    #[schemars(range(min = 0, max = 1000000))]
    pub(crate) at: Option<u32>,
    /// What rows come to together: mean, greatest, least, sum or last.
    pub(crate) across: Option<String>,
    /// What readings come to over time: mean, greatest, least, last, drift or integral.
    pub(crate) over: String,
    /// The window begins after this time in s; with the run by default.
    pub(crate) from: Option<f64>,
    /// The window ends with this time in s; with the run by default.
    pub(crate) until: Option<f64>,
    /// A number, or a closed form by name with its arguments, such as { capstan_ratio = { friction = 0.2, angle = 3.14 } }.
    pub(crate) equals: EqualsSpec,
    /// Greatest error: relative to what it equals, or absolute where that is zero.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// What a measure equals.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum EqualsSpec {
    /// A number.
    Number(f64),
    /// A closed form by name, with its arguments.
    Form(BTreeMap<String, BTreeMap<String, f64>>),
}
