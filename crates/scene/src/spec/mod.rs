//! The scene file as types: every key once, with its unit, range and default.
//!
//! Comments here become the descriptions in the JSON schema, and ranges its bounds, which
//! [`crate::check`] enforces with the place of the mistake.

mod attach;
mod body;
mod claim;
mod contact;
mod junction;
mod place;
mod robot;
mod rod;

pub(crate) use attach::*;
pub(crate) use body::*;
pub(crate) use claim::*;
pub(crate) use contact::*;
pub(crate) use junction::*;
pub(crate) use place::*;
pub(crate) use robot::*;
pub(crate) use rod::*;

use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A scene: rods, bodies and robots with their attachments, loads and drives. SI units, radians, z up.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Ropewalk scene")]
pub(crate) struct SceneSpec {
    /// Title, in one line.
    pub(crate) title: String,
    /// Gravity in m/s².
    #[serde(default = "default_gravity")]
    pub(crate) gravity: [f64; 3],
    /// Seed of all random numbers in the scene.
    #[serde(default = "default_seed")]
    #[schemars(range(min = 0, max = 4294967295u32))]
    pub(crate) seed: u32,
    /// Time step, duration and scheme.
    pub(crate) time: TimeSpec,
    /// How steps are solved.
    #[serde(default)]
    pub(crate) solver: SolverSpec,
    /// Numerical parameters by name that differ from their nominal values; `ropewalk check` lists them.
    #[serde(default)]
    pub(crate) tuning: BTreeMap<String, f64>,
    /// Contact between rods and bodies.
    #[serde(default)]
    pub(crate) contact: ContactSpec,
    /// How often results are written.
    #[serde(default)]
    pub(crate) output: OutputSpec,
    /// Materials by name.
    #[serde(default)]
    pub(crate) material: BTreeMap<String, MaterialSpec>,
    /// Rods by name.
    #[serde(default)]
    pub(crate) rod: BTreeMap<String, RodSpec>,
    /// Clamps by name: parts of rods that are fixed or driven.
    #[serde(default)]
    pub(crate) clamp: BTreeMap<String, ClampSpec>,
    /// Loads by name: external forces.
    #[serde(default)]
    pub(crate) load: BTreeMap<String, LoadSpec>,
    /// Drives by name: natural curvature and twist that change in time.
    #[serde(default)]
    pub(crate) drive: BTreeMap<String, DriveSpec>,
    /// Bodies by name.
    #[serde(default)]
    pub(crate) body: BTreeMap<String, BodySpec>,
    /// Robots by name.
    #[serde(default)]
    pub(crate) robot: BTreeMap<String, RobotSpec>,
    /// Attachments by name: connections of rods and bodies.
    #[serde(default)]
    pub(crate) attach: BTreeMap<String, AttachSpec>,
    /// Junctions by name: rods that are joined at a point.
    #[serde(default)]
    pub(crate) junction: BTreeMap<String, JunctionSpec>,
    /// Actuators by name.
    #[serde(default)]
    pub(crate) actuator: BTreeMap<String, ActuatorSpec>,
    /// Controllers of whole robots by name.
    #[serde(default)]
    pub(crate) control: BTreeMap<String, ControlSpec>,
    /// End effectors by name: frames of robots that follow paths.
    #[serde(default)]
    pub(crate) end_effector: BTreeMap<String, EndEffectorSpec>,
    /// Claims by name: predictions of theory for the result.
    #[serde(default)]
    pub(crate) claim: BTreeMap<String, ClaimSpec>,
}

fn default_gravity() -> [f64; 3] {
    [0.0, 0.0, -9.81]
}

fn default_seed() -> u32 {
    1
}

/// Time.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TimeSpec {
    /// Time step in s.
    #[serde(default = "default_dt")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) dt: f64,
    /// Length of the run in s.
    #[schemars(range(min = 0.0))]
    pub(crate) duration: f64,
    /// Time-stepping scheme.
    #[serde(default)]
    pub(crate) scheme: SchemeSpec,
}

fn default_dt() -> f64 {
    1e-3
}

/// Time-stepping scheme.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SchemeSpec {
    /// First order, dissipative, stable at any step.
    #[default]
    BackwardEuler,
    /// Second order between impacts, with little damping of motion that the step resolves: the low-loss scheme.
    Bdf2,
    /// Second order, conserves momentum and nearly energy; for rods without constraints whose fastest mode the step
    /// resolves.
    Midpoint,
    /// First order, explicit, stable only at small steps.
    SymplecticEuler,
}

/// How steps are solved.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SolverSpec {
    /// A step has converged when the momentum residual is below this fraction of the impulses.
    #[schemars(extend("exclusiveMinimum" = 0.0, "exclusiveMaximum" = 1.0))]
    pub(crate) tolerance: Option<f64>,
    /// Newton iterations before a step is halved.
    #[schemars(range(min = 1, max = 10000))]
    pub(crate) max_iterations: Option<u32>,
    /// How often the coupled equations are linearized in a step.
    #[serde(default)]
    pub(crate) linearize: LinearizeSpec,
    /// Number of halvings before a step fails.
    #[schemars(range(min = 0, max = 30))]
    pub(crate) max_halvings: Option<u32>,
}

/// How often the coupled equations are linearized in a step.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LinearizeSpec {
    /// Until momentum balances.
    #[default]
    UntilConverged,
    /// Once, at the unconstrained motion.
    Once,
}

/// How often results are written.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct OutputSpec {
    /// Time between rows of the metrics in s; zero writes every step.
    #[schemars(range(min = 0.0))]
    pub(crate) metrics_interval: f64,
    /// Time between stored states in s; zero stores every step.
    #[schemars(range(min = 0.0))]
    pub(crate) states_interval: f64,
    /// Frames of the recording per simulated second, at most one for each step; zero records nothing.
    #[schemars(range(min = 0.0))]
    pub(crate) record_rate: f64,
}

impl Default for OutputSpec {
    fn default() -> Self {
        Self { metrics_interval: 0.01, states_interval: 1.0 / 30.0, record_rate: 60.0 }
    }
}
