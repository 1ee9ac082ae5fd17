//! Known parameters are found again from simulated tracks.
//!
//! Finer data and trials with noise take a minute of processor time and run by command only:
//! `cargo test -p ropewalk-fit --test recover -- --ignored --nocapture`.

use glam::DVec3;
use ropewalk_fit::cable::{Cable, Known, Numerics, Parameters, Roll};
use ropewalk_fit::held::HeldTracks;
use ropewalk_fit::levenberg::Search;
use ropewalk_fit::predict::{Predictor, Window};
use ropewalk_fit::tracks::{Run, Tracks};
use ropewalk_fit::{Fit, FitOptions, Parameter, fit};

const FRAME: f64 = 0.01;

fn cable() -> Cable {
    Cable {
        title: "known".to_owned(),
        known: Known {
            line_density: 0.05,
            marker_mass: 4e-4,
            marker_spacing: vec![0.03, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.03],
        },
        parameters: Parameters {
            bending_stiffness: 3e-3,
            torsional_stiffness: None,
            axial_stiffness: 300.0,
            natural_curvature: 0.0,
            mass_damping: 0.3,
            stiffness_damping: 0.03,
            drag_across: 0.02,
            drag_along: 0.0,
            length_factor: 1.0,
            spacing_share: 0.0,
            grip_stiffness: 1.0,
            curl: Vec::new(),
        },
        numerics: Numerics { tolerance: 1e-9, held_filter: 0, roll: Roll::Free, ..Numerics::default() },
        fitted: None,
    }
}

/// The held markers of a swing that never comes to rest, at `time`.
fn held(time: f64) -> [DVec3; 4] {
    let t = time;
    let a = DVec3::new(0.05 * (4.0 * t).sin(), 0.08 * (5.0 * t).sin(), 0.04 * (6.0 * t).sin());
    let b = DVec3::new(0.35 + 0.06 * (3.0 * t).sin(), 0.07 * (7.0 * t).cos() - 0.07, 0.05 * (5.5 * t).sin());
    let down = |x: f64, y: f64| DVec3::new(x, y, -1.0).normalize() * 0.03;
    [a, a + down(0.3, 0.2 * (3.0 * t).sin()), b + down(-0.3, 0.2 * (2.0 * t).sin()), b]
}

/// Markers on a parabola between the held ends.
fn first_frame(n: usize, time: f64) -> Vec<DVec3> {
    let [a, b, c, d] = held(time);
    let inner = n - 4;
    let mut out = vec![a, b];
    for k in 1..=inner {
        let s = k as f64 / (inner + 1) as f64;
        out.push(b.lerp(c, s) - DVec3::Z * (0.9 * s * (1.0 - s)));
    }
    out.extend([c, d]);
    out
}

/// A run of `frames` frames of `cable`, after `skip` frames in which the start is forgotten.
fn simulate(cable: &Cable, frames: usize, skip: usize) -> Run {
    simulate_at(1.0, cable, frames, skip)
}

/// The same with grippers that move `pace` times as fast.
fn simulate_at(pace: f64, cable: &Cable, frames: usize, skip: usize) -> Run {
    let n = cable.marker_count();
    let all = frames + skip;
    let at = |f: usize| {
        let mut markers = first_frame(n, pace * f as f64 * FRAME);
        let [a, b, c, d] = held(pace * f as f64 * FRAME);
        (markers[0], markers[1], markers[n - 2], markers[n - 1]) = (a, b, c, d);
        markers
    };
    let mut run = Run { name: "simulated".to_owned(), frames: (0..all).map(at).collect() };
    let held = HeldTracks::new(&run, 0);
    let window = Window { first: 0, end: all };
    let predicted = Predictor::new(cable, FRAME).predict(&run, &held, window, &[]).expect("a run");
    run.frames.splice(2.., predicted);
    run.frames.drain(..skip);
    run
}

fn tracks(run: Run) -> Tracks {
    Tracks { rate: 1.0 / FRAME, runs: vec![run] }
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
#[ignore = "25 CPU-seconds"]
fn four_times_the_resolution() {
    // Errors fall with the square of the edge length; with edges of 25 mm drag is still 3 % off, with 12.5 mm all are below 2 %.
    let mut truth = cable();
    truth.numerics.edge_length = 0.0125;
    truth.numerics.steps_per_frame = 4;
    let mut fine = truth.clone();
    fine.numerics.edge_length /= 4.0;
    fine.numerics.steps_per_frame *= 4;
    fine.numerics.tolerance = 1e-7;
    // A slow and a fast run: at one speed, drag and mass damping are hardly told apart.
    let runs = [0.6, 1.4].map(|pace| simulate_at(pace, &fine, 250, 100));
    let tracks = Tracks { rate: 1.0 / FRAME, runs: runs.to_vec() };
    let clock = std::time::Instant::now();
    let (found, off) = recovered(&truth, &truth, &tracks, &options(0, true));
    println!("off by {off:?} in {} iterations, {:.1} s", found.iterations, clock.elapsed().as_secs_f64());
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
