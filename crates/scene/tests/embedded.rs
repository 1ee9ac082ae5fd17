//! Every embedded scene runs to its end and its claims hold.
#![allow(clippy::unwrap_used)]

use ropewalk_scene::{ClaimResult, RunRecord, embedded_scenes, load_named, sample};
use ropewalk_sim::{StepStatus, Workspace, step};

fn run(name: &str, overrides: &[&str]) -> Vec<ClaimResult> {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).into()).collect();
    let scene = load_named(name, &overrides).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(scene.warnings, Vec::<String>::new(), "{name}");
    let steps = (scene.duration / scene.model.settings.dt).round() as usize;
    let mut workspace = Workspace::new(&scene.model);
    let mut state = scene.state.clone();
    let mut samples = Vec::with_capacity(steps);
    let mut work = 0.0;
    let clock = std::time::Instant::now();
    let (mut iterations, mut substeps) = (0, 0);
    for i in 0..steps {
        let report = step(&scene.model, &mut state, &mut workspace);
        assert_eq!(report.status, StepStatus::Converged, "{name}: step {i}");
        work += report.work;
        iterations += report.iterations;
        substeps += report.substeps;
        samples.push(sample(&scene.model, &state, &workspace, work));
    }
    let took = clock.elapsed().as_secs_f64();
    println!("{name}: {steps} steps, {substeps} sub-steps, {iterations} iterations, {took:.2} s");
    assert!(state.is_finite());
    let record = RunRecord {
        model: &scene.model,
        start: &scene.state,
        end: &state,
        wrenches: workspace.clamp_wrenches(),
        samples: &samples,
    };
    let results: Vec<ClaimResult> = scene.claims.iter().map(|c| c.evaluate(&record)).collect();
    for r in &results {
        println!("  {r:?}");
    }
    results
}

fn holds(name: &str, overrides: &[&str]) {
    for result in run(name, overrides) {
        assert!(result.pass, "{name}: {result:?}");
    }
}

#[test]
fn titles_are_those_of_the_files() {
    for scene in embedded_scenes() {
        let loaded = load_named(scene.name, &[]).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(loaded.title, scene.title);
        assert!(!loaded.claims.is_empty(), "{}", scene.name);
    }
}

#[test]
fn cantilever() {
    holds("cantilever", &[]);
}
#[test]
fn hanging_rope() {
    holds("hanging_rope", &[]);
}
#[test]
fn helix() {
    holds("helix", &[]);
}
#[test]
fn twisted_ring() {
    holds("twisted_ring", &[]);
}
#[test]
fn buckling_column() {
    holds("buckling_column", &[]);
}
#[test]
fn flexible_shaft() {
    holds("flexible_shaft", &[]);
}
#[test]
fn loop_relaxes() {
    holds("loop", &[]);
}
#[test]
fn ramped_curvature() {
    holds("ramped_curvature", &[]);
}
#[test]
fn suture() {
    holds("suture", &[]);
}
