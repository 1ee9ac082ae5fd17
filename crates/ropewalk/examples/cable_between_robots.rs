//! A cable hangs between two grippers; one of them lets go.
//!
//! Claim: at rest the grippers carry the cable's weight, and half of it each.
//!
//!     cargo run --release -p ropewalk --example cable_between_robots
//!
//! The same in Python: `examples/cable_between_robots.py`.

use ropewalk::prelude::*;
use std::f64::consts::PI;

/// The two arms, without the cable.
fn arms() -> ropewalk::WorldBuilder {
    let mut builder = World::builder().title("A cable between two grippers").dt(2e-3).duration(6.0);
    for (name, x, yaw) in [("left", -0.7, 0.0), ("right", 0.7, PI)] {
        let arm = Robot::new("robot:arm7_gripper")
            .position(DVec3::X * x)
            .rotation(Rotation::rpy(0.0, 0.0, yaw))
            .joint("shoulder_pitch", 0.4)
            .joint("elbow", 1.2)
            .joint("wrist_pitch", 0.4)
            .gravity_compensation(true);
        builder = builder.robot(name, arm).controller(name, Controller::new(name, 1e4, 300.0));
    }
    builder
}

fn build() -> Result<World, Error> {
    let start = arms().build()?;
    let end = |name: &str| Ok::<_, Error>(start.robot(name)?.link_pose("hand")?.position);
    let (left, right) = (end("left")?, end("right")?);
    let sag = 0.5 * (left + right) - DVec3::Z * 0.15;
    let cable = Rod::new(Curve::spline([left, sag, right]))
        .section(Section::stiffness(2e3, [1e-5, 1e-5], 1e-5, 0.03, 2e-3))
        .segments(60)
        .mass_damping(4.0);
    let grip = |robot: &str, at: Place| {
        Attachment::ball(AttachmentEnd::rod("cable", at), AttachmentEnd::link(robot, "hand"))
    };
    arms()
        .rod("cable", cable)
        .attach("grip_left", grip("left", Place::start()))
        .attach("grip_right", grip("right", Place::end()))
        .build()
}

fn main() -> Result<(), Error> {
    let mut world = build()?;
    world.step_by(1500)?;
    let weight = 9.81 * world.rod("cable")?.mass();
    let carried =
        [world.attachment("grip_left")?.wrench().force.z, world.attachment("grip_right")?.wrench().force.z];
    println!(
        "the cable weighs {weight:.4} N; the grippers carry {:.4} N and {:.4} N",
        carried[0], carried[1]
    );
    for force in carried {
        assert!((force - 0.5 * weight).abs() < 0.02 * 0.5 * weight);
    }
    world.attachment("grip_right")?.release();
    world.step_by(1500)?;
    let left = world.attachment("grip_left")?.wrench().force.z;
    println!("after the release: {left:.4} N");
    assert!(!world.attachment("grip_right")?.holds());
    Ok(())
}
