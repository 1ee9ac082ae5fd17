//! Scratch memory of a step, allocated once.

use crate::model::Model;
use crate::report::Wrench;

/// Scratch for [`crate::step()`]; made once per model.
#[derive(Debug)]
pub struct Workspace {
    pub(crate) wrenches: Vec<Wrench>,
}

impl Workspace {
    /// Scratch for `model`.
    pub fn new(model: &Model) -> Self {
        Self { wrenches: vec![Wrench::default(); model.clamps.len()] }
    }
    /// Force and torque that each clamp exerted on its rod in the last step, in the order of
    /// [`Model::clamps`].
    pub fn clamp_wrenches(&self) -> &[Wrench] {
        &self.wrenches
    }
}
