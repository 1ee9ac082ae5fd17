//! Independent optimal solutions, to be reproduced.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{load, matrix, vector};
use ropewalk_contact::dense::{ContactSolve, solve_contacts};

fn problems() -> Vec<serde_json::Value> {
    load("contact_problems.json")["problems"].as_array().unwrap().clone()
}

fn greatest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn size(a: &[f64]) -> f64 {
    a.iter().map(|x| x.abs()).fold(1.0, f64::max)
}

#[test]
fn regularized_solutions_are_reproduced_from_stiffness_and_dissipation() {
    for p in problems() {
        let name = p["name"].as_str().unwrap();
        let sap = &p["sap"];
        let (k, tau_d) = (vector(&sap["k"]), vector(&sap["tau_d"]));
        // The dissipation time differs from contact to contact, so the reference's R is made from it
        // one contact at a time, with the weight of the whole matrix.
        let input = ContactSolve {
            a: &matrix(&p["A"]),
            j: &matrix(&p["J"]),
            v_star: &vector(&p["v_star"]),
            phi0: &vector(&p["phi0"]),
            mu: &vector(&p["mu"]),
            dt: p["dt"].as_f64().unwrap(),
            k: Some(&k),
            tau_d: &tau_d,
            sigma: sap["sigma"].as_f64().unwrap(),
            near_rigid_beta: 0.0,
            regularization: None,
            bias: None,
        };
        let result = solve_contacts(&input).unwrap();
        let v = vector(&sap["v"]);
        let error = greatest_difference(&result.v, &v);
        assert!(result.status.is_converged(), "{name}: {}", result.status);
        assert!(error <= 1e-8 * size(&v), "{name}: v off by {error:e}");
        let lambda = vector(&sap["lam"]);
        assert!(greatest_difference(&result.lambda, &lambda) <= 1e-8 * size(&lambda), "{name}: λ");
        let objective = sap["objective"].as_f64().unwrap();
        assert!((result.objective - objective).abs() <= 1e-9 * (1.0 + objective), "{name}: objective");
    }
}

#[test]
fn the_rigid_limit_is_approached_at_first_order() {
    for p in problems() {
        let name = p["name"].as_str().unwrap();
        if p["rigid"]["infeasible"].as_bool().unwrap() {
            continue;
        }
        let (a, j) = (matrix(&p["A"]), matrix(&p["J"]));
        let (v_star, phi0, mu) = (vector(&p["v_star"]), vector(&p["phi0"]), vector(&p["mu"]));
        let bias = vector(&p["rigid"]["vhat"]);
        let rigid = vector(&p["rigid"]["v"]);
        let momentum = vector(&p["rigid"]["Jt_lam"]);
        let r = vector(&p["sap"]["R"]);
        // All of R at the size of R_t = 1e-3 w, times `shrink`. The rigid limit is where digits end: whether one R happens to
        // converge says little, so its neighbors have to, too.
        let neighbors = (0..150).map(|k| 1e-6 * 0.1_f64.powi(k / 50) * (1.0 - 0.01 * f64::from(k % 50)));
        let errors: Vec<f64> = [1.0, 1e-2, 1e-4, 1e-6, 1e-8]
            .into_iter()
            .chain(neighbors)
            .map(|shrink| {
                let r: Vec<f64> = r.chunks(3).flat_map(|r| [r[0] * shrink; 3]).collect();
                let input = ContactSolve {
                    a: &a,
                    j: &j,
                    v_star: &v_star,
                    phi0: &phi0,
                    mu: &mu,
                    dt: p["dt"].as_f64().unwrap(),
                    regularization: Some(&r),
                    bias: Some(&bias),
                    ..ContactSolve::default()
                };
                let result = solve_contacts(&input).unwrap();
                assert!(result.status.is_converged(), "{name} at {shrink}: {}", result.status);
                let mut jt_lambda = vec![0.0; v_star.len()];
                for (row, l) in j.iter().zip(&result.lambda) {
                    for (sum, x) in jt_lambda.iter_mut().zip(row) {
                        *sum += x * l;
                    }
                }
                let error = greatest_difference(&jt_lambda, &momentum) / size(&momentum);
                error.max(greatest_difference(&result.v, &rigid) / size(&rigid))
            })
            .collect();
        assert!(errors[4] < 1e-9, "{name}: {errors:?}");
        assert!(errors[5..].iter().all(|e| *e < 1e-8), "{name}: {errors:?}");
        for pair in errors[..5].windows(2) {
            // A hundredth of R, a hundredth of the error, down to the accuracy of the reference.
            assert!(pair[1] <= 0.013 * pair[0] || pair[1] < 1e-12, "{name}: {errors:?}");
        }
    }
}

