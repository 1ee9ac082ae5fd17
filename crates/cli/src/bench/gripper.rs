//! The scene `gripper`: mean over the whole run of 14 s, on one thread and on two; two have one as their reference.

use super::stopwatch::{StepTimes, time_run};
use super::{BenchReference, BenchRow};

pub(crate) fn run() -> Vec<BenchRow> {
    let mut rows = Vec::new();
    if let Some(one) = whole_run(1) {
        let single = one.time.value();
        rows.push(row(one, 1, "paper, its authors' machine (its code here 127)", 77.0));
        rows.extend(whole_run(2).map(|two| row(two, 2, "one thread", single)));
    }
    rows
}

fn whole_run(threads: usize) -> Option<StepTimes> {
    let scene = ropewalk_scene::load_named("gripper", &[]).ok()?;
    let steps = (scene.duration / scene.model.settings.dt).round() as u32;
    time_run(&scene.model, scene.state, steps, threads)
}

fn row(times: StepTimes, threads: usize, what: &str, value: f64) -> BenchRow {
    BenchRow {
        name: "gripper",
        parameter: None,
        time: times.time,
        threads,
        stages: times.stages,
        reference: BenchReference { what: what.to_owned(), value },
    }
}
