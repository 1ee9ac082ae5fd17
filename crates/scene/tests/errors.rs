//! Mistakes in scenes are named with their place, their key, what was expected and the nearest name.
#![allow(clippy::unwrap_used)]

mod mistakes;

use mistakes::assert_named;
use ropewalk_scene::{SceneError, load_named, load_text};

const SCENE: &str = r#"title = "t"
[time]
duration = 1.0
[material.rubber]
youngs_modulus = 1e7
poisson_ratio = 0.5
density = 1000.0
[rod.rope]
material = "rubber"
section = { circle = { radius = 5e-3 } }
curve = { line = { from = [0.0, 0.0, 0.0], to = [0.3, 0.0, 0.0] } }
segments = 10
[clamp.wall]
rod = "rope"
at = "start"
[load.push]
rod = "rope"
point = { at = "end", force = [0.0, 0.0, 1.0] }
"#;

fn error_in(text: &str, overrides: &[&str]) -> SceneError {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).into()).collect();
    load_text("rope.toml", text, None, &overrides).unwrap_err()
}

/// Replaces the first `from` by `to`.
fn error_after(from: &str, to: &str) -> SceneError {
    assert!(SCENE.contains(from), "{from}");
    error_in(&SCENE.replacen(from, to, 1), &[])
}

#[test]
fn the_scene_itself_is_right() {
    let scene = load_text("dir/rope.toml", SCENE, None, &[]).unwrap();
    assert_eq!((scene.name.as_str(), scene.source.as_str()), ("rope", "dir/rope.toml"));
    assert_eq!(scene.model.rods[0].edge_count(), 10);
    assert_eq!(scene.model.settings.dt, 1e-3);
    assert!(scene.warnings.is_empty());
}

#[test]
fn an_unknown_key_is_shown_with_its_line_and_the_nearest_one() {
    let error = error_after("radius", "raduis");
    assert_eq!(
        error.to_string(),
        "\
unknown key `raduis`
   --> rope.toml:10:24
   |
10 | section = { circle = { raduis = 5e-3 } }
   |                        ^^^^^^
  key: rod.rope.section.circle.raduis
  expected: one of radius
  nearest: `radius`"
    );
}

