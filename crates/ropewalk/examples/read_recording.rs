//! A run is written to a file, and read back frame by frame.
//!
//! Claim: the last state of the file is the state of the world.
//!
//!     cargo run --release -p ropewalk --example read_recording
//!
//! The same in Python: `examples/read_recording.py`.

use ropewalk::parts::scene::recording::Message;
use ropewalk::prelude::*;
use std::ops::ControlFlow;

fn main() -> Result<(), Error> {
    let path = std::env::temp_dir().join(format!("ropewalk_example_{}.mcap", std::process::id()));
    let mut world = World::load("hanging_rope", &[])?;
    world.record(&path, 0.2, 60.0)?;

    let recording = Recording::open(&path)?;
    let (mut frames, mut last) = (0, None);
    recording.read(|message| {
        match message {
            Message::Frame(_) => frames += 1,
            Message::State(state) => last = Some(state),
            _ => {}
        }
        Ok(ControlFlow::Continue(()))
    })?;
    // The file is of no use any more; if it cannot be removed, the system will do it.
    let _ = std::fs::remove_file(&path);

    let tip = world.rod("rope")?.positions().last().copied().unwrap_or_default();
    println!("{frames} frames of {:?}; the tip ends at z = {:.4} m", recording.scene.title, tip.z);
    assert!(frames >= 12);
    let read = last.and_then(|state| state.rods.first()?.q.last().copied()).unwrap_or_default();
    assert_eq!(read[..3], tip.to_array());
    Ok(())
}
