//! What a run keeps for its claims: of constant size, however long the run is.
//!
//! Claims on measures are gathered in gauges, sums over the steps in tallies. Other claims read the sample of the last step, or
//! those in which some number was greatest; these are kept.

use super::{Claim, ClaimKind, Sample, Tally, balance, belt, carried, held, mirror, passing, pendulum, work};
use crate::claim::tally::TALLY_NUMBERS;
use core::fmt;
use ropewalk_sim::measures::{GAUGE_NUMBERS, Gauge};
use ropewalk_sim::{Model, State, Workspace, measure};
use std::sync::Arc;

/// A number of a sample, besides those kept before; the sample in which it is greatest is kept.
#[derive(Clone)]
pub(super) struct Number(Arc<OfSample>);

/// The samples kept before, and the present one, to a number.
type OfSample = dyn Fn(&[Sample], &Sample) -> f64 + Send + Sync;

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Number")
    }
}

impl Number {
    pub(super) fn new(of: impl Fn(&[Sample], &Sample) -> f64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(of))
    }

    /// From a time (s) on.
    pub(super) fn from_time(
        from: f64,
        of: impl Fn(&[Sample], &Sample) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self::new(move |kept, s| if s.time >= from { of(kept, s) } else { f64::NEG_INFINITY })
    }

    /// Greatest for the first sample from a time (s) on.
    pub(super) fn first(from: f64) -> Self {
        Self::from_time(from, |_, s| -s.time)
    }
}

impl ClaimKind {
    /// Of which numbers the samples with the greatest are read, besides the last sample.
    fn needs(&self, model: &Model, start: &State) -> Vec<Number> {
        match *self {
            Self::Overlap => vec![Number::new(|_, s| s.deepest_overlap)],
            // The balance of energy is that of the worst step, relative to the greatest energies: two samples tell all.
            Self::Energy => {
                let first = measure::energies(model, start);
                vec![
                    Number::new(move |_, s| balance::excess(&first, s)),
                    Number::new(move |_, s| balance::size(&first, s)),
                ]
            }
            Self::LoadTension(suspension) => pendulum::load_tension_needs(suspension.attachment),
            Self::JointFollows { tree } => held::joint_follows_needs(model, tree),
            Self::HandPath { hand } => vec![Number::new(move |_, s| s.hand_errors[hand])],
            Self::Drift { rod, from } => work::drift_needs(model, rod, from),
            Self::MirrorForce { attachments, normal } => mirror::force_needs(attachments, normal),
            Self::Released { attachment } => work::released_needs(model, attachment),
            Self::Carried { tree, height, .. } => carried::carried_needs(model, start, tree, height),
            Self::CannotPass => passing::cannot_pass_needs(),
            Self::Tracks { rod, normal, from } => belt::tracks_needs(rod, normal, from),
            Self::Stays { tree, from } => belt::stays_needs(tree, from),
            Self::Upright { tree, from } => belt::upright_needs(model, tree, from),
            Self::PinchForce { finger, from } => finger.force_needs(model, start, from),
            Self::Creep { from, .. } => vec![Number::first(from)],
            // The last sample, the state at the end, a gauge or a tally tell all.
            Self::ClampedRod { .. }
            | Self::EulerColumn { .. }
            | Self::ShaftTorque { .. }
            | Self::NaturalCircle { .. }
            | Self::MichellRing { .. }
            | Self::MeanTension { .. }
            | Self::ClampImpulse { .. }
            | Self::AtRest { .. }
            | Self::TreeImpulse { .. }
            | Self::DoublePendulum { .. }
            | Self::LoadPeriod(_)
            | Self::CarriedWeight { .. }
            | Self::CatenaryTension { .. }
            | Self::ChainLinked { .. }
            | Self::ChainWeight { .. }
            | Self::Capstan { .. }
            | Self::CarriedBody { .. }
            | Self::TotalWeight
            | Self::OnBody { .. }
            | Self::BeltSlip { .. }
            | Self::HungTension { .. }
            | Self::WinchTorque { .. }
            | Self::MirrorShape { .. }
            | Self::LooseKnot { .. }
            | Self::LetGo { .. }
            | Self::Approaches { .. }
            | Self::StopForce { .. }
            | Self::PinchRise { .. }
            | Self::Knotted { .. }
            | Self::Twined { .. }
            | Self::PulledTight { .. }
            | Self::SoftPress(_)
            | Self::Measure { .. } => Vec::new(),
        }
    }
}

