//! A belt on a crowned pulley runs to its middle: the scene `crowned_pulley` for a hundred seconds, and variants of it.
//!
//! - `crowned_pulley/crowned`: greatest distance of the belt's centre from the middle in the last 15 s, m; it starts 20 mm
//!   beside it and must be within 2 mm. `…/at_60_s`: where it is at the end of the published run.
//! - `crowned_pulley/flat`: by how much the belt comes nearer to the middle on two plain rollers, m: not by more than
//!   1 mm, a twentieth of its way on a crown.
//! - `crowned_pulley/clustered`, without a bound: how far the belt comes with its polygons clustered to a few contacts
//!   (`contact.cluster_angle`), the reference being without.
//! - Without a bound, where the belt is at the end: with its twist locked (GJ a hundred-thousandfold), inextensible (EA a
//!   hundredfold, with a hundredth of the strain at the start, so that the tension is the same), and, after the first
//!   seconds, with contact at points, of which a step takes forty times as long.
//! - `crowned_pulley/points/overlap`: how deep the belt is in the rollers then, over its thickness, once what it overlaps at the
//!   start is undone.
//! - `crowned_pulley/twist` and `crowned_pulley/twist_locked/twist`: greatest twist rate of the belt in the first seconds, rad/m: at most
//!   a hundredth if its twist is locked. `…/tilt`, without a bound: by how much it leans over on the crown after them, rad, mean over
//!   the wrap. A belt that runs askew by b leans over without twisting, by b/R on each meter, so that locked twist does not keep it upright.
//! - `crowned_pulley/cone/N`, without a bound: how fast a belt of N segments runs up a cone, beside the closed form of
//!   [`super::belt_tracking`], m/s.
//!
//! Short form: the first seconds of the first three, in which the belt comes nearer or does not. Figure: the belt's centre
//! over time, all six.

use super::belt_tracking::Belt;
use super::{Form, ValidationRow};
use glam::DVec3;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use ropewalk_render::svg::plot::{Plot, Series};
use ropewalk_scene::load_named;
use ropewalk_sim::{Model, State, StepStatus, Workspace, measure};

/// Length of the long form, s: the way to the middle falls by half in about 20 s.
const SECONDS: f64 = 100.0;
/// From when on the belt runs in the middle, s.
const CENTRED: f64 = 85.0;
/// Length of the published run, s.
const PUBLISHED_SECONDS: f64 = 60.0;
/// Length of the short form, s.
const SHORT_SECONDS: f64 = 3.0;
/// From when on the overlap of the start is undone, s; thickness of the belt, m; greatest overlap as a share of it.
const UNDONE: f64 = 1.0;
const THICKNESS: f64 = 2e-3;
const SUNK: f64 = 0.05;
/// How far the belt comes in the short form at least, m.
const SHORT_WAY: f64 = 1.5e-3;
/// How far it may move without a crown, m: nothing drives it to a side, so by round-off and the solver's tolerance alone.
const FLAT_WAY: f64 = 1e-6;
/// Time between points of the figure, s.
const LOOK: f64 = 0.3;

/// The crown as a cone of slope [`CONE_SLOPE`], on which the belt starts in the middle.
const CONE: &str = "body.crowned.shapes.0.shape.turned.profile=[[-0.04, 0.0328], [0.04, 0.0272]]";
const CONE_START: [&str; 2] =
    ["rod.belt.curve.stadium.centers.0.1=0.0", "rod.belt.curve.stadium.centers.1.1=0.0"];
const CONE_SLOPE: f64 = 0.07;
/// Belts on the cone.
const CONE_SEGMENTS: [u32; 3] = [50, 100, 200];
/// Between these times the belt, which goes round in 5 s, runs up the cone at a constant rate, s.
const CONE_SECONDS: [f64; 2] = [5.1, 10.2];
/// The belt of the scene: 20 mm × 2 mm of 0.62 MPa, stretched from 0.95 to 1, between rollers 146.08 mm apart.
const BELT: Belt = Belt {
    tension: 6.2e5 * 4e-5 * (1.0 / 0.95 - 1.0),
    bending_stiffness: 6.2e5 * 2e-3 * 8e-6 / 12.0,
    span: 0.14608,
};

/// A variant of the scene.
struct Variant {
    name: &'static str,
    caption: &'static str,
    colour: &'static str,
    overrides: &'static [&'static str],
}

