//! Recordings of the command: `run --out`, `info`, `export`, and recordings of killed runs.
#![allow(clippy::unwrap_used)]

mod common;
use common::{Place, arrays, files_in, scene};
use serde_json::Value;

fn info(place: &Place, file: &str) -> Value {
    let ran = place.run(&["info", file, "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

#[test]
fn a_run_is_recorded_at_the_rate_asked_for() {
    let place = Place::new();
    let scene = scene("three_rods.toml");
    for (rate, frames) in [("100", 11), ("1e9", 101), ("7", 2)] {
        let ran = place.run(&["run", &scene, "--out", rate, "--record-rate", rate, "--quiet"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let info = info(&place, &format!("{rate}/run.mcap"));
        // 0.1 s of 1 ms; the start and the end are always there.
        assert_eq!((info["frames"].as_u64(), info["steps"].as_u64()), (Some(frames), Some(100)), "{rate}");
        assert_eq!((info["complete"].as_bool(), info["start"].as_f64()), (Some(true), Some(0.0)));
        assert!((info["end"].as_f64().unwrap() - 0.1).abs() < 1e-9);
        assert_eq!(info["events"][0]["kind"], "start");
        let last = info["events"].as_array().unwrap().last().unwrap().clone();
        assert_eq!((last["kind"].as_str(), last["detail"].as_str()), (Some("end"), Some("completed")));
    }
    place.run(&["run", &scene, "--out", "none", "--record-rate", "0", "--quiet"]);
    assert!(!files_in(&place.path("none")).contains(&"run.mcap".to_owned()));
    let ran = place.run(&["info", "100/run.mcap"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_layout!("info", ran.stdout);
}

#[test]
fn exports_are_written_beside_the_recording() {
    let place = Place::new();
    place.run(&["run", &scene("three_rods.toml"), "--out", "out", "--quiet"]);
    for (flag, file) in [("--npz", "run.npz"), ("--csv", "run.csv"), ("--gltf", "run.glb")] {
        let ran = place.run(&["export", "out/run.mcap", flag]);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
        assert!(place.path("out").join(file).exists());
        let again = place.run(&["export", "out/run.mcap", flag]);
        assert!(again.code == 2 && again.stderr.contains("--force"), "{}", again.stderr);
        let ran = place.run(&["export", "out/run.mcap", flag, "--out", &format!("other_{file}")]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    let found = arrays(&place.path("out/run.npz"));
    // 60 frames a second: every 17 steps of 1 ms.
    assert_eq!(found[..2], ["time (7,)", "beam/q (7, 21, 4)"]);
    assert!(found.iter().any(|a| a == "clamp/wall/force (6, 3)"), "{found:?}");
    let ran = place.run(&["export", "out/run.mcap"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    let ran = place.run(&["export", "out/metrics.csv", "--npz"]);
    assert!(ran.code == 2 && ran.stderr.contains("out/metrics.csv: "), "{}", ran.stderr);
}

#[test]
fn a_failed_step_is_in_the_recording() {
    let place = Place::new();
    let hopeless = [
        "--set",
        "solver.max_iterations=1",
        "--set",
        "solver.max_halvings=0",
        "--set",
        "solver.tolerance=1e-12",
    ];
    let scene = scene("three_rods.toml");
    let ran = place.run(&[&["run", &scene, "--out", "out", "--json"][..], &hopeless].concat());
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    let info = info(&place, "out/run.mcap");
    let kinds: Vec<&str> =
        info["events"].as_array().unwrap().iter().map(|e| e["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["start", "failure", "end"]);
    assert_eq!(info["events"][1]["detail"], "not_converged");
    assert_eq!(info["complete"], true);
}

/// All messages up to a second before `kill -9` are readable.
#[cfg(unix)]
#[test]
fn a_killed_run_leaves_all_but_its_last_second() {
    use std::time::{Duration, Instant};
    let place = Place::new();
    let scene = scene("three_rods.toml");
    let mut child =
        place.command(&["run", &scene, "--duration", "1e5", "--out", "out", "--quiet"]).spawn().unwrap();
    // The spool of states shows how far the run is: a state of 512 numbers every 25 steps of 1 ms.
    let spool = place.path("out/states.partial");
    let simulated = || {
        let states = std::fs::metadata(&spool).map_or(0, |file| file.len()) / (8 * 512);
        0.025 * states.saturating_sub(1) as f64
    };
    let patience = Instant::now() + Duration::from_secs(60);
    while simulated() < 0.5 {
        assert!(Instant::now() < patience, "the run did not start");
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(1500));
    let before = simulated();
    std::thread::sleep(Duration::from_millis(1000));
    child.kill().unwrap();
    child.wait().unwrap();

    let info = info(&place, "out/run.mcap");
    assert_eq!(info["complete"], false);
    let end = info["end"].as_f64().unwrap();
    assert!(
        end >= before && before > 0.5,
        "readable up to {end} s, a second before the end it was {before} s"
    );
    let exported = place.run(&["export", "out/run.mcap", "--npz"]);
    assert_eq!(exported.code, 0, "{}", exported.stderr);
}
