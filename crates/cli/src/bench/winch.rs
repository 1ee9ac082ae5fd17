//! The scene `winch` from its first step to its last: 160 edges, up to a hundred contacts on drum and sheave.
//!
//! The reference is real time.

use super::stopwatch::time_run;
use super::{BenchReference, BenchRow};
use crate::run::run_loop::step_count;

pub(crate) fn run() -> Vec<BenchRow> {
    let row = ropewalk_scene::load_named("winch", &[]).ok().and_then(|scene| {
        let dt = scene.model.settings.dt;
        let steps = u32::try_from(step_count(scene.duration, dt)).ok()?;
        let times = time_run(&scene.model, scene.state, steps, 1)?;
        Some(BenchRow {
            name: "winch",
            parameter: None,
            time: times.time,
            threads: 1,
            stages: times.stages,
            reference: Some(BenchReference { what: "real time".to_owned(), value: 1e3 * dt }),
        })
    });
    row.into_iter().collect()
}
