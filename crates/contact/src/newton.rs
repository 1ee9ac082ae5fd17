//! Newton's method on one island.
//!
//! With the blocks that no constraint touches eliminated (indices p: participating), S the Schur
//! complement and x = v_p − v*_p, the problem is
//!
//! ```text
//!   minimise  ½ xᵀS x + m'ᵀx + Σ ℓ_i(u_i),     u_i = J_i v − v̂_i,     m' = m_p − A_pn A_nn⁻¹ m_n
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
//! with ε_0 = 1e-15 for round-off: where all contacts open, p is zero but for the last digit of v. If
//! p was much greater on the way than at the end, its round-off is removed by computing it anew before
//! the end is believed. An iteration that can no longer lower the cost ends as [`Status::RoundOff`].
//! Problems whose constraints are far stiffer than what they hold are helped by a continuation
//! (`softening.rs`) and by a last look at their impulses (`polish.rs`).

use crate::island::{Island, Kept};
use crate::kernels;
use crate::law::ConstraintLaw;
use crate::line_search;
use crate::problem::{Problem, Unchanged};
use crate::share::{ByConstraint, ByEliminated, ByGroup, ByKept, both, for_each_group, for_each_top};
use crate::softening::Softening;
use crate::solution::{IslandReport, Status};
use ropewalk_linalg::sparse::{NotPositiveDefinite, Window};

/// What the solver is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// ε, > 0. Default 1e-10: Newton converges quadratically, so the last digits cost one iteration.
    pub tolerance: f64,
    /// Most Newton iterations. Default 200; an outer loop that refreshes A caps it at 5–10.
    pub max_iterations: usize,
    /// |φ'(α)|/|φ'(0)| at which the line search is content. Default 1e-3: the cost is then within a
    /// millionth of the least along the line, and more digits do not save iterations.
    pub line_search_tolerance: f64,
    /// Solve islands, and groups within an island, in parallel on the current thread pool. Default true; the result has
    /// the same bits either way.
    pub parallel: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { tolerance: 1e-10, max_iterations: 200, line_search_tolerance: 1e-3, parallel: true }
    }
}

/// Relative change of the cost that is not worth an iteration.
const QUIET: f64 = 1e-12;

/// Room in the cost history from the start; longer ones are rare.
const HISTORY: usize = 64;

/// ε_0.
pub(crate) const ROUND_OFF: f64 = 1e-15;

/// p is computed anew where it was greater than this times its final size.
const P_GROWTH: f64 = 100.0;

/// Softened problems are only a way to the given one.
const SOFT_TOLERANCE: f64 = 0.1;

/// Whether iterations still lead anywhere.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quiet {
    No,
    Yes,
    /// Not even the last digit of the cost changes, or no descent is left.
    Dead,
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

