//! Centerlines at the start.

use crate::table::{IntoValue, tagged, value_type};
use glam::DVec3;
use toml::Value;

/// The centerline of a rod at the start. Lengths in m, angles in rad.
///
/// ```
/// use ropewalk::prelude::*;
///
/// let straight = Curve::line(DVec3::ZERO, DVec3::X);
/// let ring = Curve::circle(DVec3::ZERO, DVec3::Z, 0.1);
/// let knot = Curve::overhand(1, 1.0, 4e-3);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Curve(pub(crate) Value);
value_type!(Curve);

impl Curve {
    /// A straight line.
    pub fn line(from: DVec3, to: DVec3) -> Self {
        Self(tagged("line", [("from", from.into_value()), ("to", to.into_value())]))
    }

    /// An arc of `angle` from `start` along `tangent`, its center towards `toward`, with straight parts of the lengths
    /// `tails` before and after it.
    pub fn arc(
        start: DVec3,
        tangent: DVec3,
        toward: DVec3,
        radius: f64,
        angle: f64,
        tails: [f64; 2],
    ) -> Self {
        let keys = [
            ("start", start.into_value()),
            ("tangent", tangent.into_value()),
            ("toward", toward.into_value()),
            ("radius", radius.into_value()),
            ("angle", angle.into_value()),
            ("tails", tails.into_value()),
        ];
        Self(tagged("arc", keys))
    }

    /// A full circle, counter-clockwise about `normal`; the rod is closed.
    pub fn circle(center: DVec3, normal: DVec3, radius: f64) -> Self {
        let keys = [
            ("center", center.into_value()),
            ("normal", normal.into_value()),
            ("radius", radius.into_value()),
        ];
        Self(tagged("circle", keys))
    }

    /// Two half circles about `centers` and two straight lines between them, as of a belt on two pulleys; the rod is
    /// closed.
    pub fn stadium(centers: [DVec3; 2], normal: DVec3, radius: f64) -> Self {
        let keys = [
            ("centers", centers.into_value()),
            ("normal", normal.into_value()),
            ("radius", radius.into_value()),
        ];
        Self(tagged("stadium", keys))
    }

    /// A right-handed helix about the line through `base` along `axis`, which starts at `base` + `radius` · `start`.
    pub fn helix(base: DVec3, axis: DVec3, start: DVec3, radius: f64, pitch: f64, turns: f64) -> Self {
        let keys = [
            ("base", base.into_value()),
            ("axis", axis.into_value()),
            ("start", start.into_value()),
            ("radius", radius.into_value()),
            ("pitch", pitch.into_value()),
            ("turns", turns.into_value()),
        ];
        Self(tagged("helix", keys))
    }

    /// A smooth curve through points.
    pub fn spline(points: impl IntoIterator<Item = DVec3>) -> Self {
        let points: Vec<DVec3> = points.into_iter().collect();
        Self(tagged("spline", [("points", points.into_value())]))
    }

    /// A loose overhand knot of order `order` in a rope of this length along x, whose strands are `gap` apart where they
    /// cross (a little more than the diameter).
    pub fn overhand(order: u32, length: f64, gap: f64) -> Self {
        let keys =
            [("order", order.into_value()), ("length", length.into_value()), ("gap", gap.into_value())];
        Self(tagged("overhand", keys))
    }

    /// Nodes. With [`Rod::segments`](crate::Rod::segments) a smooth curve is put through them.
    pub fn nodes(nodes: impl IntoIterator<Item = DVec3>) -> Self {
        let nodes: Vec<DVec3> = nodes.into_iter().collect();
        Self(Value::Table(crate::table::table([("nodes", nodes.into_value())])))
    }

    /// Nodes from a file of three columns.
    pub fn points_file(path: &str) -> Self {
        Self(Value::Table(crate::table::table([("points", path.into_value())])))
    }
}
