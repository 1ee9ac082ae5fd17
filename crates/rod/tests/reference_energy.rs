//! Energies, gradients and Hessians against values computed independently (tests/reference/rod_energy.json).
#![allow(clippy::unwrap_used)]

use ropewalk_linalg::block_pentadiagonal::BlockPenta;
use ropewalk_rod::kernel::{RodKernel, Scales};
use ropewalk_rod::{NaturalShape, Rod, StiffnessArrays};
use serde_json::Value;

fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn vectors(v: &Value) -> Vec<[f64; 3]> {
    v.as_array().unwrap().iter().map(|row| numbers(row).try_into().unwrap()).collect()
}

#[test]
fn every_reference_rod_agrees() {
    let text = include_str!("../../../tests/reference/rod_energy.json");
    let file: Value = serde_json::from_str(text).unwrap();
    let cases = file["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 11);
    for case in cases {
        let name = case["name"].as_str().unwrap();
        let closed = case["closed"].as_bool().unwrap();
        let rest_length = numbers(&case["rest_edge_lengths"]);
        let nodes = if closed { rest_length.len() } else { rest_length.len() + 1 };
        let stencils = if closed { nodes } else { nodes - 2 };
        let stiffness = |key: &str| case[key].as_f64().unwrap();
        let arrays = StiffnessArrays {
            stretch: vec![stiffness("EA"); rest_length.len()],
            bend: [vec![stiffness("EI1"); stencils], vec![stiffness("EI2"); stencils]],
            twist: vec![stiffness("GJ"); stencils],
            rest_length,
        };
        let rod = Rod::from_stiffness(closed, &arrays, &vec![[1.0; 4]; nodes]);
        let first = rod.stencils().start;
        let mut natural = NaturalShape::straight(nodes);
        let mut beta = vec![0.0; nodes];
        natural.kappa1[first..first + stencils].copy_from_slice(&numbers(&case["rest_kappa1"]));
        natural.kappa2[first..first + stencils].copy_from_slice(&numbers(&case["rest_kappa2"]));
        natural.tau[first..first + stencils].copy_from_slice(&numbers(&case["rest_tau"]));
        beta[first..first + stencils].copy_from_slice(&numbers(&case["beta_ref"]));
        let gamma = numbers(&case["gamma"]);
        let q: Vec<[f64; 4]> = vectors(&case["x"])
            .iter()
            .enumerate()
            .map(|(i, x)| [x[0], x[1], x[2], gamma.get(i).copied().unwrap_or(0.0)])
            .collect();

        let mut kernel = RodKernel::new(&rod);
        kernel.start_from_frames(&vectors(&case["t_ref"]), &vectors(&case["d1_ref"]), &beta);
        let mut matrix = BlockPenta::zero(nodes, closed);
        let scales = Scales { gradient: 1.0, hessian: 1.0 };
        let found = kernel.evaluate(&rod, &natural, &q, scales, Some(&mut matrix));

        let out = &case["out"];
        let total = out["E"].as_f64().unwrap().abs();
        for (key, value) in
            [("E_s", found.energies.stretch), ("E_t", found.energies.twist), ("E_b", found.energies.bend)]
        {
            let expected = out[key].as_f64().unwrap();
            assert!((value - expected).abs() <= 1e-12 * total, "{name} {key}: {value} {expected}");
        }
        for (k, key) in ["kappa1", "kappa2", "tau"].into_iter().enumerate() {
            for (s, expected) in numbers(&out[key]).into_iter().enumerate() {
                let value = kernel.strain(first + s)[k];
                assert!((value - expected).abs() < 1e-12, "{name} {key} {s}: {value} {expected}");
            }
        }
        let gradient = numbers(&out["std"]["grad"]);
        let greatest = gradient.iter().fold(0.0f64, |m, g| m.max(g.abs()));
        for (i, expected) in gradient.iter().enumerate() {
            let value = kernel.gradient[i / 4][i % 4];
            assert!((value - expected).abs() <= 1e-11 * greatest, "{name} gradient {i}: {value} {expected}");
        }
        let dense = matrix.to_dense();
        let rows: Vec<Vec<f64>> = out["std"]["hess"].as_array().unwrap().iter().map(numbers).collect();
        let greatest = rows.iter().flatten().fold(0.0f64, |m, h| m.max(h.abs()));
        let mut worst = 0.0f64;
        for (r, row) in rows.iter().enumerate() {
            for (c, expected) in row.iter().enumerate() {
                worst = worst.max((dense[r][c] - expected).abs() / greatest);
            }
        }
        assert!(worst <= 1e-10, "{name}: Hessian off by {worst:e} of its greatest entry");
    }
}
