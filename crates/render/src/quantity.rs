//! Values on the edges of rods that color them: curvature, tension, twist.

use crate::stage::{Frame, RodFrame, RodLook, Stage};
use glam::DVec3;

/// Total turning along a rod (rad) below which it counts as straight.
const STRAIGHT: f64 = 0.05;

/// A quantity that colors the rods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuantityKind {
    /// Curvature in 1/m.
    Curvature,
    /// Tension in N, positive in pull.
    Tension,
    /// Twist in rad/m.
    Twist,
}

impl QuantityKind {
    /// All, with name and unit.
    pub const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::Curvature, "curvature", "1/m"),
        (Self::Tension, "tension", "N"),
        (Self::Twist, "twist", "rad/m"),
    ];

    /// The one of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known, _)| *known == name).map(|(kind, ..)| *kind)
    }

    /// Least and greatest value in a frame.
    pub fn range(self, stage: &Stage, frame: &Frame) -> [f64; 2] {
        Quantity::of(self, stage, frame, None).range
    }
}

/// A value on each edge of each rod, with its range.
#[derive(Clone, Debug)]
pub(crate) struct Quantity {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    /// Values by rod and edge.
    pub(crate) edges: Vec<Vec<f64>>,
    /// Least and greatest value.
    pub(crate) range: [f64; 2],
}

impl Quantity {
    /// Curvature if any rod is bent, else tension.
    pub(crate) fn choose(stage: &Stage, frame: &Frame) -> Self {
        let turning = |(look, rod): (&RodLook, &RodFrame)| -> f64 {
            curvature(look, rod).iter().zip(&look.rest_lengths).map(|(k, l)| k * l).sum()
        };
        let bent = stage.rods.iter().zip(&frame.rods).map(turning).fold(0.0, f64::max) > STRAIGHT;
        let kind = if bent { QuantityKind::Curvature } else { QuantityKind::Tension };
        Self::of(kind, stage, frame, None)
    }

    /// The values of `kind`, over `range` if given.
    pub(crate) fn of(kind: QuantityKind, stage: &Stage, frame: &Frame, range: Option<[f64; 2]>) -> Self {
        let value = match kind {
            QuantityKind::Curvature => curvature,
            QuantityKind::Tension => tension,
            QuantityKind::Twist => twist,
        };
        let edges: Vec<Vec<f64>> =
            stage.rods.iter().zip(&frame.rods).map(|(look, rod)| value(look, rod)).collect();
        let all = || edges.iter().flatten().copied().filter(|v| v.is_finite());
        let least = match kind {
            // Straight is where curvature begins.
            QuantityKind::Curvature => 0.0,
            _ => all().reduce(f64::min).unwrap_or(0.0),
        };
        let range = range.unwrap_or([least, all().reduce(f64::max).unwrap_or(0.0)]);
        let (_, name, unit) = QuantityKind::ALL[kind as usize];
        Self { name, unit, edges, range }
    }

    /// Position of `value` in the range: from 0 to 1.
    pub(crate) fn fraction(&self, value: f64) -> f64 {
        let span = self.range[1] - self.range[0];
        if span > 0.0 { (value - self.range[0]) / span } else { 0.0 }
    }
}

/// Nodes between two edges, with those edges.
fn stencils(look: &RodLook) -> impl Iterator<Item = (usize, usize, usize)> {
    let edges = look.edge_count();
    let first = usize::from(!look.closed);
    (first..edges).map(move |j| (j, if j == 0 { edges - 1 } else { j - 1 }, j))
}

fn tangent(look: &RodLook, rod: &RodFrame, e: usize) -> DVec3 {
    (rod.nodes[look.edge_end(e)] - rod.nodes[e]).normalize_or_zero()
}

/// Means over the two nodes of each edge of values at nodes between edges.
fn at_edges(look: &RodLook, at_node: impl Fn(usize, usize, usize) -> f64) -> Vec<f64> {
    let mut nodes = vec![None; look.node_count()];
    for (j, before, after) in stencils(look) {
        let length = 0.5 * (look.rest_lengths[before] + look.rest_lengths[after]);
        nodes[j] = Some(at_node(j, before, after) / length);
    }
    (0..look.edge_count())
        .map(|e| match (nodes[e], nodes[look.edge_end(e)]) {
            (Some(a), Some(b)) => 0.5 * (a + b),
            (Some(k), None) | (None, Some(k)) => k,
            (None, None) => 0.0,
        })
        .collect()
}

/// Curvature of each edge in 1/m.
fn curvature(look: &RodLook, rod: &RodFrame) -> Vec<f64> {
    at_edges(look, |_, before, after| {
        let (a, b) = (tangent(look, rod, before), tangent(look, rod, after));
        // |κ| = 2 |t × t'| / (1 + t·t').
        2.0 * a.cross(b).length() / (1.0 + a.dot(b)).max(1e-6)
    })
}

/// Twist of each edge in rad/m: the angle between directors, with parallel transport from one to the other.
fn twist(look: &RodLook, rod: &RodFrame) -> Vec<f64> {
    if rod.directors.len() < look.edge_count() {
        return vec![0.0; look.edge_count()];
    }
    at_edges(look, |_, before, after| {
        let (a, b) = (tangent(look, rod, before), tangent(look, rod, after));
        let carried = glam::DQuat::from_rotation_arc(a, b) * rod.directors[before];
        let found = rod.directors[after];
        carried.cross(found).dot(b).atan2(carried.dot(found))
    })
}

/// Tension of each edge in N; zero where it is not known.
fn tension(look: &RodLook, rod: &RodFrame) -> Vec<f64> {
    match rod.tension.len() == look.edge_count() {
        true => rod.tension.clone(),
        false => vec![0.0; look.edge_count()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::rod as color;

    #[test]
    fn a_twisted_ring_has_the_curvature_and_twist_that_it_was_given() {
        let (n, radius, turns) = (200, 0.5, 3.0);
        let turn = core::f64::consts::TAU / f64::from(n);
        let at = |i: f64| DVec3::new((i * turn).cos(), (i * turn).sin(), 0.0);
        let nodes: Vec<DVec3> = (0..n).map(|i| radius * at(f64::from(i))).collect();
        let director = |i: i32| {
            let (sin, cos) = (turns * turn * f64::from(i)).sin_cos();
            at(f64::from(i) + 0.5) * cos + DVec3::Z * sin
        };
        let length = 2.0 * radius * (0.5 * turn).sin();
        let look = RodLook {
            name: "ring".to_owned(),
            closed: true,
            half_extents: vec![[0.01; 2]; n as usize],
            rest_lengths: vec![length; n as usize],
            color: color(0),
        };
        let rod = RodFrame { nodes, directors: (0..n).map(director).collect(), tension: Vec::new() };
        for k in curvature(&look, &rod) {
            assert!((k - 1.0 / radius).abs() < 1e-3 / radius, "{k}");
        }
        // Directors turn from outwards to up, which is left-handed about the counter-clockwise tangent.
        for t in twist(&look, &rod) {
            assert!((t + turns / radius).abs() < 1e-3 * turns / radius, "{t}");
        }
    }
}
