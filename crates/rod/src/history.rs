//! The previous step as BDF2 needs it, part of a rod's state.

use crate::rod::Rod;
use crate::state::RodState;
use ropewalk_linalg::bdf2::Fingerprint;

/// Velocities of the previous step. Without them the next step is a backward Euler step: at the start of a run,
/// before a possible impact, or after positions or velocities have been set from outside.
#[derive(Debug, Default, PartialEq)]
pub struct RodHistory {
    /// Length of the previous step in s; zero if there is none.
    pub dt: f64,
    /// Its mean velocities (q₀ − q₋₁)/dt, m/s and rad/s, one block per node.
    pub mean: Vec<[f64; 4]>,
    /// Velocities v₋₁ at its start.
    pub before: Vec<[f64; 4]>,
    /// The state at the end of the step.
    led_to: Fingerprint,
}

// Implemented by hand for `clone_from`, which reuses the memory of `self`.
impl Clone for RodHistory {
    fn clone(&self) -> Self {
        Self { dt: self.dt, mean: self.mean.clone(), before: self.before.clone(), led_to: self.led_to }
    }
    fn clone_from(&mut self, source: &Self) {
        self.dt = source.dt;
        self.mean.clone_from(&source.mean);
        self.before.clone_from(&source.before);
        self.led_to = source.led_to;
    }
}

impl RodHistory {
    /// An empty history for `rod`.
    pub fn none(rod: &Rod) -> Self {
        let blocks = || vec![[0.0; 4]; rod.node_count()];
        Self { dt: 0.0, mean: blocks(), before: blocks(), led_to: Fingerprint::default() }
    }

    /// Forgets the previous step.
    pub fn clear(&mut self) {
        self.dt = 0.0;
    }

    /// Length of the step that led to `state`, in s; zero if there is none, or it led to another state.
    pub fn step_to(&self, state: &RodState) -> f64 {
        if self.dt > 0.0 && self.led_to == fingerprint(state) { self.dt } else { 0.0 }
    }

    /// Records `state` as the end of this step.
    pub fn set_led_to(&mut self, state: &RodState) {
        self.led_to = fingerprint(state);
    }

    /// The history without the fingerprint of the state, as numbers: dt, mean, before.
    pub fn numbers(&self) -> Vec<f64> {
        let blocks = self.mean.iter().chain(&self.before).flatten();
        core::iter::once(self.dt).chain(blocks.copied()).collect()
    }

    /// The reverse of [`RodHistory::numbers`], for a step that ended at `state`; returns whether the count is right.
    pub fn set_numbers(&mut self, numbers: &[f64], state: &RodState) -> bool {
        let n = state.q.len();
        let Some((dt, blocks)) = numbers.split_first().filter(|(_, rest)| rest.len() == 8 * n) else {
            return false;
        };
        self.dt = *dt;
        let (mean, before) = blocks.as_chunks::<4>().0.split_at(n);
        self.mean.clear();
        self.mean.extend_from_slice(mean);
        self.before.clear();
        self.before.extend_from_slice(before);
        self.set_led_to(state);
        true
    }
}

fn fingerprint(state: &RodState) -> Fingerprint {
    Fingerprint::of(state.q.iter().chain(&state.v).flatten().copied())
}