fn dot(x: &[[f64; 4]], y: &[[f64; 4]]) -> f64 {
    let mut sum = [0.0; 4];
    for (x, y) in x.iter().zip(y) {
        for c in 0..4 {
            sum[c] += x[c] * y[c];
        }
    }
    (sum[0] + sum[1]) + (sum[2] + sum[3])
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
        let status =
            match self.eliminate(problem, options).and_then(|c| self.start(problem, guess).map(|()| c)) {
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

    /// Eliminates what takes no part. Returns the constant −½ m_nᵀA_nn⁻¹m_n of the cost.
    fn eliminate(&mut self, problem: &Problem, options: &Options) -> Result<f64, NotPositiveDefinite> {
        let Self { analysis, factor, work, tiles, compiled, .. } = self;
        let by_tile =
            |e: NotPositiveDefinite| NotPositiveDefinite { tile: tiles[e.tile] as usize, dof: e.dof };
        let (residual, _) = problem.residual.as_chunks::<4>();
        let gather = |positions: core::ops::Range<usize>, to: &mut [[f64; 4]]| {
            for (position, m) in positions.zip(to) {
                *m = residual.get(tiles[analysis.tile_at(position)] as usize).copied().unwrap_or_default();
            }
        };
        let (values, top) = (problem.matrix.tiles(), analysis.top());
        let (eliminated, kept) = work.reduced.split_at_mut(analysis.eliminated_count());
        let kept = &mut kept[..top.start - analysis.eliminated_count()];
        let shares = (
            factor.parts(analysis),
            ByEliminated(Window::new(0, eliminated)),
            ByKept(Window::new(analysis.eliminated_count(), kept)),
            ByGroup(Window::new(0, &mut work.eliminated)),
            ByGroup(Window::new(0, &mut work.kept)),
        );
        let unchanged = |position: usize| {
            let tile = tiles[analysis.tile_at(position)] as usize;
            problem.unchanged.get(tile).copied().unwrap_or_default()
        };
        for (known, i) in work.border_known.iter_mut().zip(compiled.border()) {
            *known &= compiled.positions(i).iter().all(|&p| unchanged(p as usize) == Unchanged::Rows);
        }
        let of = (&*analysis, compiled.group_start());
        for_each_group(of, options.parallel, shares, &|g, shares| {
            let (mut part, mut eliminated, mut kept, mut done, mut holds) = shares;
            let group = &analysis.groups()[g];
            let (done, holds) = (done.0.at(g), holds.0.at(g));
            let all = group.eliminated.clone().chain(group.kept.clone()).map(unchanged).min();
            let least = all.unwrap_or(Unchanged::Rows);
            if *holds == Kept::Factor && least < Unchanged::Rows {
                *holds = Kept::Nothing;
            }
            if !*done || least < Unchanged::Matrix {
                (*done, *holds) = (false, Kept::Nothing);
                part.eliminate(values)?;
                (*done, *holds) = (true, Kept::Schur);
            }
            gather(group.eliminated.clone(), eliminated.0.items_mut());
            gather(group.kept.clone(), kept.0.items_mut());
            part.reduce(eliminated.0, kept.0);
            Ok(())
        })
        .map_err(by_tile)?;
        let top_columns = factor.top_of_eliminated(analysis);
        for_each_top(top_columns, options.parallel, &|mut part| part.eliminate(values)).map_err(by_tile)?;
        gather(top.clone(), &mut work.reduced[top]);
        factor.reduce_top(analysis, &mut work.reduced);
        let eliminated = &work.reduced[..analysis.eliminated_count()];
        Ok(-0.5 * dot(eliminated, eliminated))
    }

    /// x, p, u, λ and the scales at the initial guess.
    fn start(&mut self, problem: &Problem, from: Option<&[f64]>) -> Result<(), NotPositiveDefinite> {
        let Self { analysis, work, tiles, compiled, .. } = self;
        compiled.refresh(&problem.constraints);
        let (v_star, _) = problem.v_star.as_chunks::<4>();
        let (guess, _) = from.unwrap_or(&problem.v_star).as_chunks::<4>();
        let mut momentum = [0.0; 4];
        for position in analysis.eliminated_count()..tiles.len() {
            let tile = tiles[analysis.tile_at(position)] as usize;
            let (diagonal, guess, v_star) = (problem.matrix.diagonal(tile), &guess[tile], &v_star[tile]);
            // Borrowed for the velocity itself, to find u.
            work.step[position] = *guess;
            for c in 0..4 {
                work.x[position][c] = guess[c] - v_star[c];
                let root = diagonal.get(c, c).sqrt();
                work.scale[position][c] = 1.0 / root;
                let v = root * v_star[c].abs().max(guess[c].abs());
                momentum[c] += v * v;
            }
            // Of a diagonal that is not positive the root is none, or its inverse is none.
            if let Some(dof) = work.scale[position].iter().position(|s| !s.is_finite()) {
                return Err(NotPositiveDefinite { tile, dof });
            }
        }
        work.momentum = momentum.iter().sum::<f64>().sqrt();
        kernels::multiply(compiled, (&work.step, 0), &mut work.u, 0);
        for (u, bias) in work.u.iter_mut().zip(compiled.bias()) {
            for row in 0..3 {
                u[row] -= bias[row];
            }
        }
        kernels::evaluate_along(compiled, (&work.u, &work.u), 0.0, &mut work.impulse, false);
        if from.is_some() {
            self.compute_p();
        } else {
            // x is zero.
            let kept = analysis.eliminated_count()..;
            work.p[kept.clone()].copy_from_slice(&work.reduced[kept]);
        }
        Ok(())
    }

    /// p = S x + m'.
    fn compute_p(&mut self) {
        let Self { analysis, factor, work, .. } = self;
        factor.multiply_schur(analysis, &work.x, &mut work.p);
        let kept = analysis.eliminated_count()..;
        add_scaled(&mut work.p[kept.clone()], 1.0, &work.reduced[kept]);
    }

    /// ½ xᵀS x + m'ᵀx + Σ ℓ_i = ½ xᵀ(p + m') + Σ ℓ_i.
    fn cost(&self) -> f64 {
        let kept = self.analysis.eliminated_count()..;
        let work = &self.work;
        let momentum = dot(&work.x[kept.clone()], &work.p[kept.clone()])
            + dot(&work.x[kept.clone()], &work.reduced[kept]);
        let constraints: f64 = self.compiled.laws().iter().zip(&work.u).map(|(law, u)| law.cost(*u)).sum();
        0.5 * momentum + constraints
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
        loop {
            let (residual, size) = self.residual();
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
                Ok(()) => {
                    softening.count();
                    let cost = self.cost() + constant;
                    let before = report.cost_history.last().copied().unwrap_or(cost);
                    report.cost_history.push(cost);
                    self.is_quiet(before, cost, residual, report)
                }
                Err(Status::RoundOff) => Quiet::Dead,
                Err(status) => return status,
            };
            if quiet != Quiet::No && !softening.is_active() {
                if let Some(status) = self.polish(problem, options, report) {
                    return status;
                }
                if quiet == Quiet::Dead && softening.was_tried() {
                    return Status::RoundOff;
                }
            }
            if quiet == Quiet::Dead {
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
        let kept = self.analysis.eliminated_count()..self.tiles.len();
        let Self { work, compiled, .. } = self;
        work.gradient[kept.clone()].copy_from_slice(&work.p[kept.clone()]);
        kernels::subtract_transposed(compiled, &work.impulse, &mut work.gradient);
        // Jᵀλ = p − g.
        let mut impulse = [0.0; 4];
        for position in kept.clone() {
            for c in 0..4 {
                let y = (work.p[position][c] - work.gradient[position][c]) * work.scale[position][c];
                impulse[c] += y * y;
            }
        }
        let scale = &work.scale[kept.clone()];
        let residual = scaled_square(&work.gradient[kept.clone()], scale).sqrt();
        let impulse = (impulse[0] + impulse[1]) + (impulse[2] + impulse[3]);
        (residual, scaled_square(&work.p[kept], scale).max(impulse).sqrt())
    }

    /// H Δ = −g, α, and all that moves along.
    fn newton_step(&mut self, options: &Options, report: &mut IslandReport) -> Result<(), Status> {
        let kept = self.analysis.eliminated_count()..self.tiles.len();
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
        // Large impulses that cancel leave round-off in φ', below which nothing is to be found.
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
        add_scaled(&mut work.x[kept.clone()], found.alpha, &work.step[kept.clone()]);
        add_scaled(&mut work.p[kept.clone()], found.alpha, &work.s_step[kept]);
        for (u, du) in work.u.iter_mut().zip(&work.du) {
            for row in 0..3 {
                u[row] += found.alpha * du[row];
            }
        }
        core::mem::swap(&mut work.impulse, &mut work.trial);
        report.line_search_evaluations += found.evaluations;
        report.iterations += 1;
        Ok(())
    }

    /// Δ, SΔ and JΔ at the present gradient.
    pub(crate) fn newton_direction(&mut self, options: &Options) -> Result<(), Status> {
        self.factor_and_descend(options)?;
        let Self { analysis, factor, work, compiled, .. } = self;
        factor.solve_top(analysis, &mut work.step);
        let (first, top) = (analysis.eliminated_count(), analysis.top().start);
        let (own, solved) = work.step.split_at_mut(top);
        let border = compiled.border().start;
        let shares = (
            factor.parts(analysis),
            ByKept(Window::new(first, &mut own[first..])),
            ByKept(Window::new(first, &mut work.s_step[first..top])),
            ByConstraint(Window::new(0, &mut work.du[..border])),
        );
        let of = (&*analysis, compiled.group_start());
        for_each_group(of, options.parallel, shares, &|g, (part, mut step, s_step, mut du)| {
            part.upper(step.0.reborrow(), solved);
            part.multiply_schur(&step.0, s_step.0);
            let step = (step.0.items(), step.0.first());
            kernels::multiply(compiled, step, du.0.items_mut(), compiled.group(g).start);
            Ok::<(), Status>(())
        })?;
        factor.multiply_schur_top(analysis, &work.step, &mut work.s_step);
        kernels::multiply(compiled, (&work.step, 0), &mut work.du[border..], border);
        Ok(())
    }

    /// Factorises H where it has changed, and substitutes forwards on all groups.
    fn factor_and_descend(&mut self, options: &Options) -> Result<(), Status> {
        let Self { analysis, factor, work, compiled, tiles, .. } = self;
        let border = compiled.border();
        work.border_changed.fill(false);
        for i in border.clone() {
            let hessian = &mut work.hessian[i..=i];
            let known = core::mem::replace(&mut work.border_known[i - border.start], true);
            if kernels::update_hessians(compiled, &work.u, hessian, i) || !known {
                let places = compiled.border_places(i);
                work.border_changed[places.clone()].fill(true);
                kernels::hessian_tiles(compiled, &hessian[0], i, &mut work.border[places]);
            }
        }
        let (first, first_slot) = (analysis.eliminated_count(), analysis.first_kept_slot());
        let tops = analysis.top();
        let (own, gradient) = (&mut work.step[first..tops.start], &work.gradient);
        let (u, border_tiles, border_changed) = (&work.u, &work.border, &work.border_changed);
        let shares = (
            factor.parts(analysis),
            ByKept(Window::new(first, own)),
            ByConstraint(Window::new(0, &mut work.hessian[..border.start])),
            ByGroup(Window::new(0, &mut work.kept)),
        );
        let of = (&*analysis, compiled.group_start());
        let done = for_each_group(of, options.parallel, shares, &|g, shares| {
            let (mut part, mut step, mut hessian, mut holds) = shares;
            let first = compiled.group(g).start;
            let other = kernels::update_hessians(compiled, u, hessian.0.items_mut(), first);
            let slots = part.kept_slots();
            let slots = slots.start - first_slot..slots.end - first_slot;
            let joins = compiled.border_slots(slots);
            let around = joins.iter().any(|&(_, place)| border_changed[place as usize]);
            let holds = holds.0.at(g);
            if other || around || *holds != Kept::Factor {
                part.refactor(*holds == Kept::Schur, |kept, origin| {
                    kernels::add_hessians(compiled, hessian.0.items(), first, (&mut *kept, origin));
                    for &(slot, place) in joins {
                        kept[slot as usize - origin].add(&border_tiles[place as usize]);
                    }
                })?;
                *holds = Kept::Factor;
            }
            for (step, g) in step.0.items_mut().iter_mut().zip(&gradient[analysis.groups()[g].kept.clone()]) {
                *step = g.map(|g| -g);
            }
            part.lower(step.0);
            Ok(())
        })
        .and_then(|()| {
            let top_slot = analysis.first_top_slot() - first_slot;
            factor.begin_top(analysis, |top| {
                for &(slot, place) in compiled.border_slots(top_slot..usize::MAX) {
                    top[slot as usize - top_slot].add(&border_tiles[place as usize]);
                }
            });
            for_each_top(factor.top_of_kept(analysis), options.parallel, &|mut part| part.take_kept())?;
            factor.factor_top(analysis, both(options.parallel))
        });
        if let Err(e) = done {
            // Groups have been left as they were, or half-way.
            work.kept.fill(Kept::Nothing);
            return Err(Status::NotPositiveDefinite { tile: tiles[e.tile] as usize, dof: e.dof });
        }
        for position in tops {
            work.step[position] = work.gradient[position].map(|g| -g);
        }
        Ok(())
    }

    /// Replaces the laws by softer ones, or gives them back, at the present velocities.
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

    /// Says so at every fourth iteration that neither halves the residual nor changes the cost visibly.
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

    /// v_n from v_p.
    fn recover(&mut self, options: &Options) {
        let Self { analysis, factor, work, compiled, .. } = self;
        let (eliminated, kept) = work.x.split_at_mut(analysis.eliminated_count());
        for (x, m) in eliminated.iter_mut().zip(&work.reduced) {
            *x = m.map(|m| -m);
        }
        let shares = (factor.parts(analysis), ByEliminated(Window::new(0, eliminated)));
        let of = (&*analysis, compiled.group_start());
        let done = for_each_group(of, options.parallel, shares, &|_, (part, x)| {
            part.recover(x.0, kept);
            Ok::<(), core::convert::Infallible>(())
        });
        match done {
            Ok(()) => {}
        }
    }

    fn is_finite(&self) -> bool {
        self.work.x.iter().flatten().all(|x| x.is_finite())
            && self.work.impulse.iter().flatten().all(|l| l.is_finite())
    }
}
