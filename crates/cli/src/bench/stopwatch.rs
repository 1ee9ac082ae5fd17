//! Timing of steps: the best of several intervals, since other processes share the machine.

use super::BenchTime;
use ropewalk_sim::report::STAGES;
use ropewalk_sim::{Model, State, StepStatus, Workspace};
use std::time::Instant;

/// Time per step and per stage.
#[derive(Clone, Debug)]
pub(super) struct StepTimes {
    /// Time per step.
    pub(super) time: BenchTime,
    /// Milliseconds per step in each stage; if there are patches, then `pairs_by_polygon`, the number of intersected
    /// pairs of cells per polygon of the last step.
    pub(super) stages: Vec<(&'static str, f64)>,
}

/// Takes `warm_up` steps, then `stretches` intervals of `steps` steps each, and returns the times of the fastest
/// interval; `None` if a step fails.
pub(super) fn time_steps(
    model: &Model,
    mut state: State,
    warm_up: u32,
    stretches: u32,
    steps: u32,
) -> Option<StepTimes> {
    let mut workspace = Workspace::new(model);
    for _ in 0..warm_up {
        let report = ropewalk_sim::step(model, &mut state, &mut workspace);
        (report.status == StepStatus::Converged).then_some(())?;
    }
    let mut best: Option<(f64, [f64; STAGES.len()])> = None;
    for _ in 0..stretches {
        let mut stages = [0.0; STAGES.len()];
        let started = Instant::now();
        for _ in 0..steps {
            let report = ropewalk_sim::step(model, &mut state, &mut workspace);
            (report.status == StepStatus::Converged).then_some(())?;
            for (sum, seconds) in stages.iter_mut().zip(report.stage_seconds) {
                *sum += seconds;
            }
        }
        let seconds = started.elapsed().as_secs_f64();
        if best.is_none_or(|(least, _)| seconds < least) {
            best = Some((seconds, stages));
        }
    }
    let (seconds, stages) = best?;
    let ms_per_step = 1e3 / f64::from(steps);
    let mut stages: Vec<_> = STAGES.into_iter().zip(stages.map(|s| s * ms_per_step)).collect();
    stages.extend(workspace.pairs_by_polygon().map(|pairs| ("pairs_by_polygon", pairs)));
    Some(StepTimes { time: BenchTime::MsPerStep(seconds * ms_per_step), stages })
}

/// [`time_steps`] on a given number of threads.
pub(super) fn time_steps_on(
    model: &Model,
    state: State,
    warm_up: u32,
    stretches: u32,
    steps: u32,
    threads: usize,
) -> Option<StepTimes> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok()?;
    pool.install(|| time_steps(model, state, warm_up, stretches, steps))
}

/// Mean over a whole run of `steps` steps from the first, on a given number of threads; `None` if a step fails.
pub(super) fn time_run(model: &Model, state: State, steps: u32, threads: usize) -> Option<StepTimes> {
    time_steps_on(model, state, 0, 1, steps, threads)
}

/// Steps with one number of threads before switching to the next.
const STRETCH: u32 = 250;
/// Number of runs of each interval, of which the fastest counts.
const TURNS: usize = 2;

/// A run on some threads, and its time so far.
struct Run {
    pool: rayon::ThreadPool,
    state: State,
    workspace: Workspace,
    seconds: f64,
    stages: [f64; STAGES.len()],
}

impl Run {
    /// Takes `steps` steps; `None` if one fails.
    fn advance(&mut self, model: &Model, steps: u32) -> Option<()> {
        let Self { pool, state, workspace, seconds, stages } = self;
        let started = Instant::now();
        pool.install(|| {
            (0..steps).try_for_each(|_| {
                let report = ropewalk_sim::step(model, state, workspace);
                for (sum, seconds) in stages.iter_mut().zip(report.stage_seconds) {
                    *sum += seconds;
                }
                (report.status == StepStatus::Converged).then_some(())
            })
        })?;
        *seconds += started.elapsed().as_secs_f64();
        Some(())
    }
}

/// Means over whole runs on several numbers of threads, which alternate, so that other processes affect all alike.
/// `None` if a step fails.
pub(super) fn time_runs_in_turns<const N: usize>(
    model: &Model,
    state: &State,
    steps: u32,
    threads: [usize; N],
) -> Option<[StepTimes; N]> {
    let mut runs = Vec::new();
    for count in threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().ok()?;
        let (state, workspace) = (state.clone(), Workspace::new(model));
        runs.push(Run { pool, state, workspace, seconds: 0.0, stages: [0.0; STAGES.len()] });
    }
    let mut done = 0;
    while done < steps {
        let stretch = STRETCH.min(steps - done);
        done += stretch;
        let starts: Vec<_> = runs.iter().map(|r| (r.state.clone(), r.workspace.clone())).collect();
        let before: Vec<_> = runs.iter().map(|r| (r.seconds, r.stages)).collect();
        let mut best = vec![(f64::INFINITY, [0.0; STAGES.len()]); N];
        for _ in 0..TURNS {
            for (((run, start), before), best) in runs.iter_mut().zip(&starts).zip(&before).zip(&mut best) {
                run.state.clone_from(&start.0);
                run.workspace = start.1.clone();
                (run.seconds, run.stages) = *before;
                run.advance(model, stretch)?;
                if run.seconds < best.0 {
                    *best = (run.seconds, run.stages);
                }
            }
        }
        for (run, best) in runs.iter_mut().zip(best) {
            (run.seconds, run.stages) = best;
        }
    }
    let ms_per_step = 1e3 / f64::from(steps);
    let times = runs.into_iter().map(|run| StepTimes {
        time: BenchTime::MsPerStep(run.seconds * ms_per_step),
        stages: STAGES.into_iter().zip(run.stages.map(|s| s * ms_per_step)).collect(),
    });
    times.collect::<Vec<_>>().try_into().ok()
}

/// Seconds that `work` takes: the least of many repetitions; with more `items`, fewer repetitions.
pub(super) fn best_of(items: usize, mut work: impl FnMut()) -> f64 {
    let repetitions = (4_000_000 / items.max(1)).clamp(20, 4000);
    let mut least = f64::INFINITY;
    for _ in 0..repetitions {
        let started = Instant::now();
        work();
        least = least.min(started.elapsed().as_secs_f64());
    }
    least
}
