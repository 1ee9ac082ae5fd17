//! A step allocates nothing after the first, on the usual path and on the rare ones: altered tangents, stiffness
//! damping, halved steps, a step that fails.

#![allow(clippy::unwrap_used)]

mod common;

use common::{World, circle, clamped_line, line, ramp, rubber};
use glam::DVec3;
use ropewalk_rod::{NaturalShape, RodBuilder, Section};
use ropewalk_sim::{Hold, LoadKind, Model, Motion, Scheme, ShapeDrive, State, StepStatus, Workspace, step};
use ropewalk_testing::allocations::{CountingAllocator, count_in as allocations};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// A rod with every kind of clamp, load, drive and damping.
fn busy() -> World {
    let mut builder = RodBuilder::new(clamped_line(30, 0.3), Section::Circle { radius: 0.004 }, rubber());
    builder.mass_damping = 0.5;
    builder.stiffness_damping = 1e-3;
    let mut world = World::new(&builder).with(1e-3, Scheme::BACKWARD_EULER, 1e-6);
    world.model.gravity = DVec3::NEG_Z * 9.81;
    world.clamp(Hold::Edge(0), Motion { axis: DVec3::X, angle: ramp(3.0, 1.0), ..Motion::default() });
    world.clamp(Hold::Node(31), Motion::default());
    world.clamp(Hold::Spin(20), Motion::default());
    let force = DVec3::new(1e-3, 2e-3, 1e-3);
    world.load(LoadKind::Point { node: 5, force });
    world.load(LoadKind::FollowerPoint { node: 8, edge: 8, force });
    world.load(LoadKind::Distributed { edges: [3, 9], force });
    world.load(LoadKind::FollowerDistributed { edges: [3, 9], force });
    world.load(LoadKind::SpinTorque { edge: 4, torque: 1e-6 });
    world.load(LoadKind::Drag { normal: 0.1, tangential: 0.05, quadratic: 0.1, flow: DVec3::Y });
    let base = NaturalShape::straight(32);
    let curved = vec![0.1; 32];
    world.model.shape_drives.push(ShapeDrive {
        rod: 0,
        kappa1: curved.clone(),
        kappa2: curved.clone(),
        tau: curved,
        scale: ramp(1.0, 0.1),
        base,
    });
    world
}

/// A rod pushed together by half of its length, and a little out of straight.
fn buckling() -> World {
    let mut nodes = line(41, 0.0, 0.2);
    for (i, x) in nodes.iter_mut().enumerate() {
        x.y = 1e-4 * (i as f64).sin();
    }
    let mut builder = RodBuilder::new(nodes, Section::Circle { radius: 0.002 }, rubber());
    builder.rest_lengths = Some(vec![0.01]);
    World::new(&builder).with(5e-3, Scheme::BACKWARD_EULER, 1e-6)
}

#[test]
fn steps_allocate_nothing_after_the_first() {
    // In a pool of one thread all that a step does is done by that thread.
    rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(steps_allocate_nothing);
}

fn steps_allocate_nothing() {
    let mut world = busy();
    world.step();
    let count = allocations(|| world.run(50));
    assert_eq!(count, 0, "the usual path");

    let mut world = buckling();
    world.step();
    let (mut altered, mut substeps) = (0, 0);
    let count = allocations(|| {
        for _ in 0..40 {
            let report = world.step();
            altered += report.altered_tangents;
            substeps += report.substeps;
        }
    });
    assert!(altered > 0, "the test must go through altered tangents");
    assert_eq!(count, 0, "altered tangents");

    // With few iterations steps are halved; with hardly any they fail.
    let mut world = buckling();
    world.model.settings.max_iterations = 4;
    world.step();
    substeps = 0;
    let count = allocations(|| {
        for _ in 0..20 {
            substeps += world.step().substeps;
        }
    });
    assert!(substeps > 20, "the test must go through halved steps");
    assert_eq!(count, 0, "halved steps");
    world.state.rods[0].v[3] = [30.0, -40.0, 50.0, 1.0];
    world.model.settings.max_iterations = 1;
    world.model.settings.max_halvings = 0;
    let mut status = StepStatus::Converged;
    let count = allocations(|| status = step(&world.model, &mut world.state, &mut world.workspace).status);
    assert_eq!(status, StepStatus::NotConverged);
    assert_eq!(count, 0, "a step that fails");

    several_rods();
    ropes_in_contact();
}

