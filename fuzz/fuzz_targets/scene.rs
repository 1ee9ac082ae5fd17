//! Scene files: any text is a scene or an error with a place.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};

/// Numbers this long may ask for a million nodes, which is allowed, and takes a second.
const MOST_DIGITS: usize = 4;

fuzz_target!(|text: &str| -> Corpus {
    let longest = text.split(|c: char| !(c.is_ascii_digit() || c == '_')).map(str::len).max();
    if longest.is_some_and(|digits| digits > MOST_DIGITS) {
        return Corpus::Reject;
    }
    match ropewalk_scene::load_text("fuzz.toml", text, None, &[]) {
        Ok(scene) => assert!(scene.state.is_finite()),
        Err(error) => assert!(error.to_string().contains("fuzz.toml")),
    }
    Corpus::Keep
});
