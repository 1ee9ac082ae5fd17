//! A run, or a state, in one picture of lines: SVG. Earlier states are faint, the last one is colored by curvature or
//! by tension; clamps are marked; a bar shows the scale.
//!
//! | module | contents |
//! |---|---|
//! | `canvas` | a small writer of SVG |
//! | `strokes`, `bodies` | rods as lines, bodies as outlines |
//! | `item`, `order` | items, and their drawing order |
//! | `annotations` | legend, scale bar, axes, captions |
//! | [`plot`] | series over two axes |

mod annotations;
mod bodies;
mod canvas;
mod item;
mod order;
pub mod plot;
mod strokes;

use crate::camera::{Camera, ImageSize, Lens};
use crate::error::RenderError;
use crate::number::seconds;
use crate::quantity::{Quantity, QuantityKind};
use crate::stage::{Frame, Stage};
use canvas::Canvas;
use glam::DVec3;

/// Fraction of the height of a picture for its contents; the rest is for captions and legend.
pub const FILL: f64 = 0.7;

/// All points that a picture of `frames` must contain.
pub fn cloud(stage: &Stage, frames: &[Frame]) -> Vec<DVec3> {
    frames.iter().flat_map(|frame| stage.points(frame)).collect()
}

/// The picture of `frames`, the last of which is in color; by the quantity `color_by` (chosen automatically if
/// `None`).
pub fn draw(
    stage: &Stage,
    frames: &[Frame],
    camera: &Camera,
    size: ImageSize,
    color_by: Option<QuantityKind>,
) -> Result<String, RenderError> {
    camera.check()?;
    let mut canvas = Canvas::new(size.width() as f64, size.height() as f64, &stage.title);
    let Some((last, earlier)) = frames.split_last() else {
        return Ok(canvas.finish());
    };
    let lens = Lens::new(camera, size, 1);
    let quantity = match color_by {
        Some(kind) => Quantity::of(kind, stage, last, None),
        None => Quantity::choose(stage, last),
    };
    for (i, frame) in earlier.iter().enumerate() {
        let opacity = 0.2 + 0.5 * (i as f64 + 1.0) / (earlier.len() as f64 + 1.0);
        let mut items = Vec::new();
        bodies::items(stage, frame, &lens, &mut items);
        draw_items(&mut canvas, &items, &lens, size, 0.4 * opacity);
        strokes::draw_faint(&mut canvas, stage, frame, &lens, opacity);
    }
    let mut items = Vec::new();
    bodies::items(stage, last, &lens, &mut items);
    strokes::items(stage, last, &lens, &quantity, &mut items);
    draw_items(&mut canvas, &items, &lens, size, 1.0);
    annotations::held_points(&mut canvas, stage, last, &lens);
    let caption = match earlier.first() {
        Some(first) => format!("{}: t = {} to {}", stage.name, seconds(first.time), seconds(last.time)),
        None => format!("{}: t = {}", stage.name, seconds(last.time)),
    };
    annotations::captions(&mut canvas, &stage.title, &caption);
    if !stage.rods.is_empty() {
        annotations::legend(&mut canvas, &quantity);
    }
    annotations::scale_bar(&mut canvas, &lens);
    annotations::axes(&mut canvas, &lens);
    Ok(canvas.finish())
}

fn draw_items(canvas: &mut Canvas, items: &[item::Item], lens: &Lens, size: ImageSize, opacity: f64) {
    for i in order::back_to_front(items, lens, size) {
        items[i].draw(canvas, lens, opacity);
    }
}
