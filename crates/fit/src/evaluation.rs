//! The score of a cable on measured runs.

use crate::cable::Cable;
use crate::error::FitError;
use crate::flaws::{Flaw, flaws};
use crate::held::HeldTracks;
use crate::predict::{Predictor, Window, check, score};
use crate::tracks::Tracks;
use rayon::prelude::*;
use serde::Serialize;
use std::time::Instant;

/// The score of one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunScore {
    /// Name of the run.
    pub name: String,
    /// Mean |Δ| in m.
    pub score: f64,
}

/// Scores of all runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evaluation {
    /// Mean over runs, m.
    pub score: f64,
    /// Each run.
    pub runs: Vec<RunScore>,
    /// CPU time for one second of prediction, from the first frames to the last.
    pub cpu_s_per_sim_s: f64,
    /// Runs with jumping or exchanged markers.
    pub flawed: Vec<Flaw>,
    /// Mean over the other runs, m; `None` if there are none.
    pub score_without_flawed: Option<f64>,
}

/// Predicts every run of `tracks` from its first two frames and scores it; see [`crate::predict`].
pub fn evaluate(cable: &Cable, tracks: &Tracks) -> Result<Evaluation, FitError> {
    if tracks.runs.is_empty() {
        return Err(FitError::mismatch(
            "there are no marker tracks to predict",
            "give an archive with `markers`; see docs/real-cables.md",
        ));
    }
    check_complete(tracks)?;
    scores_where_seen(cable, tracks)
}

/// Like [`evaluate`], but missing markers are left out of the mean, and runs that do not start with two complete
/// frames are left out altogether. Without runs, the mean is NaN.
pub fn scores_where_seen(cable: &Cable, tracks: &Tracks) -> Result<Evaluation, FitError> {
    check(cable, tracks)?;
    let which: Vec<usize> = (0..tracks.runs.len()).filter(|&r| tracks.runs[r].starts_complete()).collect();
    if which.is_empty() && !tracks.runs.is_empty() {
        return Err(FitError::mismatch(
            "no run starts with two frames in which all markers are seen",
            "cut the runs so that they do",
        ));
    }
    let found = timed_scores(cable, tracks, &which)?;
    let frames = which.iter().map(|&r| tracks.runs[r].frames.len() - 2);
    let simulated: f64 = frames.map(|f| f as f64 * tracks.frame_time()).sum();
    let seconds: f64 = found.iter().map(|(_, seconds)| seconds).sum();
    let runs: Vec<_> = found.into_iter().map(|(run, _)| run).collect();
    let flawed = flaws(tracks);
    Ok(Evaluation {
        score: mean(&runs).unwrap_or(f64::NAN),
        score_without_flawed: mean_without(&runs, &flawed),
        runs,
        cpu_s_per_sim_s: if simulated > 0.0 { seconds / simulated } else { 0.0 },
        flawed,
    })
}

/// Mean score, m; `None` of no runs.
pub(crate) fn mean<'a>(runs: impl IntoIterator<Item = &'a RunScore>) -> Option<f64> {
    let (sum, count) = runs.into_iter().fold((0.0, 0_u32), |(sum, count), r| (sum + r.score, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// Mean score of the runs that have no flaw, m.
pub(crate) fn mean_without(runs: &[RunScore], flawed: &[Flaw]) -> Option<f64> {
    mean(runs.iter().filter(|r| flawed.iter().all(|f| f.run != r.name)))
}

/// Scores of the runs `which`; missing markers are left out of the mean.
pub fn score_runs(cable: &Cable, tracks: &Tracks, which: &[usize]) -> Result<Vec<RunScore>, FitError> {
    Ok(timed_scores(cable, tracks, which)?.into_iter().map(|(score, _)| score).collect())
}

/// Scores, and the CPU time of each prediction in s.
fn timed_scores(cable: &Cable, tracks: &Tracks, which: &[usize]) -> Result<Vec<(RunScore, f64)>, FitError> {
    let predictor = Predictor::new(cable, tracks.frame_time()).within(tracks.surroundings.as_ref());
    let one = |&run: &usize| -> Result<(RunScore, f64), FitError> {
        let run = &tracks.runs[run];
        let clock = Clock::start();
        let held = HeldTracks::new(run, cable.numerics.held_filter);
        let window = Window { first: 0, end: run.frames.len() };
        let predicted = predictor.predict(run, &held, window, &[])?;
        let seconds = clock.seconds();
        Ok((RunScore { name: run.name.clone(), score: score(run, window, &predicted) }, seconds))
    };
    which.par_iter().map(one).collect()
}

/// A score needs every marker in every frame.
fn check_complete(tracks: &Tracks) -> Result<(), FitError> {
    for run in &tracks.runs {
        for (f, frame) in run.frames.iter().enumerate() {
            if let Some(m) = frame.iter().position(|x| !x.is_finite()) {
                return Err(FitError::mismatch(
                    format!("run '{}', frame {f}, marker {m}: the position is NaN", run.name),
                    "an evaluation needs every marker in every frame; leave the run out (a fit masks such gaps)",
                ));
            }
        }
    }
    Ok(())
}

/// CPU time of this thread where the system reports it (Linux), otherwise wall-clock time.
struct Clock {
    processor: Option<f64>,
    wall: Instant,
}

impl Clock {
    fn start() -> Self {
        Self { processor: thread_seconds(), wall: Instant::now() }
    }
    fn seconds(&self) -> f64 {
        match (self.processor, thread_seconds()) {
            (Some(before), Some(now)) => now - before,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}

fn thread_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(1e-9 * nanoseconds)
}
