//! A rope thrown at a thin peg does not tunnel through it.
//!
//! A rope of 2 mm and 0.3 m flies at 5 m/s towards a peg of 2 mm, δt = 2 ms: it moves by five diameters in a step.
//! The Gauss integral of the rope and the peg's axis, both open, is continuous unless one passes through the other,
//! and then jumps by 1. Throws differ in the orientation and start of the rope. The row counts those that tunnel.

use super::{Form, ValidationRow};
use crate::worlds::World;
use glam::{DQuat, DVec3};
use ropewalk_geometry::Shape;
use ropewalk_linalg::Pose;
use ropewalk_rod::writhe::gauss_integral;
use ropewalk_rod::{Material, RodBuilder, Section};
use ropewalk_sim::measure;

const SPEED: f64 = 5.0;
const DT: f64 = 2e-3;
const RADIUS: f64 = 1e-3;
const PEG_LENGTH: f64 = 0.2;

pub(crate) fn run(form: &Form) -> Vec<ValidationRow> {
    let throws = if form.full { 200 } else { 20 };
    let outcomes: Vec<Option<bool>> = (0..throws).map(throw).collect();
    let failed = outcomes.iter().filter(|o| o.is_none()).count() as f64;
    let passed = outcomes.iter().filter(|o| **o == Some(true)).count() as f64;
    vec![
        ValidationRow::at_most("thrown_rope/failed_steps", failed, 0.0),
        ValidationRow::at_most("thrown_rope/passed_through", passed, 0.0),
    ]
}

/// Whether throw number `k` passes through the peg; `None` if a step fails.
fn throw(k: u32) -> Option<bool> {
    // Spread over [−1, 1) without a pattern: multiples of irrational numbers.
    let spread = |irrational: f64| 2.0 * (f64::from(k) * irrational).fract() - 1.0;
    let turn = DQuat::from_rotation_z(0.4 * spread(0.618_033_988_7))
        * DQuat::from_rotation_y(0.3 * spread(0.414_213_562_4));
    let start = DVec3::NEG_X * (0.1 + 0.01 * spread(0.732_050_807_6));
    let nodes = (0..31).map(|i| turn * DVec3::Y * (0.01 * f64::from(i - 15)) + start).collect();
    let mut world = World::new(DT);
    let material = Material::from_poisson(1e7, 0.5, 1000.0);
    world.add_rod(RodBuilder::new(nodes, Section::Circle { radius: RADIUS }, material), 0.3)?;
    let place = DVec3::Y * 0.002;
    world.add_fixed(&Shape::Capsule { radius: RADIUS, length: PEG_LENGTH }, Pose::at(place), 0.3)?;
    for v in &mut world.state.rods[0].v {
        v[0] = SPEED;
    }
    let peg = [place - DVec3::Z * (0.5 * PEG_LENGTH), place + DVec3::Z * (0.5 * PEG_LENGTH)];
    let link = |world: &World| gauss_integral(&measure::positions(&world.state, 0), false, &peg, false);
    let mut before = link(&world);
    // Time to fly three times the distance to the peg.
    for _ in 0..(0.3 / SPEED / DT) as usize {
        world.step()?;
        let now = link(&world);
        if (now - before).abs() > 0.5 {
            return Some(true);
        }
        before = now;
    }
    Some(false)
}