#[test]
fn rods_on_a_plane_are_reproduced() {
    for step in load("rod_one_step.json")["steps"].as_array().unwrap() {
        let name = step["case"].as_str().unwrap();
        let contact = &step["coupled_plane_contact"];
        let a = matrix(&step["A_at_v_star_std"]);
        let v_star = vector(&step["v_star_std"]);
        let nodes: Vec<usize> = contact["contact_nodes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|n| n.as_u64().unwrap() as usize)
            .collect();
        let mut j = Vec::new();
        for node in &nodes {
            for axis in 0..3 {
                let mut row = vec![0.0; v_star.len()];
                row[4 * node + axis] = 1.0;
                j.push(row);
            }
        }
        let mu = vec![contact["mu"].as_f64().unwrap(); nodes.len()];
        let input = ContactSolve {
            a: &a,
            j: &j,
            v_star: &v_star,
            phi0: &vector(&contact["phi0"]),
            mu: &mu,
            dt: step["dt"].as_f64().unwrap(),
            regularization: Some(&vector(&contact["sap"]["R"])),
            bias: Some(&vector(&contact["vhat"])),
            ..ContactSolve::default()
        };
        let result = solve_contacts(&input).unwrap();
        assert!(result.status.is_converged(), "{name}: {}", result.status);
        let (v, lambda) = (vector(&contact["sap"]["v"]), vector(&contact["sap"]["lam"]));
        assert!(greatest_difference(&result.v, &v) <= 1e-8 * size(&v), "{name}: v");
        let scale = lambda.iter().map(|l| l.abs()).fold(0.0, f64::max);
        assert!(greatest_difference(&result.lambda, &lambda) <= 1e-8 * scale, "{name}: λ");
        let objective = contact["sap"]["objective"].as_f64().unwrap();
        assert!((result.objective - objective).abs() <= 1e-9 * objective.abs(), "{name}: objective");
    }
}

/// A body between two walls that approach one another: no rigid solution exists. The regularized
/// problem has one, with the body in the middle and both walls yielding alike.
#[test]
fn a_squeezed_body_is_solved_in_its_regularized_form() {
    let a = vec![vec![2.0, 0.0, 0.0], vec![0.0, 2.0, 0.0], vec![0.0, 0.0, 2.0]];
    // Wall 1 below, normal +z, gap rate +1 m/s demanded; wall 2 above, normal −z.
    let j = vec![
        vec![1.0, 0.0, 0.0],
        vec![0.0, 1.0, 0.0],
        vec![0.0, 0.0, 1.0],
        vec![1.0, 0.0, 0.0],
        vec![0.0, -1.0, 0.0],
        vec![0.0, 0.0, -1.0],
    ];
    let bias = [0.0, 0.0, 1.0, 0.0, 0.0, 1.0];
    let v_star = [0.3, 0.0, 0.2];
    for shrink in [1.0, 1e-3, 1e-6, 1e-9] {
        let r = [1e-3 * shrink, 1e-3 * shrink, 1e-2 * shrink, 1e-3 * shrink, 1e-3 * shrink, 1e-2 * shrink];
        let input = ContactSolve {
            a: &a,
            j: &j,
            v_star: &v_star,
            phi0: &[0.0; 2],
            mu: &[0.0; 2],
            dt: 1e-3,
            regularization: Some(&r),
            bias: Some(&bias),
            ..ContactSolve::default()
        };
        let result = solve_contacts(&input).unwrap();
        assert!(result.status.is_converged(), "{shrink}: {}", result.status);
        // 2(v − 0.2) = λ1 − λ2, λ1 = (1 − v)/R, λ2 = (1 + v)/R, so v = 0.4/(2 + 2/R).
        let v = 0.4 / (2.0 + 2.0 / r[2]);
        assert!((result.v[2] - v).abs() < 1e-12 && result.v[0] == 0.3, "{shrink}: {:?}", result.v);
        assert!((result.lambda[2] * r[2] - (1.0 - v)).abs() < 1e-9);
        assert!((result.lambda[5] * r[5] - (1.0 + v)).abs() < 1e-9);
    }
}
