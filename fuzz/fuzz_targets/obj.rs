//! Meshes in the format OBJ: indices within the vertices, which are finite; or a reason.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ropewalk_scene::mesh_file::parse_obj;

fuzz_target!(|bytes: &[u8]| {
    match parse_obj(bytes) {
        Ok(mesh) => {
            assert!(mesh.triangles.as_flattened().iter().all(|&i| (i as usize) < mesh.vertices.len()));
            assert!(mesh.vertices.iter().all(|v| v.is_finite()));
        }
        Err(reason) => assert!(!reason.is_empty()),
    }
});
