//! Rods as lines: faint ones for earlier states, coloured ones for the last.

use super::Frame;
use super::camera::Camera;
use super::canvas::{Canvas, Stroke};
use super::colour::{colour, shade};
use super::quantity::Quantity;
use glam::DVec3;
use ropewalk_rod::Rod;
use ropewalk_scene::Scene;

/// Thinnest and thickest line in px: a hair stays visible, a thick rod does not hide its shape.
const WIDTHS: [f64; 2] = [3.0, 26.0];
/// Edges in one coloured line at most; short lines sort better by depth.
const RUN: usize = 8;
const FAINT: &str = "#8a97ab";

/// A run of edges of one shade.
struct Piece {
    points: Vec<(f64, f64)>,
    shade: u32,
    width: f64,
    depth: f64,
}

/// Draws an earlier state.
pub(super) fn draw_faint(canvas: &mut Canvas, scene: &Scene, frame: &Frame, camera: &Camera, opacity: f64) {
    for (rod, nodes) in scene.model.rods.iter().zip(&frame.rods) {
        let points: Vec<_> = nodes.iter().map(|p| camera.project(*p)).collect();
        let width = (0.6 * width_of(rod, 0, camera)).max(2.0);
        canvas.polyline(&points, rod.closed(), &Stroke { colour: FAINT, width, opacity });
    }
}

/// Draws the last state, far pieces first. Each piece lies on a white one that is a little wider, so
/// that crossings show which strand is in front.
pub(super) fn draw_coloured(
    canvas: &mut Canvas,
    scene: &Scene,
    frame: &Frame,
    camera: &Camera,
    quantity: &Quantity,
) {
    let mut pieces = Vec::new();
    for (r, rod) in scene.model.rods.iter().enumerate() {
        collect_pieces(rod, &frame.rods[r], &quantity.edges[r], camera, quantity, &mut pieces);
    }
    pieces.sort_by(|a, b| a.depth.total_cmp(&b.depth));
    for piece in &pieces {
        let rim = Stroke { colour: "#ffffff", width: piece.width + 2.0, opacity: 1.0 };
        // The rim stops short of the piece's ends: it must not cut into its neighbours.
        if let Some(inner) = shortened(&piece.points, piece.width) {
            canvas.polyline(&inner, false, &rim);
        }
        let stroke = Stroke { colour: &colour(piece.shade), width: piece.width, opacity: 1.0 };
        canvas.polyline(&piece.points, false, &stroke);
    }
}

fn collect_pieces(
    rod: &Rod,
    nodes: &[DVec3],
    values: &[f64],
    camera: &Camera,
    quantity: &Quantity,
    pieces: &mut Vec<Piece>,
) {
    let mut e = 0;
    while e < rod.edge_count() {
        let this = shade(quantity.fraction(values[e]));
        let mut end = e + 1;
        while end < rod.edge_count()
            && end - e < RUN
            && shade(quantity.fraction(values[end])) == this
            && rod.half_extents()[end] == rod.half_extents()[e]
        {
            end += 1;
        }
        let places: Vec<DVec3> = (e..end).map(|i| nodes[i]).chain([nodes[rod.edge_end(end - 1)]]).collect();
        let depth = places.iter().map(|p| camera.depth(*p)).sum::<f64>() / places.len() as f64;
        pieces.push(Piece {
            points: places.iter().map(|p| camera.project(*p)).collect(),
            shade: this,
            width: width_of(rod, e, camera),
            depth,
        });
        e = end;
    }
}

/// Width of edge `e` in px.
fn width_of(rod: &Rod, e: usize, camera: &Camera) -> f64 {
    let [a, b] = rod.half_extents()[e];
    ((a + b) * camera.scale).clamp(WIDTHS[0], WIDTHS[1])
}

/// The line without `by` px at each end, or `None` if it is too short for that.
fn shortened(points: &[(f64, f64)], by: f64) -> Option<Vec<(f64, f64)>> {
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
