//! A single state as a file, to go on from: all that [`State`] holds.
//!
//! | array | shape | meaning |
//! |---|---|---|
//! | `time` | () | time in s |
//! | `NAME/q`, `NAME/v`, `NAME/d1` | (n, 4), (n, 4), (e, 3) | as in `states.npz` |
//! | `NAME/beta` | (n,) | reference twist in rad |
//! | `NAME/kappa1`, `NAME/kappa2`, `NAME/tau` | (n,) | natural curvature and twist per stencil in rad |

use crate::exit::CommandError;
use crate::npz::{Array, NpzWriter, read_npz};
use ropewalk_sim::{Model, State};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;

/// Writes `state` to `path`.
pub(crate) fn write(path: &Path, model: &Model, state: &State) -> io::Result<()> {
    let mut npz = NpzWriter::new(BufWriter::new(File::create(path)?));
    npz.array("time", &[], &[state.time])?;
    for (name, rod) in model.rod_names.iter().zip(&state.rods) {
        let n = rod.q.len();
        npz.array(&format!("{name}/q"), &[n, 4], rod.q.as_flattened())?;
        npz.array(&format!("{name}/v"), &[n, 4], rod.v.as_flattened())?;
        npz.array(&format!("{name}/d1"), &[rod.d1.len(), 3], rod.d1.as_flattened())?;
        npz.array(&format!("{name}/beta"), &[n], &rod.beta[..n])?;
        let natural = &rod.natural;
        for (key, data) in [("kappa1", &natural.kappa1), ("kappa2", &natural.kappa2), ("tau", &natural.tau)] {
            npz.array(&format!("{name}/{key}"), &[n], &data[..n])?;
        }
    }
    npz.finish()?.flush()
}

/// Reads a state of `model` from `path`; `start` is the state at the start of the scene.
pub(crate) fn read(path: &Path, model: &Model, start: &State) -> Result<State, CommandError> {
    let file = File::open(path).map_err(CommandError::file(path))?;
    let arrays = read_npz(BufReader::new(file)).map_err(CommandError::file(path))?;
    let source = Source { path, arrays };
    let mut state = start.clone();
    state.time = source.array("time", &[])?[0];
    for (name, rod) in model.rod_names.iter().zip(&mut state.rods) {
        let (n, edges) = (rod.q.len(), rod.d1.len());
        rod.q.as_flattened_mut().copy_from_slice(source.array(&format!("{name}/q"), &[n, 4])?);
        rod.v.as_flattened_mut().copy_from_slice(source.array(&format!("{name}/v"), &[n, 4])?);
        rod.d1.as_flattened_mut().copy_from_slice(source.array(&format!("{name}/d1"), &[edges, 3])?);
        rod.beta[..n].copy_from_slice(source.array(&format!("{name}/beta"), &[n])?);
        let natural = &mut rod.natural;
        for (key, data) in
            [("kappa1", &mut natural.kappa1), ("kappa2", &mut natural.kappa2), ("tau", &mut natural.tau)]
        {
            data[..n].copy_from_slice(source.array(&format!("{name}/{key}"), &[n])?);
        }
    }
    Ok(state)
}

/// The arrays of a file, and the file for messages.
struct Source<'a> {
    path: &'a Path,
    arrays: BTreeMap<String, Array>,
}

impl Source<'_> {
    fn array(&self, name: &str, shape: &[usize]) -> Result<&[f64], CommandError> {
        let what = match self.arrays.get(name) {
            None => format!("{}: there is no array '{name}'", self.path.display()),
            Some(array) if array.shape != shape => format!(
                "{}: array '{name}' has the shape {:?}, expected {shape:?}",
                self.path.display(),
                array.shape
            ),
            Some(array) => match array.data.iter().find(|x| !x.is_finite()) {
                Some(number) => {
                    format!("{}: array '{name}' holds {number}", self.path.display())
                }
                None => return Ok(&array.data),
            },
        };
        Err(CommandError::input(what, "give a state that this scene has written (last_good_state.npz)"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_comes_back_to_the_bit() {
        let scene = ropewalk_scene::load_named("cantilever", &[]).unwrap();
        let mut state = scene.state.clone();
        state.time = 0.125;
        for (i, x) in state.rods[0].q.as_flattened_mut().iter_mut().enumerate() {
            *x += 1e-3 * (i as f64).sin();
        }
        state.rods[0].natural.kappa2[3] = 0.3;
        state.rods[0].beta[2] = 7.0;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state.npz");
        write(&path, &scene.model, &state).unwrap();
        let back = read(&path, &scene.model, &scene.state).unwrap();
        assert_eq!(back, state);
    }

    #[test]
    fn a_state_of_another_scene_is_refused_by_name_and_shape() {
        let scene = ropewalk_scene::load_named("cantilever", &[]).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state.npz");
        let mut npz = NpzWriter::new(File::create(&path).unwrap());
        npz.array("time", &[2], &[0.0, 1.0]).unwrap();
        npz.finish().unwrap();
        let error = read(&path, &scene.model, &scene.state).unwrap_err().to_string();
        assert!(error.contains("'time' has the shape [2], expected []"), "{error}");
    }
}
