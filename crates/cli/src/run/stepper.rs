//! The loop over the steps of a run.

use crate::exit::CommandError;
use crate::run::ends::Ends;
use crate::run::interrupt::Interrupt;
use crate::run::outputs::Outputs;
use crate::run::summary::{Clock, RunStatus, Summary};
use crate::run::tally::Tally;
use indicatif::{ProgressBar, ProgressStyle};
use ropewalk_scene::{ClaimResult, RunRecord, Sample, Scene};
use ropewalk_sim::{Energies, State, StepReport, StepStatus, Workspace, measure};
use std::time::{Duration, Instant};

/// A run under way.
pub(crate) struct Stepper<'a> {
    scene: &'a Scene,
    state: State,
    workspace: Workspace,
    tally: Tally,
    samples: Vec<Sample>,
    outputs: Option<Outputs>,
    outputs_time: Duration,
    /// The state before the step under way.
    before_step: State,
}

/// How a run ended.
pub(crate) struct RunEnd {
    /// Its summary.
    pub(crate) summary: Summary,
    /// Its last good state.
    pub(crate) state: State,
    /// Its files, to be completed.
    pub(crate) outputs: Option<Outputs>,
}

/// Number of steps of length `dt` that cover `duration`.
pub(crate) fn step_count(duration: f64, dt: f64) -> u64 {
    // A duration of n·dt is n steps, also where the quotient is n + 1e-12.
    (duration / dt - 1e-6).ceil().max(1.0) as u64
}

/// A progress bar on standard error; hidden if that is not a terminal.
pub(crate) fn progress_bar(steps: u64, quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(steps);
    let template = "{bar:32} {percent:>3} %  {pos}/{len} steps  {elapsed} elapsed, {eta} to go";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

impl<'a> Stepper<'a> {
    /// A run of `scene` from `state`.
    pub(crate) fn new(scene: &'a Scene, state: State, outputs: Option<Outputs>) -> Self {
        let workspace = Workspace::new(&scene.model);
        let before_step = state.clone();
        Self {
            scene,
            state,
            workspace,
            tally: Tally::default(),
            samples: Vec::new(),
            outputs,
            outputs_time: Duration::ZERO,
            before_step,
        }
    }

    /// Runs to the end of the scene, to a failed step, or to an interrupt.
    pub(crate) fn run(mut self, bar: &ProgressBar, interrupt: &Interrupt) -> Result<RunEnd, CommandError> {
        let started = Instant::now();
        let scene = self.scene;
        let start = self.state.clone();
        let start_energies = measure::energies(&scene.model, &start);
        let dt = scene.model.settings.dt;
        let steps = step_count(scene.duration - start.time, dt);
        let every = |interval: f64| ((interval / dt).round() as u64).max(1);
        let metrics_every = every(scene.output.metrics_interval);
        let states_every = every(scene.output.states_interval);

        self.record(true, true)?;
        let mut status = RunStatus::Completed;
        let mut done = 0;
        while done < steps && status == RunStatus::Completed {
            if interrupt.requested() {
                status = RunStatus::Interrupted;
                break;
            }
            self.before_step.clone_from(&self.state);
            let report = ropewalk_sim::step(&scene.model, &mut self.state, &mut self.workspace);
            status = match report.status {
                StepStatus::Converged => RunStatus::Completed,
                StepStatus::NotConverged => RunStatus::NotConverged,
                StepStatus::PassesThrough => RunStatus::PassesThrough,
                StepStatus::NotFinite => RunStatus::NotFinite,
            };
            if status != RunStatus::Completed {
                break;
            }
            if !self.sample(&report) {
                status = RunStatus::NotFinite;
                break;
            }
            done += 1;
            self.record(done.is_multiple_of(metrics_every), done.is_multiple_of(states_every))?;
            bar.set_position(done);
        }
        // The end is in the files, wherever the run ended.
        self.record(!done.is_multiple_of(metrics_every), !done.is_multiple_of(states_every))?;
        bar.finish_and_clear();
        Ok(self.finish(status, &start, start_energies, started))
    }

    /// Adds up what a step reports and takes the sample that claims ask for. If a number is not finite,
    /// the state is put back to what it was before the step, and the answer is no.
    fn sample(&mut self, report: &StepReport) -> bool {
        let started = Instant::now();
        let work = self.tally.work + report.work;
        let sample = ropewalk_scene::sample(&self.scene.model, &self.state, &self.workspace, work);
        let mut wrenches = sample.wrenches.iter().chain(&sample.attachments);
        let wrenches_finite = wrenches.all(|w| w.force.is_finite() && w.torque.is_finite())
            && sample.efforts.iter().all(|x| x.is_finite());
        let energy = sample.energies.total() + work;
        if !(energy.is_finite() && wrenches_finite && self.state.is_finite()) {
            self.state.clone_from(&self.before_step);
            return false;
        }
        self.tally.add(report);
        self.tally.deepest_overlap_m = self.tally.deepest_overlap_m.max(sample.deepest_overlap_m);
        self.samples.push(sample);
        self.outputs_time += started.elapsed();
        true
    }

    /// Energies of the last good state.
    fn energies(&self) -> Energies {
        match self.samples.last() {
            Some(sample) => sample.energies,
            None => measure::energies(&self.scene.model, &self.state),
        }
    }

    /// Writes the state to the files that are due.
    fn record(&mut self, metrics: bool, states: bool) -> Result<(), CommandError> {
        let started = Instant::now();
        let energies = self.energies();
        if metrics && let Some(outputs) = &mut self.outputs {
            let model = &self.scene.model;
            // Not from the workspace: after a failed step it holds what failed.
            let sample = self.samples.last();
            outputs.record_metrics(model, &self.state, &energies, self.tally.work, sample)?;
        }
        if states && let Some(outputs) = &mut self.outputs {
            outputs.record_state(&self.scene.model, &self.state)?;
        }
        self.outputs_time += started.elapsed();
        Ok(())
    }

    fn finish(self, status: RunStatus, start: &State, start_energies: Energies, started: Instant) -> RunEnd {
        // A claim is about the whole run: it says nothing about a part of it.
        let results = if status == RunStatus::Completed { self.evaluate_claims(start) } else { Vec::new() };
        let end_energies = self.energies();
        let clock = Clock {
            wall_s: started.elapsed().as_secs_f64(),
            outputs_s: self.outputs_time.as_secs_f64(),
            threads: rayon::current_num_threads(),
        };
        let energies = [start_energies, end_energies];
        let ends = Ends::of(self.scene, &self.state, self.samples.last());
        let summary = Summary::new(self.scene, status, &self.tally, clock, energies, results, ends);
        RunEnd { summary, state: self.state, outputs: self.outputs }
    }

    fn evaluate_claims(&self, start: &State) -> Vec<ClaimResult> {
        let record = RunRecord {
            model: &self.scene.model,
            start,
            end: &self.state,
            wrenches: self.samples.last().map_or(&[], |sample| sample.wrenches.as_slice()),
            samples: &self.samples,
        };
        self.scene.claims.iter().map(|claim| claim.evaluate(&record)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::step_count;

    #[test]
    fn steps_cover_the_duration_without_one_too_many() {
        assert_eq!(step_count(2.0, 1e-3), 2000);
        assert_eq!(step_count(0.3, 0.1), 3);
        assert_eq!(step_count(0.25, 0.1), 3);
        assert_eq!(step_count(1e-9, 0.1), 1);
    }
}
