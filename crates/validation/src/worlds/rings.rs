//! A chain of closed rings, each linked with the next, from ring 0, whose lower half is fixed.
//!
//! Ring i is turned by 90°·i about z, its center at z = −drop·i: the rings fall by a little before they touch (the inner
//! radius is 8.75 mm, so two rings touch at 17.5 mm). Dimensions and material as published for this experiment
//! (E = 10 MPa, ν = 0.4, ρ = 500 kg/m³, α = 10/s, μ = 0.1); hardness and damping of contact are our defaults.

use super::{GRAVITY, World};
use core::f64::consts::TAU;
use glam::DVec3;
use ropewalk_rod::{Material, RestShape, RodBuilder, Section};
use ropewalk_sim::Hold;

/// Radius of the rings' centerline, m.
pub const RING_RADIUS: f64 = 0.01;
/// Segments of a ring.
pub const SEGMENTS: u32 = 20;
/// Time step, s.
pub const DT: f64 = 8e-4;
const WIRE_RADIUS: f64 = 1.25e-3;

/// `count` rings, neighbors `drop` (m) apart in height; `None` if they cannot be built.
pub fn chain(count: usize, drop: f64) -> Option<World> {
    let mut world = World::new(DT);
    world.model.gravity = DVec3::NEG_Z * GRAVITY;
    for i in 0..count {
        let node = |k: u32| {
            let (sin, cos) = (TAU * f64::from(k) / f64::from(SEGMENTS)).sin_cos();
            let across = if i % 2 == 0 { DVec3::Y } else { DVec3::NEG_X };
            RING_RADIUS * (across * cos + DVec3::Z * sin) + DVec3::NEG_Z * (drop * i as f64)
        };
        let material = Material::from_poisson(1e7, 0.4, 500.0);
        let section = Section::Circle { radius: WIRE_RADIUS };
        let mut builder = RodBuilder::new((0..SEGMENTS).map(node).collect(), section, material);
        builder.closed = true;
        builder.rest = RestShape::AsGiven;
        builder.mass_damping = 10.0;
        world.add_rod(builder, 0.1)?;
    }
    for k in 0..SEGMENTS as usize {
        if world.state.rods[0].position(k).z < -1e-9 {
            world.drive(0, Hold::Node(k), DVec3::ZERO);
        }
    }
    Some(world)
}
