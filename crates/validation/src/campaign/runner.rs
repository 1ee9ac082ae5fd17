//! Runs one scene from start to end with the judge, and many scenes on several threads.

use super::generate::{Case, Family, GenerateError, generate};
use super::judge::{Criterion, Findings, Judge};
use ropewalk_scene::Scene;
use ropewalk_sim::{StepStatus, Workspace, step};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

/// CPU time in s after which a case is stopped and counts as failed.
pub const MOST_SECONDS: f64 = 60.0;

/// Result of a scene.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Findings of the judge.
    pub findings: Findings,
    /// Steps taken.
    pub steps: u64,
    /// CPU time in s, including the judge; wall-clock time where the system does not report CPU time.
    pub seconds: f64,
    /// Whether there was contact.
    pub has_contact: bool,
    /// Whether it ran to its end or to a failed step, and was not interrupted.
    pub is_complete: bool,
}

/// Runs `scene` to its end, or to the first step that fails, and judges every step. Stops where `stop` is set.
pub fn judge_scene(scene: &Scene, stop: &AtomicBool) -> Outcome {
    let clock = Clock::start();
    let (model, mut state) = (&scene.model, scene.state.clone());
    state.complete(model);
    let mut judge = Judge::new(model, &state);
    let mut workspace = Workspace::new(model);
    let count = ((scene.duration - state.time) / model.settings.dt - 1e-6).ceil().max(0.0) as u64;
    let (mut steps, mut has_contact, mut is_complete) = (0, false, true);
    while steps < count {
        if stop.load(Ordering::Relaxed) {
            is_complete = false;
            break;
        }
        let before = state.time;
        let Ok(mut report) = catch_unwind(AssertUnwindSafe(|| step(model, &mut state, &mut workspace)))
        else {
            judge.note(Criterion::Panic, (1.0, 0.0), before, "the step panicked".to_owned());
            break;
        };
        steps += 1;
        has_contact |= report.contacts > 0;
        report.explain(model);
        judge.see(&state, &report);
        let seconds = clock.seconds();
        judge.note(Criterion::Time, (seconds, MOST_SECONDS), state.time, format!("{steps} of {count} steps"));
        if report.status != StepStatus::Converged || !state.is_finite() || seconds > MOST_SECONDS {
            break;
        }
    }
    Outcome { findings: judge.findings().clone(), steps, seconds: clock.seconds(), has_contact, is_complete }
}

/// Which cases to run.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// Families, in turn.
    pub families: Vec<&'static Family>,
    /// Number of cases over all families.
    pub cases: usize,
    /// Seed.
    pub seed: u64,
    /// Index of the first case of each family.
    pub first: u64,
    /// Threads.
    pub threads: usize,
}

/// Runs all cases and hands each to `done` as it ends, in any order; those that were interrupted are left out. Sorted, they
/// are the same for any number of threads.
pub fn run_campaign(
    campaign: &Campaign,
    stop: &AtomicBool,
    done: impl Fn(&Case, &Outcome) + Sync,
) -> Result<Vec<(Case, Outcome)>, GenerateError> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let worker = || -> Result<(), GenerateError> {
        // A separate pool: a case does not share its thread, so that its CPU time is its own.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(GenerateError::Threads)?;
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= campaign.cases || stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            let count = campaign.families.len();
            let index = campaign.first + (number / count) as u64;
            let family = campaign.families[number % count];
            let (case, outcome) = pool.install(|| {
                let (case, scene) = generate(family, campaign.seed, index)?;
                let outcome = judge_scene(&scene, stop);
                Ok((case, outcome))
            })?;
            if !outcome.is_complete {
                return Ok(());
            }
            done(&case, &outcome);
            if let Ok(mut results) = results.lock() {
                results.push((number, case, outcome));
            }
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..campaign.threads.max(1)).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    let mut results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by_key(|(number, _, _)| *number);
    Ok(results.into_iter().map(|(_, case, outcome)| (case, outcome)).collect())
}

/// CPU time of this thread where the system reports it (Linux), otherwise wall-clock time.
struct Clock {
    wall: Instant,
    cpu: Option<f64>,
}

impl Clock {
    fn start() -> Self {
        Self { wall: Instant::now(), cpu: thread_seconds() }
    }

    fn seconds(&self) -> f64 {
        match (self.cpu, thread_seconds()) {
            (Some(start), Some(now)) => now - start,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}

/// The first number of this file is the time on a processor in ns.
fn thread_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<f64>().ok()? * 1e-9)
}
