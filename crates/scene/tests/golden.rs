//! Golden hashes: twelve short runs end in the state that they ended in when this was committed.
//!
//! A change of one of them is a change of results, and its commit says why. Hashes hold for one build profile and one
//! vector unit, which are part of their names in `golden.txt`; elsewhere only the equality for 1, 2 and 4 threads and
//! with new scratch in every step is tested. `ROPEWALK_GOLDEN=write` writes the hashes of this machine.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use ropewalk_linalg::cpu_dispatch::vector_unit;
use ropewalk_scene::load_named;
use ropewalk_sim::{Model, State, StepStatus, Workspace, step};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Scene, overrides, steps.
const RUNS: [(&str, &[&str], usize); 12] = [
    ("hanging_rope", &[], 20),
    ("cantilever", &[], 40),
    ("capstan", &[], 60),
    ("conveyor", &[], 12),
    ("knot", &[], 40),
    ("rings", &[], 40),
    ("gripper", &[], 10),
    ("pinch", &[], 20),
    ("shoelace", &[], 20),
    ("winch", &[], 40),
    ("two_arms", &[], 20),
    ("net", &[], 20),
];

/// FNV-1a over the bits of all numbers of a state but those that the solver remembers.
fn hash(model: &Model, state: &State) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let arrays = state.arrays(model);
    for array in arrays.iter().filter(|a| !a.name.starts_with("memory")) {
        for byte in array.data.iter().flat_map(|x| x.to_bits().to_le_bytes()) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    hash
}

/// Runs a scene on a number of threads, with new scratch for every step if asked for.
fn run(name: &str, overrides: &[&str], steps: usize, threads: usize, anew: bool) -> u64 {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).into()).collect();
    let scene = load_named(name, &overrides).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let (mut state, mut workspace) = (scene.state.clone(), Workspace::new(&scene.model));
        for i in 0..steps {
            if anew {
                workspace = Workspace::new(&scene.model);
            }
            let report = step(&scene.model, &mut state, &mut workspace);
            assert_eq!(report.status, StepStatus::Converged, "{name}: step {i}");
        }
        hash(&scene.model, &state)
    })
}

#[test]
fn short_runs_end_where_they_did() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden.txt");
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let mut golden: BTreeMap<String, String> = text
        .lines()
        .filter_map(|line| line.split_once(' ').map(|(name, hash)| (name.into(), hash.into())))
        .collect();
    let build = format!("{}/{:?}", if cfg!(debug_assertions) { "dev" } else { "release" }, vector_unit());
    let write = std::env::var_os("ROPEWALK_GOLDEN").is_some_and(|v| v == "write");
    for (name, overrides, steps) in RUNS {
        let one = run(name, overrides, steps, 1, false);
        for (threads, anew) in [(2, false), (4, false), (1, true)] {
            let other = run(name, overrides, steps, threads, anew);
            assert_eq!(one, other, "{name}: {threads} threads, new scratch in every step: {anew}");
        }
        let (key, hash) = (format!("{build}/{name}"), format!("{one:016x}"));
        if write {
            golden.insert(key, hash);
        } else if let Some(expected) = golden.get(&key) {
            assert_eq!(&hash, expected, "{key} has changed: if that is meant, say why and write it anew");
        }
    }
    if write {
        let lines: Vec<String> = golden.iter().map(|(name, hash)| format!("{name} {hash}\n")).collect();
        std::fs::write(&path, lines.concat()).unwrap();
    }
}
