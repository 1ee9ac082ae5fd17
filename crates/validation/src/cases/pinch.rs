//! Two fingers pinch a lace that is pulled: the scene `pinch`, with patches and with points, linearized until momentum
//! balances and once.
//!
//! - `…/ripple`: greatest less least force of a finger once it has closed, relative to the command.
//! - `…/fall`: greatest decrease of the force below its previous maximum: it should rise smoothly.
//! - `…/creep`: mean speed of the pulled end with half the friction limit, m/s.
//! - `…/momentum`, `…/linearizations`: greatest error of momentum in a step, and linearizations per step.
//! - `pinch/slips/force`, `pinch/slips/friction`: pulled with 6 N against a friction limit of 4 N, the lace slides
//!   out. Meanwhile, greatest differences of a finger's force from its command, and of its friction from μ times that
//!   force, relative.
//!
//! The first three are judged for patches with default settings, and so is the lace that slips; all others are reported. The long form draws the
//! force of a finger over time.

use super::scene_run::SceneRun;
use super::{Form, ValidationRow};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use ropewalk_render::svg::plot::{Plot, Series};

const VARIANTS: [(&str, &[&str], &str); 4] = [
    ("patch", &[], "#2c7fb8"),
    ("patch/once", &["solver.linearize=once"], "#31a354"),
    ("point", &["rod.lace.contact=point"], "#c0392b"),
    ("point/once", &["rod.lace.contact=point", "solver.linearize=once"], "#e69f00"),
];

pub(crate) fn run(form: &Form) -> Vec<ValidationRow> {
    let runs: Vec<Option<SceneRun>> = VARIANTS
        .into_par_iter()
        .map(|(_, overrides, _)| SceneRun::of("pinch", overrides, |_, _, _| ()))
        .collect();
    if form.full {
        form.keep_figure("pinch", || figure(&runs));
    }
    let mut rows = Vec::new();
    for ((name, ..), run) in VARIANTS.iter().zip(&runs) {
        let claim = |of: &str| run.as_ref().map_or((f64::NAN, f64::NAN), |r| r.error(of));
        for (what, of) in [("ripple", "left_ripple"), ("fall", "left_rise"), ("creep", "creep")] {
            let (error, tolerance) = claim(of);
            let case = format!("pinch/{name}/{what}");
            rows.push(match *name {
                "patch" => ValidationRow::at_most(case, error, tolerance),
                _ => ValidationRow::reported(case, 0.0, error),
            });
        }
        let of = |value: fn(&SceneRun) -> f64| run.as_ref().map_or(f64::NAN, value);
        rows.push(ValidationRow::reported(format!("pinch/{name}/momentum"), 0.0, of(|r| r.residual)));
        rows.push(ValidationRow::reported(format!("pinch/{name}/linearizations"), 1.0, of(|r| r.iterations)));
    }
    let slips = slips().unwrap_or([f64::NAN; 2]);
    for (what, error) in ["force", "friction"].into_iter().zip(slips) {
        rows.push(ValidationRow::at_most(format!("pinch/slips/{what}"), error, 0.02));
    }
    rows
}

/// Greatest relative errors of a finger's normal force and of its friction while the lace slides between the fingers.
fn slips() -> Option<[f64; 2]> {
    // μ of fingers and lace; the command; half the length of a finger, m; a speed above any creep, m/s.
    const FRICTION: f64 = 0.5;
    const COMMAND: f64 = 4.0;
    const HALF_FINGER: f64 = 0.01;
    const SLIDES: f64 = 0.05;
    let mut slides = Vec::new();
    let run = SceneRun::of("pinch", &["load.pull.point.force=[6.0, 0.0, 0.0]"], |_, state, _| {
        // The whole lace moves, and its free end has not reached the fingers.
        let lace = &state.rods[0];
        slides.push(lace.velocity(0).x > SLIDES && lace.position(0).x < -HALF_FINGER);
    })?;
    let left = run.model.actuators.iter().find(|a| a.name == "left")?;
    let mut errors: Option<[f64; 2]> = None;
    for (sample, _) in run.samples.iter().zip(slides).filter(|(_, slides)| *slides) {
        let force = sample.trees[left.tree].contacts[left.link].force;
        let friction = force.x.hypot(force.z);
        let [normal, along] = errors.unwrap_or_default();
        let off = (force.y / COMMAND - 1.0).abs();
        errors = Some([normal.max(off), along.max((friction / (FRICTION * force.y) - 1.0).abs())]);
    }
    errors
}

/// Force on the left finger over time, and the command.
fn figure(runs: &[Option<SceneRun>]) -> String {
    let mut plot = Plot::new("Pinch: force of a finger", "time, s", "force, N");
    for ((name, _, color), run) in VARIANTS.iter().zip(runs) {
        let Some(run) = run else { continue };
        let Some(actuator) = run.model.actuators.iter().position(|a| a.name == "left") else { continue };
        let (tree, link) = (run.model.actuators[actuator].tree, run.model.actuators[actuator].link);
        let force = run.samples.iter().map(|s| (s.time, s.trees[tree].contacts[link].force.y)).collect();
        plot.add(Series::line(*name, color, force));
        if *name == "patch" {
            let command = run.samples.iter().map(|s| (s.time, -s.efforts[actuator])).collect();
            plot.add(Series::line("command", "#aaaaaa", command));
        }
    }
    plot.draw()
}
