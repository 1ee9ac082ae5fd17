//! Islands, threads, warm starts and reuse of the analysis.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::Random;
use common::generate::{Recipe, generate};
use ropewalk_contact::{ConstraintPattern, Constraints, JacobianTile, Options, Problem, Solution, Solver};

fn recipe(groups: usize, contacts: usize) -> Recipe {
    Recipe { groups, contacts, mass_decades: 3.0, near_rigid_beta: 1.0, duplicates: 0.1, attachments: true }
}

fn solve(problem: &Problem, options: Options) -> Solution {
    let mut solution = Solution::new();
    Solver::new(options).solve(problem, None, &mut solution).unwrap();
    assert!(solution.status.is_converged(), "{}", solution.status);
    solution
}

fn greatest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn islands_solved_apart_equal_the_whole() {
    let mut random = Random(5);
    for case in 0..50 {
        let problem = generate(&recipe(2 + case % 4, 3), &mut random);
        let apart = solve(&problem, Options::default());
        assert!(apart.islands.len() >= 2);
        // A zero row across all blocks makes one island of them and changes nothing else.
        let mut joined = problem.clone();
        let every: Vec<JacobianTile> =
            (0..problem.blocks.tile_count()).map(|tile| JacobianTile { tile, rows: [[0.0; 4]; 3] }).collect();
        let law = *problem.constraints.law(0);
        joined.constraints.push(law, &every);
        let whole = solve(&joined, Options::default());
        assert_eq!(whole.islands.len(), 1);
        assert!(greatest_difference(&apart.v, &whole.v) < 1e-8, "case {case}");
    }
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let mut random = Random(8);
    let problem = generate(&recipe(40, 6), &mut random);
    let alone = solve(&problem, Options { parallel: false, ..Options::default() });
    assert!(alone.islands.len() >= 40);
    for threads in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let together = pool.install(|| solve(&problem, Options::default()));
        let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&alone.v), bits(&together.v), "{threads} threads");
        let impulses = |s: &Solution| bits(s.impulses.as_flattened());
        assert_eq!(impulses(&alone), impulses(&together));
        assert_eq!(alone.objective.to_bits(), together.objective.to_bits());
    }
}

#[test]
fn a_warm_start_at_the_solution_takes_no_iteration() {
    let mut random = Random(13);
    for case in 0..30 {
        let problem = generate(&recipe(2, 5), &mut random);
        let mut solver = Solver::new(Options { tolerance: 1e-8, ..Options::default() });
        let (mut cold, mut warm) = (Solution::new(), Solution::new());
        solver.solve(&problem, None, &mut cold).unwrap();
        solver.solve(&problem, Some(&cold.v), &mut warm).unwrap();
        assert!(
            warm.iterations <= 1 && warm.iterations <= cold.iterations,
            "case {case}: {}",
            warm.iterations
        );
        assert!(greatest_difference(&cold.v, &warm.v) < 1e-7);
        assert_eq!(solver.analysis_cache().analysis_count(), 1);
    }
}

/// `problem` with only the constraints for which `keep` is true, in another order.
fn with_constraints(problem: &Problem, keep: impl Fn(usize) -> bool) -> Problem {
    let mut constraints = Constraints::new();
    for i in (0..problem.constraints.len()).rev().filter(|&i| keep(i)) {
        let jacobian: Vec<JacobianTile> = problem
            .constraints
            .tiles(i)
            .iter()
            .zip(problem.constraints.jacobian(i))
            .map(|(&tile, &rows)| JacobianTile { tile: tile as usize, rows })
            .collect();
        constraints.push(*problem.constraints.law(i), &jacobian);
    }
    Problem { constraints, ..problem.clone() }
}

