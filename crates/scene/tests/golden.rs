//! Golden hashes: short runs end in exactly the state in which they ended when their hash was committed.
//!
//! A change of a hash is a change of results, and its commit says why. Hashes hold for one build profile and one vector
//! unit, which are part of their names in `golden.txt`. On any machine, runs must end in the same state on 1, 2 and 4
//! threads, with new scratch in every step, and when resumed half-way. `ROPEWALK_GOLDEN=write` writes the hashes of this
//! machine.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use ropewalk_linalg::cpu_dispatch::vector_unit;
use ropewalk_scene::{Scene, load_named};
use ropewalk_sim::{Model, State, StepStatus, Workspace, step};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A short run of an embedded scene.
struct Run {
    /// Name of the hash.
    name: &'static str,
    scene: &'static str,
    overrides: &'static [&'static str],
    /// Steps that only lead to the state of interest: they are taken once.
    lead: usize,
    /// Steps in which threads, scratch and resuming are varied.
    steps: usize,
}

const fn run(name: &'static str, overrides: &'static [&'static str], lead: usize, steps: usize) -> Run {
    Run { name, scene: name, overrides, lead, steps }
}

const RUNS: [Run; 16] = [
    run("hanging_rope", &[], 0, 20),
    // No contact and no clamp: the rod vibrates about its natural curvature.
    Run { scene: "thrown_rope", ..run("free_rod", FREE_ROD, 0, 40) },
    run("cantilever", &[], 0, 40),
    run("capstan", &[], 0, 60),
    Run { scene: "capstan", ..run("capstan_patch", CAPSTAN_PATCH, 0, 20) },
    run("conveyor", &[], 0, 12),
    run("knot", &[], 0, 40),
    run("rings", &[], 0, 40),
    run("gripper", &[], 0, 10),
    // The filaments curl up at once, and are in contact with one another by the end of the lead.
    Run { scene: "gripper", ..run("gripper_tangled", TANGLED, 245, 6) },
    run("pinch", &[], 0, 20),
    run("shoelace", &[], 0, 20),
    Run { scene: "shoelace", ..run("shoelace_2s", &[], 980, 20) },
    run("winch", &[], 0, 40),
    run("two_arms", &[], 0, 20),
    run("net", &[], 0, 20),
];

const FREE_ROD: &[&str] = &["contact.enabled=false", "rod.rope.rest.curvature1=5.0"];

const CAPSTAN_PATCH: &[&str] = &["rod.rope.contact=patch", "rod.rope.pressure_modulus=1e5"];

const TANGLED: &[&str] = &[
    "rod.outer.segments=60",
    "rod.inner.segments=60",
    "drive.outer_curl.scale.table.times=[0.0, 0.2, 10.0, 12.0]",
    "drive.inner_curl.scale.table.times=[0.0, 0.2, 10.0, 12.0]",
];

/// FNV-1a over the bits of all numbers of a state without the solver's memory.
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

/// How the steps of a run are taken.
#[derive(Clone, Copy, Debug)]
struct Form {
    threads: usize,
    /// A new workspace in every step.
    new_scratch: bool,
    /// Half-way the state becomes the arrays of a snapshot and is read back.
    resumed: bool,
}

const FORMS: [Form; 4] = [
    Form { threads: 2, new_scratch: false, resumed: false },
    Form { threads: 4, new_scratch: false, resumed: false },
    Form { threads: 1, new_scratch: true, resumed: false },
    Form { threads: 1, new_scratch: false, resumed: true },
];

/// Takes `steps` steps from `state`.
fn advance(
    name: &str,
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    steps: usize,
    new_scratch: bool,
) {
    for i in 0..steps {
        if new_scratch {
            *workspace = Workspace::new(model);
        }
        let report = step(model, state, workspace);
        assert_eq!(report.status, StepStatus::Converged, "{name}: step {i}");
    }
}

/// The state read back from the arrays of a snapshot.
fn read_back(scene: &Scene, state: &State) -> State {
    let arrays = state.arrays(&scene.model);
    let find = |name: &str| arrays.iter().find(|a| a.name == name);
    State::from_arrays(&scene.model, &scene.state, find).unwrap()
}

/// The hash at the end of `steps` steps from `start`.
fn end(name: &str, scene: &Scene, start: &State, steps: usize, form: Form) -> u64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(form.threads).build().unwrap();
    pool.install(|| {
        let model = &scene.model;
        let (mut state, mut workspace) = (start.clone(), Workspace::new(model));
        let half = if form.resumed { steps / 2 } else { 0 };
        advance(name, model, &mut state, &mut workspace, half, form.new_scratch);
        if form.resumed {
            (state, workspace) = (read_back(scene, &state), Workspace::new(model));
        }
        advance(name, model, &mut state, &mut workspace, steps - half, form.new_scratch);
        hash(model, &state)
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
    for Run { name, scene, overrides, lead, steps } in RUNS {
        let overrides: Vec<String> = overrides.iter().map(|o| (*o).into()).collect();
        let scene = load_named(scene, &overrides).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let (start, one) = pool.install(|| {
            let (mut state, mut workspace) = (scene.state.clone(), Workspace::new(&scene.model));
            advance(name, &scene.model, &mut state, &mut workspace, lead, false);
            let start = state.clone();
            if name == "gripper_tangled" {
                let contacts = workspace.contacts().count();
                assert!(contacts > 50, "{contacts} contacts are no tangle");
            }
            advance(name, &scene.model, &mut state, &mut workspace, steps, false);
            (start, hash(&scene.model, &state))
        });
        for form in FORMS {
            assert_eq!(one, end(name, &scene, &start, steps, form), "{name}: {form:?}");
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
