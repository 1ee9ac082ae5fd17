//! A straight rod bent into a ring holds the energy of its bending alone.
//!
//! E = ½ EI κ² L with κ = 1/R and L = 2πR, so E = π EI/R. The discrete curvature of a regular polygon,
//! 2 tan(π/N) per node, makes the energy too large by (2π²/3)/N²: second order.
//!
//! | symbol | name | unit |
//! |---|---|---|
//! | R | `RADIUS` | m |
//! | N | `segments` | 1 |
//!
//! Source: the elastica's energy, Love, Mathematical Theory of Elasticity, § 258.

use super::ValidationRow;
use core::f64::consts::{PI, TAU};
use glam::DVec3;
use ropewalk_rod::{Material, RodBuilder, Section};
use ropewalk_sim::{Model, State, measure};

const RADIUS: f64 = 0.1;
const SECTION_RADIUS: f64 = 1e-3;
const YOUNGS_MODULUS: f64 = 1e9;

/// The energy at three resolutions; the order from each to the next.
pub(crate) fn run() -> Vec<ValidationRow> {
    let second_moment = PI * SECTION_RADIUS.powi(4) / 4.0;
    let reference = PI * YOUNGS_MODULUS * second_moment / RADIUS;
    let mut coarser: Option<f64> = None;
    [20, 40, 80]
        .into_iter()
        .map(|segments| {
            let measured = bending_energy(segments);
            let tolerance = 7.0 / f64::from(segments).powi(2);
            let row =
                ValidationRow::relative(format!("bent_ring/{segments}"), reference, measured, tolerance);
            let order = coarser.replace(row.error).map(|error| (error / row.error).log2());
            match order {
                Some(order) => row.with_order(order, 2.0, 0.1),
                None => row,
            }
        })
        .collect()
}

/// Bending energy (J) of a straight rod bent into a regular polygon whose perimeter is 2πR.
fn bending_energy(segments: u32) -> f64 {
    let side = TAU * RADIUS / f64::from(segments);
    let circumradius = 0.5 * side / (PI / f64::from(segments)).sin();
    let node = |i: u32| {
        let angle = TAU * f64::from(i) / f64::from(segments);
        circumradius * DVec3::new(angle.cos(), angle.sin(), 0.0)
    };
    let section = Section::Circle { radius: SECTION_RADIUS };
    let material = Material::from_poisson(YOUNGS_MODULUS, 0.5, 1000.0);
    let mut builder = RodBuilder::new((0..segments).map(node).collect(), section, material);
    builder.closed = true;
    let Ok((rod, rod_state)) = builder.build() else { return f64::NAN };
    let model = Model { rods: vec![rod], ..Model::default() };
    measure::rod_energies(&model, &State { time: 0.0, rods: vec![rod_state] }, 0).bend
}
