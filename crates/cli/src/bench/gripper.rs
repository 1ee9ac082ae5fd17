//! The scene `gripper`: mean over the whole run of 14 s, on one thread and on two, alternating by intervals, the
//! faster of two runs each; the reference of two threads is one thread.

use super::stopwatch::{StepTimes, time_runs_in_turns};
use super::{BenchReference, BenchRow};

pub(crate) fn run() -> Vec<BenchRow> {
    let Some([one, two]) = whole_runs([1, 2]) else { return Vec::new() };
    let single = one.time.value();
    vec![
        row(one, 1, "paper, its authors' machine (its code here 127)", 77.0),
        row(two, 2, "one thread", single),
    ]
}

fn whole_runs<const N: usize>(threads: [usize; N]) -> Option<[StepTimes; N]> {
    let scene = ropewalk_scene::load_named("gripper", &[]).ok()?;
    let steps = (scene.duration / scene.model.settings.dt).round() as u32;
    time_runs_in_turns(&scene.model, &scene.state, steps, threads)
}

fn row(times: StepTimes, threads: usize, what: &str, value: f64) -> BenchRow {
    BenchRow {
        name: "gripper",
        parameter: None,
        time: times.time,
        threads,
        stages: times.stages,
        reference: Some(BenchReference { what: what.to_owned(), value }),
    }
}
