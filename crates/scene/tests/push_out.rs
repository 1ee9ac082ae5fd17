//! `contact.overlap = "push_out"`: what overlaps at the start is moved apart before the run, without a velocity.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use glam::DVec3;
use ropewalk_scene::{Scene, load_text};
use ropewalk_sim::{State, StepStatus, Workspace, find_overlaps, measure, step};

fn scene(text: &str, overlap: &str) -> Scene {
    let head = format!(
        "title = \"Overlap at the start\"\ngravity = [0.0, 0.0, 0.0]\n[contact]\noverlap = \"{overlap}\"\n[time]\ndt = 1e-3\nduration = 0.1\n"
    );
    load_text("push_out.toml", &(head + text), None, &[]).unwrap_or_else(|e| panic!("{e}"))
}

/// A rope in a floor, by half its radius; a ball in the rope; a rope that bends and crosses another one, by a third of a
/// thickness; a flat strip in a fixed box.
const ROPES: &str = r#"
[material.rope]
youngs_modulus = 1e7
poisson_ratio = 0.4
density = 1000.0

[rod.low]
material = "rope"
section = { circle = { radius = 2e-3 } }
curve = { line = { from = [0.0, 0.0, 1e-3], to = [0.2, 0.0, 1e-3] } }
segments = 20

[rod.across]
material = "rope"
section = { circle = { radius = 2e-3 } }
curve = { arc = { start = [0.1, 0.05, 0.0537], tangent = [0.0, 0.0, -1.0], toward = [0.0, -1.0, 0.0], radius = 0.05, angle = 3.14159 } }
segments = 24
velocity = [0.1, 0.0, 0.0]

[body.floor]
shape = "half_space"
motion = "fixed"

[body.ball]
shape = { sphere = { radius = 0.01 } }
density = 500.0
position = [0.03, 0.0, 0.0125]
"#;

#[test]
fn what_overlaps_is_moved_apart_without_a_velocity() {
    let (asked, left) = (scene(ROPES, "push_out"), scene(ROPES, "report"));
    assert!(find_overlaps(&left.model, &left.state).len() >= 3);
    assert_eq!(find_overlaps(&asked.model, &asked.state), []);
    assert!(
        asked.warnings.iter().any(|w| w.contains("'low'") && w.contains("pushed out")),
        "{:?}",
        asked.warnings
    );
    for (a, b) in asked.state.rods.iter().zip(&left.state.rods) {
        assert_eq!((&a.v, &a.natural), (&b.v, &b.natural));
        // Nothing goes farther than overlaps are deep.
        let farthest = (0..a.q.len()).map(|i| a.position(i).distance(b.position(i))).fold(0.0, f64::max);
        assert!(farthest < 4e-3, "{farthest}");
    }
    assert_eq!(asked.state.time, left.state.time);
}

#[test]
fn what_was_pushed_out_stays_where_it_is() {
    // Without the one that is bent, and moves.
    let (before, rest) = ROPES.split_once("[rod.across]").unwrap();
    let still = format!("{before}[body.floor]{}", rest.split_once("[body.floor]").unwrap().1);
    let ball = |state: &State| {
        let free = state.trees.iter().find(|tree| tree.v.len() == 6).unwrap();
        DVec3::from_slice(&free.v[..3])
    };
    let fastest = |overlap: &str| {
        let Scene { model, mut state, .. } = scene(&still, overlap);
        let mut workspace = Workspace::new(&model);
        let mut fastest = 0.0f64;
        for _ in 0..50 {
            let report = step(&model, &mut state, &mut workspace);
            assert_eq!(report.status, StepStatus::Converged);
            let nodes = state.rods.iter().flat_map(|rod| (0..rod.q.len()).map(|i| rod.velocity(i).length()));
            fastest = nodes.fold(fastest, f64::max).max(ball(&state).length());
        }
        fastest
    };
    let (asked, left) = (fastest("push_out"), fastest("report"));
    assert!(left > 0.05 && asked < 0.01 * left, "{asked} {left}");
}

#[test]
fn what_cannot_be_pushed_out_is_an_error_that_names_it() {
    // Between two fixed walls that are nearer than the rope is thick.
    let text = r#"
[material.rope]
youngs_modulus = 1e7
poisson_ratio = 0.4
density = 1000.0

[rod.rope]
material = "rope"
section = { circle = { radius = 5e-3 } }
curve = { line = { from = [0.0, 0.0, 0.0], to = [0.2, 0.0, 0.0] } }
segments = 10

[body.left]
shape = { box = { size = [0.4, 0.02, 0.1] } }
position = [0.1, -0.014, 0.0]
motion = "fixed"

[body.right]
shape = { box = { size = [0.4, 0.02, 0.1] } }
position = [0.1, 0.014, 0.0]
motion = "fixed"
"#;
    let head = "title = \"Walls\"\n[contact]\noverlap = \"push_out\"\n[time]\ndt = 1e-3\nduration = 0.1\n";
    let error = load_text("walls.toml", &format!("{head}{text}"), None, &[]).unwrap_err().to_string();
    assert!(error.contains("'rope'") && error.contains("cannot be pushed out"), "{error}");
}

#[test]
fn what_begins_apart_is_left_alone() {
    let text = ROPES.replace("1e-3], to", "2e-3], to").replace("1e-3] } }", "2e-3] } }");
    let text = text.replace("0.0125]", "0.0145]").replace("0.0537", "0.0563");
    let (asked, left) = (scene(&text, "push_out"), scene(&text, "report"));
    assert_eq!(find_overlaps(&left.model, &left.state), []);
    assert_eq!(asked.state, left.state);
    assert!(measure::energies(&asked.model, &asked.state).kinetic > 0.0);
}
