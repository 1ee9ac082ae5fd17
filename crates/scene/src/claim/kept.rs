//! The samples of a run that its claims read: memory grows with the run only where a claim asks for every step.

use super::{Claim, ClaimKind, Sample, balance};
use ropewalk_sim::{Energies, Model, State, measure};

/// Samples of a run, the last step last.
#[derive(Clone, Debug)]
pub struct KeptSamples {
    samples: Vec<Sample>,
    /// Whether a claim reads those of every step.
    every: bool,
    start: Energies,
}

impl KeptSamples {
    /// For the claims of a run from `start`; `samples` are those kept so far.
    pub fn new(claims: &[Claim], model: &Model, start: &State, samples: Vec<Sample>) -> Self {
        let every = claims.iter().any(|claim| !matches!(claim.kind, ClaimKind::Energy));
        Self { samples, every, start: measure::energies(model, start) }
    }

    /// Adds the sample of a step.
    pub fn push(&mut self, sample: Sample) {
        self.samples.push(sample);
        if self.every {
            return;
        }
        // The balance of energy is that of the worst step, relative to the greatest energies: two samples tell all.
        let greatest = |measure: fn(&Energies, &Sample) -> f64| {
            let values = self.samples.iter().map(|s| measure(&self.start, s));
            let pick = |best: (usize, f64), (i, x): (usize, f64)| if x > best.1 { (i, x) } else { best };
            values.enumerate().fold((0, f64::NEG_INFINITY), pick).0
        };
        let keep = [greatest(balance::excess), greatest(balance::size), self.samples.len() - 1];
        let mut index = 0;
        self.samples.retain(|_| {
            index += 1;
            keep.contains(&(index - 1))
        });
    }

    /// The sample of the last step.
    pub fn last(&self) -> Option<&Sample> {
        self.samples.last()
    }

    /// All that are kept.
    pub fn as_slice(&self) -> &[Sample] {
        &self.samples
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunRecord;
    use ropewalk_sim::{Workspace, step};

    #[test]
    fn few_samples_tell_the_balance_of_energy() {
        let scene = crate::load_named("hanging_rope", &[]).unwrap();
        let (model, start) = (&scene.model, &scene.state);
        let energy: Vec<Claim> =
            scene.claims.iter().filter(|c| matches!(c.kind, ClaimKind::Energy)).cloned().collect();
        let mut few = KeptSamples::new(&energy, model, start, Vec::new());
        let mut all = KeptSamples::new(&scene.claims, model, start, Vec::new());
        let (mut state, mut workspace) = (start.clone(), Workspace::new(model));
        for _ in 0..50 {
            step(model, &mut state, &mut workspace);
            let sample = crate::sample(model, &state, &workspace, 0.0);
            few.push(sample.clone());
            all.push(sample);
        }
        assert!(few.as_slice().len() <= 3 && all.as_slice().len() == 50);
        let result = |kept: &KeptSamples| {
            let samples = kept.as_slice();
            energy[0].evaluate(&RunRecord { model, start, end: &state, wrenches: &[], samples })
        };
        assert_eq!(result(&few), result(&all));
        assert_eq!(few.last().unwrap().time, all.last().unwrap().time);
    }
}
