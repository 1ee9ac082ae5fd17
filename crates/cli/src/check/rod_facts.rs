//! Numbers that follow from a rod's description.
//!
//! | symbol | formula | meaning |
//! |---|---|---|
//! | P_cr | π² EI_min / 4L² | Euler's buckling load of a column clamped at one end, free at the other |
//! | c_axial | √(EA/ρA) | speed of stretching waves |
//! | c_twist | √(GJ/ρI_p) | speed of twisting waves |
//! | c_bend | (π/l) √(EI_max/ρA) | phase speed of the shortest bending wave the segments carry, λ = 2l |
//! | ω_max | 2c/l; (4/l²) √(EI/ρA) | greatest frequency of a chain of segments; stretch or twist; bending |
//!
//! L and l are rest lengths of the rod and of a segment. A clamp fixes the middle of its edge, from which L is
//! measured. Source: Timoshenko, Theory of Elastic Stability, § 2.1; Graff, Wave Motion in Elastic Solids, §§ 2.1,
//! 3.1.

use super::frequencies;
use core::f64::consts::PI;
use ropewalk_rod::Rod;
use ropewalk_scene::Scene;
use ropewalk_sim::Hold;
use serde::Serialize;
use std::collections::BTreeSet;

/// Least and greatest value along a rod; equal if it does not vary.
pub(crate) type Range = [f64; 2];

/// Numbers of one rod, in SI units.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RodFacts {
    /// Name of the rod.
    pub(crate) name: String,
    /// Whether it is a ring.
    pub(crate) closed: bool,
    /// Number of segments.
    pub(crate) segments: usize,
    /// Rest length in m.
    pub(crate) length: f64,
    /// Rest length between the middles of clamped end edges, or the free ends, in m.
    pub(crate) free_length: f64,
    /// Rest length of a segment in m.
    pub(crate) segment: Range,
    /// Mass in kg.
    pub(crate) mass: f64,
    /// EA in N.
    pub(crate) stretch_stiffness: Range,
    /// EI₁ in N·m²; `None` for a rod of one segment.
    pub(crate) bend_stiffness_1: Option<Range>,
    /// EI₂ in N·m².
    pub(crate) bend_stiffness_2: Option<Range>,
    /// GJ in N·m².
    pub(crate) twist_stiffness: Option<Range>,
    /// ρA in kg/m.
    pub(crate) line_density: Range,
    /// First frequencies in Hz, with the initial clamps, about the initial shape.
    pub(crate) first_frequencies: Vec<f64>,
    /// Why there are none.
    #[serde(skip)]
    pub(crate) frequencies_missing: Option<String>,
    /// P_cr in N; `None` for rings.
    pub(crate) buckling_load: Option<f64>,
    /// c_axial in m/s.
    pub(crate) axial_wave_speed: f64,
    /// c_twist in m/s.
    pub(crate) twist_wave_speed: Option<f64>,
    /// c_bend in m/s.
    pub(crate) bending_wave_speed: Option<f64>,
    /// ω_max in rad/s.
    pub(crate) greatest_frequency: f64,
}

impl RodFacts {
    /// The numbers of rod `r` of `scene`.
    pub(crate) fn of(scene: &Scene, r: usize) -> Self {
        let rod = &scene.model.rods[r];
        let segment = range(rod.rest_lengths().iter().copied()).unwrap_or_default();
        let length = rod.total_rest_length();
        let free_length = length - clamped_length(scene, r);
        let stretch_stiffness = range(rod.stretch_stiffness().iter().copied()).unwrap_or_default();
        let line_density = range(rod.line_densities().iter().copied()).unwrap_or_default();
        let bend = [0, 1].map(|k| per_stencil(rod, rod.bend_stiffness(k)));
        let twist_stiffness = per_stencil(rod, rod.twist_stiffness());
        let axial_wave_speed = (stretch_stiffness[1] / line_density[0]).sqrt();
        let twist_wave_speed = twist_stiffness.map(|gj| (gj[1] / least_spin_inertia(rod)).sqrt());
        let stiffest = both(bend).map(|[a, b]| a[1].max(b[1]));
        let softest = both(bend).map(|[a, b]| a[0].min(b[0]));
        let bending = stiffest.map(|ei| (ei / line_density[0]).sqrt());
        let (first_frequencies, frequencies_missing) = match frequencies::lowest(scene, r) {
            Ok(found) => (found, None),
            Err(reason) => (Vec::new(), Some(reason)),
        };
        let l = segment[0];
        let greatest_frequency = [
            2.0 * axial_wave_speed / l,
            twist_wave_speed.map_or(0.0, |c| 2.0 * c / l),
            bending.map_or(0.0, |root| 4.0 * root / (l * l)),
        ]
        .into_iter()
        .fold(0.0, f64::max);
        Self {
            name: scene.model.rod_names[r].clone(),
            closed: rod.closed(),
            segments: rod.edge_count(),
            length,
            free_length,
            segment,
            mass: rod.total_mass(),
            stretch_stiffness,
            bend_stiffness_1: bend[0],
            bend_stiffness_2: bend[1],
            twist_stiffness,
            line_density,
            first_frequencies,
            frequencies_missing,
            buckling_load: softest
                .filter(|_| !rod.closed())
                .map(|ei| PI * PI * ei / (4.0 * free_length * free_length)),
            axial_wave_speed,
            twist_wave_speed,
            bending_wave_speed: bending.map(|root| PI / l * root),
            greatest_frequency,
        }
    }
}

