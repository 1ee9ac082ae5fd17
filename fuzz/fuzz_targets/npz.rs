//! Archives of arrays, as snapshots are: as many numbers as their shapes say, or a reason.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ropewalk_scene::npz::read_npz;
use std::io::Cursor;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(npz) = read_npz(Cursor::new(bytes)) {
        assert!(npz.arrays.values().all(|a| a.data.len() == a.shape.iter().product::<usize>()));
    }
});
