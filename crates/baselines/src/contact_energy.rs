//! A rope that a smooth penalty keeps apart, in implicit steps: the implicit contact method of Choi et al. (2021) and Tong et
//! al. (2023), as published (see [`crate::penalty`]).
//!
//! A step of backward Euler is solved by Newton's method with the exact Hessian of the penalty, from a tenth of the last
//! velocities; after ten iterations steps are shortened by a tenth each, down to a tenth. It has converged when the
//! force that is left is below 10⁻³ EI/L², or below 10⁻³ of that of the first iteration. Pairs of edges are candidates if they are near
//! at the start of the step. Nothing looks whether edges have passed through one another.
//!
//! The stiffness k is published in two ways: 10⁵ times the greatest force that is not of contact on a node of a candidate, of which
//! each step takes a tenth, and nine tenths of the one before; or a constant. One thing differs from the publications: where the tangent of the rod alone is not
//! positive definite, negative eigenvalues of its stencils are taken out, since the banded factor needs that.

use crate::edge_distance::EdgeDistance;
use crate::low_rank::{self, Place};
use crate::penalty::{friction, penalty};
use crate::settings::{Outcome, Report, Settings, Stiffness};
use crate::sparse_solve::{self, Piece};
use glam::DVec3;
use ropewalk_linalg::block_pentadiagonal::PentaFactor;
use ropewalk_rod::kernel::Scales;
use ropewalk_rod::momentum_balance::{RodMotion, StepWeights};
use ropewalk_rod::{Rod, RodHistory, RodState};

/// Friction of a pair, from the end of the step before.
#[derive(Clone, Copy, Debug)]
struct Lagged {
    pair: [usize; 2],
    shares: [f64; 4],
    normal: DVec3,
    force: f64,
}

/// A rope of this method.
#[derive(Clone, Debug)]
pub struct ContactEnergyRope {
    rod: Rod,
    /// Its state.
    pub state: RodState,
    settings: Settings,
    radius: f64,
    driven: Vec<(usize, DVec3)>,
    motion: RodMotion,
    history: RodHistory,
    factor: PentaFactor,
    candidates: Vec<[usize; 2]>,
    lagged: Vec<Lagged>,
    tolerance: f64,
    stiffness: f64,
    pulls: Vec<DVec3>,
}

impl ContactEnergyRope {
    /// A rope of one round section whose nodes `driven` move at given velocities (m/s).
    pub fn new(rod: Rod, state: RodState, settings: Settings, driven: Vec<(usize, DVec3)>) -> Self {
        let radius = rod.half_extents().first().map_or(0.0, |[a, _]| *a);
        let bend =
            rod.bend_stiffness(0).iter().zip(rod.voronoi_lengths()).fold(0.0, |m: f64, (k, l)| m.max(k * l));
        let tolerance = 1e-3 * bend / rod.total_rest_length().powi(2);
        Self {
            motion: RodMotion::new(&rod),
            history: RodHistory::none(&rod),
            factor: PentaFactor::new(rod.node_count(), rod.closed()),
            candidates: Vec::new(),
            lagged: Vec::new(),
            stiffness: 0.0,
            pulls: vec![DVec3::ZERO; driven.len()],
            radius,
            tolerance,
            rod,
            state,
            settings,
            driven,
        }
    }

    /// Forces with which the driven nodes are held, N, in the last step.
    pub fn pulls(&self) -> &[DVec3] {
        &self.pulls
    }

    /// Takes a step.
    pub fn step(&mut self) -> Report {
        let weights = StepWeights { dt: self.settings.dt, theta: 1.0, theta_vq: 1.0 };
        self.find_candidates();
        for (v, before) in self.motion.v.iter_mut().zip(&self.state.v) {
            *v = before.map(|x| 0.1 * x);
        }
        for &(node, velocity) in &self.driven {
            for k in 0..3 {
                self.motion.held[node][k] = true;
                self.motion.v[node][k] = velocity[k];
            }
        }
        self.motion.begin(&self.rod, &self.state, weights);
        let mut report = self.blank_report();
        let (mut fraction, mut first) = (1.0, 0.0);
        for iteration in 0..=self.settings.max_iterations {
            report.iterations = iteration;
            self.motion.linearize(&self.rod, &self.state, weights);
            if iteration == 0 {
                self.update_stiffness();
            }
            let Some(pieces) = self.add_contacts(&mut report) else {
                report.outcome = Outcome::NotFinite;
                return report;
            };
            let left = self.force_left();
            if iteration == 0 {
                first = left;
            }
            if !left.is_finite() {
                report.outcome = Outcome::NotFinite;
                return report;
            }
            if left <= self.tolerance || (iteration > 0 && left <= 1e-3 * first) {
                self.finish(weights, &mut report);
                return report;
            }
            if iteration >= 10 {
                fraction = f64::max(0.9 * fraction, 0.1);
            }
            if !self.advance_iterate(weights, &pieces, fraction) {
                report.outcome = Outcome::NotFinite;
                return report;
            }
        }
        report
    }

