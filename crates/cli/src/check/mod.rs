//! Analysis of a scene before it runs.
//!
//! | module | contents |
//! |---|---|
//! | [`rod_facts`] | stiffness, mass, frequencies, buckling load, wave speeds of a rod |
//! | [`robot_facts`] | links, joints and mass of a robot, and what of its file is not simulated |
//! | [`tree_facts`] | degrees of freedom, mass and what drives and holds the bodies and robots of a scene |
//! | [`frequencies`] | first frequencies of a rod as it is held |
//! | [`time_step`] | a time step that suits the scene, and why |
//! | `scheme_loss` | what time-stepping takes from the first mode of a rod |
//! | `swing` | how fast a rod swings that hangs in gravity |
//! | [`cost`] | memory and time of a run |
//! | [`warnings`] | warnings |

pub(crate) mod cost;
pub(crate) mod frequencies;
pub(crate) mod robot_facts;
pub(crate) mod rod_facts;
mod scheme_loss;
mod swing;
pub(crate) mod time_step;
pub(crate) mod tree_facts;
pub(crate) mod warnings;

use cost::Cost;
use rod_facts::RodFacts;
use ropewalk_scene::Scene;
use ropewalk_sim::TuningParameter;
use serde::Serialize;
use time_step::TimeStepAdvice;
use tree_facts::TreeFacts;

/// The report of `ropewalk check`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct CheckReport {
    /// Name of the scene.
    pub(crate) scene: String,
    /// Its title.
    pub(crate) title: String,
    /// Each rod.
    pub(crate) rods: Vec<RodFacts>,
    /// Each robot, and each body or group of bodies connected by joints.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) trees: Vec<TreeFacts>,
    /// The time step of the scene in s.
    pub(crate) dt: f64,
    /// The recommended time step.
    pub(crate) recommended_dt: TimeStepAdvice,
    /// Estimated cost of a run.
    pub(crate) cost: Cost,
    /// Numerical parameters.
    pub(crate) tuning: Vec<TuningFacts>,
    /// Warnings.
    pub(crate) warnings: Vec<String>,
    /// Errors: things that overlap at the start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) errors: Vec<String>,
}

/// Things that overlap at the start, by name, with the depth.
fn errors(scene: &Scene) -> Vec<String> {
    let overlaps = ropewalk_sim::find_overlaps(&scene.model, &scene.state);
    overlaps.iter().map(|overlap| overlap.words(&scene.model)).collect()
}

/// A numerical parameter; see [`ropewalk_sim::Tuning`].
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TuningFacts {
    /// Its name in `[tuning]`.
    pub(crate) name: &'static str,
    /// Its value.
    pub(crate) value: f64,
    /// Its nominal value.
    pub(crate) nominal: f64,
    /// Its unit.
    pub(crate) unit: &'static str,
    /// Its purpose.
    pub(crate) reason: &'static str,
    /// Effect of other values.
    pub(crate) otherwise: &'static str,
}

impl From<TuningParameter> for TuningFacts {
    fn from(p: TuningParameter) -> Self {
        let TuningParameter { name, value, nominal, unit, reason, otherwise, .. } = p;
        Self { name, value, nominal, unit, reason, otherwise }
    }
}

impl CheckReport {
    /// Analyzes `scene`.
    pub(crate) fn of(scene: &Scene) -> Self {
        let rods: Vec<RodFacts> = (0..scene.model.rods.len()).map(|r| RodFacts::of(scene, r)).collect();
        let recommended_dt = TimeStepAdvice::of(&scene.model, &rods);
        let warnings = warnings::all(scene, &rods, &recommended_dt);
        Self {
            scene: scene.name.clone(),
            title: scene.title.clone(),
            dt: scene.model.settings.dt,
            rods,
            trees: (0..scene.model.trees.len()).map(|t| TreeFacts::of(scene, t)).collect(),
            recommended_dt,
            cost: Cost::of(scene),
            tuning: scene.model.settings.tuning.parameters().into_iter().map(TuningFacts::from).collect(),
            warnings,
            errors: errors(scene),
        }
    }
}