#[test]
fn a_solver_made_ready_finds_everything_in_place() {
    let mut random = Random(17);
    for case in 0..30 {
        let problem = Problem { skip_free: true, ..generate(&recipe(2, 9), &mut random) };
        let mut pattern = ConstraintPattern::default();
        for i in 0..problem.constraints.len() {
            pattern.push(problem.constraints.tiles(i).iter().copied());
        }
        let mut solver = Solver::new(Options::default());
        solver.prepare(problem.matrix.pattern(), true, &pattern);
        assert_eq!(solver.analysis_cache().analysis_count(), 1);
        assert_eq!(*solver.analysis_cache().analyzed_pattern(), pattern);
        let mut solution = Solution::new();
        solver.solve(&problem, None, &mut solution).unwrap();
        assert_eq!(solver.analysis_cache().analysis_count(), 1, "case {case}");
        assert_eq!(solution.v, solve(&problem, Options::default()).v, "case {case}");
    }
}

#[test]
fn the_analysis_is_kept_while_the_pattern_stays_or_shrinks() {
    let mut random = Random(21);
    for case in 0..30 {
        let problem = generate(&recipe(1, 12), &mut random);
        let mut solver = Solver::new(Options::default());
        let mut solution = Solution::new();
        solver.solve(&problem, None, &mut solution).unwrap();
        assert_eq!(solver.analysis_cache().analysis_count(), 1);
        // Some contacts open, the rest comes in another order.
        let fewer = with_constraints(&problem, |i| i % 4 != 1);
        solver.solve(&fewer, None, &mut solution).unwrap();
        assert_eq!(solver.analysis_cache().analysis_count(), 1, "case {case}");
        let fresh = solve(&fewer, Options::default());
        assert!(greatest_difference(&solution.v, &fresh.v) < 1e-8, "case {case}");
        // They come back.
        solver.solve(&problem, None, &mut solution).unwrap();
        assert_eq!(solver.analysis_cache().analysis_count(), 1);
        // Almost all open: the analysis is not worth keeping.
        let one = with_constraints(&problem, |i| i == 0);
        solver.solve(&one, None, &mut solution).unwrap();
        let fresh = solve(&one, Options::default());
        assert!(greatest_difference(&solution.v, &fresh.v) < 1e-8);
    }
}

#[test]
fn a_restored_pattern_gives_the_bits_of_an_unbroken_run() {
    let mut random = Random(34);
    let problem = generate(&recipe(3, 10), &mut random);
    let fewer = with_constraints(&problem, |i| i % 5 != 2);
    let mut unbroken = Solver::new(Options::default());
    let (mut a, mut b) = (Solution::new(), Solution::new());
    unbroken.solve(&problem, None, &mut a).unwrap();
    unbroken.solve(&fewer, None, &mut a).unwrap();
    let mut resumed = Solver::new(Options::default());
    let pattern = unbroken.analysis_cache().analyzed_pattern().clone();
    resumed.analysis_cache_mut().set_pattern(&fewer, &pattern);
    resumed.solve(&fewer, None, &mut b).unwrap();
    let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&a.v), bits(&b.v));
}

#[test]
fn a_residual_at_another_velocity_gives_the_same_solution() {
    // ½|v − v*|²_A is, up to a constant, ½|v − v0|²_A + mᵀ(v − v0) with m = A (v0 − v*).
    let mut random = Random(55);
    for case in 0..40 {
        let problem = generate(&recipe(2, 4), &mut random);
        let direct = solve(&problem, Options::default());
        let mut shifted = problem.clone();
        let offset: Vec<f64> = problem.v_star.iter().map(|v| 0.3 * v * random.signed()).collect();
        shifted.residual = vec![0.0; offset.len()];
        problem.matrix.multiply(&offset, &mut shifted.residual);
        for (v, d) in shifted.v_star.iter_mut().zip(&offset) {
            *v += d;
        }
        let other = solve(&shifted, Options::default());
        assert!(greatest_difference(&direct.v, &other.v) < 1e-8, "case {case}");
        let constant: f64 = 0.5 * offset.iter().zip(&shifted.residual).map(|(a, b)| a * b).sum::<f64>();
        let difference = (direct.objective - (other.objective + constant)).abs();
        assert!(difference <= 1e-9 * (1.0 + constant), "case {case}: {difference:e}");
    }
}
