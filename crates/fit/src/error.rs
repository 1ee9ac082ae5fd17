//! Errors in data, a cable file or a fit.

/// Invalid input, or a failed prediction. Every message names the thing and the remedy.
#[derive(Debug, thiserror::Error)]
pub enum FitError {
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: String,
        /// The message of the system.
        source: std::io::Error,
    },
    /// A file of measurements is invalid.
    #[error("{path}: {what}\nhint: {hint}")]
    Data {
        /// The file.
        path: String,
        /// The error, and its place.
        what: String,
        /// The remedy.
        hint: String,
    },
    /// A cable file is invalid.
    #[error("{path}: {what}")]
    Cable {
        /// The file.
        path: String,
        /// The error, and its place.
        what: String,
    },
    /// The cable does not match the measurements.
    #[error("{what}\nhint: {hint}")]
    Mismatch {
        /// The mismatch.
        what: String,
        /// The remedy.
        hint: String,
    },
    /// A step of a prediction failed at every length tried.
    #[error("run '{run}': the step after t = {time:.4} s did not converge, even 64 times shorter")]
    Step {
        /// Name of the run.
        run: String,
        /// Time since the first frame in s.
        time: f64,
    },
    /// A step of a world in which the cable touches something failed.
    #[error("run '{run}': the step after t = {time:.4} s failed: {what}")]
    World {
        /// Name of the run.
        run: String,
        /// Time since the first frame in s.
        time: f64,
        /// What the step says.
        what: String,
    },
    /// No equilibrium was found near a measured shape.
    #[error(
        "{shape}: no equilibrium is found near the measured points\nhint: check their order, and the directions at the clamps"
    )]
    Shape {
        /// The shape.
        shape: String,
    },
}

impl FitError {
    /// The cable and the data disagree.
    pub fn mismatch(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Mismatch { what: what.into(), hint: hint.into() }
    }

    /// Whether the input is valid but the computation failed.
    pub fn is_numerical(&self) -> bool {
        matches!(self, Self::Step { .. } | Self::World { .. } | Self::Shape { .. })
    }
}
