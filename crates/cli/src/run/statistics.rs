//! Sums over the reports of steps.

use ropewalk_sim::StepReport;
use ropewalk_sim::report::STAGES;

/// Sums and maxima over the steps of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// Steps that succeeded.
    pub(crate) steps: u64,
    /// Newton iterations, summed.
    pub(crate) iterations: u64,
    /// Greatest number of Newton iterations in one step.
    pub(crate) max_iterations: u32,
    /// Steps that were halved at least once.
    pub(crate) halved_steps: u64,
    /// Greatest number of sub-steps of one step.
    pub(crate) max_substeps: u32,
    /// Contacts that push, summed over steps.
    pub(crate) contacts: u64,
    /// Greatest number of contacts that push in one step.
    pub(crate) max_contacts: u32,
    /// Deepest overlap, m.
    pub(crate) deepest_overlap_m: f64,
    /// Tangents altered to be positive definite.
    pub(crate) altered_tangents: u64,
    /// Greatest relative residual of a step that succeeded.
    pub(crate) max_residual: f64,
    /// Seconds in each stage.
    pub(crate) stage_seconds: [f64; STAGES.len()],
    /// Work of clamps, loads and drives in J.
    pub(crate) work: f64,
}

impl Tally {
    /// Adds a step that succeeded.
    pub(crate) fn add(&mut self, report: &StepReport) {
        self.steps += 1;
        self.iterations += u64::from(report.iterations);
        self.max_iterations = self.max_iterations.max(report.iterations);
        self.halved_steps += u64::from(report.substeps > 1);
        self.max_substeps = self.max_substeps.max(report.substeps);
        self.contacts += u64::from(report.contacts);
        self.max_contacts = self.max_contacts.max(report.contacts);
        self.altered_tangents += u64::from(report.altered_tangents);
        self.max_residual = self.max_residual.max(report.residual);
        for (sum, seconds) in self.stage_seconds.iter_mut().zip(report.stage_seconds) {
            *sum += seconds;
        }
        self.work += report.work;
    }

    /// All sums and maxima in a row, to be saved with a run.
    pub(crate) fn numbers(&self) -> Vec<f64> {
        let mut out = Vec::new();
        self.clone().visit(&mut |x| out.push(*x));
        out
    }

    /// The tally with these numbers; `None` if there are too few or too many.
    pub(crate) fn from_numbers(numbers: &[f64]) -> Option<Self> {
        let mut out = Self::default();
        let mut rest = numbers.iter();
        let mut missing = false;
        out.visit(&mut |x| match rest.next() {
            Some(number) => *x = *number,
            None => missing = true,
        });
        (!missing && rest.next().is_none()).then_some(out)
    }

    /// Passes every number to `see`, always in the same order. Counts are far below 2⁵³ and stay exact.
    fn visit(&mut self, see: &mut impl FnMut(&mut f64)) {
        let Self {
            steps,
            iterations,
            max_iterations,
            halved_steps,
            max_substeps,
            contacts,
            max_contacts,
            deepest_overlap_m,
            altered_tangents,
            max_residual,
            stage_seconds,
            work,
        } = self;
        for count in [steps, iterations, halved_steps, contacts, altered_tangents] {
            let mut number = *count as f64;
            see(&mut number);
            *count = number as u64;
        }
        for greatest in [max_iterations, max_substeps, max_contacts] {
            let mut number = f64::from(*greatest);
            see(&mut number);
            *greatest = number as u32;
        }
        see(max_residual);
        see(deepest_overlap_m);
        see(work);
        stage_seconds.iter_mut().for_each(see);
    }

    /// Newton iterations per step, on average.
    pub(crate) fn mean_iterations(&self) -> f64 {
        if self.steps == 0 { 0.0 } else { self.iterations as f64 / self.steps as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let mut tally = Tally { steps: 7, max_contacts: 3, work: -0.1, ..Tally::default() };
        tally.stage_seconds[2] = 0.3;
        let numbers = tally.numbers();
        let back = Tally::from_numbers(&numbers).unwrap();
        assert_eq!(back.numbers(), numbers);
        assert_eq!((back.steps, back.max_contacts, back.work), (7, 3, -0.1));
        assert!(Tally::from_numbers(&numbers[1..]).is_none());
        assert!(Tally::from_numbers(&[&numbers[..], &[0.0]].concat()).is_none());
    }
}
