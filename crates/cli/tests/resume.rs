//! Snapshots, and runs that go on from them.
#![allow(clippy::unwrap_used)]

mod common;
use common::{Place, files_in};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// The entries of an archive by name, as bytes.
fn entries(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut zip = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
    (0..zip.len())
        .map(|i| {
            let mut entry = zip.by_index(i).unwrap();
            let name = entry.name().unwrap().into_owned();
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut entry, &mut bytes).unwrap();
            (name, bytes)
        })
        .collect()
}

/// A run to `duration` at once, and one that stops half way and goes on, end with the same bits, and their summaries
/// say the same of the whole run.
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
    let (a, mut b) = (entries(&place.path("whole/snapshot.npz")), entries(&place.path("on/snapshot.npz")));
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
