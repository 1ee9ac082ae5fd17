//! After a first solve, solves with the same pattern allocate nothing.
#![allow(clippy::unwrap_used)]

mod common;

use common::Random;
use common::generate::{Recipe, generate};
use ropewalk_contact::{Options, Solution, Solver};
use ropewalk_testing::allocations::{CountingAllocator, count};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn nothing_is_allocated_after_the_first_solve() {
    let mut random = Random(77);
    let recipe = Recipe {
        groups: 5,
        contacts: 10,
        mass_decades: 2.0,
        near_rigid_beta: 1.0,
        duplicates: 0.0,
        attachments: true,
    };
    let mut problem = generate(&recipe, &mut random);
    let mut solver = Solver::new(Options { parallel: false, ..Options::default() });
    let (mut solution, mut guess) = (Solution::new(), Vec::new());
    // Some solves from scratch, so that the histories have seen their longest.
    for _ in 0..3 {
        solver.solve(&problem, None, &mut solution).unwrap();
    }
    guess.extend_from_slice(&solution.v);
    let before = count();
    for round in 0..20 {
        // New values of A, v*, Jacobians; the same pattern.
        for tile in problem.matrix.tiles_mut() {
            for x in tile.0.as_flattened_mut() {
                *x *= 1.0 + 1e-3;
            }
        }
        problem.v_star[0] += 1e-2 * random.signed();
        problem.constraints.jacobian_mut(0)[0][0][0] += 1e-3;
        let start = if round % 2 == 0 { None } else { Some(guess.as_slice()) };
        solver.solve(&problem, start, &mut solution).unwrap();
        assert!(solution.status.is_converged());
        guess.copy_from_slice(&solution.v);
    }
    assert_eq!(count() - before, 0);
    assert_eq!(solver.analysis_cache().analysis_count(), 1);
}
