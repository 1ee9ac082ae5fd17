//! Annotations of a picture: captions, legend, scale bar, axes, marks of clamps.

use super::canvas::{Anchor, Canvas, Stroke};
use crate::camera::Lens;
use crate::color::{shade, shade_color};
use crate::number::{significant, with_prefix};
use crate::quantity::Quantity;
use crate::stage::{ClampedPart, Frame, Stage};
use glam::DVec3;

const INK: &str = "#1b2733";
const SOFT: &str = "#5b6676";
/// Distance from the edge of the picture in px.
const BORDER: f64 = 28.0;

/// Marks of the active clamps at the time of `frame`.
pub(super) fn held_points(canvas: &mut Canvas, stage: &Stage, frame: &Frame, lens: &Lens) {
    for clamp in stage.clamps.iter().filter(|clamp| frame.time < clamp.release_time) {
        let (look, nodes) = (&stage.rods[clamp.rod], &frame.rods[clamp.rod].nodes);
        let place = match clamp.hold {
            ClampedPart::Node(node) => nodes[node],
            ClampedPart::Edge(e) => 0.5 * (nodes[e] + nodes[look.edge_end(e)]),
        };
        let p = lens.point(place);
        if p.z <= lens.near {
            continue;
        }
        let [x, y, _] = lens.project(p);
        match clamp.hold {
            ClampedPart::Node(_) => canvas.disc(x, y, 6.0, INK),
            ClampedPart::Edge(_) => {
                canvas.rectangle(x - 7.5, y - 7.5, 15.0, 15.0, "#ffffff");
                canvas.rectangle(x - 6.0, y - 6.0, 12.0, 12.0, INK);
            }
        }
    }
}

/// Title and what is shown, at the top left.
pub(super) fn captions(canvas: &mut Canvas, title: &str, caption: &str) {
    canvas.label(BORDER, BORDER + 12.0, 20.0, INK, Anchor::Start, title);
    canvas.label(BORDER, BORDER + 34.0, 14.0, SOFT, Anchor::Start, caption);
}

/// The scale of colors, at the bottom right.
pub(super) fn legend(canvas: &mut Canvas, quantity: &Quantity) {
    const LENGTH: f64 = 180.0;
    const STEPS: u32 = 32;
    let (left, top) = (canvas.width - BORDER - LENGTH, canvas.height - BORDER - 28.0);
    let step = LENGTH / f64::from(STEPS);
    for i in 0..STEPS {
        let middle = (f64::from(i) + 0.5) / f64::from(STEPS);
        // Slightly wider than a step, so that no gaps are visible.
        let color = shade_color(shade(middle)).hex();
        canvas.rectangle(left + f64::from(i) * step, top, step + 0.5, 10.0, &color);
    }
    let name = format!("{} ({})", quantity.name, quantity.unit);
    canvas.label(left, top - 8.0, 13.0, INK, Anchor::Start, &name);
    canvas.label(left, top + 26.0, 12.0, SOFT, Anchor::Start, &significant(quantity.range[0], 3));
    canvas.label(left + LENGTH, top + 26.0, 12.0, SOFT, Anchor::End, &significant(quantity.range[1], 3));
}

/// A bar of a round length, at the bottom in the middle; none in perspective, where no scale is true.
pub(super) fn scale_bar(canvas: &mut Canvas, lens: &Lens) {
    if lens.perspective {
        return;
    }
    let length = round_down(0.25 * canvas.width / lens.focal);
    let half = 0.5 * length * lens.focal;
    let (middle, y) = (0.5 * canvas.width, canvas.height - BORDER - 22.0);
    let stroke = Stroke { color: INK, width: 2.0, opacity: 1.0 };
    canvas.polyline(&[(middle - half, y), (middle + half, y)], false, &stroke);
    for end in [middle - half, middle + half] {
        canvas.polyline(&[(end, y - 4.0), (end, y + 4.0)], false, &stroke);
    }
    canvas.label(middle, y + 20.0, 12.0, SOFT, Anchor::Middle, &with_prefix(length, 3, "m"));
}

/// The axes of the world, at the bottom left.
pub(super) fn axes(canvas: &mut Canvas, lens: &Lens) {
    const LENGTH: f64 = 34.0;
    let (x, y) = (BORDER + 24.0, canvas.height - BORDER - 24.0);
    for (name, axis, ink) in
        [("x", DVec3::X, "#c0392b"), ("y", DVec3::Y, "#2e8b57"), ("z", DVec3::Z, "#2c6fbb")]
    {
        let DVec3 { x: dx, y: dy, .. } = lens.vector(axis);
        if dx.hypot(dy) < 0.2 {
            continue; // It points at the viewer.
        }
        let stroke = Stroke { color: ink, width: 2.0, opacity: 1.0 };
        canvas.polyline(&[(x, y), (x + LENGTH * dx, y + LENGTH * dy)], false, &stroke);
        let reach = LENGTH + 10.0;
        canvas.label(x + reach * dx, y + reach * dy + 4.0, 12.0, ink, Anchor::Middle, name);
    }
}

/// The greatest of 1, 2 and 5 times a power of ten that is not above `value`.
fn round_down(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    let lead = value / power;
    power * [5.0, 2.0].into_iter().find(|m| lead >= *m).unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::round_down;

    #[test]
    fn scale_bars_have_round_lengths() {
        for (value, bar) in [(0.37, 0.2), (7.2e-6, 5e-6), (1999.0, 1000.0), (0.5, 0.5)] {
            let found: f64 = round_down(value);
            assert!((found / bar - 1.0).abs() < 1e-12, "{value} {found}");
        }
    }
}
