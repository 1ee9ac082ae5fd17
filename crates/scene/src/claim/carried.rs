//! A body that rods lift, carry and let go; and that nothing can have passed through anything.

use super::{Finding, RunRecord};
use glam::DVec3;

/// The greatest distance to the side at which rods alone carry the tree, at least `height` above where it stood. What it
/// exceeds `distance` by is no error.
pub(super) fn carried(run: &RunRecord<'_>, tree: usize, height: f64, distance: f64) -> Finding {
    let up = -run.model.gravity.try_normalize().unwrap_or(DVec3::NEG_Z);
    let start = super::sample::tree_sample(run.model, run.start, tree).com;
    let mut farthest = 0.0f64;
    for sample in run.samples.iter().map(|s| &s.trees[tree]) {
        let way = sample.com - start;
        let held = sample.rod_contacts > 0 && sample.tree_contacts == 0;
        if held && way.dot(up) >= height {
            farthest = farthest.max(way.reject_from_normalized(up).length());
        }
    }
    Finding { reference: distance, measured: farthest, error: (1.0 - farthest / distance).max(0.0) }
}

/// Contacts of rods with the tree at the end, and one more if nothing else carries it.
pub(super) fn released(run: &RunRecord<'_>, tree: usize) -> Finding {
    let left = run.samples.last().map_or(1, |last| {
        let last = &last.trees[tree];
        last.rod_contacts + usize::from(last.tree_contacts == 0)
    });
    Finding::zero(left as f64)
}

/// How near a step comes to one in which two rods could change sides. Before and after it their centrelines are at least
/// (1 − o) d apart, with d the thickness and o the deepest overlap as a share of it. Nodes move straight in a step, so
/// to pass they must come to a distance of zero and back: one of the two moves by (1 − o) d at least.
///
/// Measured is the greatest way of a node in a step over that. Speeds and overlaps are those after each step.
pub(super) fn cannot_pass(run: &RunRecord<'_>) -> Option<Finding> {
    let extents = run.model.rods.iter().flat_map(|rod| rod.half_extents().iter().flatten());
    let thickness = 2.0 * extents.copied().reduce(f64::min)?;
    let overlap = run.samples.iter().map(|s| s.deepest_overlap).fold(0.0, f64::max);
    let speeds = run.samples.iter().flat_map(|s| s.rods.iter().map(|r| r.greatest_speed));
    let way = run.model.settings.dt * speeds.fold(0.0, f64::max);
    Some(Finding::zero(way / (thickness * (1.0 - overlap).max(0.0))))
}
