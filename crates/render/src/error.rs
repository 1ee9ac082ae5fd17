//! Errors in requests for pictures.

/// An invalid value, with its remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}\nhint: {hint}")]
pub struct RenderError {
    /// The thing, its key and its value.
    pub what: String,
    /// The remedy.
    pub hint: String,
}

impl RenderError {
    /// An error with its remedy.
    pub fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { what: what.into(), hint: hint.into() }
    }
}
