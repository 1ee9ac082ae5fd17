//! Newton's method on one island.
//!
//! After elimination of the blocks without constraints (index p: participating), S the Schur complement and x = v_p −
//! v*_p, the problem is
//!
//! ```text
//!   minimize  ½ xᵀS x + m'ᵀx + Σ ℓ_i(u_i),     u_i = J_i v − v̂_i,     m' = m_p − A_pn A_nn⁻¹ m_n
//!   gradient  g = p − Jᵀλ,  p = S x + m'        Hessian  H = S + Σ J_iᵀG_iJ_i
//!   step      H Δ = −g,  α exact along Δ,  x += αΔ,  p += α SΔ,  u += α JΔ
//! ```
//!
//! p and u are updated rather than computed anew from x: with stiff constraints u is the small
//! difference of large velocities, and its increments, which shrink as the iteration converges, keep
//! the digits that the impulses need.
//!
//! Stopping, as in Castro, Permenter, Han (2023), with D = diag(A) making all DoFs comparable:
//!
//! ```text
//!   |D^−½ g| ≤ ε max(|D^−½ p|, |D^−½ Jᵀλ|) + ε_0 |D^½ v|
//! ```
//!
//! with ε_0 = 1e-15 for round-off: where all contacts open, p is zero but for the last digit of v. If p was much
//! greater during the iteration than at the end, it is recomputed to remove round-off before convergence is accepted.
//! An iteration that can no longer lower the cost ends as [`Status::RoundOff`]. For very stiff constraints there are
//! a continuation (`continuation.rs`) and a refinement of their impulses (`roundoff_refinement.rs`).

use crate::law::{ConstraintLaw, Rows};
use crate::problem::Problem;
use crate::solver::continuation::Softening;
use crate::solver::group_parallel::at_once;
use crate::solver::island::{Island, Work};
use crate::solver::island_constraints::Compiled;
use crate::solver::kernels;
use crate::solver::line_search;
use crate::solver::solution::{IslandReport, Status};
use ropewalk_linalg::sparse::NotPositiveDefinite;

/// Options of the solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// ε, > 0. Default 1e-10: Newton converges quadratically, so the last digits cost one iteration.
    pub tolerance: f64,
    /// Most Newton iterations. Default 200; an outer loop that refreshes A caps it at 5–10.
    pub max_iterations: usize,
    /// |φ'(α)|/|φ'(0)| at which the line search ends. Default 1e-3: the cost is then within a
    /// millionth of the least along the line, and more digits do not save iterations.
    pub line_search_tolerance: f64,
    /// Solve islands, and groups within an island, in parallel on the current thread pool. Default true; results are
    /// bit-identical either way.
    pub parallel: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { tolerance: 1e-10, max_iterations: 200, line_search_tolerance: 1e-3, parallel: true }
    }
}

/// Relative change of the cost below which an iteration counts as no progress.
const QUIET: f64 = 1e-12;

/// Room in the cost history from the start; longer ones are rare.
const HISTORY: usize = 64;

/// ε_0.
pub(crate) const ROUND_OFF: f64 = 1e-15;

/// p is recomputed where it was greater than this times its final size.
const P_GROWTH: f64 = 100.0;

/// Tolerance of softened problems, which only lead to the given one.
const SOFT_TOLERANCE: f64 = 0.1;

/// Whether iterations still make progress.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quiet {
    No,
    Yes,
    /// Not even the last digit of the cost changes, or no descent is left.
    Dead,
}

/// Result of a Newton step.
struct Place {
    /// See [`Island::residual`].
    residual: (f64, f64),
    cost: f64,
}

impl From<NotPositiveDefinite> for Status {
    fn from(e: NotPositiveDefinite) -> Self {
        Self::NotPositiveDefinite { tile: e.tile, dof: e.dof }
    }
}

