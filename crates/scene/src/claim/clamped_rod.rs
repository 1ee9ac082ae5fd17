//! The free end of a rod that is clamped at the other end: an extensible Kirchhoff rod at rest.
//!
//! ξ runs from the middle of the clamped edge (where a clamp holds the tangent) to the free end, along
//! (σ = 1) or against (σ = −1) the rod's own direction. N and M are the force and moment that the part
//! beyond ξ exerts:
//!
//! dr/dξ = σ (1 + ε) t,  ε = σ N·t/EA
//! dN/dξ = −ρA g, less the point loads at their nodes,  N = 0 at the free end
//! dM/dξ = −dr/dξ × N,  M = 0 at the free end
//! dm/dξ = σ u × m for each director, u = κ₁ m₂ − κ₂ m₁ + τ t
//! EI₁ (κ₁ − κ̄₁) = σ M·m₂,  EI₂ (κ₂ − κ̄₂) = −σ M·m₁,  GJ (τ − τ̄) = σ M·t
//!
//! N follows from the weight beyond. M at the clamp is found by shooting: Newton's method on M = 0 at the
//! free end, with the loads raised in steps. The equations are integrated with the classical
//! Runge–Kutta method over each half edge, on which stiffness and natural shape are constant.
//! Source: Antman, Nonlinear Problems of Elasticity, ch. VIII; for the planar case Timoshenko and Gere,
//! Theory of Elastic Stability, ch. 2.
//!
//! | symbol | name | unit |
//! |---|---|---|
//! | r, m₁, t | `r`, `m1`, `t` | m, 1, 1 |
//! | N, M | `force`, `moment` | N, N·m |
//! | κ̄₁, κ̄₂, τ̄ | `natural` | 1/m |

use super::{Finding, RunRecord};
use glam::{DMat3, DVec3};
use ropewalk_rod::{Rod, RodState};
use ropewalk_sim::{Hold, LoadKind, Model};

/// Runge–Kutta steps over the rod, at least.
const LEAST_STEPS: usize = 400;
/// Part of the load by which it is raised at first, and the smallest that is tried.
const FIRST_RAISE: f64 = 0.02;
const LEAST_RAISE: f64 = 1e-4;

/// Half an edge.
struct Piece {
    length: f64,
    stretch: f64,
    bend: [f64; 2],
    twist: f64,
    natural: [f64; 3],
    /// Weight per length in N/m at full load.
    weight: DVec3,
    /// Point load at its far end in N.
    load: DVec3,
}

#[derive(Clone, Copy)]
struct Section {
    r: DVec3,
    m1: DVec3,
    t: DVec3,
    moment: DVec3,
}

struct Problem {
    pieces: Vec<Piece>,
    sigma: f64,
    start: Section,
    total: DVec3,
    steps_per_piece: usize,
    moment_scale: f64,
}

/// Tip of the rod from the middle of the clamped edge along `along`, in theory and in the run; `None` if
/// no equilibrium was found.
pub(super) fn evaluate(run: &RunRecord<'_>, clamp: usize, along: DVec3) -> Option<Finding> {
    let clamp = &run.model.clamps[clamp];
    let (rod, state) = (&run.model.rods[clamp.rod], &run.end.rods[clamp.rod]);
    let problem = Problem::new(run.model, clamp.rod, clamp.hold, state, run.end.time);
    let tip = if problem.sigma > 0.0 { rod.node_count() - 1 } else { 0 };
    let measured = (state.position(tip) - problem.start.r).dot(along);
    let reference = (problem.solve()? - problem.start.r).dot(along);
    Some(Finding::relative(reference, measured, 0.01 * rod.total_rest_length()))
}

impl Problem {
    fn new(model: &Model, rod_index: usize, hold: Hold, state: &RodState, time: f64) -> Self {
        let rod = &model.rods[rod_index];
        let last = rod.node_count() - 1;
        let (edge, sigma) = match hold {
            Hold::Edge(0) => (0, 1.0),
            _ => (last - 1, -1.0),
        };
        let mut loads = vec![DVec3::ZERO; last + 1];
        for load in model.loads.iter().filter(|l| l.rod == rod_index) {
            if let LoadKind::Point { node, force } = load.kind {
                loads[node] += force * load.scale.value(time);
            }
        }
        let mut pieces = Vec::with_capacity(2 * last);
        for k in 0..last {
            // The k-th edge from the clamp, as two halves; of the clamped edge only the second is free.
            let (e, near, far) =
                if sigma > 0.0 { (k, k, k + 1) } else { (last - 1 - k, last - k, last - 1 - k) };
            if k > 0 {
                pieces.push(Piece::new(model, rod, state, e, near, DVec3::ZERO));
            }
            pieces.push(Piece::new(model, rod, state, e, far, loads[far]));
        }
        let [m1, _, t] = state.material_frame(rod, edge);
        let r = state.position(edge) + 0.5 * state.edge(rod, edge);
        let total: DVec3 = pieces.iter().map(|p| p.weight * p.length + p.load).sum();
        let length: f64 = pieces.iter().map(|p| p.length).sum();
        let bend = pieces.iter().map(|p| p.bend[0].max(p.bend[1])).fold(0.0, f64::max);
        Self {
            steps_per_piece: LEAST_STEPS.div_ceil(pieces.len()),
            moment_scale: (total.length() * length).max(1e-6 * bend / length),
            pieces,
            sigma,
            start: Section { r, m1, t, moment: DVec3::ZERO },
            total,
        }
    }

