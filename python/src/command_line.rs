//! The `ropewalk` command, as the package brings it.

use pyo3::prelude::*;
use std::ffi::OsString;

/// Carries out a command line, whose first word is the name of the program; its exit code.
#[pyfunction]
pub(crate) fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| ropewalk_cli::run_command(arguments))
}
