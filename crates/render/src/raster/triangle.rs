//! Triangles, span by span.
//!
//! A sample belongs to a triangle if its center is inside; of the centers on an edge, those on the left and upper side
//! belong. The ends of a span come from the edges alone, each taken from its upper to its lower end, so that two triangles
//! with a common edge leave no gap and share no sample.

use super::Span;

/// Calls `span` for all rows of `rows` that the triangle covers. Corners: pixel coordinates x, y and nearness.
#[inline]
pub(crate) fn spans(
    corners: [[f32; 3]; 3],
    rows: core::ops::Range<usize>,
    width: usize,
    mut span: impl FnMut(usize, usize, Span),
) {
    let mut sorted = corners;
    sorted.sort_by(|a, b| a[1].total_cmp(&b[1]).then(a[0].total_cmp(&b[0])));
    let [top, middle, bottom] = sorted;
    let begin = first_center(top[1], rows.start, rows.end);
    let end = first_center(bottom[1], rows.start, rows.end);
    if begin >= end {
        return;
    }
    let Some(plane) = Gradient::of(&corners, |c| c[2]) else { return };
    let values = corners.map(|c| c[2]);
    let bounds = [values[0].min(values[1]).min(values[2]), values[0].max(values[1]).max(values[2])];
    let long = Edge::between(top, bottom);
    let (upper, lower) = (Edge::between(top, middle), Edge::between(middle, bottom));
    for row in begin..end {
        let y = row as f32 + 0.5;
        let short = if y < middle[1] { upper } else { lower };
        let (a, b) = (long.at(y), short.at(y));
        let (left, right) = if a < b { (a, b) } else { (b, a) };
        let (start, stop) = (first_center(left, 0, width), first_center(right, 0, width));
        if start < stop {
            let nearness = plane.at(start as f32 + 0.5, y);
            span(row, start, Span::Affine { count: stop - start, nearness, slope: plane.dx, bounds });
        }
    }
}

/// The first whole number from `low` to `high` whose center (+ ½) is not below `value`.
#[inline]
fn first_center(value: f32, low: usize, high: usize) -> usize {
    // Casts saturate, and make 0 of NaN.
    ((value - 0.5).ceil().max(low as f32) as usize).min(high)
}

/// x along an edge as a function of y.
#[derive(Clone, Copy)]
struct Edge {
    x: f32,
    y: f32,
    slope: f32,
}

impl Edge {
    #[inline]
    fn between(upper: [f32; 3], lower: [f32; 3]) -> Self {
        let height = lower[1] - upper[1];
        let slope = if height > 0.0 { (lower[0] - upper[0]) / height } else { 0.0 };
        Self { x: upper[0], y: upper[1], slope }
    }

    #[inline]
    fn at(self, y: f32) -> f32 {
        self.x + (y - self.y) * self.slope
    }
}

/// A value that is affine over a triangle in the image.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gradient {
    origin: [f32; 2],
    value: f32,
    pub(crate) dx: f32,
    dy: f32,
}

impl Gradient {
    /// Through the values at the corners; `None` if the triangle has no area.
    #[inline]
    pub(crate) fn of(corners: &[[f32; 3]; 3], value: impl Fn(&[f32; 3]) -> f32) -> Option<Self> {
        let [a, b, c] = corners;
        let (bx, by, cx, cy) = (b[0] - a[0], b[1] - a[1], c[0] - a[0], c[1] - a[1]);
        let area = bx * cy - by * cx;
        if !(area.abs() > 1e-12 && area.is_finite()) {
            return None;
        }
        let (va, vb, vc) = (value(a), value(b), value(c));
        let (db, dc) = ((vb - va) / area, (vc - va) / area);
        Some(Self { origin: [a[0], a[1]], value: va, dx: db * cy - dc * by, dy: dc * bx - db * cx })
    }

    /// The value at pixel coordinates.
    #[inline]
    pub(crate) fn at(&self, x: f32, y: f32) -> f32 {
        self.value + (x - self.origin[0]) * self.dx + (y - self.origin[1]) * self.dy
    }
}

/// Barycentric coordinates of a point in the image with respect to a triangle, all from 0 to 1.
#[inline]
pub(crate) fn barycentric(corners: &[[f32; 3]; 3], x: f32, y: f32) -> [f32; 3] {
    let [a, b, c] = corners;
    let (bx, by, cx, cy) = (b[0] - a[0], b[1] - a[1], c[0] - a[0], c[1] - a[1]);
    let scale = 1.0 / (bx * cy - by * cx);
    let (px, py) = (x - a[0], y - a[1]);
    let v = ((px * cy - py * cx) * scale).clamp(0.0, 1.0);
    let w = ((bx * py - by * px) * scale).clamp(0.0, 1.0 - v);
    [1.0 - v - w, v, w]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Triangles about a common point cover a square without gaps and without covering a sample twice.
    #[test]
    fn a_fan_covers_every_sample_once() {
        let ring: [[f32; 2]; 8] = [
            [0.0, 0.0],
            [7.3, 0.0],
            [20.0, 0.0],
            [20.0, 11.1],
            [20.0, 20.0],
            [13.7, 20.0],
            [0.0, 20.0],
            [0.0, 4.4],
        ];
        for middle in [[10.0, 10.0], [10.5, 9.5], [3.21, 17.77], [0.5, 0.5]] {
            let mut covered = [0; 400];
            for k in 0..8 {
                let (a, b) = (ring[k], ring[(k + 1) % 8]);
                let corners = [middle, a, b].map(|p: [f32; 2]| [p[0], p[1], 1.0]);
                spans(corners, 0..20, 20, |row, start, span| {
                    let Span::Affine { count, .. } = span else { return };
                    covered[row * 20 + start..row * 20 + start + count].iter_mut().for_each(|c| *c += 1);
                });
            }
            assert!(covered.iter().all(|c| *c == 1), "{middle:?} {covered:?}");
        }
    }

    #[test]
    fn what_is_not_finite_covers_nothing() {
        for bad in [f32::NAN, f32::INFINITY, 1e30] {
            let corners = [[0.0, 0.0, 1.0], [bad, 5.0, 1.0], [3.0, bad, 1.0]];
            spans(corners, 0..20, 20, |_, start, span| {
                let Span::Affine { count, .. } = span else { return };
                assert!(start + count <= 20);
            });
        }
    }
}
