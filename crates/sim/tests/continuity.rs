//! Contact is continuous: force, stiffness and stick force have no jump as a contact slides past a node, as edges turn
//! through parallel, as a rope is laid down, as a strip tilts. All of it by steps of the simulator.
//!
//! With a stiffness that is given, and a step so short that nothing moves in it, the force of a step is a function of the
//! configuration. It is followed along a path of configurations; a jump is a change that does not get smaller with
//! the distance between them.
#![allow(clippy::unwrap_used)]

mod common;

use common::{World, body, body_shape, rubber};
use glam::{DMat3, DQuat, DVec3};
use ropewalk_body::{Inertia, JointKind};
use ropewalk_geometry::Shape;
use ropewalk_linalg::Pose;
use ropewalk_rod::{Material, Rod, RodBuilder, RodState, Section};
use ropewalk_sim::{Clamp, ClampPose, ContactSettings, Hold, Model, Motion, Settings, Surface, TreeModel};

/// Stiffness of each side, N/m; of a pair half of it.
const STIFFNESS: f64 = 1e4;
const PAIR: f64 = 0.5 * STIFFNESS;
/// How deep things are pressed together, m.
const DEPTH: f64 = 1e-4;
const RADIUS: f64 = 2e-3;
const HEIGHT: f64 = 1e-3;
const ROUND: Section = Section::Circle { radius: RADIUS };
const FLAT: Section = Section::Rectangle { width: 8e-3, height: 2.0 * HEIGHT };

fn surface() -> Surface {
    Surface { friction: 0.0, stiffness: Some(STIFFNESS), ..Surface::default() }
}

fn fixed(at: Pose, shape: &Shape) -> TreeModel {
    let inertia = Inertia { mass: 1.0, com: DVec3::ZERO, about_com: DMat3::IDENTITY };
    let mut shape = body_shape(shape, 0.0);
    shape.surface = surface();
    body(JointKind::Fixed, at, inertia, vec![shape])
}

fn rod(nodes: Vec<DVec3>, section: &Section) -> (Rod, RodState) {
    let mut builder = RodBuilder::new(nodes, *section, rubber());
    builder.rest = ropewalk_rod::RestShape::AsGiven;
    builder.director = Some(DVec3::Y);
    builder.build().unwrap()
}

/// Nodes of a rod along x, an edge of 10 mm long, that bends by `turn` (rad) at each node; the middle node is the origin.
fn nodes(turn: f64) -> Vec<DVec3> {
    let mut out = vec![DVec3::ZERO; 11];
    for i in 5..10 {
        let angle = turn * (i as f64 - 4.5);
        out[i + 1] = out[i] + 0.01 * DVec3::new(angle.cos(), 0.0, angle.sin());
        out[9 - i] = out[10 - i] + 0.01 * DVec3::new(-angle.cos(), 0.0, angle.sin());
    }
    out
}

/// Sum of the normal forces of a step that is too short for any motion, N.
fn force(rods: Vec<(Rod, RodState)>, trees: Vec<TreeModel>) -> f64 {
    let model = Model {
        rod_surfaces: vec![surface(); rods.len()],
        trees,
        contact: Some(ContactSettings::default()),
        settings: Settings { dt: 1e-9, ..Settings::default() },
        ..Model::default()
    };
    let mut world = World::of_rods(rods, model);
    world.step();
    world.workspace.contacts().map(|contact| contact.normal_force()).sum()
}

/// Forces along a path of configurations, s = 0…1: least, greatest, and the greatest jump. Twice as many configurations
/// halve what is no jump.
fn along(count: usize, force_at: impl Fn(f64) -> f64) -> (f64, f64, f64) {
    let follow =
        |count: usize| -> Vec<f64> { (0..=count).map(|i| force_at(i as f64 / count as f64)).collect() };
    let change = |forces: &[f64]| forces.windows(2).map(|w| (w[1] - w[0]).abs()).fold(0.0, f64::max);
    let (coarse, fine) = (follow(count), follow(2 * count));
    let jump = 2.0 * change(&fine) - change(&coarse);
    let least = fine.iter().copied().fold(f64::INFINITY, f64::min);
    (least, fine.iter().copied().fold(0.0, f64::max), jump.max(0.0))
}