/// Sum of squares of D^−½ x.
pub(crate) fn scaled_square(x: &[[f64; 4]], scale: &[[f64; 4]]) -> f64 {
    let mut sum = [0.0; 4];
    for (x, s) in x.iter().zip(scale) {
        for c in 0..4 {
            let y = x[c] * s[c];
            sum[c] += y * y;
        }
    }
    (sum[0] + sum[1]) + (sum[2] + sum[3])
}

pub(crate) fn dot(x: &[[f64; 4]], y: &[[f64; 4]]) -> f64 {
    let mut sum = [0.0; 4];
    for (x, y) in x.iter().zip(y) {
        for c in 0..4 {
            sum[c] += x[c] * y[c];
        }
    }
    (sum[0] + sum[1]) + (sum[2] + sum[3])
}

/// Σ ℓ_i.
fn cost_of_constraints(compiled: &Compiled, u: &[Rows]) -> f64 {
    compiled.laws().iter().zip(u).map(|(law, u)| law.cost(*u)).sum()
}

/// [`Island::residual`], with p, λ and D^−½.
fn residual_at(
    compiled: &Compiled,
    kept: core::ops::Range<usize>,
    (p, impulse, scale): (&[[f64; 4]], &[Rows], &[[f64; 4]]),
    gradient: &mut [[f64; 4]],
) -> (f64, f64) {
    let (p, scale) = (&p[kept.clone()], &scale[kept.clone()]);
    gradient[kept.clone()].copy_from_slice(p);
    kernels::subtract_transposed(compiled, impulse, gradient);
    let gradient = &gradient[kept];
    // Jᵀλ = p − g.
    let mut impulse = [0.0; 4];
    for ((p, g), s) in p.iter().zip(gradient).zip(scale) {
        for c in 0..4 {
            let y = (p[c] - g[c]) * s[c];
            impulse[c] += y * y;
        }
    }
    let impulse = (impulse[0] + impulse[1]) + (impulse[2] + impulse[3]);
    (scaled_square(gradient, scale).sqrt(), scaled_square(p, scale).max(impulse).sqrt())
}

/// y += a x.
pub(crate) fn add_scaled(y: &mut [[f64; 4]], a: f64, x: &[[f64; 4]]) {
    for (y, x) in y.iter_mut().zip(x) {
        for c in 0..4 {
            y[c] += a * x[c];
        }
    }
}

impl Island {
    /// Solves the island from `guess` (or v*), leaving velocities and impulses in its workspace.
    pub(crate) fn solve(&mut self, problem: &Problem, guess: Option<&[f64]>, options: &Options) {
        let mut report = core::mem::take(&mut self.report);
        report.cost_history.clear();
        report.cost_history.reserve(HISTORY);
        report.iterations = 0;
        report.line_search_evaluations = 0;
        report.relative_residual = 0.0;
        report.tile_count = self.tiles.len();
        report.participating_count = self.tiles.len() - self.analysis.eliminated_count();
        report.constraint_count = self.compiled.len();
        let status = match self.start(problem, guess, options) {
            Err(e) => e.into(),
            Ok(constant) => {
                let status = self.iterate(problem, constant, options, &mut report);
                self.recover(options);
                status
            }
        };
        report.status = if status.has_solution() && !self.is_finite() { Status::Overflow } else { status };
        self.report = report;
    }

    /// p = S x + m'.
    pub(crate) fn compute_p(&mut self) {
        let Self { analysis, factor, work, .. } = self;
        factor.multiply_schur(analysis, &work.x, &mut work.p);
        let kept = analysis.eliminated_count()..;
        add_scaled(&mut work.p[kept.clone()], 1.0, &work.reduced[kept]);
    }

    /// ½ xᵀS x + m'ᵀx + Σ ℓ_i = ½ xᵀ(p + m') + Σ ℓ_i.
    fn cost(&self) -> f64 {
        let (work, kept) = (&self.work, self.kept());
        let constraints = cost_of_constraints(&self.compiled, &work.u);
        let given = dot(&work.x[kept.clone()], &work.reduced[kept.clone()]);
        0.5 * (dot(&work.x[kept.clone()], &work.p[kept]) + given) + constraints
    }

