//! The claim of every scene under schemes that damp: energy never exceeds the initial energy plus the work done.
//!
//! It is the greatest of E(t) − E(0) − W(t) over the run, plastic work counted in E, relative to the greatest energy
//! exchanged. Backward Euler minimizes the incremental potential, so energy can only be lost.

use ropewalk_sim::Energies;

/// The energy balance of a run, updated step by step.
#[derive(Clone, Copy, Debug)]
pub(super) struct EnergyBalance {
    start: Energies,
    /// Greatest excess so far, J.
    excess: f64,
    /// Greatest energy exchanged, J.
    scale: f64,
}

impl EnergyBalance {
    /// Count of its numbers besides the initial energies.
    pub(super) const NUMBERS: usize = 2;

    pub(super) fn new(start: Energies) -> Self {
        Self { start, excess: 0.0, scale: elastic(&start).max(f64::MIN_POSITIVE) }
    }

    /// After a step: `work` (J) is that of all steps so far.
    pub(super) fn see(&mut self, now: &Energies, work: f64) {
        let fallen = now.gravity - self.start.gravity;
        // Terms are compared one by one, so that a large potential energy does not cost digits.
        let yielded = now.plastic - self.start.plastic;
        self.excess = self.excess.max((elastic(now) - elastic(&self.start)) + fallen + yielded - work);
        self.scale = self.scale.max(elastic(now)).max(fallen.abs()).max(work.abs());
    }

    pub(super) fn value(&self) -> f64 {
        self.excess / self.scale
    }

    pub(super) fn numbers(&self) -> [f64; Self::NUMBERS] {
        [self.excess, self.scale]
    }

    pub(super) fn go_on(&mut self, [excess, scale]: [f64; Self::NUMBERS]) {
        (self.excess, self.scale) = (excess, scale);
    }
}

fn elastic(e: &Energies) -> f64 {
    e.kinetic + e.stretch + e.bend + e.twist + e.joints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energy_from_nowhere_is_found() {
        let at = |kinetic: f64, gravity: f64| Energies { kinetic, gravity, ..Energies::default() };
        let found = |steps: &[(f64, f64, f64)]| {
            let mut balance = EnergyBalance::new(Energies::default());
            for &(kinetic, gravity, work) in steps {
                balance.see(&at(kinetic, gravity), work);
            }
            balance.value()
        };
        assert_eq!(found(&[(0.5, -1.0, 0.0), (1.0, -1.0, 0.0)]), 0.0);
        assert!((found(&[(1.001, -1.0, 0.0), (0.5, -1.0, 0.0)]) - 1e-3 / 1.001).abs() < 1e-12);
        assert_eq!(found(&[(2.0, -1.0, 1.0)]), 0.0);
        assert!(found(&[(2.0, -1.0, 0.9)]) > 0.04);
    }
}
