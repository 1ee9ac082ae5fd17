//! The scene `shoelace`: mean over the whole run, on one thread.

use super::stopwatch::time_run;
use super::{BenchReference, BenchRow};
use crate::run::run_loop::step_count;

pub(crate) fn run() -> Vec<BenchRow> {
    let row = ropewalk_scene::load_named("shoelace", &[]).ok().and_then(|scene| {
        let steps = u32::try_from(step_count(scene.duration, scene.model.settings.dt)).ok()?;
        let times = time_run(&scene.model, scene.state, steps, 1)?;
        Some(BenchRow {
            name: "shoelace",
            parameter: None,
            time: times.time,
            threads: 1,
            stages: times.stages,
            reference: Some(BenchReference { what: "paper, its authors' machine".to_owned(), value: 23.0 }),
        })
    });
    row.into_iter().collect()
}
