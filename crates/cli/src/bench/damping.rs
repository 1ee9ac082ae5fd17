//! Cost of damping of strain rates: a step of a swinging cantilever with and without it.

use super::{BenchReference, BenchRow, BenchTime, rods};
use glam::DVec3;
use ropewalk_sim::{Hold, Model, Scheme, State, StepStatus, Workspace};
use ropewalk_validation::worlds::World;
use std::time::Instant;

const SEGMENTS: [usize; 3] = [20, 42, 150];
/// β in s: a hundredth of critical damping of the first mode, 15 rad/s.
const STIFFNESS_DAMPING: f64 = 1.3e-3;
/// Scheme and time step in s; the midpoint rule has to resolve stretching.
const SCHEMES: [(&str, Scheme, f64); 4] = [
    ("backward_euler", Scheme::BACKWARD_EULER, 1e-3),
    ("bdf2", Scheme::BDF2, 1e-3),
    ("midpoint", Scheme::MIDPOINT, 5e-5),
    ("symplectic_euler", Scheme::SYMPLECTIC_EULER, 2e-5),
];
/// The two take turns, and the fastest stretch of each counts: others share the machine. A stretch is so many nodes times steps, a few milliseconds, so that
/// some of them are not interrupted.
const STRETCHES: usize = 60;
const NODE_STEPS: usize = 8400;

/// Times the step on one thread.
pub(crate) fn run() -> Vec<BenchRow> {
    let rows = SCHEMES.into_iter().flat_map(|scheme| SEGMENTS.map(|segments| (scheme, segments)));
    rows.filter_map(|((name, scheme, dt), segments)| row(name, scheme, dt, segments)).collect()
}

fn row(name: &'static str, scheme: Scheme, dt: f64, segments: usize) -> Option<BenchRow> {
    // The shortest mode is resolved equally well.
    let dt = if scheme.theta < 1.0 { dt * SEGMENTS[1] as f64 / segments as f64 } else { dt };
    let [without, with] = times([0.0, STIFFNESS_DAMPING].map(|beta| cantilever(segments, beta, scheme, dt)))?;
    Some(BenchRow {
        name: "damping",
        parameter: Some(format!("{name}/{segments}")),
        time: BenchTime::MsPerStep(with),
        threads: 1,
        stages: Vec::new(),
        reference: Some(BenchReference { what: "without damping".to_owned(), value: without }),
    })
}

fn cantilever(segments: usize, beta: f64, scheme: Scheme, dt: f64) -> Option<World> {
    let mut world = rods::world();
    // On an arc of one radian, so that all of it moves from the start.
    let at = |i: usize| i as f64 / segments as f64;
    let nodes = (0..=segments).map(|i| 0.3 * DVec3::new(at(i).sin(), 0.0, 1.0 - at(i).cos())).collect();
    rods::add_rod(&mut world, nodes, 5e-3, Hold::Edge(0))?;
    world.model.rods[0].stiffness_damping = beta;
    world.model.settings.scheme = scheme;
    world.model.settings.dt = dt;
    Some(world)
}

/// Milliseconds per step of each world over its first swing; `None` if a step fails.
fn times(worlds: [Option<World>; 2]) -> Option<[f64; 2]> {
    let [Some(a), Some(b)] = worlds else { return None };
    let count = NODE_STEPS / a.model.rods[0].node_count();
    let mut runs = [a, b].map(|World { model, state, .. }| {
        let workspace = Workspace::new(&model);
        (model, state, workspace)
    });
    let mut best = [f64::INFINITY; 2];
    for _ in 0..STRETCHES {
        for ((model, start, workspace), best) in runs.iter_mut().zip(&mut best) {
            let mut state = start.clone();
            let started = Instant::now();
            steps(model, &mut state, workspace, count)?;
            *best = best.min(started.elapsed().as_secs_f64() * 1e3 / count as f64);
        }
    }
    Some(best)
}

fn steps(model: &Model, state: &mut State, workspace: &mut Workspace, count: usize) -> Option<()> {
    (0..count).try_for_each(|_| {
        let report = ropewalk_sim::step(model, state, workspace);
        (report.status == StepStatus::Converged).then_some(())
    })
}
