//! Bushings: springs between bodies, rods and the world carry what they should, along and about each axis.
#![allow(clippy::unwrap_used)]

use glam::{DQuat, DVec3};
use ropewalk_scene::{SceneError, load_text};
use ropewalk_sim::{World, measure};
use std::sync::Arc;

const MASS: f64 = 0.2;
const ARM: f64 = 0.05;
const SPRINGS: &str = "bushing = { translation = 400.0, bend = 0.5, twist = 0.8, damping_time = 0.05";

/// A bar whose center of mass is `ARM` along its own axis z from where it is held, turned by `rotation`.
fn text(rotation: &str, attach: &str) -> String {
    format!(
        "title = \"bushing\"\ntime = {{ dt = 1e-3, duration = 3.0 }}\n\
         [body.bar]\nmass = {MASS}\ninertia = [2e-4, 2e-4, 2e-5, 0.0, 0.0, 0.0]\ncom = [0.0, 0.0, {ARM}]\n\
         {rotation}\n[attach.spring]\nkind = \"bushing\"\nbody = \"bar\"\nto = \"world\"\n{attach}\n"
    )
}

fn settled(text: &str) -> World {
    let scene = load_text("bushing.toml", text, None, &[]).unwrap();
    let mut world = World::new(Arc::new(scene.model), scene.state);
    assert_eq!(world.step(3000, None).failure(), None);
    world
}

/// Where the bar is held, and how it is turned.
fn pose(world: &World) -> (DVec3, DQuat) {
    let pose = measure::tree_kinematics(world.model(), world.state(), 0).poses[0];
    (pose.position, pose.rotation)
}

fn error(text: &str) -> SceneError {
    load_text("bushing.toml", text, None, &[]).unwrap_err()
}

#[test]
fn a_bar_sinks_and_turns_until_its_springs_carry_it() {
    // Level along x, so that its weight turns it about y: across its axis.
    let rotation = "rotation = { rpy = [0.0, 1.5707963267948966, 0.0] }";
    let world = settled(&text(rotation, &format!("{SPRINGS} }}")));
    let (place, turned) = pose(&world);
    let weight = 9.81 * MASS;
    assert!((place.z + weight / 400.0).abs() < 1e-6, "{place}");
    let axis = turned * DVec3::Z;
    let angle = (-axis.z).atan2(axis.x);
    let torque = weight * ARM * angle.cos();
    assert!((0.5 * angle / torque - 1.0).abs() < 1e-4, "{angle} rad for {torque} N·m");
    let wrench = world.workspace().attachment_wrenches()[0];
    assert!((wrench.force - DVec3::Z * weight).length() < 1e-5 * weight, "{}", wrench.force);
    assert!((wrench.torque.length() / torque - 1.0).abs() < 1e-4, "{} {torque}", wrench.torque);
}

#[test]
fn twist_has_a_stiffness_of_its_own() {
    // Its axis z is along world y, its center of mass off that axis: the weight twists it.
    let text = text("rotation = { rpy = [-1.5707963267948966, 0.0, 0.0] }", &format!("{SPRINGS} }}"))
        .replace(&format!("com = [0.0, 0.0, {ARM}]"), &format!("com = [{ARM}, 0.0, 0.0]"));
    let (_, turned) = pose(&settled(&text));
    let lever = turned * DVec3::X;
    let angle = (-lever.z).atan2(lever.x);
    let torque = 9.81 * MASS * ARM * angle.cos();
    assert!((0.8 * angle / torque - 1.0).abs() < 1e-4, "{angle} rad for {torque} N·m");
}

#[test]
fn a_bar_goes_to_the_rotation_at_rest() {
    let springs = format!("{SPRINGS}, rest = {{ rpy = [0.0, 0.0, 0.4] }} }}");
    let text =
        format!("gravity = [0.0, 0.0, 0.0]\n{}", text("rotation = { rpy = [0.3, 0.0, 0.0] }", &springs));
    let (_, turned) = pose(&settled(&text));
    let wanted = DQuat::from_rotation_z(0.4);
    assert!(turned.angle_between(wanted) < 1e-6, "{turned} {wanted}");
}

#[test]
fn what_is_wrong_with_a_bushing_is_said() {
    let none = error(&text("", "")).to_string();
    assert!(none.contains("bushing") && none.contains("translation = N/m"), "{none}");
    let negative = error(&text("", "bushing = { translation = 1.0, bend = -2.0, twist = 1.0 }")).to_string();
    assert!(negative.contains("attach.spring.bushing.bend") && negative.contains("above 0"), "{negative}");
    let damping = text("", &format!("{SPRINGS} }}")).replace("damping_time = 0.05", "damping_time = -0.05");
    let damping = error(&damping).to_string();
    assert!(damping.contains("attach.spring.bushing.damping_time"), "{damping}");
    let ball = text("", &format!("{SPRINGS} }}")).replace("kind = \"bushing\"", "kind = \"ball\"");
    let ball = error(&ball).to_string();
    assert!(ball.contains("only a bushing has springs"), "{ball}");
}
