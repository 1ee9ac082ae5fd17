//! Quantities of worlds as numpy arrays.

use numpy::{PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use ropewalk_sim::{Quantity, World};

/// An array from its numbers in C order.
pub(crate) fn array_of<'py>(
    py: Python<'py>,
    data: Vec<f64>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    PyArray1::from_vec(py, data).reshape(shape)
}

/// The quantity called `name`, if `index` is one of what it belongs to.
pub(crate) fn quantity(name: &str, index: usize, world: &World) -> PyResult<Quantity> {
    let quantity = Quantity::named(name)
        .ok_or_else(|| PyValueError::new_err(format!("there is no quantity called \"{name}\"")))?;
    let count = quantity.owner_count(world);
    if index >= count {
        return Err(PyIndexError::new_err(format!("there are {count} to have {name}, not number {index}")));
    }
    Ok(quantity)
}
