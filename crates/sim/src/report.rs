//! What a step reports.

use glam::DVec3;

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepStatus {
    /// The residual is below the tolerance.
    Converged,
    /// Newton's method did not converge, even in the smallest sub-step; the state is as before the step.
    NotConverged,
    /// A number is not finite; the state is as before the step.
    NotFinite,
}

/// The stages of a step, in order.
pub const STAGES: [&str; 7] =
    ["kinematics", "collide", "constrain", "linearise", "solve", "advance", "observe"];

/// Places of the stages in [`STAGES`].
pub(crate) mod stage {
    pub(crate) const KINEMATICS: usize = 0;
    pub(crate) const COLLIDE: usize = 1;
    pub(crate) const CONSTRAIN: usize = 2;
    pub(crate) const LINEARISE: usize = 3;
    pub(crate) const SOLVE: usize = 4;
    pub(crate) const ADVANCE: usize = 5;
    pub(crate) const OBSERVE: usize = 6;
}

/// What one step did. Sums are over sub-steps, maxima over rods and sub-steps.
#[derive(Clone, Debug)]
pub struct StepReport {
    /// How it ended.
    pub status: StepStatus,
    /// Sub-steps taken; 1 unless the step was halved.
    pub substeps: u32,
    /// Greatest number of linearisations of any rod, or of all that constraints hold together, summed over sub-steps.
    pub iterations: u32,
    /// Newton iterations within the convex problems, summed over linearisations and sub-steps.
    pub inner_iterations: u32,
    /// Constraints of the last sub-step.
    pub constraints: u32,
    /// Greatest momentum residual relative to the impulses at work.
    pub residual: f64,
    /// How often a tangent had to be altered to be positive definite.
    pub altered_tangents: u32,
    /// Sub-steps in which a rod had to pass through a fold of more than 176° or an edge of less than a thousandth of
    /// its rest length: the motion is finite there, but coarse. Zero in all but violent motions.
    pub degenerate_substeps: u32,
    /// Seconds spent in each of [`STAGES`], on one thread or summed over rods.
    pub stage_seconds: [f64; STAGES.len()],
    /// Work done in this step by clamps, loads, drives of the natural shape, actuators and driven bodies, in J.
    pub work: f64,
}

/// Force and torque that a clamp exerts on its rod, an attachment on its first end, or the ground on a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// Force in N.
    pub force: DVec3,
    /// Torque about the held point (the base's origin for a tree) in N·m.
    pub torque: DVec3,
}
