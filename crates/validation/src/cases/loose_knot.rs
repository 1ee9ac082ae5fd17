//! Pull of a loose overhand knot without friction.
//!
//! A rope with a loose knot is a circle of radius R between two straight tails, and the pull in equilibrium is F =
//! B/(2R²) = 2π²B/e², e = 2πR the end shortening. Source: Audoly, Clauvelin, Neukirch, Elastic knots, Phys. Rev.
//! Lett. 99, 164301, 2007. That is the limit of a thin rope: the braid, whose length goes as √(r R), adds a term of
//! that order, here about 1.4 √(r/R): 4 % at r = R/1000 and 20 % at R/50.
//!
//! The ends are fixed and the rope is damped until it rests. It is a steel wire of 0.2 mm, 1 m long, its ends 0.37 m
//! apart: R = 0.1 m = 1000 r. Segments of 0.5 mm = R/200 resolve the braid, √(r R) = 3 mm. Damping α = 20/s, below
//! the slowest frequency of the loop, so that it comes to rest soon; it has no effect at rest.
//!
//! - `loose_knot/pull`: F.
//! - Long form: `loose_knot/50` and so on, thicker ropes, r = R/50, with the same time scale: reported.

use super::{Form, ValidationRow};
use crate::worlds::knot::KnottedRope;
use core::f64::consts::PI;
use ropewalk_sim::measure;

const THIN: f64 = 1e-4;
const STEEL: f64 = 2e11;
const DT: f64 = 1e-3;
/// Longest time to rest, s.
const PATIENCE: f64 = 20.0;

pub(crate) fn run(form: &Form) -> Vec<ValidationRow> {
    let row = |radius: f64| pull_at_rest(radius).unwrap_or((f64::NAN, f64::NAN));
    let (reference, measured) = row(THIN);
    let mut rows = vec![ValidationRow::relative("loose_knot/pull", reference, measured, 0.05)];
    if form.full {
        for thickness in [50.0, 100.0, 200.0] {
            let (reference, measured) = row(0.1 / thickness);
            rows.push(ValidationRow::reported(format!("loose_knot/{thickness}"), reference, measured));
        }
    }
    rows
}

/// F of the law and F measured, N.
fn pull_at_rest(radius: f64) -> Option<(f64, f64)> {
    let rope = KnottedRope {
        order: 1,
        radius,
        gap: 2.1 * radius,
        end_distance: 0.37,
        segments: 2000,
        mass_damping: 20.0,
        // The same time scale √(B/ρA)/R² for all: E r² and ρ are kept.
        youngs_modulus: STEEL * (THIN / radius).powi(2),
        density: 7800.0,
    };
    let mut world = rope.world(0.0, DT)?;
    let mut at_rest = false;
    // At rest when the kinetic energy is negligible relative to the elastic one.
    while !at_rest && world.state.time < PATIENCE {
        world.step()?;
        let energies = measure::energies(&world.model, &world.state);
        at_rest = world.state.time > 0.5 && energies.kinetic < 1e-14 * energies.bend;
    }
    let shortening = measure::length(&world.model, &world.state, 0) - world.end_distance();
    let stiffness = rope.youngs_modulus * 0.25 * PI * radius.powi(4);
    at_rest.then(|| (2.0 * PI * PI * stiffness / (shortening * shortening), world.pull()))
}