/// Samples, gauges and tallies of a run, the last step last.
#[derive(Clone, Debug)]
pub struct KeptSamples {
    samples: Vec<Sample>,
    /// Whether those of every step are kept.
    every: bool,
    /// Numbers of which the sample with the greatest is kept.
    greatest: Vec<Number>,
    /// Names of claims on measures, and what they have gathered.
    gauges: Vec<(String, Gauge)>,
    /// Names of claims on sums, and these.
    tallies: Vec<(String, Tally)>,
    /// What those claim.
    tallied: Vec<ClaimKind>,
}

impl KeptSamples {
    /// For the claims of a run from `start`; `samples` are those kept so far, and `numbers` those of
    /// [`Self::gathered`]: none at the start of a run.
    pub fn new(
        claims: &[Claim],
        model: &Model,
        start: &State,
        samples: Vec<Sample>,
        numbers: &[f64],
    ) -> Self {
        let greatest = claims.iter().flat_map(|claim| claim.kind.needs(model, start)).collect();
        let (mut gauges, mut tallies, mut tallied) = (Vec::new(), Vec::new(), Vec::new());
        for claim in claims {
            if let ClaimKind::Measure { measure, .. } = claim.kind {
                gauges.push((claim.name.clone(), Gauge::new(measure, start.time)));
            } else if let Some(tally) = claim.kind.begin_tally(model, start) {
                tallies.push((claim.name.clone(), tally));
                tallied.push(claim.kind.clone());
            }
        }
        let (of_gauges, of_tallies) = numbers.split_at(numbers.len().min(GAUGE_NUMBERS * gauges.len()));
        for ((_, gauge), kept) in gauges.iter_mut().zip(of_gauges.as_chunks::<GAUGE_NUMBERS>().0) {
            *gauge = Gauge::from_numbers(*gauge.measure(), *kept);
        }
        for ((_, tally), kept) in tallies.iter_mut().zip(of_tallies.chunks_exact(TALLY_NUMBERS)) {
            *tally = Tally::from_numbers(kept);
        }
        Self { samples, every: false, greatest, gauges, tallies, tallied }
    }

    /// Takes in a step that has just been done, and its sample.
    pub fn see(&mut self, model: &Model, state: &State, workspace: &Workspace, sample: Sample) {
        for (_, gauge) in &mut self.gauges {
            gauge.see(model, state, workspace);
        }
        for ((_, tally), kind) in self.tallies.iter_mut().zip(&self.tallied) {
            kind.see(model, tally, &sample);
        }
        self.push(sample);
    }

    fn push(&mut self, sample: Sample) {
        self.samples.push(sample);
        if self.every {
            return;
        }
        let greatest = |number: &Number| {
            let values = self.samples.iter().map(|s| number.0(&self.samples, s));
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

    /// Sums by the names of their claims.
    pub fn tallies(&self) -> &[(String, Tally)] {
        &self.tallies
    }

    /// What gauges and tallies have gathered, to be kept in a file: always as many numbers for the same claims.
    pub fn gathered(&self) -> Vec<f64> {
        let gauges = self.gauges.iter().flat_map(|(_, gauge)| gauge.numbers());
        gauges.chain(self.tallies.iter().flat_map(|(_, tally)| tally.numbers().iter().copied())).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Driver, load_named};

    /// What few samples tell is what all of them tell, and no claim of any scene needs more of them in a longer run.
    #[test]
    fn claims_that_read_few_samples_come_to_the_same() {
        for name in
            ["cantilever", "knot", "loop", "suspended_load", "double_pendulum", "capstan", "net", "release"]
        {
            let scene = load_named(name, &["time.duration=0.08".to_owned()]).unwrap();
            let run = |every: bool| {
                let mut driver = Driver::new(&scene);
                driver.keep_every_sample(every);
                while !driver.is_done() {
                    driver.step().unwrap();
                }
                (driver.samples().len(), driver.claims())
            };
            let (few, all) = (run(false), run(true));
            assert!(few.0 <= 20 && all.0 > few.0, "{name}: {} {}", few.0, all.0);
            assert_eq!(few.1, all.1, "{name}");
        }
    }
}
