//! A belt on a crowned pulley centers itself: the scene `crowned_pulley` for a hundred seconds, and variants of it.
//!
//! - `crowned_pulley/crowned`: greatest distance of the belt's center from the middle in the last 15 s, m; it starts
//!   20 mm off center and must be within 2 mm. `…/at_60_s`: its position at the end of the published run.
//! - `crowned_pulley/flat`: by how much the belt approaches the middle on two plain rollers, m: at most 1 mm, a
//!   twentieth of its displacement on a crown.
//! - `crowned_pulley/clustered`, without a bound: displacement of the belt with its polygons clustered to a few
//!   contacts (`contact.cluster_angle`), compared with that without.
//! - Without a bound, the position of the belt at the end: with its twist locked (GJ a hundred-thousandfold),
//!   inextensible (EA a hundredfold, with a hundredth of the strain at the start, so that the tension is the same),
//!   and, after the first seconds, with contact at points, whose steps take forty times as long.
//! - `crowned_pulley/points/overlap`: overlap of the belt with the rollers then, over its thickness, once the initial
//!   overlap is resolved.
//! - `crowned_pulley/twist` and `crowned_pulley/twist_locked/twist`: greatest twist rate of the belt in the first seconds, rad/m: at most
//!   a hundredth if its twist is locked.
//! - `crowned_pulley/tilt` and `crowned_pulley/twist_locked/tilt`: difference of the tilt of the belt on the crown
//!   and on the plain roller after these seconds, rad, means over the wraps. A belt that cannot twist has nearly the
//!   same tilt on both: at most a twentieth of this difference. `crowned_pulley/twist_locked/lean`, without a bound:
//!   its mean tilt, which needs no twist; the slopes on the crown and on the plain roller balance one another.
//!
//! Short form: the first seconds of the first three, in which the belt approaches the middle or not, and the tilts.
//! Figure: the belt's center over time, all six.

use super::{Form, ValidationRow};
use glam::DVec3;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use ropewalk_render::svg::plot::{Plot, Series};
use ropewalk_scene::load_named;
use ropewalk_sim::{Model, State, StepStatus, Workspace, measure};

/// Length of the long form, s: the distance to the middle halves in about 20 s.
const SECONDS: f64 = 100.0;
/// Time from which the belt runs in the middle, s.
const CENTERED: f64 = 85.0;
/// Length of the published run, s.
const PUBLISHED_SECONDS: f64 = 60.0;
/// Length of the short form, s.
const SHORT_SECONDS: f64 = 3.0;
/// Time from which the initial overlap is resolved, s; thickness of the belt, m; greatest overlap relative to it.
const UNDONE: f64 = 1.0;
const THICKNESS: f64 = 2e-3;
const SUNK: f64 = 0.05;
/// Least displacement of the belt in the short form, m.
const SHORT_WAY: f64 = 1.5e-3;
/// Greatest displacement without a crown, m: no force drives it sideways, so only round-off and the solver's
/// tolerance count.
const FLAT_WAY: f64 = 1e-6;
/// Distance of the axes of the rollers, m.
pub(super) const DISTANCE: f64 = 0.14608;
/// Time between points of the figure, s.
const LOOK: f64 = 0.3;

/// Greatest ratio of the tilt and of the twist of a locked belt to those of a free one.
const LOCKED_TILT: f64 = 0.05;
const LOCKED_TWIST: f64 = 0.01;

/// A variant of the scene.
struct Variant {
    name: &'static str,
    caption: &'static str,
    color: &'static str,
    overrides: &'static [&'static str],
}

