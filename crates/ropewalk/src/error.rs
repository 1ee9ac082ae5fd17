//! What can go wrong, with its remedy.

use ropewalk_scene::{FileError, MeasureError, SceneError};
use ropewalk_sim::{PlaceError, StepStatus};

/// What went wrong, and what to do about it.
///
/// ```
/// use ropewalk::prelude::*;
///
/// # fn main() -> Result<(), Error> {
/// let world = World::load("cantilever", &[])?;
/// let error = world.rod("baem").err().map(|e| e.to_string()).unwrap_or_default();
/// assert!(error.contains("nearest: `beam`"));
/// let error = World::load("cantilever", &["rod.beam.segmnets=10"]).err().map(|e| e.to_string()).unwrap_or_default();
/// assert!(error.contains("segments"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The scene cannot be used: the message names the key, what was expected, and a remedy.
    #[error("{0}")]
    Scene(Box<SceneError>),
    /// Two things of a kind have the same name.
    #[error(
        "there are two things called `{name}` in the table `{kind}`\n  hint: give one of them another name"
    )]
    Duplicate {
        /// The table of the scene file.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// Nothing of this kind has this name.
    #[error("there is no {kind} called `{name}`{}\n  hint: there are: {known}", nearest.as_ref().map(|n| format!("\n  nearest: `{n}`")).unwrap_or_default())]
    NoSuchName {
        /// What was asked for, such as `rod`.
        kind: &'static str,
        /// The name.
        name: String,
        /// The nearest name that there is.
        nearest: Option<String>,
        /// All names.
        known: String,
    },
    /// A step failed; the world is as it was before that step.
    #[error("the step after t = {time} s failed: {failure}\n  hint: {}", remedy(*status))]
    Step {
        /// Time in s at which the step began.
        time: f64,
        /// How it failed.
        status: StepStatus,
        /// Why, in words: who did what to whom, and where.
        failure: String,
    },
    /// A measure cannot be taken: the message names the key, what was expected, and the nearest name.
    #[error("{0}")]
    Measure(#[from] MeasureError),
    /// A number that was given is not finite, or out of range.
    #[error("{what} is {value}\n  hint: expected {expected}")]
    Number {
        /// What it is.
        what: &'static str,
        /// What was given.
        value: f64,
        /// What would be right.
        expected: &'static str,
    },
    /// Positions or velocities of nodes cannot be set.
    #[error(
        "{what}: {source}\n  hint: give one finite point for each node, neighbors apart from one another"
    )]
    Place {
        /// Of what.
        what: String,
        /// What is wrong.
        source: PlaceError,
    },
    /// A file does not hold what it should, or cannot be read or written.
    #[error("{0}")]
    File(#[from] FileError),
    /// Threads cannot be started.
    #[error("threads cannot be started: {0}\n  hint: ask for fewer")]
    Threads(String),
}

impl From<SceneError> for Error {
    fn from(error: SceneError) -> Self {
        Self::Scene(Box::new(error))
    }
}

impl Error {
    /// There is no such name among `known`.
    pub(crate) fn no_such_name<'a>(
        kind: &'static str,
        name: &str,
        known: impl Iterator<Item = &'a str>,
    ) -> Self {
        let known: Vec<&str> = known.collect();
        let near =
            known.iter().map(|k| (strsim::jaro_winkler(name, k), *k)).filter(|(likeness, _)| *likeness > 0.8);
        let nearest = near.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, k)| k.to_owned());
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        Self::NoSuchName { kind, name: name.to_owned(), nearest, known }
    }
}

fn remedy(status: StepStatus) -> &'static str {
    match status {
        StepStatus::NotConverged => "set a smaller dt, or look for stiffness or speed that is not meant",
        StepStatus::PassesThrough => "set a smaller dt, or give the rod more segments or a thicker section",
        StepStatus::GainsEnergy => "set a smaller dt, or look for things that overlap at the start",
        _ => "look for a load, target or velocity that is not finite or far too large",
    }
}
