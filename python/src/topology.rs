//! `ropewalk.inspect.knot_determinant` and `linking`: which knot polygons are, and how they are linked.

use crate::arrays::array_of;
use glam::DVec3;
use numpy::{PyArrayDyn, PyReadonlyArray3, PyUntypedArrayMethods};
use pyo3::prelude::*;
use ropewalk_rod::knot_determinant::{determinant, determinant_with_ends};
use ropewalk_rod::writhe::gauss_integral;

/// The polygons of an array (N, n, 3).
fn polygons(points: &PyReadonlyArray3<'_, f64>) -> PyResult<Vec<Vec<DVec3>>> {
    let width = 3 * points.shape()[1].max(1);
    let rows = points.as_slice()?.chunks(width);
    Ok(rows.map(|row| row.as_chunks::<3>().0.iter().copied().map(DVec3::from).collect()).collect())
}

/// Determinants of open polygons (N, n, 3), whose ends go on along the line between them, or both along `direction`.
#[pyfunction]
#[pyo3(signature = (points, direction=None))]
pub(crate) fn knot_determinant<'py>(
    py: Python<'py>,
    points: PyReadonlyArray3<'py, f64>,
    direction: Option<[f64; 3]>,
) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    let polygons = polygons(&points)?;
    let found: Vec<f64> = py.detach(|| {
        let of = |p: &Vec<DVec3>| match direction {
            Some(direction) => determinant_with_ends(p, DVec3::from(direction)),
            None => determinant(p),
        };
        polygons.iter().map(of).collect()
    });
    let count = found.len();
    array_of(py, found, &[count])
}

/// Gauss's integral of each polygon of `first` (N, n, 3) with that of `second` (N, m, 3), in turns.
#[pyfunction]
pub(crate) fn linking<'py>(
    py: Python<'py>,
    first: PyReadonlyArray3<'py, f64>,
    first_closed: bool,
    second: PyReadonlyArray3<'py, f64>,
    second_closed: bool,
) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    let pairs = (polygons(&first)?, polygons(&second)?);
    let found: Vec<f64> = py.detach(|| {
        let both = pairs.0.iter().zip(&pairs.1);
        both.map(|(a, b)| gauss_integral(a, first_closed, b, second_closed)).collect()
    });
    let count = found.len();
    array_of(py, found, &[count])
}