    fn blank_report(&self) -> Report {
        Report {
            outcome: Outcome::NotConverged,
            iterations: 0,
            contacts: 0,
            contact_energy: 0.0,
            elastic_energy: 0.0,
            stiffness: self.stiffness,
            least_distance: f64::INFINITY,
        }
    }

    /// Pairs of edges that are near at the start of the step. Neighbors along the rod, up to π/2 diameters and a segment away, are
    /// none.
    fn find_candidates(&mut self) {
        self.candidates.clear();
        let limit = 2.0 * self.radius + self.settings.reach;
        let lengths = self.rod.rest_lengths();
        let apart = core::f64::consts::PI * self.radius;
        let nodes: Vec<DVec3> = (0..self.rod.node_count()).map(|i| self.state.position(i)).collect();
        for i in 0..lengths.len() {
            let mut between = 0.0;
            for j in i + 2..lengths.len() {
                between += lengths[j - 1];
                if between < apart + lengths[j] {
                    continue;
                }
                let half = 0.5 * (lengths[i] + lengths[j]);
                let middles = 0.5 * (nodes[i] + nodes[i + 1] - nodes[j] - nodes[j + 1]);
                // Edges may be stretched: twice as far as they could be at rest.
                if middles.length() > limit + 2.0 * half {
                    continue;
                }
                let ends = [nodes[i], nodes[i + 1], nodes[j], nodes[j + 1]];
                if EdgeDistance::of(&ends).is_none_or(|found| found.distance < limit) {
                    self.candidates.push([i, j]);
                }
            }
        }
    }

    fn update_stiffness(&mut self) {
        self.stiffness = match self.settings.stiffness {
            Stiffness::Constant(k) => k,
            Stiffness::OfForce(factor) => {
                let nodes = self.candidates.iter().flat_map(|&[i, j]| [i, i + 1, j, j + 1]);
                let free = nodes.filter(|&i| !self.motion.held[i][0]);
                let force =
                    |i: usize| DVec3::from_slice(&self.motion.residual[i]).length() / self.settings.dt;
                let greatest = free.map(force).fold(0.0, f64::max);
                if self.candidates.is_empty() {
                    self.stiffness
                } else if self.stiffness == 0.0 {
                    factor * greatest
                } else {
                    0.9 * self.stiffness + 0.1 * factor * greatest
                }
            }
        };
    }

    /// Where a node is at the iterate.
    fn position(&self, node: usize) -> DVec3 {
        let dt = self.settings.dt;
        self.state.position(node) + dt * DVec3::from_slice(&self.motion.v[node])
    }

    /// Adds contacts to the residual; gives their tangents. `None` if two centerlines touch.
    fn add_contacts(&mut self, report: &mut Report) -> Option<Vec<Piece>> {
        let Settings { dt, delta, friction: mu, slip_speed, .. } = self.settings;
        let (scale, width) = (1.0 / self.radius, delta / self.radius);
        (report.contacts, report.contact_energy, report.least_distance) = (0, 0.0, f64::INFINITY);
        report.stiffness = self.stiffness;
        let mut pieces: Vec<Piece> = Vec::new();
        for &[i, j] in &self.candidates {
            let nodes = [i, i + 1, j, j + 1];
            let found = EdgeDistance::of(&nodes.map(|n| self.position(n)))?;
            report.least_distance = report.least_distance.min(found.distance);
            let [energy, slope, bend] = penalty(scale * found.distance, width);
            if slope == 0.0 {
                continue;
            }
            report.contacts += 1;
            report.contact_energy += self.stiffness * self.radius * energy;
            let first = dt * self.stiffness * slope;
            let gradient = found.gradient();
            for k in 0..12 {
                self.motion.residual[nodes[k / 3]][k % 3] += first * gradient[k];
            }
            let mut hessian = [[0.0; 12]; 12];
            found.add_hessian(dt * first, dt * dt * self.stiffness * scale * bend, &mut hessian);
            pieces.push((nodes, hessian));
        }
        if mu > 0.0 {
            for lag in &self.lagged {
                let nodes = [lag.pair[0], lag.pair[0] + 1, lag.pair[1], lag.pair[1] + 1];
                let sum = nodes
                    .iter()
                    .zip(lag.shares)
                    .fold(DVec3::ZERO, |sum, (&n, w)| sum + w * DVec3::from_slice(&self.motion.v[n]));
                let (force, d) = friction(sum - sum.dot(lag.normal) * lag.normal, slip_speed);
                let size = dt * mu * lag.force;
                let mut tangent = [[0.0; 12]; 12];
                for k in 0..12 {
                    self.motion.residual[nodes[k / 3]][k % 3] -= size * lag.shares[k / 3] * force[k % 3];
                    for l in 0..12 {
                        tangent[k][l] = size * lag.shares[k / 3] * lag.shares[l / 3] * d[k % 3][l % 3];
                    }
                }
                pieces.push((nodes, tangent));
            }
        }
        Some(pieces)
    }