const VARIANTS: [Variant; 6] = [
    Variant { name: "crowned", caption: "crowned", color: "#2c7fb8", overrides: &[] },
    Variant {
        name: "flat",
        caption: "plain rollers",
        color: "#333333",
        overrides: &["body.crowned.shapes.0.shape.turned.profile=[[-0.04, 0.03], [0.04, 0.03]]"],
    },
    Variant {
        name: "clustered",
        caption: "clustered",
        color: "#8e44ad",
        overrides: &["contact.cluster_angle=0.35"],
    },
    Variant {
        name: "twist_locked",
        caption: "twist locked",
        color: "#31a354",
        overrides: &["rod.belt.twist_factor=1e5"],
    },
    Variant {
        name: "inextensible",
        caption: "inextensible",
        color: "#d95f0e",
        overrides: &["rod.belt.stretch_factor=100", "rod.belt.rest_length_factor=0.9995"],
    },
    Variant {
        name: "points",
        caption: "contact at points",
        color: "#c0392b",
        overrides: &["material.rubber.contact=point"],
    },
];

pub(crate) fn run(form: &Form) -> Vec<ValidationRow> {
    let (seconds, count) = if form.full { (SECONDS, VARIANTS.len()) } else { (SHORT_SECONDS, 3) };
    let long = |variant: &Variant| if variant.name == "points" { SHORT_SECONDS } else { seconds };
    let tracks = (0..count).into_par_iter().map(|k| track(VARIANTS[k].overrides, long(&VARIANTS[k])));
    let runs: Vec<Track> = tracks.collect();
    let mut rows = Vec::new();
    for (variant, track) in VARIANTS.iter().zip(&runs) {
        let case = format!("crowned_pulley/{}", variant.name);
        // A failed run has no final position.
        let end = if track.completed { track.points.last().map_or(f64::NAN, |p| p.1) } else { f64::NAN };
        let way = track.points.first().map_or(f64::NAN, |p| p.1.abs()) - end.abs();
        rows.push(match variant.name {
            "crowned" if form.full => {
                let last = track.points.iter().filter(|p| p.0 >= CENTERED);
                let farthest = last.fold(0.0, |most: f64, p| most.max(p.1.abs()));
                ValidationRow::at_most(case, if track.completed { farthest } else { f64::NAN }, 2e-3)
            }
            "crowned" => ValidationRow::at_least(case, way, SHORT_WAY),
            // Displacement with clustered contacts, compared with that with all polygons.
            "clustered" => {
                let whole =
                    |t: &Track| t.points.first().zip(t.points.last()).map(|(a, b)| a.1.abs() - b.1.abs());
                ValidationRow::reported(case, whole(&runs[0]).unwrap_or(f64::NAN), way)
            }
            // Neither to the middle nor away from it.
            "flat" => ValidationRow::at_most(case, way, FLAT_WAY),
            _ => ValidationRow::reported(case, 0.0, end),
        });
        if variant.name == "points" {
            let sunk = if track.completed { track.overlap / THICKNESS } else { f64::NAN };
            rows.push(ValidationRow::at_most("crowned_pulley/points/overlap", sunk, SUNK));
        }
        if variant.name == "crowned" && form.full {
            let then = track.points.iter().find(|p| p.0 >= PUBLISHED_SECONDS - 1e-6);
            let case = "crowned_pulley/crowned/at_60_s";
            rows.push(ValidationRow::reported(case, 0.0, then.map_or(f64::NAN, |p| p.1)));
        }
    }
    form.keep_figure("crowned_pulley", || figure(&runs));
    // The first of the runs is as long as the short form there.
    let anew = form.full.then(|| track(VARIANTS[0].overrides, SHORT_SECONDS));
    rows.extend(tilts(anew.as_ref().unwrap_or(&runs[0])));
    rows
}

/// Twist of the belt, and difference of its tilt on the rollers, in the first seconds, with free and locked twist.
fn tilts(free: &Track) -> [ValidationRow; 5] {
    let locked = track(VARIANTS[3].overrides, SHORT_SECONDS);
    let tilt = |track: &Track| (track.lean[0] - track.lean[1]).abs();
    // Failed runs are not judged.
    let judged = |value: f64| if free.completed && locked.completed { value } else { f64::NAN };
    [
        ValidationRow::reported("crowned_pulley/twist", 0.0, free.twist),
        ValidationRow::at_most(
            "crowned_pulley/twist_locked/twist",
            judged(locked.twist),
            LOCKED_TWIST * free.twist,
        ),
        ValidationRow::reported("crowned_pulley/tilt", 0.0, tilt(free)),
        ValidationRow::at_most(
            "crowned_pulley/twist_locked/tilt",
            judged(tilt(&locked)),
            LOCKED_TILT * tilt(free),
        ),
        ValidationRow::reported("crowned_pulley/twist_locked/lean", 0.0, locked.lean[1].abs()),
    ]
}

