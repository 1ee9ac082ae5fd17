//! Cables from marker tracks: `ropewalk.fit` and `ropewalk.evaluate_cable`. Cables and results travel as text, TOML and JSON.

use crate::scene::Scene;
use numpy::PyReadonlyArrayDyn;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use ropewalk_fit::evaluation::scores_where_seen;
use ropewalk_fit::levenberg::Search;
use ropewalk_fit::npy::{Archive, Array, Content};
use ropewalk_fit::report::{page, summary};
use ropewalk_fit::robust::Loss;
use ropewalk_fit::{Cable, FitError, FitOptions, Parameter, Surroundings, Tracks};
use std::collections::HashMap;

/// What was measured, as the arrays of an archive.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct TrackArguments<'py> {
    arrays: HashMap<String, PyReadonlyArrayDyn<'py, f64>>,
    names: Option<Vec<String>>,
    /// What the cable touches, and which rod of it the cable is.
    scene: Option<PyRef<'py, Scene>>,
    rod: Option<String>,
}

/// See `ropewalk.fit`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct FitArguments {
    parameters: Vec<String>,
    curls: usize,
    windows: Vec<usize>,
    free_starts: bool,
    runs: Vec<usize>,
    starts: usize,
    folds: usize,
    loss_scale: f64,
    iterations: usize,
}

fn python_error(error: &FitError) -> PyErr {
    let text = error.to_string();
    if error.is_numerical() { PyRuntimeError::new_err(text) } else { PyValueError::new_err(text) }
}

fn tracks_of(arguments: &TrackArguments<'_>) -> Result<Tracks, FitError> {
    let mut archive = Archive { path: "what was measured".to_owned(), ..Archive::default() };
    let mut add = |name: &str, shape: &[usize], content: Content| {
        archive.arrays.insert(name.to_owned(), Array { shape: shape.to_vec(), content });
    };
    for (name, array) in &arguments.arrays {
        let array = array.as_array();
        add(name, array.shape(), Content::Numbers(array.iter().copied().collect()));
    }
    if let Some(names) = &arguments.names {
        add("names", &[names.len()], Content::Texts(names.clone()));
    }
    let surroundings = arguments.scene.as_ref().map(|scene| {
        let world = scene.world();
        Surroundings::new(world.model().as_ref().clone(), world.state().clone(), arguments.rod.as_deref())
    });
    Ok(Tracks { surroundings: surroundings.transpose()?, ..Tracks::from_archive(&archive)? })
}

fn cable_of(text: &str) -> PyResult<Cable> {
    Cable::parse(text).map_err(|what| PyValueError::new_err(format!("cable: {what}")))
}

fn options(arguments: &FitArguments) -> Result<FitOptions, FitError> {
    let parameters: Result<_, FitError> =
        arguments.parameters.iter().map(|name| Parameter::from_name(name)).collect();
    Ok(FitOptions {
        parameters: parameters?,
        curls: arguments.curls,
        stages: arguments.windows.clone(),
        free_starts: arguments.free_starts,
        runs: arguments.runs.clone(),
        starts: arguments.starts,
        folds: arguments.folds,
        loss: Loss { scale: arguments.loss_scale },
        search: Search { iterations: arguments.iterations, ..Search::default() },
        ..FitOptions::default()
    })
}

fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|e| PyRuntimeError::new_err(e.to_string()))
}

/// The text of a first guess of a cable: of the rod of a scene, or of one that was weighed.
#[pyfunction]
pub(crate) fn guess_cable(
    tracks: TrackArguments<'_>,
    title: &str,
    line_density: Option<f64>,
    marker_mass: f64,
) -> PyResult<String> {
    let guess = |tracks: Tracks| match (&tracks.surroundings, line_density) {
        (Some(surroundings), _) => surroundings.cable(title, &tracks, marker_mass),
        (None, density) => {
            ropewalk_fit::guess::guess(title, &tracks, density.unwrap_or(f64::NAN), marker_mass)
        }
    };
    let found = tracks_of(&tracks).and_then(guess).and_then(|cable| cable.to_text(""));
    found.map_err(|e| python_error(&e))
}

/// The text of a cable with `value` at `key`.
#[pyfunction]
pub(crate) fn change_cable(cable: &str, key: &str, value: &str) -> PyResult<String> {
    let changed = cable_of(cable)?.with(key, value).map_err(PyValueError::new_err)?;
    changed.to_text("").map_err(|e| python_error(&e))
}

/// The fitted cable as text, what was found as JSON, and a page if it is asked for; `progress` is called with lines of text.
#[pyfunction]
pub(crate) fn fit_cable(
    py: Python<'_>,
    tracks: TrackArguments<'_>,
    cable: &str,
    arguments: FitArguments,
    with_page: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, String, Option<String>)> {
    let tracks = tracks_of(&tracks).map_err(|e| python_error(&e))?;
    let cable = cable_of(cable)?;
    let options = options(&arguments).map_err(|e| python_error(&e))?;
    let mut failed = None;
    let done = py.detach(|| -> Result<_, FitError> {
        let mut say = |line: &str| {
            let Some(progress) = &progress else { return };
            // The first exception is raised when the fit is done.
            if let Err(error) = Python::attach(|py| progress.call1(py, (line,)).map(drop)) {
                failed.get_or_insert(error);
            }
        };
        let found = ropewalk_fit::fit(&cable, &tracks, &options, &mut say)?;
        let scores = scores_where_seen(&found.cable, &tracks)?;
        let html = if with_page { Some(page(&found, &tracks, &options, &scores)?) } else { None };
        Ok((found, scores, html))
    });
    if let Some(error) = failed {
        return Err(error);
    }
    let (found, scores, html) = done.map_err(|e| python_error(&e))?;
    let text = found.cable.to_text("").map_err(|e| python_error(&e))?;
    Ok((text, json(&summary(&found, &scores))?, html))
}

/// The score of a cable on measured runs, as JSON.
#[pyfunction]
pub(crate) fn evaluate_cable(py: Python<'_>, tracks: TrackArguments<'_>, cable: &str) -> PyResult<String> {
    let tracks = tracks_of(&tracks).map_err(|e| python_error(&e))?;
    let cable = cable_of(cable)?;
    let found = py.detach(|| ropewalk_fit::evaluate(&cable, &tracks)).map_err(|e| python_error(&e))?;
    json(&found)
}
