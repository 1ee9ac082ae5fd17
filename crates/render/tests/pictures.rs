//! Images: golden ones, light, transparency, order of depth in SVG, films.
#![allow(clippy::unwrap_used)]

mod common;
use common::{add_body, add_rod, cameras, empty, size};
use core::f64::consts::TAU;
use glam::{DQuat, DVec3};
use ropewalk_linalg::Pose;
use ropewalk_render::gif::{FilmColors, GifWriter};
use ropewalk_render::stage::Solid;
use ropewalk_render::{Color, Frame, Image, QuantityKind, Renderer, Stage, Style, svg};

const ORANGE: Color = Color::rgb8(226, 88, 34);
const BLUE: Color = Color::rgb8(36, 113, 205);

/// Ground, a box, a wheel, a capsule, a round ring and a twisted strip.
fn still_life() -> (Stage, Frame) {
    let mut scene = empty();
    let turned = DQuat::from_rotation_z(0.5);
    let wheel = Pose::new(DVec3::new(-0.45, 0.2, 0.25), DQuat::from_rotation_x(TAU / 4.0));
    add_body(&mut scene, "ground", Solid::HalfSpace, Pose::IDENTITY, ropewalk_render::color::GROUND);
    let place = Pose::new(DVec3::new(0.45, 0.2, 0.15), turned);
    add_body(
        &mut scene,
        "box",
        Solid::Box { size: DVec3::new(0.3, 0.2, 0.3) },
        place,
        Color::rgb8(112, 133, 160),
    );
    add_body(
        &mut scene,
        "wheel",
        Solid::Cylinder { radius: 0.25, length: 0.1 },
        wheel,
        Color::rgb8(70, 78, 90),
    );
    let post = Pose::at(DVec3::new(0.0, 0.3, 0.35));
    add_body(
        &mut scene,
        "post",
        Solid::Capsule { radius: 0.06, length: 0.5 },
        post,
        Color::rgb8(224, 227, 231),
    );
    let ring = |i: i32| {
        let (sin, cos) = (TAU * f64::from(i) / 48.0).sin_cos();
        DVec3::new(0.3 * cos, -0.15 + 0.3 * sin, 0.03)
    };
    add_rod(&mut scene, "ring", ((0..48).map(ring).collect(), true), [0.03; 2], DVec3::Z, ORANGE);
    let strip: Vec<DVec3> = (0..41).map(|i| DVec3::new(-0.6 + 0.03 * f64::from(i), -0.5, 0.12)).collect();
    add_rod(&mut scene, "strip", (strip, false), [0.06, 0.01], DVec3::Y, BLUE);
    for (e, d) in scene.1.rods[1].directors.iter_mut().enumerate() {
        let (sin, cos) = (0.1 * e as f64).sin_cos();
        *d = DVec3::new(0.0, cos, sin);
    }
    scene
}

/// Writes a golden image if ROPEWALK_GOLDEN=write.
fn write_golden(name: &str, image: &Image) {
    if std::env::var_os("ROPEWALK_GOLDEN").is_some_and(|v| v == "write") {
        std::fs::write(golden_path(name), image.png().unwrap()).unwrap();
    }
}

fn golden_path(name: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{name}.png"))
}

/// Reads a golden image, which has the size of `image`.
fn golden(name: &str, image: &Image) -> Vec<u8> {
    let path = golden_path(name);
    let file = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!((info.width as usize, info.height as usize), (image.size().width(), image.size().height()));
    bytes
}

/// Images equal the golden ones, up to a few pixels at edges that depend on rounding.
#[test]
fn images_are_as_they_were() {
    let scene = still_life();
    let size = size(160, 120);
    for (kind, camera) in ["perspective", "orthographic"]
        .iter()
        .zip(cameras(DVec3::new(0.8, -2.4, 1.3), DVec3::new(0.0, 0.0, 0.2)))
    {
        for samples in [1, 3] {
            let style = Style { samples, ..Style::default() };
            let mut renderer = Renderer::new();
            let image = renderer.image(&scene.0, &scene.1, &camera, size, &style, None).unwrap();
            // A renderer that is reused makes the same image.
            assert_eq!(image, renderer.image(&scene.0, &scene.1, &camera, size, &style, None).unwrap());
            write_golden(&format!("{kind}_{samples}"), &image);
            let expected = golden(&format!("{kind}_{samples}"), &image);
            let off: Vec<u8> = image.bytes.iter().zip(&expected).map(|(a, b)| a.abs_diff(*b)).collect();
            let large = off.iter().filter(|d| **d > 8).count();
            let mean = off.iter().map(|d| f64::from(*d)).sum::<f64>() / off.len() as f64;
            assert!(
                large * 200 < off.len() && mean < 0.5,
                "{kind} {samples}: {large} of {}, {mean}",
                off.len()
            );
        }
    }
}

/// Without one of the things the comparison with the golden images fails.
#[test]
fn an_image_without_shadows_is_not_the_golden_one() {
    let scene = still_life();
    let [camera, _] = cameras(DVec3::new(0.8, -2.4, 1.3), DVec3::new(0.0, 0.0, 0.2));
    let style = Style { shadows: false, ..Style::default() };
    let image = Renderer::new().image(&scene.0, &scene.1, &camera, size(160, 120), &style, None).unwrap();
    let expected = golden("perspective_1", &image);
    let large = image.bytes.iter().zip(&expected).filter(|(a, b)| a.abs_diff(**b) > 8).count();
    assert!(large * 200 > image.bytes.len(), "{large}");
}

