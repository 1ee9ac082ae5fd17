//! A fit as a page: prediction over measurement, residuals, intervals, fixed parameters, the error on held-out runs.
//!
//! One self-contained file: numbers in tables, curves as SVG, and a small player that draws the worst, the middle and
//! the best run.

use crate::cable::Cable;
use crate::cross_validation::HeldOut;
use crate::error::FitError;
use crate::evaluation::{Evaluation, RunScore};
use crate::film::{Film, FilmData};
use crate::fit::{Estimate, Fit, FitOptions};
use crate::parameter::Parameter;
use crate::torque::TorqueTwist;
use crate::tracks::{Run, Tracks};
use serde::Serialize;
use std::fmt::Write;

const PAGE: &str = include_str!("report.html");
/// Number of films of the worst runs.
const WORST: usize = 4;

/// A fit in numbers.
#[derive(Clone, Debug, Serialize)]
pub struct Summary<'a> {
    /// The cable.
    pub title: &'a str,
    /// Mean |Δ| over all runs of the file, including those used in the fit, m.
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
    let facts = facts(fit, tracks, options, scores);
    filled(&fit.cable, tracks, scores, fit.held_out.as_ref(), &facts, &parameter_rows(&fit.estimates))
}

/// A page with films of the worst runs that `cable` predicts.
pub fn evaluation_page(cable: &Cable, tracks: &Tracks, scores: &Evaluation) -> Result<String, FitError> {
    let mut facts = format!(
        "<p>Mean error of open-loop predictions over {} runs: <b>{:.3} cm</b>.",
        scores.runs.len(),
        100.0 * scores.score
    );
    if let (false, Some(score)) = (scores.flawed.is_empty(), scores.score_without_flawed) {
        let _ = write!(facts, " Without the runs that are flawed themselves: {:.3} cm.", 100.0 * score);
    }
    facts += "</p>";
    for flaw in &scores.flawed {
        let _ = write!(facts, "<p>Run {}: {}.</p>", escaped(&flaw.run), escaped(&flaw.what));
    }
    let row = |p: Parameter| {
        let (name, value) = (p.name(), p.value(&cable.parameters));
        format!("<tr><td>{name}</td><td>{value:.4e}</td><td></td><td>{}</td><td></td></tr>\n", p.unit())
    };
    let rows: String = Parameter::all_of(cable).into_iter().map(row).collect();
    filled(cable, tracks, scores, None, &facts, &rows)
}

/// The page with all its parts.
fn filled(
    cable: &Cable,
    tracks: &Tracks,
    scores: &Evaluation,
    held_out: Option<&HeldOut>,
    facts: &str,
    parameters: &str,
) -> Result<String, FitError> {
    let mut runs = String::new();
    let mut films = Vec::new();
    for (label, run, score) in shown_runs(tracks, scores) {
        let film = Film::new(cable, tracks, run)?;
        let _ = write!(
            runs,
            "<h3>{label}: run {}, mean error {:.2} cm</h3>\n{}",
            escaped(&run.name),
            100.0 * score,
            film.residual_plot()
        );
        films.push(film.data(&format!("{label}: run {}", run.name)));
    }
    for shape in &tracks.shapes {
        films.push(FilmData::of_shape(cable, shape)?);
    }
    runs.extend(tracks.torque.iter().map(|curve| torque_rows(curve, cable)));
    let films = serde_json::to_string(&films)
        .map_err(|e| FitError::mismatch(format!("the page cannot be written: {e}"), "report this"))?;
    Ok(PAGE
        .replace("{{title}}", &escaped(&cable.title))
        .replace("{{facts}}", facts)
        .replace("{{parameters}}", parameters)
        .replace("{{scores}}", &score_rows(scores, held_out))
        .replace("{{runs}}", &runs)
        // A name with "</script>" in it must not end the script.
        .replace("{{films}}", &films.replace("</", "<\\/")))
}

fn torque_rows(curve: &TorqueTwist, cable: &Cable) -> String {
    let predicted = curve.predict(cable);
    let row = |((phi, measured), predicted): ((&f64, &f64), &f64)| {
        format!("<tr><td>{phi:.3}</td><td>{measured:.4e}</td><td>{predicted:.4e}</td></tr>\n")
    };
    let rows: String = curve.twist.iter().zip(&curve.torque).zip(&predicted).map(row).collect();
    format!(
        "<h3>Torque over twist</h3>\n<div class=scroll><table><tr><th>twist [rad]<th>measured [N·m]<th>predicted [N·m]</tr>\n{rows}</table></div>\n"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The worst runs, the middle and the best one.
fn shown_runs<'a>(tracks: &'a Tracks, scores: &Evaluation) -> Vec<(&'static str, &'a Run, f64)> {
    let mut order: Vec<&RunScore> = scores.runs.iter().collect();
    order.sort_by(|a, b| b.score.total_cmp(&a.score));
    let worst = (0..WORST).map(|place| (if place == 0 { "Worst" } else { "Next to worst" }, place));
    let others = [("Middle", order.len() / 2), ("Best", order.len().saturating_sub(1))];
    let mut places: Vec<(&str, usize)> = worst.chain(others).collect();
    places.sort_by_key(|(_, place)| *place);
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
    let mut sources = Vec::new();
    if !tracks.runs.is_empty() {
        let forces = if tracks.runs.iter().any(|r| !r.wrenches.is_empty()) { " with wrenches" } else { "" };
        sources.push(format!("{used} of {} runs at {} Hz{forces}", tracks.runs.len(), tracks.rate));
    }
    if !tracks.shapes.is_empty() {
        sources.push(format!("{} shapes at rest", tracks.shapes.len()));
    }
    if let Some(curve) = &tracks.torque {
        sources.push(format!("{} torques over twist", curve.torque.len()));
    }
    let mut out = format!(
        "<p>Fitted to {}; {} in {} iterations. Root mean square residual {:.2} mm, correlated over {:.0} frames.",
        sources.join(", "),
        if fit.converged { "converged" } else { "<b>not converged</b>" },
        fit.iterations,
        1e3 * fit.residual,
        fit.correlation_time,
    );
    if !scores.runs.is_empty() {
        let _ = write!(
            out,
            " Mean error of open-loop predictions over {} runs: <b>{:.3} cm</b>.",
            scores.runs.len(),
            100.0 * scores.score
        );
        match &fit.held_out {
            Some(h) => {
                let _ = write!(
                    out,
                    " On runs that were not used (cross-validation in {} folds): <b>{:.3} cm</b>.",
                    h.folds,
                    100.0 * h.score
                );
            }
            None => out += " No cross-validation was asked for: the error above is on runs that were used.",
        }
    }
    out += "</p>";
    let unseen: Vec<&str> =
        fit.estimates.iter().filter(|e| e.interval.is_none()).map(|e| e.name.as_str()).collect();
    if !unseen.is_empty() {
        let _ = write!(out, "<p>This data cannot see <b>{}</b>: held at the start.</p>", unseen.join(", "));
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
