//! `inspect` from Rust: the tangent of the reference steps, what is fixed, and arguments that are refused.

use ropewalk_sim::inspect::{InspectError, InspectStatus, RodInput, StepInput, rod_energy, rod_step};
use serde_json::Value;

fn file(name: &str) -> Value {
    let path = format!("{}/../../tests/reference/{name}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).expect("a reference file")).expect("JSON")
}

fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().expect("an array").iter().map(|x| x.as_f64().expect("a number")).collect()
}

fn vectors(v: &Value) -> Vec<[f64; 3]> {
    let row = |row: &Value| numbers(row).try_into().expect("three numbers");
    v.as_array().expect("an array").iter().map(row).collect()
}

/// Arrays of a case of rod_energy.json.
struct Case {
    closed: bool,
    per_place: [Vec<f64>; 9],
    t_ref: Vec<[f64; 3]>,
    d1_ref: Vec<[f64; 3]>,
}

impl Case {
    fn new(case: &Value) -> Self {
        let one = |key: &str| vec![case[key].as_f64().expect("a number")];
        let many = |key: &str| numbers(&case[key]);
        Self {
            closed: case["closed"] == true,
            per_place: [
                one("EA"),
                one("EI1"),
                one("EI2"),
                one("GJ"),
                many("rest_edge_lengths"),
                many("rest_kappa1"),
                many("rest_kappa2"),
                many("rest_tau"),
                many("beta_ref"),
            ],
            t_ref: vectors(&case["t_ref"]),
            d1_ref: vectors(&case["d1_ref"]),
        }
    }

    fn input(&self) -> RodInput<'_> {
        let [ea, ei1, ei2, gj, rest_edge_lengths, rest_kappa1, rest_kappa2, rest_tau, beta_ref] =
            &self.per_place;
        RodInput {
            closed: self.closed,
            ea,
            ei1,
            ei2,
            gj,
            rest_edge_lengths,
            rest_kappa1,
            rest_kappa2,
            rest_tau,
            t_ref: &self.t_ref,
            d1_ref: &self.d1_ref,
            beta_ref,
        }
    }
}

fn named(name: &Value) -> Value {
    let energies = file("rod_energy.json");
    let cases = energies["cases"].as_array().expect("cases");
    cases.iter().find(|c| c["name"] == *name).expect("the case of that name").clone()
}

fn step_of<'a>(step: &Value, mass_diag: &'a [f64], fixed_dofs: &'a [usize]) -> StepInput<'a> {
    StepInput {
        mass_diag,
        dt: step["dt"].as_f64().expect("dt"),
        theta: 1.0,
        theta_vq: 1.0,
        alpha: 0.0,
        beta: 0.0,
        gravity: numbers(&step["gravity"]).try_into().expect("three numbers"),
        fixed_dofs,
    }
}

fn worst(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let greatest = expected.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    found.iter().zip(expected).fold(0.0f64, |m, (a, b)| m.max((a - b).abs())) / greatest
}

#[test]
fn velocity_and_tangent_of_the_reference_steps() {
    for step in file("rod_one_step.json")["steps"].as_array().expect("steps") {
        let case = Case::new(&named(&step["case"]));
        let (q, v, mass) = (numbers(&step["q0"]), numbers(&step["v0"]), numbers(&step["mass_diag"]));
        let found = rod_step(&q, &v, &case.input(), &step_of(step, &mass, &[])).expect("a step");
        assert_eq!(found.status, InspectStatus::Converged);
        assert!(worst(&found.v, &numbers(&step["v_star_std"])) < 1e-9);
        let rows = step["A_at_v_star_std"].as_array().expect("rows");
        let expected: Vec<f64> = rows.iter().flat_map(numbers).collect();
        assert!(worst(&found.tangent, &expected) < 1e-9);
    }
}

#[test]
fn what_is_fixed_keeps_its_velocity_and_its_row() {
    let steps = file("rod_one_step.json");
    let step = &steps["steps"][0];
    let case = Case::new(&named(&step["case"]));
    let (q, v, mass) = (numbers(&step["q0"]), numbers(&step["v0"]), numbers(&step["mass_diag"]));
    let fixed = [22, 0, 3, 5];
    let found = rod_step(&q, &v, &case.input(), &step_of(step, &mass, &fixed)).expect("a step");
    assert_eq!(found.status, InspectStatus::Converged);
    for dof in fixed {
        assert_eq!(found.v[dof], v[dof]);
        // Not a row of the identity: coupled to others.
        let row = &found.tangent[23 * dof..23 * (dof + 1)];
        assert!(row.iter().enumerate().any(|(c, a)| c != dof && *a != 0.0));
    }
    assert!(worst(&found.v, &numbers(&step["v_star_std"])) > 1e-6);
}

#[test]
fn refused_arguments_are_named() {
    let value = named(&Value::from("closed4_rect"));
    let (case, x, gamma) = (Case::new(&value), vectors(&value["x"]), numbers(&value["gamma"]));
    let rod = case.input();
    let message = |rod: &RodInput| rod_energy(&x, &gamma, rod).expect_err("an error").to_string();
    assert_eq!(
        message(&RodInput { ea: &[1.0, 2.0], ..rod }),
        "EA has 2 entries, expected 4 (one per edge) or one for all"
    );
    assert_eq!(
        message(&RodInput { gj: &[f64::NAN], ..rod }),
        "GJ[0] is NaN, expected a finite stiffness of at least zero"
    );
    assert_eq!(
        message(&RodInput { beta_ref: &[], ..rod }),
        "beta_ref has 0 entries, expected 4 (one per stencil)"
    );
    let turned: Vec<[f64; 3]> = vectors(&value["out"]["t"]).iter().map(|t| t.map(|c| -c)).collect();
    let d1 = vectors(&value["out"]["d1"]);
    let opposed = RodInput { t_ref: &turned, d1_ref: &d1, ..rod };
    let expected = InspectError::Opposed { argument: "x", edge: 0, other: "its t_ref" };
    assert_eq!(rod_energy(&x, &gamma, &opposed), Err(expected));
}
