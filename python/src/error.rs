//! Exceptions of the package. Their messages are those of the command line.

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use ropewalk_sim::world::Progress;

pyo3::create_exception!(
    ropewalk,
    SceneError,
    PyValueError,
    "A scene cannot be made. The message shows the place, the key, what was expected and the nearest valid name."
);
pyo3::create_exception!(
    ropewalk,
    StepError,
    PyRuntimeError,
    "A step failed; the world is as it was before it. ``status`` is \"not_converged\", \"passes_through\" or \
     \"not_finite\", ``time`` is the time of the last good state in s, ``world`` the number of the world in a batch \
     (0 in a world of its own)."
);

pyo3::create_exception!(
    ropewalk,
    RecordingError,
    PyValueError,
    "A recording is damaged, or is none. The message names the file and the place in it."
);

/// The scene cannot be made.
pub(crate) fn scene_error(error: impl std::fmt::Display) -> PyErr {
    SceneError::new_err(error.to_string())
}

/// A step of world `world` failed, as `message` says.
pub(crate) fn step_error(py: Python<'_>, message: String, progress: &Progress, world: usize) -> PyErr {
    let error = StepError::new_err(message);
    let value = error.value(py);
    let set = || {
        value.setattr("status", progress.report.status.name())?;
        value.setattr("time", progress.time)?;
        value.setattr("world", world)
    };
    match set() {
        Ok(()) => error,
        Err(other) => other,
    }
}
