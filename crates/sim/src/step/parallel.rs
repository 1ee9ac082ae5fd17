//! Rods and parts in batches: many short ones at a time for each thread, long ones one by one.

use crate::step::solve::part::IslandPart;
use crate::workspace::RodWork;
use rayon::prelude::*;
use ropewalk_linalg::sparse::Tile;
use ropewalk_rod::RodState;

/// Nodes that are worth the attention of another thread: a few microseconds of work.
const LOT_NODES: usize = 128;

/// How many rods a thread takes at a time.
pub(in crate::step) fn lot_size(works: &[RodWork]) -> usize {
    let nodes: usize = works.iter().map(|work| work.motion.v.len()).sum();
    (LOT_NODES * works.len() / nodes.max(1)).max(1)
}

/// Calls `work_on` for every rod, in parallel if there are several.
pub(in crate::step) fn for_each_rod(
    works: &mut [RodWork],
    states: &mut [RodState],
    work_on: impl Fn(usize, &mut RodWork, &mut RodState) + Send + Sync,
) {
    if let ([work], [rod_state]) = (&mut *works, &mut *states) {
        work_on(0, work, rod_state);
        return;
    }
    let lot = lot_size(works);
    let rods = works.par_iter_mut().zip(states.par_iter_mut()).enumerate();
    let rods = rods.with_min_len(lot).with_max_len(lot);
    rods.for_each(|(r, (work, rod_state))| work_on(r, work, rod_state));
}

/// From so many constraints on a look at all of them is worth a thread.
pub(in crate::step) const MANY_CONSTRAINTS: usize = 128;

/// Does two things, at the same time if `parallel`.
pub(in crate::step) fn at_once(parallel: bool, a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
    if parallel {
        rayon::join(a, b);
    } else {
        a();
        b();
    }
}

/// How many parts a thread takes at a time.
fn batch_size(parts: &[IslandPart<'_>]) -> usize {
    let tiles: usize = parts.iter().map(|part| part.tiles).sum();
    (LOT_NODES * parts.len() / tiles.max(1)).max(1)
}

/// Calls `work_on` for every part of an island with its place there, in parallel if there are several.
pub(in crate::step) fn for_each_part(
    parts: &mut [IslandPart<'_>],
    work_on: impl Fn(usize, &mut IslandPart<'_>) + Send + Sync,
) {
    if let [part] = parts {
        work_on(0, part);
        return;
    }
    let batch = batch_size(parts);
    if batch >= parts.len() {
        parts.iter_mut().enumerate().for_each(|(i, part)| work_on(i, part));
        return;
    }
    let all = parts.par_iter_mut().enumerate().with_min_len(batch).with_max_len(batch);
    all.for_each(|(i, part)| work_on(i, part));
}

/// Some neighboring parts and what they have in the problem, split down to few before it is worked on.
pub(in crate::step) struct PartShare<'a, 'b> {
    /// Place of the first part in the island.
    pub(in crate::step) first: usize,
    pub(in crate::step) parts: &'a mut [IslandPart<'b>],
    /// Tiles of the matrix.
    pub(in crate::step) tiles: &'a mut [Tile],
    pub(in crate::step) v_star: &'a mut [[f64; 4]],
    pub(in crate::step) residual: &'a mut [[f64; 4]],
}

impl PartShare<'_, '_> {
    /// Calls `work_on` for each part with its share, at the same time for parts of many tiles together. `places` are the
    /// first tile and the first slot of each part of the island.
    pub(in crate::step) fn for_each(
        self,
        places: (&[usize], &[usize]),
        work_on: &(impl Fn(&mut IslandPart<'_>, &mut [Tile], &mut [[f64; 4]], &mut [[f64; 4]]) + Sync),
    ) {
        let Self { first, parts, tiles, v_star, residual } = self;
        if parts.is_empty() {
            return;
        }
        if let [part] = parts {
            work_on(part, tiles, v_star, residual);
            return;
        }
        let half = parts.len() / 2;
        let [from_tiles, from_slots] = [places.0, places.1].map(|p| p[first + half] - p[first]);
        let many = v_star.len() > LOT_NODES;
        let (parts, right_parts) = parts.split_at_mut(half);
        let (tiles, right_tiles) = tiles.split_at_mut(from_slots);
        let (v_star, right_v_star) = v_star.split_at_mut(from_tiles);
        let (residual, right_residual) = residual.split_at_mut(from_tiles);
        let left = PartShare { first, parts, tiles, v_star, residual };
        let right = PartShare {
            first: first + half,
            parts: right_parts,
            tiles: right_tiles,
            v_star: right_v_star,
            residual: right_residual,
        };
        at_once(many, || left.for_each(places, work_on), || right.for_each(places, work_on));
    }
}
