//! Constraints prepared for one island: Jacobian tiles by position in the factor, and for each pair of tiles its slot
//! of the factor.

use crate::law::{ConstraintLaw, Law, Rows};
use crate::problem::constraints::{Constraints, JacobianRows};
use crate::solver::analysis_cache::ConstraintPattern;
use ropewalk_linalg::sparse::Analysis;

/// The constraints of one island.
#[derive(Clone, Debug, Default)]
pub(crate) struct Compiled {
    /// Numbers in the problem's list.
    ids: Vec<u32>,
    /// The present laws: as given, or softened.
    laws: Vec<Law>,
    bias: Vec<Rows>,
    start: Vec<u32>,
    /// By increasing position within a constraint.
    positions: Vec<u32>,
    jacobian: Vec<JacobianRows>,
    /// Which Jacobian tile of the problem each is.
    sources: Vec<u32>,
    slot_start: Vec<u32>,
    /// Slots of kept columns, counted from the first: column by column the tiles on and below it.
    slots: Vec<u32>,
    /// First constraint of each group, then the first border constraint, which couples groups or touches the
    /// separator.
    group_start: Vec<u32>,
    /// Slots of border constraints, sorted, each with its place in `border`.
    border_slots: Vec<(u32, u32)>,
}

impl Compiled {
    pub(crate) fn clear(&mut self) {
        self.ids.clear();
        self.laws.clear();
        self.bias.clear();
        self.start.clear();
        self.positions.clear();
        self.jacobian.clear();
        self.sources.clear();
        self.slot_start.clear();
        self.slots.clear();
        self.group_start.clear();
        self.border_slots.clear();
    }

    /// Sets the groups of the constraints, border constraints last.
    pub(crate) fn set_groups(&mut self, groups: impl Iterator<Item = usize>, group_count: usize) {
        self.group_start.clear();
        self.group_start.resize(group_count + 1, 0);
        for group in groups.filter(|&g| g < group_count) {
            self.group_start[group + 1] += 1;
        }
        for group in 0..group_count {
            self.group_start[group + 1] += self.group_start[group];
        }
        let first = self.slot_start.get(self.border().start).map_or(self.slots.len(), |&s| s as usize);
        self.border_slots.clear();
        let places = self.slots[first..].iter().enumerate();
        self.border_slots.extend(places.map(|(place, &slot)| (slot, place as u32)));
        self.border_slots.sort_unstable();
    }

    /// First constraint of each group, then the first border constraint.
    pub(crate) fn group_start(&self) -> &[u32] {
        &self.group_start
    }

    /// The constraints of a group.
    pub(crate) fn group(&self, group: usize) -> core::ops::Range<usize> {
        self.group_start[group] as usize..self.group_start[group + 1] as usize
    }

    /// The border constraints.
    pub(crate) fn border(&self) -> core::ops::Range<usize> {
        self.group_start.last().map_or(0, |&s| s as usize)..self.len()
    }

    /// Range of [`Self::slots`] of constraint `i` among those of the border constraints.
    pub(crate) fn border_places(&self, i: usize) -> core::ops::Range<usize> {
        let first = self.slot_start[self.border().start];
        let begin = (self.slot_start[i] - first) as usize;
        begin..begin + self.slots(i).len()
    }

    /// Number of slots of the border constraints.
    pub(crate) fn border_tile_count(&self) -> usize {
        self.border_slots.len()
    }

    /// The border slots within `slots`, with their places.
    pub(crate) fn border_slots(&self, slots: core::ops::Range<usize>) -> &[(u32, u32)] {
        let from = self.border_slots.partition_point(|&(slot, _)| (slot as usize) < slots.start);
        let to = self.border_slots.partition_point(|&(slot, _)| (slot as usize) < slots.end);
        &self.border_slots[from..to]
    }

