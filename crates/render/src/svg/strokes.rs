//! Rods as lines with color.

use super::canvas::{Canvas, Stroke};
use super::item::{Item, Look};
use crate::camera::Lens;
use crate::color::shade;
use crate::quantity::Quantity;
use crate::stage::{Frame, RodFrame, RodLook, Stage};
use glam::DVec3;

/// Thinnest and thickest line in px: a hair stays visible, a thick rod does not hide its shape.
const WIDTHS: [f64; 2] = [3.0, 26.0];
/// Edges in one colored line at most; short lines sort better by depth.
const RUN: usize = 8;
const FAINT: &str = "#8a97ab";

/// Draws the rods of an earlier state.
pub(super) fn draw_faint(canvas: &mut Canvas, stage: &Stage, frame: &Frame, lens: &Lens, opacity: f64) {
    for (look, rod) in stage.rods.iter().zip(&frame.rods) {
        let points: Vec<DVec3> = rod.nodes.iter().map(|p| lens.point(*p)).collect();
        if points.iter().any(|p| p.z <= lens.near) {
            continue;
        }
        let line: Vec<_> = points.iter().map(|p| place(lens, *p)).collect();
        let width = (0.6 * width_of(look, 0, lens, points[0].z)).max(2.0);
        canvas.polyline(&line, look.closed, &Stroke { color: FAINT, width, opacity });
    }
}

/// The pieces of all rods, colored by `quantity`.
pub(super) fn items(stage: &Stage, frame: &Frame, lens: &Lens, quantity: &Quantity, out: &mut Vec<Item>) {
    for (r, (look, rod)) in stage.rods.iter().zip(&frame.rods).enumerate() {
        collect(look, rod, &quantity.edges[r], lens, quantity, out);
    }
}

fn collect(
    look: &RodLook,
    rod: &RodFrame,
    values: &[f64],
    lens: &Lens,
    quantity: &Quantity,
    out: &mut Vec<Item>,
) {
    let mut e = 0;
    while e < look.edge_count() {
        let this = shade(quantity.fraction(values[e]));
        let mut end = e + 1;
        while end < look.edge_count()
            && end - e < RUN
            && shade(quantity.fraction(values[end])) == this
            && look.half_extents[end] == look.half_extents[e]
        {
            end += 1;
        }
        let nodes = (e..end).map(|i| rod.nodes[i]).chain([rod.nodes[look.edge_end(end - 1)]]);
        let points: Vec<DVec3> = nodes.map(|p| lens.point(p)).collect();
        if points.iter().all(|p| p.z > lens.near) {
            let depth = points.iter().map(|p| p.z).sum::<f64>() / points.len() as f64;
            let width = width_of(look, e, lens, depth);
            out.push(Item { points, depth, look: Look::Line { shade: this, width } });
        }
        e = end;
    }
}

/// A place on the paper in px, from the top left.
pub(super) fn place(lens: &Lens, p: DVec3) -> (f64, f64) {
    let [x, y, _] = lens.project(p);
    (x, y)
}

/// Width of edge `e` at that depth in px.
fn width_of(look: &RodLook, e: usize, lens: &Lens, depth: f64) -> f64 {
    let [a, b] = look.half_extents[e];
    ((a + b) * lens.pixels_per_meter(depth)).clamp(WIDTHS[0], WIDTHS[1])
}

/// The line without `by` px at each end, or `None` if it is too short for that.
pub(super) fn shortened(points: &[(f64, f64)], by: f64) -> Option<Vec<(f64, f64)>> {
    let mut line = points.to_vec();
    for _ in 0..2 {
        let mut left = by;
        loop {
            let [.., before, last] = line.as_slice() else { return None };
            let (dx, dy) = (before.0 - last.0, before.1 - last.1);
            let length = dx.hypot(dy);
            let cut = (last.0 + dx * left / length, last.1 + dy * left / length);
            line.pop();
            if length > left {
                line.push(cut);
                break;
            }
            left -= length;
        }
        line.reverse();
    }
    Some(line)
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn lines_are_shortened_at_both_ends() {
        let line = [(0.0, 0.0), (1.0, 0.0), (10.0, 0.0)];
        assert_eq!(shortened(&line, 2.0), Some(vec![(2.0, 0.0), (8.0, 0.0)]));
        assert_eq!(shortened(&line, 5.0), None);
    }
}