const VARIANTS: [Variant; 6] = [
    Variant { name: "crowned", caption: "crowned", colour: "#2c7fb8", overrides: &[] },
    Variant {
        name: "flat",
        caption: "plain rollers",
        colour: "#333333",
        overrides: &["body.crowned.shapes.0.shape.turned.profile=[[-0.04, 0.03], [0.04, 0.03]]"],
    },
    Variant {
        name: "clustered",
        caption: "clustered",
        colour: "#8e44ad",
        overrides: &["contact.cluster_angle=0.35"],
    },
    Variant {
        name: "twist_locked",
        caption: "twist locked",
        colour: "#31a354",
        overrides: &["rod.belt.twist_factor=1e5"],
    },
    Variant {
        name: "inextensible",
        caption: "inextensible",
        colour: "#d95f0e",
        overrides: &["rod.belt.stretch_factor=100", "rod.belt.rest_length_factor=0.9995"],
    },
    Variant {
        name: "points",
        caption: "contact at points",
        colour: "#c0392b",
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
        // A run that failed has no end.
        let end = if track.completed { track.points.last().map_or(f64::NAN, |p| p.1) } else { f64::NAN };
        let way = track.points.first().map_or(f64::NAN, |p| p.1.abs()) - end.abs();
        rows.push(match variant.name {
            "crowned" if form.full => {
                let last = track.points.iter().filter(|p| p.0 >= CENTRED);
                let farthest = last.fold(0.0, |most: f64, p| most.max(p.1.abs()));
                ValidationRow::at_most(case, if track.completed { farthest } else { f64::NAN }, 2e-3)
            }
            "crowned" => ValidationRow::at_least(case, way, SHORT_WAY),
            // How far it comes with fewer contacts than polygons, beside how far it comes with all.
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
    if form.full {
        rows.extend(tilts());
        rows.extend(cones());
    }
    rows
}

/// How much the belt twists, and leans over on the crown, free to twist and not.
fn tilts() -> [ValidationRow; 4] {
    let [free, locked] = [&VARIANTS[0], &VARIANTS[3]].map(|variant| track(variant.overrides, SHORT_SECONDS));
    [
        ValidationRow::reported("crowned_pulley/twist", 0.0, free.twist),
        ValidationRow::at_most(
            "crowned_pulley/twist_locked/twist",
            if free.completed && locked.completed { locked.twist } else { f64::NAN },
            0.01 * free.twist,
        ),
        ValidationRow::reported("crowned_pulley/tilt", 0.0, free.tilt),
        ValidationRow::reported("crowned_pulley/twist_locked/tilt", 0.0, locked.tilt),
    ]
}

/// How fast belts run up a cone.
fn cones() -> Vec<ValidationRow> {
    let runs = CONE_SEGMENTS.into_par_iter().map(|segments| {
        let segments_override = format!("rod.belt.segments={segments}");
        let overrides = [CONE, CONE_START[0], CONE_START[1], &segments_override];
        let points = track(&overrides, CONE_SECONDS[1]).points;
        let at = |time: f64| points.iter().find(|p| p.0 >= time - 1e-6).map_or((f64::NAN, f64::NAN), |p| *p);
        let ((t0, y0), (t1, y1)) = (at(CONE_SECONDS[0]), at(CONE_SECONDS[1]));
        (segments, (y1 - y0) / (t1 - t0))
    });
    let expected = BELT.drift(0.03, CONE_SLOPE.atan(), core::f64::consts::PI * 0.03);
    let runs: Vec<(u32, f64)> = runs.collect();
    let row = |(segments, rate): (u32, f64)| {
        ValidationRow::reported(format!("crowned_pulley/cone/{segments}"), expected, rate)
    };
    runs.into_iter().map(row).collect()
}

/// Where a belt was.
struct Track {
    /// Time in s, and y of the centre of mass in m.
    points: Vec<(f64, f64)>,
    /// Angle by which its width leans out of the axis of the rollers at the end, mean over the crown, rad.
    tilt: f64,
    /// Greatest twist rate over the run, rad/m.
    twist: f64,
    /// Deepest overlap of a contact from [`UNDONE`] on, m.
    overlap: f64,
    /// Whether no step failed.
    completed: bool,
}

fn track(overrides: &[&str], seconds: f64) -> Track {
    let overrides: Vec<String> = overrides.iter().map(|&o| o.to_owned()).collect();
    let mut track = Track { points: Vec::new(), tilt: 0.0, twist: 0.0, overlap: 0.0, completed: false };
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
            track.tilt = tilt(&model, &state);
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

/// By how much the belt leans over where it lies on the crown, whose axis is at x = 0, rad: the size of the mean.
fn tilt(model: &Model, state: &State) -> f64 {
    let (rod, belt) = (&model.rods[0], &state.rods[0]);
    let middles = (0..rod.edge_count()).map(|e| (e, belt.position(e) + 0.5 * belt.edge(rod, e)));
    let (mut sum, mut count) = (0.0, 0.0);
    for (e, middle) in middles.filter(|(_, middle)| middle.x < 0.0) {
        let outward = DVec3::new(middle.x, 0.0, middle.z).normalize_or_zero();
        let [width, ..] = belt.material_frame(rod, e);
        sum += width.dot(outward).clamp(-1.0, 1.0).asin();
        count += 1.0;
    }
    f64::abs(sum / count)
}

fn figure(runs: &[Track]) -> String {
    let mut plot = Plot::new("Belt on a crowned pulley: its centre", "t/s", "y/mm");
    for (variant, track) in VARIANTS.iter().zip(runs) {
        let points = track.points.iter().map(|&(t, y)| (t, 1e3 * y)).collect();
        plot.add(Series::line(variant.caption, variant.colour, points));
    }
    plot.draw()
}
