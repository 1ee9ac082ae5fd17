//! Violation of the optimality conditions by a solution, computed from the problem alone.
//!
//! ```text
//!   momentum         A (v − v*) + m = Σ J_iᵀ λ_i
//!   law              λ_i = −∂ℓ_i/∂u_i at u_i = J_i v − v̂_i
//!   for the cone:    λ ∈ C,   x = u + Rλ ∈ C*,   λ ⟂ x
//! ```
//!
//! Each is relative: momentum to the greatest of its terms, with DoFs made comparable by diag(A)^−½;
//! the cone conditions to |λ| and to the speed of the constraint's rows.

use crate::law::Law;
use crate::problem::Problem;
use crate::solver::solution::Solution;

/// Relative violations; zero at the exact optimum.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Optimality {
    /// |D^−½ (A(v − v*) + m − Jᵀλ)| over the greatest of its terms.
    pub momentum: f64,
    /// Greatest distance of a contact's impulse from its cone, over |λ|.
    pub cone: f64,
    /// Greatest distance of u + Rλ from the dual cone, over the speed of the contact.
    pub dual_cone: f64,
    /// Greatest |λᵀ(u + Rλ)| over |λ| times the speed of the contact.
    pub complementarity: f64,
}

impl Optimality {
    /// The greatest of all.
    pub fn greatest(&self) -> f64 {
        self.momentum.max(self.cone).max(self.dual_cone).max(self.complementarity)
    }

    /// Checks `solution` against `problem`.
    pub fn compute(problem: &Problem, solution: &Solution) -> Self {
        let mut out = Self { momentum: momentum_error(problem, solution), ..Self::default() };
        for (i, lambda) in solution.impulses.iter().enumerate() {
            let Law::Sap(law) = problem.constraints.law(i) else { continue };
            let r = law.regularization();
            if r.iter().any(|r| r.is_infinite()) {
                continue;
            }
            let bias = problem.constraints.bias(i);
            let velocity = problem.constraints.velocity(i, &solution.v);
            let mut x = [0.0; 3];
            let mut speed = f64::MIN_POSITIVE;
            for row in 0..3 {
                x[row] = velocity[row] - bias[row] + r[row] * lambda[row];
                speed = speed.max(velocity[row].abs()).max(bias[row].abs()).max(r[row] * lambda[row].abs());
            }
            // The speed of the rows' parts counts too: they may cancel in J v.
            speed = speed.max(part_speed(problem, solution, i));
            let size = lambda.iter().fold(f64::MIN_POSITIVE, |m, l| m.max(l.abs()));
            let mu = law.friction();
            out.cone = out.cone.max((lambda[0].hypot(lambda[1]) - mu * lambda[2]) / size);
            let outside = (mu * x[0].hypot(x[1]) - x[2]) / (1.0 + mu * mu).sqrt();
            out.dual_cone = out.dual_cone.max(outside / speed);
            let product: f64 = (0..3).map(|row| lambda[row] / size * x[row]).sum();
            out.complementarity = out.complementarity.max(product.abs() / speed);
        }
        out
    }
}

/// Greatest |J_ab v_b| of a constraint.
fn part_speed(problem: &Problem, solution: &Solution, constraint: usize) -> f64 {
    let constraints = &problem.constraints;
    let mut greatest = 0.0_f64;
    for (&tile, rows) in constraints.tiles(constraint).iter().zip(constraints.jacobian(constraint)) {
        let v = &solution.v[4 * tile as usize..][..4];
        for row in rows {
            for (j, v) in row.iter().zip(v) {
                greatest = greatest.max((j * v).abs());
            }
        }
    }
    greatest
}

fn momentum_error(problem: &Problem, solution: &Solution) -> f64 {
    let n = problem.v_star.len();
    let x: Vec<f64> = solution.v.iter().zip(&problem.v_star).map(|(v, s)| v - s).collect();
    let mut p = vec![0.0; n];
    problem.matrix.multiply(&x, &mut p);
    for (p, m) in p.iter_mut().zip(&problem.residual) {
        *p += m;
    }
    let mut impulse = vec![0.0; n];
    for (i, lambda) in solution.impulses.iter().enumerate() {
        problem.constraints.add_impulse(i, *lambda, &mut impulse);
    }
    let root = |dof: usize| problem.matrix.diagonal(dof / 4).get(dof % 4, dof % 4).sqrt();
    let norm =
        |value: &dyn Fn(usize) -> f64| (0..n).map(|i| value(i) / root(i)).map(|y| y * y).sum::<f64>().sqrt();
    // v is rounded when v* is added to x: A times that is no error of the solver.
    let rounding = 1e-15 * (0..n).map(|i| (root(i) * solution.v[i]).powi(2)).sum::<f64>().sqrt();
    let size = norm(&|i| p[i]).max(norm(&|i| impulse[i])).max(f64::MIN_POSITIVE);
    let error = norm(&|i| p[i] - impulse[i]);
    (error - 4.0 * rounding).max(0.0) / size
}
