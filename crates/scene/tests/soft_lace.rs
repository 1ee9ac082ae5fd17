//! Laces with pressure fields that are pressed into one another deeper than the fields hold.
#![allow(clippy::unwrap_used)]

use ropewalk_scene::Scene;
use ropewalk_sim::{State, StepStatus, Workspace, step};

const LACE: &str = r#"title = "Soft laces"
gravity = [0.0, 0.0, 0.0]
[material.lace]
youngs_modulus = 1e5
poisson_ratio = 0.4
density = 700.0
friction = 0.5
contact = "patch"
pressure_modulus = 2e5
"#;

fn rod(name: &str, curve: &str, segments: u32) -> String {
    format!(
        "[rod.{name}]
material = \"lace\"
section = {{ circle = {{ radius = 2e-3 }} }}
segments = {segments}
stretch_factor = 200.0
mass_damping = 3.0
curve = {curve}
"
    )
}

fn load(text: &str) -> Scene {
    ropewalk_scene::load_text("laces.toml", text, None, &[]).unwrap()
}

/// Takes all steps; `look` sees the state after each.
fn run(scene: &Scene, steps: usize, mut look: impl FnMut(&State)) -> State {
    let (mut state, mut workspace) = (scene.state.clone(), Workspace::new(&scene.model));
    for i in 0..steps {
        assert_eq!(step(&scene.model, &mut state, &mut workspace).status, StepStatus::Converged, "step {i}");
        look(&state);
    }
    state
}

/// Points that stop deep patches must exist before they are needed: those that came too late ejected the strands
/// repeatedly, at 0.7 m/s.
#[test]
fn a_knot_that_is_pulled_tight_comes_to_rest() {
    let knot = rod("rope", "{ overhand = { order = 1, length = 0.3, gap = 4.4e-3 } }", 80);
    let text = format!(
        "{LACE}{knot}
[time]
dt = 5e-4
duration = 2.0
[clamp.left]
rod = \"rope\"
at = \"start\"
[load.pull]
rod = \"rope\"
point = {{ at = \"end\", force = [1.0, 0.0, 0.0] }}
scale = {{ ramp = {{ times = [0.0, 1.0], values = [0.0, 1.0], interpolation = \"smooth\" }} }}
"
    );
    let state = run(&load(&text), 4000, |_| {});
    let speed = (0..81).map(|n| state.rods[0].velocity(n).length()).fold(0.0, f64::max);
    assert!(speed < 0.02, "{speed} m/s a second after the last change of load");
}

/// Fields have flat ends, and feel nothing in front of them.
#[test]
fn the_end_of_a_lace_does_not_go_into_another() {
    let at_rest = rod("a", "{ line = { from = [0.0, 0.0, 0.0], to = [0.1, 0.0, 0.0] } }", 20);
    let flying = |from: &str, to: &str, velocity: &str| {
        let rod = rod("b", &format!("{{ line = {{ from = {from}, to = {to} }} }}"), 20);
        format!("{rod}velocity = {velocity}\n")
    };
    for (case, b, least) in [
        // End to end, a little beside one another: they slide past one another, and not into one another.
        ("end", flying("[-0.11, 1.3e-3, 0.0]", "[-0.01, 1.3e-3, 0.0]", "[4.0, 0.0, 0.0]"), 2e-3),
        // An end on a side.
        ("side", flying("[0.052, -0.11, 0.0]", "[0.052, -0.01, 0.0]", "[0.0, 4.0, 0.0]"), 2e-3),
        // A side on an end that is held.
        ("held", flying("[-0.01, -0.05, 1e-3]", "[-0.01, 0.05, 1e-3]", "[4.0, 0.0, 0.0]"), 2e-3),
    ] {
        for dt in ["2e-3", "5e-4"] {
            let held = if case == "held" { "[clamp.end]\nrod = \"a\"\nat = \"start\"\n" } else { "" };
            let scene = load(&format!("{LACE}{at_rest}{b}{held}[time]\ndt = {dt}\nduration = 0.05\n"));
            let steps = (0.05 / dt.parse::<f64>().unwrap()).round() as usize;
            let mut nearest = f64::INFINITY;
            let end = run(&scene, steps, |state| nearest = nearest.min(distance(state)));
            assert!(nearest > least, "{case}, dt {dt}: axes came within {nearest} m");
            // In a step of 2 ms one flies two thicknesses: where they meet need not be seen, that they did is.
            let speeds = (0..21).map(|n| end.rods[1].velocity(n).length());
            let bent = speeds.clone().fold(0.0, f64::max) - speeds.fold(f64::INFINITY, f64::min);
            assert!(bent > 0.03, "{case}, dt {dt}: they did not meet, {nearest} m, {bent} m/s");
        }
    }
}

/// Between the axes of two rods, about, m: of points a tenth of an edge apart.
fn distance(state: &State) -> f64 {
    let points = |r: usize| -> Vec<glam::DVec3> {
        let place = |i: usize, s: f64| state.rods[r].position(i).lerp(state.rods[r].position(i + 1), s);
        (0..20).flat_map(|i| (0..=10u8).map(move |k| place(i, 0.1 * f64::from(k)))).collect()
    };
    let (a, b) = (points(0), points(1));
    a.iter().flat_map(|p| b.iter().map(move |q| p.distance(*q))).fold(f64::INFINITY, f64::min)
}
