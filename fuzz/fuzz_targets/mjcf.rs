//! MJCF: any text is a robot or an error with a place. Included files and meshes are not looked for.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use ropewalk_scene::{UrdfOptions, read_mjcf};
use std::path::Path;

fuzz_target!(|text: &str| -> Corpus {
    match read_mjcf("fuzz.xml", text, Some(Path::new("nowhere")), &UrdfOptions::default()) {
        Ok(robot) => assert!(robot.total_mass().is_finite()),
        Err(error) => assert!(error.to_string().contains("fuzz.xml")),
    }
    Corpus::Keep
});
