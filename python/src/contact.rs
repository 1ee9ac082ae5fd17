//! `ropewalk.inspect.contact_solve`.

use crate::inspect::{Array1, Array2};
use numpy::{PyArray1, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ropewalk_contact::Status;
use ropewalk_contact::dense::{ContactSolve, solve_contacts};

/// What the solve needs beside A, J and v*; arrays of one entry stand for all contacts.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ContactArguments<'py> {
    phi0: Array1<'py>,
    mu: Array1<'py>,
    dt: f64,
    k: Option<Array1<'py>>,
    tau_d: Array1<'py>,
    sigma: f64,
    near_rigid_beta: f64,
    #[pyo3(item("R"))]
    regularization: Option<Array1<'py>>,
    vhat: Option<Array1<'py>>,
}

/// Solves frictional contacts between unknowns with a dense matrix; see `ropewalk.inspect.contact_solve`.
#[pyfunction]
pub(crate) fn contact_solve<'py>(
    py: Python<'py>,
    a: Array2<'py>,
    j: Array2<'py>,
    v_star: Array1<'py>,
    contacts: ContactArguments<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let (a, j, v_star) = (rows(&a)?, rows(&j)?, v_star.to_vec()?);
    let copy = |array: &Option<Array1<'py>>| array.as_ref().map(|a| a.to_vec()).transpose();
    let (k, regularization, bias) =
        (copy(&contacts.k)?, copy(&contacts.regularization)?, copy(&contacts.vhat)?);
    let (phi0, mu, tau_d) = (contacts.phi0.to_vec()?, contacts.mu.to_vec()?, contacts.tau_d.to_vec()?);
    let count = j.len() / 3;
    let spread = |list: Vec<f64>| if list.len() == 1 { vec![list[0]; count] } else { list };
    let (phi0, mu) = (spread(phi0), spread(mu));
    let input = ContactSolve {
        a: &a,
        j: &j,
        v_star: &v_star,
        phi0: &phi0,
        mu: &mu,
        dt: contacts.dt,
        k: k.as_deref(),
        tau_d: &tau_d,
        sigma: contacts.sigma,
        near_rigid_beta: contacts.near_rigid_beta,
        regularization: regularization.as_deref(),
        bias: bias.as_deref(),
    };
    let found = py.detach(|| solve_contacts(&input)).map_err(|e| PyValueError::new_err(e.to_string()))?;
    let out = PyDict::new(py);
    out.set_item("v", PyArray1::from_vec(py, found.v))?;
    out.set_item("lam", PyArray1::from_vec(py, found.lambda))?;
    out.set_item("objective", found.objective)?;
    out.set_item("iterations", found.iterations)?;
    out.set_item("status", word(found.status))?;
    Ok(out)
}

fn word(status: Status) -> &'static str {
    match status {
        Status::Converged => "converged",
        Status::RoundOff => "round_off",
        Status::IterationLimit => "max_iterations",
        Status::NotPositiveDefinite { .. } => "not_positive_definite",
        Status::Overflow => "overflow",
    }
}

fn rows(array: &Array2<'_>) -> PyResult<Vec<Vec<f64>>> {
    let columns = array.shape()[1];
    if columns == 0 {
        return Ok(vec![Vec::new(); array.shape()[0]]);
    }
    Ok(array.as_slice()?.chunks(columns).map(<[f64]>::to_vec).collect())
}
