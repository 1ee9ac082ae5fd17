//! An overhand knot is pulled: it grows smaller, and it stays a knot.
//!
//! Claim: the pull rises, while the writhe of the rope keeps its sign and size, as it would not if strands tunneled.
//!
//!     cargo run --release -p ropewalk --example knot
//!
//! The same in Python: `examples/knot.py`.

use ropewalk::prelude::*;

fn build() -> Result<World, Error> {
    let rope = Rod::new(Curve::overhand(1, 1.0, 3.2e-3))
        .material(Material::new(1.8e7, 0.5, 1000.0))
        .section(Section::circle(1.5e-3))
        .segments(200)
        .mass_damping(1.0)
        .friction(0.1);
    let pull = |at: Place, speed: f64| {
        Clamp::new("rope", at).hold(Hold::Position).motion(Motion::at_velocity(DVec3::X * speed, 10.0))
    };
    World::builder()
        .title("An overhand knot, pulled")
        .dt(5e-4)
        .gravity(DVec3::ZERO)
        .rod("rope", rope)
        .clamp("left", pull(Place::start(), -0.4))
        .clamp("right", pull(Place::end(), 0.4))
        .build()
}

fn main() -> Result<(), Error> {
    let mut world = build()?;
    let before = world.rod("rope")?.writhe();
    world.run(0.5)?;
    let after = world.rod("rope")?.writhe();
    let pull = world.clamp("right")?.wrench().force.x;
    println!(
        "after 0.5 s: pull {pull:.3} N, writhe {before:.3} -> {after:.3} turns, {} contacts",
        world.contacts().len()
    );
    assert!(pull > 0.0 && !world.contacts().is_empty());
    assert!(before * after > 0.0 && after.abs() > 0.5 * before.abs());
    Ok(())
}