#[test]
fn mistakes_have_a_place_a_key_and_a_remedy() {
    // from, to, line, key, part of the message, part of the expectation, nearest.
    let cases = [
        ("segments", "segmnets", 12, "rod.rope.segmnets", "unknown key", "segments", "segments"),
        ("[time]", "[tiem]", 2, "tiem", "unknown key", "time", "time"),
        ("circle", "circel", 10, "rod.rope.section.circel", "unknown key", "exactly one of", "circle"),
        ("line", "lien", 11, "rod.rope.curve.lien", "unknown key", "helix", "line"),
        ("\"start\"", "\"strat\"", 15, "clamp.wall.at", "unknown name", "\"start\"", "start"),
        ("rod = \"rope\"", "rod = \"rpoe\"", 14, "clamp.wall.rod", "no rod called \"rpoe\"", "rope", "rope"),
        ("\"rubber\"", "\"ruber\"", 9, "rod.rope.material", "no material called", "rubber", "rubber"),
        ("5e-3", "-5e-3", 10, "rod.rope.section.circle.radius", "out of range", "above 0", ""),
        ("5e-3", "nan", 10, "rod.rope.section.circle.radius", "out of range", "finite", ""),
        ("5e-3", "inf", 10, "rod.rope.section.circle.radius", "out of range", "finite", ""),
        ("5e-3", "\"5 mm\"", 10, "rod.rope.section.circle.radius", "found a string", "number", ""),
        ("5e-3", "1e200", 10, "rod.rope.section.circle.radius", "1e200 is out of range", "at most 1e18", ""),
        ("5e-3", "1e-200", 8, "rod.rope", "too small", "", ""),
        ("1.0", "-1.0", 3, "time.duration", "out of range", "at least 0", ""),
        ("duration = 1.0", "duration = 1.0\ndt = 0.0", 4, "time.dt", "out of range", "above 0", ""),
        ("duration = 1.0", "duration = 1.0\ndt = 1e-12", 4, "time.dt", "steps", "at most", ""),
        ("duration = 1.0", "", 2, "time.duration", "`duration` is missing", "Length of the run", ""),
        ("material = \"rubber\"", "", 8, "rod.rope.material", "`material` is missing", "rubber", ""),
        ("segments = 10", "", 8, "rod.rope.segments", "`segments` is missing", "number of edges", ""),
        ("density = 1000.0", "", 4, "material.rubber.density", "missing", "preset", ""),
        ("segments = 10", "segments = 10.5", 12, "rod.rope.segments", "not a whole number", "whole", ""),
        ("segments = 10", "segments = 2000000", 12, "rod.rope.segments", "out of range", "1000000", ""),
        ("0.3, 0.0, 0.0]", "0.3, 0.0]", 11, "rod.rope.curve.line.to", "2 entries", "3 entries", ""),
        ("0.3, 0.0, 0.0]", "0.0, 0.0, 0.0]", 11, "rod.rope.curve", "no length", "", ""),
        ("at = \"start\"", "at = { edge = 10 }", 15, "clamp.wall.at", "no edge 10", "0 to 9", ""),
        ("at = \"start\"", "at = { node = 1 }", 15, "clamp.wall.at", "a node is given", "edge", ""),
        ("at = \"start\"", "at = { arclength = 0.4 }", 15, "clamp.wall.at", "beyond the end", "0.3", ""),
        ("at = \"start\"", "at = {}", 15, "clamp.wall.at", "empty", "exactly one of", ""),
        ("at = \"start\"", "at = 3", 15, "clamp.wall.at", "found a number", "\"start\" or \"end\"", ""),
        ("point", "pont", 18, "load.push.pont", "unknown key", "point", "point"),
        (
            "[load.push]",
            "[load.push]\nscale = { ramp = { times = [1.0, 1.0], values = [0, 1] } }",
            17,
            "load.push.scale.ramp.times",
            "ends before",
            "later",
            "",
        ),
        ("title = \"t\"", "", 1, "title", "`title` is missing", "one line", ""),
        ("title = \"t\"", "title = t", 1, "", "not valid TOML", "", ""),
    ];
    assert_named("rope.toml", SCENE, &cases);
}

#[test]
fn overrides_reach_everything_and_are_named_in_errors() {
    let overrides: Vec<String> = [
        "rod.rope.segments=7",
        "time.scheme=bdf2",
        "rod.rope.curve.line.to.0 = 0.6",
        "clamp.far={ rod = \"rope\", at = \"end\" }",
        "material.rubber.density = 2e3",
    ]
    .map(String::from)
    .into();
    let scene = load_text("rope.toml", SCENE, None, &overrides).unwrap();
    assert_eq!(scene.model.rods[0].edge_count(), 7);
    assert_eq!(scene.model.settings.scheme, ropewalk_sim::Scheme::BDF2);
    assert!((scene.model.rods[0].total_rest_length() - 0.6).abs() < 1e-15);
    assert_eq!(scene.model.clamps.len(), 2);
    let mass = 2e3 * core::f64::consts::PI * 25e-6 * 0.6;
    assert!((scene.model.rods[0].total_mass() / mass - 1.0).abs() < 1e-14);

    let error = error_in(SCENE, &["time.dt=1e-4", "rod.rope.frction=0.3"]);
    assert_eq!(error.label, "--set rod.rope.frction=0.3");
    assert!(error.message.contains("unknown key `frction`"), "{error}");
    let error = error_in(SCENE, &["rod.rope.section.circle.radius = -1"]);
    assert_eq!((error.label.as_str(), error.column), ("--set rod.rope.section.circle.radius = -1", 34));
    let error = error_in(SCENE, &["rod.rope.section.tube={ outer_radius = 2e-3, inner_radius = 1e-3 }"]);
    assert!(error.label.starts_with("--set") && error.message.contains("another kind"), "{error}");
    assert!(error.hint.as_deref().unwrap().contains("--set 'rod.rope.section={ tube = … }'"), "{error}");
    for bad in ["", "time.dt", "=3", "time..dt=3", "time.dt=[1", "title.x=3", "gravity.3=1", "time.dt=1e-4x"]
    {
        let error = error_in(SCENE, &[bad]);
        assert!(error.label.starts_with("--set"), "{bad}: {error}");
    }
    // A key of 60 000 parts ended the process by its stack.
    let long = format!("a{}=1", ".a".repeat(60_000));
    assert!(error_in(SCENE, &[&long]).message.contains("more than 64 parts"));
}

