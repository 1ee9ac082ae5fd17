//! A rectangular shaft twisted between two clamps.
//!
//! Torque = G J θ/L, J Saint-Venant's constant, L between the middles of the clamped edges. J/(a b³) for a/b = 1, 2, 5, 10:
//! 0.1405770150, 0.2286816771, 0.2913167542, 0.3123250375 (series summed to 4000 terms). Source: Timoshenko and Goodier,
//! Theory of Elasticity, § 109.

use super::ValidationRow;
use super::specimen::specimen;
use glam::DVec3;
use ropewalk_rod::{Material, RestShape, RodBuilder, Section};
use ropewalk_sim::{Hold, Motion, TimeFunction};

const COEFFICIENTS: [[f64; 2]; 4] = [
    [1.0, 0.140_577_014_955_155_5],
    [2.0, 0.228_681_677_119_572_44],
    [5.0, 0.291_316_754_187_989_5],
    [10.0, 0.312_325_037_457_205_7],
];
const ANGLE: f64 = 0.5;
/// Twist is uniform along the discrete shaft, as along the continuous one: the error is the solver's tolerance.
const TOLERANCE: f64 = 1e-9;
const THICKNESS: f64 = 2e-3;
const SEGMENTS: usize = 40;
const EDGE: f64 = 5e-3;

pub(crate) fn run() -> Vec<ValidationRow> {
    let material = Material::from_poisson(1e8, 0.35, 1100.0);
    let row = |[ratio, coefficient]: [f64; 2]| {
        let length = EDGE * (SEGMENTS - 1) as f64;
        let constant = coefficient * ratio * THICKNESS.powi(4);
        let reference = material.shear_modulus * constant * ANGLE / length;
        let measured = torque(ratio, material).unwrap_or(f64::NAN);
        let error = (measured / reference - 1.0).abs();
        ValidationRow::new(format!("torsion/{ratio}"), reference, measured, error, TOLERANCE)
    };
    COEFFICIENTS.into_iter().map(row).collect()
}

fn torque(ratio: f64, material: Material) -> Option<f64> {
    let nodes: Vec<DVec3> = (0..=SEGMENTS).map(|i| DVec3::X * (EDGE * i as f64)).collect();
    let section = Section::Rectangle { width: ratio * THICKNESS, height: THICKNESS };
    let mut shaft = specimen(nodes.clone(), false, section, RestShape::Straight, DVec3::Y)?;
    let mut builder = RodBuilder::new(nodes, section, material);
    builder.director = Some(DVec3::Y);
    builder.mass_damping = 50.0;
    let (rod, state) = builder.build().ok()?;
    shaft.model.rods[0] = rod;
    shaft.state.rods[0] = state;
    let ramp =
        TimeFunction::Ramp { times: [0.0, 0.2], values: [0.0, ANGLE], interpolation: Default::default() };
    shaft.hold(Hold::Edge(0));
    shaft.clamp(0, Hold::Edge(SEGMENTS - 1), Motion { axis: DVec3::X, angle: ramp, ..Motion::default() });
    // Twisted in 0.2 s, then left to come to rest.
    for _ in 0..500 {
        shaft.step()?;
    }
    Some(shaft.wrench(1).torque.x)
}
