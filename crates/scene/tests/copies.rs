//! Copies of rods that are held and driven with the first, and random natural shapes.
#![allow(clippy::unwrap_used)]

use ropewalk_scene::{Scene, SceneError, load_text};
use ropewalk_sim::End;

const SCENE: &str = r#"title = "t"
[time]
duration = 1.0
[rod.a]
preset = "shoelace"
curve = { line = { from = [0.1, 0.0, 0.5], to = [0.1, 0.0, 0.2] } }
segments = 30
copies = { count = 3, angle = 1.0 }
[rod.b]
preset = "shoelace"
curve = { line = { from = [0.05, 0.0, 0.5], to = [0.05, 0.0, 0.2] } }
segments = 20
copies = { count = 400, step = [1.0, 0.0, 0.0] }
[body.ball]
shape = { sphere = { radius = 0.02 } }
density = 500.0
position = [0.0, 0.0, 0.5]
[body.plate]
shape = { box = { size = [0.3, 0.3, 0.01] } }
motion = "fixed"
[attach.first]
kind = "clamp"
rod = "a"
at = "start"
copies = true
to = { body = "ball" }
[attach.second]
kind = "ball"
body = "ball"
to = "world"
[drive.curl]
rod = "b"
copies = true
random = { curvature = 10.0, curvature_deviation = 1.0, twist_deviation = 2.0 }
scale = 1.0
[claim.lifted]
measure = { quantity = "center_of_mass", of = "ball", component = "z", over = "range" }
at_least = 0.05
[claim.let_go]
measure = { quantity = "rod_contacts", of = "ball", over = "last" }
equals = 0.0
tolerance = 0.5
"#;

fn load(overrides: &[&str]) -> Result<Scene, SceneError> {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).into()).collect();
    load_text("copies.toml", SCENE, None, &overrides)
}

#[test]
fn copies_are_held_like_the_first() {
    let model = load(&[]).unwrap().model;
    let names: Vec<&str> = model.attachments.iter().map(|a| a.name.as_str()).collect();
    // What the file names comes first, in its order.
    assert_eq!(names, ["first", "second", "first_1", "first_2"]);
    for (attachment, rod) in [(0, "a"), (2, "a_1"), (3, "a_2")] {
        let [End::Rod { rod: held, edge: 0, fraction: 0.5 }, End::Link { .. }] =
            model.attachments[attachment].ends
        else {
            unreachable!("{:?}", model.attachments[attachment])
        };
        assert_eq!(model.rod_names[held], rod);
    }
    assert_eq!(load(&["attach.first.copies=false"]).unwrap().model.attachments.len(), 2);
}

#[test]
fn random_shapes_have_the_given_distribution() {
    let model = load(&[]).unwrap().model;
    assert_eq!(model.shape_drives.len(), 400);
    let (mut curvatures, mut twists, mut cosines) = (Vec::new(), Vec::new(), 0.0);
    for drive in &model.shape_drives {
        assert!(model.rod_names[drive.rod].starts_with('b'));
        let lengths = model.rods[drive.rod].voronoi_lengths();
        let all: Vec<f64> = (1..20).map(|j| drive.kappa1[j].hypot(drive.kappa2[j]) / lengths[j]).collect();
        // A rod bends evenly.
        assert!(all.iter().all(|k| (k / all[0] - 1.0).abs() < 1e-12));
        curvatures.push(all[0]);
        cosines += drive.kappa1[5] / lengths[5] / all[0] / 400.0;
        twists.extend((1..20).map(|j| drive.tau[j] / lengths[j]));
    }
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let deviation =
        |x: &[f64]| (x.iter().map(|y| (y - mean(x)).powi(2)).sum::<f64>() / x.len() as f64).sqrt();
    // Four deviations of the estimates.
    assert!((mean(&curvatures) - 10.0).abs() < 0.2 && (deviation(&curvatures) - 1.0).abs() < 0.15);
    assert!(mean(&twists).abs() < 0.1 && (deviation(&twists) - 2.0).abs() < 0.07);
    assert!(cosines.abs() < 0.15);
}

#[test]
fn the_seed_decides_and_nothing_else() {
    let shapes = |overrides: &[&str]| -> Vec<f64> {
        load(overrides).unwrap().model.shape_drives.iter().map(|d| d.kappa1[3]).collect()
    };
    let first = shapes(&[]);
    assert_eq!(first, shapes(&["seed=1"]));
    assert!(first.iter().zip(shapes(&["seed=2"])).all(|(a, b)| *a != b));
    // Another drive, or more copies, leave the others as they are.
    let more =
        ["drive.also={ rod = \"a\", random = { curvature = 3.0 }, scale = 1.0 }", "rod.b.copies.count=500"];
    let drawn = load(&more).unwrap().model;
    let curls = drawn.shape_drives.iter().filter(|d| drawn.rod_names[d.rod].starts_with('b'));
    assert!(curls.zip(&first).all(|(d, x)| d.kappa1[3] == *x));
}

#[test]
fn mistakes_have_a_key_and_a_remedy() {
    for (overrides, key, message, remedy) in [
        (
            &["attach.second.copies=true"][..],
            "attach.second.copies",
            "only rods have copies",
            "a rod as the first end",
        ),
        (
            &["attach.first_1={ kind = \"pin\", rod = \"b\", at = \"end\", to = \"world\" }"],
            "attach.first_1",
            "holds a copy of another rod",
            "",
        ),
        (&["attach.first.copies=1"], "attach.first.copies", "found a number", "true or false"),
        (&["seed=-1"], "seed", "out of range", "at least 0"),
        (&["seed=5000000000"], "seed", "out of range", "4294967295"),
        (&["seed=0.5"], "seed", "not a whole number", "whole"),
        (
            &["drive.curl.random.curvature_deviation=-1"],
            "drive.curl.random.curvature_deviation",
            "out of range",
            "at least 0",
        ),
        (&["drive.curl.random.twist=1"], "drive.curl.random.twist", "unknown key", "twist_deviation"),
        (
            &["claim.lifted.measure.of=bal"],
            "claim.lifted.measure.of",
            "no rod, body or robot called \"bal\"",
            "ball",
        ),
        (&["claim.let_go.tolerance=-1"], "claim.let_go.tolerance", "out of range", "at least 0"),
    ] {
        let error = load(overrides).unwrap_err();
        assert_eq!(error.key, key, "{error}");
        assert!(error.message.contains(message), "{error}");
        assert!(error.expected.clone().unwrap_or_default().contains(remedy), "{error}");
    }
}
