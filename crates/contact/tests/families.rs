//! The benchmark problems are solved, and their cost grows as expected.
#![allow(clippy::unwrap_used)]

use ropewalk_contact::{Optimality, Options, Solution, Solver, Unchanged};
use ropewalk_linalg::sparse::Analysis;
use ropewalk_testing::contact_families::{FAMILIES, Family};
use ropewalk_testing::newton_matrix::NewtonMatrix;

#[test]
fn every_family_is_solved_to_the_optimum() {
    for family in FAMILIES {
        let problem = family.build().unwrap();
        let mut solver = Solver::new(Options::default());
        let mut solution = Solution::new();
        solver.solve(&problem, None, &mut solution).unwrap();
        assert!(solution.status.is_converged(), "{family}: {}", solution.status);
        let optimality = Optimality::compute(&problem, &solution);
        assert!(optimality.greatest() < 1e-9, "{family}: {optimality:?}");
        assert!(solution.iterations <= 60, "{family}: {} iterations", solution.iterations);
        // The next step of a simulation starts where this one ended.
        solver.solve(&problem, Some(&solution.v.clone()), &mut solution).unwrap();
        assert!(solution.status.is_converged() && solution.iterations <= 1, "{family}");
    }
}

#[test]
fn products_per_ring_do_not_grow_with_the_chain() {
    let products = |rings: usize| {
        let problem = Family::Rings(rings).build().unwrap();
        let newton = NewtonMatrix::assemble(&problem, &problem.v_star);
        let mut analysis = Analysis::default();
        newton.analyze(&mut analysis);
        assert_eq!(analysis.tile_count(), 20 * rings);
        (analysis.product_count() as f64 / rings as f64, analysis.kept_product_count() as f64 / rings as f64)
    };
    let (few, many) = (products(10), products(300));
    assert!(many.0 < 1.1 * few.0, "{few:?} {many:?}");
    // The ends of the chain touch one neighbor only, which 10 rings notice more than 300.
    assert!(many.1 < 1.3 * few.1, "{few:?} {many:?}");
}

#[test]
fn only_what_is_touched_is_factorized_again() {
    let problem = Family::Braid(60).build().unwrap();
    let newton = NewtonMatrix::assemble(&problem, &problem.v_star);
    let mut analysis = Analysis::default();
    newton.analyze(&mut analysis);
    let touched = newton.touched.iter().filter(|t| **t).count();
    assert_eq!(analysis.tile_count() - analysis.eliminated_count(), touched);
    assert!(2 * analysis.kept_product_count() < analysis.product_count());
}

#[test]
fn a_long_chain_has_the_same_bits_for_any_number_of_threads() {
    // One island, cut into groups.
    for family in [Family::Rings(100), Family::Filaments, Family::Braid(120)] {
        let problem = family.build().unwrap();
        let solve = |options: Options| {
            let mut solution = Solution::new();
            Solver::new(options).solve(&problem, None, &mut solution).unwrap();
            solution
        };
        let alone = solve(Options { parallel: false, ..Options::default() });
        for threads in [1, 2, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let together = pool.install(|| solve(Options::default()));
            assert!(
                alone.v.iter().zip(&together.v).all(|(a, b)| a.to_bits() == b.to_bits()),
                "{family} {threads}"
            );
            assert_eq!(alone.impulses, together.impulses, "{family} {threads}");
        }
    }
}

#[test]
fn what_is_unchanged_is_used_again_with_the_same_bits() {
    // One island, cut into groups; rod by rod of 20 (130) tiles.
    for (family, rod) in [(Family::Rings(100), 20), (Family::Filaments, 131)] {
        let mut problem = family.build().unwrap();
        let tile_count = problem.blocks.tile_count();
        let (mut solver, mut solution) = (Solver::new(Options::default()), Solution::new());
        solver.solve(&problem, None, &mut solution).unwrap();
        problem.residual.resize(4 * tile_count, 0.0);
        // In turn: another residual alone; other Jacobians; a rod that is heavier; one that is not positive definite, and
        // comes back.
        for (case, mass) in [1.0, 1.0, 1.5, -1.0, 1.0].into_iter().enumerate() {
            let turned = case == 1;
            for c in (0..problem.constraints.len()).filter(|_| turned) {
                // Other numbers, the same for both sides, so that velocities of the rows stay relative ones.
                for x in problem.constraints.jacobian_mut(c).as_flattened_mut().as_flattened_mut() {
                    *x *= 1.01;
                }
            }
            for (i, m) in problem.residual.iter_mut().enumerate() {
                *m = 1e-6 * ((7 * i + case) as f64).sin();
            }
            let tiles = 3 * rod..4 * rod;
            let before = problem.matrix.clone();
            for tile in tiles.clone() {
                let diagonal = problem.matrix.pattern().slots(tile).start;
                for k in 0..4 {
                    problem.matrix.tiles_mut()[diagonal].0[k][k] *= mass;
                }
            }
            let known = |tile: usize| match () {
                () if tiles.contains(&tile) && (mass != 1.0 || case == 4) => Unchanged::Nothing,
                () if turned => Unchanged::Matrix,
                () => Unchanged::Rows,
            };
            problem.unchanged = (0..tile_count).map(known).collect();
            let (mut anew, mut fresh) = (Solution::new(), problem.clone());
            fresh.unchanged.clear();
            solver.solve(&problem, None, &mut solution).unwrap();
            Solver::new(Options::default()).solve(&fresh, None, &mut anew).unwrap();
            assert_eq!(solution.status, anew.status, "{family} {case}");
            assert_eq!(solution.status.is_converged(), mass > 0.0, "{family} {case}: {}", solution.status);
            assert!(
                solution.v.iter().zip(&anew.v).all(|(a, b)| a.to_bits() == b.to_bits()),
                "{family} {case}"
            );
            if mass < 0.0 {
                problem.matrix = before;
            }
        }
    }
}
