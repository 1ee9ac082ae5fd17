//! Recordings: a world that writes what it does, and files that are read back.

use crate::error::{RecordingError, scene_error};
use crate::scene::Scene;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use ropewalk_scene::recording::{self, Rates, Recorder};
use ropewalk_scene::{FileError, Sample};
use ropewalk_sim::World;
use ropewalk_sim::world::Progress;
use std::path::{Path, PathBuf};

/// A recording that a world is writing.
#[derive(Debug)]
pub(crate) struct Tape {
    recorder: Recorder,
    /// Work so far in J.
    work: f64,
    last: Option<Sample>,
    /// Whether the last step failed.
    failed: bool,
}

impl Tape {
    /// Begins a recording of `world`, which is one of `scene`.
    pub(crate) fn begin(path: &Path, scene: &Scene, world: &World, rates: Rates) -> Result<Self, FileError> {
        let mut recorder = Recorder::create(path, &scene.whole(), rates, world.state(), 0)?;
        recorder.begin(world.model(), world.state(), None)?;
        Ok(Self { recorder, work: 0.0, last: None, failed: false })
    }

    /// Takes a step of `world` and writes it down.
    pub(crate) fn step(&mut self, world: &mut World) -> Result<Progress, FileError> {
        self.recorder.note_commands(world.model(), world.state())?;
        let progress = world.step(1, None);
        if let Some(words) = progress.failure() {
            self.failed = true;
            self.recorder.failure(world.state(), &words)?;
            return Ok(progress);
        }
        self.failed = false;
        self.work += progress.report.work;
        let (model, state, workspace) = (world.model(), world.state(), world.workspace());
        let sample = ropewalk_scene::sample(model, state, workspace, self.work);
        self.recorder.step(model, (state, workspace), &progress.report, &sample)?;
        self.last = Some(sample);
        Ok(progress)
    }

    /// Ends the recording; `status` is its last word.
    pub(crate) fn end(self, world: &World, status: &str) -> Result<(), FileError> {
        // After a failed step the workspace holds what failed; without a step it holds nothing.
        let stepped = self.last.as_ref().is_some_and(|sample| sample.time == world.state().time);
        let workspace = Some(world.workspace()).filter(|_| stepped && !self.failed);
        self.recorder.finish(world.model(), (world.state(), workspace), self.last.as_ref(), status)
    }
}

/// An exception with the words of the command line.
pub(crate) fn file_error(error: FileError) -> PyErr {
    match error {
        // What is no regular file is no recording either.
        FileError::Io { ref source, .. } if source.kind() == std::io::ErrorKind::InvalidInput => {
            RecordingError::new_err(error.to_string())
        }
        FileError::Io { .. } => PyOSError::new_err(error.to_string()),
        FileError::Content { .. } => RecordingError::new_err(error.to_string()),
        FileError::Scene(error) => scene_error(error),
    }
}

/// Writes a recording to `to` as "npz" (arrays), "csv" (a table), "glb" (an animation) or "ros2" (a bag, which is a folder); its
/// scene as JSON is the answer.
#[pyfunction]
pub(crate) fn export_recording(py: Python<'_>, path: PathBuf, to: PathBuf, format: &str) -> PyResult<String> {
    let export = match format {
        "npz" => recording::export_npz,
        "csv" => recording::export_csv,
        "glb" => recording::export_gltf,
        "ros2" => recording::export_ros2,
        _ => return Err(PyValueError::new_err("expected \"npz\", \"csv\", \"glb\" or \"ros2\"")),
    };
    let work = || {
        let recording = recording::Recording::open(&path)?;
        export(&recording, &to)?;
        Ok(recording.scene)
    };
    let scene = py.detach(work).map_err(file_error)?;
    serde_json::to_string(&scene).map_err(no_json)
}

/// What is in a recording, as JSON.
#[pyfunction]
pub(crate) fn recording_info(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    let work = || recording::Info::of(&recording::Recording::open(&path)?);
    let info = py.detach(work).map_err(file_error)?;
    serde_json::to_string(&info).map_err(no_json)
}

/// A recording as a page of HTML.
#[pyfunction]
pub(crate) fn recording_page(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    let work = || {
        let player = ropewalk_view::Player::of(&recording::Recording::open(&path)?)?;
        Ok(ropewalk_view::page::with_run(&player.payload))
    };
    py.detach(work).map_err(file_error)
}

fn no_json(error: serde_json::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}
