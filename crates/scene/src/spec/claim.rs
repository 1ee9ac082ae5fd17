//! Claims in a scene file.

use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A prediction of theory: a measure of the run equals a number or a closed form, or is at least or at most that.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClaimSpec {
    /// The measure.
    pub(crate) measure: MeasureSpec,
    /// Another measure by which it is divided.
    pub(crate) relative_to: Option<MeasureSpec>,
    /// Its predicted value: a number, a value of the model such as "weight(rope)", or a closed form with its
    /// arguments, such as { capstan_ratio = { friction = 0.2, angle = 3.14 } }.
    pub(crate) equals: Option<ReferenceSpec>,
    /// Lower bound; instead of equals.
    pub(crate) at_least: Option<ReferenceSpec>,
    /// Upper bound; instead of equals.
    pub(crate) at_most: Option<ReferenceSpec>,
    /// Reference of the relative error: a number or a value of the model. By default the predicted value, and 1 where
    /// that is zero.
    pub(crate) scale: Option<ArgumentSpec>,
    /// Greatest relative error; required with equals, zero by default with at_least and at_most.
    #[schemars(range(min = 0.0))]
    pub(crate) tolerance: Option<f64>,
}

/// A measure: one number of a run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MeasureSpec {
    /// The quantity evaluated after each step, such as tension, velocities or support_force; docs/measures.md lists
    /// them.
    pub(crate) quantity: String,
    /// Owner of the quantity: the name of a rod, body, robot, clamp, attachment, actuator or end effector, or
    /// ROBOT/LINK. Not needed if there is only one.
    pub(crate) of: Option<String>,
    /// The body about which a rod is wound, for turns and wound_radii.
    pub(crate) about: Option<String>,
    /// Two rest arclengths in m, increasing: the part of a rod that knot_determinant, wraps and slack read; all of it by default.
    pub(crate) between: Option<[f64; 2]>,
    /// The other part of the rod for wraps.
    pub(crate) and_between: Option<[f64; 2]>,
    /// Direction in which both ends of a knot are extended, for knot_determinant; by default along the line between
    /// them.
    pub(crate) ends: Option<[f64; 3]>,
    /// Which component of a vector (x, y, z, norm, horizontal), wrench (force, torque, fx, …) or list of energies (total, kinetic, …);
    /// magnitude of a single number.
    pub(crate) component: Option<String>,
    /// Which row, from 0: a node, an edge, a joint.
    #[schemars(range(min = 0, max = 1000000))]
    pub(crate) at: Option<u32>,
    /// Reduction over rows: mean, greatest, least, sum or last.
    pub(crate) across: Option<String>,
    /// Reduction over time: mean, greatest, least, range, last, drift, jump, fall, rise, integral or period.
    pub(crate) over: String,
    /// The window begins after this time in s; with the run by default.
    pub(crate) from: Option<f64>,
    /// The window ends with this time in s; with the run by default.
    pub(crate) until: Option<f64>,
}

/// The predicted value of a measure.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum ReferenceSpec {
    /// A number.
    Number(f64),
    /// A value of the model.
    Value(String),
    /// A closed form by name, with its arguments.
    Form(BTreeMap<String, BTreeMap<String, ArgumentSpec>>),
}

/// An argument of a closed form.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum ArgumentSpec {
    /// A number.
    Number(f64),
    /// A value of the model.
    Value(String),
}
