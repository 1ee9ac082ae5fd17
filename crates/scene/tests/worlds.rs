//! Worlds that own their state, batches of them, and the arrays read from them.
#![allow(clippy::unwrap_used)]

use ropewalk_scene::load_named;
use ropewalk_sim::quantity::Owner;
use ropewalk_sim::{Batch, Model, PlaceError, Quantity, State, StepStatus, Workspace, World, step};
use std::sync::Arc;

fn world(name: &str, overrides: &[&str]) -> World {
    let overrides: Vec<String> = overrides.iter().map(|&o| o.to_owned()).collect();
    let scene = load_named(name, &overrides).expect("the scene loads");
    World::new(Arc::new(scene.model), scene.state)
}

/// `count` steps as the command takes them.
fn run(model: &Model, state: &mut State, count: usize) {
    let mut workspace = Workspace::new(model);
    for _ in 0..count {
        assert_eq!(step(model, state, &mut workspace).status, StepStatus::Converged);
    }
}

#[test]
fn a_batch_gives_the_bits_of_single_worlds_for_any_number_of_threads() {
    for name in ["capstan", "rings", "arm_rope"] {
        let factors = ["0.5", "1.0", "2.0", "4.0"];
        let rod = load_named(name, &[]).unwrap().model.rod_names[0].clone();
        let make = |f: &str| world(name, &[&format!("rod.{rod}.density_factor={f}")]);
        let mut singles: Vec<World> = factors.iter().map(|f| make(f)).collect();
        for single in &mut singles {
            let (model, mut state) = (single.model().clone(), single.state().clone());
            run(&model, &mut state, 10);
            let progress = single.step(10, None);
            assert_eq!((progress.steps, progress.failure()), (10, None));
            assert_eq!(*single.state(), state);
        }
        for threads in [1, 2, 3] {
            let mut batch = Batch::new(factors.iter().map(|f| make(f)).collect(), threads).unwrap();
            assert_eq!(batch.thread_count(), threads);
            batch.step(&[10; 4], None);
            for (one, single) in batch.worlds().iter().zip(&singles) {
                assert_eq!(one.state(), single.state(), "{name}, {threads} threads");
            }
            let positions = batch.read(Quantity::Positions, 0).unwrap();
            assert_eq!(positions.shape[0], 4);
            assert_eq!(
                positions.data[..positions.data.len() / 4],
                Quantity::Positions.read(&singles[0], 0).data
            );
        }
    }
}

#[test]
fn every_quantity_has_as_many_finite_numbers_as_its_shape_says() {
    let mut world = world("two_arms", &[]);
    world.step(3, None);
    for &quantity in Quantity::ALL {
        assert_eq!(Quantity::named(quantity.name()), Some(quantity));
        for index in 0..quantity.owner_count(&world) {
            let values = quantity.read(&world, index);
            assert_eq!(values.data.len(), values.shape.iter().product::<usize>(), "{quantity:?}");
            assert!(values.data.iter().all(|x| x.is_finite()), "{quantity:?}");
            assert_eq!(values.data.is_empty(), quantity == Quantity::ClampWrenches, "{quantity:?}");
        }
    }
    assert_eq!(Quantity::Positions.owner(), Owner::Rod);
    assert_eq!(Quantity::BaseWrench.owner(), Owner::Tree);
    assert_eq!(Quantity::Time.owner(), Owner::World);
    assert_eq!(Quantity::named("nothing"), None);
}

#[test]
fn worlds_of_different_shape_have_no_array_in_common() {
    let worlds = ["rod.beam.segments=4", "rod.beam.segments=5"].map(|o| world("cantilever", &[o]));
    let batch = Batch::new(worlds.to_vec(), 1).unwrap();
    let error = batch.read(Quantity::Positions, 0).unwrap_err().to_string();
    assert_eq!(error, "world 1 has the shape [6, 3] there, world 0 has [5, 3]");
}

#[test]
fn a_world_goes_on_from_a_state_and_back_to_its_start() {
    let mut world = world("capstan", &[]);
    let start = world.state().clone();
    world.step(20, None);
    let snapshot = world.state().clone();
    world.step(10, None);
    let end = world.state().clone();
    world.restore(&snapshot);
    world.step(10, None);
    assert_eq!(*world.state(), end);
    world.reset();
    assert_eq!(*world.state(), start);
    world.step(30, None);
    assert_eq!(*world.state(), end);
}

#[test]
fn a_step_that_fails_leaves_the_world_as_it_was_and_says_so() {
    let mut world =
        world("knot", &["solver.max_iterations=1", "solver.max_halvings=0", "solver.tolerance=1e-14"]);
    let before = world.state().clone();
    let progress = world.step(5, None);
    assert_eq!((progress.steps, progress.report.status), (0, StepStatus::NotConverged));
    assert_eq!(*world.state(), before);
    let words =
        "the step after t = 0 s failed: Newton's method did not converge, even in the smallest sub-step";
    assert_eq!(progress.failure().as_deref(), Some(words));
}

#[test]
fn rods_are_put_elsewhere_with_their_frames() {
    let mut world = world("helix", &[]);
    let rod = world.model().rods[0].clone();
    let state = world.state().rods[0].clone();
    let positions = |turn, shift| -> Vec<_> {
        let moved = state.moved(turn, shift);
        (0..rod.node_count()).map(|i| moved.position(i)).collect()
    };
    // A rotation does not spin edges; a translation changes only positions.
    let nodes = positions(glam::DQuat::from_rotation_y(0.4), glam::DVec3::ZERO);
    world.set_positions(0, &nodes).unwrap();
    let now = world.state().rods[0].clone();
    for e in 0..rod.edge_count() {
        assert_eq!(now.position(e), nodes[e]);
        assert!(now.director(e).dot(now.tangent(&rod, e)).abs() < 1e-12);
        assert!((now.director(e).length() - 1.0).abs() < 1e-12);
        let axis = state.tangent(&rod, e).cross(now.tangent(&rod, e));
        assert!((state.director(e).dot(axis) - now.director(e).dot(axis)).abs() < 1e-12, "no spin");
    }
    world.reset();
    world.set_positions(0, &positions(glam::DQuat::IDENTITY, glam::DVec3::new(0.1, 0.2, 0.3))).unwrap();
    let now = &world.state().rods[0];
    for j in rod.stencils() {
        let (was, is) = (state.strain(&rod, j), now.strain(&rod, j));
        assert!((was.kappa1 - is.kappa1).abs() < 1e-12 && (was.kappa2 - is.kappa2).abs() < 1e-12);
        assert!((was.tau - is.tau).abs() < 1e-12);
    }
    let count = PlaceError::Count { found: 3, expected: nodes.len() };
    assert_eq!(world.set_positions(0, &nodes[..3]), Err(count));
    assert_eq!(world.set_positions(0, &vec![glam::DVec3::ZERO; nodes.len()]), Err(PlaceError::Edge(0)));
    assert_eq!(world.set_positions(0, &vec![glam::DVec3::NAN; nodes.len()]), Err(PlaceError::NotFinite));
}
