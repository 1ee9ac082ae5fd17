//! A scene that has been read: what it is called, what is in it, and the model that worlds share.

use crate::error::{scene_error, step_error};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use ropewalk_scene::estimate::MOST_BYTES;
use ropewalk_scene::number::short;
use ropewalk_scene::{Scene as Loaded, SceneError};
use ropewalk_sim::{Model, Progress, World};
use std::path::PathBuf;
use std::sync::Arc;

/// A scene, checked and built.
#[pyclass(frozen, module = "ropewalk._core")]
#[derive(Debug)]
pub(crate) struct Scene {
    /// All but the model.
    scene: Loaded,
    model: Arc<Model>,
}

impl Scene {
    pub(crate) fn new(mut scene: Loaded) -> Self {
        let model = Arc::new(std::mem::take(&mut scene.model));
        Self { scene, model }
    }

    /// The scene with its model.
    pub(crate) fn whole(&self) -> Loaded {
        Loaded { model: self.model.as_ref().clone(), ..self.scene.clone() }
    }

    /// A world at its start.
    pub(crate) fn world(&self) -> World {
        World::new(self.model.clone(), self.scene.state.clone())
    }
}

impl Scene {
    /// A world at its start, with further overrides.
    pub(crate) fn varied(&self, overrides: Vec<String>) -> Result<World, SceneError> {
        if overrides.is_empty() {
            return Ok(self.world());
        }
        let mut origin = self.scene.origin.clone();
        origin.overrides.extend(overrides);
        origin.load().map(|scene| Self::new(scene).world())
    }
}

/// Links of a body or robot: names, parents' indices, names of their joints, lengths of their parts of q and v.
type Links = Vec<(String, Option<usize>, String, usize, usize)>;

#[pymethods]
impl Scene {
    /// Raises a ValueError if `count` worlds take more memory than they may.
    fn check_world_count(&self, count: f64) -> PyResult<()> {
        let total = count * self.scene.estimate.memory_bytes;
        if total <= MOST_BYTES || self.scene.origin.allow_large {
            return Ok(());
        }
        let gigabytes = |bytes: f64| short(1e-9 * bytes);
        Err(PyValueError::new_err(format!(
            "n is {}: the worlds would take about {} GB of memory, expected at most {} GB\nhint: ask for fewer, or make \
             the world with allow_large=True if this computer has the memory",
            short(count),
            gigabytes(total),
            gigabytes(MOST_BYTES)
        )))
    }

    /// The embedded scene of that name, or the file if the name ends in .toml.
    #[staticmethod]
    fn load(py: Python<'_>, name_or_path: &str, overrides: Vec<String>, allow_large: bool) -> PyResult<Self> {
        let scene = py.detach(|| ropewalk_scene::load_named_sized(name_or_path, &overrides, allow_large));
        scene.map(Self::new).map_err(scene_error)
    }

    /// The scene of a text; `label` stands for the file in messages.
    #[staticmethod]
    #[pyo3(signature = (label, text, directory, overrides, allow_large))]
    fn parse(
        py: Python<'_>,
        label: &str,
        text: &str,
        directory: Option<PathBuf>,
        overrides: Vec<String>,
        allow_large: bool,
    ) -> PyResult<Self> {
        let load =
            || ropewalk_scene::load_text_sized(label, text, directory.as_deref(), &overrides, allow_large);
        py.detach(load).map(Self::new).map_err(scene_error)
    }

    /// The same with further overrides.
    fn vary(&self, py: Python<'_>, overrides: Vec<String>) -> PyResult<Self> {
        let mut origin = self.scene.origin.clone();
        origin.overrides.extend(overrides);
        py.detach(|| origin.load()).map(Self::new).map_err(scene_error)
    }

    /// Its text with the overrides put in.
    fn resolved(&self) -> PyResult<String> {
        self.scene.origin.resolved().map_err(scene_error)
    }

