//! What a run keeps for its claims: memory grows with the run only where a claim asks for every step.
//!
//! Claims on measures are gathered in gauges. Of samples, most claims read the last, or the worst by some number; those are
//! kept. A claim that reads every step (a period, an impulse, a mean) keeps all.

use super::{Claim, ClaimKind, Sample, balance};
use ropewalk_sim::measures::{GAUGE_NUMBERS, Gauge};
use ropewalk_sim::{Energies, Model, State, Workspace, measure};

/// Which samples a claim reads.
#[derive(Clone, Copy)]
enum Needs {
    /// The last.
    Last,
    /// Those with the greatest of these numbers, and the last.
    Greatest(&'static [fn(&Energies, &Sample) -> f64]),
    /// All.
    Every,
}

impl ClaimKind {
    fn needs(&self) -> Needs {
        match self {
            Self::ClampedRod { .. }
            | Self::EulerColumn { .. }
            | Self::ShaftTorque { .. }
            | Self::NaturalCircle { .. }
            | Self::MichellRing { .. }
            | Self::AtRest { .. }
            | Self::CarriedWeight { .. }
            | Self::CatenaryTension { .. }
            | Self::ChainLinked { .. }
            | Self::ChainWeight { .. }
            | Self::CarriedBody { .. }
            | Self::TotalWeight
            | Self::MirrorShape { .. }
            | Self::LooseKnot { .. }
            | Self::LetGo { .. }
            | Self::Knotted { .. }
            | Self::Twined { .. }
            | Self::PulledTight { .. }
            | Self::SoftPress(_)
            | Self::Measure { .. } => Needs::Last,
            Self::Overlap => Needs::Greatest(&[|_, s| s.deepest_overlap]),
            // The balance of energy is that of the worst step, relative to the greatest energies: two samples tell all.
            Self::Energy => Needs::Greatest(&[balance::excess, balance::size]),
            _ => Needs::Every,
        }
    }
}

/// Samples and gauges of a run, the last step last.
#[derive(Clone, Debug)]
pub struct KeptSamples {
    samples: Vec<Sample>,
    /// Whether a claim reads those of every step.
    every: bool,
    /// Numbers of which the sample with the greatest is kept.
    greatest: Vec<fn(&Energies, &Sample) -> f64>,
    start: Energies,
    /// Names of claims on measures, and what they have gathered.
    gauges: Vec<(String, Gauge)>,
}

impl KeptSamples {
    /// For the claims of a run from `start`; `samples` are those kept so far, and `gauges` the numbers of
    /// [`Self::gauge_numbers`]: none at the start of a run.
    pub fn new(claims: &[Claim], model: &Model, start: &State, samples: Vec<Sample>, gauges: &[f64]) -> Self {
        let mut every = false;
        let mut greatest = Vec::new();
        for claim in claims {
            match claim.kind.needs() {
                Needs::Last => {}
                Needs::Greatest(numbers) => greatest.extend_from_slice(numbers),
                Needs::Every => every = true,
            }
        }
        let mut kept = gauges.as_chunks::<GAUGE_NUMBERS>().0.iter();
        let gauges = claims.iter().filter_map(|claim| match claim.kind {
            ClaimKind::Measure { measure, .. } => {
                let gauge = match kept.next() {
                    Some(numbers) => Gauge::from_numbers(measure, *numbers),
                    None => Gauge::new(measure, start.time),
                };
                Some((claim.name.clone(), gauge))
            }
            _ => None,
        });
        let gauges = gauges.collect();
        Self { samples, every, greatest, start: measure::energies(model, start), gauges }
    }

    /// How many numbers the gauges of these claims have.
    pub fn gauge_count(claims: &[Claim]) -> usize {
        GAUGE_NUMBERS * claims.iter().filter(|c| matches!(c.kind, ClaimKind::Measure { .. })).count()
    }

    /// Takes in a step that has just been done, and its sample.
    pub fn see(&mut self, model: &Model, state: &State, workspace: &Workspace, sample: Sample) {
        for (_, gauge) in &mut self.gauges {
            gauge.see(model, state, workspace);
        }
        self.push(sample);
    }

    fn push(&mut self, sample: Sample) {
        self.samples.push(sample);
        if self.every {
            return;
        }
        let greatest = |number: &fn(&Energies, &Sample) -> f64| {
            let values = self.samples.iter().map(|s| number(&self.start, s));
            let pick = |best: (usize, f64), (i, x): (usize, f64)| if x > best.1 { (i, x) } else { best };
            values.enumerate().fold((0, f64::NEG_INFINITY), pick).0
        };
        let mut keep: Vec<usize> = self.greatest.iter().map(greatest).collect();
        keep.push(self.samples.len() - 1);
        let mut index = 0;
        self.samples.retain(|_| {
            index += 1;
            keep.contains(&(index - 1))
        });
    }

    /// Whether the samples of all steps are kept, also if no claim reads them.
    pub(crate) fn keep_every(&mut self, every: bool) {
        self.every |= every;
    }

    /// The sample of the last step.
    pub fn last(&self) -> Option<&Sample> {
        self.samples.last()
    }

    /// All that are kept.
    pub fn as_slice(&self) -> &[Sample] {
        &self.samples
    }

    /// Measures by the names of their claims.
    pub fn measured(&self) -> Vec<(String, Option<f64>)> {
        self.gauges.iter().map(|(name, gauge)| (name.clone(), gauge.value())).collect()
    }

    /// What the gauges have gathered, to be kept in a file: so many numbers for each claim on a measure.
    pub fn gauge_numbers(&self) -> Vec<f64> {
        self.gauges.iter().flat_map(|(_, gauge)| gauge.numbers()).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Driver, load_named};

    /// What few samples tell is what all of them tell.
    #[test]
    fn claims_that_read_few_samples_come_to_the_same() {
        for name in ["cantilever", "knot", "loop"] {
            let scene = load_named(name, &["time.duration=0.03".to_owned()]).unwrap();
            let few_claims: Vec<_> = scene
                .claims
                .iter()
                .filter(|c| !matches!(c.kind.needs(), super::Needs::Every))
                .cloned()
                .collect();
            assert!(!few_claims.is_empty(), "{name}");
            let run = |claims: &[crate::Claim], every: bool| {
                let scene = crate::Scene { claims: claims.to_vec(), ..scene.clone() };
                let mut driver = Driver::new(&scene);
                driver.keep_every_sample(every);
                while !driver.is_done() {
                    driver.step().unwrap();
                }
                (driver.samples().len(), driver.claims())
            };
            let (few, all) = (run(&few_claims, false), run(&few_claims, true));
            assert!(few.0 <= 4 && all.0 > 10, "{name}: {} {}", few.0, all.0);
            assert_eq!(few.1, all.1, "{name}");
        }
    }
}
