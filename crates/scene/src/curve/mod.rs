//! Curves by arclength, and nodes along them.

pub(crate) mod overhand;
pub(crate) mod points;
pub(crate) mod round;
pub(crate) mod spline;

use crate::spec::HalfEdgeSpec;
use glam::DVec3;

/// A curve parametrised by its arclength s in m.
pub(crate) trait Curve {
    /// Length in m.
    fn length(&self) -> f64;
    /// Point at s.
    fn point(&self, s: f64) -> DVec3;
    /// Unit tangent at s.
    fn tangent(&self, s: f64) -> DVec3;
}

/// A straight line.
pub(crate) struct Line {
    pub(crate) from: DVec3,
    pub(crate) to: DVec3,
}

impl Curve for Line {
    fn length(&self) -> f64 {
        (self.to - self.from).length()
    }
    fn point(&self, s: f64) -> DVec3 {
        self.from + self.tangent(s) * s
    }
    fn tangent(&self, _: f64) -> DVec3 {
        (self.to - self.from) / self.length()
    }
}

/// Nodes of `segments` edges along `curve`, equally spaced in arclength.
///
/// An end that `half` names lies in the middle of its edge, whose two nodes are at ∓h/2 along the tangent: a clamp on
/// that edge then fixes position and tangent exactly at the end of the curve, and lengths from there need no
/// correction. With e such ends, h = length/(segments − e/2).
pub(crate) fn nodes_along(
    curve: &dyn Curve,
    segments: usize,
    closed: bool,
    half: HalfEdgeSpec,
) -> Vec<DVec3> {
    let length = curve.length();
    if closed {
        let h = length / segments as f64;
        return (0..segments).map(|i| curve.point(i as f64 * h)).collect();
    }
    let at_start = matches!(half, HalfEdgeSpec::Start | HalfEdgeSpec::Both);
    let at_end = matches!(half, HalfEdgeSpec::End | HalfEdgeSpec::Both);
    let halves = 0.5 * (f64::from(u8::from(at_start)) + f64::from(u8::from(at_end)));
    let h = length / (segments as f64 - halves);
    let first = if at_start { -0.5 * h } else { 0.0 };
    let mut nodes: Vec<DVec3> =
        (0..=segments).map(|i| curve.point((first + i as f64 * h).clamp(0.0, length))).collect();
    if at_start {
        let (p, t) = (curve.point(0.0), curve.tangent(0.0));
        nodes[0] = p - t * (0.5 * h);
        nodes[1] = p + t * (0.5 * h);
    }
    if at_end {
        let (p, t) = (curve.point(length), curve.tangent(length));
        nodes[segments - 1] = p - t * (0.5 * h);
        nodes[segments] = p + t * (0.5 * h);
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_in_the_middle_of_an_edge_keep_the_length_between_them() {
        let line = Line { from: DVec3::ZERO, to: DVec3::new(0.0, 2.0, 0.0) };
        for (half, start, end) in [
            (HalfEdgeSpec::None, 0.0, 0.0),
            (HalfEdgeSpec::Start, 0.5, 0.0),
            (HalfEdgeSpec::End, 0.0, 0.5),
            (HalfEdgeSpec::Both, 0.5, 0.5),
        ] {
            let nodes = nodes_along(&line, 10, false, half);
            let h = (nodes[1] - nodes[0]).length();
            for pair in nodes.windows(2) {
                assert!(((pair[1] - pair[0]).length() - h).abs() < 1e-14, "{half:?}");
            }
            assert!((nodes[0].y + start * h).abs() < 1e-14);
            assert!((nodes[10].y - 2.0 - end * h).abs() < 1e-14);
        }
    }
}
