//! A cable that touches something: friction is found again from tracks, and what a scene cannot be used for is refused.

mod common;

use common::{FRAME, cable, first_frame};
use glam::DVec3;
use ropewalk_fit::held::HeldTracks;
use ropewalk_fit::levenberg::Search;
use ropewalk_fit::predict::{Predictor, Window};
use ropewalk_fit::tracks::{Run, Tracks};
use ropewalk_fit::{Cable, FitOptions, Parameter, Surroundings, evaluate, fit};

/// A rope over a floor, the middle of which lies on it.
const SCENE: &str = r#"
title = "A rope that is drawn over a floor"
[time]
dt = 2.5e-3
duration = 1.0
[material.soft]
youngs_modulus = 2e7
poisson_ratio = 0.5
density = 1000.0
[body.floor]
shape = "half_space"
motion = "fixed"
friction = 0.4
position = [0.0, 0.0, -0.2]
[rod.rope]
material = "soft"
section = { circle = { radius = 4e-3 } }
curve = { line = { from = [0.0, 0.0, 0.0], to = [0.66, 0.0, 0.0] } }
segments = 22
friction = 0.3
stiffness_damping = 0.02
mass_damping = 3.0
[clamp.hand]
rod = "rope"
at = "start"
hold = "position"
"#;

fn scene(text: &str, rod: Option<&str>) -> Result<Surroundings, String> {
    let scene = ropewalk_scene::load_text("scene.toml", text, None, &[]).expect("a scene");
    Surroundings::new(scene.model, scene.state, rod).map_err(|e| e.to_string())
}

/// The held markers: grippers that draw the rope over the floor, to and fro.
fn held(time: f64) -> [DVec3; 4] {
    let y = 0.15 * (1.0 - (6.0 * time).cos());
    let a = DVec3::new(0.0, y, -0.08);
    let b = DVec3::new(0.32, y, -0.08);
    let down = |x: f64| DVec3::new(x, 0.0, -1.0).normalize() * 0.03;
    [a, a + down(0.2), b + down(-0.2), b]
}

/// `frames` frames of `cable` in the scene, into which it falls.
fn run(cable: &Cable, surroundings: &Surroundings, frames: usize) -> Run {
    let n = cable.marker_count();
    let at = |f: usize| {
        let mut markers = first_frame(n, 0.0);
        for x in &mut markers[2..n - 2] {
            x.z = x.z.max(-0.19);
        }
        let [a, b, c, d] = held(f as f64 * FRAME);
        (markers[0], markers[1], markers[n - 2], markers[n - 1]) = (a, b, c, d);
        markers
    };
    let mut run =
        Run { name: "drawn".to_owned(), frames: (0..frames).map(at).collect(), wrenches: Vec::new() };
    let held = HeldTracks::new(&run, 0);
    let window = Window { first: 0, end: frames };
    let predictor = Predictor::new(cable, FRAME).within(Some(surroundings));
    let predicted = predictor.predict(&run, &held, window, &[]).expect("a run");
    run.frames.splice(2.., predicted);
    run
}

fn in_scene(surroundings: &Surroundings, run: Run) -> Tracks {
    Tracks {
        rate: 1.0 / FRAME,
        runs: vec![run],
        surroundings: Some(surroundings.clone()),
        ..Tracks::default()
    }
}

/// The cable of the scene with markers as `common::cable` has them.
fn truth(surroundings: &Surroundings) -> Cable {
    let run = Run { name: String::new(), frames: vec![first_frame(9, 0.0); 3], wrenches: Vec::new() };
    let tracks = Tracks { rate: 1.0 / FRAME, runs: vec![run], ..Tracks::default() };
    let mut cable_of_scene = surroundings.cable("rope", &tracks, 4e-4).expect("a cable");
    cable_of_scene.known.marker_spacing = cable().known.marker_spacing;
    cable_of_scene.numerics.held_filter = 0;
    cable_of_scene
}

