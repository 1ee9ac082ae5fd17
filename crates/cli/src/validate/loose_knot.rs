//! A loose overhand knot without friction: how hard it pulls.
//!
//! A rope with a loose knot is a circle of radius R between two straight tails, and the pull that keeps it so is
//! F = B/(2R²) = 2π²B/e², e = 2πR the end shortening. Source: Audoly, Clauvelin, Neukirch, Elastic knots, Phys. Rev. Lett.
//! 99, 164301, 2007. The ends are held in place (no velocity at all) and the rope is damped until it rests.
//!
//! The rope is 1 m long, its ends 0.37 m apart: R = 0.1 m. Radius 0.5 mm, R/200, so that the braid is short; segments of
//! R/30. Damping α = 20/s, near critical for the slowest mode of the loop, so that rest comes soon; it does not act at rest.

use super::{Form, ValidationRow};
use crate::worlds::knot::KnottedRope;
use core::f64::consts::PI;
use ropewalk_sim::measure;

const RADIUS: f64 = 5e-4;
const DT: f64 = 1e-3;

pub(crate) fn run(_: &Form) -> Vec<ValidationRow> {
    let (reference, measured) = pull_at_rest().unwrap_or((f64::NAN, f64::NAN));
    vec![ValidationRow::relative("loose_knot/pull", reference, measured, 0.05)]
}

/// F of the law and F measured, N.
fn pull_at_rest() -> Option<(f64, f64)> {
    let rope = KnottedRope {
        order: 1,
        radius: RADIUS,
        gap: 2.1 * RADIUS,
        end_distance: 0.37,
        segments: 300,
        mass_damping: 20.0,
    };
    let mut world = rope.world(0.0, DT)?;
    // At rest when the kinetic energy is nothing beside the elastic one.
    for _ in 0..(20.0 / DT) as usize {
        world.step()?;
        let energies = measure::energies(&world.model, &world.state);
        if world.state.time > 1.0 && energies.kinetic < 1e-10 * energies.bend {
            break;
        }
    }
    let shortening = measure::length(&world.model, &world.state, 0) - world.end_distance();
    let stiffness = 1.8e7 * 0.25 * PI * RADIUS.powi(4);
    Some((2.0 * PI * PI * stiffness / (shortening * shortening), world.pull()))
}
