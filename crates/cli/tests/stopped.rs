//! Runs that end early: by Ctrl-C, or because a step failed.
#![allow(clippy::unwrap_used)]

mod common;
use common::{Place, arrays, files_in, scene};
use serde_json::Value;

#[cfg(unix)]
#[test]
fn signals_leave_complete_outputs() {
    for signal in ["INT", "TERM", "HUP"] {
        check_signal(signal);
    }
}

#[cfg(unix)]
fn check_signal(signal: &str) {
    use std::time::{Duration, Instant};
    let place = Place::new();
    let scene = scene("three_rods.toml");
    let child = place
        .command(&["run", &scene, "--duration", "1e5", "--out", "out", "--json"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // Once the spool holds something the run is under way.
    let spool = place.path("out/states.partial");
    let patience = Instant::now() + Duration::from_secs(60);
    while std::fs::metadata(&spool).map_or(0, |file| file.len()) == 0 {
        assert!(Instant::now() < patience, "the run did not start");
        std::thread::sleep(Duration::from_millis(10));
    }
    let interrupt = format!("kill -{signal} {}", child.id());
    assert!(std::process::Command::new("sh").args(["-c", &interrupt]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{signal}");

    let out = place.path("out");
    assert_eq!(files_in(&out), ["metrics.csv", "picture.svg", "run.mcap", "states.npz", "summary.json"]);
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["status"], "interrupted");
    assert_eq!(summary["results"], Value::Array(vec![]));
    let steps = summary["steps"].as_u64().unwrap();
    assert!(steps > 0);

    let info = place.run(&["info", "out/run.mcap", "--json"]);
    let info: Value = serde_json::from_str(&info.stdout).unwrap();
    assert_eq!((&info["complete"], &info["steps"]), (&Value::Bool(true), &summary["steps"]));

    // The last step is in the files, whether or not a sample was due.
    let metrics = std::fs::read_to_string(out.join("metrics.csv")).unwrap();
    let last: Vec<&str> = metrics.lines().last().unwrap().split(',').collect();
    assert_eq!(last.len(), metrics.lines().next().unwrap().split(',').count());
    let time: f64 = last[0].parse().unwrap();
    assert!((time - 1e-3 * steps as f64).abs() < 1e-6 * time, "{time} {steps}");
    let samples = 1 + steps.div_ceil(25);
    assert_eq!(arrays(&out.join("states.npz"))[0], format!("time ({samples},)"));
}

/// Newton's method may not iterate enough, and the step may not be halved.
const HOPELESS: [&str; 6] =
    ["--set", "solver.max_iterations=1", "--set", "solver.max_halvings=0", "--set", "solver.tolerance=1e-12"];

#[test]
fn a_failed_step_keeps_the_last_good_state_to_go_on_from() {
    let place = Place::new();
    let scene = scene("three_rods.toml");
    let arguments = [&["run", &scene, "--out", "out"][..], &HOPELESS].concat();
    let ran = place.run(&arguments);
    assert_eq!(ran.code, 3, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("a step did not converge"), "{}", ran.stdout);
    assert_words!("failed_step", ran.stderr.replace(&scene, "SCENE"));
    let files =
        ["last_good_state.npz", "metrics.csv", "picture.svg", "run.mcap", "states.npz", "summary.json"];
    assert_eq!(files_in(&place.path("out")), files);
    let summary = std::fs::read_to_string(place.path("out/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["status"], "not_converged");
    assert_eq!(summary["results"], Value::Array(vec![]));

    let on = place.run(&["run", &scene, "--from", "out/last_good_state.npz", "--out", "on", "--json"]);
    assert_eq!(on.code, 0, "{}{}", on.stdout, on.stderr);
    let on: Value = serde_json::from_str(&on.stdout).unwrap();
    assert_eq!(on["status"], "completed");
    assert_eq!(summary["steps"].as_u64().unwrap() + on["steps"].as_u64().unwrap(), 100);
}

#[test]
fn without_a_directory_the_last_good_state_is_kept_here() {
    let place = Place::new();
    let ran = place.run(&[&["run", &scene("three_rods.toml"), "--json"][..], &HOPELESS].concat());
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert_eq!(place.files(), ["three_rods_last_good_state.npz"]);
    assert!(ran.stderr.contains("three_rods_last_good_state.npz"), "{}", ran.stderr);
    let summary: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(summary["last_good_state"], "three_rods_last_good_state.npz");
}

#[test]
fn going_on_from_a_state_gives_the_same_as_not_stopping() {
    let place = Place::new();
    let scene = scene("three_rods.toml");
    // A run that fails at once keeps its start: going on from there is the whole run again.
    place.run(&[&["run", &scene, "--quiet"][..], &HOPELESS].concat());
    let whole = place.run(&["run", &scene, "--out", "whole", "--quiet"]);
    let from = ["run", &scene, "--from", "three_rods_last_good_state.npz", "--out", "on", "--quiet"];
    let on = place.run(&from);
    assert_eq!((whole.code, on.code), (0, 0), "{}", on.stderr);
    let states = |dir: &str| std::fs::read(place.path(dir).join("states.npz")).unwrap();
    assert!(states("whole") == states("on"));
}
