//! Overhand knots pulled for 0.7 s at 0.4 m/s each end, mean over the whole pull.
//!
//! The reference at δt = 1e-4 s is the paper's step, at others the fastest simulator that holds the knot.

use super::stopwatch::time_run;
use super::{BenchReference, BenchRow};
use ropewalk_validation::worlds::knot::{KnottedRope, SPEED};

const SECONDS: f64 = 0.7;

pub(crate) fn run() -> Vec<BenchRow> {
    let paper = "paper, its authors' machine (its code here 34; MuJoCo 4.0 6.7, and tunnels)";
    let newton = "dismech-newton at 2.5e-4 s, on comparable hardware";
    let vbd = "Newton VBD at 1e-3 s, bending not converged, on comparable hardware";
    // Peers are known by their real-time rates 0.012 and 0.021 for the knot of order 4.
    let cases = [
        (4, 1e-4, paper, 50.0),
        (1, 1e-4, paper, 50.0),
        (4, 2.5e-4, newton, 0.25 / 0.012),
        (4, 5e-4, newton, 0.25 / 0.012),
        (4, 1e-3, vbd, 1.0 / 0.021),
    ];
    cases.into_iter().filter_map(|(order, dt, what, value)| measure(order, dt, what, value)).collect()
}

fn measure(order: u32, dt: f64, what: &str, value: f64) -> Option<BenchRow> {
    let world = KnottedRope::published(order).world(SPEED, dt)?;
    let times = time_run(&world.model, world.state, (SECONDS / dt).round() as u32, 1)?;
    Some(BenchRow {
        name: "knot",
        parameter: Some(format!("{order}/{dt:e}")),
        time: times.time,
        threads: 1,
        stages: times.stages,
        reference: Some(BenchReference { what: what.to_owned(), value }),
    })
}
