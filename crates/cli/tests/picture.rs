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

#[test]
fn a_picture_of_a_given_size_and_camera() {
    let place = Place::new();
    let camera = "eye=0.5,-1.5,0.5 target=0,0,0 fov=0.6";
    let run = |out: &str, more: &[&str]| {
        let arguments =
            ["picture", "two_hands", "--at", "0", "--size", "64x48", "--camera", camera, "--out", out];
        place.run(&[&arguments, more].concat())
    };
    for (out, more) in [
        ("a.png", &["--color-by", "tension"][..]),
        ("d.png", &["--mode", "depth"]),
        ("m.png", &["--mode", "mask"]),
    ] {
        let ran = run(out, more);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let bytes = std::fs::read(place.path(out)).unwrap();
        // Width and height in the header of a PNG.
        assert_eq!(bytes[16..24], [0, 0, 0, 64, 0, 0, 0, 48]);
    }
    assert_eq!(run("a.svg", &[]).code, 0);
    assert!(std::fs::read_to_string(place.path("a.svg")).unwrap().contains("viewBox=\"0 0 64 48\""));
}

#[test]
fn sizes_and_cameras_that_cannot_be_used_are_named() {
    let place = Place::new();
    for (option, value, word) in [
        ("--size", "0x0", "width of the image is 0"),
        ("--size", "5000x5000", "5000x5000"),
        ("--camera", "eye=NaN,0,0", "eye of the camera"),
        ("--camera", "fov=9", "fov"),
        ("--camera", "follow=nobody", "'nobody'"),
        ("--samples", "0", "samples"),
    ] {
        let ran = place.run(&["picture", "two_hands", "--at", "0", option, value, "--out", "p.png"]);
        assert_eq!(ran.code, 2, "{option} {value}: {}", ran.stderr);
        assert!(ran.stderr.contains(word) && ran.stderr.contains("hint: "), "{}", ran.stderr);
        assert!(!place.path("p.png").exists());
    }
}

/// A film of a scene and one of its recording are the same.
#[test]
fn films_of_scenes_and_of_recordings() {
    let place = Place::new();
    let ran = place.run(&["run", "two_hands", "--duration", "0.1", "--out", "out", "--quiet"]);
    assert!(ran.code <= 1, "{}", ran.stderr);
    let film = |source: &str, out: &str| {
        let options = ["--fps", "20", "--times", "0,0.1", "--size", "80x60", "--samples", "1", "--camera"];
        place.run(&[&["film", source, "--gif", out][..], &options, &["front"]].concat())
    };
    for (source, out) in [("two_hands", "a.gif"), ("out/run.mcap", "b.gif")] {
        let ran = film(source, out);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(&std::fs::read(place.path(out)).unwrap()[..6], b"GIF89a");
    }
    let ran = place.run(&[
        "film",
        "out/run.mcap",
        "--frames",
        "f",
        "--fps",
        "10",
        "--size",
        "40x30",
        "--samples",
        "1",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(files_in(&place.path("f")), ["00000.png", "00001.png"]);
    // Between the first and the last state, a recording has frames.
    let fine =
        ["--frames", "g", "--fps", "30", "--times", "0.02,0.09", "--size", "320x240", "--samples", "1"];
    let ran = place.run(&[&["film", "out/run.mcap"][..], &fine].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let pictures = files_in(&place.path("g"));
    let bytes: Vec<_> =
        pictures.iter().map(|name| std::fs::read(place.path("g").join(name)).unwrap()).collect();
    assert_eq!(bytes.len(), 3);
    assert!(bytes.windows(2).all(|pair| pair[0] != pair[1]), "the film stands still");
    for (option, word) in
        [("--fps=0", "--fps 0"), ("--speed=-1", "--speed -1"), ("--fps=60", "fps"), ("--size=0x9", "width")]
    {
        let ran = place.run(&["film", "two_hands", "--gif", "c.gif", "--times", "0,0.01", option]);
        assert_eq!(ran.code, 2, "{option} {}", ran.stderr);
        assert!(ran.stderr.contains(word), "{}", ran.stderr);
    }
}
