//! Measurements to be predicted: windows of runs, static shapes, a torque–twist curve.
//!
//! All are scaled to m, for a common loss: markers unchanged; a force or moment of
//! [`crate::tracks::Tracks::wrench_scale`], and a torque of [`crate::torque::FRACTION`] of the greatest, like
//! [`LIKE`].

use crate::cable::Cable;
use crate::error::FitError;
use crate::held::HeldTracks;
use crate::predict::{Predictor, Window, Wrenches};
use crate::shape::Shape;
use crate::surroundings::Surroundings;
use crate::torque::{FRACTION, TorqueTwist};
use crate::tracks::{Run, Tracks};
use glam::DVec3;
use std::sync::Arc;

/// Length to which other measurements are scaled, m.
pub const LIKE: f64 = 1e-3;

/// A measurement.
#[derive(Clone, Debug)]
pub enum Source<'a> {
    /// A window of a run.
    Window {
        /// The run.
        run: &'a Run,
        /// Its filtered held markers.
        held: Arc<HeldTracks>,
        /// The frames.
        window: Window,
        /// Force in N and moment in N·m that count like [`LIKE`].
        wrench_scale: [f64; 2],
        /// What the cable touches.
        surroundings: Option<&'a Surroundings>,
    },
    /// A shape at rest.
    Shape(&'a Shape),
    /// Torque over twist.
    Torque(&'a TorqueTwist),
}

/// A measurement to be predicted.
#[derive(Clone, Debug)]
pub struct Task<'a> {
    /// The measurement.
    pub source: Source<'a>,
    /// Displacements z of the inner markers at the start of a window, by frame, marker and coordinate in m; empty for
    /// the measured start.
    pub start: Vec<f64>,
}

/// Division of runs into windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Frames in a window; 0 for whole runs.
    pub frames: usize,
    /// Whether the starts are unknowns.
    pub free_starts: bool,
}

/// Windows of the runs `which` that start with complete frames, and all static measurements.
pub fn tasks<'a>(tracks: &'a Tracks, which: &[usize], cut: Cut, filter: usize) -> Vec<Task<'a>> {
    let mut out = Vec::new();
    for &r in which {
        let run = &tracks.runs[r];
        let held = Arc::new(HeldTracks::new(run, filter));
        let unknowns = if cut.free_starts { 6 * (run.frames[0].len() - 4) } else { 0 };
        for window in windows(run, cut.frames) {
            let source = Source::Window {
                run,
                held: Arc::clone(&held),
                window,
                wrench_scale: tracks.wrench_scale,
                surroundings: tracks.surroundings.as_ref(),
            };
            out.push(Task { source, start: vec![0.0; unknowns] });
        }
    }
    let rest = tracks.shapes.iter().map(Source::Shape).chain(tracks.torque.iter().map(Source::Torque));
    out.extend(rest.map(|source| Task { source, start: Vec::new() }));
    out
}

fn windows(run: &Run, frames: usize) -> Vec<Window> {
    let all = run.frames.len();
    let length = if frames == 0 { all } else { frames.clamp(3, all) };
    let seen = |f: usize| run.frames[f].iter().all(|x| x.is_finite());
    let mut out = Vec::new();
    let mut first = 0;
    while first + 3 <= all {
        // A gap in the markers delays a start.
        if !(seen(first) && seen(first + 1)) {
            first += 1;
            continue;
        }
        let end = (first + length).min(all);
        // The rest of a run becomes a window if it is at least half as long.
        if end - first < 3.max(length / 2) {
            break;
        }
        out.push(Window { first, end });
        first = end;
    }
    out
}

impl Task<'_> {
    /// Its name, for messages.
    pub fn name(&self) -> &str {
        match &self.source {
            Source::Window { run, .. } => &run.name,
            Source::Shape(shape) => &shape.name,
            Source::Torque(_) => "torque over twist",
        }
    }

    /// Measured values in m; NaN where missing.
    pub fn measured(&self) -> Vec<f64> {
        match &self.source {
            Source::Window { run, window, wrench_scale, .. } => {
                let mut out = Vec::new();
                for f in window.first + 2..window.end {
                    inner(&run.frames[f], &mut out);
                    if let Some([a, b]) = run.wrenches.get(f - 1..=f) {
                        let mean =
                            core::array::from_fn(|g| core::array::from_fn(|k| 0.5 * (a[g][k] + b[g][k])));
                        scaled(&mean, *wrench_scale, &mut out);
                    }
                }
                out
            }
            Source::Shape(shape) => shape.points.iter().flat_map(|x| x.to_array()).collect(),
            Source::Torque(curve) => {
                let scale = LIKE / (FRACTION * curve.greatest());
                curve.torque.iter().map(|m| scale * m).collect()
            }
        }
    }

    /// The same of `cable`, its start moved by `start`.
    pub fn predicted(&self, cable: &Cable, frame_time: f64, start: &[f64]) -> Result<Vec<f64>, FitError> {
        match &self.source {
            Source::Window { run, held, window, wrench_scale, surroundings } => {
                let predictor = Predictor::new(cable, frame_time).within(*surroundings);
                let mut out = Vec::new();
                if run.wrenches.is_empty() {
                    for frame in predictor.predict(run, held, *window, start)? {
                        inner(&frame, &mut out);
                    }
                } else {
                    for (frame, wrenches) in predictor.predict_wrenches(run, held, *window, start)? {
                        inner(&frame, &mut out);
                        scaled(&wrenches, *wrench_scale, &mut out);
                    }
                }
                Ok(out)
            }
            Source::Shape(shape) => Ok(shape.predict(cable)?.iter().flat_map(|x| x.to_array()).collect()),
            Source::Torque(curve) => {
                let scale = LIKE / (FRACTION * curve.greatest());
                Ok(curve.predict(cable).iter().map(|m| scale * m).collect())
            }
        }
    }

    /// Residuals of positions, by frame and marker or, of a shape, by point; empty for other measurements.
    pub fn position_residuals(&self, cable: &Cable, frame_time: f64) -> Result<Vec<Vec<DVec3>>, FitError> {
        match &self.source {
            Source::Window { run, held, window, surroundings, .. } => {
                let predictor = Predictor::new(cable, frame_time).within(*surroundings);
                let predicted = predictor.predict(run, held, *window, &self.start)?;
                let measured = &run.frames[window.first + 2..window.end];
                let inner = |(p, m): (&Vec<DVec3>, &Vec<DVec3>)| -> Vec<DVec3> {
                    (2..m.len() - 2).map(|k| p[k] - m[k]).collect()
                };
                Ok(predicted.iter().zip(measured).map(inner).collect())
            }
            Source::Shape(shape) => {
                let predicted = shape.predict(cable)?;
                Ok(predicted.iter().zip(&shape.points).map(|(p, m)| vec![*p - *m]).collect())
            }
            Source::Torque(_) => Ok(Vec::new()),
        }
    }
}

fn inner(frame: &[DVec3], out: &mut Vec<f64>) {
    out.extend(frame[2..frame.len() - 2].iter().flat_map(|x| x.to_array()));
}

fn scaled(wrenches: &Wrenches, [force, moment]: [f64; 2], out: &mut Vec<f64>) {
    for wrench in wrenches {
        let scales = [force, force, force, moment, moment, moment];
        out.extend(wrench.iter().zip(scales).map(|(x, scale)| x * LIKE / scale));
    }
}
