//! `ropewalk.inspect.robot_dynamics` and `robot_point`.

use crate::inspect::{Array1, matrix};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ropewalk_scene::BaseKind;
use ropewalk_scene::robot_inspect::{self, RobotInspectError};

fn bad_input(error: RobotInspectError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn base_kind(free: bool) -> BaseKind {
    if free { BaseKind::Free } else { BaseKind::Welded }
}

/// Mass matrix, bias, gravity, accelerations, energies; see `ropewalk.inspect.robot_dynamics`.
#[pyfunction]
pub(crate) fn robot_dynamics<'py>(
    py: Python<'py>,
    urdf_text: &str,
    q: Array1<'py>,
    v: Array1<'py>,
    tau: Array1<'py>,
    gravity: [f64; 3],
    free_base: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let (q, v, tau) = (q.to_vec()?, v.to_vec()?, tau.to_vec()?);
    let found = py
        .detach(|| robot_inspect::robot_dynamics(urdf_text, &q, &v, &tau, gravity, base_kind(free_base)))
        .map_err(bad_input)?;
    let n = found.bias.len();
    let out = PyDict::new(py);
    out.set_item("M", matrix(py, found.mass_matrix, [n, n])?)?;
    out.set_item("bias", PyArray1::from_vec(py, found.bias))?;
    out.set_item("gravity_force", PyArray1::from_vec(py, found.gravity_force))?;
    out.set_item("vdot", PyArray1::from_vec(py, found.acceleration))?;
    out.set_item("kinetic_energy", found.kinetic_energy)?;
    out.set_item("potential_energy", found.potential_energy)?;
    Ok(out)
}

/// A point of a link; see `ropewalk.inspect.robot_point`.
#[pyfunction]
pub(crate) fn robot_point<'py>(
    py: Python<'py>,
    urdf_text: &str,
    q: Array1<'py>,
    v: Array1<'py>,
    body: &str,
    offset: [f64; 3],
    free_base: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let (q, v) = (q.to_vec()?, v.to_vec()?);
    let found = py
        .detach(|| robot_inspect::robot_point(urdf_text, &q, &v, body, offset, base_kind(free_base)))
        .map_err(bad_input)?;
    let n = found.jacobian.len() / 3;
    let out = PyDict::new(py);
    out.set_item("position", PyArray1::from_slice(py, &found.position))?;
    out.set_item("rotation", matrix(py, found.rotation.to_vec(), [3, 3])?)?;
    out.set_item("jacobian", matrix(py, found.jacobian, [3, n])?)?;
    out.set_item("bias_acc", PyArray1::from_slice(py, &found.bias_acceleration))?;
    Ok(out)
}
