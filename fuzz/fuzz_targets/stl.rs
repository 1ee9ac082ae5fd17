//! Meshes in the format STL: indices within the vertices, which are finite; or a reason.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ropewalk_scene::mesh_file::parse_stl;

fuzz_target!(|bytes: &[u8]| {
    match parse_stl(bytes) {
        Ok(mesh) => {
            assert!(mesh.triangles.as_flattened().iter().all(|&i| (i as usize) < mesh.vertices.len()));
            assert!(mesh.vertices.iter().all(|v| v.is_finite()));
        }
        Err(reason) => assert!(!reason.is_empty()),
    }
});
