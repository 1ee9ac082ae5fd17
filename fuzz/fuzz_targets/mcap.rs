//! Recordings: all that reads them, from the first record to the exports.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ropewalk_scene::FileError;
use ropewalk_scene::recording::{Info, Recording, export_csv, export_gltf, export_npz, export_ros2};
use std::panic::{set_hook, take_hook};
use std::path::Path;

/// A panic ends the process at once here, but for those of the library's reader: Ropewalk's makes errors of them.
fn let_library_panic() {
    let end = take_hook();
    set_hook(Box::new(move |panic| {
        let library = |file: &str| file.contains("mcap-") && file.ends_with("linear_reader.rs");
        if !panic.location().is_some_and(|at| library(at.file())) {
            end(panic);
        }
    }));
}

fn read_all(path: &Path, out: &Path) -> Result<(), FileError> {
    let recording = Recording::open(path)?;
    Info::of(&recording)?;
    export_npz(&recording, &out.join("a.npz"))?;
    export_csv(&recording, &out.join("a.csv"))?;
    export_ros2(&recording, &out.join("a_ros2"))?;
    export_gltf(&recording, &out.join("a.glb"))
}

fuzz_target!(init: let_library_panic(), |bytes: &[u8]| {
    let Ok(dir) = tempfile::tempdir() else { return };
    let path = dir.path().join("fuzz.mcap");
    if std::fs::write(&path, bytes).is_err() {
        return;
    }
    if let Err(error) = read_all(&path, dir.path()) {
        assert!(error.to_string().contains("fuzz.mcap"), "{error}");
    }
});
