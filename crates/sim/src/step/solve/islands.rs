//! Islands: parts that constraints join, and those that move by themselves.
//!
//! An island goes by the number of its first part, and has its memory there: the order of elimination, and what of its
//! matrix is known, as long as it has the same parts. The order that is in use is part of the state
//! ([`SolverMemory`](crate::model::SolverMemory)), so that the bits of a step do not depend on what was solved here
//! before.

use super::coupling::Coupling;
use super::dof_map::DofMap;
use super::newton::{Acting, Given, solve};
use super::part::IslandPart;
use crate::model::{IslandOrder, Model, State};
use crate::step::Outcome;
use crate::step::constrain::jacobian::ConstraintJacobian;
use crate::workspace::{RodWork, TreeWork};
use ropewalk_contact::law::Rows;

/// Tiles of unknowns that are worth the attention of another thread.
const WORTHWHILE_TILES: usize = 64;

/// The islands of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Islands {
    /// By part: its island.
    island_of: Vec<usize>,
    /// By number of the first part.
    islands: Vec<Island>,
    /// How often islands were formed.
    formation: u64,
    list: PartList,
}

/// Parts that constraints join, or one part.
#[derive(Clone, Debug, Default)]
struct Island {
    parts: Vec<usize>,
    coupling: Coupling,
    /// When it was last among the islands.
    formation: u64,
    /// Whether the order of elimination has been compared with that of the state in this step.
    in_line: bool,
    outcome: Outcome,
}

/// Memory for a list of parts from step to step.
#[derive(Default)]
struct PartList(Vec<IslandPart<'static>>);

impl Clone for PartList {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl core::fmt::Debug for PartList {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "PartList")
    }
}

/// The same memory for parts of another lifetime; it is empty.
#[expect(clippy::unnecessary_filter_map, reason = "the items get another lifetime")]
fn recycled<'b>(mut list: Vec<IslandPart<'_>>) -> Vec<IslandPart<'b>> {
    list.clear();
    // Collecting nothing from a vector's own iterator keeps its memory; `filter` would keep the lifetime, too.
    list.into_iter().filter_map(|_| None).collect()
}

impl Islands {
    pub(crate) fn new(model: &Model) -> Self {
        let count = model.rods.len() + model.trees.len();
        Self {
            island_of: (0..count).collect(),
            islands: vec![Island::default(); count],
            formation: 0,
            list: PartList::default(),
        }
    }

    /// Begins a step: the order of elimination of each island is to be that of the state.
    pub(in crate::step) fn begin(&mut self) {
        for (part, (island, of)) in self.islands.iter_mut().zip(&mut self.island_of).enumerate() {
            island.in_line = false;
            island.coupling.constraints.clear();
            *of = part;
        }
    }

    /// Joins the parts that the constraints of `rows` act on.
    pub(in crate::step) fn form(
        &mut self,
        model: &Model,
        state: &State,
        dof_map: &DofMap,
        rows: &ConstraintJacobian,
    ) {
        let Self { island_of, islands, formation, .. } = self;
        *formation += 1;
        island_of.iter_mut().enumerate().for_each(|(part, island)| *island = part);
        for c in 0..rows.len() {
            let mut parts = rows.jacobian(c).iter().map(|tile| dof_map.part_of(tile.tile));
            if let Some(first) = parts.next() {
                parts.for_each(|part| join(island_of, first, part));
            }
        }
        for part in 0..island_of.len() {
            island_of[part] = find(island_of, part);
        }
        for island in islands.iter_mut() {
            island.coupling.constraints.clear();
        }
        for c in 0..rows.len() {
            if let Some(tile) = rows.jacobian(c).first() {
                islands[island_of[dof_map.part_of(tile.tile)]].coupling.constraints.push(c);
            }
        }
        for first in 0..islands.len() {
            if !islands[first].coupling.constraints.is_empty() {
                islands[first].set_parts(first, (model, state), dof_map, island_of, *formation);
            }
        }
    }