    /// The degrees of freedom of pieces of a tangent, and their sum on them.
    fn gather(&self, pieces: &[Piece]) -> (Vec<Place>, Vec<f64>) {
        let mut nodes: Vec<usize> = pieces.iter().flat_map(|(nodes, _)| *nodes).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.retain(|&n| !self.motion.held[n][0]);
        let places: Vec<Place> = nodes.iter().flat_map(|&n| [(n, 0), (n, 1), (n, 2)]).collect();
        let mut sum = vec![0.0; places.len() * places.len()];
        for (of, piece) in pieces {
            let at = of.map(|n| nodes.binary_search(&n).ok());
            for k in 0..12 {
                for l in 0..12 {
                    if let (Some(a), Some(b)) = (at[k / 3], at[l / 3]) {
                        sum[(3 * a + k % 3) * places.len() + 3 * b + l % 3] += piece[k][l];
                    }
                }
            }
        }
        (places, sum)
    }

    /// Norm of the force that is left, N.
    fn force_left(&self) -> f64 {
        let pairs = self.motion.residual.iter().zip(&self.motion.held);
        let squares =
            pairs.flat_map(|(r, held)| (0..4).map(move |k| if held[k] { 0.0 } else { r[k] * r[k] }));
        squares.sum::<f64>().sqrt() / self.settings.dt
    }

    /// Goes a fraction of Newton's step. By a sparse factor where the tangent is positive definite; else as it is, by one that needs
    /// only that of the rod to be so.
    fn advance_iterate(&mut self, weights: StepWeights, pieces: &[Piece], fraction: f64) -> bool {
        let pairs = self.motion.residual.iter().zip(&self.motion.held);
        let mut direction: Vec<[f64; 4]> =
            pairs.map(|(r, held)| core::array::from_fn(|k| if held[k] { 0.0 } else { -r[k] })).collect();
        let held = |node: usize| self.motion.held[node][0];
        if !sparse_solve::solve(&self.motion.tangent, pieces, held, &mut direction)
            && !self.solve_indefinite(weights, pieces, &mut direction)
        {
            return false;
        }
        for (v, d) in self.motion.v.iter_mut().zip(&direction) {
            for k in 0..4 {
                v[k] += fraction * d[k];
            }
        }
        true
    }

    fn solve_indefinite(
        &mut self,
        weights: StepWeights,
        pieces: &[Piece],
        direction: &mut [[f64; 4]],
    ) -> bool {
        if self.factor.factor(&self.motion.tangent).is_err() {
            self.motion.make_positive(&self.rod, &self.state, weights);
            if self.factor.factor(&self.motion.tangent).is_err() {
                return false;
            }
        }
        let (places, hessian) = self.gather(pieces);
        low_rank::solve(&mut self.factor, &places, &hessian, direction)
    }

    /// Ends a step that has converged.
    fn finish(&mut self, weights: StepWeights, report: &mut Report) {
        report.outcome = Outcome::Converged;
        for (pull, (node, _)) in self.pulls.iter_mut().zip(&self.driven) {
            *pull = DVec3::from_slice(&self.motion.residual[*node]) / weights.dt;
        }
        self.motion.advance(&self.rod, &mut self.state, weights, &mut self.history);
        self.motion.kernel.start_from(&self.rod, &self.state);
        let scales = Scales { gradient: 1.0, hessian: 1.0 };
        let found = self.motion.kernel.evaluate(&self.rod, &self.state.natural, &self.state.q, scales, None);
        report.elastic_energy = found.energies.total();
        self.lagged.clear();
        if self.settings.friction > 0.0 {
            let scale = 1.0 / self.radius;
            for &pair in &self.candidates {
                let nodes = [pair[0], pair[0] + 1, pair[1], pair[1] + 1].map(|n| self.state.position(n));
                let Some(found) = EdgeDistance::of(&nodes) else { continue };
                let force = -self.stiffness * penalty(scale * found.distance, self.settings.delta * scale)[1];
                if force > 0.0 {
                    self.lagged.push(Lagged { pair, shares: found.shares(), normal: found.normal, force });
                }
            }
        }
    }
}
