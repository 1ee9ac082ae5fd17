//! Builds a model and its initial state from the checked file.

mod actuator;
mod attachment;
mod body;
mod cable;
mod clamp_load_drive;
mod color;
mod contact;
mod junction;
mod names;
mod patch;
mod pose;
mod robot;
mod rod;
mod scheme;
mod section;
mod self_contact;
mod shape;
mod time_function;

use crate::claim::Claim;
use crate::document::{Document, path};
use crate::error::{SceneError, list_names, nearest_name};
use crate::estimate::{Estimate, MOST_STEPS, too_many_steps};
use crate::number::short;
use crate::spec::{LinearizeSpec, SceneSpec, SchemeSpec};
use crate::{BodyPlace, Origin, OutputSettings, Scene};
use ropewalk_sim::{Linearize, Model, Scheme, Settings, State, TuningError};
use std::collections::BTreeMap;
use std::path::Path;

/// Most nodes of a scene, over all rods: a bound on memory.
const MOST_NODES: usize = 1_000_001;
/// Most degrees of freedom of a tree of bodies or a robot: its mass matrix is dense.
const MOST_DOFS: usize = 1_000;

/// Shared data of the builders.
pub(crate) struct Builder<'a> {
    pub(crate) document: &'a Document,
    pub(crate) spec: &'a SceneSpec,
    pub(crate) base_dir: Option<&'a Path>,
    pub(crate) warnings: Vec<String>,
    /// Index in the model of each body built so far.
    pub(crate) bodies: BTreeMap<String, LinkPlace>,
    /// The tree of each robot built so far.
    pub(crate) robots: BTreeMap<String, usize>,
    /// Their files.
    robot_files: Vec<crate::RobotFile>,
    /// Most degrees of freedom of a tree.
    most_dofs: usize,
    /// Pairs of links that files of robots exclude from contact: the tree, and the links, the lower first.
    file_excludes: Vec<(usize, [usize; 2])>,
}

/// A link of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LinkPlace {
    pub(crate) tree: usize,
    pub(crate) link: usize,
}

impl Builder<'_> {
    /// An error at the key `words`.
    pub(crate) fn error(&self, words: &[&str], message: &str) -> SceneError {
        self.document.error(&path(words), message)
    }
    /// The index of the rod called `name`, which the key `words` names.
    pub(crate) fn rod_index(&self, words: &[&str], name: &str) -> Result<usize, SceneError> {
        self.index("rod", self.spec.rod.keys(), words, name)
    }
    /// The link of the body called `name`, which the key `words` names.
    pub(crate) fn body_place(&self, words: &[&str], name: &str) -> Result<LinkPlace, SceneError> {
        if !self.spec.body.contains_key(name) {
            self.index("body", self.spec.body.keys(), words, name)?;
        }
        self.bodies.get(name).copied().ok_or_else(|| self.error(words, "this body is not built"))
    }
    /// The index of `name` in `names`, things of the kind `kind`; an error at `words` if there is none.
    pub(crate) fn index<'n>(
        &self,
        kind: &str,
        names: impl Iterator<Item = &'n String> + Clone,
        words: &[&str],
        name: &str,
    ) -> Result<usize, SceneError> {
        names.clone().position(|n| n == name).ok_or_else(|| {
            self.error(words, &format!("there is no {kind} called \"{name}\""))
                .expected(format!("one of {}", list_names(names.clone().map(String::as_str))))
                .nearest(nearest_name(name, names.map(String::as_str)))
        })
    }
}

