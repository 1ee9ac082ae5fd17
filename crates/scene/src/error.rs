//! Errors in a scene, with their place and remedy.

use core::fmt;

/// Why a scene could not be loaded. Displayed, it shows the place in the source with a caret, the key,
/// what was expected, the nearest valid name and a hint, one to a line. Its fields are those of
/// [`ErrorDetails`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneError(Box<ErrorDetails>);

/// Details of a [`SceneError`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorDetails {
    /// File, embedded name, or the override (`--set …`) in which the mistake is.
    pub label: String,
    /// Line in it, from 1; zero if the mistake has no place, such as a file that cannot be read.
    pub line: usize,
    /// Column in characters, from 1; zero if the mistake has no place.
    pub column: usize,
    /// Path of the key, such as `rod.rope.section.circle.radius`; empty if there is none.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// What was expected instead.
    pub expected: Option<String>,
    /// The nearest valid name.
    pub nearest: Option<String>,
    /// The remedy.
    pub hint: Option<String>,
    /// The line of the source.
    pub source_line: String,
    /// How many characters the caret underlines.
    pub width: usize,
}

impl SceneError {
    /// An error without a place.
    pub(crate) fn without_place(label: &str, message: impl Into<String>) -> Self {
        Self(Box::new(ErrorDetails {
            label: label.into(),
            line: 0,
            column: 0,
            key: String::new(),
            message: message.into(),
            expected: None,
            nearest: None,
            hint: None,
            source_line: String::new(),
            width: 0,
        }))
    }
    /// Adds the place.
    pub(crate) fn at(
        mut self,
        line: usize,
        column: usize,
        width: usize,
        source_line: &str,
        key: &str,
    ) -> Self {
        let details = &mut self.0;
        (details.line, details.column, details.width) = (line, column, width);
        (details.source_line, details.key) = (source_line.into(), key.into());
        self
    }
    pub(crate) fn expected(mut self, expected: impl Into<String>) -> Self {
        self.0.expected = Some(expected.into());
        self
    }
    pub(crate) fn nearest(mut self, nearest: Option<String>) -> Self {
        self.0.nearest = nearest;
        self
    }
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }
}

impl core::ops::Deref for SceneError {
    type Target = ErrorDetails;
    fn deref(&self) -> &ErrorDetails {
        &self.0
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)?;
        if self.line == 0 {
            write!(f, "\n  --> {}", self.label)?;
        } else {
            let number = self.line.to_string();
            let pad = " ".repeat(number.len());
            write!(f, "\n{pad} --> {}:{}:{}", self.label, self.line, self.column)?;
            let (shown, column) = window(&self.source_line, self.column);
            write!(f, "\n{pad} |\n{number} | {shown}")?;
            // Tabs stay, so that the caret is under its character.
            let lead: String = shown
                .chars()
                .take(column.saturating_sub(1))
                .map(|c| if c == '\t' { '\t' } else { ' ' })
                .collect();
            write!(f, "\n{pad} | {lead}{}", "^".repeat(self.width.clamp(1, MOST_SHOWN / 2)))?;
        }
        if !self.key.is_empty() {
            write!(f, "\n  key: {}", self.key)?;
        }
        if let Some(expected) = &self.expected {
            write!(f, "\n  expected: {expected}")?;
        }
        if let Some(nearest) = &self.nearest {
            write!(f, "\n  nearest: `{nearest}`")?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for SceneError {}

/// Most characters of a line that are shown.
const MOST_SHOWN: usize = 160;

/// The line, or the part of a very long one around the column (from 1), and the column in it.
fn window(line: &str, column: usize) -> (String, usize) {
    let count = line.chars().count();
    if count <= MOST_SHOWN {
        return (line.to_owned(), column);
    }
    let start = column.saturating_sub(MOST_SHOWN / 2).min(count - MOST_SHOWN);
    let part: String = line.chars().skip(start).take(MOST_SHOWN).collect();
    let tail = if start + MOST_SHOWN < count { "…" } else { "" };
    match start {
        0 => (format!("{part}{tail}"), column),
        _ => (format!("…{part}{tail}"), column - start + 1),
    }
}

/// The name in `names` nearest to `name`, if any is near enough to be meant.
pub(crate) fn nearest_name<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    // Very long words are not misspellings, and the cost of comparison is the product of their lengths.
    if name.len() > 200 {
        return None;
    }
    names
        .into_iter()
        .map(|n| (strsim::jaro_winkler(&name.to_lowercase(), n), n))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, n)| n.to_owned())
}

/// Names as a list for a message, cut when there are many.
pub(crate) fn list_names<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let all: Vec<&str> = names.into_iter().collect();
    match all.len() {
        0 => "(none)".into(),
        n if n > 24 => format!("{}, … ({n} in all)", all[..24].join(", ")),
        _ => all.join(", "),
    }
}
