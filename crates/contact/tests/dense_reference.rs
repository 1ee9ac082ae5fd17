//! The sparse solver against the paper's dense Schur complement.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::Random;
use common::generate::{Recipe, generate};
use ropewalk_contact::{Options, Solution, Solver};
use ropewalk_testing::dense_schur::solve_dense_schur;

#[test]
fn the_sparse_solver_agrees_with_the_dense_schur_complement() {
    let mut random = Random(4);
    let mut solver = Solver::new(Options::default());
    let mut sparse = Solution::new();
    for case in 0..150 {
        let recipe = Recipe {
            groups: 1 + random.below(3),
            contacts: 1 + random.below(4),
            mass_decades: 4.0 * random.uniform(),
            near_rigid_beta: 1.0,
            duplicates: 0.1,
            attachments: case % 2 == 0,
        };
        let mut problem = generate(&recipe, &mut random);
        if case % 3 == 0 {
            problem.residual = problem.v_star.iter().map(|v| 1e-3 * v * random.signed()).collect();
        }
        solver.solve(&problem, None, &mut sparse).unwrap();
        let dense = solve_dense_schur(&problem, &Options { tolerance: 1e-9, ..Options::default() }).unwrap();
        assert!(sparse.status.is_converged() && dense.status.has_solution(), "case {case}: {}", dense.status);
        let size = dense.v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        for (a, b) in sparse.v.iter().zip(&dense.v) {
            assert!((a - b).abs() < 1e-7 * size, "case {case}: {a} {b}");
        }
        let difference = (sparse.objective - dense.objective).abs();
        assert!(difference <= 1e-9 * (1e-6 + dense.objective.abs()), "case {case}: {difference:e}");
    }
}