#[test]
fn a_ball_that_slides_past_nodes_feels_the_stiffness_that_was_given() {
    let ball = Shape::Sphere { radius: 0.012 };
    for (section, half) in [(ROUND, RADIUS), (FLAT, HEIGHT)] {
        let (least, greatest, jump) = along(800, |s| {
            let at = DVec3::new(0.03 * (s - 0.5), 0.0, half + 0.012 - DEPTH);
            force(vec![rod(nodes(0.0), &section)], vec![fixed(Pose::at(at), &ball)])
        });
        let expected = PAIR * DEPTH;
        assert!(jump < 1e-2 * expected, "{section:?}: jumps by {jump} of {expected}");
        // Where a node is about to touch as well, two rows share it, and the second is not as deep.
        assert!(least > 0.85 * expected && greatest < 1.01 * expected, "{section:?}: {least} to {greatest}");
    }
}

#[test]
fn a_ball_inside_a_bend_does_not_feel_where_the_nodes_are() {
    // Two edges next to a node touch it at the same time.
    let ball = Shape::Sphere { radius: 0.012 };
    let (least, greatest, jump) = along(800, |s| {
        let at = DVec3::new(0.004 * (s - 0.5), 0.0, RADIUS + 0.012 - DEPTH);
        force(vec![rod(nodes(0.02), &ROUND)], vec![fixed(Pose::at(at), &ball)])
    });
    assert!(jump < 2e-2 * greatest, "jumps by {jump} of {greatest}");
    assert!(greatest < 3.0 * least, "{least} to {greatest}");
}

#[test]
fn a_rope_that_slides_along_another_feels_the_stiffness_that_was_given() {
    for (section, half) in [(ROUND, RADIUS), (FLAT, HEIGHT)] {
        let (least, greatest, jump) = along(800, |s| {
            let shift = DVec3::new(0.03 * (s - 0.5), 0.0, 2.0 * half - DEPTH);
            let across = |x: &DVec3| DVec3::new(0.0, x.x + 3.7e-3, 0.0) + shift;
            let mut builder = RodBuilder::new(nodes(0.0).iter().map(across).collect(), section, rubber());
            builder.director = Some(DVec3::X);
            force(vec![rod(nodes(0.0), &section), builder.build().unwrap()], vec![])
        });
        assert!(jump < 2e-2 * greatest, "{section:?}: jumps by {jump} of {greatest}");
        assert!(least > 0.0 && greatest < 1.5 * least, "{section:?}: {least} to {greatest}");
    }
}

#[test]
fn edges_that_turn_through_parallel_do_not_jump() {
    let (least, greatest, jump) = along(800, |s| {
        let turn = DQuat::from_rotation_z(0.2 * (s - 0.5));
        let other = |x: &DVec3| turn * *x + DVec3::new(2.3e-3, 0.0, 2.0 * RADIUS - DEPTH);
        force(vec![rod(nodes(0.0), &ROUND), rod(nodes(0.0).iter().map(other).collect(), &ROUND)], vec![])
    });
    assert!(jump < 3e-2 * greatest, "jumps by {jump} of {greatest}");
    // Crossed they touch at a point, parallel in all nodes of both.
    assert!(greatest < 30.0 * least, "{least} to {greatest}");
}

#[test]
fn a_rope_that_is_laid_down_does_not_jump() {
    for (section, half) in [(ROUND, RADIUS), (FLAT, HEIGHT)] {
        let (least, greatest, jump) = along(800, |s| {
            let turn = DQuat::from_rotation_y(0.02 * (s - 0.5));
            let raised = 0.05 * (0.02 * (s - 0.5)).sin().abs() + half * (0.02 * (s - 0.5)).cos() - DEPTH;
            let place = |x: &DVec3| turn * *x + DVec3::Z * raised;
            let rope = rod(nodes(0.0).iter().map(place).collect(), &section);
            force(vec![rope], vec![fixed(Pose::IDENTITY, &Shape::HalfSpace)])
        });
        assert!(jump < 2e-2 * greatest, "{section:?}: jumps by {jump} of {greatest}");
        // One node, then all eleven; of a strip two corners each.
        assert!(
            least > 0.5 * PAIR * DEPTH && greatest < 25.0 * PAIR * DEPTH,
            "{section:?}: {least} to {greatest}"
        );
    }
}

