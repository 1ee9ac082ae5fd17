//! The last digits of the impulses of very stiff constraints.
//!
//! There λ = −u/R (or, sliding, a difference of parts of u) has fewer digits than u, and no velocity
//! that can be represented gives the λ that balances momentum. The linear law λ − G JΔ at the last
//! Newton step Δ does, with JΔ among the last digits of u: it is taken only if that is so.

use crate::law::ConstraintLaw;
use crate::problem::Problem;
use crate::solver::island::Island;
use crate::solver::newton::{Options, ROUND_OFF, add_scaled, scaled_square};
use crate::solver::solution::{IslandReport, Status};

impl Island {
    /// A last linear step where Newton's method has reached round-off; none elsewhere.
    pub(crate) fn polish(
        &mut self,
        problem: &Problem,
        options: &Options,
        report: &mut IslandReport,
    ) -> Option<Status> {
        self.residual();
        if let Err(status) = self.newton_direction(options) {
            return Some(status);
        }
        let kept = self.analysis.eliminated_count()..self.tiles.len();
        if !(0..self.compiled.len()).all(|i| self.is_last_digit(problem, i)) {
            return None;
        }
        let Self { work, compiled, .. } = self;
        for (i, law) in compiled.laws().iter().enumerate() {
            let (g, du) = (law.hessian(work.u[i]), work.du[i]);
            for row in 0..3 {
                work.impulse[i][row] -= g[row][0] * du[0] + g[row][1] * du[1] + g[row][2] * du[2];
            }
        }
        add_scaled(&mut work.x[kept.clone()], 1.0, &work.step[kept.clone()]);
        add_scaled(&mut work.p[kept.clone()], 1.0, &work.s_step[kept]);
        let (residual, size) = self.residual();
        report.relative_residual = if size > 0.0 { residual / size } else { 0.0 };
        // Includes the round-off of large impulses that cancel, as on a squeezed body.
        let floor = ROUND_OFF * self.work.momentum + 10.0 * ROUND_OFF * self.sum_of_impulses();
        let converged = residual <= options.tolerance * size + floor;
        Some(if converged { Status::Converged } else { Status::RoundOff })
    }

    /// |D^−½ |J|ᵀ|λ||, the size of Jᵀλ before anything cancels.
    fn sum_of_impulses(&mut self) -> f64 {
        let Self { work, compiled, analysis, .. } = self;
        let kept = analysis.eliminated_count()..;
        work.step.fill([0.0; 4]);
        for (i, lambda) in work.impulse.iter().enumerate() {
            for (&position, rows) in compiled.positions(i).iter().zip(compiled.jacobian(i)) {
                for (row, l) in rows.iter().zip(lambda) {
                    for c in 0..4 {
                        work.step[position as usize][c] += (row[c] * l).abs();
                    }
                }
            }
        }
        scaled_square(&work.step[kept.clone()], &work.scale[kept]).sqrt()
    }

    /// Whether JΔ of constraint `i` is of the order of the round-off in its u. (With a bound lower by two digits, one
    /// in twelve of the stiffest problems keeps iterating on round-off and ends far from the solution.)
    fn is_last_digit(&self, problem: &Problem, i: usize) -> bool {
        let Self { work, compiled, tiles, analysis, .. } = self;
        let bias = compiled.bias()[i];
        let mut speed = bias.iter().chain(&work.u[i]).fold(0.0_f64, |m, x| m.max(x.abs()));
        for (&position, rows) in compiled.positions(i).iter().zip(compiled.jacobian(i)) {
            let tile = tiles[analysis.tile_at(position as usize)] as usize;
            for c in 0..4 {
                let v = problem.v_star[4 * tile + c].abs().max(work.x[position as usize][c].abs());
                speed = rows.iter().fold(speed, |m, row| m.max(row[c].abs() * v));
            }
        }
        work.du[i].iter().all(|d| d.abs() <= 1e-11 * speed)
    }
}
