//! A known cable and runs of it that are simulated.
// Each test file uses its part of this.
#![allow(dead_code)]

use glam::DVec3;
use ropewalk_fit::Surroundings;
use ropewalk_fit::cable::{Cable, Known, Numerics, Parameters, Roll};
use ropewalk_fit::held::HeldTracks;
use ropewalk_fit::predict::{Predictor, Window};
use ropewalk_fit::tracks::Run;

pub(crate) const FRAME: f64 = 0.01;

pub(crate) fn cable() -> Cable {
    Cable {
        title: "known".to_owned(),
        known: Known {
            line_density: 0.05,
            marker_mass: 4e-4,
            marker_spacing: vec![0.03, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.03],
        },
        parameters: Parameters {
            bending_stiffness: 3e-3,
            bending_stiffness_2: None,
            torsional_stiffness: None,
            axial_stiffness: 300.0,
            density_factor: 1.0,
            natural_curvature: 0.0,
            mass_damping: 0.3,
            stiffness_damping: 0.03,
            drag_across: 0.02,
            drag_along: 0.0,
            length_factor: 1.0,
            spacing_share: 0.0,
            grip_stiffness: 1.0,
            friction: None,
            time_offset: 0.0,
            curl: Vec::new(),
        },
        numerics: Numerics { tolerance: 1e-9, held_filter: 0, roll: Roll::Free, ..Numerics::default() },
        fitted: None,
    }
}

/// The held markers of a swing that never comes to rest, at `time`.
pub(crate) fn held(time: f64) -> [DVec3; 4] {
    let t = time;
    let a = DVec3::new(0.05 * (4.0 * t).sin(), 0.08 * (5.0 * t).sin(), 0.04 * (6.0 * t).sin());
    let b = DVec3::new(0.35 + 0.06 * (3.0 * t).sin(), 0.07 * (7.0 * t).cos() - 0.07, 0.05 * (5.5 * t).sin());
    let down = |x: f64, y: f64| DVec3::new(x, y, -1.0).normalize() * 0.03;
    [a, a + down(0.3, 0.2 * (3.0 * t).sin()), b + down(-0.3, 0.2 * (2.0 * t).sin()), b]
}

/// Markers on a parabola between the held ends.
pub(crate) fn first_frame(n: usize, time: f64) -> Vec<DVec3> {
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
pub(crate) fn simulate(cable: &Cable, frames: usize, skip: usize) -> Run {
    simulate_at(1.0, cable, frames, skip)
}

/// The same with grippers that move `pace` times as fast.
pub(crate) fn simulate_at(pace: f64, cable: &Cable, frames: usize, skip: usize) -> Run {
    simulate_within(None, pace, cable, frames, skip)
}

/// The same by the engine, if there are surroundings.
pub(crate) fn simulate_within(
    surroundings: Option<&Surroundings>,
    pace: f64,
    cable: &Cable,
    frames: usize,
    skip: usize,
) -> Run {
    let n = cable.marker_count();
    let all = frames + skip;
    let at = |f: usize| {
        let mut markers = first_frame(n, pace * f as f64 * FRAME);
        let [a, b, c, d] = held(pace * f as f64 * FRAME);
        (markers[0], markers[1], markers[n - 2], markers[n - 1]) = (a, b, c, d);
        markers
    };
    let mut run =
        Run { name: "simulated".to_owned(), frames: (0..all).map(at).collect(), wrenches: Vec::new() };
    let held = HeldTracks::new(&run, 0);
    let window = Window { first: 0, end: all };
    let predictor = Predictor::new(cable, FRAME).within(surroundings);
    let predicted = predictor.predict(&run, &held, window, &[]).expect("a run");
    run.frames.splice(2.., predicted);
    run.frames.drain(..skip);
    run
}