/// Motion of a belt.
pub(super) struct Track {
    /// Time in s, and y of the center of mass in m.
    pub(super) points: Vec<(f64, f64)>,
    /// Tilt of its width against the axes of the rollers at the end, means over the wraps of the crown and of the
    /// plain roller, rad.
    lean: [f64; 2],
    /// Greatest twist rate over the run, rad/m.
    twist: f64,
    /// Deepest overlap of a contact from [`UNDONE`] on, m.
    overlap: f64,
    /// Whether no step failed.
    completed: bool,
}

/// Runs the scene with `overrides` for `seconds` s.
pub(super) fn track(overrides: &[&str], seconds: f64) -> Track {
    let overrides: Vec<String> = overrides.iter().map(|&o| o.to_owned()).collect();
    let mut track = Track { points: Vec::new(), lean: [0.0; 2], twist: 0.0, overlap: 0.0, completed: false };
    let Ok(scene) = load_named("crowned_pulley", &overrides) else { return track };
    let (model, mut state) = (scene.model, scene.state);
    let masses: Vec<f64> = model.rods[0].masses().iter().map(|m| m[0]).collect();
    let total: f64 = masses.iter().sum();
    let mut workspace = Workspace::new(&model);
    let steps = (seconds / model.settings.dt).round() as usize;
    let look = (LOOK / model.settings.dt).round() as usize;
    for step in 0..=steps {
        if step % look == 0 || step == steps {
            let moment = masses.iter().enumerate().map(|(i, m)| m * state.rods[0].position(i).y);
            track.points.push((state.time, moment.sum::<f64>() / total));
            track.lean = lean(&model, &state);
            let twist = measure::twist_rate(&model, &state, 0).into_iter().map(f64::abs);
            track.twist = twist.fold(track.twist, f64::max);
        }
        if state.time >= UNDONE {
            track.overlap = workspace.contacts().fold(track.overlap, |most, c| most.max(-c.gap));
        }
        if step < steps
            && ropewalk_sim::step(&model, &mut state, &mut workspace).status != StepStatus::Converged
        {
            return track;
        }
    }
    track.completed = true;
    track
}

/// Mean tilt of the belt on the crown, whose axis is at x = 0, and on the plain roller, rad.
fn lean(model: &Model, state: &State) -> [f64; 2] {
    let (rod, belt) = (&model.rods[0], &state.rods[0]);
    let (mut sum, mut count) = ([0.0; 2], [0.0; 2]);
    for e in 0..rod.edge_count() {
        let middle = belt.position(e) + 0.5 * belt.edge(rod, e);
        let (roller, from_axis) = match middle.x {
            x if x < 0.0 => (0, x),
            x if x > DISTANCE => (1, x - DISTANCE),
            _ => continue,
        };
        let outward = DVec3::new(from_axis, 0.0, middle.z).normalize_or_zero();
        let [width, ..] = belt.material_frame(rod, e);
        sum[roller] += width.dot(outward).clamp(-1.0, 1.0).asin();
        count[roller] += 1.0;
    }
    [sum[0] / count[0], sum[1] / count[1]]
}

fn figure(runs: &[Track]) -> String {
    let mut plot = Plot::new("Belt on a crowned pulley: its center", "t/s", "y/mm");
    for (variant, track) in VARIANTS.iter().zip(runs) {
        let points = track.points.iter().map(|&(t, y)| (t, 1e3 * y)).collect();
        plot.add(Series::line(variant.caption, variant.color, points));
    }
    plot.draw()
}
