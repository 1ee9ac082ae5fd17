//! `picture.svg`: a run in one picture. Earlier states are faint, the last one is coloured by curvature
//! or by tension; what is held is marked; a bar gives the scale.
//!
//! | module | what it holds |
//! |---|---|
//! | [`camera`] | from where to look, and the projection |
//! | [`colour`] | from a value to a colour |
//! | [`quantity`] | the value that colours the rods |
//! | [`strokes`] | rods as lines with colour and depth |
//! | [`bodies`] | bodies as outlines |
//! | [`canvas`] | a small writer of SVG |
//! | [`furniture`] | legend, scale bar, axes, captions |
//! | [`view`] | sides from which to look |
//! | [`solid`] | rods and shapes as triangles |
//! | [`raster`] | a painter of triangles with depth, and PNG |

mod bodies;
mod camera;
mod canvas;
mod colour;
mod furniture;
pub(crate) mod plot;
mod quantity;
mod raster;
mod solid;
mod strokes;
pub(crate) mod view;

use crate::number::seconds;
use crate::run::state_spool::{Places as Frame, StateSpool};
use canvas::Canvas;
use glam::DVec3;
use quantity::Quantity;
use ropewalk_scene::Scene;
use std::io;
use std::path::Path;
use view::View;

/// Width of the picture in px.
const WIDTH: f64 = 960.0;
/// Height of the picture in px.
const HEIGHT: f64 = 640.0;
/// Earlier states in a picture of few nodes.
const EARLIER_STATES: usize = 6;
/// Node positions drawn at most in earlier states, to keep the file small.
const EARLIER_NODES: usize = 6000;

/// Writes the picture of the states in `spool` to `path`.
pub(crate) fn write(path: &Path, scene: &Scene, spool: &mut StateSpool) -> io::Result<()> {
    let frames = pick_frames(scene, spool)?;
    std::fs::write(path, draw(scene, &frames))
}

/// Some states at equal distances in time, the last one last.
fn pick_frames(scene: &Scene, spool: &mut StateSpool) -> io::Result<Vec<Frame>> {
    let nodes: usize = scene.model.rods.iter().map(ropewalk_rod::Rod::node_count).sum();
    let earlier = EARLIER_STATES.min(EARLIER_NODES / nodes.max(1)).min(spool.count().saturating_sub(1));
    let last = spool.count().saturating_sub(1);
    let indices = (0..=earlier).map(|i| (i * last).checked_div(earlier).unwrap_or(last));
    let mut frames = Vec::new();
    for index in indices {
        frames.push(spool.places(index)?);
    }
    Ok(frames)
}

/// One state seen from one side, as SVG.
pub(crate) fn svg(scene: &Scene, frame: &Frame, view: View) -> String {
    draw_from(scene, core::slice::from_ref(frame), view)
}

/// One state seen from one side, as PNG.
pub(crate) fn png(scene: &Scene, frame: &Frame, view: View) -> io::Result<Vec<u8>> {
    let camera = view.camera(&cloud(scene, core::slice::from_ref(frame)), WIDTH, HEIGHT);
    let quantity = Quantity::choose(&scene.model, &frame.rods);
    let mut raster = raster::Raster::new(WIDTH as usize, HEIGHT as usize, camera);
    solid::paint(&mut raster, scene, frame, &quantity);
    raster.encode()
}

/// All points that a picture of `frames` must hold.
fn cloud(scene: &Scene, frames: &[Frame]) -> Vec<DVec3> {
    let mut points: Vec<DVec3> = frames.iter().flat_map(|f| f.rods.iter().flatten().copied()).collect();
    points.extend(frames.iter().flat_map(|f| bodies::points(scene, &f.trees)));
    points
}

/// The picture as SVG, from the side that suits it.
fn draw(scene: &Scene, frames: &[Frame]) -> String {
    draw_from(scene, frames, View::Auto)
}

fn draw_from(scene: &Scene, frames: &[Frame], view: View) -> String {
    let mut canvas = Canvas::new(WIDTH, HEIGHT, &scene.title);
    let Some(last) = frames.last() else {
        return canvas.finish();
    };
    let camera = view.camera(&cloud(scene, frames), WIDTH, HEIGHT);
    let quantity = Quantity::choose(&scene.model, &last.rods);

    let earlier = &frames[..frames.len() - 1];
    for (i, frame) in earlier.iter().enumerate() {
        let opacity = 0.2 + 0.5 * (i as f64 + 1.0) / (earlier.len() as f64 + 1.0);
        bodies::draw(&mut canvas, scene, &frame.trees, &camera, 0.4 * opacity);
        strokes::draw_faint(&mut canvas, scene, frame, &camera, opacity);
    }
    bodies::draw(&mut canvas, scene, &last.trees, &camera, 1.0);
    strokes::draw_coloured(&mut canvas, scene, last, &camera, &quantity);
    furniture::held_points(&mut canvas, scene, last, &camera);
    let caption = match earlier.first() {
        Some(first) => {
            format!("{}: t = {} to {}", scene.name, seconds(first.time), seconds(last.time))
        }
        None => format!("{}: t = {}", scene.name, seconds(last.time)),
    };
    furniture::captions(&mut canvas, &scene.title, &caption);
    if !scene.model.rods.is_empty() {
        furniture::legend(&mut canvas, &quantity);
    }
    furniture::scale_bar(&mut canvas, &camera);
    furniture::axes(&mut canvas, &camera);
    canvas.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use camera::Camera;

    /// All numbers in attributes are finite and the rods lie within the picture, for tiny and for large
    /// rods.
    #[test]
    fn rods_of_any_size_fill_the_picture() {
        let scene = ropewalk_scene::load_named("cantilever", &[]).unwrap();
        let nodes: Vec<DVec3> =
            (0..scene.state.rods[0].q.len()).map(|i| scene.state.rods[0].position(i)).collect();
        for scale in [1e-4, 1.0, 1e4] {
            let bent = |sag: f64| {
                let shape = nodes.iter().map(|x| scale * (*x - DVec3::Z * sag * x.x * x.x));
                vec![shape.collect::<Vec<_>>()]
            };
            let frames = [0.0, 0.5].map(|sag| Frame {
                time: sag,
                rods: bent(sag),
                directors: Vec::new(),
                trees: Vec::new(),
            });
            let svg = draw(&scene, &frames);
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            let points: Vec<DVec3> = frames.iter().flat_map(|f| f.rods[0].clone()).collect();
            let camera = Camera::fit(&points, WIDTH, HEIGHT);
            let across: Vec<f64> = points.iter().map(|p| camera.project(*p).0).collect();
            let (low, high) = (
                across.iter().copied().fold(f64::INFINITY, f64::min),
                across.iter().copied().fold(0.0, f64::max),
            );
            assert!(low >= 0.0 && high <= WIDTH && high - low > 0.5 * WIDTH, "{low} {high}");
        }
    }

    #[test]
    fn a_title_with_markup_stays_text() {
        let mut scene = ropewalk_scene::load_named("cantilever", &[]).unwrap();
        scene.title = "a < b & \"c\"".to_owned();
        let svg = draw(&scene, &[]);
        assert!(svg.contains("a &lt; b &amp; &quot;c&quot;"), "{svg}");
    }
}
