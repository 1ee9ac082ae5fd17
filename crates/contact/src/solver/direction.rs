//! A Newton step of an island: factorization of the Hessian where it has changed, and both substitutions, in the
//! groups and then in the separator.

use crate::solver::border::BorderConstraints;
use crate::solver::group_parallel::{
    ByConstraint, ByGroup, ByKept, at_once, both, for_each_group, for_each_separator_part,
};
use crate::solver::island::{Island, KeptContents};
use crate::solver::kernels;
use crate::solver::newton::Options;
use crate::solver::solution::Status;
use ropewalk_linalg::sparse::{SeparatorColumns, Window};

impl Island {
    /// Δ, SΔ and JΔ at the present gradient.
    pub(crate) fn newton_direction(&mut self, options: &Options) -> Result<(), Status> {
        self.factor_and_descend(options)?;
        let Self { analysis, factor, work, compiled, .. } = self;
        factor.solve_separator(analysis, &mut work.step);
        let (first, separator) = (analysis.eliminated_count(), analysis.separator().start);
        let (own, solved) = work.step.split_at_mut(separator);
        let border = compiled.border().start;
        let shares = (
            factor.parts(analysis),
            ByKept(Window::new(first, &mut own[first..])),
            ByKept(Window::new(first, &mut work.s_step[first..separator])),
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
        let (step, s_step, du) = (&work.step, &mut work.s_step, &mut work.du[border..]);
        at_once(
            options.parallel && border < compiled.len(),
            || factor.multiply_schur_separator(analysis, step, s_step),
            || kernels::multiply(compiled, (step, 0), du, border),
        );
        Ok(())
    }

    /// Factorizes H where it has changed, and substitutes forwards on all groups.
    fn factor_and_descend(&mut self, options: &Options) -> Result<(), Status> {
        let Self { analysis, factor, work, compiled, tiles, .. } = self;
        let border = compiled.border();
        let border_constraints = BorderConstraints {
            first: border.start,
            hessian: &mut work.hessian[border.clone()],
            known: &mut work.border_known,
            first_place: 0,
            tiles: &mut work.border,
            changed: &mut work.border_changed,
        };
        border_constraints.update(compiled, &work.u, options.parallel);
        let (first, first_slot) = (analysis.eliminated_count(), analysis.first_kept_slot());
        let (own, gradient) = (&mut work.step[first..analysis.separator().start], &work.gradient);
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
            if other || around || *holds != KeptContents::Factor {
                part.refactor(*holds == KeptContents::Schur, |kept, origin| {
                    kernels::add_hessians(compiled, hessian.0.items(), first, (&mut *kept, origin));
                    for &(slot, place) in joins {
                        kept[slot as usize - origin].add(&border_tiles[place as usize]);
                    }
                })?;
                *holds = KeptContents::Factor;
            }
            for (step, g) in step.0.items_mut().iter_mut().zip(&gradient[analysis.groups()[g].kept.clone()]) {
                *step = g.map(|g| -g);
            }
            part.lower(step.0);
            Ok(())
        })
        .and_then(|()| {
            let (mut separator, groups) = factor.separator(analysis);
            let take = |mut part: SeparatorColumns<'_>| {
                part.begin(|tiles, first| {
                    for &(slot, place) in compiled.border_slots(first..first + tiles.len()) {
                        tiles[slot as usize - first].add(&border_tiles[place as usize]);
                    }
                });
                part.take_kept()
            };
            let parallel = options.parallel;
            let (done, ()) = at_once(
                parallel && !analysis.separator().is_empty(),
                || {
                    for_each_separator_part(separator.after_kept(), parallel, &take)?;
                    separator.factor(both(parallel))
                },
                || {
                    for position in analysis.separator() {
                        work.step[position] = gradient[position].map(|g| -g);
                    }
                    groups.lower_separator(&mut work.step);
                },
            );
            done
        });
        if let Err(e) = done {
            // Factorization stopped: groups hold the old factor or part of a new one.
            work.kept.fill(KeptContents::Nothing);
            return Err(Status::NotPositiveDefinite { tile: tiles[e.tile] as usize, dof: e.dof });
        }
        Ok(())
    }
}
