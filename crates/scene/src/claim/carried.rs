//! A body that rods lift, carry and let go.

use super::kept::Number;
use super::{Finding, RunRecord, Sample};
use glam::DVec3;
use ropewalk_sim::{Model, State};

/// The greatest distance to the side at which rods alone carry the tree, at least `height` above where it stood. What it
/// exceeds `distance` by is no error.
pub(super) fn carried(run: &RunRecord<'_>, tree: usize, height: f64, distance: f64) -> Finding {
    let aside = aside(run.model, run.start, tree, height);
    let farthest = run.samples.iter().map(aside).fold(0.0, f64::max);
    Finding { reference: distance, measured: farthest, error: (1.0 - farthest / distance).max(0.0) }
}

/// How far to the side rods alone carry the tree, m; 0 if they do not.
fn aside(model: &Model, start: &State, tree: usize, height: f64) -> impl Fn(&Sample) -> f64 + use<> {
    let up = -model.gravity.try_normalize().unwrap_or(DVec3::NEG_Z);
    let start = super::sample::tree_sample(model, start, tree).com;
    move |s| {
        let body = &s.trees[tree];
        let way = body.com - start;
        let held = body.rod_contacts > 0 && body.tree_contacts == 0;
        if held && way.dot(up) >= height { way.reject_from_normalized(up).length() } else { 0.0 }
    }
}

/// What [`carried`] reads.
pub(super) fn carried_needs(model: &Model, start: &State, tree: usize, height: f64) -> Vec<Number> {
    let aside = aside(model, start, tree, height);
    vec![Number::new(move |_, s| aside(s))]
}

/// Contacts of rods with the tree at the end, and one more if nothing else carries it.
pub(super) fn released(run: &RunRecord<'_>, tree: usize) -> Finding {
    let left = run.samples.last().map_or(1, |last| {
        let last = &last.trees[tree];
        last.rod_contacts + usize::from(last.tree_contacts == 0)
    });
    Finding::zero(left as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::TreeSample;
    use crate::claim::sample::tree_sample;

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
                ..Sample::default()
            })
            .collect();
        claim(&RunRecord {
            model: &scene.model,
            start: &scene.state,
            end: &scene.state,
            wrenches: &[],
            samples: &samples,
            measured: &[],
            tallies: &[],
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
}