    #[getter]
    fn name(&self) -> &str {
        &self.scene.name
    }
    #[getter]
    fn label(&self) -> &str {
        &self.scene.origin.label
    }
    #[getter]
    fn directory(&self) -> Option<PathBuf> {
        self.scene.origin.directory.clone()
    }
    #[getter]
    fn title(&self) -> &str {
        &self.scene.title
    }
    #[getter]
    fn duration(&self) -> f64 {
        self.scene.duration
    }
    #[getter]
    fn dt(&self) -> f64 {
        self.model.settings.dt
    }
    #[getter]
    fn gravity(&self) -> [f64; 3] {
        self.model.gravity.to_array()
    }
    /// What is allowed but may not be meant; what overlaps at the start.
    #[getter]
    fn warnings(&self, py: Python<'_>) -> Vec<String> {
        let overlaps = py.detach(|| ropewalk_sim::find_overlaps(&self.model, &self.scene.state));
        let overlaps = overlaps.iter().map(|overlap| overlap.words(&self.model));
        self.scene.warnings.iter().cloned().chain(overlaps).collect()
    }
    /// Rods: name, and whether it is closed.
    #[getter]
    fn rods(&self) -> Vec<(String, bool)> {
        let closed = self.model.rods.iter().map(ropewalk_rod::Rod::closed);
        self.model.rod_names.iter().cloned().zip(closed).collect()
    }
    /// Bodies: name, index of the tree, index of the link.
    #[getter]
    fn bodies(&self) -> Vec<(String, usize, usize)> {
        self.scene.bodies.iter().map(|b| (b.name.clone(), b.tree, b.link)).collect()
    }
    /// Trees: name and links.
    #[getter]
    fn trees(&self) -> Vec<(String, Links)> {
        let links = |t: &ropewalk_sim::TreeModel| {
            let link = |l: &ropewalk_body::Link| {
                let kind = &l.joint.kind;
                let counts = (kind.position_count(), kind.velocity_count());
                (l.name.clone(), l.parent, l.joint.name.clone(), counts.0, counts.1)
            };
            t.tree.links().iter().map(link).collect()
        };
        self.model.trees.iter().map(|t| (t.name.clone(), links(t))).collect()
    }
    #[getter]
    fn clamps(&self) -> Vec<String> {
        self.model.clamps.iter().map(|c| c.name.clone()).collect()
    }
    #[getter]
    fn attachments(&self) -> Vec<String> {
        self.model.attachments.iter().map(|a| a.name.clone()).collect()
    }
    /// Actuators: name, index of the tree, index of the link whose joint it drives, degree of freedom within it.
    #[getter]
    fn actuators(&self) -> Vec<(String, usize, usize, usize)> {
        self.model.actuators.iter().map(|a| (a.name.clone(), a.tree, a.link, a.dof)).collect()
    }
    #[getter]
    fn end_effectors(&self) -> Vec<String> {
        self.model.hands.iter().map(|h| h.name.clone()).collect()
    }
}

/// A mistake: key, what is wrong, what was expected, the nearest valid name, a hint.
type Mistake = (String, String, Option<String>, Option<String>, Option<String>);

/// What is wrong with the text of a scene, if anything: with its keys and values alone, or also with what is made of them.
#[pyfunction]
#[pyo3(signature = (text, directory, whole))]
pub(crate) fn scene_mistake(
    py: Python<'_>,
    text: &str,
    directory: Option<PathBuf>,
    whole: bool,
) -> Option<Mistake> {
    let origin = ropewalk_scene::Origin::new("<world>", "world", text, directory.as_deref(), &[]);
    let found = py.detach(|| if whole { origin.load().map(|_| ()) } else { origin.check() });
    let error = found.err()?;
    let part = |part: &Option<String>| part.clone();
    Some((
        error.key.clone(),
        error.message.clone(),
        part(&error.expected),
        part(&error.nearest),
        part(&error.hint),
    ))
}

impl Scene {
    /// Where its bodies are in the model.
    pub(crate) fn bodies_list(&self) -> &[ropewalk_scene::BodyPlace] {
        &self.scene.bodies
    }
}

/// What a claim came to: name, reference, measured, error, tolerance, and whether it passes.
type ClaimNumbers = (String, f64, f64, f64, f64, bool);

/// Runs a scene from its start to its end, and says what its claims come to.
#[pyfunction]
pub(crate) fn check_claims(py: Python<'_>, scene: &Scene) -> PyResult<Vec<ClaimNumbers>> {
    let whole = scene.whole();
    let mut driver = ropewalk_scene::Driver::new(&whole);
    while !driver.is_done() {
        let failed = py.detach(|| {
            let until = std::time::Instant::now() + crate::world::SIGNAL_INTERVAL;
            while !driver.is_done() && std::time::Instant::now() < until {
                if let Err(report) = driver.step() {
                    return Some(Progress { steps: 0, report: *report, time: driver.state().time });
                }
            }
            None
        });
        if let Some(progress) = failed {
            let words = progress.failure().unwrap_or_default();
            return Err(step_error(py, words, &progress, 0));
        }
        py.check_signals()?;
    }
    let results = driver.claims().into_iter();
    Ok(results.map(|c| (c.name, c.reference, c.measured, c.error, c.tolerance, c.pass)).collect())
}

/// Names and titles of the scenes that come with the package.
#[pyfunction]
pub(crate) fn embedded_scenes() -> Vec<(&'static str, &'static str, &'static str)> {
    ropewalk_scene::embedded_scenes().iter().map(|s| (s.name, s.title, s.text)).collect()
}

/// The JSON schema of scene files.
#[pyfunction]
pub(crate) fn scene_schema() -> String {
    ropewalk_scene::schema().to_string()
}