    /// Positions with constraints.
    fn kept(&self) -> core::ops::Range<usize> {
        self.analysis.eliminated_count()..self.tiles.len()
    }

    fn iterate(
        &mut self,
        problem: &Problem,
        constant: f64,
        options: &Options,
        report: &mut IslandReport,
    ) -> Status {
        report.cost_history.push(self.cost() + constant);
        let mut softening = Softening::default();
        let floor = ROUND_OFF * self.work.momentum;
        let mut greatest = 0.0_f64;
        let mut known = None;
        loop {
            let (residual, size) = known.take().unwrap_or_else(|| self.residual());
            greatest = greatest.max(size);
            report.relative_residual = if size > 0.0 { residual / size } else { 0.0 };
            let tolerance = if softening.is_active() { SOFT_TOLERANCE } else { options.tolerance };
            let converged = residual <= tolerance * size + floor;
            if converged && !softening.is_active() {
                if greatest <= P_GROWTH * size || size <= floor {
                    return Status::Converged;
                }
                greatest = 0.0;
                self.compute_p();
                continue;
            }
            if !residual.is_finite() {
                return Status::Overflow;
            }
            if report.iterations >= options.max_iterations {
                // The impulses returned are those of the laws as given.
                self.soften(problem, 1.0);
                return Status::IterationLimit;
            }
            if converged || softening.is_due() {
                self.advance(problem, &mut softening);
                continue;
            }
            let quiet = match self.newton_step(options, report) {
                Ok(at) => {
                    softening.count();
                    known = Some(at.residual);
                    let cost = at.cost + constant;
                    let before = report.cost_history.last().copied().unwrap_or(cost);
                    report.cost_history.push(cost);
                    self.is_quiet(before, cost, residual, report)
                }
                Err(Status::RoundOff) => Quiet::Dead,
                Err(status) => return status,
            };
            if quiet != Quiet::No && !softening.is_active() {
                known = None;
                if let Some(status) = self.polish(problem, options, report) {
                    return status;
                }
                if quiet == Quiet::Dead && softening.was_tried() {
                    return Status::RoundOff;
                }
            }
            if quiet == Quiet::Dead {
                known = None;
                self.advance(problem, &mut softening);
            }
        }
    }

    /// The next stage of the continuation.
    fn advance(&mut self, problem: &Problem, softening: &mut Softening) {
        let factor = softening.advance(|| self.greatest_stiffness());
        self.soften(problem, factor);
    }

    /// g = p − Jᵀλ into the workspace; returns |D^−½ g| and max(|D^−½ p|, |D^−½ Jᵀλ|).
    pub(crate) fn residual(&mut self) -> (f64, f64) {
        let kept = self.kept();
        let Work { p, impulse, scale, gradient, .. } = &mut self.work;
        residual_at(&self.compiled, kept, (p, impulse, scale), gradient)
    }

    /// Solves H Δ = −g, finds α, and updates all that depends on them.
    fn newton_step(&mut self, options: &Options, report: &mut IslandReport) -> Result<Place, Status> {
        let kept = self.kept();
        self.newton_direction(options)?;
        let Self { work, compiled, .. } = self;
        // φ'(α) = p·Δ + α Δ·SΔ − Σ λ_i(u + α du)·du.
        let linear = dot(&work.p[kept.clone()], &work.step[kept.clone()]);
        let quadratic = dot(&work.s_step[kept.clone()], &work.step[kept.clone()]);
        let slope = dot(&work.gradient[kept.clone()], &work.step[kept.clone()]);
        if slope.is_nan() {
            return Err(Status::Overflow);
        }
        if slope >= 0.0 {
            return Err(Status::RoundOff);
        }
        // Large impulses that cancel leave round-off in φ', which bounds the accuracy of its root.
        let mut pushes = [0.0; 3];
        for (lambda, du) in work.impulse.iter().zip(&work.du) {
            for row in 0..3 {
                pushes[row] += (lambda[row] * du[row]).abs();
            }
        }
        let noise = f64::EPSILON * (linear.abs() + quadratic + pushes.iter().sum::<f64>());
        let (along, parallel) = ((&work.u[..], &work.du[..]), options.parallel);
        let found = line_search::search(
            &mut work.trial,
            (options.line_search_tolerance * slope.abs()).max(noise),
            |trial, a| linear + a * quadratic - kernels::evaluate_along(compiled, along, a, trial, parallel),
            |_, a| quadratic + kernels::curvature_along(compiled, along, a, parallel),
        );
        core::mem::swap(&mut work.impulse, &mut work.trial);
        report.line_search_evaluations += found.evaluations;
        report.iterations += 1;
        Ok(self.move_along(found.alpha, options))
    }

