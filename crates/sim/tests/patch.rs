//! Rods with pressure fields: contact in patches.
#![allow(clippy::unwrap_used)]

mod common;

use common::{World, body_shape, rubber};
use glam::{DMat3, DVec3};
use ropewalk_body::{Inertia, JointKind};
use ropewalk_geometry::Shape;
use ropewalk_geometry::pressure::{PatchBody, RodField, RodSection};
use ropewalk_linalg::Pose;
use ropewalk_rod::{RodBuilder, Section};
use ropewalk_sim::{
    Actuator, ActuatorKind, ContactSettings, Interpolation, Load, LoadKind, Model, Settings, State, Surface,
    TimeFunction, TreeModel, Workspace,
};
use std::sync::Arc;

const RADIUS: f64 = 2e-3;
const MODULUS: f64 = 1e5;
const FRICTION: f64 = 0.5;

/// Round ropes with fields of `modulus` and `facet`, and bodies.
fn world(ropes: Vec<Vec<DVec3>>, trees: Vec<TreeModel>, (modulus, facet): (f64, f64), dt: f64) -> World {
    let rope = |nodes| RodBuilder::new(nodes, Section::Circle { radius: RADIUS }, rubber()).build().unwrap();
    let rods: Vec<_> = ropes.into_iter().map(rope).collect();
    let mut model = Model {
        rod_surfaces: vec![Surface { friction: FRICTION, ..Surface::default() }; rods.len()],
        trees,
        contact: Some(ContactSettings::default()),
        settings: Settings { dt, ..Settings::default() },
        ..Model::default()
    };
    for (rod, _) in &rods {
        let section = RodSection::circle(RADIUS, Some(facet)).unwrap();
        let field = RodField::new(section, modulus, rod.edge_count(), rod.closed()).unwrap();
        model.patches.rods.push(Some(field));
    }
    for (t, tree) in model.trees.iter().enumerate() {
        for (s, shape) in tree.shapes.iter().enumerate() {
            let body = PatchBody::rigid(shape.collider.shape(), None).unwrap();
            model.patches.shapes.push(((t, s), Arc::new(body)));
        }
    }
    World::of_rods(rods, model)
}

/// A body without weight.
fn body(kind: JointKind, at: Pose, shape: Shape, mass: f64) -> TreeModel {
    let about_com =
        shape.mass_properties(1.0).map_or(DMat3::IDENTITY * mass, |p| p.inertia * (mass / p.mass));
    let inertia = Inertia { mass, com: DVec3::ZERO, about_com };
    TreeModel { heavy: false, ..common::body(kind, at, inertia, vec![body_shape(&shape, FRICTION)]) }
}

fn line(count: usize, step: f64, from: DVec3) -> Vec<DVec3> {
    (0..count).map(|i| from + DVec3::X * step * i as f64).collect()
}

#[test]
fn a_heavy_rope_sinks_in_as_its_pressure_field_says() {
    let polygons = contacts_of_a_sunken_rope(None);
    let clustered = contacts_of_a_sunken_rope(Some(0.1));
    assert!(2 * clustered <= polygons, "{clustered} of {polygons}");
}

/// How many contacts hold it at the end.
fn contacts_of_a_sunken_rope(cluster_angle: Option<f64>) -> usize {
    // Pressed on a rigid floor by a load per length, a round field carries E(2a − (aR + h² asinh(a/h))/R) per length at
    // the depth R − h, a² = R² − h².
    let nodes = line(13, 5e-3, DVec3::new(-0.03, 0.0, RADIUS - 1e-5));
    let floor = body(JointKind::Fixed, Pose::IDENTITY, Shape::HalfSpace, 1.0);
    let mut world = world(vec![nodes], vec![floor], (MODULUS, RADIUS / 8.0), 1e-3);
    world.model.contact = Some(ContactSettings { cluster_angle, ..ContactSettings::default() });
    let h: f64 = 0.8 * RADIUS;
    let a = (RADIUS * RADIUS - h * h).sqrt();
    let pressed = MODULUS * (2.0 * a - (a * RADIUS + h * h * (a / h).asinh()) / RADIUS);
    world.model.rods[0].mass_damping = 20.0;
    world.model.loads.push(Load {
        name: "weight".into(),
        rod: 0,
        kind: LoadKind::Distributed { edges: [0, 11], force: DVec3::NEG_Z * pressed },
        scale: TimeFunction::Constant(1.0),
    });
    for _ in 0..800 {
        world.step();
    }
    let depth = RADIUS - world.state.rods[0].position(6).z;
    assert!((depth / (RADIUS - h) - 1.0).abs() < 0.02, "{depth} instead of {}", RADIUS - h);
    let speed = (0..13).map(|i| world.state.rods[0].velocity(i).length()).fold(0.0, f64::max);
    // It may roll: nothing brakes that.
    assert!(speed < 2e-5, "{speed}");
    let patches = world.workspace.patches();
    let all = patches.iter().map(|p| p.force.z).sum::<f64>();
    assert!((all / (pressed * 0.06) - 1.0).abs() < 1e-6, "{all}");
    let width = patches[0].area / 0.06;
    assert!((width / (2.0 * a) - 1.0).abs() < 0.05, "{width} instead of {}", 2.0 * a);
    assert!(patches[0].center_of_pressure.x.abs() < 1e-6, "{:?}", patches[0]);
    let corners = world.workspace.contacts().filter(|c| c.area > 0.0).map(|c| c.corners[1]).sum::<u32>();
    // Clustered contacts have none.
    let all = if cluster_angle.is_some() { 0 } else { world.workspace.patch_corners().len() };
    assert_eq!(corners as usize, all);
    world.workspace.contacts().filter(|c| c.area > 0.0).count()
}

