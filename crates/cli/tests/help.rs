//! Help texts, as snapshots.
#![allow(clippy::unwrap_used)]

mod common;
use common::Place;

#[test]
fn every_command_has_help() {
    let place = Place::new();
    let ran = place.run(&["--help"]);
    assert_eq!(ran.code, 0);
    assert_words!("help", ran.stdout);
    for command in [
        "run", "view", "list", "picture", "film", "check", "schema", "validate", "stress", "bench", "info",
        "export",
    ] {
        let ran = place.run(&[command, "--help"]);
        assert_eq!(ran.code, 0);
        assert_words!(format!("help_{command}"), ran.stdout);
    }
}

#[test]
fn no_command_is_bad_input() {
    let ran = Place::new().run(&[]);
    assert_eq!(ran.code, 2);
    assert_eq!(ran.stdout, "");
}

#[test]
fn every_scene_in_the_list_passes_its_check() {
    let place = Place::new();
    let listed = place.run(&["list"]);
    assert_eq!(listed.code, 0);
    assert_words!("list", listed.stdout);
    let json: serde_json::Value = serde_json::from_str(&place.run(&["list", "--json"]).stdout).unwrap();
    for scene in json.as_array().unwrap() {
        let ran = place.run(&["check", scene["name"].as_str().unwrap(), "--json"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(report["title"], scene["title"]);
    }
}

#[test]
fn the_schema_is_json_and_closed_to_unknown_keys() {
    let ran = Place::new().run(&["schema"]);
    assert_eq!(ran.code, 0);
    let schema: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(schema["additionalProperties"], false);
}
