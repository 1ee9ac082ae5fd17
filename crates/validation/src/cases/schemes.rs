//! Energy loss of the low-loss scheme, BDF2, in motion without dissipation, and absence of energy gain.
//!
//! | run | motion | long form | short form |
//! |---|---|---|---|
//! | `load` | the scene `suspended_load` | 10 s | 3 s |
//! | `net` | the scene `net` without damping; the ball hangs in its middle and is pushed down from rest | 10 s | 1 s |
//! | `dropped` | the same net without its ball, released flat and slack, by steps of 1, 0.25 and 0.1 ms | 10 s, 1 s, 1 s | –, 1 s, – |
//! | `knot` | the scene `knot` without damping | 0.6 s | 0.2 s |
//!
//! - `schemes/…/lost`: energy lost at the end, relative to the energy of the motion: initial energy less that at
//!   rest. `dropped` at 1 ms is reported and not judged: there are no impacts, but within a second the motion turns
//!   into vibrations of single segments that such a step does not resolve (2√(EA/ρA)/l = 23 000 rad/s along the
//!   cords, up to 2√(T/ρA)/l = 700 rad/s across them). The loss vanishes with the step; shorter ones are judged.
//! - `schemes/…/made`: greatest energy above the initial energy and the work done since, relative to both.

use super::{Form, ValidationRow};
use ropewalk_scene::{Scene, load_named};
use ropewalk_sim::{Scheme, State, StepStatus, Workspace, measure, step};

/// Greatest relative energy loss within 10 s, and gain.
const LOST: f64 = 0.05;
const MADE: f64 = 0.01;
/// Speed of the push on the ball, m/s, and its tie to the net.
const PUSH: f64 = 0.3;
const TIE: &str = "attach.tie={ kind = \"pin\", rod = \"warp2\", at = { node = 12 }, to = { body = \"ball\", point = [0.0, 0.0, 0.0] } }";
/// Steps of the net that is let go, s.
const DROPPED_STEPS: [f64; 2] = [2.5e-4, 1e-4];
/// Steps of the knot in the long form, s.
const KNOT_STEPS: [f64; 3] = [1e-3, 5e-4, 2.5e-4];

pub(crate) fn run(form: &Form) -> Vec<ValidationRow> {
    let long = |full: f64, short: f64| if form.full { full } else { short };
    let mut rows = Vec::new();
    rows.extend(rows_of("load", load().and_then(|run| run.go(long(10.0, 3.0)))));
    rows.extend(rows_of("net", net().and_then(|run| run.go(long(10.0, 1.0)))));
    if form.full {
        let kept = dropped(1e-3).and_then(|run| run.go(10.0));
        let [_, lost] = kept.unwrap_or([f64::NAN; 2]);
        rows.push(ValidationRow::reported("schemes/dropped/1e-3/lost", 0.0, lost));
    }
    for dt in DROPPED_STEPS.into_iter().take(if form.full { 2 } else { 1 }) {
        rows.extend(rows_of(&format!("dropped/{dt:e}"), dropped(dt).and_then(|run| run.go(1.0))));
    }
    for dt in KNOT_STEPS.into_iter().take(if form.full { 3 } else { 1 }) {
        let made = knot(dt).and_then(|run| run.go(long(0.6, 0.2))).map_or(f64::NAN, |[made, _]| made);
        rows.push(ValidationRow::no_more_than(format!("schemes/knot/{dt:e}/made"), made, MADE));
    }
    rows
}

fn rows_of(name: &str, found: Option<[f64; 2]>) -> [ValidationRow; 2] {
    let [made, lost] = found.unwrap_or([f64::NAN; 2]);
    [
        ValidationRow::at_most(format!("schemes/{name}/lost"), lost, LOST),
        ValidationRow::no_more_than(format!("schemes/{name}/made"), made, MADE),
    ]
}

/// A scene in motion, and its energy at rest.
struct Run {
    scene: Scene,
    state: State,
    /// J
    at_rest: f64,
}

impl Run {
    /// Runs for `seconds` by BDF2: relative energy gain and loss. `None` if a step fails.
    fn go(mut self, seconds: f64) -> Option<[f64; 2]> {
        self.scene.model.settings.scheme = Scheme::BDF2;
        let (model, state) = (&self.scene.model, &mut self.state);
        let energy = |state: &State| measure::energies(model, state).total() - self.at_rest;
        let mut workspace = Workspace::new(model);
        let start = energy(state);
        let (mut work, mut made) = (0.0, f64::NEG_INFINITY);
        for _ in 0..(seconds / model.settings.dt).round() as usize {
            let report = step(model, state, &mut workspace);
            (report.status == StepStatus::Converged).then_some(())?;
            work += report.work;
            made = made.max((energy(state) - start - work) / (start + work.max(0.0)));
        }
        Some([made, (start + work - energy(state)) / start])
    }
}

/// The rest state of a scene, by backward Euler with long steps.
fn rest(scene: &Scene) -> Option<State> {
    let (mut model, mut state) = (scene.model.clone(), scene.state.clone());
    model.settings.dt = 0.02;
    model.settings.scheme = Scheme::BACKWARD_EULER;
    let mut workspace = Workspace::new(&model);
    for _ in 0..1000 {
        let status = step(&model, &mut state, &mut workspace).status;
        (status == StepStatus::Converged).then_some(())?;
    }
    for rod in &mut state.rods {
        rod.v.fill([0.0; 4]);
    }
    for tree in &mut state.trees {
        tree.v.fill(0.0);
    }
    state.time = 0.0;
    Some(state)
}

/// A scene from its start, with the energy of its rest state.
fn from_start(scene: Scene) -> Option<Run> {
    let at_rest = measure::energies(&scene.model, &rest(&scene)?).total();
    Some(Run { state: scene.state.clone(), scene, at_rest })
}

fn load() -> Option<Run> {
    from_start(load_named("suspended_load", &[]).ok()?)
}

/// The scene `net` without damping and without contact.
fn quiet_net(more: &[&str]) -> Option<Scene> {
    let cords = ["warp", "weft"].into_iter().flat_map(|set| (0..5).map(move |n| format!("{set}{n}")));
    let mut overrides: Vec<String> = cords
        .flat_map(|cord| ["mass", "stiffness"].map(|kind| format!("rod.{cord}.{kind}_damping=0.0")))
        .collect();
    overrides.push("contact.enabled=false".to_owned());
    overrides.extend(more.iter().map(|&o| o.to_owned()));
    load_named("net", &overrides).ok()
}

fn net() -> Option<Run> {
    let scene = quiet_net(&["body.ball.position=[0.0, 0.0, 0.0]", TIE])?;
    let mut state = rest(&scene)?;
    let at_rest = measure::energies(&scene.model, &state).total();
    let ball = scene.bodies.iter().find(|body| body.name == "ball")?.tree;
    state.trees[ball].v[2] = -PUSH;
    Some(Run { scene, state, at_rest })
}

fn dropped(dt: f64) -> Option<Run> {
    // Moved aside and fixed: otherwise it would fall next to the net and change the energy.
    from_start(quiet_net(&["body.ball.motion=\"fixed\"", &format!("time.dt={dt:e}")])?)
}

fn knot(dt: f64) -> Option<Run> {
    let scene =
        load_named("knot", &[format!("time.dt={dt:e}"), "rod.rope.mass_damping=0.0".to_owned()]).ok()?;
    // Its energy at rest is none.
    Some(Run { state: scene.state.clone(), scene, at_rest: 0.0 })
}
