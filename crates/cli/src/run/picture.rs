//! `picture.svg`: a run in one picture.

use crate::exit::CommandError;
use crate::run::state_spool::StateSpool;
use ropewalk_render::{Frame, ImageSize, Stage, View, svg};
use ropewalk_rod::Rod;
use ropewalk_scene::Scene;
use ropewalk_scene::output_file::WholeFile;
use std::io;
use std::path::Path;

/// Width and height of the picture in px.
const SIZE: [u64; 2] = [960, 640];
/// Earlier states in a picture of few nodes.
const EARLIER_STATES: usize = 6;
/// Node positions drawn at most in earlier states, to keep the file small.
const EARLIER_NODES: usize = 6000;

/// Writes the picture of the states in `spool` to `path`.
pub(super) fn write(path: &Path, scene: &Scene, spool: &mut StateSpool) -> Result<(), CommandError> {
    let frames = pick_frames(scene, spool).map_err(CommandError::file(path))?;
    WholeFile::write(path, draw(scene, &frames)?.as_bytes()).map_err(CommandError::file(path))
}

/// Some states at equal distances in time, the last one last.
fn pick_frames(scene: &Scene, spool: &mut StateSpool) -> io::Result<Vec<Frame>> {
    let nodes: usize = scene.model.rods.iter().map(Rod::node_count).sum();
    let earlier = EARLIER_STATES.min(EARLIER_NODES / nodes.max(1)).min(spool.count().saturating_sub(1));
    let last = spool.count().saturating_sub(1);
    let indices = (0..=earlier).map(|i| (i * last).checked_div(earlier).unwrap_or(last));
    let mut frames = Vec::new();
    for index in indices {
        let mut frame = spool.frame(index)?;
        for (rod, seen) in scene.model.rods.iter().zip(&mut frame.rods) {
            let strain = |e: usize| {
                (seen.nodes[rod.edge_end(e)] - seen.nodes[e]).length() / rod.rest_lengths()[e] - 1.0
            };
            seen.tension = (0..rod.edge_count()).map(|e| rod.stretched(e, strain(e)).tension).collect();
        }
        frames.push(frame);
    }
    Ok(frames)
}

/// The picture from the best side.
fn draw(scene: &Scene, frames: &[Frame]) -> Result<String, CommandError> {
    let (stage, size) = (Stage::of_scene(scene), ImageSize::new(SIZE[0], SIZE[1])?);
    let camera = View::Auto.camera(&svg::cloud(&stage, frames), size.aspect(), svg::FILL, None);
    Ok(svg::draw(&stage, frames, &camera, size, None)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use ropewalk_render::stage::RodFrame;

    /// All numbers in attributes are finite, for tiny and for large rods.
    #[test]
    fn rods_of_any_size_can_be_drawn() {
        let scene = ropewalk_scene::load_named("cantilever", &[]).unwrap();
        let start = Frame::of_state(&scene.model, &scene.state);
        for scale in [1e-4, 1.0, 1e4] {
            let frames = [0.0, 0.5].map(|sag| {
                let bent = start.rods[0].nodes.iter().map(|x| scale * (*x - DVec3::Z * sag * x.x * x.x));
                let rod = RodFrame { nodes: bent.collect(), ..start.rods[0].clone() };
                Frame { time: sag, rods: vec![rod], ..Frame::default() }
            });
            let svg = draw(&scene, &frames).unwrap();
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            assert!(svg.matches("<polyline").count() > 10);
        }
    }

    #[test]
    fn a_title_with_markup_stays_text() {
        let mut scene = ropewalk_scene::load_named("cantilever", &[]).unwrap();
        scene.title = "a < b & \"c\"".to_owned();
        let svg = draw(&scene, &[]).unwrap();
        assert!(svg.contains("a &lt; b &amp; &quot;c&quot;"), "{svg}");
    }
}
