//! Exit codes, and errors that end a command.
//!
//! | code | meaning |
//! |---|---|
//! | 0 | done, and every claim or case holds |
//! | 1 | a claim of the scene or a validation case fails |
//! | 2 | bad input, or an output that cannot be written |
//! | 3 | a step failed or a state is not finite |
//! | 130 | interrupted (Ctrl-C) |

use std::path::Path;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Done, and every claim or case holds.
    Success,
    /// A claim or a validation case fails.
    ClaimFailed,
    /// Invalid input.
    BadInput,
    /// A step failed or a state is not finite.
    StepFailed,
    /// Stopped by Ctrl-C; outputs up to then are complete.
    Interrupted,
}

impl Outcome {
    /// The exit code of the process.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::ClaimFailed => 1,
            Self::BadInput => 2,
            Self::StepFailed => 3,
            Self::Interrupted => 130,
        }
    }
}

/// Why a command could not be carried out. The process ends with [`Outcome::BadInput`].
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    /// The scene cannot be used; the message names the place and the remedy.
    #[error("{0}")]
    Scene(Box<ropewalk_scene::SceneError>),
    /// Another request is invalid.
    #[error("{what}\nhint: {hint}")]
    Input {
        /// The error, and its place.
        what: String,
        /// The remedy.
        hint: String,
    },
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: String,
        /// The message of the system.
        source: std::io::Error,
    },
    /// The contents of a file are invalid.
    #[error("{0}")]
    Content(#[from] ropewalk_scene::FileError),
    /// A requested picture is invalid.
    #[error("{0}")]
    Render(#[from] ropewalk_render::RenderError),
    /// Measurements or a cable are invalid.
    #[error("{0}")]
    Fit(#[from] ropewalk_fit::FitError),
    /// Standard output could not be written.
    #[error("standard output: {0}")]
    Output(std::io::Error),
}

impl From<ropewalk_scene::SceneError> for CommandError {
    fn from(error: ropewalk_scene::SceneError) -> Self {
        Self::Scene(Box::new(error))
    }
}

impl CommandError {
    /// An error with its remedy.
    pub(crate) fn input(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Input { what: what.into(), hint: hint.into() }
    }

    /// Whether a file could not be written since there is no space, or no more is allowed.
    pub(crate) fn is_about_space(&self) -> bool {
        use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        let source = match self {
            Self::File { source, .. } | Self::Content(ropewalk_scene::FileError::Io { source, .. }) => source,
            _ => return false,
        };
        matches!(source.kind(), FileTooLarge | QuotaExceeded | StorageFull)
    }

    /// Wraps a system error with its file.
    pub(crate) fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        |source| Self::File { path: path.display().to_string(), source }
    }
}