/// Length that clamps remove from the ends of a rod, in m: half an edge each.
fn clamped_length(scene: &Scene, r: usize) -> f64 {
    let rod = &scene.model.rods[r];
    let ends: BTreeSet<usize> = if rod.closed() { [].into() } else { [0, rod.edge_count() - 1].into() };
    let clamped = scene.model.clamps.iter().filter(|clamp| clamp.rod == r).filter_map(|c| match c.hold {
        Hold::Edge(e) | Hold::EdgeFreeSpin(e) => Some(e),
        Hold::Node(_) | Hold::Spin(_) => None,
    });
    let clamped: BTreeSet<usize> = clamped.collect();
    ends.intersection(&clamped).map(|&e| 0.5 * rod.rest_lengths()[e]).sum()
}

/// Least and greatest of `values`; `None` if there are none.
fn range(values: impl Iterator<Item = f64> + Clone) -> Option<Range> {
    Some([values.clone().reduce(f64::min)?, values.reduce(f64::max)?])
}

fn both<T>([a, b]: [Option<T>; 2]) -> Option<[T; 2]> {
    Some([a?, b?])
}

/// The range along the rod of a stiffness that is stored divided by the length of its stencil.
fn per_stencil(rod: &Rod, over_length: &[f64]) -> Option<Range> {
    range(rod.stencils().map(|j| over_length[j] * rod.voronoi_lengths()[j]))
}

/// Least ρI_p in kg·m.
fn least_spin_inertia(rod: &Rod) -> f64 {
    let per_length = (0..rod.edge_count()).map(|e| rod.masses()[e][3] / rod.rest_lengths()[e]);
    per_length.fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use ropewalk_rod::{Material, RodBuilder, Section};

    #[test]
    fn numbers_of_a_round_rod_are_those_of_the_textbook() {
        let mut scene = ropewalk_scene::load_named("cantilever", &[]).unwrap();
        let nodes = (0..11).map(|i| DVec3::X * 0.1 * f64::from(i)).collect();
        let material = Material::from_moduli(2e11, 8e10, 7800.0);
        let (rod, state) =
            RodBuilder::new(nodes, Section::Circle { radius: 1e-3 }, material).build().unwrap();
        scene.model.rods = vec![rod];
        scene.model.clamps.clear();
        scene.state.rods = vec![state];
        let facts = RodFacts::of(&scene, 0);
        let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-12, "{a} {b}");
        let i = PI * 1e-12 / 4.0;
        close(facts.length, 1.0);
        close(facts.mass, 7800.0 * PI * 1e-6);
        close(facts.stretch_stiffness[0], 2e11 * PI * 1e-6);
        close(facts.bend_stiffness_1.unwrap()[1], 2e11 * i);
        close(facts.twist_stiffness.unwrap()[0], 8e10 * 2.0 * i);
        close(facts.buckling_load.unwrap(), PI * PI * 2e11 * i / 4.0);
        close(facts.axial_wave_speed, (2e11_f64 / 7800.0).sqrt());
        close(facts.twist_wave_speed.unwrap(), (8e10_f64 / 7800.0).sqrt());
        close(facts.greatest_frequency, 20.0 * (2e11_f64 / 7800.0).sqrt());
    }
}
