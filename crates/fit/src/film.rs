//! Films of runs, measured and predicted, and plots of their distance.

use crate::cable::Cable;
use crate::error::FitError;
use crate::held::HeldTracks;
use crate::predict::{Predictor, Window};
use crate::shape::Shape;
use crate::tracks::{Run, Tracks};
use glam::DVec3;
use serde::Serialize;

/// Width and height of a plot in px.
const PLOT: [f64; 2] = [720.0, 160.0];

/// A run, measured and predicted.
pub(crate) struct Film<'a> {
    measured: &'a [Vec<DVec3>],
    predicted: Vec<Vec<DVec3>>,
    frame_time: f64,
}

/// A film as the page plays it.
#[derive(Serialize)]
pub(crate) struct FilmData {
    label: String,
    frame_time: f64,
    /// Frame, marker, coordinate; tenths of a millimeter. `null` for missing markers.
    measured: Vec<Vec<Option<[i32; 3]>>>,
    predicted: Vec<Vec<Option<[i32; 3]>>>,
}

impl FilmData {
    /// A shape at rest: a film of one frame.
    pub(crate) fn of_shape(cable: &Cable, shape: &Shape) -> Result<Self, FitError> {
        Ok(Self {
            label: shape.name.clone(),
            frame_time: 1.0,
            measured: vec![tenths(&shape.points)],
            predicted: vec![tenths(&shape.predict(cable)?)],
        })
    }
}

fn tenths(points: &[DVec3]) -> Vec<Option<[i32; 3]>> {
    let one = |x: &DVec3| x.is_finite().then(|| x.to_array().map(|c| (1e4 * c).round() as i32));
    points.iter().map(one).collect()
}

impl<'a> Film<'a> {
    /// The run as `cable` predicts it.
    pub(crate) fn new(cable: &Cable, tracks: &Tracks, run: &'a Run) -> Result<Self, FitError> {
        let frame_time = tracks.frame_time();
        let held = HeldTracks::new(run, cable.numerics.held_filter);
        let window = Window { first: 0, end: run.frames.len() };
        let predictor = Predictor::new(cable, frame_time).within(tracks.surroundings.as_ref());
        let predicted = predictor.predict(run, &held, window, &[])?;
        Ok(Self { measured: &run.frames[2..], predicted, frame_time })
    }

    /// Every other frame, for a film of 50 Hz.
    pub(crate) fn data(&self, label: &str) -> FilmData {
        let some = |frames: &[Vec<DVec3>]| -> Vec<Vec<Option<[i32; 3]>>> {
            frames.iter().step_by(2).map(|f| tenths(f)).collect()
        };
        FilmData {
            label: label.to_owned(),
            frame_time: 2.0 * self.frame_time,
            measured: some(self.measured),
            predicted: some(&self.predicted),
        }
    }

    /// Mean and greatest distance of inner markers over time.
    pub(crate) fn residual_plot(&self) -> String {
        let [width, height] = PLOT;
        let distance = |(p, m): (&Vec<DVec3>, &Vec<DVec3>)| -> [f64; 2] {
            let inner = (2..m.len() - 2).filter(|&k| m[k].is_finite());
            let all: Vec<f64> = inner.map(|k| (p[k] - m[k]).length()).collect();
            let mean = if all.is_empty() { 0.0 } else { all.iter().sum::<f64>() / all.len() as f64 };
            [mean, all.iter().copied().fold(0.0, f64::max)]
        };
        let curves: Vec<[f64; 2]> = self.predicted.iter().zip(self.measured).map(distance).collect();
        let top = curves.iter().map(|c| c[1]).fold(1e-6, f64::max);
        let line = |which: usize, color: &str| {
            let point = |(i, c): (usize, &[f64; 2])| {
                let x = 50.0 + (width - 60.0) * i as f64 / curves.len().max(2) as f64;
                format!("{x:.1},{:.1}", 10.0 + (height - 40.0) * (1.0 - c[which] / top))
            };
            let points: Vec<String> = curves.iter().enumerate().map(point).collect();
            format!("<polyline fill=none stroke=\"{color}\" points=\"{}\"/>", points.join(" "))
        };
        let seconds = curves.len() as f64 * self.frame_time;
        format!(
            "<svg width={width} height={height} viewBox=\"0 0 {width} {height}\"><text x=4 y=18>{:.0} mm</text><text x=4 y={:.0}>0</text><text x=50 y={:.0}>0 s</text><text x={:.0} y={:.0}>{seconds:.1} s</text><path d=\"M50 10V{:.0}H{:.0}\" fill=none stroke=gray />{}{}</svg><p class=note>Distance between predicted and measured inner markers: mean (blue), greatest (orange).</p>\n",
            1e3 * top,
            height - 30.0,
            height - 12.0,
            width - 50.0,
            height - 12.0,
            height - 30.0,
            width - 10.0,
            line(1, "#d97706"),
            line(0, "#2563eb"),
        )
    }
}
