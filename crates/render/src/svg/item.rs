//! Items of a picture: lines and outlines, with their extent and depth.

use super::bodies::hull;
use super::canvas::{Canvas, Fill, Stroke};
use super::strokes::{place, shortened};
use crate::camera::Lens;
use crate::color::{Color, shade_color};
use crate::geometry::Round;
use glam::DVec3;

/// Width of the line about a body, and of a link without shape, in px.
const EDGE: f64 = 1.2;
const BONE: f64 = 4.0;

/// An item, drawn as a unit.
pub(super) struct Item {
    /// Points in the camera's frame: of a line, or on an outline.
    pub(super) points: Vec<DVec3>,
    /// Mean depth in m.
    pub(super) depth: f64,
    /// Its kind.
    pub(super) look: Look,
}

/// Kind of an item.
pub(super) enum Look {
    /// Part of a rod, of one shade.
    Line {
        /// Shade of its color.
        shade: u32,
        /// Width in px.
        width: f64,
    },
    /// A link without shape.
    Bone {
        /// Its color.
        color: Color,
    },
    /// A triangle.
    Facet {
        /// Its color.
        color: Color,
    },
    /// The hull of the points.
    Outline {
        /// Its color.
        color: Color,
        /// The solid itself, in the camera's frame, if it is round: for its depth.
        front: Option<Round>,
    },
}

impl Item {
    /// Draws it. A rod lies on a white line that is a little wider, so that crossings show which strand is in front.
    pub(super) fn draw(&self, canvas: &mut Canvas, lens: &Lens, opacity: f64) {
        let points: Vec<(f64, f64)> = self.points.iter().map(|p| place(lens, *p)).collect();
        match &self.look {
            Look::Line { shade, width } => {
                // The rim ends before the piece does, so that it does not cover its neighbors.
                if let Some(inner) = shortened(&points, *width) {
                    let rim = Stroke { color: "#ffffff", width: width + 2.0, opacity: 1.0 };
                    canvas.polyline(&inner, false, &rim);
                }
                let stroke = Stroke { color: &shade_color(*shade).hex(), width: *width, opacity };
                canvas.polyline(&points, false, &stroke);
            }
            Look::Bone { color } => {
                canvas.polyline(&points, false, &Stroke { color: &color.hex(), width: BONE, opacity });
            }
            Look::Facet { color } => fill(canvas, &points, *color, opacity),
            Look::Outline { color, .. } => {
                let outline: Vec<_> = hull(&points).into_iter().map(|i| points[i]).collect();
                fill(canvas, &outline, *color, opacity);
            }
        }
    }
}

fn fill(canvas: &mut Canvas, points: &[(f64, f64)], color: Color, opacity: f64) {
    let edge = color.mixed(Color::rgb8(20, 28, 40), 0.45).hex();
    let opacity = opacity * f64::from(color.alpha);
    canvas.polygon(points, &Fill { color: &color.hex(), edge: &edge, width: EDGE, opacity });
}
