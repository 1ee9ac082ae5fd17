//! `ropewalk.State`: all that the next step will find, as named arrays; its bytes are a NumPy archive.

use crate::arrays::array_of;
use numpy::PyArrayDyn;
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use ropewalk_scene::npz::{NpzWriter, read_npz};
use ropewalk_sim::{NamedArray, World};
use std::io::{self, Cursor};

/// A state of a world, with what its solver remembers. See `ropewalk.World.state`.
#[pyclass(frozen, module = "ropewalk", eq)]
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    arrays: Vec<NamedArray>,
}

impl State {
    /// The state of `world` now.
    pub(crate) fn of(world: &World) -> Self {
        Self { arrays: world.state().arrays(world.model()) }
    }

    /// Puts it into `world`.
    pub(crate) fn put(&self, world: &mut World) -> PyResult<()> {
        let find = |name: &str| self.arrays.iter().find(|a| a.name == name);
        let state = ropewalk_sim::State::from_arrays(world.scene_model(), world.start(), find)
            .map_err(|e| PyValueError::new_err(format!("this is not a state of this world: {e}")))?;
        world.restore(&state);
        Ok(())
    }

    fn find(&self, name: &str) -> Option<&NamedArray> {
        self.arrays.iter().find(|a| a.name == name)
    }
}

#[pymethods]
impl State {
    /// The state in the bytes of an archive.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let npz = read_npz(Cursor::new(bytes))
            .map_err(|e| PyValueError::new_err(format!("these bytes are not a state: {e}")))?;
        Ok(Self { arrays: npz.arrays.into_values().collect() })
    }

    /// Time in s.
    #[getter]
    fn time(&self) -> PyResult<f64> {
        let time = self.find("time").and_then(|a| a.data.first());
        time.copied().ok_or_else(|| PyValueError::new_err("this state has no time"))
    }

    /// Names of its arrays.
    fn keys(&self) -> Vec<&str> {
        self.arrays.iter().map(|a| a.name.as_str()).collect()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let array = self.find(name).ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        array_of(py, array.data.clone(), &array.shape)
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let write = || -> io::Result<Vec<u8>> {
            let mut npz = NpzWriter::new(Cursor::new(Vec::new()));
            for array in &self.arrays {
                npz.array(&array.name, &array.shape, &array.data)?;
            }
            Ok(npz.finish()?.into_inner())
        };
        Ok(PyBytes::new(py, &write()?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = slf.borrow().__bytes__(slf.py())?;
        Ok((slf.get_type().getattr("from_bytes")?, (bytes,)))
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("<State at {} s, {} arrays>", self.time()?, self.arrays.len()))
    }
}
