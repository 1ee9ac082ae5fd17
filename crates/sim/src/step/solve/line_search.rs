//! From an iterate of the coupled solve to the next: the way to the optimum of the convex problem, how far to go along it, and how good a
//! place is.

use crate::step::parallel::{MANY_CONSTRAINTS, at_once, for_each_part};
use crate::step::solve::coupled::{CoupledSolve, Parts};
use crate::step::solve::free::{CLEAR_FALL, MAX_HALVINGS, SUFFICIENT};
use ropewalk_contact::law::ConstraintLaw;

/// The size of things at an iterate, all together.
#[derive(Clone, Copy, Debug)]
pub(in crate::step) struct Merit {
    pub(in crate::step) potential: f64,
    pub(in crate::step) residual: f64,
    pub(in crate::step) impulse: f64,
    pub(in crate::step) round_off: f64,
    pub(in crate::step) admissible: bool,
}

impl Merit {
    pub(in crate::step) fn is_finite(&self) -> bool {
        self.residual.is_finite() && self.potential.is_finite()
    }
}

impl CoupledSolve {
    /// The way from the iterate to the solution, in every part; J d; and the slope of the merit along it.
    pub(in crate::step) fn direction(&mut self, parts: &mut Parts<'_>) -> f64 {
        let (v, _) = self.solution.v.as_chunks::<4>();
        let (from, _) = self.problem.v_star.as_chunks::<4>();
        let rod_tile = &self.dof_map.rod_tile;
        for_each_part(parts.rods, &self.rod_joined, |r, work| {
            let motion = &mut work.motion;
            let tiles = rod_tile[r]..rod_tile[r + 1];
            let way = v[tiles.clone()].iter().zip(&from[tiles]).zip(&motion.held).zip(&motion.residual);
            let mut slope = [0.0; 4];
            for (direction, (((v, from), held), residual)) in motion.direction.iter_mut().zip(way) {
                for k in 0..4 {
                    let d = if held[k] { 0.0 } else { v[k] - from[k] };
                    direction[k] = d;
                    slope[k] += residual[k] * d;
                }
            }
            work.slope = slope.iter().sum();
        });
        let taking_part = parts.rods.iter().zip(&self.rod_joined).filter(|(_, part)| **part);
        let mut slope: f64 = taking_part.map(|(work, _)| work.slope).sum();
        for (t, work) in parts.trees.iter_mut().enumerate().filter(|(t, _)| self.tree_joined[*t]) {
            let first = 4 * self.dof_map.tree_tile[t];
            let motion = &mut work.motion;
            for i in 0..motion.v.len() {
                let d = self.solution.v[first + i] - self.problem.v_star[first + i];
                motion.direction[i] = d;
                slope += motion.residual[i] * d;
            }
        }
        let mut pushed = [0.0; 3];
        for (c, to) in self.solution.excess.iter().enumerate() {
            for row in 0..3 {
                self.change[c][row] = to[row] - self.excess[c][row];
                pushed[row] += self.impulses[c][row] * self.change[c][row];
            }
        }
        slope - pushed.iter().sum::<f64>()
    }

    /// Finds a fraction of the direction that makes progress, and leaves that trial; `None` if there is none.
    pub(in crate::step) fn search(
        &mut self,
        parts: &mut Parts<'_>,
        from: &Merit,
        slope: f64,
    ) -> Option<Merit> {
        // Below this a change of the potential is round-off.
        let slack = 1e-12 * (from.potential.abs() + from.impulse * from.impulse);
        let mut fraction = 1.0;
        for _ in 0..MAX_HALVINGS {
            let merit = self.merit(parts, Some(fraction));
            let falls = merit.potential <= from.potential + SUFFICIENT * fraction * slope + slack;
            let clears = merit.residual <= CLEAR_FALL * from.residual;
            // From a shape that is not admissible any better one will do.
            let admissible = merit.admissible || !from.admissible;
            if merit.is_finite() && admissible && (falls || clears) {
                return Some(merit);
            }
            fraction *= 0.5;
        }
        None
    }

