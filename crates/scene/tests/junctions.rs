//! Rods that are joined: moments go through a junction as through one rod, and three arms carry what beams carry. And what else
//! is wrong with scenes at their start: overlaps, meshes.
#![allow(clippy::unwrap_used)]

use glam::DVec3;
use ropewalk_scene::{Scene, load_text};
use ropewalk_sim::{World, find_overlaps, measure};
use std::sync::Arc;

fn scene(text: &str) -> Scene {
    let head = "title = \"joined\"\ngravity = [0.0, 0.0, -9.81]\ntime = { dt = 5e-3, duration = 1.0 }\n\
                [material.rubber]\nyoungs_modulus = 1e7\npoisson_ratio = 0.5\ndensity = 1000.0\n";
    load_text("joined.toml", &format!("{head}{text}"), None, &[]).unwrap()
}

fn rod(name: &str, from: [f64; 3], to: [f64; 3], segments: usize, more: &str) -> String {
    format!(
        "[rod.{name}]\nmaterial = \"rubber\"\nsection = {{ circle = {{ radius = 4e-3 }} }}\nmass_damping = 20.0\n\
         curve = {{ line = {{ from = {from:?}, to = {to:?} }} }}\nsegments = {segments}\n{more}\n"
    )
}

fn settled(scene: Scene, steps: u64) -> World {
    let mut world = World::new(Arc::new(scene.model), scene.state);
    assert_eq!(world.step(steps, None).failure(), None);
    world
}

#[test]
fn the_moment_through_a_junction_is_that_of_a_continuous_rod() {
    let clamps = |last: &str| {
        format!("[clamp.a]\nrod = \"a\"\nat = \"start\"\n[clamp.b]\nrod = \"{last}\"\nat = \"end\"\n")
    };
    // As long, with the same segments: each half has ten and a half.
    let one = rod("a", [0.0; 3], [0.42, 0.0, 0.0], 21, "") + &clamps("a");
    let two = rod("a", [0.0; 3], [0.21, 0.0, 0.0], 11, "")
        + &rod("b", [0.21, 0.0, 0.0], [0.42, 0.0, 0.0], 11, "")
        + "[junction.middle]\nends = [{ rod = \"a\", at = \"end\" }, { rod = \"b\", at = \"start\" }]\n"
        + &clamps("b");
    let (one, two) = (settled(scene(&one), 600), settled(scene(&two), 600));
    let [whole, halves] = [&one, &two].map(|world| {
        let wrenches = world.workspace().clamp_wrenches();
        [wrenches[0].torque.y, wrenches[1].torque.y, wrenches[0].force.x]
    });
    // Moments at the walls to 1 %; the edge that both rods share stretches half as much, which the tension of so flat an arc
    // feels.
    for ((a, b), tolerance) in whole.iter().zip(&halves).zip([0.01, 0.01, 0.02]) {
        assert!((a / b - 1.0).abs() < tolerance, "{whole:?} against {halves:?}");
    }
    // The moment in the middle: at the nodes on both sides of the junction.
    let moment = |world: &World, rod: usize, j: usize| measure::moments(world.model(), world.state(), rod)[j];
    let (through, same) = (moment(&two, 0, 9), moment(&one, 0, 9));
    let size = |m: [f64; 3]| m[0].hypot(m[1]);
    assert!((size(through) / size(same) - 1.0).abs() < 0.01, "{through:?} against {same:?}");
}

#[test]
fn rods_that_are_clamped_end_to_start_are_held_as_they_are() {
    // The scene of a report: a continuous cable pulls with 3.02 N, two that were clamped together pulled with 261 N.
    let text = include_str!("../../validation/scenes/failures/harness2.toml");
    let scene = load_text("harness2.toml", text, None, &[]).unwrap();
    let mut world = World::new(Arc::new(scene.model), scene.state);
    let steps = (1.0 / world.model().settings.dt).round() as u64;
    assert_eq!(world.step(steps, None).failure(), None);
    let force = world.workspace().attachment_wrenches()[0].force.length();
    assert!((2.0..4.5).contains(&force), "{force} N");
    // Rods that do not meet are refused with the gap.
    let apart = text.replace("from = [0,0,0.3]", "from = [0.05,0,0.3]");
    let error = load_text("harness2.toml", &apart, None, &[]).unwrap_err().to_string();
    assert!(error.contains("50 mm apart") && error.contains("attach.y"), "{error}");
}

