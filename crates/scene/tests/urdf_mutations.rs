//! Mutated and truncated URDF files load or are rejected, and never panic.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use ropewalk_scene::robot_inspect::robot_dynamics;
use ropewalk_scene::urdf::embedded_robots;
use ropewalk_scene::{BaseKind, UrdfOptions, read_urdf};
use std::path::Path;

fn texts() -> Vec<&'static str> {
    let mut all: Vec<&str> = embedded_robots().iter().map(|r| r.text).collect();
    all.push(include_str!("urdf/everything.urdf"));
    all
}

/// A change to a text. Places are fractions, since texts differ in length.
#[derive(Clone, Debug)]
enum Change {
    Delete {
        at: f64,
        count: usize,
    },
    Insert {
        at: f64,
        what: String,
    },
    Truncate {
        at: f64,
    },
    Number {
        which: f64,
        by: &'static str,
    },
    /// One quoted value in the place of another.
    Value {
        which: f64,
        by: f64,
    },
    /// A line taken out, doubled, or moved elsewhere.
    Line {
        which: f64,
        to: Option<f64>,
        keep: bool,
    },
}

fn change() -> impl Strategy<Value = Change> {
    let numbers = prop::sample::select(vec![
        "nan", "inf", "-inf", "0", "-1", "1e308", "-1e308", "5e-324", "1e20", "1,5", "", "1 2", "${x}",
        "1e999",
    ]);
    let part = 0.0..1.0;
    prop_oneof![
        (part.clone(), 1usize..40).prop_map(|(at, count)| Change::Delete { at, count }),
        (part.clone(), "[ -~\n\"é&<>/]{1,6}").prop_map(|(at, what)| Change::Insert { at, what }),
        part.clone().prop_map(|at| Change::Truncate { at }),
        (part.clone(), numbers).prop_map(|(which, by)| Change::Number { which, by }),
        (part.clone(), part.clone()).prop_map(|(which, by)| Change::Value { which, by }),
        (part.clone(), prop::option::of(part), any::<bool>()).prop_map(|(which, to, keep)| Change::Line {
            which,
            to,
            keep
        }),
    ]
}

fn pick(count: usize, fraction: f64) -> usize {
    ((fraction * count as f64) as usize).min(count.saturating_sub(1))
}

fn apply(text: &str, change: &Change) -> String {
    let chars: Vec<char> = text.chars().collect();
    let place = |at: f64| (at * chars.len() as f64) as usize;
    match change {
        Change::Delete { at, count } => {
            let at = place(*at);
            chars[..at].iter().chain(chars[at..].iter().skip(*count)).collect()
        }
        Change::Insert { at, what } => {
            let at = place(*at);
            chars[..at].iter().copied().chain(what.chars()).chain(chars[at..].iter().copied()).collect()
        }
        Change::Truncate { at } => chars[..place(*at)].iter().collect(),
        Change::Number { which, by } => {
            let starts: Vec<usize> = text
                .char_indices()
                .zip(text.chars().skip(1))
                .filter(|((_, c), next)| (*c == '"' || *c == ' ') && next.is_ascii_digit())
                .map(|((i, _), _)| i + 1)
                .collect();
            if starts.is_empty() {
                return text.into();
            }
            let start = starts[pick(starts.len(), *which)];
            let length = text[start..].find(|c: char| !"0123456789.e-".contains(c)).unwrap_or(0);
            format!("{}{by}{}", &text[..start], &text[start + length..])
        }
        Change::Value { which, by } => {
            let mut parts: Vec<&str> = text.split('"').collect();
            let values = parts.len() / 2;
            if values == 0 {
                return text.into();
            }
            let (to, from) = (2 * pick(values, *which) + 1, 2 * pick(values, *by) + 1);
            parts[to] = parts[from];
            parts.join("\"")
        }
        Change::Line { which, to, keep } => {
            let mut lines: Vec<&str> = text.lines().collect();
            if lines.is_empty() {
                return text.into();
            }
            let from = pick(lines.len(), *which);
            let line = lines[from];
            if !keep {
                lines.remove(from);
            }
            if let Some(to) = to {
                lines.insert(pick(lines.len() + 1, *to), line);
            }
            lines.join("\n")
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, rng_seed: RngSeed::Fixed(26), ..ProptestConfig::default() })]

    #[test]
    fn mutated_robots_never_panic(
        which in 0.0..1.0, free: bool, repair: bool, changes in prop::collection::vec(change(), 1..4)
    ) {
        let texts = texts();
        let mut text = texts[pick(texts.len(), which)].to_owned();
        for change in &changes {
            text = apply(&text, change);
        }
        let base = if free { BaseKind::Free } else { BaseKind::Welded };
        let options = UrdfOptions { base, repair_inertia: repair, ..UrdfOptions::default() };
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/urdf"));
        match read_urdf("mutated.urdf", &text, Some(folder), &options) {
            Ok(robot) => {
                prop_assert!(robot.total_mass().is_finite());
                prop_assert_eq!(robot.joint_order.len() + 1, robot.tree.links().len());
                let state = robot.tree.zero_state();
                match robot_dynamics(&text, &state.q, &state.v, &state.v, [0.0, 0.0, -9.81], base) {
                    Ok(found) => prop_assert!(found.acceleration.iter().all(|x| x.is_finite())),
                    Err(error) => prop_assert!(!error.to_string().is_empty()),
                }
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}
