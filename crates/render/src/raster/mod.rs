//! Rasterization: the nearest surface at each sample.
//!
//! A sample stores the nearness and the number of the visible primitive; shading follows later, once for each sample
//! ([`crate::shade`]). An image is made in bands of rows that stay in the cache, each with a list of the primitives
//! that overlap it, so that memory depends only on the width of an image.
//!
//! | module | what it fills |
//! |---|---|
//! | [`triangle`] | triangles, span by span |
//! | [`round`] | balls, cylinders and capsules, by rays |
//! | [`project`] | primitives, from the world to the image |
//! | [`bins`] | lists of primitives by band |

pub(crate) mod bins;
pub(crate) mod project;
pub(crate) mod round;
pub(crate) mod triangle;

use bins::Kind;
use project::Projected;

/// No primitive.
pub(crate) const NOTHING: u32 = u32::MAX;

/// Visibility of the samples of a band.
#[derive(Clone, Debug, Default)]
pub(crate) struct Band {
    /// First row.
    pub(crate) first: usize,
    /// Number of rows.
    pub(crate) rows: usize,
    /// Samples in a row.
    pub(crate) width: usize,
    /// Nearness by sample; −∞ for the background.
    pub(crate) near: Vec<f32>,
    /// Primitive by sample: see [`bins::Kind`].
    pub(crate) seen: Vec<u32>,
}

impl Band {
    /// Resets to an empty band of `rows` rows from `first` on.
    pub(crate) fn clear(&mut self, first: usize, rows: usize, width: usize) {
        (self.first, self.rows, self.width) = (first, rows, width);
        self.near.clear();
        self.near.resize(rows * width, f32::NEG_INFINITY);
        self.seen.clear();
        self.seen.resize(rows * width, NOTHING);
    }

    /// Enters a primitive where it is nearest.
    pub(crate) fn draw(&mut self, primitive: u32, projected: &Projected) {
        let (near, seen) = (&mut self.near, &mut self.seen);
        let (first, width) = (self.first, self.width);
        let rows = first..first + self.rows;
        visit(primitive, projected, rows, width, |row, start, span| {
            let begin = (row - first) * width + start;
            match span {
                Span::Affine { count, nearness, slope, bounds } => {
                    let (near, seen) = (&mut near[begin..begin + count], &mut seen[begin..begin + count]);
                    for (k, (n, s)) in near.iter_mut().zip(seen).enumerate() {
                        let value = (nearness + slope * k as f32).clamp(bounds[0], bounds[1]);
                        if value > *n {
                            (*n, *s) = (value, primitive);
                        }
                    }
                }
                Span::Point(value) => {
                    if value > near[begin] {
                        (near[begin], seen[begin]) = (value, primitive);
                    }
                }
            }
        });
    }
}

/// Part of a row that a primitive covers.
pub(crate) enum Span {
    /// Several samples, whose nearness is affine, within bounds.
    Affine {
        /// How many.
        count: usize,
        /// At the first.
        nearness: f32,
        /// From one to the next.
        slope: f32,
        /// Least and greatest.
        bounds: [f32; 2],
    },
    /// One sample with its nearness.
    Point(f32),
}

/// Calls `span` with row and first column for all samples in `rows` of an image of `width` samples that a primitive covers.
#[inline]
pub(crate) fn visit(
    primitive: u32,
    projected: &Projected,
    rows: core::ops::Range<usize>,
    width: usize,
    mut span: impl FnMut(usize, usize, Span),
) {
    match Kind::of(primitive) {
        Kind::Triangle(t) => {
            let corners = projected.triangles[t].corners.map(|v| projected.vertices[v as usize]);
            triangle::spans(corners, rows, width, span);
        }
        Kind::Round(r) => {
            projected.rounds[r].points(&projected.lens, rows, width, |row, column, value| {
                span(row, column, Span::Point(value));
            });
        }
        Kind::Plane(p) => projected.planes[p].spans(rows, width, span),
    }
}