#[test]
fn three_arms_of_a_y_bend_as_guided_beams() {
    // By symmetry the junction neither tilts nor turns: each arm is clamped outside, guided in the middle, and carries P/3.
    // So little that the arms hardly stretch: the deflection is a twentieth of the radius of gyration.
    let (length, force) = (0.2, -0.001);
    let mut text = String::new();
    for (k, name) in ["a", "b", "c"].iter().enumerate() {
        let (s, c) = (std::f64::consts::TAU * k as f64 / 3.0).sin_cos();
        text += &rod(name, [length * c, length * s, 0.0], [0.0; 3], 25, "clamped_half_edge = \"start\"");
        text += &format!("[clamp.{name}]\nrod = \"{name}\"\nat = \"start\"\n");
    }
    text += "[junction.y]\nends = [{ rod = \"a\", at = \"end\" }, { rod = \"b\", at = \"end\" }, { rod = \"c\", at = \"end\" }]\n";
    let scene = scene(&text);
    assert_eq!(find_overlaps(&scene.model, &scene.state), []);
    let mut world = World::new(Arc::new(scene.model), scene.state);
    world.set_gravity(Some(DVec3::ZERO)).unwrap();
    world.set_edge_force(0, 24, DVec3::Z * force).unwrap();
    assert_eq!(world.step(400, None).failure(), None);
    let stiffness = 1e7 * std::f64::consts::FRAC_PI_4 * 4e-3f64.powi(4);
    let expected = force / 3.0 * length.powi(3) / (12.0 * stiffness);
    for rod in &world.state().rods {
        let z = 0.5 * (rod.position(24).z + rod.position(25).z);
        assert!((z / expected - 1.0).abs() < 0.01, "{z} against {expected}");
    }
    // A third of it goes through each joint with the first arm.
    for wrench in world.workspace().attachment_wrenches() {
        assert!((wrench.force.z.abs() / (force / 3.0).abs() - 1.0).abs() < 0.02, "{wrench:?}");
    }
}

#[test]
fn rods_that_do_not_meet_are_not_joined() {
    let text = rod("a", [0.0; 3], [0.2, 0.0, 0.0], 10, "")
        + &rod("b", [0.25, 0.0, 0.0], [0.45, 0.0, 0.0], 10, "")
        + "[junction.j]\nends = [{ rod = \"a\", at = \"end\" }, { rod = \"b\", at = \"start\" }]\n";
    let head = "title = \"apart\"\n[material.rubber]\nyoungs_modulus = 1e7\npoisson_ratio = 0.5\ndensity = 1000.0\n\
                [time]\nduration = 1.0\n";
    let error = load_text("apart.toml", &format!("{head}{text}"), None, &[]).unwrap_err().to_string();
    assert!(error.contains("\"a\" and \"b\" are 50 mm apart"), "{error}");
}

#[test]
fn overlap_at_the_start_is_named_with_its_depth() {
    let text = rod("a", [0.0, 0.0, 0.01], [0.2, 0.0, 0.01], 10, "")
        + &rod("b", [0.1, -0.1, 0.015], [0.1, 0.1, 0.015], 10, "")
        + "[body.table]\nshape = \"half_space\"\nmotion = \"fixed\"\nposition = [0.0, 0.0, 0.009]\n";
    let scene = scene(&text);
    let words: Vec<String> =
        find_overlaps(&scene.model, &scene.state).iter().map(|o| o.words(&scene.model)).collect();
    assert_eq!(words.len(), 2, "{words:?}");
    // The rod lies 1 mm above the plane and is 4 mm thick to each side; the rods are 5 mm apart.
    let of = |a: &str, b: &str| words.iter().find(|w| w.contains(a) && w.contains(b)).unwrap().clone();
    assert!(of("rod 'a'", "rod 'b'").contains("3.000 mm"), "{words:?}");
    assert!(of("rod 'a'", "body 'table'").contains("3.000 mm"), "{words:?}");
}

#[test]
fn fixed_meshes_are_checked() {
    let body = |triangles: &str| {
        format!(
            "title = \"mesh\"\n[time]\nduration = 1.0\n[body.rock]\nmotion = \"fixed\"\nshape = {{ mesh = {{ vertices = [[0.0, 0.0, 0.0], \
             [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], triangles = {triangles} }} }}\n"
        )
    };
    let load = |triangles: &str| load_text("mesh.toml", &body(triangles), None, &[]);
    assert_eq!(load("[[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]").unwrap().warnings, Vec::<String>::new());
    let open = load("[[0, 2, 1], [0, 1, 3], [1, 2, 3]]").unwrap().warnings;
    assert!(open.len() == 1 && open[0].contains("`rock`") && open[0].contains("open (3 edges"), "{open:?}");
    let error = load("[[0, 1, 2], [0, 3, 1], [1, 3, 2], [0, 2, 3]]").unwrap_err().to_string();
    assert!(error.contains("not positive") && error.contains("body.rock"), "{error}");
}
