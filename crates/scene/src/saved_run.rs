//! A run in a file, to resume bit-identically.
//!
//! An `.npz` of NumPy with the arrays of [`ropewalk_sim::snapshot::arrays`] and
//!
//! | entry | shape | meaning |
//! |---|---|---|
//! | `duration` | () | when the run ends, s |
//! | `start/…` | | the state at the start of the run, by the same names |
//! | `sample` | (w,) | the sample of the last step; empty before the first |
//! | `claims` | (k,) | the measures of claims so far, see [`crate::ClaimWatch`] |
//! | `tally` | (…,) | sums over the steps so far, for the summary |
//! | `scene.json` | | the text of the scene, its overrides, and the folder of its relative paths |
//!
//! A state without a run, as written after a failed step, has only the first arrays; a new run can begin with it.

use crate::npz::{Npz, NpzWriter, read_npz};
use crate::output_file::WholeFile;
use crate::regular_file::open_regular;
use crate::{FileError, Origin, Sample, Scene};
use ropewalk_sim::{Model, NamedArray, State};
use std::io::{self, BufReader, Write};
use std::path::Path;

const SCENE: &str = "scene.json";

/// A run between two of its steps.
#[derive(Clone, Debug)]
pub struct SavedRun {
    /// The state now.
    pub state: State,
    /// The state at the start of the run.
    pub start: State,
    /// When the run ends in s.
    pub duration: f64,
    /// The sample of the last step; none before the first.
    pub sample: Option<Sample>,
    /// The measures of claims so far, by [`crate::ClaimWatch::numbers`].
    pub claims: Vec<f64>,
    /// Sums over the steps, for the summary.
    pub tally: Vec<f64>,
}

impl SavedRun {
    /// Writes the run of `scene` to `path`. The file is complete or absent: it replaces an older one at the end.
    pub fn write(&self, path: &Path, scene: &Scene) -> Result<(), FileError> {
        let model = &scene.model;
        let write = || -> io::Result<()> {
            let mut npz = NpzWriter::new(WholeFile::create(path)?);
            add_arrays(&mut npz, "", &self.state.arrays(model))?;
            add_arrays(&mut npz, "start/", &self.start.arrays(model))?;
            npz.array("duration", &[], &[self.duration])?;
            npz.array("tally", &[self.tally.len()], &self.tally)?;
            npz.array("claims", &[self.claims.len()], &self.claims)?;
            let sample = self.sample.as_ref().map(Sample::numbers).unwrap_or_default();
            npz.array("sample", &[sample.len()], &sample)?;
            npz.text(SCENE, &serde_json::to_string_pretty(&scene.origin.anywhere()?)?)?;
            npz.finish()?.commit()
        };
        write().map_err(FileError::io(path))
    }

    /// Reads a run, and rebuilds its scene.
    pub fn read(path: &Path) -> Result<(Scene, Self), FileError> {
        Self::read_sized(path, false)
    }

    /// The same for a scene of any size if `allow_large`, see [`crate::estimate`].
    pub fn read_sized(path: &Path, allow_large: bool) -> Result<(Scene, Self), FileError> {
        let npz = read(path)?;
        let hint = "give a file that a run with --snapshot-every has written";
        let text = npz.texts.get(SCENE).ok_or_else(|| {
            let hint = format!("{hint}; to begin a new run with a state that was kept, use --from");
            FileError::content(path, "there is no run in this file", hint)
        })?;
        let origin: Origin = serde_json::from_str(text)
            .map_err(|e| FileError::content(path, format!("'{SCENE}' cannot be read: {e}"), hint))?;
        let scene = origin.allowing_large(allow_large).load()?;
        let state = state_from(path, &npz, "", &scene.model, &scene.state)?;
        let start = state_from(path, &npz, "start/", &scene.model, &scene.state)?;
        let array = |name: &str| {
            let array = npz.arrays.get(name).filter(|a| a.data.iter().all(|x| x.is_finite()));
            let missing = || FileError::content(path, format!("there is no finite array '{name}'"), hint);
            array.ok_or_else(missing)
        };
        let numbers = |name: &str, expected: usize| {
            let found = &array(name)?.data;
            if found.len() == expected || (found.is_empty() && name == "sample") {
                return Ok(found.clone());
            }
            let what = format!("array '{name}' has {} numbers, expected {expected}", found.len());
            Err(FileError::content(path, what, hint))
        };
        let sample = numbers("sample", Sample::number_count(&scene.model))?;
        let claims = numbers("claims", crate::ClaimWatch::number_count(&scene.claims))?;
        let one = |name: &str| array(name).map(|a| a.data.first().copied().unwrap_or(0.0));
        let run = Self {
            state,
            start,
            duration: one("duration")?,
            sample: (!sample.is_empty()).then(|| Sample::from_numbers(&scene.model, &sample)),
            claims,
            tally: array("tally")?.data.clone(),
        };
        Ok((scene, run))
    }
}