    /// The merit at the iterate as linearised, or at a fraction of the direction, which becomes the trial.
    pub(in crate::step) fn merit(&mut self, parts: &mut Parts<'_>, fraction: Option<f64>) -> Merit {
        let Parts { model, state, weights, rods, trees } = parts;
        let (weights, joined, tree_joined) = (*weights, &self.rod_joined, &self.tree_joined);
        let mut out = Merit { potential: 0.0, residual: 0.0, impulse: 0.0, round_off: 0.0, admissible: true };
        // Costs and impulses of the constraints, and Jᵀλ.
        let constraints = &self.problem.constraints;
        let (push, impulses, trial) = (&mut self.push, &mut self.impulses, &mut self.trial);
        let (excess, change) = (&self.excess, &self.change);
        let alpha = fraction.unwrap_or(0.0);
        let potential = &mut out.potential;
        let mut of_constraints = || {
            push.fill([0.0; 4]);
            for c in 0..constraints.len() {
                let (u, d) = (excess[c], change[c]);
                let u = [u[0] + alpha * d[0], u[1] + alpha * d[1], u[2] + alpha * d[2]];
                trial[c] = u;
                let law = constraints.law(c);
                *potential += law.cost(u);
                impulses[c] = law.impulse(u);
            }
            constraints.add_impulses(impulses, push);
        };
        match fraction {
            None => of_constraints(),
            Some(fraction) => {
                let of_parts = || {
                    for (t, work) in trees.iter_mut().enumerate().filter(|(t, _)| tree_joined[*t]) {
                        let tree = &model.trees[t].tree;
                        work.merit = Some(work.motion.try_fraction(tree, &state.trees[t], fraction));
                    }
                    for_each_part(rods, joined, |r, work| {
                        let merit =
                            work.motion.try_fraction(&model.rods[r], &state.rods[r], weights, fraction);
                        work.merit = Some(merit);
                    });
                };
                at_once(constraints.len() >= MANY_CONSTRAINTS, of_parts, of_constraints);
            }
        }
        let (push, rod_tile) = (&self.push, &self.dof_map.rod_tile);
        for_each_part(rods, joined, |r, work| {
            let motion = &work.motion;
            let nodes = push[rod_tile[r]..rod_tile[r + 1]].iter().zip(&motion.residual);
            let mut sums = [[0.0; 4]; 2];
            // Nothing counts where something is held.
            for ((push, residual), inverse) in nodes.zip(motion.inverse_diagonal()) {
                for k in 0..4 {
                    let left = residual[k] - push[k];
                    sums[0][k] += inverse[k] * left * left;
                    sums[1][k] += inverse[k] * push[k] * push[k];
                }
            }
            [work.left, work.pushed] = sums.map(|s| s.iter().sum());
        });
        let mut pushed = 0.0;
        for (_, work) in rods.iter().enumerate().filter(|(r, _)| self.rod_joined[*r]) {
            out.residual += work.left;
            pushed += work.pushed;
            if let Some(m) = work.merit {
                out.potential += m.potential;
                out.impulse += m.impulse * m.impulse;
                out.round_off += m.round_off * m.round_off;
                out.admissible &= m.admissible;
            }
        }
        for (t, work) in trees.iter().enumerate().filter(|(t, _)| self.tree_joined[*t]) {
            let motion = &work.motion;
            let push = &self.push.as_flattened()[4 * self.dof_map.tree_tile[t]..];
            let n = motion.v.len();
            for i in 0..n {
                let inverse = 1.0 / motion.tangent[i * n + i];
                let left = motion.residual[i] - push[i];
                out.residual += inverse * left * left;
                pushed += inverse * push[i] * push[i];
            }
            if let Some(m) = work.merit {
                out.potential += m.potential;
                out.impulse += m.impulse * m.impulse;
                out.round_off += m.round_off * m.round_off;
            }
        }
        out.residual = out.residual.sqrt();
        out.impulse = f64::max(out.impulse, pushed).sqrt();
        out.round_off = out.round_off.sqrt();
        out
    }

    /// Takes the trial as the iterate.
    pub(in crate::step) fn accept(&mut self, parts: &mut Parts<'_>) {
        for (_, work) in parts.rods.iter_mut().enumerate().filter(|(r, _)| self.rod_joined[*r]) {
            work.motion.accept();
        }
        for (_, work) in parts.trees.iter_mut().enumerate().filter(|(t, _)| self.tree_joined[*t]) {
            work.motion.accept();
        }
        core::mem::swap(&mut self.excess, &mut self.trial);
    }
}
