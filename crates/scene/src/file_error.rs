//! Errors of files, with their remedy.

use std::io;
use std::path::Path;

/// Why a file could not be written, read or parsed.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// An error of the system, or of the format of the file.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// Its message.
        source: io::Error,
    },
    /// The file can be read, but does not hold what is needed.
    #[error("{path}: {what}\nhint: {hint}")]
    Content {
        /// The file.
        path: String,
        /// What is wrong.
        what: String,
        /// The remedy.
        hint: String,
    },
    /// The scene in the file is invalid.
    #[error(transparent)]
    Scene(#[from] crate::SceneError),
}

impl FileError {
    /// Wraps a system error with its file.
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        |source| Self::Io { path: path.display().to_string(), source }
    }

    /// An error in the contents of a file.
    pub fn content(path: &Path, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Content { path: path.display().to_string(), what: what.into(), hint: hint.into() }
    }
}