#[test]
fn clamps_that_hold_the_same_are_refused() {
    let error = error_in(SCENE, &["clamp.wall_2={ rod = \"rope\", at = { node = 1 }, hold = \"position\" }"]);
    assert!(error.message.contains("`wall` and `wall_2` hold the same"), "{error}");
}

#[test]
fn closed_rods_take_whole_turns() {
    let ring = SCENE.replace(
        "{ line = { from = [0.0, 0.0, 0.0], to = [0.3, 0.0, 0.0] } }",
        "{ circle = { radius = 0.1 } }",
    );
    assert!(load_text("ring.toml", &ring, None, &["rod.rope.turns=3".into()]).is_ok());
    let error = error_in(&ring, &["rod.rope.turns=2.5"]);
    assert!(error.message.contains("2.5 turns"), "{error}");
    assert!(error.expected.clone().unwrap().contains("whole turns"));
}

#[test]
fn scenes_that_are_not_there_are_named_with_the_nearest() {
    let error = load_named("cantilver", &[]).unwrap_err();
    assert_eq!(error.nearest.as_deref(), Some("cantilever"));
    let error = load_named("nowhere/none.toml", &[]).unwrap_err();
    assert!(error.message.contains("cannot read"), "{error}");
}

#[test]
fn points_come_from_a_file_beside_the_scene() {
    let dir = std::env::temp_dir().join(format!("ropewalk-points-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("p.csv"), "# x, y, z\n0, 0, 0\n0.1, 0, 0\n0.2 0.01 0\n0.3 0 0\n").unwrap();
    let scene = SCENE
        .replace("{ line = { from = [0.0, 0.0, 0.0], to = [0.3, 0.0, 0.0] } }", "{ points = \"p.csv\" }");
    let smooth = load_text("rope.toml", &scene, Some(&dir), &[]).unwrap();
    assert_eq!(smooth.model.rods[0].edge_count(), 10);
    let as_given = load_text("rope.toml", &scene.replace("segments = 10", ""), Some(&dir), &[]).unwrap();
    assert_eq!(as_given.model.rods[0].edge_count(), 3);
    std::fs::write(dir.join("p.csv"), "0 0 0\n0.1 0\n").unwrap();
    let error = load_text("rope.toml", &scene, Some(&dir), &[]).unwrap_err();
    assert!(error.message.contains("line 2 has 2 columns"), "{error}");
    assert_eq!(error.key, "rod.rope.curve.points");
    std::fs::remove_dir_all(&dir).unwrap();
    assert!(load_text("rope.toml", &scene, Some(&dir), &[]).unwrap_err().message.contains("cannot read"));
}

/// The midpoint rule makes energy with constraints, and on rods whose stretching the step does not resolve.
#[test]
fn midpoint_is_refused_where_it_makes_energy() {
    let midpoint = |more: &[&str]| {
        let overrides: Vec<String> =
            ["time.scheme=midpoint"].iter().chain(more).map(|o| (*o).into()).collect();
        load_text("rope.toml", SCENE, None, &overrides)
    };
    let touching = midpoint(&[]).unwrap_err();
    assert!(touching.message.contains("with contact"), "{touching}");
    assert!(touching.expected.clone().unwrap_or_default().contains("bdf2"), "{touching}");
    let alone = "contact.enabled=false";
    let stiff = midpoint(&[alone, "time.dt=1e-2"]).unwrap_err();
    assert!(stiff.message.contains("does not resolve its stretching"), "{stiff}");
    assert!(stiff.expected.clone().unwrap_or_default().contains("bdf2"), "{stiff}");
    midpoint(&[alone, "time.dt=1e-6"]).unwrap();
    let once: [String; 2] = ["time.scheme=bdf2".into(), "solver.linearize=once".into()];
    let error = load_text("rope.toml", SCENE, None, &once).unwrap_err();
    assert!(error.expected.clone().unwrap_or_default().contains("until_converged"), "{error}");
}

#[test]
fn a_renamed_key_says_its_new_name() {
    let old = error_in(&SCENE.replace("[clamp.wall]", "[solver]\nlinearise = \"once\"\n[clamp.wall]"), &[])
        .to_string();
    assert!(
        old.contains("key: solver.linearise") && old.contains("`linearise` is called `linearize` now"),
        "{old}"
    );
    let hand = error_in(&format!("{SCENE}[hand.a]\nrobot = \"b\"\n"), &[]).to_string();
    assert!(hand.contains("`hand` is called `end_effector` now"), "{hand}");
}

#[test]
fn a_claim_names_what_is_wrong_with_it() {
    let claim = |text: &str| error_in(&format!("{SCENE}[claim.a]\n{text}\n"), &[]).to_string();
    let time = "measure = { quantity = \"time\", over = \"last\" }\n";
    let cases = [
        (
            "measure = { quantity = \"tensions\", over = \"mean\", across = \"mean\" }\nat_most = 1.0"
                .to_owned(),
            "claim.a.measure.quantity",
            "`tension`",
        ),
        (
            "measure = { quantity = \"tension\", over = \"mean\" }\nat_most = 1.0".into(),
            "claim.a.measure",
            "across",
        ),
        (
            format!("{time}equals = {{ capstan = {{ friction = 1.0 }} }}\ntolerance = 1.0"),
            "claim.a.equals",
            "capstan_ratio",
        ),
        (
            format!("{time}equals = {{ capstan_ratio = {{ friction = 1.0 }} }}\ntolerance = 1.0"),
            "claim.a.equals",
            "`angle` is missing",
        ),
        (
            format!(
                "{time}equals = {{ capstan_ratio = {{ friction = \"frictoin(a, b)\", angle = 1.0 }} }}\ntolerance = 1.0"
            ),
            "claim.a.equals.capstan_ratio.friction",
            "`friction`",
        ),
        (format!("{time}at_most = \"weight(rpoe)\""), "claim.a.at_most", "no rod or body called"),
        (format!("{time}equals = 1.0"), "claim.a", "tolerance = …"),
        (
            format!("{time}equals = 1.0\nat_most = 2.0\ntolerance = 1.0"),
            "claim.a",
            "one of equals, at_least and at_most",
        ),
        (time.to_owned(), "claim.a", "one of equals, at_least and at_most"),
        (format!("{time}equals = 1.0\nscale = 0.0\ntolerance = 1.0"), "claim.a.scale", "a number above 0"),
        // Kinds of former versions name their measure.
        ("at_rest = { rod = \"a\", tolerance = 1.0 }".into(), "claim.a.at_rest", "quantity = \"velocities\""),
        ("capstan = { clamp = \"a\", tolerance = 1.0 }".into(), "claim.a.capstan", "capstan_skin_ratio"),
    ];
    for (text, key, words) in cases {
        let error = claim(&text);
        assert!(error.contains(key) && error.contains(words), "{text}\n{error}");
    }
}
