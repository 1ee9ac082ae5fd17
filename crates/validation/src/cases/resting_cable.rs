//! A cable of 5 mm lies on the floor.
//!
//! It falls by a tenth of its diameter, curved as it was made, and comes to rest.
//!
//! - `resting_cable/kinetic_energy`: at the end, over the energy m g d of a fall by one diameter.
//! - `resting_cable/drift`: greatest displacement of a node from 2 s to the end, over the diameter.
//!
//! Short form 5 s, long form 60 s. 1 m, 100 segments, E = 10 MPa, ρ = 1100 kg/m³ (a soft cable), μ = 0.5, α = 0.

use super::{Form, ValidationRow};
use crate::worlds::{GRAVITY, World};
use glam::DVec3;
use ropewalk_geometry::Shape;
use ropewalk_linalg::Pose;
use ropewalk_rod::{Material, RestShape, RodBuilder, Section};
use ropewalk_sim::measure;

const DIAMETER: f64 = 5e-3;
const DT: f64 = 1e-3;

pub(crate) fn run(form: &Form) -> Vec<ValidationRow> {
    let seconds = if form.full { 60.0 } else { 5.0 };
    let (energy, drift) = rest(seconds).unwrap_or((f64::NAN, f64::NAN));
    vec![
        ValidationRow::at_most("resting_cable/kinetic_energy", energy, 1e-12),
        ValidationRow::at_most("resting_cable/drift", drift, 1e-6),
    ]
}

/// The cable, just above the floor.
pub(super) fn cable() -> Option<World> {
    let node = |i: u32| {
        let s = 0.01 * f64::from(i);
        // A lazy S: curvature up to 4/m.
        DVec3::new(s, 0.1 * (core::f64::consts::TAU * s).sin(), 0.6 * DIAMETER)
    };
    let mut world = World::new(DT);
    world.model.gravity = DVec3::NEG_Z * GRAVITY;
    let material = Material::from_poisson(1e7, 0.5, 1100.0);
    let section = Section::Circle { radius: 0.5 * DIAMETER };
    let mut builder = RodBuilder::new((0..=100).map(node).collect(), section, material);
    builder.rest = RestShape::AsGiven;
    world.add_rod(builder, 0.5)?;
    world.add_fixed(&Shape::HalfSpace, Pose::IDENTITY, 0.5)?;
    Some(world)
}

fn rest(seconds: f64) -> Option<(f64, f64)> {
    let mut world = cable()?;
    let mut go = |until: f64| -> Option<(Vec<DVec3>, f64)> {
        while world.state.time < until - 0.5 * DT {
            world.step()?;
        }
        Some((measure::positions(&world.state, 0), measure::energies(&world.model, &world.state).kinetic))
    };
    let (before, _) = go(2.0)?;
    let (after, kinetic) = go(seconds)?;
    let mass: f64 = world.model.rods[0].masses().iter().map(|m| m[0]).sum();
    let way = before.iter().zip(&after).map(|(a, b)| (*b - *a).length()).fold(0.0, f64::max);
    Some((kinetic / (mass * GRAVITY * DIAMETER), way / DIAMETER))
}
