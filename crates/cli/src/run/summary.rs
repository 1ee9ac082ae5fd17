//! The summary of a run, as in `--json` and `summary.json`.

use crate::run::final_state::Ends;
use crate::run::statistics::Tally;
use ropewalk_scene::{ClaimResult, Scene};
use ropewalk_sim::report::STAGES;
use ropewalk_sim::{Energies, StepStatus};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RunStatus {
    /// Every step was taken.
    Completed,
    /// Stopped by Ctrl-C after a whole step.
    Interrupted,
    /// A step did not converge.
    NotConverged,
    /// Tunnelling could not be avoided.
    PassesThrough,
    /// A step failed: contacts would add energy.
    GainsEnergy,
    /// A number is not finite.
    NotFinite,
}

impl RunStatus {
    /// The end of a run whose step failed with `status`.
    pub(crate) fn of_failure(status: StepStatus) -> Self {
        match status {
            StepStatus::Converged => Self::Completed,
            StepStatus::NotConverged => Self::NotConverged,
            StepStatus::PassesThrough => Self::PassesThrough,
            StepStatus::GainsEnergy => Self::GainsEnergy,
            StepStatus::NotFinite => Self::NotFinite,
        }
    }

    /// As a word, the same as in the summary.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Interrupted => "interrupted",
            Self::NotConverged => "not_converged",
            Self::PassesThrough => "passes_through",
            Self::GainsEnergy => "gains_energy",
            Self::NotFinite => "not_finite",
        }
    }
}

/// The summary of a run. Times in s, energies in J.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Summary {
    /// Name of the scene.
    pub(crate) scene: String,
    /// Its title.
    pub(crate) title: String,
    /// How the run ended.
    pub(crate) status: RunStatus,
    /// Why a step failed, in words, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<String>,
    /// Steps taken.
    pub(crate) steps: u64,
    /// Time step.
    pub(crate) dt: f64,
    /// Time simulated.
    pub(crate) duration: f64,
    /// Wall-clock time, including outputs.
    pub(crate) wall_s: f64,
    /// Simulated time per wall-clock time.
    pub(crate) real_time_rate: f64,
    /// Available threads.
    pub(crate) threads: usize,
    /// Newton iterations per step.
    pub(crate) newton: Newton,
    /// Steps that were halved.
    pub(crate) halved_steps: u64,
    /// Greatest number of sub-steps of one step.
    pub(crate) max_substeps: u32,
    /// Numerical parameters that are not nominal, with their values.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) tuning: BTreeMap<&'static str, f64>,
    /// Contacts that push, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) contacts: Option<Contacts>,
    /// Tangents altered to be positive definite.
    pub(crate) altered_tangents: u64,
    /// Greatest momentum residual relative to the impulses.
    pub(crate) max_residual: f64,
    /// Seconds in each stage, in order.
    #[serde(serialize_with = "stages_as_object")]
    pub(crate) stages: Vec<(&'static str, f64)>,
    /// Energies at the start and the end, and the work between.
    pub(crate) energies: EnergyBalance,
    /// Bodies, joints and attachments at the end.
    #[serde(flatten)]
    pub(crate) ends: Ends,
    /// The claims of the scene; only for a run that was completed.
    pub(crate) results: Vec<ClaimResult>,
    /// Warnings about the scene.
    pub(crate) warnings: Vec<String>,
    /// File with the state before a failed step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_good_state: Option<String>,
}

/// Newton iterations per step.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Newton {
    /// On average.
    pub(crate) mean: f64,
    /// At most.
    pub(crate) max: u32,
}

/// Contacts that push, in a step.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Contacts {
    /// On average.
    pub(crate) mean: f64,
    /// At most.
    pub(crate) max: u32,
    /// Deepest overlap of the run, m.
    pub(crate) deepest_overlap_m: f64,
}

/// Energies at the start and the end of a run, and the external work between.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct EnergyBalance {
    /// At the start.
    #[serde(serialize_with = "energies_as_object")]
    pub(crate) start: Energies,
    /// At the end.
    #[serde(serialize_with = "energies_as_object")]
    pub(crate) end: Energies,
    /// Work between.
    pub(crate) work: f64,
}

/// Timings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// Seconds of the run.
    pub(crate) wall_s: f64,
    /// Of which in sampling and writing outputs.
    pub(crate) outputs_s: f64,
    /// Available threads.
    pub(crate) threads: usize,
}

impl Summary {
    /// The summary of a run of `scene`.
    pub(crate) fn new(
        scene: &Scene,
        status: RunStatus,
        tally: &Tally,
        clock: Clock,
        energies: [Energies; 2],
        results: Vec<ClaimResult>,
        ends: Ends,
    ) -> Self {
        let dt = scene.model.settings.dt;
        let duration = tally.steps as f64 * dt;
        let mut stages: Vec<_> = STAGES.into_iter().zip(tally.stage_seconds).collect();
        stages.push(("outputs", clock.outputs_s));
        Self {
            scene: scene.name.clone(),
            title: scene.title.clone(),
            status,
            failure: None,
            steps: tally.steps,
            dt,
            duration,
            wall_s: clock.wall_s,
            // Bounded by the clock's resolution, for runs of hardly any duration.
            real_time_rate: duration / clock.wall_s.max(1e-9),
            threads: clock.threads,
            newton: Newton { mean: tally.mean_iterations(), max: tally.max_iterations },
            halved_steps: tally.halved_steps,
            max_substeps: tally.max_substeps,
            contacts: (tally.max_contacts > 0).then(|| Contacts {
                mean: tally.contacts as f64 / tally.steps.max(1) as f64,
                max: tally.max_contacts,
                deepest_overlap_m: tally.deepest_overlap_m,
            }),
            altered_tangents: tally.altered_tangents,
            max_residual: tally.max_residual,
            stages,
            energies: EnergyBalance { start: energies[0], end: energies[1], work: tally.work },
            ends,
            results,
            tuning: {
                let all = scene.model.settings.tuning.parameters().into_iter();
                all.filter(|p| p.value != p.nominal).map(|p| (p.name, p.value)).collect()
            },
            warnings: scene.warnings.clone(),
            last_good_state: None,
        }
    }

    /// Whether every claim holds.
    pub(crate) fn claims_hold(&self) -> bool {
        self.results.iter().all(|result| result.pass)
    }
}

fn stages_as_object<S: Serializer>(stages: &[(&'static str, f64)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(stages.iter().copied())
}

fn energies_as_object<S: Serializer>(e: &Energies, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map([
        ("kinetic", e.kinetic),
        ("stretch", e.stretch),
        ("bend", e.bend),
        ("twist", e.twist),
        ("gravity", e.gravity),
        ("joints", e.joints),
        ("plastic", e.plastic),
        ("total", e.total()),
    ])
}
