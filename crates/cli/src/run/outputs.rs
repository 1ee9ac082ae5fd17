//! The directory of `--out`.
//!
//! | file | what it holds |
//! |---|---|
//! | `summary.json` | the summary, as `--json` prints it |
//! | `metrics.csv` | time series, see [`super::metrics`] |
//! | `states.npz` | states, see [`super::state_spool`] |
//! | `run.mcap` | the recording, see [`ropewalk_scene::recording`] |
//! | `picture.svg` | a picture of the run, see [`super::picture`] |
//! | `snapshot.npz` | with `--snapshot-every`: the run at its last snapshot, see [`ropewalk_scene::saved_run`] |
//! | `last_good_state.npz` | after a failed step only: the state before it, see [`ropewalk_scene::saved_run`] |

use crate::console;
use crate::exit::CommandError;
use crate::run::metrics::MetricsWriter;
use crate::run::picture;
use crate::run::state_spool::StateSpool;
use crate::run::summary::Summary;
use ropewalk_scene::recording::Rates;
use ropewalk_scene::{Recorder, Sample, SavedRun, Scene, saved_run};
use ropewalk_sim::{Energies, Model, State, Workspace};
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

const SUMMARY: &str = "summary.json";
const METRICS: &str = "metrics.csv";
const STATES: &str = "states.npz";
const PICTURE: &str = "picture.svg";

/// Name of the recording.
pub(crate) const RECORDING: &str = "run.mcap";

/// Name of the file from which the run can go on.
pub(crate) const SNAPSHOT: &str = "snapshot.npz";

/// Name of the file with the state before a failed step.
pub(crate) const LAST_GOOD_STATE: &str = "last_good_state.npz";

/// Refuses a directory that holds something, unless `force` is given. Writes nothing.
pub(crate) fn check_directory(dir: &Path, force: bool) -> Result<(), CommandError> {
    if !dir.exists() {
        return Ok(());
    }
    if !dir.is_dir() {
        return Err(CommandError::input(
            format!("--out {}: this is a file, expected a directory", dir.display()),
            "name a new directory",
        ));
    }
    let mut entries = fs::read_dir(dir).map_err(CommandError::file(dir))?;
    if !force && entries.next().is_some() {
        return Err(CommandError::input(
            format!("--out {}: the directory is not empty", dir.display()),
            "name a new directory, or add --force to replace the outputs in this one",
        ));
    }
    Ok(())
}

/// Writes the outputs of a run as it goes on.
#[derive(Debug)]
pub(crate) struct Outputs {
    dir: PathBuf,
    /// States of the recording per simulated second.
    state_rate: f64,
    metrics: MetricsWriter<BufWriter<File>>,
    states: StateSpool,
    /// `None` if nothing is to be recorded, or once the recording is complete.
    recorder: Option<Recorder>,
}

impl Outputs {
    /// Makes the directory and starts the files in it. Outputs of an earlier run are removed.
    /// The run is at `state`, after `steps` steps; its recording has `state_rate` states per simulated second.
    pub(crate) fn create(
        dir: &Path,
        scene: &Scene,
        (state, steps): (&State, u64),
        state_rate: f64,
    ) -> Result<Self, CommandError> {
        fs::create_dir_all(dir).map_err(CommandError::file(dir))?;
        for name in [SUMMARY, METRICS, STATES, PICTURE, RECORDING, SNAPSHOT, LAST_GOOD_STATE] {
            let path = dir.join(name);
            if path.exists() {
                fs::remove_file(&path).map_err(CommandError::file(&path))?;
            }
        }
        let path = dir.join(METRICS);
        let file = BufWriter::new(File::create(&path).map_err(CommandError::file(&path))?);
        let metrics =
            MetricsWriter::new(file, &scene.model, &scene.bodies).map_err(CommandError::file(&path))?;
        let states = StateSpool::create(dir, &scene.model).map_err(CommandError::file(dir))?;
        let rate = scene.output.record_rate;
        let rates = Rates { frames: rate, states: state_rate };
        let start = || Recorder::create(&dir.join(RECORDING), scene, rates, state, steps);
        let recorder = (rate > 0.0).then(start).transpose()?;
        Ok(Self { dir: dir.to_owned(), state_rate, metrics, states, recorder })
    }

    /// Starts all files again, with the run at `state`.
    pub(crate) fn restart(self, scene: &Scene, state: &State) -> Result<Self, CommandError> {
        let Self { dir, state_rate, .. } = self;
        Self::create(&dir, scene, (state, 0), state_rate)
    }

    /// Adds a row to the time series.
    pub(crate) fn record_metrics(
        &mut self,
        model: &Model,
        state: &State,
        energies: &Energies,
        work: f64,
        sample: Option<&Sample>,
    ) -> Result<(), CommandError> {
        let written = self.metrics.row(model, state, energies, work, sample);
        written.map_err(CommandError::file(&self.dir.join(METRICS)))
    }

    /// Adds a state.
    pub(crate) fn record_state(&mut self, model: &Model, state: &State) -> Result<(), CommandError> {
        self.states.push(model, state).map_err(CommandError::file(&self.dir.join(STATES)))
    }

    /// The recording.
    pub(crate) fn recorder(&mut self) -> Option<&mut Recorder> {
        self.recorder.as_mut()
    }

    /// Completes the recording with the last good state.
    pub(crate) fn finish_recording(
        &mut self,
        model: &Model,
        last: (&State, Option<&Workspace>),
        sample: Option<&Sample>,
        status: &str,
    ) -> Result<(), CommandError> {
        match self.recorder.take() {
            Some(recorder) => Ok(recorder.finish(model, last, sample, status)?),
            None => Ok(()),
        }
    }

    /// Replaces the snapshot.
    pub(crate) fn write_snapshot(&self, scene: &Scene, run: &SavedRun) -> Result<(), CommandError> {
        Ok(run.write(&self.dir.join(SNAPSHOT), scene)?)
    }

    /// Completes all files.
    pub(crate) fn finish(mut self, scene: &Scene, summary: &Summary) -> Result<(), CommandError> {
        self.metrics.flush().map_err(CommandError::file(&self.dir.join(METRICS)))?;
        let path = self.dir.join(PICTURE);
        picture::write(&path, scene, &mut self.states)?;
        let path = self.dir.join(STATES);
        self.states.finish(&path).map_err(CommandError::file(&path))?;
        // Last: who finds a summary finds everything.
        let path = self.dir.join(SUMMARY);
        fs::write(&path, console::json_text(summary)?).map_err(CommandError::file(&path))
    }
}

/// Keeps the state before a failed step: in the directory of the outputs, or else beside the caller
/// under a name that holds the scene's. Returns where.
pub(crate) fn keep_last_good_state(
    dir: Option<&Path>,
    scene: &Scene,
    state: &State,
) -> Result<PathBuf, CommandError> {
    let path = match dir {
        Some(dir) => dir.join(LAST_GOOD_STATE),
        None => {
            let safe = |c: char| if c.is_alphanumeric() || c == '-' { c } else { '_' };
            PathBuf::from(format!("{}_{LAST_GOOD_STATE}", scene.name.chars().map(safe).collect::<String>()))
        }
    };
    saved_run::write_state(&path, &scene.model, state)?;
    Ok(path)
}
