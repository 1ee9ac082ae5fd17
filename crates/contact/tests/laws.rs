//! All laws through the solver, side by side in one problem.
#![allow(clippy::unwrap_used)]

mod common;

use common::Random;
use common::generate::{Recipe, generate};
use ropewalk_contact::law::actuator::ActuatorParameters;
use ropewalk_contact::law::distance::Tie;
use ropewalk_contact::law::hunt_crossley::CompliantParameters;
use ropewalk_contact::law::spring::Spring;
use ropewalk_contact::law::{
    Actuator, Attachment, Coupler, Distance, DryFriction, JointLimit, LaggedContact, SimilarContact,
};
use ropewalk_contact::{DiagonalBlocks, JacobianTile, Optimality, Options, Problem, Solution, Solver};
use ropewalk_testing::dense_schur::solve_dense_schur;

const TIME_STEP: f64 = 1e-3;

/// Replaces contacts by the other two laws and adds one constraint of each further kind.
fn mix(problem: &mut Problem, random: &mut Random) {
    let mut diagonal = DiagonalBlocks::default();
    diagonal.update(&problem.blocks, &problem.matrix).unwrap();
    for i in 0..problem.constraints.len() {
        let tiles = problem.constraints.tiles(i).iter().zip(problem.constraints.jacobian(i));
        let jacobian: Vec<JacobianTile> =
            tiles.map(|(&tile, &rows)| JacobianTile { tile: tile as usize, rows }).collect();
        let weight = diagonal.weight(&jacobian, 3);
        let parameters = CompliantParameters {
            friction: random.uniform(),
            gap: -1e-4 * random.uniform(),
            stiffness: Some(random.decade(2.0, 8.0)),
            dissipation: if random.uniform() < 0.5 { 0.0 } else { random.decade(-2.0, 1.5) },
            lagged_impulse: random.decade(-6.0, -2.0),
            ..CompliantParameters::default()
        };
        match i % 3 {
            0 => {
                let law = LaggedContact::new(&parameters, weight, TIME_STEP).unwrap();
                problem.constraints.set_law(i, law);
            }
            1 => {
                let law = SimilarContact::new(&parameters, weight, TIME_STEP).unwrap();
                problem.constraints.set_law(i, law);
            }
            _ => {}
        }
    }
    let mut row = |count: usize| -> (Vec<JacobianTile>, f64) {
        let jacobian: Vec<JacobianTile> = (0..count)
            .map(|_| {
                let mut rows = [[0.0; 4]; 3];
                rows[0] = [random.signed(), random.signed(), random.signed(), 0.0];
                JacobianTile { tile: random.below(2), rows }
            })
            .collect();
        let weight = diagonal.weight(&jacobian, 1);
        (jacobian, weight)
    };
    let spring = Spring::default();
    let (j, w) = row(1);
    problem.constraints.push(JointLimit::new(0.0, -1e-4, 1e-4, &spring, w, TIME_STEP).unwrap(), &j);
    let (j, w) = row(2);
    problem.constraints.push(Distance::new(Tie::Rope, 1.0, 1.0, &spring, w, TIME_STEP).unwrap(), &j);
    let (j, w) = row(2);
    problem.constraints.push(Distance::new(Tie::Bar, 1.0, 0.9999, &spring, w, TIME_STEP).unwrap(), &j);
    let (j, w) = row(2);
    problem.constraints.push(Coupler::new(0.1, 0.05, 2.0, 0.0, &spring, w, TIME_STEP).unwrap(), &j);
    let (j, w) = row(1);
    problem.constraints.push(DryFriction::new(0.5, 1e-3, w, TIME_STEP).unwrap(), &j);
    let (j, w) = row(1);
    problem.constraints.push(Attachment::scalar(1e-3, &spring, w, TIME_STEP).unwrap(), &j);
    let (j, _) = row(1);
    let parameters = ActuatorParameters {
        position_gain: 1e4,
        velocity_gain: 10.0,
        target_position: 0.01,
        effort_limit: 20.0,
        ..ActuatorParameters::default()
    };
    problem.constraints.push(Actuator::new(&parameters, 0.0, TIME_STEP).unwrap(), &j);
}

#[test]
fn mixed_laws_are_solved_to_the_same_optimum_by_both_solvers() {
    let mut random = Random(31);
    let mut solver = Solver::new(Options::default());
    let mut solution = Solution::new();
    for case in 0..200 {
        let recipe = Recipe {
            groups: 1 + random.below(2),
            contacts: 6,
            mass_decades: 2.0,
            near_rigid_beta: 1.0,
            duplicates: 0.0,
            attachments: false,
        };
        let mut problem = generate(&recipe, &mut random);
        mix(&mut problem, &mut random);
        solver.solve(&problem, None, &mut solution).unwrap();
        assert!(solution.status.is_converged(), "case {case}: {}", solution.status);
        let optimality = Optimality::compute(&problem, &solution);
        assert!(optimality.greatest() < 1e-9, "case {case}: {optimality:?}");
        let dense = solve_dense_schur(&problem, &Options { tolerance: 1e-9, ..Options::default() }).unwrap();
        assert!(dense.status.has_solution());
        let size = dense.v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        for (a, b) in solution.v.iter().zip(&dense.v) {
            assert!((a - b).abs() < 1e-6 * size, "case {case}: {a} {b}");
        }
        // No other velocity costs less: a few neighbors.
        for _ in 0..5 {
            let v: Vec<f64> = solution.v.iter().map(|v| v + 1e-3 * random.signed()).collect();
            assert!(cost(&problem, &v) >= solution.objective * (1.0 - 1e-12), "case {case}");
        }
    }
}

/// ½|v − v*|²_A + Σ ℓ_i, from the definition.
fn cost(problem: &Problem, v: &[f64]) -> f64 {
    use ropewalk_contact::ConstraintLaw;
    let x: Vec<f64> = v.iter().zip(&problem.v_star).map(|(v, s)| v - s).collect();
    let mut p = vec![0.0; x.len()];
    problem.matrix.multiply(&x, &mut p);
    let mut sum = 0.5 * x.iter().zip(&p).map(|(x, p)| x * p).sum::<f64>();
    for i in 0..problem.constraints.len() {
        let law = problem.constraints.law(i);
        let (velocity, bias) = (problem.constraints.velocity(i, v), law.bias());
        sum += law.cost([0, 1, 2].map(|row| velocity[row] - bias[row]));
    }
    sum
}