    /// The free end, at equilibrium under the whole load. Heavy rods have other equilibria, curled up;
    /// this one is followed from the unloaded rod, by steps so small that Newton's method goes straight to
    /// it from the line through the last two.
    fn solve(&self) -> Option<DVec3> {
        let (mut share, mut raise) = (0.0f64, FIRST_RAISE);
        let (mut moment, mut slope) = (self.shoot(0.0, DVec3::ZERO)?, DVec3::ZERO);
        while share < 1.0 {
            let next = if share + 1.5 * raise > 1.0 { 1.0 } else { share + raise };
            match self.shoot(next, moment + slope * (next - share)) {
                Some(found) => {
                    slope = (found - moment) / (next - share);
                    (share, moment, raise) = (next, found, 1.3 * raise);
                }
                None if raise > LEAST_RAISE => raise *= 0.5,
                None => return None,
            }
        }
        Some(self.integrate(1.0, moment).r)
    }

    /// The moment at the clamp for which none is left at the free end, if Newton's method goes there
    /// from `guess` without detour.
    fn shoot(&self, share: f64, guess: DVec3) -> Option<DVec3> {
        let mut moment = guess;
        let mut rest = self.integrate(share, moment).moment;
        for _ in 0..8 {
            if rest.length() < 1e-11 * self.moment_scale {
                return Some(moment);
            }
            let d = 1e-6 * self.moment_scale;
            let column = |axis: DVec3| {
                let (a, b) =
                    (self.integrate(share, moment + axis * d), self.integrate(share, moment - axis * d));
                (a.moment - b.moment) / (2.0 * d)
            };
            let jacobian = DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z));
            let trial = moment - jacobian.inverse() * rest;
            let left = self.integrate(share, trial).moment;
            if !left.is_finite() || left.length() > 0.5 * rest.length() {
                // Either the guess was too far off, or no better can be had for round-off.
                return (rest.length() < 1e-9 * self.moment_scale).then_some(moment);
            }
            (moment, rest) = (trial, left);
        }
        None
    }

    fn integrate(&self, share: f64, moment: DVec3) -> Section {
        let mut at = Section { moment, ..self.start };
        let mut force = self.total * share;
        for piece in &self.pieces {
            let h = piece.length / self.steps_per_piece as f64;
            let weight = piece.weight * share;
            for _ in 0..self.steps_per_piece {
                let slope = |s: &Section, x: f64| piece.slope(s, force - weight * x, self.sigma);
                let k1 = slope(&at, 0.0);
                let k2 = slope(&at.plus(&k1, 0.5 * h), 0.5 * h);
                let k3 = slope(&at.plus(&k2, 0.5 * h), 0.5 * h);
                let k4 = slope(&at.plus(&k3, h), h);
                for (k, w) in [(k1, 1.0), (k2, 2.0), (k3, 2.0), (k4, 1.0)] {
                    at = at.plus(&k, w * h / 6.0);
                }
                at.t = at.t.normalize();
                at.m1 = (at.m1 - at.t * at.m1.dot(at.t)).normalize();
                force -= weight * h;
            }
            force -= piece.load * share;
        }
        at
    }
}

impl Piece {
    fn new(model: &Model, rod: &Rod, state: &RodState, edge: usize, node: usize, load: DVec3) -> Self {
        // The half edges at the free end bend as their neighbours do; no moment is left there.
        let stencils = rod.stencils();
        let j = node.clamp(stencils.start, stencils.end - 1);
        let cell = rod.voronoi_lengths()[j];
        Self {
            length: 0.5 * rod.rest_lengths()[edge],
            stretch: rod.stretch_stiffness()[edge],
            bend: [rod.bend_stiffness(0)[j] * cell, rod.bend_stiffness(1)[j] * cell],
            twist: rod.twist_stiffness()[j] * cell,
            natural: if j == node {
                [state.natural.kappa1[j] / cell, state.natural.kappa2[j] / cell, state.natural.tau[j] / cell]
            } else {
                [0.0; 3]
            },
            weight: model.gravity * rod.line_densities()[edge],
            load,
        }
    }

