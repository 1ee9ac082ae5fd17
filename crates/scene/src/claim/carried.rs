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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::sample::tree_sample;
    use crate::claim::{RodSample, Sample, TreeSample};

    const SCENE: &str = r#"title = "t"
[time]
duration = 1.0
[rod.rope]
preset = "shoelace"
curve = { line = { from = [0.1, 0.0, 0.5], to = [0.1, 0.0, 0.2] } }
segments = 30
[body.ball]
shape = { sphere = { radius = 0.02 } }
density = 500.0
"#;

    /// What a claim finds after samples of the ball's way from where it stood, contacts with rods and with others.
    fn find(ways: &[(DVec3, usize, usize)], claim: impl Fn(&RunRecord<'_>) -> Finding) -> Finding {
        let scene = crate::load_text("t", SCENE, None, &[]).unwrap();
        let start = tree_sample(&scene.model, &scene.state, 0).com;
        let samples: Vec<Sample> = ways
            .iter()
            .map(|&(way, rod_contacts, tree_contacts)| Sample {
                trees: vec![TreeSample {
                    com: start + way,
                    rod_contacts,
                    tree_contacts,
                    ..TreeSample::default()
                }],
                rods: vec![RodSample { greatest_speed: 1.0, ..RodSample::default() }],
                deepest_overlap: 0.5,
                ..Sample::default()
            })
            .collect();
        claim(&RunRecord {
            model: &scene.model,
            start: &scene.state,
            end: &scene.state,
            wrenches: &[],
            samples: &samples,
        })
    }

    #[test]
    fn carried_counts_only_what_rods_hold_in_the_air() {
        let high = DVec3::new(0.0, 0.06, 0.02);
        let low = DVec3::new(0.0, 0.06, 0.005);
        let carried = |ways: &[(DVec3, usize, usize)]| find(ways, |run| carried(run, 0, 0.01, 0.05));
        assert_eq!(carried(&[(high, 1, 0)]).error, 0.0);
        assert!((carried(&[(high, 1, 0)]).measured - 0.06).abs() < 1e-12);
        // Dragged along the ground, thrown, or not lifted.
        for not in [(high, 1, 1), (high, 0, 0), (low, 1, 0)] {
            assert_eq!(carried(&[not]).error, 1.0);
        }
        let half = DVec3::new(0.025, 0.0, 0.02);
        assert!((carried(&[(half, 2, 0), (low, 1, 0)]).error - 0.5).abs() < 1e-12);
    }

    #[test]
    fn released_looks_at_the_end() {
        let released = |last: (DVec3, usize, usize)| find(&[(DVec3::Z, 3, 0), last], |run| released(run, 0));
        assert_eq!(released((DVec3::ZERO, 0, 4)).error, 0.0);
        assert_eq!(released((DVec3::ZERO, 2, 4)).error, 2.0);
        assert_eq!(released((DVec3::ZERO, 0, 0)).error, 1.0);
    }

    #[test]
    fn a_way_as_long_as_what_is_left_of_the_thickness_could_pass() {
        // 1 mm in a step, half of 4 mm left.
        let found = find(&[(DVec3::ZERO, 0, 0)], |run| cannot_pass(run).unwrap());
        assert!((found.measured - 0.5).abs() < 1e-12, "{found:?}");
    }
}
