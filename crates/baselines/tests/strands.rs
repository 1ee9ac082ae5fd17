//! Two strands of one rope that fly at one another: the contact energy holds them apart, and no momentum is made.
#![allow(clippy::unwrap_used)]

use glam::DVec3;
use ropewalk_baselines::contact_energy::ContactEnergyRope;
use ropewalk_baselines::settings::{Outcome, Settings, Stiffness};
use ropewalk_rod::{Material, RodBuilder, Section};

const RADIUS: f64 = 2e-3;
const BEND: f64 = 0.01;
const STRAND: usize = 20;

/// A hairpin: two strands of 0.1 m, `2 BEND` apart in z and crossing at `slope`, that fly at one another at 0.5 m/s each.
fn hairpin(settings: Settings, slope: f64) -> ContactEnergyRope {
    let step = 5e-3;
    let mut nodes: Vec<DVec3> = (0..=STRAND).map(|k| DVec3::new(step * k as f64, 0.0, -BEND)).collect();
    let turn = nodes[STRAND];
    for k in 1..6 {
        let angle = core::f64::consts::PI * f64::from(k) / 6.0;
        nodes.push(turn + DVec3::new(BEND * angle.sin(), 0.0, BEND * (1.0 - angle.cos())));
    }
    nodes.extend((0..=STRAND).rev().map(|k| DVec3::new(step * k as f64, 0.0, BEND)));
    for node in &mut nodes {
        node.y = 0.5 * slope * (node.x - 0.05) * (-node.z / BEND);
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
    let settings = Settings { delta, stiffness: Stiffness::Constant(25.0), ..Settings::published(1e-4) };
    let mut rope = hairpin(settings, 0.6);
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

/// The distance of two edges has a kink where they are parallel: its gradient jumps from one end of them to the other (see
/// `edge_distance`). Strands that press on one another want to lie in that kink, and Newton's method goes in circles there: a pair is pushed at
/// its middle and at its ends in turn, and the force that is left stays at a hundredth of that of the first iteration. From a slope of
/// 10⁻³ on it converges.
#[test]
fn parallel_strands_do_not_converge_and_crossing_ones_do() {
    let settings = Settings {
        delta: 4.5e-4,
        max_iterations: 100,
        stiffness: Stiffness::Constant(25.0),
        ..Settings::published(1e-4)
    };
    for (slope, converges) in [(0.0, false), (1e-6, false), (1e-3, true), (0.05, true)] {
        let mut rope = hairpin(settings, slope);
        let all = (0..300).all(|_| rope.step().outcome == Outcome::Converged);
        assert_eq!(all, converges, "slope {slope}");
    }
}
