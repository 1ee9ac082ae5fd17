//! A rope over a peg with a weight on either end: it creeps down on the heavy side only if friction cannot hold it.
//!
//! Claim: the forces at the two ends differ by at most exp(μπ) (Euler and Eytelwein).
//!
//!     cargo run --release -p ropewalk --example rope_over_peg
//!
//! The same in Python: `examples/rope_over_peg.py`.

use ropewalk::prelude::*;
use std::f64::consts::{FRAC_PI_2, PI};

const FRICTION: f64 = 0.3;
const PEG_RADIUS: f64 = 0.02;
const ROPE_RADIUS: f64 = 1.5e-3;

/// A rope over a peg, held at one end, with a force in N on the other.
fn world(force: f64) -> Result<World, Error> {
    let around = PEG_RADIUS + ROPE_RADIUS;
    let curve = Curve::arc(DVec3::X * -around, DVec3::Z, DVec3::X, around, PI, [0.1, 0.1]);
    let rope = Rod::new(curve)
        .material(Material::new(1e7, 0.4, 1100.0))
        .section(Section::circle(ROPE_RADIUS))
        .segments(60)
        .friction(FRICTION)
        .mass_damping(20.0);
    let peg = Body::new(Shape::cylinder(PEG_RADIUS, 0.1)).rotation(Rotation::rpy(FRAC_PI_2, 0.0, 0.0));
    World::builder()
        .title("A rope over a peg")
        .dt(1e-3)
        .body("peg", peg.friction(FRICTION).fixed())
        .rod("rope", rope)
        .clamp("held", Clamp::new("rope", Place::start()).hold(Hold::Position))
        .load("weight", Load::point("rope", Place::end(), DVec3::NEG_Z * force))
        .build()
}

fn main() -> Result<(), Error> {
    let mut world = world(1.0)?;
    world.run(0.5)?;
    let held = world.clamp("held")?.wrench().force.length();
    let most = (FRICTION * PI).exp();
    println!("1 N on one end, {held:.3} N at the other; friction allows a ratio of {most:.3}");
    assert!(held > 1.0 / most && held < most, "{held}");
    Ok(())
}
