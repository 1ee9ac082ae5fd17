//! Two arms tie a knot: the scene `shoelace`; with points and with the paper's step, too.
//!
//! - `…/determinant_error`: knot determinant at the end: 3, an overhand knot; `…/slack_left`, `…/slack_right`: excess
//!   of the length from an end to its eyelet over the distance, in thicknesses, pulled with 1 N; `…/drift_left`,
//!   `…/drift_right`: remaining displacement of an end, in thicknesses.
//! - `…/pinch_ripple`: standard deviation of the force of a finger while the left gripper carries the lace, relative
//!   to its mean.
//!
//! All but the ripple are judged with default settings, and reported otherwise. The long form runs all variants and draws the elastic
//! energy of the lace and the force of a finger; the short one runs the scene up to where the lace has been carried, and reports
//! the ripple.

use super::scene_run::SceneRun;
use super::{Form, ValidationRow};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use ropewalk_render::svg::plot::{Plot, Series};

const VARIANTS: [(&str, &[&str], &str); 3] = [
    ("patch", &[], "#2c7fb8"),
    ("point", &["rod.lace.contact=point"], "#c0392b"),
    ("patch/once", &["solver.linearize=once"], "#31a354"),
];
/// Interval in which the left gripper carries the lace, s.
const CARRY: [f64; 2] = [1.6, 3.6];
/// The short form ends with it.
const SHORT: &[&str] = &["time.duration=3.7"];

pub(crate) fn run(form: &Form) -> Vec<ValidationRow> {
    if !form.full {
        let run = SceneRun::of("shoelace", SHORT, |_, _, _| ());
        // The fingers hold the lace, and nothing tunnels.
        let passing = run.as_ref().map_or(f64::NAN, |r| r.bound("nothing_passes").0);
        return vec![
            ripple_row("patch", run.as_ref()),
            ValidationRow::at_most("shoelace/patch/nothing_passes", passing, 1.0),
        ];
    }
    let runs: Vec<Option<SceneRun>> = VARIANTS
        .into_par_iter()
        .map(|(_, overrides, _)| SceneRun::of("shoelace", overrides, |_, _, _| ()))
        .collect();
    form.keep_figure("shoelace_energy", || energy_figure(&runs));
    form.keep_figure("shoelace_pinch", || pinch_figure(&runs));
    let mut rows = Vec::new();
    for ((name, ..), run) in VARIANTS.iter().zip(&runs) {
        let Some(run) = run else {
            rows.push(ValidationRow::new(format!("shoelace/{name}/finished"), 1.0, 0.0, 1.0, 0.0));
            continue;
        };
        for (what, of) in [
            ("determinant_error", "knot"),
            ("slack_left", "tight_left"),
            ("slack_right", "tight_right"),
            ("drift_left", "holds_left"),
            ("drift_right", "holds_right"),
        ] {
            let (error, tolerance) = run.error(of);
            let case = format!("shoelace/{name}/{what}");
            rows.push(match *name {
                "patch" => ValidationRow::at_most(case, error, tolerance),
                _ => ValidationRow::reported(case, 0.0, error),
            });
        }
        rows.push(ripple_row(name, Some(run)));
    }
    rows
}

fn ripple_row(name: &str, run: Option<&SceneRun>) -> ValidationRow {
    let forces: Vec<f64> = run.map_or(Vec::new(), |r| {
        let carried = pinch(r).into_iter().filter(|(t, _)| (CARRY[0]..CARRY[1]).contains(t));
        carried.map(|(_, force)| force).collect()
    });
    let count = forces.len() as f64;
    let mean = forces.iter().sum::<f64>() / count;
    let variance = forces.iter().map(|f| (f - mean).powi(2)).sum::<f64>() / count;
    ValidationRow::reported(format!("shoelace/{name}/pinch_ripple"), 0.0, variance.sqrt() / mean)
}

/// Time and force of contacts on a finger of the left gripper.
fn pinch(run: &SceneRun) -> Vec<(f64, f64)> {
    let Some(tree) = run.model.trees.iter().position(|t| t.name == "left") else { return Vec::new() };
    let links = run.model.trees[tree].tree.links();
    let Some(link) = links.iter().position(|l| l.name == "finger_left") else { return Vec::new() };
    run.samples.iter().map(|s| (s.time, s.trees[tree].contacts[link].force.length())).collect()
}

fn energy_figure(runs: &[Option<SceneRun>]) -> String {
    let mut plot = Plot::new("Shoelace: elastic energy of the lace", "time, s", "energy, mJ");
    for ((name, _, color), run) in VARIANTS.iter().zip(runs) {
        let Some(run) = run else { continue };
        let energy = |s: &ropewalk_scene::Sample| {
            let e = &s.rods[0].energies;
            (s.time, 1e3 * (e.stretch + e.bend + e.twist))
        };
        plot.add(Series::line(*name, color, run.samples.iter().map(energy).collect()));
    }
    plot.draw()
}

fn pinch_figure(runs: &[Option<SceneRun>]) -> String {
    let mut plot = Plot::new("Shoelace: force of a finger of the left hand", "time, s", "force, N");
    for ((name, _, color), run) in VARIANTS.iter().zip(runs) {
        let Some(run) = run else { continue };
        plot.add(Series::line(*name, color, pinch(run)));
    }
    plot.draw()
}
