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

/// The stages of a step, in order. Later ones (collide, constrain, guard) come with contact.
pub const STAGES: [&str; 5] = ["kinematics", "linearise", "solve", "advance", "observe"];

/// What one step did. Sums are over sub-steps, maxima over rods and sub-steps.
#[derive(Clone, Debug)]
pub struct StepReport {
    /// How it ended.
    pub status: StepStatus,
    /// Sub-steps taken; 1 unless the step was halved.
    pub substeps: u32,
    /// Greatest number of Newton iterations of any rod, summed over sub-steps.
    pub iterations: u32,
    /// Greatest momentum residual relative to the impulses at work.
    pub residual: f64,
    /// How often a tangent had to be altered to be positive definite.
    pub altered_tangents: u32,
    /// Sub-steps in which a rod had to pass through a fold of more than 176° or an edge of less than a thousandth of
    /// its rest length: the motion is finite there, but coarse. Zero in all but violent motions.
    pub degenerate_substeps: u32,
    /// Seconds spent in each of [`STAGES`], on one thread or summed over rods.
    pub stage_seconds: [f64; STAGES.len()],
    /// Work done in this step by clamps, loads and drives of the natural shape, in J.
    pub work: f64,
}

/// Force and torque that a clamp exerts on its rod.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// Force in N.
    pub force: DVec3,
    /// Torque about the held point in N·m.
    pub torque: DVec3,
}
