//! Rods in lots: many short ones at a time for each thread, long ones one by one.

use crate::step::solve::dof_map::DofMap;
use crate::workspace::RodWork;
use rayon::prelude::*;
use ropewalk_linalg::sparse::{Tile, TilePattern};
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

/// Calls `work_on` for every rod that takes part, in parallel if there are several.
pub(in crate::step) fn for_each_part(
    rods: &mut [RodWork],
    joined: &[bool],
    work_on: impl Fn(usize, &mut RodWork) + Send + Sync,
) {
    if joined.iter().filter(|t| **t).count() <= 1 {
        for (r, work) in rods.iter_mut().enumerate().filter(|(r, _)| joined[*r]) {
            work_on(r, work);
        }
        return;
    }
    let lot = lot_size(rods);
    let all = rods.par_iter_mut().enumerate().with_min_len(lot).with_max_len(lot);
    all.filter(|(r, _)| joined[*r]).for_each(|(r, work)| work_on(r, work));
}

/// Some neighbouring rods and what they have in the problem, split down to few rods before it is worked on.
pub(in crate::step) struct RodShare<'a> {
    /// The first rod.
    pub(in crate::step) first: usize,
    pub(in crate::step) rods: &'a mut [RodWork],
    /// Tiles of the matrix.
    pub(in crate::step) tiles: &'a mut [Tile],
    pub(in crate::step) v_star: &'a mut [[f64; 4]],
    pub(in crate::step) residual: &'a mut [[f64; 4]],
}

impl RodShare<'_> {
    /// Calls `work_on` for each rod with its share, at the same time for rods of many nodes together.
    pub(in crate::step) fn for_each(
        self,
        of: (&DofMap, &TilePattern),
        work_on: &(impl Fn(usize, &mut RodWork, &mut [Tile], &mut [[f64; 4]], &mut [[f64; 4]]) + Sync),
    ) {
        let Self { first, rods, tiles, v_star, residual } = self;
        let (dof_map, pattern) = of;
        if rods.is_empty() {
            return;
        }
        if let [work] = &mut *rods {
            let (slots, nodes) = (dof_map.rod_slots(first, pattern).len(), work.motion.v.len());
            work_on(first, work, &mut tiles[..slots], &mut v_star[..nodes], &mut residual[..nodes]);
            return;
        }
        let half = rods.len() / 2;
        let nodes = dof_map.rod_tile[first + half] - dof_map.rod_tile[first];
        let slots = dof_map.rod_slots(first + half, pattern).start - dof_map.rod_slots(first, pattern).start;
        let many = v_star.len() > LOT_NODES;
        let (rods, right_rods) = rods.split_at_mut(half);
        let (tiles, right_tiles) = tiles.split_at_mut(slots);
        let (v_star, right_v_star) = v_star.split_at_mut(nodes);
        let (residual, right_residual) = residual.split_at_mut(nodes);
        let left = RodShare { first, rods, tiles, v_star, residual };
        let right = RodShare {
            first: first + half,
            rods: right_rods,
            tiles: right_tiles,
            v_star: right_v_star,
            residual: right_residual,
        };
        if many {
            rayon::join(|| left.for_each(of, work_on), || right.for_each(of, work_on));
        } else {
            left.for_each(of, work_on);
            right.for_each(of, work_on);
        }
    }
}
