//! Known parameters are recovered from simulated tracks.
//!
//! Finer data and trials with noise take a minute of processor time and run by command only:
//! `cargo test -p ropewalk-fit --test recover -- --ignored --nocapture`.

mod common;

use common::{FRAME, cable, simulate, simulate_at, simulate_within};
use glam::DVec3;
use ropewalk_fit::levenberg::Search;
use ropewalk_fit::tracks::{Run, Tracks};
use ropewalk_fit::{Cable, Fit, FitOptions, Parameter, Surroundings, fit};

fn tracks(run: Run) -> Tracks {
    Tracks { rate: 1.0 / FRAME, runs: vec![run], ..Tracks::default() }
}

const FOUR: [Parameter; 4] =
    [Parameter::BendingStiffness, Parameter::StiffnessDamping, Parameter::MassDamping, Parameter::DragAcross];

/// A fit from values that are off by tens of percent.
fn recovered(truth: &Cable, coarse: &Cable, tracks: &Tracks, options: &FitOptions) -> (Fit, [f64; 4]) {
    let mut start = coarse.clone();
    for (p, factor) in FOUR.iter().zip([1.4, 0.7, 1.5, 0.7]) {
        p.set(&mut start.parameters, factor * p.value(&truth.parameters));
    }
    let found = fit(&start, tracks, options, &mut |_| {}).expect("a fit");
    let off = FOUR.map(|p| p.value(&found.cable.parameters) / p.value(&truth.parameters) - 1.0);
    (found, off)
}

fn options(frames: usize, free_starts: bool) -> FitOptions {
    FitOptions {
        parameters: FOUR.to_vec(),
        stages: vec![frames],
        free_starts,
        search: Search { tolerance: 1e-5, least_gain: 1e-9, ..Search::default() },
        ..FitOptions::default()
    }
}

#[test]
fn same_mesh_without_noise() {
    let truth = cable();
    let tracks = tracks(simulate(&truth, 80, 0));
    let (found, off) = recovered(&truth, &truth, &tracks, &options(0, false));
    assert!(off.iter().all(|o| o.abs() < 1e-3), "{off:?}, converged {}", found.converged);
}

#[test]
fn gaps_in_inner_markers_are_masked() {
    let truth = cable();
    let mut run = simulate(&truth, 60, 0);
    for frame in &mut run.frames[20..30] {
        frame[4] = DVec3::NAN;
    }
    let (_, off) = recovered(&truth, &truth, &tracks(run), &options(0, false));
    assert!(off.iter().all(|o| o.abs() < 1e-3), "{off:?}");
}

/// The logarithm of a parameter that began at zero had no effect at its bound, and data seemed not to show it.
#[test]
fn what_is_left_out_of_the_first_guess_is_found() {
    let truth = cable();
    let tracks = tracks(simulate(&truth, 80, 0));
    let mut start = truth.clone();
    (start.parameters.mass_damping, start.parameters.drag_across) = (0.0, 0.0);
    let found = fit(&start, &tracks, &options(0, false), &mut |_| {}).expect("a fit");
    for p in FOUR {
        let off = p.value(&found.cable.parameters) / p.value(&truth.parameters) - 1.0;
        assert!(off.abs() < 1e-3, "{}: off by {off}", p.name());
    }
}

#[test]
fn what_the_data_cannot_see_is_held() {
    let truth = cable();
    let mut run = simulate(&truth, 40, 0);
    add_noise(&mut run, 7);
    let tracks = tracks(run);
    let parameters = vec![Parameter::BendingStiffness, Parameter::DragAlong];
    let mut start = truth.clone();
    start.parameters.drag_along = 1e-5;
    let found =
        fit(&start, &tracks, &FitOptions { parameters, ..options(0, false) }, &mut |_| {}).expect("a fit");
    let drag = &found.estimates[1];
    assert_eq!(drag.interval, None, "{drag:?}");
    assert!(drag.remark.as_ref().is_some_and(|r| r.contains("cannot be seen")), "{drag:?}");
    assert_eq!(drag.value, 1e-5);
    assert!(found.estimates[0].interval.is_some());
}

