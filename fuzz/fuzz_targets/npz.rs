//! Archives of arrays: as many numbers as their shapes say, or a reason. What can be read is tried as a snapshot too.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ropewalk_scene::SavedRun;
use ropewalk_scene::npz::read_npz;
use std::io::Cursor;

fuzz_target!(|bytes: &[u8]| {
    let Ok(npz) = read_npz(Cursor::new(bytes)) else { return };
    assert!(npz.arrays.values().all(|a| a.data.len() == a.shape.iter().product::<usize>()));
    let Ok(dir) = tempfile::tempdir() else { return };
    let path = dir.path().join("fuzz.npz");
    if std::fs::write(&path, bytes).is_err() {
        return;
    }
    match SavedRun::read(&path) {
        Ok((_, run)) => assert!(run.state.is_finite()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
