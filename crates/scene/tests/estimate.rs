//! The cost of scenes is estimated before they are built: the order of magnitude, and never far too little.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use ropewalk_scene::{load_named_sized, load_text, load_text_sized};
use ropewalk_sim::{Workspace, step};
use ropewalk_testing::allocations::{CountingAllocator, bytes_in_use, peak_bytes, reset_peak};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn ground(side: usize) -> String {
    let row = format!("[{}]", vec!["0.0, 0.01"; side / 2].join(", "));
    let rows = vec![row; side].join(", ");
    format!(
        "title = \"ground\"\n[time]\nduration = 1.0\n[body.ground]\nmotion = \"fixed\"\nshape = {{ heightfield = {{ size = \
         [1.0, 1.0], heights = [{rows}] }} }}\n"
    )
}

/// A chain of bodies, each of which turns on the one before, or bodies that fly.
fn bodies(count: usize, chained: bool) -> String {
    let mut text = "title = \"bodies\"\n[time]\nduration = 1.0\n".to_owned();
    for i in 0..count {
        text += &format!(
            "[body.b{i}]\nmass = 1.0\nposition = [{i}.0, 0.0, 0.0]\nshape = {{ sphere = {{ radius = 0.1 }} }}\n"
        );
        if chained {
            text += "joint = { revolute = { axis = [0.0, 1.0, 0.0] } }\n";
        }
        if chained && i > 0 {
            text += &format!("parent = \"b{}\"\n", i - 1);
        }
    }
    text
}

/// Bytes that a scene takes from its text to its fifth step, and those that were foreseen.
fn taken(load: impl FnOnce() -> ropewalk_scene::Scene) -> (f64, f64) {
    reset_peak();
    let before = bytes_in_use();
    let scene = load();
    let (mut state, mut workspace) = (scene.state.clone(), Workspace::new(&scene.model));
    for _ in 0..5 {
        step(&scene.model, &mut state, &mut workspace);
    }
    ((peak_bytes() - before) as f64, scene.estimate.memory_bytes)
}

/// One test: the allocator counts for the whole process.
#[test]
fn memory_is_foreseen() {
    let named = |name: &'static str, overrides: &'static [&'static str]| {
        let overrides: Vec<String> = overrides.iter().map(|&o| o.to_owned()).collect();
        move || load_named_sized(name, &overrides, false).unwrap_or_else(|e| panic!("{e}"))
    };
    // The schema is made once.
    taken(named("cantilever", &[]));
    let cases = [
        ("free", taken(named("cantilever", &["rod.beam.segments=20000"]))),
        ("rings", taken(named("rings", &["rod.ring.copies.count=400"]))),
        ("patches", taken(named("soft_finger", &["rod.cable.segments=4000"]))),
        (
            "ground",
            taken(|| load_text("ground.toml", &ground(200), None, &[]).unwrap_or_else(|e| panic!("{e}"))),
        ),
        (
            "bodies",
            taken(|| {
                load_text("bodies.toml", &bodies(3000, false), None, &[]).unwrap_or_else(|e| panic!("{e}"))
            }),
        ),
    ];
    for (name, (bytes, foreseen)) in cases {
        println!("{name}: {:.1} MB, foreseen {:.1} MB", 1e-6 * bytes, 1e-6 * foreseen);
        assert!(
            foreseen > 0.7 * bytes && foreseen < 5.0 * bytes + 1e7,
            "{name}: {bytes} foreseen {foreseen}"
        );
    }
}

/// A heightfield of 1500² took 2.3 GB, and 1e5 segments with a pressure field 30 GB: the error names the key.
#[test]
fn scenes_that_take_all_memory_are_refused() {
    let refused = |text: &str, overrides: &[&str]| {
        let overrides: Vec<String> = overrides.iter().map(|&o| o.to_owned()).collect();
        load_text_sized("large.toml", text, None, &overrides, false).unwrap_err().to_string()
    };
    let rings = ropewalk_scene::embedded_scenes().iter().find(|s| s.name == "rings").unwrap().text;
    let words = refused(rings, &["rod.ring.copies.count=100000", "rod.ring.segments=1000"]);
    assert!(words.contains("rod.ring.copies.count") && words.contains("--allow-large"), "{words}");
    assert!(words.contains("GB of memory"), "{words}");
    let words = refused(rings, &["rod.ring.copies.count=3", "rod.ring.segments=1000000"]);
    assert!(words.contains("rod.ring.segments"), "{words}");
    // 30 000 bodies in a chain, a file of 3 MB, took more than 7 GB: their mass matrix.
    let words = refused(&bodies(1001, true), &[]);
    assert!(words.contains("1001 degrees of freedom") && words.contains("--allow-large"), "{words}");
    let words = refused(&format!("a = [{}]", "0,".repeat(3_100_000)), &[]);
    assert!(words.contains("3100000") || words.contains("values"), "{words}");
}
