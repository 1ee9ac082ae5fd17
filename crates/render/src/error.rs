//! Why a picture cannot be made.

/// A value that cannot be used, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}\nhint: {hint}")]
pub struct RenderError {
    /// The thing, its key and its value.
    pub what: String,
    /// The remedy.
    pub hint: String,
}

impl RenderError {
    /// Something wrong, and what to do about it.
    pub fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { what: what.into(), hint: hint.into() }
    }
}