    /// Moves the parts that `choose` chooses, given whether constraints act on them; all or none of an island.
    pub(in crate::step) fn solve(
        &mut self,
        given: &Given<'_>,
        state: &State,
        (rods, trees): (&mut [RodWork], &mut [TreeWork]),
        choose: impl Fn(&IslandPart<'_>, bool) -> bool,
    ) -> Outcome {
        let mut list = recycled(core::mem::take(&mut self.list.0));
        let all = IslandPart::all((given.model, state), (rods, trees), given.dof_map, &self.island_of);
        let islands = &mut self.islands[..];
        let joined = |part: &IslandPart<'_>| !islands[part.island].coupling.constraints.is_empty();
        list.extend(all.filter(|part| choose(part, joined(part))));
        list.sort_unstable_by_key(|part| (part.island, part.id));
        solve_all(islands, 0, &mut list, given);
        let mut outcome = Outcome::none();
        let mut last = usize::MAX;
        for part in &list {
            let island = &islands[part.island];
            if core::mem::replace(&mut last, part.island) != part.island
                && !island.coupling.constraints.is_empty()
            {
                outcome.merge(&island.outcome);
            }
        }
        self.list.0 = recycled(list);
        outcome
    }

    /// Impulses and velocities of the rows of all constraints at the solution.
    pub(in crate::step) fn read(&self, impulses: &mut [Rows], velocities: &mut [Rows]) {
        // Of an island that has not converged there may be no laws.
        for coupling in self.islands.iter().filter(|i| i.outcome.converged).map(|i| &i.coupling) {
            for (i, &c) in coupling.constraints.iter().enumerate() {
                (impulses[c], velocities[c]) = (coupling.impulses[i], coupling.row_velocity(i));
            }
        }
    }

    /// The orders of elimination in use.
    pub(in crate::step) fn keep_orders(&self, orders: &mut Vec<IslandOrder>) {
        let used = self.islands.iter().filter(|island| !island.coupling.constraints.is_empty());
        let mut count = 0;
        for island in used {
            if orders.len() == count {
                orders.push(IslandOrder::default());
            }
            let order = &mut orders[count];
            if order.parts != island.parts || order.constraints != *island.coupling.order() {
                order.parts.clone_from(&island.parts);
                order.constraints.clone_from(island.coupling.order());
            }
            count += 1;
        }
        orders.truncate(count);
    }
}

impl Island {
    /// Brings it in line with the parts it has now.
    fn set_parts(
        &mut self,
        first: usize,
        (model, state): (&Model, &State),
        dof_map: &DofMap,
        island_of: &[usize],
        formation: u64,
    ) {
        let mut now = island_of.iter().enumerate().skip(first).filter(|(_, island)| **island == first);
        let same = self.parts.iter().copied().eq(now.clone().map(|(part, _)| part));
        if !same {
            self.parts.clear();
            self.parts.extend(now.by_ref().map(|(part, _)| part));
            self.coupling.set_parts(model, dof_map, &self.parts);
        }
        if self.formation + 1 != formation {
            self.coupling.forget_matrix();
        }
        self.formation = formation;
        if !core::mem::replace(&mut self.in_line, true) {
            let mut orders = state.memory.orders.iter();
            self.coupling.set_order(orders.find(|order| order.parts == self.parts).map(|o| &o.constraints));
        }
    }
}

/// Solves the islands of `parts`, of which `islands` begin with number `first`, at the same time if they are large.
fn solve_all(islands: &mut [Island], first: usize, parts: &mut [IslandPart<'_>], given: &Given<'_>) {
    let (Some(lowest), Some(highest)) = (parts.first().map(|p| p.island), parts.last().map(|p| p.island))
    else {
        return;
    };
    if lowest == highest {
        return islands[lowest - first].solve(parts, given);
    }
    // In the middle, at the border of two islands.
    let middle = parts[parts.len() / 2].island;
    let middle = if middle > lowest { middle } else { middle + 1 };
    let tiles: usize = parts.iter().map(|part| part.tiles).sum();
    let at = parts.partition_point(|part| part.island < middle);
    let (left, right) = parts.split_at_mut(at);
    let (left_islands, right_islands) = islands.split_at_mut(middle - first);
    crate::step::parallel::at_once(
        tiles > WORTHWHILE_TILES,
        || solve_all(left_islands, first, left, given),
        || solve_all(right_islands, middle, right, given),
    );
}

impl Island {
    fn solve(&mut self, parts: &mut [IslandPart<'_>], given: &Given<'_>) {
        if self.coupling.constraints.is_empty() {
            for part in parts {
                let of = solve(core::slice::from_mut(part), Acting::Nothing, given);
                part.outcome().take(&of);
                part.iterate().moved_freely = true;
            }
        } else {
            // A solve of the part by itself may have failed before.
            for part in parts.iter_mut() {
                (part.outcome().converged, part.outcome().residual) = (true, 0.0);
            }
            self.outcome = solve(parts, Acting::Constraints(&mut self.coupling), given);
        }
    }
}

fn find(island_of: &mut [usize], mut part: usize) -> usize {
    while island_of[part] != part {
        island_of[part] = island_of[island_of[part]];
        part = island_of[part];
    }
    part
}

/// The smaller number wins, so that islands do not depend on the order of the constraints.
fn join(island_of: &mut [usize], a: usize, b: usize) {
    let (a, b) = (find(island_of, a), find(island_of, b));
    island_of[a.max(b)] = a.min(b);
}
