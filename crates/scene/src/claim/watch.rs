//! The measures of the claims of a run: a fixed number of values for each, independent of the length of the run.

use super::energy::EnergyBalance;
use super::{Claim, ClaimKind, ClaimResult};
use crate::Sample;
use ropewalk_sim::measures::GAUGE_NUMBERS;
use ropewalk_sim::{Gauge, Gauges, Measure, Model, State, Workspace, measure};

/// The measures of the claims of a run.
#[derive(Clone, Debug)]
pub struct ClaimWatch {
    gauges: Gauges,
    energy: EnergyBalance,
}

/// The measures of claims, in the order of their gauges.
fn measures(claims: &[Claim]) -> impl Iterator<Item = Measure> {
    claims
        .iter()
        .flat_map(|claim| match &claim.kind {
            ClaimKind::Measure(c) => [Some(c.measure), c.relative_to],
            ClaimKind::Energy => [None, None],
        })
        .flatten()
}

impl ClaimWatch {
    /// For the claims of a run from `start`; `numbers` are those of [`Self::numbers`], none at the start of a run.
    pub fn new(claims: &[Claim], model: &Model, start: &State, numbers: &[f64]) -> Self {
        let mut energy = EnergyBalance::new(measure::energies(model, start));
        let (first, rest) = numbers.split_at(EnergyBalance::NUMBERS.min(numbers.len()));
        if let Ok(kept) = first.try_into() {
            energy.go_on(kept);
        }
        let mut kept = rest.as_chunks::<GAUGE_NUMBERS>().0.iter();
        let mut gauges = Gauges::default();
        for measure in measures(claims) {
            gauges.push(match kept.next() {
                Some(numbers) => Gauge::from_numbers(measure, *numbers),
                None => Gauge::new(measure, start.time),
            });
        }
        Self { gauges, energy }
    }

    /// Count of the stored numbers.
    pub fn number_count(claims: &[Claim]) -> usize {
        EnergyBalance::NUMBERS + GAUGE_NUMBERS * measures(claims).count()
    }

    /// The stored numbers, to be saved in a file.
    pub fn numbers(&self) -> Vec<f64> {
        self.energy.numbers().into_iter().chain(self.gauges.iter().flat_map(Gauge::numbers)).collect()
    }

    /// Before a step from `state`.
    pub fn begin(&mut self, state: &State) {
        self.gauges.begin(state);
    }

    /// After that step, with its sample.
    pub fn see(&mut self, model: &Model, state: &State, workspace: &Workspace, sample: &Sample) {
        self.gauges.see(model, state, workspace);
        self.energy.see(&sample.energies, sample.work);
    }

    /// Results of the claims after the last step.
    pub fn results(
        &self,
        claims: &[Claim],
        model: &Model,
        state: &State,
        workspace: &Workspace,
    ) -> Vec<ClaimResult> {
        let mut next = 0;
        let mut value = || {
            next += 1;
            self.gauges.value(next - 1, model, state, workspace)
        };
        claims
            .iter()
            .map(|claim| {
                let measured = match &claim.kind {
                    ClaimKind::Energy => Some(self.energy.value()),
                    ClaimKind::Measure(c) if c.relative_to.is_none() => value(),
                    ClaimKind::Measure(_) => {
                        let (one, other) = (value(), value());
                        one.zip(other).map(|(one, other)| one / other)
                    }
                };
                claim.compare(measured)
            })
            .collect()
    }
}
