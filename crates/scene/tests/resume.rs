//! A run that goes on from a snapshot has the bits of one that never stopped.
#![allow(clippy::unwrap_used, reason = "tests")]

use ropewalk_scene::{Scene, load_named, load_text};
use ropewalk_sim::{NamedArray, Snapshot, State, Workspace, step};
use std::collections::BTreeMap;

/// All numbers of a snapshot as bits: `==` of numbers would let zeros of either sign pass.
fn bits(scene: &Scene, state: &State, workspace: &Workspace) -> Vec<(String, Vec<u64>)> {
    let arrays = Snapshot::take(state, workspace).arrays(&scene.model);
    arrays.into_iter().map(|a| (a.name, a.data.iter().map(|x| x.to_bits()).collect())).collect()
}

/// Takes `steps` steps, then as many again: once without a break and once from a snapshot that has become arrays.
fn assert_resumes(name: &str, scene: &Scene, steps: usize) {
    let model = &scene.model;
    let (mut state, mut workspace) = (scene.state.clone(), Workspace::new(model));
    for _ in 0..steps {
        step(model, &mut state, &mut workspace);
    }
    let arrays = Snapshot::take(&state, &workspace).arrays(model);
    let arrays: BTreeMap<String, NamedArray> = arrays.into_iter().map(|a| (a.name.clone(), a)).collect();
    let snapshot = Snapshot::from_arrays(model, &scene.state, |name| arrays.get(name)).unwrap();
    let (mut resumed_state, mut resumed) = snapshot.resume(model);
    assert_eq!(bits(scene, &state, &workspace), bits(scene, &resumed_state, &resumed), "{name}");
    for i in 0..steps {
        let on = step(model, &mut state, &mut workspace);
        let again = step(model, &mut resumed_state, &mut resumed);
        assert_eq!((on.status, on.iterations, on.work), (again.status, again.iterations, again.work));
        assert!(
            bits(scene, &state, &workspace) == bits(scene, &resumed_state, &resumed),
            "{name}: step {i} after the break differs"
        );
    }
}

#[test]
fn embedded_scenes_go_on_with_the_same_bits() {
    for (name, steps) in [
        ("helix", 60),
        ("twisted_ring", 60),
        ("ramped_curvature", 60),
        ("flexible_shaft", 60),
        ("double_pendulum", 100),
        ("suspended_load", 60),
        ("arm_rope", 60),
        ("two_arms", 60),
        ("capstan", 60),
        ("knot", 60),
        ("rings", 60),
        ("suture", 40),
    ] {
        assert_resumes(name, &load_named(name, &[]).unwrap(), steps);
    }
}

/// Rods that fall on one another and bounce off: the order of elimination is that of contacts long gone, and rods that
/// touch nothing any more are still in the islands of those that do.
#[test]
fn rods_that_have_parted_leave_nothing_behind() {
    let text = r#"
        title = "Sticks that fall on a rope, on one another, and off it"
        time = { duration = 1.0, dt = 2e-3 }
        material.wood = { youngs_modulus = 1e8, poisson_ratio = 0.3, density = 700.0, friction = 0.1 }
        [rod.rope]
        material = "wood"
        section = { circle = { radius = 5e-3 } }
        curve = { line = { from = [-0.5, 0.0, 0.0], to = [0.5, 0.0, 0.0] } }
        segments = 20
        [rod.first]
        material = "wood"
        section = { circle = { radius = 5e-3 } }
        curve = { line = { from = [-0.1, -0.05, 0.02], to = [-0.1, 0.3, 0.03] } }
        segments = 6
        [rod.second]
        material = "wood"
        section = { circle = { radius = 5e-3 } }
        curve = { line = { from = [0.12, -0.2, 0.03], to = [0.1, 0.04, 0.02] } }
        segments = 6
        [clamp.left]
        rod = "rope"
        at = "start"
        [clamp.right]
        rod = "rope"
        at = "end"
    "#;
    let scene = load_text("sticks.toml", text, None, &[]).unwrap();
    let (mut state, mut workspace) = (scene.state.clone(), Workspace::new(&scene.model));
    let mut counts = Vec::new();
    for _ in 0..160 {
        let report = step(&scene.model, &mut state, &mut workspace);
        counts.push(report.contacts);
    }
    assert!(counts.iter().any(|&c| c > 0), "nothing touched: {counts:?}");
    for steps in [30, 45, 60, 80] {
        assert_resumes("sticks", &scene, steps);
    }
}

#[test]
fn arrays_of_another_scene_are_refused_by_name_and_shape() {
    let scene = load_named("cantilever", &[]).unwrap();
    let workspace = Workspace::new(&scene.model);
    let mut arrays = Snapshot::take(&scene.state, &workspace).arrays(&scene.model);
    let read = |arrays: &[NamedArray]| {
        let find = |name: &str| arrays.iter().find(|a| a.name == name);
        Snapshot::from_arrays(&scene.model, &scene.state, find).map(|_| ()).map_err(|e| e.to_string())
    };
    assert_eq!(read(&arrays), Ok(()));
    arrays[0].shape = vec![1];
    assert_eq!(read(&arrays), Err("array 'time' has the shape [1], expected []".to_owned()));
    arrays[0].shape = vec![];
    arrays[0].data[0] = f64::NAN;
    assert_eq!(read(&arrays), Err("array 'time' holds NaN".to_owned()));
    arrays[0].data[0] = 0.0;
    let starts = arrays.iter_mut().find(|a| a.name == "carried/order_starts").unwrap();
    (starts.shape, starts.data) = (vec![1], vec![3.0]);
    assert!(read(&arrays).unwrap_err().contains("'carried/order_starts' holds 3"));
    arrays.retain(|a| a.name != "carried/order_tiles");
    assert_eq!(read(&arrays), Err("there is no array 'carried/order_tiles'".to_owned()));
}
