//! The value that colours the rods: curvature, or tension where nothing is bent.

use glam::DVec3;
use ropewalk_rod::Rod;
use ropewalk_sim::Model;

/// Turning along a rod (rad) below which it counts as straight.
const STRAIGHT: f64 = 0.05;

/// A value on each edge of each rod, with its range.
#[derive(Clone, Debug)]
pub(super) struct Quantity {
    /// Name, for the legend.
    pub(super) name: &'static str,
    /// Unit.
    pub(super) unit: &'static str,
    /// Values by rod and edge.
    pub(super) edges: Vec<Vec<f64>>,
    /// Least and greatest value.
    pub(super) range: [f64; 2],
}

impl Quantity {
    /// Curvature if any rod is bent, else tension.
    pub(super) fn choose(model: &Model, rods: &[Vec<DVec3>]) -> Self {
        let turning = |(rod, nodes): (&Rod, &Vec<DVec3>)| -> f64 {
            curvature(rod, nodes).iter().zip(rod.rest_lengths()).map(|(k, l)| k * l).sum()
        };
        if model.rods.iter().zip(rods).map(turning).fold(0.0, f64::max) > STRAIGHT {
            let mut quantity = Self::over("curvature", "1/m", model, rods, curvature);
            // Straight is where curvature begins.
            quantity.range[0] = 0.0;
            quantity
        } else {
            Self::over("tension", "N", model, rods, tension)
        }
    }

    fn over(
        name: &'static str,
        unit: &'static str,
        model: &Model,
        rods: &[Vec<DVec3>],
        value: fn(&Rod, &[DVec3]) -> Vec<f64>,
    ) -> Self {
        let edges: Vec<Vec<f64>> =
            model.rods.iter().zip(rods).map(|(rod, nodes)| value(rod, nodes)).collect();
        let all = || edges.iter().flatten().copied();
        let range = [all().reduce(f64::min).unwrap_or(0.0), all().reduce(f64::max).unwrap_or(0.0)];
        Self { name, unit, edges, range }
    }

    /// Where `value` lies in the range: from 0 to 1.
    pub(super) fn fraction(&self, value: f64) -> f64 {
        let span = self.range[1] - self.range[0];
        if span > 0.0 { (value - self.range[0]) / span } else { 0.0 }
    }
}

/// Curvature of each edge in 1/m: the mean of those of its two nodes.
fn curvature(rod: &Rod, nodes: &[DVec3]) -> Vec<f64> {
    let tangent = |e: usize| (nodes[rod.edge_end(e)] - nodes[e]).normalize_or_zero();
    let mut at_node = vec![None; rod.node_count()];
    for j in rod.stencils() {
        let (a, b) = (tangent(rod.edge_before(j)), tangent(j));
        // |κ| = 2 |t × t'| / (1 + t·t').
        let turn = 2.0 * a.cross(b).length() / (1.0 + a.dot(b)).max(1e-6);
        at_node[j] = Some(turn / rod.voronoi_lengths()[j]);
    }
    (0..rod.edge_count())
        .map(|e| match (at_node[e], at_node[rod.edge_end(e)]) {
            (Some(a), Some(b)) => 0.5 * (a + b),
            (Some(k), None) | (None, Some(k)) => k,
            (None, None) => 0.0,
        })
        .collect()
}

/// Tension of each edge in N, positive in pull.
fn tension(rod: &Rod, nodes: &[DVec3]) -> Vec<f64> {
    (0..rod.edge_count())
        .map(|e| {
            let length = (nodes[rod.edge_end(e)] - nodes[e]).length();
            rod.stretch_stiffness()[e] * (length / rod.rest_lengths()[e] - 1.0)
        })
        .collect()
}
