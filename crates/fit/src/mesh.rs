//! The mesh of a cable: markers are at nodes, held pairs are one edge each, and the cable between two inner markers
//! is divided into equal edges.

use crate::cable::Cable;
use glam::DVec3;

/// Nodes, edges and markers.
#[derive(Clone, Debug)]
pub struct Mesh {
    /// Edges between neighboring markers, n − 1 entries.
    pub edges_per_spacing: Vec<usize>,
    /// Node of each marker.
    pub node_of_marker: Vec<usize>,
}

impl Mesh {
    /// The mesh of `cable`.
    pub fn new(cable: &Cable) -> Self {
        let spacing = &cable.known.marker_spacing;
        let last = spacing.len() - 1;
        let count = |(k, &l): (usize, &f64)| {
            if k == 0 || k == last {
                1
            } else {
                (l / cable.numerics.edge_length - 1e-9).ceil().max(1.0) as usize
            }
        };
        let edges_per_spacing: Vec<_> = spacing.iter().enumerate().map(count).collect();
        let mut node = 0;
        let mut node_of_marker = vec![0];
        for edges in &edges_per_spacing {
            node += edges;
            node_of_marker.push(node);
        }
        Self { edges_per_spacing, node_of_marker }
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.edges_per_spacing.iter().sum::<usize>() + 1
    }

    /// The four nodes that are held.
    pub fn held_nodes(&self) -> [usize; 4] {
        let n = self.node_count();
        [0, 1, n - 2, n - 1]
    }

    /// Rest length of each edge from the lengths between markers, m.
    pub fn edge_lengths(&self, spacing: &[f64]) -> Vec<f64> {
        let pairs = self.edges_per_spacing.iter().zip(spacing);
        pairs.flat_map(|(&edges, &l)| core::iter::repeat_n(l / edges as f64, edges)).collect()
    }

    /// Nodes on a smooth curve through `markers`: cubic Hermite segments, their slopes those of the parabola through
    /// three neighbors by chord length.
    pub fn curve_through(&self, markers: &[DVec3]) -> Vec<DVec3> {
        let last = markers.len() - 1;
        let chord: Vec<f64> = markers.windows(2).map(|w| (w[1] - w[0]).length().max(1e-9)).collect();
        let secant: Vec<DVec3> = markers.windows(2).zip(&chord).map(|(w, l)| (w[1] - w[0]) / *l).collect();
        let slope = |m: usize| match m {
            0 => secant[0],
            m if m == last => secant[last - 1],
            m => (secant[m - 1] * chord[m] + secant[m] * chord[m - 1]) / (chord[m - 1] + chord[m]),
        };
        let mut nodes = vec![markers[0]];
        for (k, &edges) in self.edges_per_spacing.iter().enumerate() {
            let (a, b, l) = (markers[k], markers[k + 1], chord[k]);
            let (sa, sb) = (slope(k) * l, slope(k + 1) * l);
            for j in 1..=edges {
                let s = j as f64 / edges as f64;
                let (s2, s3) = (s * s, s * s * s);
                nodes.push(
                    a * (2.0 * s3 - 3.0 * s2 + 1.0)
                        + sa * (s3 - 2.0 * s2 + s)
                        + b * (3.0 * s2 - 2.0 * s3)
                        + sb * (s3 - s2),
                );
            }
        }
        nodes
    }
}
