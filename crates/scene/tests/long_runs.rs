//! Long runs: memory and snapshots do not grow, whatever is claimed and recorded.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use ropewalk_scene::recording::log_writer::LogWriter;
use ropewalk_scene::recording::message::{EventKind, EventMessage};
use ropewalk_scene::recording::{Message, Rates};
use ropewalk_scene::{Driver, Recorder, SavedRun, load_named, sample};
use ropewalk_sim::{Workspace, step};
use ropewalk_testing::allocations::{CountingAllocator, bytes_in_use};
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Claims kept a sample of every step, 0.6 to 2.9 kB each. One test for all, since the count is that of the process.
#[test]
fn memory_does_not_grow_with_the_steps() {
    // Between them these have nearly all claims that look at every step.
    for (name, duration) in [
        ("suspended_load", 4.0),
        ("double_pendulum", 4.0),
        ("hanging_rope", 2.0),
        ("capstan", 0.4),
        ("release", 0.6),
    ] {
        let scene = load_named(name, &[format!("time.duration={duration}")]).unwrap();
        let mut driver = Driver::new(&scene);
        let steps = driver.step_count();
        let mut half = 0;
        for n in 0..steps {
            driver.step().unwrap();
            if n == steps / 2 {
                half = bytes_in_use();
            }
        }
        let grown = bytes_in_use().saturating_sub(half);
        println!("{name}: {grown} bytes in {} steps", steps / 2);
        // Room for buffers that grow with what touches.
        assert!(grown < 20_000, "{name}: {grown} bytes in {} steps", steps / 2);
    }
    recordings_keep_little();
    recordings_keep_nothing_of_their_chunks();
    snapshots_stay_as_large();
}

fn recordings_keep_little() {
    let scene = load_named("cantilever", &[]).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let (mut state, mut workspace) = (scene.state.clone(), Workspace::new(&scene.model));
    let rates = Rates { frames: 60.0, states: 1.0, foxglove: 10.0 };
    let mut recorder = Recorder::create(&dir.path().join("run.mcap"), &scene, rates, &state, 0).unwrap();
    recorder.begin(&scene.model, &state, None).unwrap();
    // A chunk that has not been written yet is written within a second, on a busy machine within a few: the least counts.
    let in_use_when_written = || {
        let looks = (0..20).map(|_| {
            std::thread::sleep(Duration::from_millis(250));
            bytes_in_use()
        });
        looks.min().unwrap_or(0)
    };
    let mut half = (0, 0.0);
    for n in 0..36_000 {
        let report = step(&scene.model, &mut state, &mut workspace);
        let taken = sample(&scene.model, &state, &workspace, 0.0);
        recorder.step(&scene.model, (&state, &workspace), &report, &taken).unwrap();
        if n == 18_000 {
            half = (in_use_when_written(), state.time);
        }
    }
    let seconds = state.time - half.1;
    let grown = in_use_when_written().saturating_sub(half.0) as f64;
    println!("a recording: {grown} bytes in {seconds} s");
    // Room for buffers that grow with what touches.
    assert!(grown < 20_000.0, "{grown} bytes in {seconds} s");
}

/// The library that wrote the file kept an entry of the index for each chunk, with a map in it: 280 to 700 bytes.
fn recordings_keep_nothing_of_their_chunks() {
    const CHUNKS: usize = 200;
    let dir = tempfile::tempdir().unwrap();
    let mut log = LogWriter::create(&dir.path().join("run.mcap")).unwrap();
    // As large as a chunk.
    let detail = "a".repeat(1 << 20);
    let event = EventMessage { time: 0.0, kind: EventKind::Command, name: String::new(), detail };
    let event = Message::Event(event);
    let mut half = 0;
    for n in 0..CHUNKS {
        log.write(n as f64, &event).unwrap();
        if n == CHUNKS / 2 {
            half = bytes_in_use();
        }
    }
    let grown = bytes_in_use().saturating_sub(half);
    println!("a recording: {grown} bytes in {} chunks", CHUNKS / 2);
    assert!(grown < 2000, "{grown} bytes in {} chunks", CHUNKS / 2);
    log.finish().unwrap();
}

/// Snapshots rewrote the samples of all steps: 7.6 MB at 20 s, 22.6 MB at 60 s.
fn snapshots_stay_as_large() {
    let scene = load_named("suspended_load", &[]).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let mut driver = Driver::new(&scene);
    let mut sizes = Vec::new();
    for n in 1..=2000 {
        driver.step().unwrap();
        if n % 1000 == 0 {
            let path = dir.path().join("snapshot.npz");
            driver.save(vec![0.0; 8]).write(&path, &scene).unwrap();
            assert!(SavedRun::read(&path).is_ok());
            sizes.push(std::fs::metadata(&path).unwrap().len());
        }
    }
    println!("snapshots: {sizes:?} bytes");
    assert!(sizes[1] < sizes[0] + 5000, "{sizes:?}");
}
