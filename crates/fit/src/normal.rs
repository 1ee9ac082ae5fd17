//! The normal equations of a fit: loss, gradient and Gauss–Newton matrix over all windows, derivatives by central differences.
//!
//! Every window is predicted with 2p + 1 cables, p the number of parameters; windows are spread over threads, and their sums are added
//! in their order, so that the result does not depend on the number of threads.

use crate::cable::Cable;
use crate::dense::{Matrix, zeros};
use crate::error::FitError;
use crate::held::HeldTracks;
use crate::parameter::Parameter;
use crate::predict::{Predictor, Window};
use crate::robust::Loss;
use crate::tracks::{Run, Tracks};
use glam::DVec3;
use rayon::prelude::*;

/// A window of a run, to be predicted.
#[derive(Clone, Debug)]
pub struct Task<'a> {
    /// The run.
    pub run: &'a Run,
    /// Its filtered held markers.
    pub held: HeldTracks,
    /// The frames.
    pub window: Window,
}

/// Windows of `frames` frames (0: whole runs) of the runs `which` that start where all markers are seen.
pub fn tasks<'a>(tracks: &'a Tracks, which: &[usize], frames: usize, filter: usize) -> Vec<Task<'a>> {
    let mut out = Vec::new();
    for &r in which {
        let run = &tracks.runs[r];
        let held = HeldTracks::new(run, filter);
        let all = run.frames.len();
        let length = if frames == 0 { all } else { frames.clamp(3, all) };
        let mut first = 0;
        while first + 3 <= all {
            let end = (first + length).min(all);
            // What is left at the end of a run makes a window of its own if it is at least half as long.
            if end - first < 3.max(length / 2) {
                break;
            }
            let seen = |f: usize| run.frames[f].iter().all(|x| x.is_finite());
            if seen(first) && seen(first + 1) {
                out.push(Task { run, held: held.clone(), window: Window { first, end } });
            }
            first += length;
        }
    }
    out
}

/// Loss and, if asked for, derivatives of one window.
#[derive(Clone, Debug)]
pub struct Sums {
    /// Σ ρ(r), m².
    pub loss: f64,
    /// Σ |r|, m.
    pub absolute: f64,
    /// Σ r², m².
    pub squares: f64,
    /// Number of residuals.
    pub count: usize,
    /// Σ w r ∂r.
    pub gradient: Vec<f64>,
    /// Σ w ∂r ∂rᵀ.
    pub matrix: Matrix,
}

impl Sums {
    /// Nothing yet, for `n` parameters.
    pub fn nothing(n: usize) -> Self {
        Self { loss: 0.0, absolute: 0.0, squares: 0.0, count: 0, gradient: vec![0.0; n], matrix: zeros(n) }
    }

    /// Adds another window.
    pub fn add(&mut self, other: &Self) {
        self.loss += other.loss;
        self.absolute += other.absolute;
        self.squares += other.squares;
        self.count += other.count;
        for (a, b) in self.gradient.iter_mut().zip(&other.gradient) {
            *a += b;
        }
        for (a, b) in self.matrix.iter_mut().flatten().zip(other.matrix.iter().flatten()) {
            *a += b;
        }
    }
}

/// The cable at search coordinates `x`.
pub fn cable_at(cable: &Cable, parameters: &[Parameter], x: &[f64]) -> Cable {
    let mut out = cable.clone();
    for (p, x) in parameters.iter().zip(x) {
        *p.place(&mut out.parameters) = p.from_coordinate(*x);
    }
    out
}

/// The sums of each window at `x`; `None` in place of those whose prediction fails.
pub fn evaluate(
    cable: &Cable,
    parameters: &[Parameter],
    x: &[f64],
    tasks: &[Task<'_>],
    frame_time: f64,
    loss: Loss,
    with_derivatives: bool,
) -> Vec<Result<Sums, FitError>> {
    let shifted = |k: usize, by: f64| {
        let mut x = x.to_vec();
        x[k] += by;
        cable_at(cable, parameters, &x)
    };
    let base = cable_at(cable, parameters, x);
    let pairs: Vec<[Cable; 2]> = if with_derivatives {
        let pair = |(k, p): (usize, &Parameter)| [shifted(k, p.difference()), shifted(k, -p.difference())];
        parameters.iter().enumerate().map(pair).collect()
    } else {
        Vec::new()
    };
    let one = |task: &Task<'_>| -> Result<Sums, FitError> {
        let predict =
            |cable: &Cable| Predictor::new(cable, frame_time).predict(task.run, &task.held, task.window);
        let at = predict(&base)?;
        let mut columns = Vec::with_capacity(pairs.len());
        for (pair, parameter) in pairs.iter().zip(parameters) {
            // Coordinates at a bound move one way only.
            let span: f64 = {
                let value = |c: &Cable| parameter.coordinate(parameter.value(&c.parameters));
                value(&pair[0]) - value(&pair[1])
            };
            columns.push((predict(&pair[0])?, predict(&pair[1])?, 1.0 / span.max(1e-12)));
        }
        Ok(sum_up(task, &at, &columns, loss))
    };
    tasks.par_iter().map(one).collect()
}

type Frames = Vec<Vec<DVec3>>;

fn sum_up(task: &Task<'_>, at: &Frames, columns: &[(Frames, Frames, f64)], loss: Loss) -> Sums {
    let n = columns.len();
    let mut sums = Sums::nothing(n);
    let measured = &task.run.frames[task.window.first + 2..task.window.end];
    let mut row = vec![0.0; n];
    for (f, frame) in measured.iter().enumerate() {
        for m in 2..frame.len() - 2 {
            if !frame[m].is_finite() {
                continue;
            }
            for k in 0..3 {
                let r = at[f][m][k] - frame[m][k];
                let w = loss.weight(r);
                sums.loss += loss.value(r);
                sums.absolute += r.abs();
                sums.squares += r * r;
                sums.count += 1;
                for (d, (plus, minus, scale)) in row.iter_mut().zip(columns) {
                    *d = (plus[f][m][k] - minus[f][m][k]) * scale;
                }
                for i in 0..n {
                    sums.gradient[i] += w * r * row[i];
                    for j in 0..=i {
                        sums.matrix[i][j] += w * row[i] * row[j];
                    }
                }
            }
        }
    }
    for i in 0..n {
        for j in 0..i {
            sums.matrix[j][i] = sums.matrix[i][j];
        }
    }
    sums
}
