//! Fits to other measurements than positions: wrenches, static shapes, torque over twist, and time offsets.

mod common;

use common::{FRAME, cable, held, simulate};
use glam::DVec3;
use ropewalk_fit::cable::Cable;
use ropewalk_fit::held::HeldTracks;
use ropewalk_fit::levenberg::Search;
use ropewalk_fit::predict::{Predictor, Window};
use ropewalk_fit::shape::Shape;
use ropewalk_fit::torque::TorqueTwist;
use ropewalk_fit::tracks::{Run, Tracks};
use ropewalk_fit::{Fit, FitOptions, Parameter, fit};

fn tracks(run: Run) -> Tracks {
    Tracks { rate: 1.0 / FRAME, runs: vec![run], ..Tracks::default() }
}

fn found(start: &Cable, tracks: &Tracks, parameters: &[Parameter]) -> Fit {
    let options = FitOptions {
        parameters: parameters.to_vec(),
        stages: vec![0],
        search: Search { tolerance: 1e-6, least_gain: 1e-10, ..Search::default() },
        ..FitOptions::default()
    };
    fit(start, tracks, &options, &mut |_| {}).expect("a fit")
}

/// A run of `truth` with the wrenches of its grippers.
fn with_wrenches(truth: &Cable, frames: usize) -> Run {
    let mut run = simulate(truth, frames, 0);
    let held = HeldTracks::new(&run, 0);
    let window = Window { first: 0, end: frames };
    let all = Predictor::new(truth, FRAME).predict_wrenches(&run, &held, window, &[]).expect("a run");
    // The mean from frame f − 1 to f is told by both: put so that their mean is what was predicted.
    run.wrenches = vec![[[f64::NAN; 6]; 2]; frames];
    run.wrenches[1] = all[0].1;
    for f in 2..frames {
        let before = run.wrenches[f - 1];
        run.wrenches[f] =
            core::array::from_fn(|g| core::array::from_fn(|k| 2.0 * all[f - 2].1[g][k] - before[g][k]));
    }
    run
}

#[test]
fn grippers_carry_the_weight_of_a_cable_at_rest() {
    let mut cable = cable();
    cable.parameters.mass_damping = 20.0;
    cable.numerics.theta = 1.0;
    let mut run = simulate(&cable, 3, 0);
    // The grippers stay where they are for 3 s.
    let frame = run.frames[0].clone();
    run.frames = vec![frame; 300];
    let held = HeldTracks::new(&run, 0);
    let all = Predictor::new(&cable, FRAME)
        .predict_wrenches(&run, &held, Window { first: 0, end: 300 }, &[])
        .expect("a run");
    let (_, [first, last]) = all.last().expect("frames");
    let weight = 9.81 * (0.05 * cable.length() + 9.0 * 4e-4);
    assert!((first[2] + last[2] - weight).abs() < 1e-3 * weight, "{first:?} {last:?} {weight}");
    assert!((first[0] + last[0]).abs() < 1e-3 * weight && (first[1] + last[1]).abs() < 1e-3 * weight);
    // Moments about the first outer marker balance: weights of the nodes, the last force, both moments. The cable hangs in a plane of constant y.
    let markers = &all.last().expect("frames").0;
    let apart = markers[markers.len() - 1] - markers[0];
    let force = DVec3::new(last[0], last[1], last[2]);
    let moments = DVec3::new(first[3] + last[3], first[4] + last[4], first[5] + last[5]);
    let turned_by_weight = -(moments + apart.cross(force));
    // About y: x_c W, with the center of gravity between the grippers.
    let center = turned_by_weight.y / weight;
    assert!((0.3..0.7).contains(&(center / apart.x)), "center of gravity at {center} of {apart}");
}

