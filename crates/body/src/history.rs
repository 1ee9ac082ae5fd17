//! The previous step as BDF2 needs it, part of a tree's state.

use crate::newton_euler::SpatialForce;
use crate::tree::{Tree, TreeState};
use glam::DVec3;
use ropewalk_linalg::bdf2::Fingerprint;

/// Velocities and momenta of the previous step. Without them the next step is a backward Euler step: at the start of
/// a run, before a possible impact, or after positions or velocities have been set from outside.
#[derive(Debug, Default, PartialEq)]
pub struct TreeHistory {
    /// Length of the previous step in s; zero if there is none.
    pub dt: f64,
    /// Its mean joint velocities.
    pub mean: Vec<f64>,
    /// Joint velocities at its start.
    pub before: Vec<f64>,
    /// Change of the momenta of each link within it: kg·m/s, and kg·m²/s about the reference point of the balance.
    pub momentum_change: Vec<SpatialForce>,
    /// Change of the velocity of that point, m/s.
    pub reference_change: DVec3,
    /// Mean velocity of the base in it: linear (m/s) and angular (rad/s).
    pub base_mean: [DVec3; 2],
    /// Velocity of the base at its end.
    pub base_end: [DVec3; 2],
    /// The state at the end of the step.
    led_to: Fingerprint,
}

// Implemented by hand for `clone_from`, which reuses the memory of `self`.
impl Clone for TreeHistory {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }
    fn clone_from(&mut self, source: &Self) {
        self.dt = source.dt;
        self.mean.clone_from(&source.mean);
        self.before.clone_from(&source.before);
        self.momentum_change.clone_from(&source.momentum_change);
        self.reference_change = source.reference_change;
        self.base_mean = source.base_mean;
        self.base_end = source.base_end;
        self.led_to = source.led_to;
    }
}

impl TreeHistory {
    /// An empty history for `tree`.
    pub fn none(tree: &Tree) -> Self {
        let numbers = || vec![0.0; tree.velocity_count()];
        Self {
            mean: numbers(),
            before: numbers(),
            momentum_change: vec![SpatialForce::default(); tree.links().len()],
            ..Self::default()
        }
    }

    /// Forgets the previous step.
    pub fn clear(&mut self) {
        self.dt = 0.0;
    }

    /// Length of the step that led to `state`, in s; zero if there is none, or it led to another state.
    pub fn step_to(&self, state: &TreeState) -> f64 {
        if self.dt > 0.0 && self.led_to == fingerprint(state) { self.dt } else { 0.0 }
    }

    /// Records `state` as the end of this step.
    pub fn set_led_to(&mut self, state: &TreeState) {
        self.led_to = fingerprint(state);
    }

    /// All of it as numbers: dt; mean and before; force and moment of each link's change; change of the reference
    /// velocity; mean and end velocity of the base.
    pub fn numbers(&self) -> Vec<f64> {
        let links = self.momentum_change.iter().flat_map(|w| [w.force, w.moment]);
        let base = self.base_mean.into_iter().chain(self.base_end);
        let vectors = links.chain([self.reference_change]).chain(base).flat_map(|v| v.to_array());
        let joints = self.mean.iter().chain(&self.before).copied();
        core::iter::once(self.dt).chain(joints).chain(vectors).collect()
    }

    /// The reverse of [`TreeHistory::numbers`], for a step that ended at `state`; returns whether the count is right.
    /// `self` is of the same tree.
    pub fn set_numbers(&mut self, numbers: &[f64], state: &TreeState) -> bool {
        let (n, links) = (state.v.len(), self.momentum_change.len());
        if numbers.len() != 1 + 2 * n + 6 * links + 15 {
            return false;
        }
        let (joints, vectors) = numbers[1..].split_at(2 * n);
        let mut vectors = vectors.as_chunks::<3>().0.iter().map(|v| DVec3::from_array(*v));
        let mut next = || vectors.next().unwrap_or_default();
        self.dt = numbers[0];
        self.mean.clear();
        self.mean.extend_from_slice(&joints[..n]);
        self.before.clear();
        self.before.extend_from_slice(&joints[n..]);
        for change in &mut self.momentum_change {
            *change = SpatialForce { force: next(), moment: next() };
        }
        self.reference_change = next();
        self.base_mean = [next(), next()];
        self.base_end = [next(), next()];
        self.set_led_to(state);
        true
    }
}

fn fingerprint(state: &TreeState) -> Fingerprint {
    Fingerprint::of(state.q.iter().chain(&state.v).copied())
}
