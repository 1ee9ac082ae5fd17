//! The initial state from the first two frames of a run: nodes at the markers, projected on the rest lengths.
//!
//! Markers are measured to some 0.3 mm and slide on the cable by millimeters. A stiff rod that starts from measured
//! positions would be overstretched, so both frames are projected on the rest lengths *before* their difference is
//! taken as a velocity:
//!
//! x ← x + W⁻¹Jᵀλ with J W⁻¹Jᵀ λ = l̄ − l(x), until |x_{i+1} − x_i| = l̄_i for all edges,
//!
//! starting from nodes on a curve through the markers ([`crate::mesh::Mesh::curve_through`]), with weights W of 1 for
//! markers and [`BETWEEN_WEIGHT`] for nodes between them; the held nodes stay. Each iteration is the smallest
//! weighted change that satisfies the lengths to first order.
//!
//! Where markers sit on the cable differs by some millimeters from run to run. With `spacing_share` = s the rest length
//! between two inner markers is (1 − s) f L + s a: L the known spacing, f the length factor, a the mean length of that curve in
//! the two frames.

use crate::cable::Cable;
use crate::error::FitError;
use crate::mesh::Mesh;
use glam::DVec3;
use ropewalk_rod::RodState;

/// Weight of a node between markers, against 1 of a marker.
pub const BETWEEN_WEIGHT: f64 = 0.1;
/// Most iterations of the projection.
const MOST_ITERATIONS: usize = 200;
/// Relative tolerance of edge lengths.
const LENGTH_TOLERANCE: f64 = 1e-9;

/// Nodes in the first two frames, and the rest lengths.
#[derive(Clone, Debug)]
pub struct Start {
    /// Rest length of each edge, m.
    pub edge_lengths: Vec<f64>,
    /// Nodes in frame 0, m.
    pub before: Vec<DVec3>,
    /// Nodes in frame 1, m.
    pub now: Vec<DVec3>,
}

impl Start {
    /// The start of a run from two successive frames of markers; held markers are to be filtered. `run` is for messages.
    pub fn new(cable: &Cable, mesh: &Mesh, frames: [&[DVec3]; 2], run: &str) -> Result<Self, FitError> {
        let curves = frames.map(|markers| mesh.curve_through(markers));
        let spacing = spacing_of_run(cable, mesh, &curves);
        let edge_lengths = mesh.edge_lengths(&spacing);
        let [before, now] = curves;
        let project = |nodes: Vec<DVec3>, frame: usize| {
            project(mesh, &edge_lengths, nodes).map_err(|worst| {
                FitError::mismatch(
                    format!(
                        "run '{run}', frame {frame}: the markers cannot be brought to the lengths of the cable (an edge stays off by {:.0} %)",
                        100.0 * worst
                    ),
                    "check the order and the unit of the markers, and that this is the cable of the file",
                )
            })
        };
        let (before, now) = (project(before, 0)?, project(now, 1)?);
        Ok(Self { edge_lengths, before, now })
    }

    /// Gives the nodes of `state` the velocities with which they went from frame 0 to frame 1, `frame_time` later.
    pub(crate) fn set_velocities(&self, state: &mut RodState, frame_time: f64) {
        for ((v, a), b) in state.v.iter_mut().zip(&self.before).zip(&self.now) {
            v[..3].copy_from_slice(&((*b - *a) / frame_time).to_array());
        }
    }
}

/// Rest lengths between markers for this run, m.
fn spacing_of_run(cable: &Cable, mesh: &Mesh, curves: &[Vec<DVec3>; 2]) -> Vec<f64> {
    let p = &cable.parameters;
    let share = p.spacing_share.min(1.0);
    let spacing = &cable.known.marker_spacing;
    let last = spacing.len() - 1;
    let along = |nodes: &[DVec3], k: usize| -> f64 {
        let part = &nodes[mesh.node_of_marker[k]..=mesh.node_of_marker[k + 1]];
        part.windows(2).map(|w| (w[1] - w[0]).length()).sum()
    };
    let of = |(k, &l): (usize, &f64)| {
        if k == 0 || k == last {
            return l;
        }
        let seen = 0.5 * (along(&curves[0], k) + along(&curves[1], k));
        (1.0 - share) * p.length_factor * l + share * seen
    };
    spacing.iter().enumerate().map(of).collect()
}

/// Projects `nodes` on the edge lengths; the error is the greatest remaining relative deviation.
pub fn project(mesh: &Mesh, edge_lengths: &[f64], nodes: Vec<DVec3>) -> Result<Vec<DVec3>, f64> {
    let n = nodes.len();
    let mut inverse_weight = vec![1.0 / BETWEEN_WEIGHT; n];
    for &node in &mesh.node_of_marker {
        inverse_weight[node] = 1.0;
    }
    for node in mesh.held_nodes() {
        inverse_weight[node] = 0.0;
    }
    let mut x = nodes;
    // Edges 1 … n−3: those of the held pairs have their measured lengths.
    let (first, count) = (1, n - 3);
    let mut worst = f64::INFINITY;
    for _ in 0..MOST_ITERATIONS {
        let tangents: Vec<DVec3> =
            (first..first + count).map(|e| (x[e + 1] - x[e]).normalize_or_zero()).collect();
        let mut diagonal = Vec::with_capacity(count);
        let mut next = Vec::with_capacity(count);
        let mut rhs = Vec::with_capacity(count);
        worst = 0.0f64;
        for (k, t) in tangents.iter().enumerate() {
            let e = first + k;
            let length = (x[e + 1] - x[e]).length();
            worst = worst.max((length / edge_lengths[e] - 1.0).abs());
            diagonal.push(inverse_weight[e] + inverse_weight[e + 1]);
            next.push(if k + 1 < count { -inverse_weight[e + 1] * t.dot(tangents[k + 1]) } else { 0.0 });
            rhs.push(edge_lengths[e] - length);
        }
        if worst < LENGTH_TOLERANCE {
            return Ok(x);
        }
        if !solve_tridiagonal(&mut diagonal, &next, &mut rhs) {
            return Err(worst);
        }
        for (k, t) in tangents.iter().enumerate() {
            let e = first + k;
            x[e] -= *t * (inverse_weight[e] * rhs[k]);
            x[e + 1] += *t * (inverse_weight[e + 1] * rhs[k]);
        }
    }
    // The remaining error is far below the accuracy of markers.
    if worst < 1e-3 { Ok(x) } else { Err(worst) }
}

/// Solves a symmetric tridiagonal system in place; `false` if a pivot vanishes.
fn solve_tridiagonal(diagonal: &mut [f64], next: &[f64], rhs: &mut [f64]) -> bool {
    let n = diagonal.len();
    for i in 1..n {
        let factor = next[i - 1] / diagonal[i - 1];
        diagonal[i] -= factor * next[i - 1];
        rhs[i] -= factor * rhs[i - 1];
    }
    for i in (0..n).rev() {
        let above = if i + 1 < n { next[i] * rhs[i + 1] } else { 0.0 };
        rhs[i] = (rhs[i] - above) / diagonal[i];
    }
    rhs.iter().all(|x| x.is_finite())
}
