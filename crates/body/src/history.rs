//! What BDF2 has to know of the step before, part of a tree's state.

use crate::newton_euler::Wrench;
use crate::tree::Tree;
use glam::DVec3;

/// Velocities and momenta of the step before. Without them the next step is one of backward Euler: at the start of a run,
/// after an impact, or after positions or velocities have been set from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeHistory {
    /// Length of the step before in s; zero if there is none.
    pub dt: f64,
    /// Its mean joint velocities.
    pub mean: Vec<f64>,
    /// Joint velocities at its start.
    pub before: Vec<f64>,
    /// Change of the momenta of each link within it: kg·m/s, and kg·m²/s about the reference point of the balance.
    pub momentum_change: Vec<Wrench>,
    /// Change of the velocity of that point, m/s.
    pub reference_change: DVec3,
    /// Mean velocity of the base in it, and at its end: linear (m/s) and angular (rad/s).
    pub base_mean: [DVec3; 2],
    /// See `base_mean`.
    pub base_end: [DVec3; 2],
}

impl TreeHistory {
    /// Nothing is known, for `tree`.
    pub fn none(tree: &Tree) -> Self {
        let numbers = || vec![0.0; tree.velocity_count()];
        Self {
            mean: numbers(),
            before: numbers(),
            momentum_change: vec![Wrench::default(); tree.links().len()],
            ..Self::default()
        }
    }

    /// Forgets the step before.
    pub fn clear(&mut self) {
        self.dt = 0.0;
    }
}
