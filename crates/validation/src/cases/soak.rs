//! Long runs: no drift, no energy gain, constant memory.
//!
//! | run | long form | short form |
//! |---|---|---|
//! | `rings`: a chain, dropped into its links | 100 rings, 10 min | 10 rings, 2 s |
//! | `cable`: a soft cable on the floor | 1 h | 4 s |
//! | `winch`: the scene's winch, up and down | 200 times | once |
//!
//! - `soak/…/drift`: greatest displacement of a node since it came to rest, over the thickness of the rod; for the
//!   winch: of its load at the end of a round, since the end of the first.
//! - `soak/…/energy`: greatest increase of the energy, less external work, since then; over the energy m g d of a
//!   fall by one thickness, for the winch over the work of a round.
//! - `soak/…/memory`: growth of the process's memory in MB from the middle of the run to its end. Only on Linux, and only if no
//!   other case runs beside it.

use super::resting_cable;
use super::{Form, ValidationRow};
use crate::worlds::rings::chain;
use crate::worlds::{GRAVITY, World};
use glam::DVec3;
use ropewalk_scene::load_named;
use ropewalk_sim::{Model, State, StepStatus, Workspace, measure};

/// Results of a run.
struct Soak {
    drift: f64,
    energy: f64,
    /// MB
    memory: Option<f64>,
}

pub(crate) fn run(form: &Form) -> Vec<ValidationRow> {
    let (rings, rings_seconds) = if form.full { (100, 600.0) } else { (10, 2.0) };
    let cable_seconds = if form.full { 3600.0 } else { 4.0 };
    let rounds = if form.full { 200 } else { 1 };
    let mut rows = Vec::new();
    let mut add = |name: &str, soak: Option<Soak>| {
        let found = rows_of(name, soak, form);
        // The long form takes an hour: what is known is told.
        if form.full {
            found.iter().for_each(|row| (form.say)(&format!("{}: {:.3e}", row.case, row.measured)));
        }
        rows.extend(found);
    };
    add("rings", chain(rings, 0.017).and_then(|w| rest(w, 1.0, rings_seconds)));
    add("cable", resting_cable::cable().and_then(|w| rest(w, 2.0, cable_seconds)));
    add("winch", winch(rounds));
    rows
}

fn rows_of(name: &str, soak: Option<Soak>, form: &Form) -> Vec<ValidationRow> {
    let soak = soak.unwrap_or(Soak { drift: f64::NAN, energy: f64::NAN, memory: None });
    let case = |what: &str| format!("soak/{name}/{what}");
    let mut rows = vec![
        ValidationRow::at_most(case("drift"), soak.drift, 0.05),
        ValidationRow::at_most(case("energy"), soak.energy, 0.01),
    ];
    if let Some(grown) = soak.memory.filter(|_| form.alone) {
        rows.push(ValidationRow::no_more_than(case("memory"), grown, 1.0));
    }
    rows
}

/// Lets `world` come to rest until `settled` (s), and samples it until `end` (s).
fn rest(mut world: World, settled: f64, end: f64) -> Option<Soak> {
    let thickness = 2.0 * world.model.rods[0].half_extents()[0][0];
    let mass: f64 = world.model.rods.iter().flat_map(|rod| rod.masses()).map(|m| m[0]).sum();
    let mut before: Option<(Vec<Vec<DVec3>>, f64)> = None;
    let (mut energy, mut half, mut work) = (0.0_f64, None, 0.0);
    let places = |world: &World| -> Vec<Vec<DVec3>> {
        (0..world.model.rods.len()).map(|r| measure::positions(&world.state, r)).collect()
    };
    while world.state.time < end - 0.5 * world.model.settings.dt {
        work += world.step()?.work;
        let total = || measure::energies(&world.model, &world.state).total() - work;
        match &before {
            None if world.state.time >= settled => before = Some((places(&world), total())),
            Some((_, at_rest)) => energy = energy.max(total() - at_rest),
            None => {}
        }
        if half.is_none() && world.state.time >= 0.5 * end {
            half = Some(resident_megabytes());
        }
    }
    let (start, _) = before?;
    let pairs = start.iter().flatten().zip(places(&world).into_iter().flatten().collect::<Vec<_>>());
    let displacement = pairs.map(|(a, b)| (b - *a).length()).fold(0.0, f64::max);
    Some(Soak {
        drift: displacement / thickness,
        energy: energy / (mass * GRAVITY * thickness),
        memory: growth(half.flatten()),
    })
}

/// Seconds of a round of the winch, and of its first and last rest.
const ROUND: f64 = 6.0;
const STILL: f64 = 0.25;

/// The winch of the scene, up and down `rounds` times.
fn winch(rounds: usize) -> Option<Soak> {
    let (mut times, mut values) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        let start = ROUND * round as f64;
        times.extend(
            [STILL, 0.5 * ROUND - STILL, 0.5 * ROUND + STILL, ROUND - STILL].map(|t| (start + t).to_string()),
        );
        values.extend(["0.0", "-9.424778", "-9.424778", "0.0"]);
    }
    let overrides = [
        format!(
            "actuator.motor.target={{ table = {{ times = [{}], values = [{}], interpolation = \"smooth\" }} }}",
            times.join(", "),
            values.join(", ")
        ),
        format!("time.duration={}", ROUND * rounds as f64),
    ];
    let scene = load_named("winch", &overrides).ok()?;
    let load = scene.bodies.iter().find(|body| body.name == "load")?;
    let place = |model: &Model, state: &State| {
        measure::tree_kinematics(model, state, load.tree).poses[load.link].position
    };
    let thickness = 2.0 * scene.model.rods[0].half_extents()[0][0];
    let (mut state, mut workspace) = (scene.state.clone(), Workspace::new(&scene.model));
    let first = measure::energies(&scene.model, &state).total();
    let (mut work, mut lifted) = (0.0, 0.0_f64);
    let (mut energy, mut drift, mut half) = (0.0_f64, 0.0_f64, None);
    let mut after_first = None;
    for round in 0..rounds {
        let end = ROUND * (round + 1) as f64;
        while state.time < end - 0.5 * scene.model.settings.dt {
            let report = ropewalk_sim::step(&scene.model, &mut state, &mut workspace);
            (report.status == StepStatus::Converged).then_some(())?;
            work += report.work;
            lifted = lifted.max(work);
            energy = energy.max(measure::energies(&scene.model, &state).total() - first - work);
        }
        let here = place(&scene.model, &state);
        drift = drift.max((here - *after_first.get_or_insert(here)).length());
        if half.is_none() && 2 * (round + 1) >= rounds {
            half = Some(resident_megabytes());
        }
    }
    Some(Soak { drift: drift / thickness, energy: energy / lifted, memory: growth(half.flatten()) })
}

fn growth(half: Option<f64>) -> Option<f64> {
    Some(resident_megabytes()? - half?)
}

/// Memory of this process in MB, as reported by Linux.
fn resident_megabytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes / 1024.0)
}
