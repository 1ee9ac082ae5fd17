//! The directory of `--out`.
//!
//! | file | contents |
//! |---|---|
//! | `summary.json` | the summary, as `--json` prints it |
//! | `metrics.csv` | time series, see [`super::metrics`] |
//! | `states.npz` | states, see [`super::state_spool`] |
//! | `run.mcap` | the recording, see [`ropewalk_scene::recording`] |
//! | `picture.svg` | a picture of the run, see [`super::picture`] |
//! | `snapshot.npz` | with `--snapshot-every`: the run at its last snapshot, see [`ropewalk_scene::saved_run`] |
//! | `last_good_state.npz` | after a failed step only: the state before it, see [`ropewalk_scene::saved_run`] |
//! | `part-1/`, … | with `--resume` into the same directory: outputs of the run before it was resumed |
//! | `run.lock` | while the run goes on: its process id, see [`super::lock`] |

use crate::console;
use crate::exit::CommandError;
use crate::run::lock::{DirectoryLock, LOCK};
use crate::run::metrics::MetricsWriter;
use crate::run::picture;
use crate::run::rows::RowFile;
use crate::run::state_spool::{SPOOL, StateSpool};
use crate::run::summary::Summary;
use ropewalk_scene::output_file::WholeFile;
use ropewalk_scene::recording::Rates;
use ropewalk_scene::{Recorder, Sample, SavedRun, Scene, saved_run};
use ropewalk_sim::{Energies, Model, State, Workspace};
use std::fs;
use std::path::{Path, PathBuf};

const SUMMARY: &str = "summary.json";
const METRICS: &str = "metrics.csv";
const STATES: &str = "states.npz";
const PICTURE: &str = "picture.svg";

/// Name of the recording.
pub(crate) const RECORDING: &str = "run.mcap";

/// Name of the file from which the run can be resumed.
pub(crate) const SNAPSHOT: &str = "snapshot.npz";

/// Name of the file with the state before a failed step.
pub(crate) const LAST_GOOD_STATE: &str = "last_good_state.npz";

/// All outputs of a run but its snapshot.
static OUTPUTS: [&str; 6] = [SUMMARY, METRICS, STATES, PICTURE, RECORDING, LAST_GOOD_STATE];

/// Treatment of the outputs of an earlier run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Earlier {
    /// There must be none.
    Refuse,
    /// They are removed; the snapshot of a resumed run stays until it is replaced.
    Overwrite {
        /// Whether the snapshot is removed, too.
        snapshot: bool,
    },
    /// They are the first part of this run, and move to a directory of their own.
    Keep,
}

/// Rejects a directory to which another run writes, or with outputs that `earlier` does not allow. Writes nothing.
pub(crate) fn check_directory(dir: &Path, earlier: Earlier) -> Result<(), CommandError> {
    if !dir.exists() {
        return Ok(());
    }
    if !dir.is_dir() {
        return Err(CommandError::input(
            format!("--out {}: this is a file, expected a directory", dir.display()),
            "name a new directory",
        ));
    }
    DirectoryLock::check(dir)?;
    check_empty(dir, earlier)
}

fn check_empty(dir: &Path, earlier: Earlier) -> Result<(), CommandError> {
    let mut entries = fs::read_dir(dir).map_err(CommandError::file(dir))?;
    let counts = |entry: std::io::Result<fs::DirEntry>| entry.is_ok_and(|e| e.file_name() != LOCK);
    if earlier == Earlier::Refuse && entries.any(counts) {
        return Err(CommandError::input(
            format!("--out {}: the directory is not empty", dir.display()),
            "name a new directory, or add --overwrite to replace the outputs in this one",
        ));
    }
    Ok(())
}

/// Removes a file or link, if there is one.
fn remove(path: &Path) -> Result<(), CommandError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(CommandError::file(path)(error)),
        _ => Ok(()),
    }
}

