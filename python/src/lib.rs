//! The compiled part of the Python package: arrays in, dictionaries of arrays out, the interpreter's lock released in
//! between. Signatures, docstrings and the conversion to float64 arrays are in `python/ropewalk/*.py`.

use pyo3::prelude::*;

mod contact;
mod distance;
mod inspect;
mod pressure;
mod robot;

/// The module `ropewalk._core`.
#[pymodule]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::contact::contact_solve;
    #[pymodule_export]
    use crate::distance::distance;
    #[pymodule_export]
    use crate::inspect::{rod_energy, rod_step};
    #[pymodule_export]
    use crate::pressure::pressure_patch;
    #[pymodule_export]
    use crate::robot::{robot_dynamics, robot_point};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