/// Builds the scene.
pub(crate) fn build(origin: &Origin, document: &Document, spec: &SceneSpec) -> Result<Scene, SceneError> {
    let mut builder = Builder {
        document,
        spec,
        base_dir: origin.directory.as_deref(),
        warnings: Vec::new(),
        bodies: BTreeMap::new(),
        robots: BTreeMap::new(),
        robot_files: Vec::new(),
        most_dofs: if origin.allow_large { usize::MAX } else { MOST_DOFS },
        file_excludes: Vec::new(),
    };
    if spec.rod.is_empty() && spec.body.is_empty() && spec.robot.is_empty() {
        return Err(builder
            .error(&["rod"], "a scene needs at least one rod, body or robot")
            .expected("[rod.NAME], [body.NAME] or [robot.NAME]"));
    }
    builder.names()?;
    let estimate = builder.estimate(origin)?;
    let mut model = Model { gravity: spec.gravity.into(), settings: settings(spec), ..Model::default() };
    builder.tuning(&mut model)?;
    let mut state = State::default();
    builder.rods(&mut model, &mut state, origin.allow_large)?;
    builder.clamps(&mut model, &state)?;
    builder.loads(&mut model)?;
    builder.drives(&mut model, &state)?;
    builder.bodies(&mut model, &mut state)?;
    builder.robots(&mut model, &mut state)?;
    builder.actuators(&mut model)?;
    builder.controls(&mut model, &state)?;
    builder.end_effectors(&mut model, &mut state)?;
    builder.attachments(&mut model, &state)?;
    builder.contact(&mut model)?;
    builder.junctions(&mut model, &state)?;
    builder.patches(&mut model)?;
    builder.check_scheme(&model)?;
    state.complete(&model);
    builder.push_out(&model, &mut state)?;
    builder.warn_about_unused_materials();
    let colors = builder.colors(&model);
    let claims = Claim::from_spec(&builder, &model)?;
    Ok(Scene {
        name: origin.name.clone(),
        title: spec.title.clone(),
        source: origin.label.clone(),
        origin: origin.clone(),
        model,
        state,
        bodies: builder
            .bodies
            .into_iter()
            .map(|(name, LinkPlace { tree, link })| BodyPlace { name, tree, link })
            .collect(),
        robot_files: builder.robot_files,
        duration: spec.time.duration,
        output: OutputSettings {
            metrics_interval: spec.output.metrics_interval,
            states_interval: spec.output.states_interval,
            record_rate: spec.output.record_rate,
        },
        claims,
        colors,
        warnings: builder.warnings,
        estimate,
    })
}

impl Builder<'_> {
    /// Memory and time of the scene, unless they are too large.
    fn estimate(&self, origin: &Origin) -> Result<Estimate, SceneError> {
        let estimate = Estimate::of(self.spec, self.base_dir);
        estimate.check(self.document, origin.allow_large)?;
        let too_many = too_many_steps(self.spec.time.duration, self.spec.time.dt);
        if let Some(what) = too_many.filter(|_| !origin.allow_large) {
            return Err(self
                .error(&["time", "dt"], &what)
                .expected(format!("at most {}", short(MOST_STEPS)))
                .hint("a larger step, a shorter duration, or --allow-large"));
        }
        Ok(estimate)
    }

    /// Adds all rods and their copies.
    fn rods(&mut self, model: &mut Model, state: &mut State, allow_large: bool) -> Result<(), SceneError> {
        let most = if allow_large { usize::MAX } else { MOST_NODES };
        let mut nodes = 0;
        for (name, rod_spec) in &self.spec.rod {
            let (rod, rod_state) = self.rod(name, most.saturating_sub(nodes))?;
            nodes += rod.node_count();
            model.rod_names.push(name.clone());
            model.rods.push(rod);
            model.rod_surfaces.push(self.rod_surface(rod_spec));
            self.piece_surfaces(rod_spec, model.rods.len() - 1, model);
            state.rods.push(rod_state);
        }
        self.copies(model, state, nodes, most)
    }

    /// Sets the numerical parameters of the scene.
    fn tuning(&self, model: &mut Model) -> Result<(), SceneError> {
        let tuning = &mut model.settings.tuning;
        for (name, &value) in &self.spec.tuning {
            let Err(e) = tuning.set(name, value) else { continue };
            let error = self.error(&["tuning", name], &e.to_string());
            return Err(match e {
                TuningError::Unknown(_) => {
                    let names = tuning.parameters();
                    let error = error.nearest(nearest_name(name, names.iter().map(|p| p.name)));
                    error.hint("`ropewalk check SCENE` lists the parameters of numerics")
                }
                TuningError::Range { range, .. } => {
                    error.expected(format!("a number from {} to {}", range[0], range[1]))
                }
            });
        }
        Ok(())
    }
}

fn settings(spec: &SceneSpec) -> Settings {
    let default = Settings::default();
    Settings {
        dt: spec.time.dt,
        scheme: match spec.time.scheme {
            SchemeSpec::BackwardEuler => Scheme::BACKWARD_EULER,
            SchemeSpec::Bdf2 => Scheme::BDF2,
            SchemeSpec::Midpoint => Scheme::MIDPOINT,
            SchemeSpec::SymplecticEuler => Scheme::SYMPLECTIC_EULER,
        },
        tolerance: spec.solver.tolerance.unwrap_or(default.tolerance),
        max_iterations: spec.solver.max_iterations.map_or(default.max_iterations, |n| n as usize),
        linearize: match spec.solver.linearize {
            LinearizeSpec::UntilConverged => Linearize::UntilConverged,
            LinearizeSpec::Once => Linearize::Once,
        },
        max_halvings: spec.solver.max_halvings.unwrap_or(default.max_halvings),
        tuning: default.tuning,
    }
}