/// Prepares `dir` for the outputs of a run.
fn clear(dir: &Path, earlier: Earlier) -> Result<(), CommandError> {
    remove(&dir.join(SPOOL))?;
    if earlier == Earlier::Keep {
        return set_aside(dir);
    }
    if earlier == (Earlier::Overwrite { snapshot: true }) {
        remove(&dir.join(SNAPSHOT))?;
    }
    OUTPUTS.iter().try_for_each(|name| remove(&dir.join(name)))
}

/// Moves the outputs of the run before its break to the first of `part-1`, `part-2` and so on that is not there. The
/// snapshot stays until it is replaced.
fn set_aside(dir: &Path) -> Result<(), CommandError> {
    let found = |name: &&&str| dir.join(name).symlink_metadata().is_ok();
    let names: Vec<&&str> = OUTPUTS.iter().filter(found).collect();
    if names.is_empty() {
        return Ok(());
    }
    let mut number = 1;
    let part = loop {
        let part = dir.join(format!("part-{number}"));
        match fs::create_dir(&part) {
            Ok(()) => break part,
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(CommandError::file(&part)(error)),
        }
    };
    names.into_iter().try_for_each(|name| {
        let from = dir.join(name);
        fs::rename(&from, part.join(name)).map_err(CommandError::file(&from))
    })
}

/// Writes the outputs during a run.
#[derive(Debug)]
pub(crate) struct Outputs {
    dir: PathBuf,
    /// Rates of the recording.
    rates: Rates,
    metrics: MetricsWriter<RowFile>,
    states: StateSpool,
    /// `None` if nothing is to be recorded, or once the recording is complete.
    recorder: Option<Recorder>,
    /// Last, so that it is dropped last.
    lock: DirectoryLock,
}

impl Outputs {
    /// Creates the directory, locks it and starts the files in it. The run is at `state`, after `steps` steps; its
    /// recording has the rates `rates`.
    pub(crate) fn create(
        dir: &Path,
        scene: &Scene,
        (state, steps): (&State, u64),
        rates: Rates,
        earlier: Earlier,
    ) -> Result<Self, CommandError> {
        fs::create_dir_all(dir).map_err(CommandError::file(dir))?;
        let lock = DirectoryLock::take(dir)?;
        // Again, since another run may have used the directory since it was checked.
        check_empty(dir, earlier)?;
        clear(dir, earlier)?;
        Self::start(dir, scene, (state, steps), rates, lock)
    }

    fn start(
        dir: &Path,
        scene: &Scene,
        (state, steps): (&State, u64),
        rates: Rates,
        lock: DirectoryLock,
    ) -> Result<Self, CommandError> {
        let path = dir.join(METRICS);
        let file = RowFile::create(&path).map_err(CommandError::file(&path))?;
        let metrics =
            MetricsWriter::new(file, &scene.model, &scene.bodies).map_err(CommandError::file(&path))?;
        let states = StateSpool::create(dir, &scene.model).map_err(CommandError::file(dir))?;
        let start = || Recorder::create(&dir.join(RECORDING), scene, rates, state, steps);
        let recorder = (rates.frames > 0.0).then(start).transpose()?;
        Ok(Self { dir: dir.to_owned(), rates, metrics, states, recorder, lock })
    }

    /// Starts all files again, with the run at `state`.
    pub(crate) fn restart(self, scene: &Scene, state: &State) -> Result<Self, CommandError> {
        let Self { dir, rates, lock, metrics, states, recorder } = self;
        // Before the new ones are created: the spool removes its file when dropped.
        drop((metrics, states, recorder));
        clear(&dir, Earlier::Overwrite { snapshot: true })?;
        Self::start(&dir, scene, (state, 0), rates, lock)
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
        // Last, so that a summary implies that all files are complete.
        let path = self.dir.join(SUMMARY);
        WholeFile::write(&path, console::json_text(summary)?.as_bytes()).map_err(CommandError::file(&path))
    }
}

/// Saves the state before a failed step: in the directory of the outputs, or else in the current directory under a
/// name with that of the scene. Returns the path.
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