#[test]
#[ignore = "10 CPU-seconds"]
fn four_times_the_resolution() {
    // The default mesh, and data with a quarter of its edges and of its steps. What is left is of second order in the edge length: with edges of 50 mm, EI is
    // 3.4 % off and drag 13 %.
    let truth = cable();
    let mut fine = truth.clone();
    fine.numerics.edge_length /= 4.0;
    fine.numerics.steps_per_frame *= 4;
    fine.numerics.tolerance = 1e-7;
    // A slow and a fast run: at one speed, drag and mass damping are hardly told apart.
    let runs = [0.6, 1.4].map(|pace| simulate_at(pace, &fine, 250, 100));
    let tracks = Tracks { rate: 1.0 / FRAME, runs: runs.to_vec(), ..Tracks::default() };
    let clock = std::time::Instant::now();
    let (found, off) = recovered(&truth, &truth, &tracks, &options(0, true));
    println!("off by {off:?} in {} iterations, {:.1} s", found.iterations, clock.elapsed().as_secs_f64());
    assert!(off.iter().all(|o| o.abs() < 0.02), "{off:?}");
}

/// Nothing to touch, and steps of BDF2 that are a quarter as long as those of the fit.
const EMPTY: &str = r#"
title = "a rope alone"
[time]
dt = 1.25e-3
duration = 1.0
scheme = "bdf2"
[contact]
enabled = false
[material.any]
youngs_modulus = 1e7
poisson_ratio = 0.5
density = 1000.0
[rod.rope]
material = "any"
section = { circle = { radius = 3e-3 } }
curve = { line = { from = [0.0, 0.0, 0.0], to = [0.6, 0.0, 0.0] } }
segments = 20
"#;

#[test]
#[ignore = "20 CPU-seconds"]
fn four_times_the_resolution_by_another_scheme() {
    // The default mesh, and tracks of the engine. The velocity at the start is a difference over one frame; what that is off by decays like damping, so that
    // starts have to be free.
    let scene = ropewalk_scene::load_text("empty.toml", EMPTY, None, &[]).expect("a scene");
    let empty = Surroundings::new(scene.model, scene.state, None).expect("surroundings");
    let truth = cable();
    let mut fine = truth.clone();
    fine.numerics.edge_length /= 4.0;
    let runs = [0.6, 1.4].map(|pace| simulate_within(Some(&empty), pace, &fine, 250, 100));
    let tracks = Tracks { rate: 1.0 / FRAME, runs: runs.to_vec(), ..Tracks::default() };
    let (_, as_measured) = recovered(&truth, &truth, &tracks, &options(0, false));
    println!("starts as measured: off by {as_measured:?}");
    let (found, off) = recovered(&truth, &truth, &tracks, &options(0, true));
    println!("free starts: off by {off:?} in {} iterations", found.iterations);
    assert!(off.iter().all(|o| o.abs() < 0.02), "{off:?}");
}

/// Normal deviates from a linear congruential generator by sums of twelve.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        let uniform = |state: &mut u64| {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (*state >> 11) as f64 / (1u64 << 53) as f64
        };
        (0..12).map(|_| uniform(&mut self.0)).sum::<f64>() - 6.0
    }
}

/// 0.3 mm on every inner marker.
fn add_noise(run: &mut Run, seed: u64) {
    let mut noise = Noise(seed);
    let n = run.frames[0].len();
    for x in run.frames.iter_mut().flat_map(|f| &mut f[2..n - 2]) {
        *x += DVec3::new(noise.next(), noise.next(), noise.next()) * 3e-4;
    }
}

#[test]
#[ignore = "50 CPU-seconds"]
fn intervals_cover_the_truth() {
    let truth = cable();
    let clean = simulate(&truth, 160, 60);
    let mut inside = [0; 4];
    for trial in 0..40 {
        let mut run = clean.clone();
        add_noise(&mut run, trial + 1);
        let (found, _) = recovered(&truth, &truth, &tracks(run), &options(80, true));
        for (count, (p, e)) in inside.iter_mut().zip(FOUR.iter().zip(&found.estimates)) {
            let value = p.value(&truth.parameters);
            *count += u32::from(e.interval.is_some_and(|[a, b]| (a..=b).contains(&value)));
        }
    }
    println!("inside the 95 % interval in 40 trials: {inside:?}");
    assert!(inside.iter().all(|&k| k >= 34), "{inside:?}");
}