/// Writes a state alone to `path`.
pub fn write_state(path: &Path, model: &Model, state: &State) -> Result<(), FileError> {
    let write = || -> io::Result<()> {
        let mut npz = NpzWriter::new(WholeFile::create(path)?);
        add_arrays(&mut npz, "", &state.arrays(model))?;
        npz.finish()?.commit()
    };
    write().map_err(FileError::io(path))
}

/// Reads a state of `model` from a state or a run; `start` is any state of the model.
pub fn read_state(path: &Path, model: &Model, start: &State) -> Result<State, FileError> {
    state_from(path, &read(path)?, "", model, start)
}

fn add_arrays<W: Write + io::Seek>(
    npz: &mut NpzWriter<W>,
    prefix: &str,
    arrays: &[NamedArray],
) -> io::Result<()> {
    arrays.iter().try_for_each(|a| npz.array(&format!("{prefix}{}", a.name), &a.shape, &a.data))
}

fn read(path: &Path) -> Result<Npz, FileError> {
    let (file, _) = open_regular(path).map_err(FileError::io(path))?;
    read_npz(BufReader::new(file)).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => {
            FileError::content(path, error.to_string(), "the file is damaged, or another program wrote it")
        }
        _ => FileError::io(path)(error),
    })
}

fn state_from(
    path: &Path,
    npz: &Npz,
    prefix: &str,
    model: &Model,
    start: &State,
) -> Result<State, FileError> {
    let find = |name: &str| npz.arrays.get(&format!("{prefix}{name}"));
    State::from_arrays(model, start, find).map_err(|e| {
        FileError::content(
            path,
            e.to_string(),
            "give a state that this scene has written (last_good_state.npz)",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use ropewalk_linalg::Pose;
    use ropewalk_sim::{Command, Guide, Workspace, step};

    #[test]
    fn states_come_back_to_the_bit() {
        for name in ["cantilever", "two_arms", "suspended_load"] {
            let scene = crate::load_named(name, &[]).unwrap();
            let (mut state, mut workspace) = (scene.state.clone(), Workspace::new(&scene.model));
            for _ in 0..5 {
                step(&scene.model, &mut state, &mut workspace);
            }
            if let Some(attachment) = state.attachments.first_mut() {
                attachment.command = Command::Hold;
            }
            if let Some(hand) = state.hands.first_mut() {
                hand.target = Some(Guide::at(Pose::at(DVec3::new(0.1, 0.2, 0.3))));
            }
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("state.npz");
            write_state(&path, &scene.model, &state).unwrap();
            assert_eq!(read_state(&path, &scene.model, &scene.state).unwrap(), state, "{name}");
        }
    }

    #[test]
    fn a_run_comes_back_with_its_scene_and_sample() {
        let overrides = ["rod.rope.segments=10".to_owned()];
        let scene = crate::load_named("arm_rope", &overrides).unwrap();
        let (mut state, mut workspace) = (scene.state.clone(), Workspace::new(&scene.model));
        step(&scene.model, &mut state, &mut workspace);
        let sample = crate::sample(&scene.model, &state, &workspace, 0.25);
        let run = SavedRun {
            state,
            start: scene.state.clone(),
            duration: 7.5,
            sample: Some(sample),
            claims: crate::ClaimWatch::new(&scene.claims, &scene.model, &scene.state, &[]).numbers(),
            tally: vec![1.0, 2.0],
        };
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.npz");
        run.write(&path, &scene).unwrap();
        let (again, back) = SavedRun::read(&path).unwrap();
        assert_eq!(again.origin, scene.origin);
        assert_eq!((&back.state, &back.start), (&run.state, &run.start));
        assert_eq!((back.duration, &back.tally), (7.5, &run.tally));
        assert_eq!(format!("{:?}", back.sample), format!("{:?}", run.sample));
        assert_eq!(back.claims, run.claims);
        // A state without a run is not one.
        write_state(&path, &scene.model, &run.state).unwrap();
        let error = SavedRun::read(&path).unwrap_err().to_string();
        assert!(error.contains("no run in this file") && error.contains("--from"), "{error}");
    }
}
