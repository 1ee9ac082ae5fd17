//! A rope dragged round a post by half a turn (Δφ = π/20, point contact): mean over three segments of way, from the first
//! step.

use super::stopwatch::time_run;
use super::{BenchReference, BenchRow};
use crate::worlds::capstan::{Capstan, DRAG_SPEED, DT};
use core::f64::consts::PI;

/// Simulated over real time of the most accurate other simulator tried with a capstan of such segments.
const PEER_REAL_TIME_RATE: f64 = 0.1;

pub(crate) fn run() -> Vec<BenchRow> {
    let capstan = Capstan { angle: PI, segment_angle: PI / 20.0, rope_radius: 1e-3 };
    let steps = (3.0 * capstan.segment() / (DRAG_SPEED * DT)).round() as u32;
    let times = capstan.sliding().and_then(|world| time_run(&world.model, world.state, steps, 1));
    let row = times.map(|times| BenchRow {
        name: "capstan",
        parameter: Some("pi".to_owned()),
        time: times.time,
        threads: 1,
        stages: times.stages,
        reference: BenchReference {
            what: "dismech-newton, segments of π/20, on a like machine".to_owned(),
            value: 1e3 * DT / PEER_REAL_TIME_RATE,
        },
    });
    row.into_iter().collect()
}
