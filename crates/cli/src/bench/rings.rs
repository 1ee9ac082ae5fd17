//! Chains of rings from z = −0.017·i.
//!
//! - `rings/100`: mean over the first second, on one thread and on two; two have one as their reference. Here and below
//!   the fastest of three runs.
//! - `rings/10/fall` and so on: mean over the first 0.2 s; the reference is the time per ring of 10 rings, times the
//!   number of rings. Long chains take more iterations, since the hardest ring determines the number for all.
//! - `rings_rest/100`: mean over half a second after two seconds or more, the fastest of three.

use super::stopwatch::{StepTimes, time_run, time_steps_on};
use super::{BenchReference, BenchRow};
use ropewalk_validation::worlds::rings::{DT, chain};

const DROP: f64 = 0.017;
/// Steps of the comparison by size: 0.2 s.
const FEW_STEPS: u32 = 250;

/// Number of alternating runs of each, of which the fastest counts, since other processes share the machine.
const TURNS: usize = 3;

pub(crate) fn run() -> Vec<BenchRow> {
    let second = (1.0 / DT).round() as u32;
    let mut rows = Vec::new();
    if let Some([one, two]) = in_turns([(100, second, 1), (100, second, 2)]) {
        let single = one.time.value();
        let paper = "paper, its authors' machine (its code here 63; MuJoCo 4.0 18)";
        rows.push(row("100", one, 1, paper, 67.0));
        rows.push(row("100", two, 2, "one thread", single));
    }
    if let Some([ten, hundred, thousand]) =
        in_turns([(10, FEW_STEPS, 1), (100, FEW_STEPS, 1), (1000, FEW_STEPS, 1)])
    {
        let each = ten.time.value() / 10.0;
        rows.push(row("10/fall", ten, 1, "itself", 10.0 * each));
        let what = "10 rings, by number of rings";
        rows.push(row("100/fall", hundred, 1, what, 100.0 * each));
        rows.push(row("1000/fall", thousand, 1, what, 1000.0 * each));
    }
    rows
}

/// The fastest of several runs of each chain, given by number of rings, steps and threads; none if a step fails.
fn in_turns<const N: usize>(chains: [(usize, u32, usize); N]) -> Option<[StepTimes; N]> {
    let mut best: [Option<StepTimes>; N] = [const { None }; N];
    for _ in 0..TURNS {
        for (best, (count, steps, threads)) in best.iter_mut().zip(chains) {
            let times = fall(count, steps, threads)?;
            if best.as_ref().is_none_or(|b| times.time.value() < b.time.value()) {
                *best = Some(times);
            }
        }
    }
    let found: Vec<StepTimes> = best.into_iter().flatten().collect();
    found.try_into().ok()
}

/// A chain at rest.
pub(crate) fn run_at_rest() -> Vec<BenchRow> {
    let steps = |seconds: f64| (seconds / DT).round() as u32;
    let times = chain(100, DROP)
        .and_then(|w| time_steps_on(&w.model, w.state, steps(2.0), TURNS as u32, steps(0.5), 1));
    let row = times.map(|times| BenchRow {
        name: "rings_rest",
        ..row("100", times, 1, "the paper's code on comparable hardware, chain closed", 94.0)
    });
    row.into_iter().collect()
}

fn fall(count: usize, steps: u32, threads: usize) -> Option<StepTimes> {
    let world = chain(count, DROP)?;
    time_run(&world.model, world.state, steps, threads)
}

fn row(parameter: &str, times: StepTimes, threads: usize, what: &str, value: f64) -> BenchRow {
    BenchRow {
        name: "rings",
        parameter: Some(parameter.to_owned()),
        time: times.time,
        threads,
        stages: times.stages,
        reference: Some(BenchReference { what: what.to_owned(), value }),
    }
}