    /// Moves x, p and u by α along Δ; the impulses are already there.
    fn move_along(&mut self, alpha: f64, options: &Options) -> Place {
        let kept = self.kept();
        let parallel = options.parallel && kernels::are_many(&self.compiled);
        let Self { work, compiled, .. } = self;
        let Work { x, p, u, impulse, gradient, scale, .. } = work;
        let (step, s_step, du) = (&work.step[kept.clone()], &work.s_step[kept.clone()], &work.du);
        let (x, reduced) = (&mut x[kept.clone()], &work.reduced[kept.clone()]);
        let (residual, (given, constraints)) = at_once(
            parallel,
            || {
                add_scaled(&mut p[kept.clone()], alpha, s_step);
                residual_at(compiled, kept.clone(), (p, impulse, scale), gradient)
            },
            || {
                add_scaled(x, alpha, step);
                for (u, du) in u.iter_mut().zip(du) {
                    for row in 0..3 {
                        u[row] += alpha * du[row];
                    }
                }
                (dot(x, reduced), cost_of_constraints(compiled, u))
            },
        );
        Place { residual, cost: 0.5 * (dot(x, &p[kept]) + given) + constraints }
    }

    /// Replaces the laws by softer ones, or restores them, at the present velocities.
    fn soften(&mut self, problem: &Problem, factor: f64) {
        let Self { compiled, work, .. } = self;
        compiled.soften(&problem.constraints, factor);
        kernels::evaluate_along(compiled, (&work.u, &work.u), 0.0, &mut work.impulse, false);
    }

    /// The greatest stiffness·w of a constraint, with w from diag(A) alone; the laws must be as given.
    fn greatest_stiffness(&self) -> f64 {
        let Self { compiled, work, .. } = self;
        let mut greatest = 0.0_f64;
        for (i, law) in compiled.laws().iter().enumerate() {
            let mut weight = 0.0;
            for (&position, rows) in compiled.positions(i).iter().zip(compiled.jacobian(i)) {
                let scale = &work.scale[position as usize];
                weight += rows
                    .iter()
                    .flat_map(|row| row.iter().zip(scale))
                    .map(|(j, s)| (j * s).powi(2))
                    .sum::<f64>();
            }
            greatest = greatest.max(weight * law.stiffness());
        }
        greatest
    }

    /// Reports stagnation at every fourth iteration that neither halves the residual nor changes the cost noticeably.
    fn is_quiet(&mut self, before: f64, cost: f64, residual: f64, report: &IslandReport) -> Quiet {
        let change = (before - cost).abs() / before.abs().max(cost.abs());
        if report.iterations <= 1 || residual < 0.5 * self.work.best_residual {
            self.work.quiet_iterations = 0;
            self.work.best_residual = residual;
        } else if change <= QUIET {
            self.work.quiet_iterations += 1;
        }
        match self.work.quiet_iterations % 4 {
            3 if change <= ROUND_OFF => Quiet::Dead,
            3 => Quiet::Yes,
            _ => Quiet::No,
        }
    }

    fn is_finite(&self) -> bool {
        self.work.x.iter().flatten().all(|x| x.is_finite())
            && self.work.impulse.iter().flatten().all(|l| l.is_finite())
    }
}
