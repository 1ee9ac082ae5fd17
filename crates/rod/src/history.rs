//! What BDF2 has to know of the step before, part of a rod's state.

use crate::rod::Rod;

/// Velocities of the step before. Without them the next step is one of backward Euler: at the start of a run, after an
/// impact, or after positions or velocities have been set from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RodHistory {
    /// Length of the step before in s; zero if there is none.
    pub dt: f64,
    /// Its mean velocities (q₀ − q₋₁)/dt, m/s and rad/s, one block per node.
    pub mean: Vec<[f64; 4]>,
    /// Velocities v₋₁ at its start.
    pub before: Vec<[f64; 4]>,
}

impl RodHistory {
    /// Nothing is known, for `rod`.
    pub fn none(rod: &Rod) -> Self {
        let blocks = || vec![[0.0; 4]; rod.node_count()];
        Self { dt: 0.0, mean: blocks(), before: blocks() }
    }

    /// Forgets the step before.
    pub fn clear(&mut self) {
        self.dt = 0.0;
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.dt.is_finite() && self.mean.iter().chain(&self.before).flatten().all(|x| x.is_finite())
    }
}
