//! `check`, `validate` and `bench`, for people and for programs.
#![allow(clippy::unwrap_used)]

mod common;
use common::{Place, scene};
use serde_json::Value;

#[test]
fn check_prints_what_follows_from_a_scene() {
    let ran = Place::new().run(&["check", &scene("three_rods.toml")]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_layout!("check", ran.stdout);
}

#[test]
fn check_knows_bodies_and_robots() {
    let ran = Place::new().run(&["check", "arm_rope", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let arm = &report["trees"][0];
    assert_eq!((arm["name"].as_str(), arm["robot"].as_bool()), (Some("arm"), Some(true)));
    assert_eq!((arm["links"].as_u64(), arm["degrees_of_freedom"].as_u64()), (Some(13), Some(9)));
    assert_eq!((arm["actuators"].as_u64(), arm["attachments"].as_u64()), (Some(8), Some(1)));
    let ran = Place::new().run(&["check", "double_pendulum"]);
    assert!(ran.stdout.contains("Body 'left_upper'") && !ran.stdout.contains("Rod"), "{}", ran.stdout);
}

#[test]
fn check_warns_of_what_looks_wrong() {
    let place = Place::new();
    let warnings = |overrides: &[&str]| -> String {
        let scene = scene("three_rods.toml");
        let mut arguments = vec!["check", &scene, "--json"];
        arguments.extend(overrides.iter().flat_map(|o| ["--set", o]));
        let ran = place.run(&arguments);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        serde_json::from_str::<Value>(&ran.stdout).unwrap()["warnings"].to_string()
    };
    let base = warnings(&[]);
    for (overrides, words) in [
        (&["rod.beam.rest={ curvature1 = 50.0 }"][..], "is longer than the radius of the natural curvature"),
        (&["rod.beam.section.circle.radius=0.05"], "thin-rod theory leaves out the shear"),
        (&["material.rubber.youngs_modulus=1e3"], "its weight stretches it"),
        (&["time.dt=0.05"], "recommended"),
    ] {
        assert!(!base.contains(words), "{base}");
        let found = warnings(overrides);
        assert!(found.contains(words), "{overrides:?}: {found}");
    }
    // The first mode of the beam, which backward Euler damps and BDF2 does not.
    let lossy = "of the amplitude of its";
    let backward_euler = warnings(&["time.dt=0.05", "time.duration=20.0"]);
    assert!(backward_euler.contains(lossy) && backward_euler.contains(r#"time.scheme = \"bdf2\""#));
    assert!(!base.contains(lossy));
    assert!(!warnings(&["time.scheme=bdf2", "time.dt=0.005", "time.duration=20.0"]).contains(lossy));
    assert!(warnings(&["time.scheme=bdf2", "time.dt=0.5", "time.duration=20.0"]).contains(lossy));
}

#[test]
fn check_refuses_what_overlaps_at_the_start() {
    let place = Place::new();
    let scene = scene("three_rods.toml");
    let ran = place.run(&[
        "check",
        &scene,
        "--set",
        "rod.stone.curve={ line = { from = [0.1, -0.05, 0.5], to = [0.1, 0.08, 0.5] } }",
    ]);
    assert_eq!(ran.code, 2, "{}{}", ran.stdout, ran.stderr);
    for words in ["error: rod 'beam'", "rod 'stone'", "overlap by", "mm at the start", "contact.exclude"] {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
}

#[test]
fn validate_prints_rows_for_people_and_for_programs() {
    let place = Place::new();
    let ran = place.run(&["validate", "cantilever_gravity"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_layout!("validate", ran.stdout);
    let ran = place.run(&["validate", "cantilever_gravity", "--json"]);
    let rows: Value = serde_json::from_str(&ran.stdout).unwrap();
    for row in rows.as_array().unwrap() {
        assert!(row["case"].as_str().unwrap().starts_with("cantilever_gravity/"));
        for key in ["reference", "measured", "error", "order", "tolerance"] {
            assert!(row[key].is_number(), "{row}");
        }
        assert_eq!(row["pass"], true);
    }
}

#[test]
fn bench_gives_a_time_and_its_reference() {
    let ran = Place::new().run(&["bench", "cantilever", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let rows: Value = serde_json::from_str(&ran.stdout).unwrap();
    let row = &rows[0];
    assert_eq!(row["name"], "cantilever");
    assert!(row["ms_per_step"].as_f64().unwrap() > 0.0);
    assert_eq!(row["threads"], 1);
    assert!(row["stages"]["solve"].as_f64().unwrap() > 0.0);
    assert!(row["reference"]["what"].is_string() && row["reference"]["value"].is_number());
}

#[test]
fn check_warns_where_the_scheme_takes_a_tenth_of_the_first_mode() {
    let place = Place::new();
    let warned = |settings: &[&str]| {
        let overrides = settings.iter().flat_map(|o| ["--set", o]);
        let arguments: Vec<&str> = ["check", "hanging_rope", "--json"].into_iter().chain(overrides).collect();
        let ran = place.run(&arguments);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let found: Value = serde_json::from_str(&ran.stdout).unwrap();
        let warnings = found["warnings"].as_array().unwrap();
        warnings.iter().any(|w| w.as_str().unwrap().contains("of the amplitude of its"))
    };
    assert!(warned(&["time.dt=5e-3", "time.scheme=backward_euler", "time.duration=20.0"]));
    assert!(!warned(&["time.dt=5e-3", "time.scheme=bdf2", "time.duration=20.0"]));
    assert!(!warned(&["time.dt=1e-6", "time.scheme=backward_euler", "time.duration=0.1"]));
}
