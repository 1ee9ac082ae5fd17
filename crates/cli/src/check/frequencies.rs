//! First frequencies of a rod about its initial shape, with its initial clamps.

use core::f64::consts::TAU;
use ropewalk_rod::Rod;
use ropewalk_rod::modes::lowest_modes;
use ropewalk_scene::Scene;
use ropewalk_sim::{End, Hold};

/// Number of frequencies.
const COUNT: usize = 4;
/// Number of rigid motions of a free rod: translations and rotations.
const RIGID_MOTIONS: usize = 6;
/// Fraction of EI/(m L³) below which ω² counts as zero. The lowest elastic mode of a rod has 12 (clamped and free), a
/// rigid motion the round-off of the stiffest mode.
const ZERO: f64 = 0.05;
/// Nodes above which the frequencies are not computed: it would take minutes.
const MOST_NODES: usize = 5000;

/// The lowest frequencies of rod `r` of `scene` in Hz, in increasing order, or why there are none. Rigid and unstable
/// motions are left out. None for a rod with attachments, since its frequencies are those of the whole connected
/// system.
pub(crate) fn lowest(scene: &Scene, r: usize) -> Result<Vec<f64>, String> {
    let (rod, state) = (&scene.model.rods[r], &scene.state.rods[r]);
    if rod.node_count() > MOST_NODES {
        return Err(format!("frequencies are computed for at most {MOST_NODES} nodes"));
    }
    let on_rod = |end: &End| matches!(end, End::Rod { rod, .. } if *rod == r);
    if scene.model.attachments.iter().any(|a| a.ends.iter().any(on_rod)) {
        return Ok(Vec::new());
    }
    let held = held_coordinates(scene, r);
    let modes = lowest_modes(rod, state, &held, COUNT + RIGID_MOTIONS)
        .map_err(|error| format!("no frequencies: {error}"))?;
    let least = ZERO * frequency_scale(rod);
    let elastic = modes.iter().map(|mode| mode.omega_squared).filter(|omega2| *omega2 > least);
    Ok(elastic.take(COUNT).map(|omega2| omega2.sqrt() / TAU).collect())
}

/// EI/(m L³), or EA/(m L) for a rod of one segment, in (rad/s)².
fn frequency_scale(rod: &Rod) -> f64 {
    let (length, mass) = (rod.total_rest_length(), rod.total_mass());
    let bend = |j: usize| rod.bend_stiffness(0)[j].min(rod.bend_stiffness(1)[j]) * rod.voronoi_lengths()[j];
    match rod.stencils().map(bend).reduce(f64::min) {
        Some(softest) => softest / (mass * length.powi(3)),
        None => rod.stretch_stiffness().iter().copied().fold(0.0, f64::max) / (mass * length),
    }
}

/// Coordinates (x, y, z, γ of each node) that are clamped at the start.
fn held_coordinates(scene: &Scene, r: usize) -> Vec<[bool; 4]> {
    let rod = &scene.model.rods[r];
    let mut held = vec![[false; 4]; rod.node_count()];
    for clamp in scene.model.clamps.iter().filter(|clamp| clamp.rod == r && clamp.release_time > 0.0) {
        let (nodes, spin) = match clamp.hold {
            Hold::Node(node) => (vec![node], None),
            Hold::Edge(e) => (vec![e, rod.edge_end(e)], Some(e)),
            Hold::EdgeFreeSpin(e) => (vec![e, rod.edge_end(e)], None),
            Hold::Spin(e) => (vec![], Some(e)),
        };
        for node in nodes {
            held[node][..3].fill(true);
        }
        if let Some(e) = spin {
            held[e][3] = true;
        }
    }
    held
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::PI;
    use glam::DVec3;
    use ropewalk_rod::{Material, RodBuilder, Section};
    use ropewalk_sim::{Clamp, ClampPose, Motion};

    /// A steel wire, free at both ends: βL = 4.7300 for the first pair of bending modes; and clamped in the
    /// middle of its first edge: 1.8751.
    #[test]
    fn free_and_clamped_wires_have_the_frequencies_of_the_textbook() {
        let mut scene = ropewalk_scene::load_named("cantilever", &[]).unwrap();
        let nodes = (0..82).map(|i| DVec3::X * (f64::from(i) - 0.5) / 80.5).collect();
        let material = Material::from_moduli(2e11, 8e10, 7800.0);
        let section = Section::Circle { radius: 1e-3 };
        let (rod, state) = RodBuilder::new(nodes, section, material).build().unwrap();
        let free_length = rod.total_rest_length();
        let hold = Hold::Edge(0);
        let clamp = Clamp {
            name: "wall".to_owned(),
            rod: 0,
            hold,
            motion: Motion::default(),
            start: ClampPose::of(hold, &rod, &state),
            release_time: f64::INFINITY,
        };
        scene.model.rods = vec![rod];
        scene.state.rods = vec![state];
        let unit = (2e11 * PI / 4.0 * 1e-12 / (7800.0 * PI * 1e-6)).sqrt();
        let expected = |beta: f64, length: f64| (beta / length).powi(2) * unit / TAU;
        for (clamps, beta, length) in [(vec![], 4.730_040_7, free_length), (vec![clamp], 1.875_104_07, 1.0)] {
            scene.model.clamps = clamps;
            let found = lowest(&scene, 0).unwrap();
            assert_eq!(found.len(), COUNT);
            for pair in &found[..2] {
                let error = pair / expected(beta, length) - 1.0;
                assert!(error.abs() < 1e-3, "{found:?} {error}");
            }
        }
    }
}
