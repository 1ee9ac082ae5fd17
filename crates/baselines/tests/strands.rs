//! Two strands of one rope that fly at one another: the contact energy holds them apart, and no momentum is made.
#![allow(clippy::unwrap_used)]

use glam::DVec3;
use ropewalk_baselines::contact_energy::ContactEnergyRope;
use ropewalk_baselines::settings::{Outcome, Settings, Stiffness};
use ropewalk_rod::{Material, RodBuilder, Section};

const RADIUS: f64 = 2e-3;
const BEND: f64 = 0.01;
const STRAND: usize = 20;

/// A hairpin: two strands of 0.1 m, `2 BEND` apart in z and askew, that fly at one another at 0.5 m/s each. Not exactly
/// parallel: on such strands Newton's method came to no end in 500 iterations, probably since the distance of parallel edges is not
/// smooth.
fn hairpin(settings: Settings) -> ContactEnergyRope {
    let step = 5e-3;
    let mut nodes: Vec<DVec3> = (0..=STRAND).map(|k| DVec3::new(step * k as f64, 0.0, -BEND)).collect();
    let turn = nodes[STRAND];
    for k in 1..6 {
        let angle = core::f64::consts::PI * f64::from(k) / 6.0;
        nodes.push(turn + DVec3::new(BEND * angle.sin(), 0.0, BEND * (1.0 - angle.cos())));
    }
    nodes.extend((0..=STRAND).rev().map(|k| DVec3::new(step * k as f64, 0.0, BEND)));
    for node in &mut nodes {
        node.y = 0.3 * (node.x - 0.05) * (-node.z / BEND);
    }
    let count = nodes.len();
    let material = Material::from_moduli(1e6, 3e5, 1000.0);
    let (rod, mut state) =
        RodBuilder::new(nodes, Section::Circle { radius: RADIUS }, material).build().unwrap();
    for k in 0..=STRAND {
        state.v[k][2] = 0.5;
        state.v[count - 1 - k][2] = -0.5;
    }
    ContactEnergyRope::new(rod, state, settings, Vec::new())
}

#[test]
fn strands_are_held_apart_and_get_no_momentum() {
    let delta = 4.5e-4;
    let settings = Settings { delta, stiffness: Stiffness::Constant(0.05), ..Settings::published(1e-4) };
    let mut rope = hairpin(settings);
    let (mut least, mut energy) = (f64::INFINITY, 0.0_f64);
    for step in 0..300 {
        let report = rope.step();
        assert_eq!(report.outcome, Outcome::Converged, "step {step}: {report:?}");
        least = least.min(report.least_distance);
        energy = energy.max(report.contact_energy);
    }
    assert!(energy > 0.0, "they never touched");
    assert!(least > 2.0 * RADIUS - delta && least < 2.0 * RADIUS + delta, "{least} m apart");
    // The mean of the heights: both strands weigh the same, so it stays where it was.
    let count = rope.state.v.len();
    let drift = (0..count).map(|k| rope.state.position(k).z).sum::<f64>() / count as f64;
    assert!(drift.abs() < 1e-3 * BEND, "{drift} m");
}
