//! A world that steps: a model, its state and the workspace, held together.
//!
//! [`step()`] borrows all three and owns none; a program that keeps many worlds, or hands one to another language,
//! wants to own them.

use crate::model::{Model, State};
use crate::report::{StepReport, StepStatus};
use crate::step::step;
use crate::workspace::Workspace;
use glam::DVec3;
use std::sync::Arc;
use std::time::Instant;

/// A model with its state and workspace. Copies share the model.
#[derive(Clone, Debug)]
pub struct World {
    model: Arc<Model>,
    /// The model as the scene has it, without attachments made during the run.
    scene: Arc<Model>,
    start: Arc<State>,
    state: State,
    workspace: Workspace,
}

/// What a world has done when told to step. After a failure it is as it was before the step that failed.
#[derive(Clone, Debug)]
pub struct Progress {
    /// Steps done.
    pub steps: u64,
    /// Sums over them, and over one that failed.
    pub report: StepReport,
    /// Time now in s.
    pub time: f64,
}

impl Progress {
    /// What has failed, in words; `None` if nothing has.
    pub fn failure(&self) -> Option<String> {
        let words = || format!("the step after t = {} s failed: {}", rounded(self.time), self.report.failure);
        (self.report.status != StepStatus::Converged).then(words)
    }

    /// Adds what was done after.
    pub fn append(&mut self, later: &Self) {
        self.steps += later.steps;
        self.report.append(&later.report);
        self.time = later.time;
    }
}

/// Why a state that is put into a world is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlaceError {
    /// A number is not finite.
    #[error("a number is not finite")]
    NotFinite,
    /// Another number of them is needed.
    #[error("there are {found} of them, expected {expected}")]
    Count {
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// Two nodes of an edge are in the same place, or an edge turns right round.
    #[error("edge {0} has no length there, or points against where it pointed before")]
    Edge(usize),
}

impl World {
    /// A world at `start`.
    pub fn new(model: Arc<Model>, mut start: State) -> Self {
        start.complete(&model);
        let workspace = Workspace::new(&model);
        Self { scene: model.clone(), model, state: start.clone(), start: Arc::new(start), workspace }
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }
    /// The model as the world began with it: without attachments made since.
    pub fn scene_model(&self) -> &Arc<Model> {
        &self.scene
    }
    pub(crate) fn model_mut(&mut self) -> &mut Arc<Model> {
        &mut self.model
    }
    pub(crate) fn scene_mut(&mut self) -> &mut Arc<Model> {
        &mut self.scene
    }
    /// The scene's model becomes the one that there is now.
    pub(crate) fn share_model(&mut self) {
        self.scene = self.model.clone();
    }
    pub(crate) fn workspace_mut(&mut self) -> &mut Workspace {
        &mut self.workspace
    }
    /// How many attachments the scene has; those made during the run come after them.
    pub fn scene_attachment_count(&self) -> usize {
        self.scene.attachments.len()
    }
    /// The state now.
    pub fn state(&self) -> &State {
        &self.state
    }
    /// The state, to be changed between steps. It must stay one of this model; commands have functions of their own, which
    /// check what they are given.
    pub fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }
    /// The state in which the world began.
    pub fn start(&self) -> &State {
        &self.start
    }
    /// What the last step has left: forces, contacts.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Takes `count` steps, or as many as begin before `until`; stops at one that fails.
    pub fn step(&mut self, count: u64, until: Option<Instant>) -> Progress {
        let mut out = Progress { steps: 0, report: StepReport::nothing(), time: self.state.time };
        while out.steps < count {
            let report = step(&self.model, &mut self.state, &mut self.workspace);
            out.report.append(&report);
            let converged = report.status == StepStatus::Converged;
            if converged && !(self.state.is_finite() && report.work.is_finite()) {
                self.state.clone_from(&self.workspace.backup);
                out.report.status = StepStatus::NotFinite;
            }
            if out.report.status != StepStatus::Converged {
                out.report.explain(&self.model);
                break;
            }
            out.steps += 1;
            if until.is_some_and(|until| Instant::now() >= until) {
                break;
            }
        }
        out.time = self.state.time;
        out
    }

    /// Goes on from `state`, which must be one of this model. Forces and contacts are read off the next step.
    pub fn restore(&mut self, state: &State) {
        self.state.clone_from(state);
        self.take_made_attachments();
        self.workspace = Workspace::new(&self.model);
    }

    /// Back to the start.
    pub fn reset(&mut self) {
        self.state.clone_from(&self.start);
        self.model = self.scene.clone();
        self.workspace = Workspace::new(&self.model);
    }

    /// Puts the nodes of rod `r` at `positions` (m). Material frames are carried along without spin; velocities stay.
    pub fn set_positions(&mut self, r: usize, positions: &[DVec3]) -> Result<(), PlaceError> {
        let (rod, state) = (&self.model.rods[r], &mut self.state.rods[r]);
        if positions.len() != state.q.len() {
            return Err(PlaceError::Count { found: positions.len(), expected: state.q.len() });
        }
        if !positions.iter().all(|x| x.is_finite()) {
            return Err(PlaceError::NotFinite);
        }
        state.carry_to(rod, positions).map_err(PlaceError::Edge)?;
        // What contacts held by friction was held elsewhere.
        self.state.stick_forces.clear();
        Ok(())
    }
}

/// `time` to seven digits, as the command line shows it.
fn rounded(time: f64) -> f64 {
    format!("{time:.6e}").parse().unwrap_or(time)
}
