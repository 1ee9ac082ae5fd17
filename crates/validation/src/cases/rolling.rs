//! A round bar rolls.
//!
//! - `rolling/rolls`: down a slope with μ ≥ tan α/3, a = (2/3) g sin α; `rolling/no_slip`: the spin that belongs to it.
//! - `rolling/slips`: with half that friction, a = g(sin α − μ cos α).
//! - `slide_to_roll/speed`: started sliding at v₀ on a level floor it ends at (2/3) v₀; `slide_to_roll/time`: after
//!   v₀/(3 μ g).

use super::incline::{RADIUS, bar_on_slope, mean_velocity};
use super::{Form, ValidationRow};
use crate::worlds::{GRAVITY, World};
use glam::{DQuat, DVec3};

/// Tolerance for constant acceleration, which backward Euler reproduces exactly: above that of the solver.
const STEADY: f64 = 1e-5;

pub(crate) fn run(_: &Form) -> Vec<ValidationRow> {
    let (angle, seconds) = (0.3_f64, 0.3);
    let bound = angle.tan() / 3.0;
    let (speed, spin) = roll_down(angle, 1.5 * bound, seconds).unwrap_or((f64::NAN, f64::NAN));
    let (slipping, _) = roll_down(angle, 0.5 * bound, seconds).unwrap_or((f64::NAN, f64::NAN));
    let (final_speed, time) = slide_to_roll().unwrap_or((f64::NAN, f64::NAN));
    vec![
        ValidationRow::relative("rolling/rolls", 2.0 / 3.0 * GRAVITY * angle.sin(), speed / seconds, STEADY),
        ValidationRow::relative("rolling/no_slip", speed, spin * RADIUS, STEADY),
        ValidationRow::relative(
            "rolling/slips",
            GRAVITY * (angle.sin() - 0.5 * bound * angle.cos()),
            slipping / seconds,
            STEADY,
        ),
        ValidationRow::relative("slide_to_roll/speed", 2.0 / 3.0 * START_SPEED, final_speed, 5e-3),
        ValidationRow::relative(
            "slide_to_roll/time",
            START_SPEED / (3.0 * SLIDE_FRICTION * GRAVITY),
            time,
            5e-3,
        ),
    ]
}

const START_SPEED: f64 = 1.0;
const SLIDE_FRICTION: f64 = 0.3;

fn mean_spin(world: &World) -> f64 {
    let edges = world.model.rods[0].edge_count();
    (world.state.rods[0].v[..edges].iter().map(|v| v[3]).sum::<f64>() / edges as f64).abs()
}

/// Speed (m/s) and spin (rad/s) of a bar across a slope after `seconds`, from rest.
fn roll_down(angle: f64, friction: f64, seconds: f64) -> Option<(f64, f64)> {
    let dt = 1e-3;
    let mut world = bar_on_slope(angle, DVec3::Y, friction, dt)?;
    for _ in 0..(seconds / dt).round() as usize {
        world.step()?;
    }
    let down = DQuat::from_rotation_y(angle) * DVec3::X;
    Some((mean_velocity(&world).dot(down), mean_spin(&world)))
}

/// Final speed of a bar that starts to slide, and the time at which it no longer does.
fn slide_to_roll() -> Option<(f64, f64)> {
    // A thousandth of the expected time.
    let dt = 1e-4;
    let mut world = bar_on_slope(0.0, DVec3::Y, SLIDE_FRICTION, dt)?;
    for v in &mut world.state.rods[0].v {
        v[0] = START_SPEED;
    }
    let slip = |world: &World| mean_velocity(world).x - mean_spin(world) * RADIUS;
    let mut time = None;
    while world.state.time < 0.2 {
        world.step()?;
        if time.is_none() && slip(&world) < 1e-3 * START_SPEED {
            time = Some(world.state.time);
        }
    }
    Some((mean_velocity(&world).x, time?))
}
