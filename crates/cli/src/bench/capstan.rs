//! A rope dragged around a post by half a turn (Δφ = π/20; contact at points, and in patches): mean over a
//! displacement by three segments, from the first step.

use super::stopwatch::time_run;
use super::{BenchReference, BenchRow};
use core::f64::consts::PI;
use ropewalk_validation::worlds::capstan::{Capstan, DRAG_SPEED, DT};

/// Simulated over real time of the most accurate other simulator tried with a capstan of such segments.
const PEER_REAL_TIME_RATE: f64 = 0.1;

/// The paper's code with patches on comparable hardware, ms per step.
const PAPER_PATCH: f64 = 6.3;

/// Contact at points.
pub(crate) fn run() -> Vec<BenchRow> {
    measure(
        "capstan",
        false,
        "dismech-newton, segments of π/20, on comparable hardware",
        1e3 * DT / PEER_REAL_TIME_RATE,
    )
}

/// Contact in patches.
pub(crate) fn run_patch() -> Vec<BenchRow> {
    measure("capstan_patch", true, "the paper's code on comparable hardware", PAPER_PATCH)
}

fn measure(name: &'static str, patch: bool, what: &str, value: f64) -> Vec<BenchRow> {
    let capstan = Capstan { angle: PI, segment_angle: PI / 20.0, rope_radius: 1e-3, patch };
    let steps = (3.0 * capstan.segment() / (DRAG_SPEED * DT)).round() as u32;
    let times = capstan.sliding().and_then(|world| time_run(&world.model, world.state, steps, 1));
    let row = times.map(|times| BenchRow {
        name,
        parameter: Some("pi".to_owned()),
        time: times.time,
        threads: 1,
        stages: times.stages,
        reference: Some(BenchReference { what: what.to_owned(), value }),
    });
    row.into_iter().collect()
}
