//! What is wrong with a file, and what to do about it.

use std::io;
use std::path::Path;

/// Why a file could not be written, read or understood.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The system, or the format of the file, said no.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// What was said.
        source: io::Error,
    },
    /// The file can be read, but does not hold what is needed.
    #[error("{path}: {what}\nhint: {hint}")]
    Content {
        /// The file.
        path: String,
        /// What is wrong.
        what: String,
        /// What to do about it.
        hint: String,
    },
    /// The scene in the file cannot be made.
    #[error(transparent)]
    Scene(#[from] crate::SceneError),
}

impl FileError {
    /// Wraps a system error with the file it is about.
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        |source| Self::Io { path: path.display().to_string(), source }
    }

    /// Something wrong with what a file holds.
    pub fn content(path: &Path, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Content { path: path.display().to_string(), what: what.into(), hint: hint.into() }
    }
}