#[test]
fn soft_ropes_and_a_body_that_collide_keep_their_momentum() {
    let crossing: Vec<DVec3> =
        (0..15).map(|i| DVec3::new(0.004, 5e-3 * (f64::from(i) - 7.0), 2.0 * RADIUS + 5e-4)).collect();
    let shape = Shape::Box { size: DVec3::new(0.03, 0.02, 0.01) };
    let block = body(JointKind::Free, Pose::at(DVec3::new(0.0, 0.0, -RADIUS - 5.5e-3)), shape, 0.01);
    let ropes = vec![line(15, 5e-3, DVec3::new(-0.033, 0.0, 0.0)), crossing];
    let mut world = world(ropes, vec![block], (MODULUS, RADIUS / 2.0), 1e-3);
    for v in &mut world.state.rods[1].v {
        (v[0], v[2]) = (0.2, -0.6);
    }
    world.state.trees[0].v = vec![0.0, 0.1, 0.5, 1.0, -2.0, 3.0];
    let (start, scale) = (world.momentum(), 0.01);
    let mut polygons = 0;
    for _ in 0..60 {
        world.step();
        polygons += world.workspace.contacts().filter(|c| c.area > 0.0).count();
        let change = (world.momentum() - start).length();
        assert!(change < 1e-9 * scale, "{change}");
    }
    assert!(polygons > 100, "{polygons}");
}

#[test]
fn a_soft_rope_pinched_and_pulled_with_half_the_limit_stays() {
    let pinch = 4.0;
    let mut trees = Vec::new();
    for sign in [1.0, -1.0] {
        let at = Pose::at(DVec3::Y * sign * (RADIUS + 5e-3 + 1e-5));
        let kind = JointKind::Prismatic { axis: DVec3::Y };
        trees.push(body(kind, at, Shape::Box { size: DVec3::new(0.02, 0.01, 0.02) }, 0.05));
    }
    let mut world = world(vec![line(25, 5e-3, DVec3::X * -0.06)], trees, (10.0 * MODULUS, 2e-3), 1e-3);
    for (tree, sign) in [(0, 1.0), (1, -1.0)] {
        world.model.actuators.push(Actuator {
            name: "closes".into(),
            tree,
            link: 0,
            dof: 0,
            kind: ActuatorKind::Force { effort: TimeFunction::Constant(-sign * pinch) },
            effort_limit: f64::INFINITY,
        });
    }
    world.model.rods[0].mass_damping = 5.0;
    world.model.loads.push(Load {
        name: "pull".into(),
        rod: 0,
        kind: LoadKind::Point { node: 24, force: DVec3::X * (FRICTION * pinch) },
        scale: TimeFunction::Ramp {
            times: [0.1, 0.4],
            values: [0.0, 1.0],
            interpolation: Interpolation::Linear,
        },
    });
    world.state = State { rods: world.state.rods, ..State::default() };
    world.state.complete(&world.model);
    world.workspace = Workspace::new(&world.model);
    let mut middle = 0.0;
    for i in 0..2000 {
        world.step();
        if i == 1000 {
            middle = world.state.rods[0].position(12).x;
        }
    }
    let creep = world.state.rods[0].position(12).x - middle;
    println!("creep {creep:e} m/s");
    assert!(creep.abs() < 1e-7, "{creep}");
    let held: f64 = world.workspace.patches().iter().map(|p| p.force.x).sum();
    assert!((held + FRICTION * pinch).abs() < 1e-4, "{held}");
}

/// Arms at the start of the step braked a rod that rolled, by 0.7 vδt/1.5R of its weight.
#[test]
fn a_rod_rolls_in_patches_without_being_braked() {
    let (speed, dt, gravity) = (0.4, 1e-3, 9.81);
    for facet in [RADIUS / 1.3, RADIUS / 4.0, RADIUS / 12.0] {
        let nodes = line(5, 5e-3, DVec3::new(-0.01, 0.0, RADIUS - 2e-5));
        let floor = body(JointKind::Fixed, Pose::IDENTITY, Shape::HalfSpace, 1.0);
        let mut world = world(vec![nodes], vec![floor], (MODULUS, facet), dt);
        world.model.gravity = DVec3::NEG_Z * gravity;
        // Along x, it rolls along y: v = ω × r.
        for v in &mut world.state.rods[0].v {
            (v[1], v[3]) = (speed, -speed / RADIUS);
        }
        let velocity = |world: &World| world.momentum().y / world.model.rods[0].total_mass();
        for _ in 0..50 {
            world.step();
        }
        let (before, steps) = (velocity(&world), 200);
        for _ in 0..steps {
            world.step();
        }
        let resistance = (before - velocity(&world)) / (gravity * dt * f64::from(steps));
        let scale = speed * dt / RADIUS;
        println!("facets of {facet:.1e} m: resistance {resistance:.2e}, {:.3} vδt/R", resistance / scale);
        assert!(resistance.abs() < 0.1 * scale, "{resistance} with facets of {facet} m");
    }
}
