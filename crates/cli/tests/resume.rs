//! Snapshots, and runs resumed from them.
#![allow(clippy::unwrap_used)]

mod common;
use common::{Place, entries, files_in};
use serde_json::Value;
use std::collections::BTreeMap;

/// An uninterrupted run to `duration` and one that is resumed half way end bit-identically, with the same summary of
/// the whole run.
fn assert_resumes(scene: &str, duration: f64) {
    let place = Place::new();
    let (whole, half) = (duration.to_string(), (0.5 * duration).to_string());
    let run = |arguments: &[&str]| -> Value {
        let ran = place.run(&[&["run"], arguments, &["--json", "--snapshot-every", &half]].concat());
        // Claims are about the scene's own duration; here they only have to come to the same.
        assert!(ran.code <= 1, "{scene}: {}", ran.stderr);
        serde_json::from_str(&ran.stdout).unwrap()
    };
    let unbroken = run(&[scene, "--out", "whole", "--duration", &whole]);
    run(&[scene, "--out", "half", "--duration", &half]);
    let resumed = run(&["--resume", "half/snapshot.npz", "--out", "on", "--duration", &whole]);

    for key in ["scene", "status", "steps", "duration", "newton", "halved_steps", "contacts", "max_residual"]
    {
        assert_eq!(unbroken[key], resumed[key], "{scene}: {key}");
    }
    for key in ["energies", "results", "bodies", "joints", "attachments"] {
        assert_eq!(unbroken[key], resumed[key], "{scene}: {key}");
    }
    let by_name = |path| entries(&place.path(path)).into_iter().collect::<BTreeMap<_, _>>();
    let (a, mut b) = (by_name("whole/snapshot.npz"), by_name("on/snapshot.npz"));
    assert!(a.len() > 5 && a.keys().eq(b.keys()), "{scene}");
    for (name, bytes) in &a {
        // The tally holds what the clock said.
        if name != "tally.npy" {
            assert!(b.remove(name).as_ref() == Some(bytes), "{scene}: '{name}' differs");
        }
    }
    // The outputs hold the run from the break on; the row of the break itself need not be one of the whole run.
    let rows = |dir: &str| std::fs::read_to_string(place.path(dir).join("metrics.csv")).unwrap();
    let (unbroken, resumed) = (rows("whole"), rows("on"));
    let tail: Vec<&str> = resumed.lines().skip(2).collect();
    assert!(tail.len() > 3 && unbroken.trim_end().ends_with(&tail.join("\n")), "{scene}");
}

#[test]
fn rods_go_on_with_the_same_bits() {
    assert_resumes("helix", 0.2);
}

#[test]
fn robots_and_what_they_hold_go_on_with_the_same_bits() {
    assert_resumes("arm_rope", 0.16);
    assert_resumes("two_arms", 0.16);
}

#[test]
fn contact_goes_on_with_the_same_bits() {
    assert_resumes("capstan", 0.16);
    assert_resumes("knot", 0.16);
    assert_resumes("rings", 0.16);
}

#[test]
fn patches_go_on_with_the_same_bits() {
    assert_resumes("soft_finger", 0.16);
}

#[test]
fn what_cannot_be_resumed_is_refused() {
    let place = Place::new();
    let ran = place.run(&["run", "helix", "--resume", "x.npz"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    let ran = place.run(&["run", "--resume", "x.npz"]);
    assert!(ran.code == 2 && ran.stderr.contains("x.npz: "), "{}", ran.stderr);
    let ran = place.run(&["run", "helix", "--snapshot-every", "0.1"]);
    assert!(ran.code == 2 && ran.stderr.contains("--out"), "{}", ran.stderr);
    let run = ["run", "helix", "--duration", "0.02", "--snapshot-every", "0.01", "--out", "out", "--quiet"];
    assert!(place.run(&run).code <= 1);
    let ran = place.run(&["run", "--resume", "out/snapshot.npz"]);
    assert!(ran.code == 2 && ran.stderr.contains("give a later end with --duration"), "{}", ran.stderr);
    assert!(files_in(&place.path("out")).iter().all(|name| !name.ends_with(".partial")));
}
