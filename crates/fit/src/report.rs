//! A fit as a page: prediction over measurement, residuals, intervals, what was held, the error on runs that were not used.
//!
//! One file without outside parts: numbers in tables, curves as SVG, and a small player that draws the worst, the middle and the best run.

use crate::cross_validation::HeldOut;
use crate::error::FitError;
use crate::evaluation::{Evaluation, RunScore};
use crate::fit::{Estimate, Fit, FitOptions};
use crate::held::HeldTracks;
use crate::predict::{Predictor, Window};
use crate::tracks::{Run, Tracks};
use glam::DVec3;
use serde::Serialize;
use std::fmt::Write;

const PAGE: &str = include_str!("report.html");
/// Width and height of a plot in px.
const PLOT: [f64; 2] = [720.0, 160.0];

/// A fit in numbers.
#[derive(Clone, Debug, Serialize)]
pub struct Summary<'a> {
    /// The cable.
    pub title: &'a str,
    /// Mean |Δ| over all runs of the file, those used in the fit included, m.
    pub score: f64,
    /// Root mean square residual of the fit, m.
    pub residual: f64,
    /// Correlation time of the residuals in frames.
    pub correlation_time: f64,
    /// Whether the search converged.
    pub converged: bool,
    /// Linearizations of the last stage.
    pub iterations: usize,
    /// Windows left out.
    pub failed_windows: usize,
    /// The parameters.
    pub parameters: &'a [Estimate],
    /// Cross-validation.
    pub held_out: Option<&'a HeldOut>,
}

/// The numbers of `fit`; `scores` are those of its cable on all runs.
pub fn summary<'a>(fit: &'a Fit, scores: &Evaluation) -> Summary<'a> {
    Summary {
        title: &fit.cable.title,
        score: scores.score,
        residual: fit.residual,
        correlation_time: fit.correlation_time,
        converged: fit.converged,
        iterations: fit.iterations,
        failed_windows: fit.failed_windows,
        parameters: &fit.estimates,
        held_out: fit.held_out.as_ref(),
    }
}

/// The page of `fit`.
pub fn page(
    fit: &Fit,
    tracks: &Tracks,
    options: &FitOptions,
    scores: &Evaluation,
) -> Result<String, FitError> {
    let shown = shown_runs(tracks, scores);
    let mut runs = String::new();
    let mut films = Vec::new();
    for (label, run, score) in shown {
        let film = Film::new(fit, tracks, run)?;
        let _ = write!(
            runs,
            "<h3>{label}: run {}, mean error {:.2} cm</h3>\n{}",
            escaped(&run.name),
            100.0 * score,
            film.residual_plot()
        );
        films.push(film.data(&format!("{label}: run {}", run.name)));
    }
    let films = serde_json::to_string(&films)
        .map_err(|e| FitError::mismatch(format!("the page cannot be written: {e}"), "report this"))?;
    Ok(PAGE
        .replace("{{title}}", &escaped(&fit.cable.title))
        .replace("{{facts}}", &facts(fit, tracks, options, scores))
        .replace("{{parameters}}", &parameter_rows(&fit.estimates))
        .replace("{{scores}}", &score_rows(scores, fit.held_out.as_ref()))
        .replace("{{runs}}", &runs)
        // A name with "</script>" in it must not end the script.
        .replace("{{films}}", &films.replace("</", "<\\/")))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The worst, the middle and the best run.
fn shown_runs<'a>(tracks: &'a Tracks, scores: &Evaluation) -> Vec<(&'static str, &'a Run, f64)> {
    let mut order: Vec<&RunScore> = scores.runs.iter().collect();
    order.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut places = vec![("Worst", 0), ("Middle", order.len() / 2), ("Best", order.len().saturating_sub(1))];
    places.dedup_by_key(|(_, place)| *place);
    let find = |(label, place): (&'static str, usize)| {
        let score = order.get(place)?;
        let run = tracks.runs.iter().find(|run| run.name == score.name)?;
        Some((label, run, score.score))
    };
    places.into_iter().filter_map(find).collect()
}

