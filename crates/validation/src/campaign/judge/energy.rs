//! Energy compared with initial energy and work.
//!
//! With E = kinetic + stretch + bend + twist + springs of joints + gravity and W the work of clamps, loads, drives, actuators
//! and driven bodies since the start,
//!
//!   excess(t) = E(t) − E(0) − W(t),   value = max_t excess(t)/scale(t).
//!
//! The scale is the greatest energy exchanged up to t: kinetic and elastic energy (less the excess itself), the
//! change of gravitational energy, and |W|. Contacts and friction only dissipate energy, so the excess is at most
//! zero up to the error of the step; backward Euler dissipates, too. The scale is at least the effect of round-off:
//! the energy of a strain of [`STRAIN_FLOOR`] in all rods, and [`GRAVITY_FLOOR`] of gravity's.

use super::{Criterion, Findings, View};
use ropewalk_sim::{Energies, Model, State, measure};

/// Greatest excess as a share of the scale.
pub const BOUND: f64 = 0.01;

/// Strain due to round-off in node positions.
pub const STRAIN_FLOOR: f64 = 1e-9;
/// Relative round-off in the sum of gravitational energy.
pub const GRAVITY_FLOOR: f64 = 1e-12;

/// The energy balance of a run.
#[derive(Debug)]
pub struct Energy {
    start: Energies,
    work: f64,
    scale: f64,
}

/// Energy without gravity, J.
fn mechanical(e: &Energies) -> f64 {
    e.kinetic + e.stretch + e.bend + e.twist + e.joints
}

impl Energy {
    /// Starts the balance.
    pub fn new(model: &Model, start: &State) -> Self {
        let start = measure::energies(model, start);
        let of_rod = |rod: &ropewalk_rod::Rod| {
            let edges = rod.rest_lengths().iter().zip(rod.stretch_stiffness()).take(rod.edge_count());
            edges.map(|(length, stiffness)| 0.5 * stiffness * length).sum::<f64>()
        };
        let strained = model.rods.iter().map(of_rod).sum::<f64>() * STRAIN_FLOOR * STRAIN_FLOOR;
        let floor = strained + GRAVITY_FLOOR * start.gravity.abs() + f64::MIN_POSITIVE;
        Self { start, work: 0.0, scale: mechanical(&start).max(floor) }
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
