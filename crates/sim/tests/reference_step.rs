//! One step and whole trajectories against values computed independently.
#![allow(clippy::unwrap_used)]

use glam::DVec3;
use ropewalk_rod::{NaturalShape, PlasticState, Rod, RodState, StiffnessArrays};
use ropewalk_sim::{
    Clamp, ClampPose, Hold, Model, Motion, Scheme, Settings, State, StepStatus, Workspace, step,
};
use serde_json::Value;

fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn vectors(v: &Value) -> Vec<[f64; 3]> {
    v.as_array().unwrap().iter().map(|row| numbers(row).try_into().unwrap()).collect()
}

fn blocks(flat: &[f64], nodes: usize) -> Vec<[f64; 4]> {
    (0..nodes).map(|i| core::array::from_fn(|k| flat.get(4 * i + k).copied().unwrap_or(0.0))).collect()
}

fn file(name: &str) -> Value {
    let path = format!("{}/../../tests/reference/{name}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn model(rod: Rod, gravity: f64, settings: Settings) -> Model {
    Model {
        gravity: DVec3::new(0.0, 0.0, gravity),
        rod_names: vec!["rod".into()],
        rods: vec![rod],
        settings,
        ..Model::default()
    }
}

#[test]
fn one_free_step_agrees() {
    let energies = file("rod_energy.json");
    for case in file("rod_one_step.json")["steps"].as_array().unwrap() {
        let name = case["case"].as_str().unwrap();
        let source =
            energies["cases"].as_array().unwrap().iter().find(|c| c["name"] == case["case"]).unwrap();
        let closed = source["closed"].as_bool().unwrap();
        let rest_length = numbers(&source["rest_edge_lengths"]);
        let nodes = if closed { rest_length.len() } else { rest_length.len() + 1 };
        let stencils = if closed { nodes } else { nodes - 2 };
        let number = |key: &str| source[key].as_f64().unwrap();
        let arrays = StiffnessArrays {
            stretch: vec![number("EA"); rest_length.len()],
            bend: [vec![number("EI1"); stencils], vec![number("EI2"); stencils]],
            twist: vec![number("GJ"); stencils],
            rest_length,
        };
        let rod = Rod::from_stiffness(closed, &arrays, &blocks(&numbers(&case["mass_diag"]), nodes));
        let first = rod.stencils().start;
        let mut natural = NaturalShape::straight(nodes);
        natural.kappa1[first..first + stencils].copy_from_slice(&numbers(&source["rest_kappa1"]));
        natural.kappa2[first..first + stencils].copy_from_slice(&numbers(&source["rest_kappa2"]));
        natural.tau[first..first + stencils].copy_from_slice(&numbers(&source["rest_tau"]));
        let mut beta = vec![0.0; nodes];
        beta[first..first + stencils].copy_from_slice(&numbers(&source["out"]["beta"]));
        let settings = Settings { dt: case["dt"].as_f64().unwrap(), tolerance: 1e-13, ..Settings::default() };
        let model = model(rod, numbers(&case["gravity"])[2], settings);
        let mut state = State {
            rods: vec![RodState {
                q: blocks(&numbers(&case["q0"]), nodes),
                v: blocks(&numbers(&case["v0"]), nodes),
                d1: vectors(&source["out"]["d1"]),
                beta,
                natural,
                plastic: PlasticState::default(),
            }],
            ..State::default()
        };
        let mut workspace = Workspace::new(&model);
        let report = step(&model, &mut state, &mut workspace);
        assert_eq!(report.status, StepStatus::Converged, "{name}: {report:?}");
        assert_eq!(report.substeps, 1, "{name}: {report:?}");
        let expected = numbers(&case["v_star_std"]);
        let greatest = expected.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        for (i, e) in expected.iter().enumerate() {
            let v = state.rods[0].v[i / 4][i % 4];
            assert!((v - e).abs() <= 1e-9 * greatest, "{name} dof {i}: {v} {e}");
        }
    }
}

/// Greatest distance of node positions from the reference at its last time, for a step of `dt`.
fn trajectory_error(case: &Value, scheme: Scheme, dt: f64) -> f64 {
    let nodes = case["n_nodes"].as_u64().unwrap() as usize;
    let p = &case["params"];
    let number = |key: &str| p[key].as_f64().unwrap();
    let rest_length = numbers(&p["rest_edge_lengths"]);
    let arrays = StiffnessArrays {
        stretch: vec![number("EA"); nodes - 1],
        bend: [vec![number("EI1"); nodes - 2], vec![number("EI2"); nodes - 2]],
        twist: vec![number("GJ"); nodes - 2],
        rest_length,
    };
    let rod = Rod::from_stiffness(false, &arrays, &blocks(&numbers(&case["mass_diag"]), nodes));
    let mut natural = NaturalShape::straight(nodes);
    natural.kappa1[..nodes].fill(number("rest_kappa1"));
    natural.kappa2[..nodes].fill(number("rest_kappa2"));
    natural.tau[..nodes].fill(number("rest_tau"));
    let mut rod_state = RodState {
        q: blocks(&numbers(&case["q0"]), nodes),
        v: blocks(&numbers(&case["v0"]), nodes),
        d1: vectors(&case["d1_0"]),
        beta: vec![0.0; nodes],
        natural,
        plastic: PlasticState::default(),
    };
    rod_state.update_reference_twist(&rod);
    let settings = Settings { dt, scheme, tolerance: 1e-12, ..Settings::default() };
    let mut model = model(rod, number("gravity_z"), settings);
    if !case["fixed_dofs"].as_array().unwrap().is_empty() {
        let hold = Hold::Edge(0);
        model.clamps.push(Clamp {
            name: "root".into(),
            rod: 0,
            hold,
            motion: Motion::default(),
            start: ClampPose::of(hold, &model.rods[0], &rod_state),
            release_time: f64::INFINITY,
        });
    }
    let mut state = State { rods: vec![rod_state], ..State::default() };
    let mut workspace = Workspace::new(&model);
    let times = numbers(&case["t"]);
    let end = *times.last().unwrap();
    for _ in 0..(end / dt).round() as usize {
        let report = step(&model, &mut state, &mut workspace);
        assert_eq!(report.status, StepStatus::Converged);
        assert_eq!(report.substeps, 1);
    }
    let expected = numbers(case["q"].as_array().unwrap().last().unwrap());
    let mut worst = 0.0f64;
    for i in 0..nodes {
        for k in 0..3 {
            worst = worst.max((state.rods[0].q[i][k] - expected[4 * i + k]).abs());
        }
    }
    worst
}

#[test]
fn trajectories_converge_at_the_order_of_the_scheme() {
    for case in file("rod_trajectories.json")["trajectories"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        for (scheme, order, steps) in [
            (Scheme::BACKWARD_EULER, 1.0, [51200.0, 102_400.0]),
            (Scheme::MIDPOINT, 2.0, [3200.0, 6400.0]),
            (Scheme::SYMPLECTIC_EULER, 1.0, [6400.0, 12800.0]),
        ] {
            let [coarse, fine] = steps.map(|n| trajectory_error(case, scheme, 0.5 / n));
            let found = (coarse / fine).log2();
            assert!(
                (found - order).abs() < 0.1,
                "{name} {scheme:?}: errors {coarse:e} {fine:e}, order {found}"
            );
        }
    }
}
