//! First and last stage of Newton's method on an island. Before the first iteration, blocks without constraints are
//! eliminated while, in parallel, the initial guess is evaluated; after the last, the eliminated velocities are
//! recovered.

use crate::law::Rows;
use crate::problem::{Problem, Unchanged};
use crate::solver::group_parallel::{
    ByEliminated, ByGroup, ByKept, at_once, for_each_group, for_each_separator_part,
};
use crate::solver::island::{Island, KeptContents, Work};
use crate::solver::island_constraints::Compiled;
use crate::solver::kernels;
use crate::solver::newton::{Options, dot};
use ropewalk_linalg::sparse::{Analysis, Factor, NotPositiveDefinite, SeparatorColumns, Window};

/// Map from positions in the island to tiles of the problem.
#[derive(Clone, Copy)]
struct Places<'a> {
    analysis: &'a Analysis,
    tiles: &'a [u32],
    compiled: &'a Compiled,
}

impl Places<'_> {
    /// The tile of the problem at a position of the factor.
    fn tile(&self, position: usize) -> usize {
        self.tiles[self.analysis.tile_at(position)] as usize
    }
}

/// Outputs of the elimination; see [`Work`].
struct Eliminated<'a> {
    factor: &'a mut Factor,
    reduced: &'a mut [[f64; 4]],
    border_known: &'a mut [bool],
    eliminated: &'a mut [bool],
    kept: &'a mut [KeptContents],
}

/// Values at the initial guess; see [`Work`].
struct Guess<'a> {
    velocity: &'a mut [[f64; 4]],
    x: &'a mut [[f64; 4]],
    scale: &'a mut [[f64; 4]],
    u: &'a mut [Rows],
    impulse: &'a mut [Rows],
    momentum: &'a mut f64,
}

impl Island {
    /// Eliminates tiles without constraints, and computes x, p, u, λ and the scales at the initial guess. Returns the
    /// constant −½ m_nᵀA_nn⁻¹m_n of the cost.
    pub(crate) fn start(
        &mut self,
        problem: &Problem,
        from: Option<&[f64]>,
        options: &Options,
    ) -> Result<f64, NotPositiveDefinite> {
        let Self { analysis, factor, work, tiles, compiled, .. } = self;
        compiled.refresh(&problem.constraints);
        let places = Places { analysis, tiles, compiled };
        let Work { reduced, border_known, eliminated, kept, step, x, scale, u, impulse, momentum, .. } = work;
        // The array of the step temporarily holds the velocity.
        let guess = Guess { velocity: step, x, scale, u, impulse, momentum };
        let to = Eliminated { factor, reduced, border_known, eliminated, kept };
        let (constant, looked) = at_once(
            options.parallel && kernels::are_many(compiled),
            || eliminate(places, problem, to, options.parallel),
            || guess.look(places, problem, from.unwrap_or(&problem.v_star)),
        );
        let constant = constant?;
        looked?;
        if from.is_some() {
            self.compute_p();
        } else {
            // x is zero.
            let kept = self.analysis.eliminated_count()..;
            self.work.p[kept.clone()].copy_from_slice(&self.work.reduced[kept]);
        }
        Ok(constant)
    }

