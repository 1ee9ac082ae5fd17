//! URDF: any text is a robot or an error with a place. Mesh files are not looked for.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ropewalk_scene::{UrdfOptions, read_urdf};

fuzz_target!(|text: &str| {
    for repair_inertia in [false, true] {
        let options = UrdfOptions { repair_inertia, ..UrdfOptions::default() };
        match read_urdf("fuzz.urdf", text, None, &options) {
            Ok(robot) => assert!(robot.total_mass().is_finite()),
            Err(error) => assert!(error.to_string().contains("fuzz.urdf")),
        }
    }
});
