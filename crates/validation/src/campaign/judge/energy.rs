//! Energy against start and work.
//!
//! With E = kinetic + stretch + bend + twist + springs of joints + gravity and W the work of clamps, loads, drives, actuators
//! and driven bodies since the start,
//!
//!   excess(t) = E(t) − E(0) − W(t),   value = max_t excess(t)/scale(t).
//!
//! The scale is the greatest energy that changed hands up to then: kinetic and elastic energy (less the excess itself), the
//! change of gravity's, and |W|. Contacts and friction only take energy, so the excess is at most zero but for the error of
//! the step; backward Euler loses energy besides.

use super::{Criterion, Findings, View};
use ropewalk_sim::{Energies, Model, State, measure};

/// Greatest excess as a share of the scale.
pub const BOUND: f64 = 0.01;

/// The account of a run.
#[derive(Debug)]
pub struct Energy {
    start: Energies,
    work: f64,
    scale: f64,
}

/// All but gravity's, J.
fn mechanical(e: &Energies) -> f64 {
    e.kinetic + e.stretch + e.bend + e.twist + e.joints
}

impl Energy {
    /// Opens the account.
    pub fn new(model: &Model, start: &State) -> Self {
        let start = measure::energies(model, start);
        Self { start, work: 0.0, scale: mechanical(&start).max(f64::MIN_POSITIVE) }
    }

    /// Judges a step in which `work` (J) was done.
    pub fn see(&mut self, view: &View<'_>, work: f64, out: &mut Findings) {
        self.work += work;
        let now = measure::energies(view.model, view.state);
        let raised = now.gravity - self.start.gravity;
        let excess = (mechanical(&now) - mechanical(&self.start)) + raised - self.work;
        let honest = mechanical(&now) - excess.max(0.0);
        self.scale = self.scale.max(honest).max(raised.abs()).max(self.work.abs());
        out.note(Criterion::Energy, ((excess / self.scale).max(0.0), BOUND), view.state.time, || {
            format!("{excess:.3e} J above start + work, of {:.3e} J", self.scale)
        });
    }
}