/// Half of the light from behind passes through a half-transparent body.
#[test]
fn what_is_transparent_shows_what_is_behind() {
    let pixel = |alpha: Option<f32>| {
        let mut scene = empty();
        let back = Pose::at(DVec3::new(0.0, 1.0, 0.0));
        let wall = Solid::Box { size: DVec3::new(4.0, 0.2, 4.0) };
        add_body(&mut scene, "wall", wall.clone(), back, Color::rgb8(200, 0, 0));
        if let Some(alpha) = alpha {
            let pane = Color { alpha, ..Color::rgb8(0, 0, 200) };
            add_body(&mut scene, "pane", wall, Pose::IDENTITY, pane);
        }
        let [camera, _] = cameras(DVec3::new(0.0, -3.0, 0.0), DVec3::ZERO);
        let style = Style { shadows: false, ..Style::default() };
        let image = Renderer::new().image(&scene.0, &scene.1, &camera, size(20, 20), &style, None).unwrap();
        image.pixel(10, 10)
    };
    let (wall, half, pane) = (pixel(None), pixel(Some(0.5)), pixel(Some(1.0)));
    assert!(wall[0] > 100 && wall[2] < 60 && pane[2] > 100 && pane[0] < 60, "{wall:?} {pane:?}");
    assert!(half[0] > 60 && half[2] > 60 && half[0] < wall[0] && half[2] < pane[2], "{half:?}");
}

/// Of a crossing in SVG, the strand in front is drawn last, even where its mean depth is the greater one.
#[test]
fn svg_draws_far_things_first_where_they_cross() {
    for near_first in [true, false] {
        let mut scene = empty();
        // A long capsule that comes towards the viewer on the left, where it passes in front of the rod, and is far away
        // elsewhere: its middle is behind the rod.
        let axis = DVec3::new(3.0, 4.0, 0.0);
        let pose = Pose::new(DVec3::new(1.5, 1.2, 0.0), DQuat::from_rotation_arc(DVec3::Z, axis.normalize()));
        let slope = Solid::Capsule { radius: 0.05, length: axis.length() };
        let x = if near_first { 0.1 } else { 1.5 };
        let rod: Vec<DVec3> = (0..5).map(|i| DVec3::new(x, 0.0, 0.2 * f64::from(i - 2))).collect();
        add_rod(&mut scene, "rod", (rod, false), [0.03; 2], DVec3::X, ORANGE);
        add_body(&mut scene, "slope", slope, pose, BLUE);
        let [_, camera] = cameras(DVec3::new(0.7, -9.0, 0.0), DVec3::new(0.7, 0.0, 0.0));
        let picture =
            svg::draw(&scene.0, &[scene.1], &camera, size(600, 400), Some(QuantityKind::Curvature)).unwrap();
        let body = picture.find("<polygon").unwrap();
        let rod = picture.find("#0d0887").unwrap();
        assert_eq!(body > rod, near_first, "{picture}");
    }
}

#[test]
fn films_keep_their_time_and_their_last_picture() {
    let size = size(40, 30);
    let picture = |k: usize| {
        let mut scene = empty();
        let at = Pose::at(DVec3::new(0.1 * k as f64 - 0.5, 0.0, 0.0));
        add_body(&mut scene, "ball", Solid::Sphere { radius: 0.3 }, at, ORANGE);
        let [_, camera] = cameras(DVec3::new(0.0, -3.0, 0.0), DVec3::ZERO);
        Renderer::new().image(&scene.0, &scene.1, &camera, size, &Style::default(), None).unwrap()
    };
    // Frames 3 to 6 are the same.
    let images: Vec<Image> = [0, 1, 2, 3, 3, 3, 3, 7, 8].map(picture).to_vec();
    let mut colors = FilmColors::default();
    images.iter().for_each(|image| colors.add(image));
    let mut film = GifWriter::new(Vec::new(), size, 30.0, &colors).unwrap();
    images.iter().for_each(|image| film.add(image).unwrap());
    let bytes = film.finish(0.5).unwrap();
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(&bytes[..]).unwrap();
    let mut shown = vec![0_u8; 40 * 30 * 3];
    let (mut frames, mut clock) = (0, 0);
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        (frames, clock) = (frames + 1, clock + u32::from(frame.delay));
        let width = usize::from(frame.width);
        for (i, p) in frame.buffer.chunks_exact(4).enumerate().filter(|(_, p)| p[3] > 0) {
            let (x, y) = (usize::from(frame.left) + i % width, usize::from(frame.top) + i / width);
            shown[3 * (40 * y + x)..][..3].copy_from_slice(&p[..3]);
        }
    }
    assert_eq!(frames, 6);
    assert_eq!(clock, 30 + 50);
    let off = shown.iter().zip(&images[8].bytes).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
    assert!(off <= 24, "{off}");
    assert!(GifWriter::new(Vec::new(), size, 0.0, &colors).is_err_and(|e| e.what.contains("fps")));
}
