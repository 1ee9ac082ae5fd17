//! Two robots against values computed by other libraries.

#![allow(clippy::unwrap_used)]

mod common;

use common::{kinematics, orders, run, urdf};
use glam::DVec3;
use ropewalk_body::{Dynamics, Tree, TreeState, dynamics, energy};
use serde_json::Value;

fn reference() -> Value {
    serde_json::from_str(include_str!("../../../tests/reference/articulated.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        number => vec![number.as_f64().unwrap()],
    }
}

/// Agreement to 1e-11 of the greatest entry (at least one).
fn assert_close(what: &str, found: &[f64], wanted: &Value) {
    let wanted = numbers(wanted);
    assert_eq!(found.len(), wanted.len(), "{what}");
    let size = wanted.iter().fold(1.0f64, |m, x| m.max(x.abs()));
    for (f, w) in found.iter().zip(&wanted) {
        assert!((f - w).abs() <= 1e-11 * size, "{what}: {f} instead of {w}");
    }
}

fn vector(value: &Value) -> DVec3 {
    DVec3::from_slice(&numbers(value))
}

fn check_state(tree: &Tree, case: &Value, gravity: DVec3) {
    let n = tree.velocity_count();
    let state = TreeState { q: numbers(&case["q"]), v: numbers(&case["v"]), ..TreeState::default() };
    let k = kinematics(tree, &state);
    let (mut matrix, mut row, mut twice) = (vec![0.0; n * n], vec![0.0; n], vec![0.0; 3 * n]);
    dynamics::mass_matrix(tree, &k, &mut matrix);
    assert_close("M", &matrix, &case["M"]);
    dynamics::bias(tree, &k, &mut row);
    assert_close("bias", &row, &case["bias_Cv"]);
    dynamics::gravity_force(tree, &k, gravity, &mut row);
    assert_close("gravity", &row, &case["tau_g"]);
    let tau = numbers(&case["tau"]);
    Dynamics::new(tree).acceleration(tree, &k, &state.q, &state.v, &tau, gravity, &mut row).unwrap();
    assert_close("vdot", &row, &case["vdot"]);
    assert_close("kinetic", &[energy::kinetic_energy(tree, &k, &state.v)], &case["kinetic_energy"]);
    assert_close("potential", &[energy::potential_energy(tree, &k, gravity)], &case["potential_energy"]);
    let link = tree.link_index(case["tip_body"].as_str().unwrap()).unwrap();
    let tip = k.poses[link].point(vector(&case["tip_offset"]));
    assert_close("tip", &tip.to_array(), &case["tip_pos_W"]);
    assert_close("rotation", &k.poses[link].matrix().transpose().to_cols_array(), &case["tip_rotation"]);
    k.point_jacobian(tree, link, tip, &mut twice, &mut vec![0.0; 3 * n]);
    assert_close("Jacobian", &twice, &case["tip_jacobian"]);
    assert_close(
        "bias acceleration",
        &k.point_bias_acceleration(link, tip).to_array(),
        &case["tip_bias_acc"],
    );
}

#[test]
fn dynamics_of_both_robots_agree_to_1e_11() {
    let reference = reference();
    let mut count = 0;
    for (name, model) in reference["models"].as_object().unwrap() {
        let tree = urdf(model["urdf"].as_str().unwrap());
        assert_eq!(tree.velocity_count() as u64, model["nv"].as_u64().unwrap(), "{name}");
        for case in model["states"].as_array().unwrap() {
            check_state(&tree, case, vector(&model["gravity"]));
            count += 1;
        }
    }
    assert_eq!(count, 10);
}

#[test]
fn the_double_pendulum_converges_at_first_and_second_order() {
    let reference = reference();
    let model = &reference["models"]["double_pendulum"];
    let tree = urdf(model["urdf"].as_str().unwrap());
    let (times, q, v) = (
        numbers(&model["trajectory"]["t"]),
        numbers(&model["trajectory"]["q"]),
        numbers(&model["trajectory"]["v"]),
    );
    // Chaos takes over later; the error is the greatest over the first second.
    let last = times.iter().position(|t| *t > 1.0 - 1e-9).unwrap();
    for (theta_vq, order, first) in [(1.0, 1.0, 400), (0.5, 2.0, 50)] {
        let errors: Vec<f64> = (0..4)
            .map(|halving| {
                let steps = first << halving;
                let dt = (times[1] - times[0]) / steps as f64;
                let mut state = tree.zero_state();
                state.q.copy_from_slice(&q[..2]);
                state.v.copy_from_slice(&v[..2]);
                let mut error = 0.0f64;
                for i in 1..=last {
                    run(&tree, &mut state, vector(&model["gravity"]), dt, theta_vq, steps);
                    for k in 0..2 {
                        error = error.max((state.q[k] - q[2 * i + k]).abs());
                        error = error.max((state.v[k] - v[2 * i + k]).abs());
                    }
                }
                error
            })
            .collect();
        for found in orders(&errors) {
            assert!(
                (found - order).abs() < 0.1,
                "θ_vq = {theta_vq}: {errors:?}, orders {:?}",
                orders(&errors)
            );
        }
        println!("θ_vq = {theta_vq}: errors {errors:?}, orders {:?}", orders(&errors));
    }
}
