//! An independent conic solver on the same problems.
//!
//! The regularized problem as a cone program in (x, s) with v = v* + D^−½ x, D = diag(A), and λ = R^−½ s,
//! so that light and heavy DoFs weigh the same:
//!
//! ```text
//!   minimize ½|v − v*|²_A + ½|s|²    subject to   J v − v̂ + √R s ∈ C*
//! ```
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSettingsBuilder, DefaultSolver, IPSolver, SolverStatus, SupportedConeT,
};
use common::Random;
use common::generate::{Recipe, generate};
use ropewalk_contact::{ConstraintLaw, Law, Options, Problem, Solution, Solver};

/// Columns of a sparse matrix as they are filled.
struct Columns(Vec<Vec<(usize, f64)>>);

impl Columns {
    fn new(count: usize) -> Self {
        Self(vec![Vec::new(); count])
    }
    fn finish(mut self, rows: usize) -> CscMatrix<f64> {
        let mut start = vec![0];
        let (mut row_index, mut values) = (Vec::new(), Vec::new());
        for column in &mut self.0 {
            column.sort_by_key(|e| e.0);
            for &(row, value) in column.iter() {
                row_index.push(row);
                values.push(value);
            }
            start.push(row_index.len());
        }
        CscMatrix::new(rows, self.0.len(), start, row_index, values)
    }
}

/// v and objective by Clarabel, or its status if it did not solve.
fn clarabel(problem: &Problem) -> Result<(Vec<f64>, f64), SolverStatus> {
    let n = problem.v_star.len();
    let contacts = problem.constraints.len();
    let scale: Vec<f64> =
        (0..n).map(|i| 1.0 / problem.matrix.diagonal(i / 4).get(i % 4, i % 4).sqrt()).collect();
    let mut p = Columns::new(n + 3 * contacts);
    for e in problem.matrix.pattern().entries() {
        let tile = &problem.matrix.tiles()[e.slot as usize];
        for r in 0..4 {
            for c in 0..4 {
                let (row, column) = (4 * e.row as usize + r, 4 * e.column as usize + c);
                // Upper triangle.
                if column <= row && tile.get(r, c) != 0.0 {
                    p.0[row].push((column, tile.get(r, c) * scale[row] * scale[column]));
                }
            }
        }
    }
    let q = vec![0.0; n + 3 * contacts];
    let mut a = Columns::new(n + 3 * contacts);
    let (mut b, mut cones) = (Vec::new(), Vec::new());
    for i in 0..contacts {
        let Law::Sap(law) = problem.constraints.law(i) else { panic!("only cone contacts here") };
        let start = problem.constraints.velocity(i, &problem.v_star);
        let (r, bias, mu) = (law.regularization(), law.bias(), law.friction());
        for k in 0..3 {
            p.0[n + 3 * i + k].push((n + 3 * i + k, 1.0));
        }
        // Rows −(x_n, μ x_t1, μ x_t2), or −x_n alone without friction.
        let rows: &[(usize, f64)] = if mu == 0.0 { &[(2, 1.0)] } else { &[(2, 1.0), (0, mu), (1, mu)] };
        for &(k, factor) in rows {
            let row = b.len();
            for (&tile, jacobian) in problem.constraints.tiles(i).iter().zip(problem.constraints.jacobian(i))
            {
                for c in 0..4 {
                    let dof = 4 * tile as usize + c;
                    a.0[dof].push((row, -factor * jacobian[k][c] * scale[dof]));
                }
            }
            a.0[n + 3 * i + k].push((row, -factor * r[k].sqrt()));
            b.push(factor * (start[k] - bias[k]));
        }
        cones.push(if mu == 0.0 {
            SupportedConeT::NonnegativeConeT(1)
        } else {
            SupportedConeT::SecondOrderConeT(3)
        });
    }
    let rows = b.len();
    let settings: DefaultSettings<f64> = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(1e-12)
        .tol_gap_rel(1e-12)
        .tol_feas(1e-12)
        .build()
        .unwrap();
    let columns = n + 3 * contacts;
    let mut solver =
        DefaultSolver::new(&p.finish(columns), &q, &a.finish(rows), &b, &cones, settings).unwrap();
    solver.solve();
    if solver.solution.status != SolverStatus::Solved {
        return Err(solver.solution.status);
    }
    let x = &solver.solution.x;
    let v = problem.v_star.iter().zip(x.iter().zip(&scale)).map(|(v, (x, s))| v + x * s).collect();
    Ok((v, solver.solution.obj_val))
}

#[test]
fn a_conic_solver_agrees_on_500_random_problems() {
    let mut random = Random(2024);
    let mut solver = Solver::new(Options::default());
    let mut solution = Solution::new();
    let (mut solved, mut worst_v, mut worst_objective) = (0, 0.0_f64, 0.0_f64);
    // Its interior point stalls above 1e-12 on some: go on until both have solved 500.
    for case in 0..1000 {
        if solved == 500 {
            break;
        }
        let recipe = Recipe {
            groups: 1 + random.below(3),
            contacts: 1 + random.below(6),
            mass_decades: 6.0 * random.uniform(),
            near_rigid_beta: 1.0,
            duplicates: if case % 4 == 0 { 0.3 } else { 0.0 },
            attachments: false,
        };
        let problem = generate(&recipe, &mut random);
        solver.solve(&problem, None, &mut solution).unwrap();
        assert!(solution.status.is_converged(), "case {case}: {}", solution.status);
        let Ok((v, objective)) = clarabel(&problem) else { continue };
        solved += 1;
        let size = v.iter().map(|x| x.abs()).fold(0.0, f64::max);
        let error = v.iter().zip(&solution.v).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / size;
        let difference = (objective - solution.objective).abs() / objective.abs().max(1e-10);
        worst_v = worst_v.max(error);
        worst_objective = worst_objective.max(difference);
        assert!(error <= 1e-5, "case {case}: v differs by {error:e}");
        assert!(
            difference <= 1e-6,
            "case {case}: objective {} against {objective} ({difference:e})",
            solution.objective
        );
    }
    println!("solved by both: {solved}, v {worst_v:e}, objective {worst_objective:e}");
    assert_eq!(solved, 500, "too few problems that Clarabel solves");
}
