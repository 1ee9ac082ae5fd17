//! The scene `crowned_pulley`: mean over its first 3 s, on one thread, the fastest of three runs; then the same with its polygons clustered
//! (`contact.cluster_angle`), which `ropewalk validate crowned_pulley` runs, too.

use super::stopwatch::time_run;
use super::{BenchReference, BenchRow};
use crate::run::run_loop::step_count;

/// Angle within which normals are clustered, rad: all polygons of an edge on a roller.
const CLUSTER: &str = "contact.cluster_angle=0.35";

/// Number of runs, of which the fastest counts, since other processes share the machine.
const TURNS: usize = 3;

pub(crate) fn run() -> Vec<BenchRow> {
    [None, Some(CLUSTER)].into_iter().filter_map(measure).collect()
}

fn measure(clustered: Option<&str>) -> Option<BenchRow> {
    let overrides: Vec<String> = clustered.iter().map(|&o| o.to_owned()).collect();
    let scene = ropewalk_scene::load_named("crowned_pulley", &overrides).ok()?;
    let steps = u32::try_from(step_count(scene.duration, scene.model.settings.dt)).ok()?;
    let mut times = time_run(&scene.model, scene.state.clone(), steps, 1)?;
    for _ in 1..TURNS {
        let again = time_run(&scene.model, scene.state.clone(), steps, 1)?;
        times = if again.time.value() < times.time.value() { again } else { times };
    }
    Some(BenchRow {
        name: "crowned_pulley",
        parameter: clustered.map(|_| "clustered".to_owned()),
        time: times.time,
        threads: 1,
        stages: times.stages,
        reference: Some(BenchReference {
            what: "paper, its authors' machine (its code here 25.5)".to_owned(),
            value: 81.0,
        }),
    })
}
