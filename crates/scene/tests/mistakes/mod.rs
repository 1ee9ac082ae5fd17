//! Mistakes made in a scene, and what their errors must say.

use ropewalk_scene::load_text;

/// A mistake (text, what it becomes) and what the error must say: line, key, part of the message, part of expectation or hint,
/// nearest name.
pub(crate) type Mistake =
    (&'static str, &'static str, usize, &'static str, &'static str, &'static str, &'static str);

/// Makes each of `mistakes` in `scene` and compares the error.
#[track_caller]
pub(crate) fn assert_named(label: &str, scene: &str, mistakes: &[Mistake]) {
    let mut wrong = Vec::new();
    for &(from, to, line, key, message, remedy, nearest) in mistakes {
        assert!(scene.contains(from), "{from}");
        let Err(error) = load_text(label, &scene.replacen(from, to, 1), None, &[]) else {
            wrong.push(format!("{to}: loads"));
            continue;
        };
        let found = [error.expected.clone(), error.hint.clone()].map(Option::unwrap_or_default).concat();
        let right = error.message.contains(message)
            && (error.line, error.key.as_str()) == (line, key)
            && found.contains(remedy)
            && error.nearest.clone().unwrap_or_default() == nearest
            && error.label == label
            && error.column >= 1;
        if !right {
            wrong.push(format!("{to}: {error}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
