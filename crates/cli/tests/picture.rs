//! `picture`: a scene from several sides.
#![allow(clippy::unwrap_used)]

mod common;
use common::{Place, files_in};

#[test]
fn pictures_are_written_for_each_time_and_side() {
    let place = Place::new();
    let ran = place.run(&["picture", "two_hands", "--times", "0,0.01", "--views", "front,iso", "--out", "p"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let names = files_in(&place.path("p"));
    assert_eq!(names.len(), 8, "{names:?}");
    assert!(names.contains(&"two_hands_0s_iso.png".to_owned()), "{names:?}");
    for name in names {
        let bytes = std::fs::read(place.path("p").join(&name)).unwrap();
        match name.ends_with(".png") {
            true => assert_eq!(&bytes[1..4], b"PNG"),
            false => assert!(bytes.starts_with(b"<svg")),
        }
    }
}

#[test]
fn times_before_the_start_are_refused() {
    let ran = Place::new().run(&["picture", "two_hands", "--times=-1", "--out", "p"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("give finite times"), "{}", ran.stderr);
}