#[test]
fn a_rod_of_a_scene_is_where_a_fit_starts() {
    let surroundings = scene(SCENE, None).expect("surroundings");
    let cable = truth(&surroundings);
    let (p, r): (_, f64) = (&cable.parameters, 4e-3);
    let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;
    let inertia = core::f64::consts::PI * r.powi(4) / 4.0;
    assert!(near(p.bending_stiffness, 2e7 * inertia), "{p:?}");
    assert!(p.torsional_stiffness.is_some_and(|gj| near(gj, 2e7 / 3.0 * 2.0 * inertia)), "{p:?}");
    assert!(near(cable.known.line_density, 1000.0 * core::f64::consts::PI * r * r));
    assert_eq!((p.friction, p.stiffness_damping, p.mass_damping), (Some(0.3), 0.02, 3.0));
    assert!(near(cable.numerics.edge_length, 0.03));
}

#[test]
fn friction_is_found_again() {
    let surroundings = scene(SCENE, None).expect("surroundings");
    let truth = truth(&surroundings);
    let tracks = in_scene(&surroundings, run(&truth, &surroundings, 90));
    // The same cable in a scene predicts what was simulated in it.
    let score = evaluate(&truth, &tracks).expect("a score").score;
    let mut start = truth.clone();
    start.parameters.friction = Some(0.15);
    start.parameters.bending_stiffness *= 1.3;
    let before = evaluate(&start, &tracks).expect("a score").score;
    let parameters = vec![Parameter::Friction, Parameter::BendingStiffness];
    let options = FitOptions {
        parameters,
        stages: vec![0],
        search: Search { tolerance: 1e-5, least_gain: 1e-9, ..Search::default() },
        ..FitOptions::default()
    };
    let found = fit(&start, &tracks, &options, &mut |_| {}).expect("a fit");
    let off = |p: Parameter| p.value(&found.cable.parameters) / p.value(&truth.parameters) - 1.0;
    let off = [off(Parameter::Friction), off(Parameter::BendingStiffness)];
    println!("truth {score:.1e} m, start {before:.1e} m, off by {off:?}, {} iterations", found.iterations);
    assert!(score < 1e-9 && before > 1e-4, "{before} {score}");
    assert!(off.iter().all(|o| o.abs() < 0.01), "{off:?}");
    let text = found.cable.to_text("").expect("text");
    assert!(text.contains("friction = "), "{text}");
}

#[test]
fn friction_without_a_scene_is_refused() {
    let tracks = Tracks { surroundings: None, ..in_scene_of_nothing() };
    let options = FitOptions { parameters: vec![Parameter::Friction], ..FitOptions::default() };
    let error = fit(&cable(), &tracks, &options, &mut |_| {}).expect_err("refused").to_string();
    assert!(error.contains("touches nothing") && error.contains("SCENE"), "{error}");
}

fn in_scene_of_nothing() -> Tracks {
    let run = common::simulate(&cable(), 10, 0);
    Tracks { rate: 1.0 / FRAME, runs: vec![run], ..Tracks::default() }
}

#[test]
fn scenes_that_do_not_go_with_a_fit() {
    let refused = |text: &str, rod: Option<&str>, parts: &[&str]| {
        let error = scene(text, rod).expect_err("refused");
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    };
    refused(SCENE, Some("rop"), &["no rod 'rop'", "rope"]);
    let two = format!(
        "{SCENE}[rod.other]\nmaterial = \"soft\"\nsection = {{ circle = {{ radius = 4e-3 }} }}\ncurve = {{ line = {{ from = [0.0, 1.0, 0.0], to = [0.5, 1.0, 0.0] }} }}\nsegments = 5\n"
    );
    refused(&two, None, &["2 rods", "other", "rope"]);
    assert!(scene(&two, Some("rope")).is_ok());
    let strip = SCENE.replace("circle = { radius = 4e-3 }", "rectangle = { width = 8e-3, height = 1e-3 }");
    refused(&strip, None, &["not round"]);
    // Nothing touches: friction has no effect.
    let free = scene(&format!("{SCENE}\n[contact]\nenabled = false\n"), None).expect("surroundings");
    let tracks = Tracks { surroundings: Some(free), ..in_scene_of_nothing() };
    let options = FitOptions { parameters: vec![Parameter::Friction], ..FitOptions::default() };
    let error = fit(&cable(), &tracks, &options, &mut |_| {}).expect_err("refused").to_string();
    assert!(error.contains("contact"), "{error}");
    let mut dragged = cable();
    dragged.parameters.drag_along = 0.1;
    let error = evaluate(&dragged, &tracks).expect_err("refused").to_string();
    assert!(error.contains("drag_along"), "{error}");
}
