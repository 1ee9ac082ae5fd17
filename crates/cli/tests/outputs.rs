//! Output directories: one run at a time, no links followed, complete files in any case.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;
use common::{Place, Ran, files_in, scene};
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

fn wait_for(what: &str, mut there: impl FnMut() -> bool) {
    let patience = Instant::now() + Duration::from_secs(60);
    while !there() {
        assert!(Instant::now() < patience, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// An endless run in the directory `out`, in progress.
fn endless(place: &Place) -> Child {
    let scene = scene("three_rods.toml");
    let child =
        place.command(&["run", &scene, "--duration", "1e5", "--out", "out", "--quiet"]).spawn().unwrap();
    let spool = place.path("out/states.partial");
    wait_for("the run did not start", || std::fs::metadata(&spool).is_ok_and(|file| file.len() > 0));
    child
}

fn assert_refused(ran: &Ran, words: &str) {
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains(words), "{}", ran.stderr);
}

/// Two runs into one directory: 8 of 8 pairs mixed, and one failed late.
#[test]
fn a_second_run_into_a_directory_is_refused_with_the_process_id_of_the_first() {
    let place = Place::new();
    let mut first = endless(&place);
    let again = ["run", "cantilever", "--duration", "0.01", "--out", "out", "--quiet"];
    let words = format!("process {} is writing to this directory", first.id());
    assert_refused(&place.run(&again), &words);
    let forced = [&again[..], &["--overwrite"]].concat();
    assert_refused(&place.run(&forced), &words);
    // A run that was killed holds no lock, but its outputs are not replaced unasked.
    first.kill().unwrap();
    first.wait().unwrap();
    assert_refused(&place.run(&again), "the directory is not empty");
    let ran = place.run(&forced);
    assert!(ran.code <= 1, "{}", ran.stderr);
    let files = ["metrics.csv", "picture.svg", "run.mcap", "states.npz", "summary.json"];
    assert_eq!(files_in(&place.path("out")), files);
}

/// Of runs that begin at the same time in the same new directory, one proceeds.
#[test]
fn of_two_runs_that_begin_together_one_is_refused() {
    let place = Place::new();
    let start = || {
        let arguments = ["run", "cantilever", "--duration", "0.05", "--out", "out", "--quiet"];
        place.command(&arguments).stderr(std::process::Stdio::piped()).spawn().unwrap()
    };
    let runs: Vec<Child> = (0..4).map(|_| start()).collect();
    let codes: Vec<i32> =
        runs.into_iter().map(|run| run.wait_with_output().unwrap().status.code().unwrap()).collect();
    assert_eq!(codes.iter().filter(|&&code| code <= 1).count(), 1, "{codes:?}");
    assert_eq!(codes.iter().filter(|&&code| code == 2).count(), 3, "{codes:?}");
    assert!(place.path("out/summary.json").exists() && !place.path("out/run.lock").exists());
}

#[test]
fn links_in_the_directory_are_not_followed() {
    let place = Place::new();
    let secret = place.path("thesis.tex");
    std::fs::write(&secret, "years of work").unwrap();
    std::fs::create_dir(place.path("out")).unwrap();
    let names = [
        "states.partial",
        "states.npz",
        "states.npz.partial",
        "run.mcap",
        "metrics.csv",
        "summary.json",
        "summary.json.partial",
        "picture.svg",
        "snapshot.npz",
        "snapshot.npz.partial",
        "run.lock",
        "last_good_state.npz",
    ];
    for name in names {
        std::os::unix::fs::symlink(&secret, place.path("out").join(name)).unwrap();
    }
    let run = [
        "run",
        "helix",
        "--duration",
        "0.02",
        "--snapshot-every",
        "0.01",
        "--out",
        "out",
        "--overwrite",
        "--quiet",
    ];
    let ran = place.run(&run);
    assert!(ran.code <= 1, "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "years of work");
    for name in files_in(&place.path("out")) {
        assert!(!place.path("out").join(&name).symlink_metadata().unwrap().is_symlink(), "{name}");
    }
    // Nor by exports, which stand beside the recording.
    std::os::unix::fs::symlink(&secret, place.path("out/run.npz")).unwrap();
    let ran = place.run(&["export", "out/run.mcap", "--npz", "--force"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "years of work");
}

/// A film and a page were written through pipes and links, and waited for whoever reads the pipe.
#[test]
fn films_pictures_and_pages_are_files() {
    let place = Place::new();
    let ran = place.run(&["run", "helix", "--duration", "0.02", "--out", "out", "--quiet"]);
    assert!(ran.code <= 1, "{}", ran.stderr);
    let secret = place.path("thesis.tex");
    std::fs::write(&secret, "years of work").unwrap();
    let made = std::process::Command::new("mkfifo").arg(place.path("pipe")).status().unwrap();
    assert!(made.success());
    let name = |what: &str, ending: &str| format!("{what}.{ending}");
    for (words, ending) in [
        (vec!["film", "out/run.mcap", "--size", "32x32", "--samples", "1", "--gif"], "gif"),
        (vec!["picture", "out/run.mcap", "--size", "32x32", "--samples", "1", "--out"], "png"),
        (vec!["view", "out/run.mcap", "--force", "--html"], "html"),
    ] {
        let (pipe, link) = (name("pipe", ending), name("link", ending));
        std::fs::hard_link(place.path("pipe"), place.path(&pipe)).unwrap();
        std::os::unix::fs::symlink(&secret, place.path(&link)).unwrap();
        let with = |file: &str| place.run(&[&words[..], &[file]].concat());
        assert_refused(&with(&pipe), "no regular file");
        assert_eq!(with(&link).code, 0, "{link}");
        assert!(!place.path(&link).symlink_metadata().unwrap().is_symlink(), "{link}");
    }
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "years of work");
}

fn info(place: &Place, file: &str) -> Value {
    let ran = place.run(&["info", file, "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

/// `ulimit -f` ended the process silently; errors of a full disk take the same path.
#[test]
fn a_file_that_may_not_grow_ends_the_run_with_a_message_and_whole_files() {
    let place = Place::new();
    let scene = scene("three_rods.toml");
    // 256 blocks of 512 B.
    let line =
        format!("ulimit -f 256; exec \"$0\" run {scene} --duration 1e5 --snapshot-every 0.05 --out out");
    let output = Command::new("sh")
        .args(["-c", &line, env!("CARGO_BIN_EXE_ropewalk")])
        .current_dir(place.path(""))
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{words}");
    assert!(words.contains("error: out/") && words.contains("too large"), "{words}");
    assert!(words.contains("hint: ") && words.contains("--resume out/snapshot.npz"), "{words}");
    let files = files_in(&place.path("out"));
    assert!(files.iter().all(|name| !name.ends_with(".partial") && name != "run.lock"), "{files:?}");
    assert!(info(&place, "out/run.mcap")["end"].as_f64().unwrap() > 0.0);
    let metrics = std::fs::read_to_string(place.path("out/metrics.csv")).unwrap();
    let columns = |line: &str| line.split(',').count();
    assert!(metrics.ends_with('\n') && metrics.lines().count() > 2);
    assert!(metrics.lines().all(|line| columns(line) == columns(metrics.lines().next().unwrap())));
    let on = place.run(&["run", "--resume", "out/snapshot.npz", "--duration", "3", "--out", "on", "--quiet"]);
    assert!(on.code <= 1, "{}", on.stderr);
}

/// A run resumed in its own directory keeps its earlier outputs.
#[test]
fn a_run_that_goes_on_in_its_directory_keeps_its_first_part() {
    let place = Place::new();
    let run = |arguments: &[&str]| {
        let ran = place
            .run(&[&["run"], arguments, &["--out", "out", "--snapshot-every", "0.02", "--quiet"]].concat());
        assert!(ran.code <= 1, "{}", ran.stderr);
    };
    run(&["helix", "--duration", "0.02"]);
    run(&["--resume", "out/snapshot.npz", "--duration", "0.04"]);
    run(&["--resume", "out/snapshot.npz", "--duration", "0.06"]);
    let parts = ["out/part-1/run.mcap", "out/part-2/run.mcap", "out/run.mcap"];
    let ends: Vec<f64> = parts.map(|file| info(&place, file)["end"].as_f64().unwrap()).into();
    for (end, expected) in ends.iter().zip([0.02, 0.04, 0.06]) {
        assert!((end - expected).abs() < 1e-9, "{ends:?}");
    }
    assert!(Path::new(&place.path("out/snapshot.npz")).exists());
}

/// A rod "tree/b" beside a body "b" stopped the run at its first snapshot.
#[test]
fn names_that_would_meet_in_files_are_refused_before_anything_is_written() {
    let place = Place::new();
    let text =
        std::fs::read_to_string(scene("three_rods.toml")).unwrap().replace("[rod.beam]", "[rod.\"tree/b\"]");
    std::fs::write(place.path("names.toml"), text).unwrap();
    let ran = place.run(&["run", "names.toml", "--out", "out"]);
    assert_refused(&ran, "slash");
    assert!(!place.path("out").exists());
}

#[test]
fn what_takes_too_much_is_refused_with_the_key_that_asks_for_it() {
    let place = Place::new();
    for (arguments, words) in [
        (&["run", "--duration", "1e308"][..], "--duration 1e308: the run would take more than 1e308 steps"),
        (&["run", "--set", "time.dt=1e-12"], "time.dt"),
        (
            &["check", "rings", "--set", "rod.ring.copies.count=100000", "--set", "rod.ring.segments=2000"],
            "rod.ring.copies.count",
        ),
        (&["run", "--set", "material.rubber.youngs_modulus=1e30"], "youngs_modulus"),
    ] {
        let ran = place.run(arguments);
        assert_refused(&ran, words);
    }
    // The requested outputs are written nevertheless.
    let ran = place.run(&["check", "cantilever", "--set", "time.dt=1e-10", "--allow-large"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("of memory") && ran.stdout.contains("for a step"), "{}", ran.stdout);
    assert_eq!(place.files(), Vec::<String>::new());
}
