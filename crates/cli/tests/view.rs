//! Runs as pages, and live runs: outputs, rejected requests, replay.
#![allow(clippy::unwrap_used)]

mod common;
use common::{Place, Ran};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

fn refused(ran: &Ran, words: &str) {
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains(words), "{}", ran.stderr);
}

#[test]
fn a_run_is_written_as_one_page_and_nothing_else() {
    let place = Place::new();
    let ran = place.run(&["run", "capstan", "--duration", "0.05", "--html", "run.html", "--quiet"]);
    // A claim is about the whole run; this part of it may miss one.
    assert!(ran.code <= 1, "{}", ran.stderr);
    assert_eq!(place.files(), ["run.html"]);
    let page = fs::read_to_string(place.path("run.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("id=\"run\">H4sI"));
    // The same from a recording.
    place.run(&["run", "capstan", "--duration", "0.05", "--out", "out", "--quiet"]);
    let ran = place.run(&["view", "out/run.mcap", "--html", "again.html"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(fs::read_to_string(place.path("again.html")).unwrap(), page);
}

#[test]
fn pages_that_cannot_be_written_are_refused_before_the_run() {
    let place = Place::new();
    fs::write(place.path("thesis.html"), "years of work").unwrap();
    refused(&place.run(&["run", "--html", "thesis.html"]), "--force");
    assert_eq!(fs::read_to_string(place.path("thesis.html")).unwrap(), "years of work");
    refused(&place.run(&["run", "--html", "."]), "directory");
    refused(&place.run(&["run", "--html", "x.html", "--record-rate", "0"]), "--record-rate");
    refused(&place.run(&["run", "--record-rate", "10"]), "--out DIR or --html FILE");
    refused(&place.run(&["view", "missing.mcap"]), "missing.mcap");
    refused(&place.run(&["run", "--replay", "missing.mcap"]), "missing.mcap");
    assert_eq!(place.files(), ["thesis.html"]);
}

#[test]
fn a_port_that_is_taken_is_refused_and_so_is_a_replay_of_nothing() {
    let place = Place::new();
    let arguments = ["run", "capstan", "--view", "--duration", "0.02", "--out", "live", "--quiet"];
    let mut child = place.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut address = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
    let port = address.split([':', '/']).nth(4).unwrap().to_owned();
    refused(&place.run(&["run", "capstan", "--view", "--port", &port]), "cannot be taken");
    // It rests until somebody looks; without a browser, it is ended.
    child.kill().unwrap();
    child.wait().unwrap();
    // Its recording is cut short before the first step.
    refused(&place.run(&["run", "capstan", "--replay", "live/run.mcap"]), "run.mcap");
}

#[test]
fn a_recording_of_another_run_cannot_be_done_again() {
    let place = Place::new();
    place.run(&["run", "capstan", "--duration", "0.01", "--out", "out", "--quiet"]);
    refused(&place.run(&["run", "knot", "--replay", "out/run.mcap"]), "a recording of 'capstan'");
    refused(&place.run(&["run", "capstan", "--set", "time.dt=2e-3", "--replay", "out/run.mcap"]), "--set");
    refused(&place.run(&["run", "capstan", "--replay", "out/run.mcap"]), "--view");
}