    /// Adds constraint `id`. False, with nothing added, if the analysis has no room for it: one of
    /// its tiles is not a kept one or two of them have no tile of the factor in common.
    pub(crate) fn push(
        &mut self,
        id: usize,
        constraints: &ConstraintPattern,
        analysis: &Analysis,
        local_of: &[u32],
    ) -> bool {
        let (first, first_slot) = (self.positions.len(), self.slots.len());
        let range = constraints.range(id);
        if self.push_like_last(id, constraints) {
            return true;
        }
        for (source, &tile) in range.clone().zip(&constraints.tiles[range]) {
            let position = analysis.position_of(local_of[tile as usize] as usize) as u32;
            // Insertion by position; constraints touch few tiles.
            let at = first + self.positions[first..].partition_point(|&p| p < position);
            self.positions.insert(at, position);
            self.sources.insert(at, source as u32);
        }
        let (kept, origin) = (analysis.eliminated_count() as u32, analysis.first_kept_slot());
        let mut fits = self.positions[first..].iter().all(|&p| p >= kept);
        let count = self.positions.len() - first;
        for column in 0..count {
            for row in column..count {
                let (r, c) = (self.positions[first + row] as usize, self.positions[first + column] as usize);
                match analysis.slot(r, c) {
                    Some(slot) if fits => self.slots.push((slot - origin) as u32),
                    _ => fits = false,
                }
            }
        }
        if !fits {
            self.positions.truncate(first);
            self.sources.truncate(first);
            self.slots.truncate(first_slot);
            return false;
        }
        self.ids.push(id as u32);
        self.start.push(first as u32);
        self.slot_start.push(first_slot as u32);
        true
    }

    /// Adds constraint `id` if it shares its tiles with the last one, as polygons of a patch do: its slots are the
    /// same.
    fn push_like_last(&mut self, id: usize, constraints: &ConstraintPattern) -> bool {
        let (Some(&last), Some(&start)) = (self.ids.last(), self.start.last()) else { return false };
        let (last, range) = (constraints.range(last as usize), constraints.range(id));
        if constraints.tiles[last.clone()] != constraints.tiles[range.clone()] {
            return false;
        }
        let (first, first_slot) = (self.positions.len(), self.slots.len());
        self.positions.extend_from_within(start as usize..);
        self.sources.extend_from_within(start as usize..);
        for source in &mut self.sources[first..] {
            *source = *source - last.start as u32 + range.start as u32;
        }
        let slot_start = self.slot_start.last().map_or(first_slot, |&s| s as usize);
        self.slots.extend_from_within(slot_start..);
        self.ids.push(id as u32);
        self.start.push(first as u32);
        self.slot_start.push(first_slot as u32);
        true
    }

    /// Copies laws and Jacobians from the problem.
    pub(crate) fn refresh(&mut self, constraints: &Constraints) {
        self.laws.clear();
        self.laws.extend(self.ids.iter().map(|&id| *constraints.law(id as usize)));
        self.bias.clear();
        self.bias.extend(self.ids.iter().map(|&id| constraints.bias(id as usize)));
        self.jacobian.clear();
        let all = constraints.all_jacobians();
        self.jacobian.extend(self.sources.iter().map(|&source| all[source as usize]));
    }

    /// Makes all laws `factor` times as soft as given; 1 gives them back.
    pub(crate) fn soften(&mut self, constraints: &Constraints, factor: f64) {
        for (law, &id) in self.laws.iter_mut().zip(&self.ids) {
            let given = constraints.law(id as usize);
            *law = if factor == 1.0 { *given } else { given.softened(factor) };
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(crate) fn ids(&self) -> &[u32] {
        &self.ids
    }

    #[inline(always)]
    pub(crate) fn laws(&self) -> &[Law] {
        &self.laws
    }

    /// J v at which the impulse of each constraint is zero.
    pub(crate) fn bias(&self) -> &[Rows] {
        &self.bias
    }

    #[inline(always)]
    fn range(&self, i: usize) -> core::ops::Range<usize> {
        let end = self.start.get(i + 1).map_or(self.positions.len(), |&s| s as usize);
        self.start[i] as usize..end
    }

    #[inline(always)]
    pub(crate) fn positions(&self, i: usize) -> &[u32] {
        &self.positions[self.range(i)]
    }

    #[inline(always)]
    pub(crate) fn jacobian(&self, i: usize) -> &[JacobianRows] {
        &self.jacobian[self.range(i)]
    }

    #[inline(always)]
    pub(crate) fn slots(&self, i: usize) -> &[u32] {
        let end = self.slot_start.get(i + 1).map_or(self.slots.len(), |&s| s as usize);
        &self.slots[self.slot_start[i] as usize..end]
    }
}