    fn slope(&self, s: &Section, force: DVec3, sigma: f64) -> Section {
        let m2 = s.t.cross(s.m1);
        let kappa1 = self.natural[0] + sigma * s.moment.dot(m2) / self.bend[0];
        let kappa2 = self.natural[1] - sigma * s.moment.dot(s.m1) / self.bend[1];
        let tau = self.natural[2] + sigma * s.moment.dot(s.t) / self.twist;
        let u = (m2 * kappa1 - s.m1 * kappa2 + s.t * tau) * sigma;
        let r = s.t * (sigma * (1.0 + sigma * force.dot(s.t) / self.stretch));
        Section { r, m1: u.cross(s.m1), t: u.cross(s.t), moment: -r.cross(force) }
    }
}

impl Section {
    fn plus(&self, slope: &Self, h: f64) -> Self {
        Self {
            r: self.r + slope.r * h,
            m1: self.m1 + slope.m1 * h,
            t: self.t + slope.t * h,
            moment: self.moment + slope.moment * h,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ropewalk_rod::{Material, RodBuilder, Section as CrossSection, SectionProperties};
    use ropewalk_sim::{Load, TimeFunction};

    /// A straight rod of length 1 from the middle of its clamped edge, EI = 1, hardly extensible.
    fn model(reversed: bool, stretch: f64, weight: f64, tip: f64) -> (Model, RodState) {
        let n = 50;
        let h = 1.0 / (n as f64 - 0.5);
        let mut nodes: Vec<DVec3> = (0..=n).map(|i| DVec3::X * ((i as f64 - 0.5) * h)).collect();
        if reversed {
            nodes.reverse();
        }
        let properties =
            SectionProperties { stretch, bend: [1.0; 2], twist: 0.7, line_density: 1.0, spin_inertia: 1.0 };
        let section = CrossSection::Stiffness { properties, radius: 1e-3 };
        let (rod, state) =
            RodBuilder::new(nodes, section, Material::from_poisson(1.0, 0.0, 1.0)).build().unwrap();
        let node = if reversed { 0 } else { n };
        let load = Load {
            name: "tip".into(),
            rod: 0,
            kind: LoadKind::Point { node, force: DVec3::NEG_Z * tip },
            scale: TimeFunction::Constant(1.0),
        };
        let gravity = DVec3::NEG_Z * weight;
        (Model { gravity, rods: vec![rod], loads: vec![load], ..Model::default() }, state)
    }

    #[test]
    fn tip_loads_match_the_elastica() {
        // α = PL²/EI: reach and drop of a cantilever with a load at its tip (Bisshopp and Drucker 1945).
        for reversed in [false, true] {
            for (alpha, reach, drop) in [(1.0, 0.943_567, 0.301_721), (10.0, 0.445_004, 0.810_609)] {
                let (model, state) = model(reversed, 1e9, 0.0, alpha);
                let hold = if reversed { Hold::Edge(49) } else { Hold::Edge(0) };
                let tip = Problem::new(&model, 0, hold, &state, 0.0).solve().unwrap();
                assert!((tip - DVec3::new(reach, 0.0, -drop)).length() < 2e-6, "{alpha}: {tip}");
            }
        }
    }

    #[test]
    fn heavy_cantilevers_match_the_known_ratio_of_drop_to_reach() {
        // Γ = ρA g L³/EI.
        for (gamma, ratio) in [(1.0, 0.124_561_77), (10.0, 1.066_802_32), (100.0, 5.888_10)] {
            let (model, state) = model(false, 1e9, gamma, 0.0);
            let tip = Problem::new(&model, 0, Hold::Edge(0), &state, 0.0).solve().unwrap();
            assert!((-tip.z / tip.x / ratio - 1.0).abs() < 2e-6, "{gamma}: {}", -tip.z / tip.x);
        }
    }

    #[test]
    fn natural_curvature_without_load_gives_an_arc_and_hanging_rods_stretch() {
        let (mut model, mut state) = model(false, 200.0, 0.0, 0.0);
        let [m1, _, t] = state.material_frame(&model.rods[0], 0);
        for j in model.rods[0].stencils() {
            state.natural.kappa1[j] = 2.0 * model.rods[0].voronoi_lengths()[j];
        }
        let tip = Problem::new(&model, 0, Hold::Edge(0), &state, 0.0).solve().unwrap();
        // The last half edge, 1/99 of the length, is straight in the discrete rod.
        let half: f64 = 0.5 / 49.5;
        let (s, c) = (2.0 * (1.0 - half)).sin_cos();
        let expected = t * (0.5 * s + half * c) + m1 * (0.5 * (1.0 - c) + half * s);
        assert!((tip - expected).length() < 1e-9, "{tip} {expected}");
        // Pulled along itself by its weight: the free end sinks by w L²/2EA.
        state.natural.kappa1.fill(0.0);
        model.gravity = DVec3::X * 3.0;
        let tip = Problem::new(&model, 0, Hold::Edge(0), &state, 0.0).solve().unwrap();
        assert!((tip.x - (1.0 + 3.0 / 400.0)).abs() < 1e-12, "{tip}");
    }
}