fn several_rods() {
    let mut model = Model { gravity: DVec3::NEG_Z * 9.81, ..Model::default() };
    let mut state = State::default();
    for k in 0..9 {
        let closed = k % 2 == 0;
        let nodes = if closed { circle(10 + k, 0.1) } else { line(10 + k, 0.0, 0.2) };
        let mut builder = RodBuilder::new(nodes, Section::Circle { radius: 0.003 }, rubber());
        builder.closed = closed;
        let (rod, rod_state) = builder.build().unwrap();
        model.rods.push(rod);
        state.rods.push(rod_state);
    }
    model.settings.dt = 1e-3;
    let mut workspace = Workspace::new(&model);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    // The pool's own queues may grow now and then, when a thread wakes for the first time: of several stretches one must be
    // free of allocations. A step that allocates would show in all of them.
    let count = pool.install(|| {
        let mut stretch = || {
            allocations(|| {
                for _ in 0..50 {
                    assert_eq!(step(&model, &mut state, &mut workspace).status, StepStatus::Converged);
                }
            })
        };
        (0..6).map(|_| stretch()).min()
    });
    assert_eq!(count, Some(0), "several rods, two threads");
}

/// Two ropes that lie crossed on one another on the floor: contacts that stay.
fn ropes_in_contact() {
    use ropewalk_geometry::{Collider, Shape};
    use ropewalk_sim::{BaseMotion, BodyShape, ContactSettings, Surface, TreeModel};
    let joint = ropewalk_body::Joint::new("weld", ropewalk_body::JointKind::Fixed, Default::default());
    let link = ropewalk_body::Link {
        name: "floor".into(),
        parent: None,
        joint,
        inertia: ropewalk_body::Inertia::ZERO,
    };
    let floor = TreeModel {
        name: "floor".into(),
        tree: ropewalk_body::Tree::new(vec![link]).unwrap(),
        base: BaseMotion::Fixed(Default::default()),
        heavy: true,
        shapes: vec![BodyShape {
            link: 0,
            pose: Default::default(),
            collider: Collider::new(&Shape::HalfSpace).unwrap(),
            surface: Surface::default(),
            name: None,
        }],
    };
    let mut model = Model {
        gravity: DVec3::NEG_Z * 9.81,
        trees: vec![floor],
        contact: Some(ContactSettings::default()),
        ..Model::default()
    };
    let mut state = State::default();
    for k in 0..2 {
        let along = if k == 0 { DVec3::X } else { DVec3::Y };
        let nodes =
            (0..12).map(|i| along * (0.02 * f64::from(i) - 0.11) + DVec3::Z * (0.003 + 0.006 * f64::from(k)));
        let mut builder = RodBuilder::new(nodes.collect(), Section::Circle { radius: 0.003 }, rubber());
        builder.mass_damping = 20.0;
        let (rod, rod_state) = builder.build().unwrap();
        model.rods.push(rod);
        model.rod_names.push(String::new());
        state.rods.push(rod_state);
    }
    let mut workspace = Workspace::new(&model);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let count = pool.install(|| {
        for _ in 0..600 {
            assert_eq!(step(&model, &mut state, &mut workspace).status, StepStatus::Converged);
        }
        assert!(workspace.contacts().any(|c| c.normal_force() > 0.0));
        allocations(|| {
            for _ in 0..50 {
                assert_eq!(step(&model, &mut state, &mut workspace).status, StepStatus::Converged);
            }
        })
    });
    assert_eq!(count, 0, "ropes in contact");
}
