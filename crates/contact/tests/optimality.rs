//! Conditions of optimality on random problems.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::Random;
use common::generate::{Recipe, generate};
use ropewalk_contact::{Optimality, Options, Solution, Solver};

#[test]
fn random_problems_are_solved_to_the_optimum() {
    let mut random = Random(1);
    let mut solver = Solver::new(Options::default());
    let mut solution = Solution::new();
    let (mut worst, mut iterations, mut most) = (0.0_f64, 0, 0);
    let count = 1500;
    for case in 0..count {
        let recipe = Recipe {
            groups: 1 + random.below(4),
            contacts: 1 + random.below(8),
            mass_decades: 6.0 * random.uniform(),
            near_rigid_beta: 1.0,
            duplicates: if case % 5 == 0 { 0.3 } else { 0.0 },
            attachments: case % 3 == 0,
        };
        let problem = generate(&recipe, &mut random);
        solver.solve(&problem, None, &mut solution).unwrap();
        assert!(solution.status.is_converged(), "case {case}: {}", solution.status);
        let optimality = Optimality::compute(&problem, &solution);
        assert!(optimality.greatest() < 1e-9, "case {case}: {optimality:?}");
        worst = worst.max(optimality.greatest());
        iterations += solution.iterations;
        most = most.max(solution.iterations);
        assert!(solution.cost_history.len() == solution.iterations + 1);
    }
    println!("worst {worst:e}, iterations mean {}, most {most}", iterations as f64 / f64::from(count));
    assert!(iterations < 12 * count as usize, "{iterations} iterations");
}

#[test]
fn stiff_problems_without_the_near_rigid_bound_are_solved_too() {
    let mut random = Random(2);
    let mut solver = Solver::new(Options::default());
    let mut solution = Solution::new();
    let (mut converged, count, mut iterations, mut most) = (0, 400, 0, 0);
    for case in 0..count {
        let recipe = Recipe {
            groups: 1,
            contacts: 1 + random.below(6),
            mass_decades: 4.0 * random.uniform(),
            near_rigid_beta: 0.0,
            duplicates: 0.0,
            attachments: false,
        };
        let problem = generate(&recipe, &mut random);
        solver.solve(&problem, None, &mut solution).unwrap();
        assert!(solution.status.has_solution(), "case {case}: {}", solution.status);
        let optimality = Optimality::compute(&problem, &solution);
        assert!(optimality.greatest() < 1e-6, "case {case}: {} {optimality:?}", solution.status);
        converged += usize::from(solution.status.is_converged());
        iterations += solution.iterations;
        most = most.max(solution.iterations);
    }
    println!("{converged} of {count} converged, {iterations} iterations, most {most}");
    assert!(converged * 100 >= count * 99, "{converged} of {count}");
}
