//! A run resumed from a snapshot is bit-identical to an uninterrupted one.
#![allow(clippy::unwrap_used, reason = "tests")]

use ropewalk_scene::{Scene, load_named, load_text};
use ropewalk_sim::{CachedTangent, ContactSide, NamedArray, State, Workspace, step};
use std::collections::BTreeMap;

/// All numbers of a state as bits: `==` of numbers would let zeros of either sign pass.
fn bits(scene: &Scene, state: &State) -> Vec<(String, Vec<u64>)> {
    let arrays = state.arrays(&scene.model);
    arrays.into_iter().map(|a| (a.name, a.data.iter().map(|x| x.to_bits()).collect())).collect()
}

/// Takes `steps` steps, then as many again: once without a break and once from a state read back from arrays, with
/// new scratch for every step.
fn assert_resumes(name: &str, scene: &Scene, steps: usize) {
    let model = &scene.model;
    let (mut state, mut workspace) = (scene.state.clone(), Workspace::new(model));
    for _ in 0..steps {
        step(model, &mut state, &mut workspace);
    }
    let arrays = state.arrays(model);
    let arrays: BTreeMap<String, NamedArray> = arrays.into_iter().map(|a| (a.name.clone(), a)).collect();
    let mut resumed = State::from_arrays(model, &scene.state, |name| arrays.get(name)).unwrap();
    assert_eq!(bits(scene, &state), bits(scene, &resumed), "{name}");
    for i in 0..steps {
        let on = step(model, &mut state, &mut workspace);
        let again = step(model, &mut resumed, &mut Workspace::new(model));
        assert_eq!((on.status, on.iterations, on.work), (again.status, again.iterations, again.work));
        assert!(bits(scene, &state) == bits(scene, &resumed), "{name}: step {i} after the break differs");
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

#[test]
fn a_wire_that_yields_goes_on_with_the_same_bits() {
    for scheme in ["backward_euler", "bdf2"] {
        let text = format!(
            "title = \"A wire bends by its weight\"\n[time]\ndt = 1e-3\nduration = 1.0\nscheme = \"{scheme}\"\n[rod.wire]\n\
             preset = \"copper_wire\"\nsegments = 30\ncurve = {{ line = {{ from = [0.0, 0.0, 0.0], to = [1.0, 0.0, 0.0] }} }}\n\
             [clamp.wall]\nrod = \"wire\"\nat = \"start\"\n"
        );
        let scene = load_text("wire.toml", &text, None, &[]).unwrap();
        let (mut state, mut workspace) = (scene.state.clone(), Workspace::new(&scene.model));
        for _ in 0..150 {
            step(&scene.model, &mut state, &mut workspace);
        }
        assert!(state.rods[0].plastic.work > 0.0, "nothing has yielded");
        assert_resumes(scheme, &scene, 150);
    }
}

#[test]
fn patches_go_on_with_the_same_bits() {
    for (name, steps) in [("soft_finger", 20), ("conveyor", 12), ("crowned_pulley", 8), ("shoelace", 12)] {
        let scene = load_named(name, &[]).unwrap();
        let (mut state, mut workspace) = (scene.state.clone(), Workspace::new(&scene.model));
        for _ in 0..steps {
            step(&scene.model, &mut state, &mut workspace);
        }
        assert!(
            workspace.patches().iter().any(|patch| patch.normal_force > 0.0),
            "{name}: nothing is pressed"
        );
        assert_resumes(name, &scene, steps);
    }
}

/// A chain of three rings that hangs at rest.
fn hanging_chain() -> (Scene, State) {
    let scene = load_named("rings", &["rod.ring.copies.count=3".to_owned()]).unwrap();
    let (mut state, mut workspace) = (scene.state.clone(), Workspace::new(&scene.model));
    for _ in 0..2500 {
        step(&scene.model, &mut state, &mut workspace);
    }
    (scene, state)
}

#[test]
fn rods_at_rest_go_on_with_the_tangent_that_they_keep() {
    let (scene, state) = hanging_chain();
    let tangents = &state.memory.tangents;
    assert!(
        tangents.len() == 3 && tangents.iter().all(|kept| kept.in_use),
        "at rest every rod keeps a shape"
    );
    let scene = Scene { state, ..scene };
    assert_resumes("rings at rest", &scene, 40);
}

#[test]
fn a_kept_tangent_changes_nothing_but_the_time_that_a_step_takes() {
    let (scene, mut state) = hanging_chain();
    let (mut anew, mut workspace) = (state.clone(), Workspace::new(&scene.model));
    let mut anew_workspace = workspace.clone();
    for _ in 0..300 {
        let kept = step(&scene.model, &mut state, &mut workspace);
        anew.memory.tangents.fill(CachedTangent::default());
        let made = step(&scene.model, &mut anew, &mut anew_workspace);
        assert_eq!((kept.status, kept.iterations), (made.status, made.iterations));
        // A hundredth of the tolerance of 1e-6.
        assert!(kept.residual < 1e-8, "{}", kept.residual);
    }
    let rods = state.rods.iter().zip(&anew.rods);
    let nodes = rods.flat_map(|(a, b)| a.q.as_flattened().iter().zip(b.q.as_flattened()));
    let apart = nodes.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(apart < 1e-10, "{apart} m or rad after 0.24 s");
}

/// Sticks on rails, one of which is pulled up and off.
#[test]
fn a_rod_that_has_left_leaves_nothing_behind() {
    let stick = |name: &str, y: f64| {
        format!(
            r#"
            [rod.{name}]
            material = "wood"
            section = {{ circle = {{ radius = 5e-3 }} }}
            curve = {{ line = {{ from = [-0.2, {y}, 9.99e-3], to = [0.2, {y}, 9.99e-3] }} }}
            segments = 8
            "#
        )
    };
    let mut text = r#"
        title = "Sticks on rails, one of which is pulled off"
        time = { duration = 1.0, dt = 2e-3 }
        material.wood = { youngs_modulus = 1e8, poisson_ratio = 0.3, density = 700.0, friction = 0.3 }
        [clamp.pull]
        rod = "c"
        at = "start"
        motion = { translation = [0.0, 0.0, { ramp = { times = [0.02, 0.1], values = [0.0, 0.1] } }] }
    "#
    .to_owned();
    for (name, x) in [("left", -0.1), ("right", 0.1)] {
        text += &format!(
            r#"
            [rod.{name}]
            material = "wood"
            section = {{ circle = {{ radius = 5e-3 }} }}
            curve = {{ line = {{ from = [{x}, -0.3, 0.0], to = [{x}, 0.3, 0.0] }} }}
            segments = 12
            [clamp.{name}_start]
            rod = "{name}"
            at = "start"
            [clamp.{name}_end]
            rod = "{name}"
            at = "end"
            "#
        );
    }
    text += &[stick("a", -0.17), stick("b", -0.03), stick("c", 0.12), stick("d", 0.2)].concat();
    let scene = load_text("sticks.toml", &text, None, &[]).unwrap();
    let (mut state, mut workspace) = (scene.state.clone(), Workspace::new(&scene.model));
    let c = scene.model.rod_names.iter().position(|name| name == "c").unwrap();
    let mut touching = Vec::new();
    for _ in 0..120 {
        step(&scene.model, &mut state, &mut workspace);
        let of_c = |side: &ContactSide| matches!(side, ContactSide::Rod { rod, .. } if *rod == c);
        touching.push(workspace.contacts().filter(|x| x.sides.iter().any(of_c)).count());
    }
    assert!(touching[5] > 0 && touching[100] == 0, "{touching:?}");
    for steps in [20, 30, 40, 60] {
        assert_resumes("sticks", &scene, steps);
    }
}

#[test]
fn arrays_of_another_scene_are_refused_by_name_and_shape() {
    let scene = load_named("cantilever", &[]).unwrap();
    let mut arrays = scene.state.arrays(&scene.model);
    let read = |arrays: &[NamedArray]| {
        let find = |name: &str| arrays.iter().find(|a| a.name == name);
        State::from_arrays(&scene.model, &scene.state, find).map(|_| ()).map_err(|e| e.to_string())
    };
    assert_eq!(read(&arrays), Ok(()));
    arrays[0].shape = vec![1];
    assert_eq!(read(&arrays), Err("array 'time' has the shape [1], expected []".to_owned()));
    arrays[0].shape = vec![];
    arrays[0].data[0] = f64::NAN;
    assert_eq!(read(&arrays), Err("array 'time' holds NaN".to_owned()));
    arrays[0].data[0] = 0.0;
    let mut put = |name: &str, data: Vec<f64>| {
        arrays.retain(|a| a.name != name);
        arrays.push(NamedArray { name: name.to_owned(), shape: vec![data.len()], data });
        read(&arrays)
    };
    let missing = |name: &str| Err(format!("there is no array '{name}'"));
    assert_eq!(put("memory/islands", vec![0.0]), missing("memory/island/0/parts"));
    let parts = put("memory/island/0/parts", vec![0.0, 9.0]).unwrap_err();
    assert!(parts.contains("'memory/island/0/parts' holds 9"), "{parts}");
    assert_eq!(put("memory/island/0/parts", vec![0.0]), missing("memory/island/0/starts"));
    assert_eq!(put("memory/island/0/starts", vec![3.0]), missing("memory/island/0/tiles"));
    let starts = put("memory/island/0/tiles", vec![]).unwrap_err();
    assert!(starts.contains("'memory/island/0/starts' holds 3"), "{starts}");
    assert_eq!(put("memory/island/0/starts", vec![0.0]), Ok(()));
}
