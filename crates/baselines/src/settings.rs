//! Settings of the contact energy, and what its steps report.

/// How stiff the penalty is, k in N: strands that overlap push with 2 k for each radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stiffness {
    /// So many times the greatest force that is not of contact on a node of a candidate pair, smoothed over steps.
    OfForce(f64),
    /// This.
    Constant(f64),
}

/// Settings of the method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Time step, s.
    pub dt: f64,
    /// Width of the smooth part of the penalty, m.
    pub delta: f64,
    /// Edges nearer than the diameter and this at the start of a step are candidates, m.
    pub reach: f64,
    /// Stiffness.
    pub stiffness: Stiffness,
    /// μ.
    pub friction: f64,
    /// ν: speed at which friction has reached its bound, m/s.
    pub slip_speed: f64,
    /// Greatest number of iterations.
    pub max_iterations: u32,
}

impl Settings {
    /// The published settings for a step of `dt` (s).
    pub fn published(dt: f64) -> Self {
        Self {
            dt,
            delta: 1e-5,
            reach: 1e-3,
            stiffness: Stiffness::OfForce(1e5),
            friction: 0.0,
            slip_speed: 1e-4,
            max_iterations: 500,
        }
    }
}

/// How a step has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Newton's method has converged.
    Converged,
    /// It has not; the state is as before.
    NotConverged,
    /// A number is not finite, or two centerlines touch; the state is as before.
    NotFinite,
}

/// What a step did.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    /// How it has ended.
    pub outcome: Outcome,
    /// Iterations of Newton's method.
    pub iterations: u32,
    /// Pairs of edges that the penalty acts on.
    pub contacts: usize,
    /// Energy of the penalty, J.
    pub contact_energy: f64,
    /// Elastic energy, J.
    pub elastic_energy: f64,
    /// k, N.
    pub stiffness: f64,
    /// Least distance of candidates, m; infinite without any.
    pub least_distance: f64,
}
