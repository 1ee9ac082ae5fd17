//! A cantilever of 100 segments swinging under its weight: the cost of a step of one short rod.

use super::rods::{add_rod, line, world};
use super::stopwatch::time_steps;
use super::{BenchReference, BenchRow};
use glam::DVec3;
use ropewalk_sim::Hold;

const SEGMENTS: usize = 100;
const SEGMENT: f64 = 0.3 / SEGMENTS as f64;
/// Steps per second of the fastest other simulator tried with this cantilever, on one thread of a
/// 2.8 GHz x86-64.
const PEER_STEPS_PER_SECOND: f64 = 2760.0;

/// Times the step on one thread.
pub(crate) fn run() -> Vec<BenchRow> {
    let mut world = world();
    let nodes = line(SEGMENTS + 1, DVec3::X * (-0.5 * SEGMENT), DVec3::X, SEGMENT);
    let measured = add_rod(&mut world, nodes, 5e-3, Hold::Edge(0))
        .and_then(|()| time_steps(&world.model, world.state, 200, 10, 500));
    let row = measured.map(|times| BenchRow {
        name: "cantilever",
        parameter: None,
        time: times.time,
        threads: 1,
        stages: times.stages,
        reference: Some(BenchReference {
            what: "MuJoCo 4.0, one-dimensional flex, on comparable hardware".to_owned(),
            value: 1e3 / PEER_STEPS_PER_SECOND,
        }),
    });
    row.into_iter().collect()
}
