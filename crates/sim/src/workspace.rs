//! Scratch memory of a step, allocated once.

use crate::model::{Model, State};
use crate::report::{STAGES, Wrench};
use ropewalk_rod::motion::RodMotion;
use ropewalk_rod::{NaturalShape, Rod};

/// Scratch for [`crate::step()`]; made once per model.
#[derive(Clone, Debug)]
pub struct Workspace {
    pub(crate) rods: Vec<RodWork>,
    pub(crate) wrenches: Vec<Wrench>,
    /// Impulses of the clamps in the sub-steps so far.
    pub(crate) impulses: Vec<Wrench>,
    pub(crate) backup: State,
}

/// Scratch of one rod.
#[derive(Clone, Debug)]
pub(crate) struct RodWork {
    pub(crate) motion: RodMotion,
    /// Loads other than gravity that do not depend on the motion, N and N·m.
    pub(crate) load: Vec<[f64; 4]>,
    /// The natural shape before drives changed it for this sub-step.
    pub(crate) natural_before: NaturalShape,
    pub(crate) outcome: RodOutcome,
}

/// What the solve of one rod came to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RodOutcome {
    pub(crate) converged: bool,
    pub(crate) finite: bool,
    pub(crate) iterations: u32,
    pub(crate) residual: f64,
    pub(crate) altered_tangents: u32,
    pub(crate) seconds: [f64; STAGES.len()],
    pub(crate) work: f64,
}

impl Workspace {
    /// Scratch for `model`.
    pub fn new(model: &Model) -> Self {
        Self {
            rods: model.rods.iter().map(RodWork::new).collect(),
            wrenches: vec![Wrench::default(); model.clamps.len()],
            impulses: vec![Wrench::default(); model.clamps.len()],
            backup: State::default(),
        }
    }
    /// Force and torque that each clamp exerted on its rod in the last step (mean over its sub-steps), in the
    /// order of [`Model::clamps`].
    pub fn clamp_wrenches(&self) -> &[Wrench] {
        &self.wrenches
    }
}

impl RodWork {
    pub(crate) fn new(rod: &Rod) -> Self {
        Self {
            motion: RodMotion::new(rod),
            load: vec![[0.0; 4]; rod.node_count()],
            natural_before: NaturalShape::straight(rod.node_count()),
            outcome: RodOutcome::default(),
        }
    }
}