#[test]
fn a_strip_that_tilts_on_a_cylinder_does_not_jump() {
    let post = Shape::Cylinder { radius: 0.01, length: 0.1 };
    let across = DQuat::from_rotation_x(core::f64::consts::FRAC_PI_2);
    let (least, greatest, jump) = along(800, |s| {
        let tilt = DQuat::from_rotation_x(0.1 * (s - 0.5));
        let strip = {
            let mut builder = RodBuilder::new(nodes(0.0), FLAT, rubber());
            builder.director = Some(tilt * DVec3::Y);
            builder.build().unwrap()
        };
        // Its lower corner is as deep at every tilt.
        let angle = 0.1 * (s - 0.5f64).abs();
        let below = 4e-3 * angle.sin() + HEIGHT * angle.cos();
        let at = Pose::new(DVec3::new(1.7e-3, 0.0, -0.01 - below + DEPTH), across);
        force(vec![strip], vec![fixed(at, &post)])
    });
    assert!(jump < 5e-2 * greatest, "jumps by {jump} of {greatest}");
    assert!(least > 0.3 * PAIR * DEPTH && greatest < 5.0 * least, "{least} to {greatest}");
}

#[test]
fn the_stick_force_of_a_roller_does_not_feel_the_nodes_of_its_rails() {
    // A cylinder rolls down two rails: friction is a third of its weight along the slope, at every place.
    let (slope, mass, radius) = (0.2f64, 0.1, 0.01);
    let steel = Material::from_poisson(2e11, 0.3, 7800.0);
    let rails: Vec<(Rod, RodState)> = [-0.015, 0.015]
        .iter()
        .map(|y| {
            let nodes =
                (0..13).map(|i| DVec3::new(0.01 * (f64::from(i) - 2.0), *y, -0.003 - radius)).collect();
            RodBuilder::new(nodes, Section::Circle { radius: 0.003 }, steel).build().unwrap()
        })
        .collect();
    let shape = Shape::Cylinder { radius, length: 0.05 };
    let inertia = {
        let p = shape.mass_properties(1.0).unwrap();
        Inertia { mass, com: p.com, about_com: p.inertia * (mass / p.mass) }
    };
    let across = Pose::new(DVec3::ZERO, DQuat::from_rotation_x(core::f64::consts::FRAC_PI_2));
    let roller = body(JointKind::Free, across, inertia, vec![body_shape(&shape, 0.8)]);
    let clamps = rails.iter().enumerate().flat_map(|(r, (rod, state))| {
        (0..rod.edge_count()).map(move |edge| {
            let hold = Hold::Edge(edge);
            Clamp {
                name: format!("{r}/{edge}"),
                rod: r,
                hold,
                motion: Motion::default(),
                start: ClampPose::of(hold, rod, state),
                release_time: f64::INFINITY,
            }
        })
    });
    let model = Model {
        gravity: 9.81 * DVec3::new(slope.sin(), 0.0, -slope.cos()),
        rod_surfaces: vec![Surface { friction: 0.8, ..Surface::default() }; 2],
        clamps: clamps.collect(),
        trees: vec![roller],
        contact: Some(ContactSettings::default()),
        settings: Settings { dt: 1e-3, ..Settings::default() },
        ..Model::default()
    };
    let mut world = World::of_rods(rails, model);
    // Gaps may be off by this; at nodes that would be a force of m·gap/δt² in single steps.
    world.model.settings.tuning.contact_tolerance = 1e-5;
    let (expected, weight) = (mass * 9.81 * slope.sin() / 3.0, mass * 9.81 * slope.cos());
    let (mut rolled, mut off) = (0.0, [0.0f64; 2]);
    for i in 0..300 {
        world.step();
        let felt = world.workspace.link_contact_wrenches(0)[0].force;
        if i > 20 {
            off[0] = off[0].max((-felt.x / expected - 1.0).abs());
            off[1] = off[1].max((felt.z / weight - 1.0).abs());
        }
        rolled = ropewalk_sim::measure::tree_kinematics(&world.model, &world.state, 0).poses[0].position.x;
    }
    // A third of the acceleration goes into rolling; past six nodes.
    let free = 0.5 * 9.81 * slope.sin() * 2.0 / 3.0 * 0.3f64.powi(2);
    assert!((rolled / free - 1.0).abs() < 5e-3, "{rolled} of {free} m");
    // Where the load goes from one row to the next within a step, that step's friction starts anew on a part of it.
    assert!(off[0] < 0.15 && off[1] < 0.02, "friction and normal force are off by {off:?}");
}