    /// v_n from v_p.
    pub(crate) fn recover(&mut self, options: &Options) {
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
}

/// Eliminates tiles without constraints. Returns the constant of the cost.
fn eliminate(
    places: Places<'_>,
    problem: &Problem,
    to: Eliminated<'_>,
    parallel: bool,
) -> Result<f64, NotPositiveDefinite> {
    let Places { analysis, compiled, .. } = places;
    let Eliminated { factor, reduced, border_known, .. } = to;
    let by_tile =
        |e: NotPositiveDefinite| NotPositiveDefinite { tile: places.tiles[e.tile] as usize, dof: e.dof };
    let (residual, _) = problem.residual.as_chunks::<4>();
    let gather = |positions: core::ops::Range<usize>, to: &mut [[f64; 4]]| {
        for (position, m) in positions.zip(to) {
            *m = residual.get(places.tile(position)).copied().unwrap_or_default();
        }
    };
    let (values, separator) = (problem.matrix.tiles(), analysis.separator());
    let (eliminated, kept) = reduced.split_at_mut(analysis.eliminated_count());
    let kept = &mut kept[..separator.start - analysis.eliminated_count()];
    let shares = (
        factor.parts(analysis),
        ByEliminated(Window::new(0, eliminated)),
        ByKept(Window::new(analysis.eliminated_count(), kept)),
        ByGroup(Window::new(0, to.eliminated)),
        ByGroup(Window::new(0, to.kept)),
    );
    let unchanged = |position: usize| {
        let tile = places.tile(position);
        problem.unchanged.get(tile).copied().unwrap_or_default()
    };
    for (known, i) in border_known.iter_mut().zip(compiled.border()) {
        *known &= compiled.positions(i).iter().all(|&p| unchanged(p as usize) == Unchanged::Rows);
    }
    let of = (analysis, compiled.group_start());
    for_each_group(of, parallel, shares, &|g, shares| {
        let (mut part, mut eliminated, mut kept, mut done, mut holds) = shares;
        let group = &analysis.groups()[g];
        let (done, holds) = (done.0.at(g), holds.0.at(g));
        let all = group.eliminated.clone().chain(group.kept.clone()).map(unchanged).min();
        let least = all.unwrap_or(Unchanged::Rows);
        if *holds == KeptContents::Factor && least < Unchanged::Rows {
            *holds = KeptContents::Nothing;
        }
        if !*done || least < Unchanged::Matrix {
            (*done, *holds) = (false, KeptContents::Nothing);
            part.eliminate(values)?;
            (*done, *holds) = (true, KeptContents::Schur);
        }
        gather(group.eliminated.clone(), eliminated.0.items_mut());
        gather(group.kept.clone(), kept.0.items_mut());
        part.reduce(eliminated.0, kept.0);
        Ok(())
    })
    .map_err(by_tile)?;
    let (mut columns, groups) = factor.separator(analysis);
    let eliminate = |mut part: SeparatorColumns<'_>| part.eliminate(values);
    let (done, ()) = at_once(
        parallel && !separator.is_empty(),
        || for_each_separator_part(columns.after_eliminated(), parallel, &eliminate),
        || {
            gather(separator.clone(), &mut reduced[separator]);
            groups.reduce_separator(reduced);
        },
    );
    done.map_err(by_tile)?;
    let eliminated = &reduced[..analysis.eliminated_count()];
    Ok(-0.5 * dot(eliminated, eliminated))
}

impl Guess<'_> {
    fn look(self, places: Places<'_>, problem: &Problem, from: &[f64]) -> Result<(), NotPositiveDefinite> {
        let (v_star, _) = problem.v_star.as_chunks::<4>();
        let (guess, _) = from.as_chunks::<4>();
        let mut momentum = [0.0; 4];
        for position in places.analysis.eliminated_count()..places.tiles.len() {
            let tile = places.tile(position);
            let (diagonal, guess, v_star) = (problem.matrix.diagonal(tile), &guess[tile], &v_star[tile]);
            self.velocity[position] = *guess;
            for c in 0..4 {
                self.x[position][c] = guess[c] - v_star[c];
                let root = diagonal.get(c, c).sqrt();
                self.scale[position][c] = 1.0 / root;
                let v = root * v_star[c].abs().max(guess[c].abs());
                momentum[c] += v * v;
            }
            // The inverse square root of a diagonal entry that is not positive is not finite.
            if let Some(dof) = self.scale[position].iter().position(|s| !s.is_finite()) {
                return Err(NotPositiveDefinite { tile, dof });
            }
        }
        *self.momentum = momentum.iter().sum::<f64>().sqrt();
        kernels::multiply(places.compiled, (self.velocity, 0), self.u, 0);
        for (u, bias) in self.u.iter_mut().zip(places.compiled.bias()) {
            for row in 0..3 {
                u[row] -= bias[row];
            }
        }
        kernels::evaluate_along(places.compiled, (self.u, self.u), 0.0, self.impulse, false);
        Ok(())
    }
}
