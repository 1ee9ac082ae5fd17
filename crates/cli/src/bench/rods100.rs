//! 100 ropes of 80 nodes: speed-up by a second thread. The reference of two threads is one thread in the same run.

use super::rods::{add_rod, line, world};
use super::stopwatch::{StepTimes, time_steps};
use super::{BenchReference, BenchRow};
use glam::DVec3;
use ropewalk_sim::Hold;

const RODS: usize = 100;
const NODES: usize = 80;

pub(crate) fn run() -> Vec<BenchRow> {
    let Some(one) = time(1) else { return Vec::new() };
    let single = one.time.value();
    let row = |times: StepTimes, threads: usize, reference: BenchReference| BenchRow {
        name: "rods100",
        parameter: Some(format!("{threads}")),
        time: times.time,
        threads,
        stages: times.stages,
        reference: Some(reference),
    };
    let share = 1.0 / RODS as f64;
    let alone = lone_rope().map_or(f64::NAN, |t| t.time.value() / share);
    let mut rows =
        vec![row(one, 1, BenchReference { what: "100 times one such rope".to_owned(), value: alone })];
    if let Some(two) = time(2) {
        rows.push(row(two, 2, BenchReference { what: "one thread".to_owned(), value: single }));
    }
    rows
}

fn time(threads: usize) -> Option<StepTimes> {
    let mut world = world();
    for r in 0..RODS {
        let angle = 0.06 * r as f64;
        let slope = DVec3::new(angle.cos(), angle.sin(), -1.0).normalize();
        let from = DVec3::new(0.5 * (r % 10) as f64, 0.5 * (r / 10) as f64, 0.0);
        add_rod(&mut world, line(NODES, from, slope, 0.005), 2.5e-3, Hold::Node(0))?;
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok()?;
    pool.install(|| time_steps(&world.model, world.state, 20, 10, 50))
}

fn lone_rope() -> Option<StepTimes> {
    let mut world = world();
    let slope = DVec3::new(1.0, 0.0, -1.0).normalize();
    add_rod(&mut world, line(NODES, DVec3::ZERO, slope, 0.005), 2.5e-3, Hold::Node(0))?;
    time_steps(&world.model, world.state, 200, 10, 500)
}
