//! The compiled part of the Python package: arrays in, arrays out, the GIL released in between.
//! Signatures, docstrings, names and the conversion to float64 arrays are in `python/ropewalk/*.py`.

use pyo3::prelude::*;

mod arrays;
mod baseline;
mod batch;
mod command;
mod command_line;
mod contact;
mod distance;
mod error;
mod fit;
mod inspect;
mod pressure;
mod recording;
mod render;
mod report;
mod robot;
mod scene;
mod state;
mod topology;
mod world;

/// The module `ropewalk._core`.
#[pymodule]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::baseline::ContactEnergyRope;
    #[pymodule_export]
    use crate::batch::Batch;
    #[pymodule_export]
    use crate::command::{
        attachment_names, command_attach, command_attachment, command_clamp, command_clear, command_gravity,
        command_link_load, command_motion, command_names, command_natural, command_pose, command_read,
        command_rod_load, command_target, command_velocity, command_write,
    };
    #[pymodule_export]
    use crate::command_line::run_command;
    #[pymodule_export]
    use crate::contact::contact_solve;
    #[pymodule_export]
    use crate::distance::distance;
    #[pymodule_export]
    use crate::error::{RecordingError, SceneError, StepError};
    #[pymodule_export]
    use crate::fit::{change_cable, evaluate_cable, fit_cable, guess_cable};
    #[pymodule_export]
    use crate::inspect::{rod_energy, rod_step};
    #[pymodule_export]
    use crate::pressure::pressure_patch;
    #[pymodule_export]
    use crate::recording::{export_recording, recording_info, recording_page};
    #[pymodule_export]
    use crate::render::{Renderer, camera_matrices, write_gif};
    #[pymodule_export]
    use crate::report::StepReport;
    #[pymodule_export]
    use crate::robot::{robot_dynamics, robot_point};
    #[pymodule_export]
    use crate::scene::{Scene, check_claims, embedded_scenes, scene_mistake, scene_schema};
    #[pymodule_export]
    use crate::state::State;
    #[pymodule_export]
    use crate::topology::{knot_determinant, linking};
    #[pymodule_export]
    use crate::world::World;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
