//! Mutated scenes load or are rejected, and never panic.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use ropewalk_scene::{embedded_scenes, load_text};

/// A change to a text. Places are fractions, since texts differ in length.
#[derive(Clone, Debug)]
enum Change {
    Delete { at: f64, count: usize },
    Insert { at: f64, what: String },
    Swap { at: f64, with: f64 },
    Number { which: f64, by: String },
    Word { which: f64, by: f64 },
}

fn change() -> impl Strategy<Value = Change> {
    let numbers = prop::sample::select(vec![
        "nan",
        "-nan",
        "inf",
        "-inf",
        "0",
        "-0.0",
        "-1",
        "1e308",
        "-1e308",
        "1e-308",
        "5e-324",
        "1e20",
        "3",
        "1000",
        "9223372036854775807",
        "99999999999999999999",
        "\"x\"",
        "true",
        "[]",
        "{}",
        "[1.0, 2.0]",
        "1979-05-27",
        "{ sine = { amplitude = 1e300, frequency = 1e300 } }",
    ]);
    prop_oneof![
        (0.0..1.0, 1usize..40).prop_map(|(at, count)| Change::Delete { at, count }),
        (0.0..1.0, "[ -~\n\"é]{1,6}").prop_map(|(at, what)| Change::Insert { at, what }),
        (0.0..1.0, 0.0..1.0).prop_map(|(at, with)| Change::Swap { at, with }),
        (0.0..1.0, numbers.prop_map(String::from)).prop_map(|(which, by)| Change::Number { which, by }),
        (0.0..1.0, 0.0..1.0).prop_map(|(which, by)| Change::Word { which, by }),
    ]
}

/// Spans of the pieces of `text` whose characters satisfy `inside` and whose first satisfies `first`.
fn pieces(text: &str, first: impl Fn(char) -> bool, inside: impl Fn(char) -> bool) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut start = None;
    for (i, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match start {
            None if first(c) => start = Some(i),
            Some(s) if !inside(c) => {
                out.push((s, i));
                start = None;
            }
            _ => {}
        }
    }
    out
}

fn pick<T: Copy>(all: &[T], fraction: f64) -> Option<T> {
    all.get((fraction * all.len() as f64) as usize).copied()
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
        Change::Swap { at, with } => {
            let mut chars = chars.clone();
            if !chars.is_empty() {
                chars.swap(place(*at), place(*with));
            }
            chars.into_iter().collect()
        }
        Change::Number { which, by } => {
            let numbers = pieces(text, |c| c.is_ascii_digit(), |c| c.is_ascii_digit() || ".e-".contains(c));
            match pick(&numbers, *which) {
                Some((a, b)) => format!("{}{by}{}", &text[..a], &text[b..]),
                None => text.into(),
            }
        }
        Change::Word { which, by } => {
            let words = pieces(text, |c| c.is_ascii_alphabetic(), |c| c.is_ascii_alphanumeric() || c == '_');
            match (pick(&words, *which), pick(&words, *by)) {
                (Some((a, b)), Some((c, d))) => format!("{}{}{}", &text[..a], &text[c..d], &text[b..]),
                _ => text.into(),
            }
        }
    }
}

/// The embedded scenes without comments, so that changes hit keys and values, and one that has every kind
/// of curve, section, load and motion.
fn texts() -> Vec<String> {
    let mut all: Vec<String> = embedded_scenes()
        .iter()
        .map(|s| s.text.lines().filter(|l| !l.starts_with('#')).collect::<Vec<_>>().join("\n"))
        .collect();
    all.push(include_str!("everything.toml").into());
    all
}

#[test]
fn everything_loads() {
    let scene = load_text("everything.toml", include_str!("everything.toml"), None, &[])
        .unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(scene.warnings, Vec::<String>::new());
    assert!(scene.state.is_finite());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, rng_seed: RngSeed::Fixed(26), ..ProptestConfig::default() })]

    #[test]
    fn mutated_scenes_never_panic(which in 0.0..1.0, changes in prop::collection::vec(change(), 1..4)) {
        let texts = texts();
        let mut text = texts[(which * texts.len() as f64) as usize].clone();
        for change in &changes {
            text = apply(&text, change);
        }
        match load_text("mutated.toml", &text, None, &[]) {
            Ok(scene) => prop_assert!(scene.state.is_finite()),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn mutated_overrides_never_panic(text in "[a-z_.]{0,20}={0,1}[ -~]{0,12}", change in change()) {
        let scene = embedded_scenes()[0].text;
        let overrides = [apply(&text, &change), apply("rod.beam.segments=40", &change)];
        if let Err(error) = load_text("scene.toml", scene, None, &overrides) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}
