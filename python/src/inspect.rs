//! `ropewalk.inspect`: arguments copied, checked and computed on without the lock, results as numpy arrays.
//!
//! Arguments are copied since another thread may write to an array while the lock is released.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ropewalk_sim::inspect::{self, InspectError, RodInput, StepInput};

pub(crate) type Array1<'py> = PyReadonlyArray1<'py, f64>;
pub(crate) type Array2<'py> = PyReadonlyArray2<'py, f64>;

/// The rod, a dictionary of contiguous float64 arrays with the names of the Python arguments.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct RodArguments<'py> {
    closed: bool,
    #[pyo3(item("EA"))]
    ea: Array1<'py>,
    #[pyo3(item("EI1"))]
    ei1: Array1<'py>,
    #[pyo3(item("EI2"))]
    ei2: Array1<'py>,
    #[pyo3(item("GJ"))]
    gj: Array1<'py>,
    rest_edge_lengths: Array1<'py>,
    rest_kappa1: Array1<'py>,
    rest_kappa2: Array1<'py>,
    rest_tau: Array1<'py>,
    t_ref: Array2<'py>,
    d1_ref: Array2<'py>,
    beta_ref: Array1<'py>,
}

/// What a step needs beside the rod.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct StepArguments<'py> {
    mass_diag: Array1<'py>,
    dt: f64,
    theta: f64,
    theta_vq: f64,
    alpha: f64,
    beta: f64,
    gravity: [f64; 3],
    fixed_dofs: PyReadonlyArray1<'py, i64>,
}

/// Copies of the arrays of a rod.
struct RodArrays {
    closed: bool,
    per_place: [Vec<f64>; 9],
    t_ref: Vec<[f64; 3]>,
    d1_ref: Vec<[f64; 3]>,
}

impl RodArguments<'_> {
    fn copy(&self) -> PyResult<RodArrays> {
        Ok(RodArrays {
            closed: self.closed,
            per_place: [
                self.ea.to_vec()?,
                self.ei1.to_vec()?,
                self.ei2.to_vec()?,
                self.gj.to_vec()?,
                self.rest_edge_lengths.to_vec()?,
                self.rest_kappa1.to_vec()?,
                self.rest_kappa2.to_vec()?,
                self.rest_tau.to_vec()?,
                self.beta_ref.to_vec()?,
            ],
            t_ref: vectors(&self.t_ref)?,
            d1_ref: vectors(&self.d1_ref)?,
        })
    }
}

impl RodArrays {
    fn input(&self) -> RodInput<'_> {
        let [ea, ei1, ei2, gj, rest_edge_lengths, rest_kappa1, rest_kappa2, rest_tau, beta_ref] =
            &self.per_place;
        RodInput {
            closed: self.closed,
            ea,
            ei1,
            ei2,
            gj,
            rest_edge_lengths,
            rest_kappa1,
            rest_kappa2,
            rest_tau,
            t_ref: &self.t_ref,
            d1_ref: &self.d1_ref,
            beta_ref,
        }
    }
}

/// Energies, gradient, Hessian and strains; see `ropewalk.inspect.rod_energy`.
#[pyfunction]
pub(crate) fn rod_energy<'py>(
    py: Python<'py>,
    x: Array2<'py>,
    gamma: Array1<'py>,
    rod: RodArguments<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let (x, gamma, rod) = (vectors(&x)?, gamma.to_vec()?, rod.copy()?);
    let found = py.detach(|| inspect::rod_energy(&x, &gamma, &rod.input())).map_err(bad_input)?;
    let out = PyDict::new(py);
    out.set_item("E_s", found.stretch)?;
    out.set_item("E_t", found.twist)?;
    out.set_item("E_b", found.bend)?;
    let dofs = found.gradient.len();
    out.set_item("gradient", PyArray1::from_vec(py, found.gradient))?;
    out.set_item("hessian", matrix(py, found.hessian, [dofs, dofs])?)?;
    out.set_item("kappa1", PyArray1::from_vec(py, found.kappa1))?;
    out.set_item("kappa2", PyArray1::from_vec(py, found.kappa2))?;
    out.set_item("tau", PyArray1::from_vec(py, found.tau))?;
    Ok(out)
}

/// One step of free motion; see `ropewalk.inspect.rod_step`.
#[pyfunction]
pub(crate) fn rod_step<'py>(
    py: Python<'py>,
    q: Array1<'py>,
    v: Array1<'py>,
    rod: RodArguments<'py>,
    step: StepArguments<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let (q, v, rod) = (q.to_vec()?, v.to_vec()?, rod.copy()?);
    let (mass_diag, fixed_dofs) = (step.mass_diag.to_vec()?, indices(&step.fixed_dofs)?);
    let input = StepInput {
        mass_diag: &mass_diag,
        dt: step.dt,
        theta: step.theta,
        theta_vq: step.theta_vq,
        alpha: step.alpha,
        beta: step.beta,
        gravity: step.gravity,
        fixed_dofs: &fixed_dofs,
    };
    let found = py.detach(|| inspect::rod_step(&q, &v, &rod.input(), &input)).map_err(bad_input)?;
    let out = PyDict::new(py);
    let (dofs, edges) = (found.v.len(), found.d1.len());
    out.set_item("v", PyArray1::from_vec(py, found.v))?;
    out.set_item("A", matrix(py, found.tangent, [dofs, dofs])?)?;
    out.set_item("q", PyArray1::from_vec(py, found.q))?;
    out.set_item("d1", matrix(py, found.d1.into_flattened(), [edges, 3])?)?;
    out.set_item("beta", PyArray1::from_vec(py, found.beta))?;
    out.set_item("iterations", found.iterations)?;
    out.set_item("status", found.status.word())?;
    Ok(out)
}

fn bad_input(error: InspectError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Rows of an array of shape (n, 3); that it has it is checked before.
fn vectors(array: &Array2<'_>) -> PyResult<Vec<[f64; 3]>> {
    Ok(array.as_slice()?.as_chunks::<3>().0.to_vec())
}

fn indices(array: &PyReadonlyArray1<'_, i64>) -> PyResult<Vec<usize>> {
    let index = |&i: &i64| {
        usize::try_from(i).map_err(|_| {
            PyValueError::new_err(format!("fixed_dofs has the entry {i}, expected indices from 0"))
        })
    };
    array.as_slice()?.iter().map(index).collect()
}

/// A matrix from its rows.
pub(crate) fn matrix<'py>(
    py: Python<'py>,
    rows: Vec<f64>,
    shape: [usize; 2],
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    PyArray1::from_vec(py, rows).reshape(shape)
}
