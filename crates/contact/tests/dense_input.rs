//! Dense arrays: what is refused, and how compliance is chosen.
#![allow(clippy::unwrap_used)]

use ropewalk_contact::dense::{ContactSolve, ContactSolveError, solve_contacts};

fn identity(n: usize) -> Vec<Vec<f64>> {
    (0..n).map(|i| (0..n).map(|j| if i == j { 1.0 } else { 0.0 }).collect()).collect()
}

#[test]
fn bad_arrays_are_refused_by_name() {
    let (a, j) = (identity(3), identity(3));
    let good = ContactSolve {
        a: &a,
        j: &j,
        v_star: &[0.0, 0.0, -1.0],
        phi0: &[0.0],
        mu: &[0.5],
        dt: 1e-3,
        k: Some(&[1e4]),
        ..ContactSolve::default()
    };
    assert!(solve_contacts(&good).unwrap().status.is_converged());
    let message = |input: &ContactSolve<'_>| solve_contacts(input).unwrap_err().to_string();
    assert_eq!(
        message(&ContactSolve { k: None, ..good }),
        "no compliance: give k, R, or near_rigid_beta > 0"
    );
    assert_eq!(message(&ContactSolve { mu: &[0.5, 0.5], ..good }), "J has length 3, expected 6");
    assert_eq!(message(&ContactSolve { phi0: &[f64::NAN], ..good }), "phi0 is NaN at [0]: must be finite");
    assert_eq!(
        message(&ContactSolve { v_star: &[0.0, f64::INFINITY, 0.0], ..good }),
        "v_star is inf at [1]: must be finite"
    );
    let mut bad = identity(3);
    bad[1][2] = f64::NAN;
    assert_eq!(message(&ContactSolve { a: &bad, ..good }), "A is NaN at [1][2]: must be finite");
    bad[1][2] = 0.5;
    assert!(matches!(
        solve_contacts(&ContactSolve { a: &bad, ..good }).unwrap_err(),
        ContactSolveError::Asymmetric { row: 2, column: 1, .. }
    ));
    assert_eq!(
        message(&ContactSolve { mu: &[-0.1], ..good }),
        "contact 0: friction = -0.1: must be finite and not negative"
    );
    assert!(message(&ContactSolve { dt: 0.0, ..good }).starts_with("contact 0: time_step = 0"));
    assert!(message(&ContactSolve { regularization: Some(&[1.0, 2.0, 1.0]), ..good }).contains("R_t"));
    assert!(message(&ContactSolve { regularization: Some(&[0.0, 0.0, 1.0]), ..good }).contains("R_t"));
}

#[test]
fn what_is_given_outright_is_not_overruled() {
    let (a, j) = (identity(3), identity(3));
    let input = ContactSolve {
        a: &a,
        j: &j,
        v_star: &[0.0, 0.0, -1.0],
        // Not read, and so may be anything.
        phi0: &[f64::NAN],
        mu: &[0.0],
        dt: 1e-3,
        k: Some(&[f64::NAN]),
        tau_d: &[f64::NAN],
        sigma: f64::NAN,
        regularization: Some(&[1.0, 1.0, 1.0]),
        bias: Some(&[0.0, 0.0, 0.0]),
        ..ContactSolve::default()
    };
    // v + 1 = λ, λ = −v.
    let result = solve_contacts(&input).unwrap();
    assert!((result.v[2] + 0.5).abs() < 1e-15 && (result.lambda[2] - 0.5).abs() < 1e-15);
    assert!((result.objective - 0.25).abs() < 1e-15);
}

#[test]
fn an_indefinite_matrix_and_an_empty_problem_end_in_order() {
    let a = vec![vec![1.0, 2.0], vec![2.0, 1.0]];
    let result = solve_contacts(&ContactSolve { a: &a, v_star: &[0.0, 0.0], dt: 1e-3, ..Default::default() });
    assert_eq!(result.unwrap().status.to_string(), "A is not positive definite at DoF 1 of tile 0");
    let empty = solve_contacts(&ContactSolve { dt: 1e-3, ..Default::default() }).unwrap();
    assert!(empty.status.is_converged() && empty.v.is_empty());
}
