//! Bad input: an error that names the place and the remedy, exit code 2, nothing written.
#![allow(clippy::unwrap_used)]

mod common;
use common::{Place, Ran};

/// Runs a command that must be rejected and must not write anything.
fn refused(place: &Place, arguments: &[&str]) -> Ran {
    let before = place.files();
    let ran = place.run(arguments);
    assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.stderr);
    assert_eq!(ran.stdout, "", "{arguments:?}");
    assert_eq!(place.files(), before, "{arguments:?}");
    ran
}

#[test]
fn scenes_that_are_not_there_or_wrong_are_refused() {
    let place = Place::new();
    for (name, arguments) in [
        ("unknown_scene", &["run", "cantilevr", "--out", "out"][..]),
        ("missing_file", &["run", "missing.toml", "--out", "out"]),
        ("unknown_key", &["run", "cantilever", "--set", "time.dtt=1e-3", "--out", "out"]),
        ("wrong_type", &["run", "cantilever", "--set", "time.dt=\"fast\"", "--out", "out"]),
        ("dt_not_a_number", &["run", "cantilever", "--set", "time.dt=nan", "--out", "out"]),
        ("dt_infinite", &["check", "cantilever", "--set", "time.dt=inf"]),
        ("override_without_value", &["check", "cantilever", "--set", "time.dt"]),
    ] {
        let ran = refused(&place, arguments);
        assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
        assert_words!(format!("error_{name}"), ran.stderr);
    }
}

#[test]
fn arguments_out_of_range_are_refused() {
    let place = Place::new();
    for arguments in [
        ["run", "--duration", "-1"],
        ["run", "--duration", "nan"],
        ["run", "--duration", "inf"],
        ["run", "--threads", "0"],
        ["run", "--threads", "many"],
    ] {
        let ran = refused(&place, &arguments);
        assert!(ran.stderr.contains(arguments[1]), "{}", ran.stderr);
    }
    // More steps than a run may have, by another route.
    let ran = refused(&place, &["picture", "helix", "--times", "1e18", "--out", "pictures"]);
    assert!(ran.stderr.contains("--times 1e18") && ran.stderr.contains("steps"), "{}", ran.stderr);
    let ran = refused(&place, &["validate", "no_such_case"]);
    assert!(ran.stderr.contains("cantilever_gravity"), "{}", ran.stderr);
    let ran = refused(&place, &["bench", "no_such_benchmark"]);
    assert!(ran.stderr.contains("the benchmarks are: "), "{}", ran.stderr);
}

#[test]
fn a_directory_with_something_in_it_is_refused_and_left_alone() {
    let place = Place::new();
    std::fs::create_dir(place.path("out")).unwrap();
    std::fs::write(place.path("out/thesis.tex"), "years of work").unwrap();
    let ran = refused(&place, &["run", "--duration", "0.01", "--out", "out"]);
    assert_words!("error_directory_not_empty", ran.stderr);
    let forced = place.run(&["run", "--duration", "0.01", "--out", "out", "--force", "--quiet"]);
    assert!(forced.code <= 1, "{}", forced.stderr);
    assert!(place.path("out/summary.json").exists());
    assert_eq!(std::fs::read_to_string(place.path("out/thesis.tex")).unwrap(), "years of work");

    let ran = refused(&place, &["run", "--duration", "0.01", "--out", "out/thesis.tex"]);
    assert!(ran.stderr.contains("this is a file"), "{}", ran.stderr);
}

#[test]
fn states_of_other_scenes_are_refused() {
    let place = Place::new();
    let ran = refused(&place, &["run", "--from", "missing.npz", "--out", "out"]);
    assert!(ran.stderr.contains("missing.npz"), "{}", ran.stderr);
    std::fs::write(place.path("broken.npz"), "not an archive").unwrap();
    let ran = refused(&place, &["run", "--from", "broken.npz", "--out", "out"]);
    assert!(ran.stderr.contains("broken.npz"), "{}", ran.stderr);
}