fn facts(fit: &Fit, tracks: &Tracks, options: &FitOptions, scores: &Evaluation) -> String {
    let used = if options.runs.is_empty() { tracks.runs.len() } else { options.runs.len() };
    let mut out = format!(
        "<p>Fitted to {used} of {} runs at {} Hz; {} in {} iterations. Root mean square residual {:.2} mm, correlated over {:.0} frames. Mean error of open-loop predictions over {} runs: <b>{:.3} cm</b>.",
        tracks.runs.len(),
        tracks.rate,
        if fit.converged { "converged" } else { "<b>not converged</b>" },
        fit.iterations,
        1e3 * fit.residual,
        fit.correlation_time,
        scores.runs.len(),
        100.0 * scores.score,
    );
    match &fit.held_out {
        Some(h) => {
            let _ = write!(
                out,
                " On runs that were not used (cross-validation in {} folds): <b>{:.3} cm</b>.</p>",
                h.folds,
                100.0 * h.score
            );
        }
        None => out += " No cross-validation was asked for: the error above is on runs that were used.</p>",
    }
    if fit.failed_windows > 0 {
        let _ =
            write!(out, "<p>{} windows could not be predicted and were left out.</p>", fit.failed_windows);
    }
    out
}

fn parameter_rows(estimates: &[Estimate]) -> String {
    let row = |e: &Estimate| {
        let interval = e.interval.map_or("held".to_owned(), |[a, b]| format!("{a:.4e} … {b:.4e}"));
        format!(
            "<tr><td>{}</td><td>{:.4e}</td><td>{interval}</td><td>{}</td><td>{}</td></tr>\n",
            e.name,
            e.value,
            e.unit,
            e.remark.as_deref().unwrap_or("")
        )
    };
    estimates.iter().map(row).collect()
}

fn score_rows(scores: &Evaluation, held_out: Option<&HeldOut>) -> String {
    let greatest = scores.runs.iter().map(|r| r.score).fold(1e-12, f64::max);
    let row = |r: &RunScore| {
        let other = held_out.and_then(|h| h.runs.iter().find(|o| o.name == r.name));
        format!(
            "<tr><td>{}</td><td>{:.3}</td><td>{}</td><td><div class=bar style=\"width:{:.0}px\"></div></td></tr>\n",
            escaped(&r.name),
            100.0 * r.score,
            other.map_or(String::new(), |o| format!("{:.3}", 100.0 * o.score)),
            240.0 * r.score / greatest
        )
    };
    scores.runs.iter().map(row).collect()
}

/// A run, measured and predicted.
struct Film<'a> {
    measured: &'a [Vec<DVec3>],
    predicted: Vec<Vec<DVec3>>,
    frame_time: f64,
}

#[derive(Serialize)]
struct FilmData {
    label: String,
    frame_time: f64,
    /// Frame, marker, coordinate; tenths of a millimeter. `null` for what was not seen.
    measured: Vec<Vec<Option<[i32; 3]>>>,
    predicted: Vec<Vec<Option<[i32; 3]>>>,
}

impl<'a> Film<'a> {
    fn new(fit: &Fit, tracks: &Tracks, run: &'a Run) -> Result<Self, FitError> {
        let frame_time = tracks.frame_time();
        let held = HeldTracks::new(run, fit.cable.numerics.held_filter);
        let window = Window { first: 0, end: run.frames.len() };
        let predicted = Predictor::new(&fit.cable, frame_time).predict(run, &held, window, &[])?;
        Ok(Self { measured: &run.frames[2..], predicted, frame_time })
    }

    /// Every other frame, which a film of 50 Hz shows.
    fn data(&self, label: &str) -> FilmData {
        let tenths = |x: &DVec3| x.is_finite().then(|| x.to_array().map(|c| (1e4 * c).round() as i32));
        let some = |frames: &[Vec<DVec3>]| -> Vec<Vec<Option<[i32; 3]>>> {
            frames.iter().step_by(2).map(|f| f.iter().map(tenths).collect()).collect()
        };
        FilmData {
            label: label.to_owned(),
            frame_time: 2.0 * self.frame_time,
            measured: some(self.measured),
            predicted: some(&self.predicted),
        }
    }

    /// Mean and greatest distance of inner markers over time.
    fn residual_plot(&self) -> String {
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