#[test]
fn wrenches_tell_the_density_that_positions_do_not() {
    let mut truth = cable();
    truth.parameters.density_factor = 1.3;
    let run = with_wrenches(&truth, 60);
    let mut start = cable();
    start.parameters.bending_stiffness *= 1.3;
    let both = [Parameter::BendingStiffness, Parameter::DensityFactor];
    let fitted = found(&start, &tracks(run.clone()), &both);
    let p = &fitted.cable.parameters;
    assert!((p.density_factor / 1.3 - 1.0).abs() < 1e-3, "{}", p.density_factor);
    assert!((p.bending_stiffness / 3e-3 - 1.0).abs() < 1e-3, "{}", p.bending_stiffness);
    let sure = fitted.estimates[1].interval.expect("seen");
    assert!(sure[1] / sure[0] < 1.01, "{sure:?}");
    // Positions alone: only ratios to the density matter, but for what the cable stretches under its weight.
    let mut alone = truth.clone();
    alone.known.marker_mass = 0.0;
    alone.parameters.drag_across = 0.0;
    let mut run = simulate(&alone, 60, 0);
    for (f, frame) in run.frames.iter_mut().enumerate() {
        // Some noise, for a standard error to speak of.
        frame[4] += DVec3::new(3e-4, -3e-4, 2e-4) * [1.0, -1.0, 0.5][f % 3];
    }
    let fitted = found(&alone, &tracks(run), &both);
    let density = &fitted.estimates[1];
    assert!(density.interval.is_none_or(|[low, high]| high / low > 1.5), "{density:?}");
}

#[test]
fn clocks_that_differ() {
    let truth = cable();
    let mut run = simulate(&truth, 80, 20);
    // The robot's clock is 14 ms behind: what it calls now was then.
    let n = truth.marker_count();
    for (f, frame) in run.frames.iter_mut().enumerate() {
        let [a, b, c, d] = held((f + 20) as f64 * FRAME - 0.014);
        (frame[0], frame[1], frame[n - 2], frame[n - 1]) = (a, b, c, d);
    }
    let fitted = found(&truth, &tracks(run), &[Parameter::TimeOffset]);
    let offset = fitted.cable.parameters.time_offset;
    assert!((offset - 0.014).abs() < 2e-4, "{offset}");
}

#[test]
fn stiffness_about_two_axes() {
    let mut truth = cable();
    truth.parameters.bending_stiffness_2 = Some(6e-3);
    truth.parameters.torsional_stiffness = Some(2e-3);
    truth.numerics.roll = ropewalk_fit::cable::Roll::Held;
    let mut start = truth.clone();
    start.parameters.bending_stiffness = 4e-3;
    start.parameters.bending_stiffness_2 = Some(4e-3);
    let both = [Parameter::BendingStiffness, Parameter::BendingStiffness2];
    let p = found(&start, &tracks(simulate(&truth, 80, 0)), &both).cable.parameters;
    let [first, second] = p.bending();
    assert!((first / 3e-3 - 1.0).abs() < 1e-3 && (second / 6e-3 - 1.0).abs() < 1e-3, "{first} {second}");
}

/// A loop of 1.5 m that hangs from two horizontal clamps, as an equilibrium of `truth`.
fn hanging_loop(truth: &Cable) -> Shape {
    let points = 51;
    let circle = |i: usize| {
        let angle = core::f64::consts::TAU * i as f64 / (points - 1) as f64;
        let place = DVec3::new(angle.sin(), 0.0, angle.cos() - 1.0) * (1.5 / core::f64::consts::TAU);
        place - DVec3::X * (0.12 * i as f64 / (points - 1) as f64)
    };
    let mut shape = Shape {
        name: "loop".to_owned(),
        points: (0..points).map(circle).collect(),
        length: 1.5,
        directions: [DVec3::X; 2],
    };
    shape.points = shape.predict(truth).expect("an equilibrium");
    shape
}

#[test]
fn stiffness_from_one_picture_and_torsion_from_torque() {
    let mut truth = cable();
    truth.known.line_density = 0.02;
    truth.parameters.bending_stiffness = 7e-4;
    let shape = hanging_loop(&truth);
    let twist: Vec<f64> = (0..10).map(f64::from).collect();
    let torque = twist.iter().map(|phi| 1.1e-3 * phi / 0.5).collect();
    let tracks = Tracks {
        shapes: vec![shape],
        torque: Some(TorqueTwist { twist, torque, length: 0.5 }),
        ..Tracks::default()
    };
    let mut start = ropewalk_fit::guess::guess("loop", &tracks, 0.02, 0.0).expect("a guess");
    start.parameters.torsional_stiffness = Some(1e-3);
    assert!((start.length() - 1.5).abs() < 1e-12);
    let both = [Parameter::BendingStiffness, Parameter::TorsionalStiffness];
    let p = found(&start, &tracks, &both).cable.parameters;
    assert!((p.bending_stiffness / 7e-4 - 1.0).abs() < 1e-3, "{}", p.bending_stiffness);
    assert!((p.torsion() / 1.1e-3 - 1.0).abs() < 1e-6, "{}", p.torsion());
}
