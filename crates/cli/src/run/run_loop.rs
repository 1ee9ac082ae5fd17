//! The loop over the steps of a run.

use crate::console;
use crate::exit::CommandError;
use crate::run::driver::{Driver, Turn};
use crate::run::final_state::Ends;
use crate::run::interrupt::Interrupt;
use crate::run::outputs::Outputs;
use crate::run::progress::Progress;
use crate::run::statistics::Tally;
use crate::run::summary::{Clock, RunStatus, Summary};
use ropewalk_scene::{ClaimResult, KeptSamples, RunRecord, Sample, SavedRun, Scene};
use ropewalk_sim::{Energies, State, StepReport, StepStatus, Workspace, measure};
use std::borrow::Cow;
use std::time::{Duration, Instant};

/// Where a run begins, or goes on.
pub(crate) struct Beginning {
    /// The state at the start of the whole run.
    pub(crate) start: State,
    /// The state now.
    pub(crate) state: State,
    /// Sums over the steps so far.
    pub(crate) tally: Tally,
    /// What was kept of the steps so far.
    pub(crate) samples: Vec<Sample>,
    /// What claims on measures have gathered so far.
    pub(crate) gauges: Vec<f64>,
}

impl Beginning {
    /// A new run from `state`.
    pub(crate) fn new(state: State) -> Self {
        Self { start: state.clone(), state, tally: Tally::default(), samples: Vec::new(), gauges: Vec::new() }
    }

    /// Steps of the whole run of `scene`, those done included.
    pub(crate) fn step_count(&self, scene: &Scene) -> u64 {
        self.tally.steps + step_count(scene.duration - self.state.time, scene.model.settings.dt)
    }
}

/// A run under way.
pub(crate) struct Stepper<'a> {
    scene: Cow<'a, Scene>,
    start: State,
    state: State,
    workspace: Workspace,
    tally: Tally,
    /// Steps of the whole run.
    steps: u64,
    samples: KeptSamples,
    outputs: Option<Outputs>,
    /// Time between snapshots in s.
    snapshot_interval: Option<f64>,
    outputs_time: Duration,
    /// The state before the step under way.
    before_step: State,
    /// Who changes the run, if anybody does.
    driver: Option<Driver>,
    /// Why a step failed, in words.
    failure: Option<String>,
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

impl<'a> Stepper<'a> {
    /// A run of `scene` from `beginning`, with a snapshot every `snapshot_interval` (s).
    pub(crate) fn new(
        scene: &'a Scene,
        beginning: Beginning,
        outputs: Option<Outputs>,
        snapshot_interval: Option<f64>,
    ) -> Self {
        let steps = beginning.step_count(scene);
        let (state, workspace) = (beginning.state, Workspace::new(&scene.model));
        let before_step = state.clone();
        let samples = KeptSamples::new(
            &scene.claims,
            &scene.model,
            &beginning.start,
            beginning.samples,
            &beginning.gauges,
        );
        Self {
            scene: Cow::Borrowed(scene),
            start: beginning.start,
            state,
            workspace,
            tally: beginning.tally,
            steps,
            samples,
            outputs,
            snapshot_interval,
            outputs_time: Duration::ZERO,
            before_step,
            driver: None,
            failure: None,
        }
    }

    /// The run is changed by `driver`; it takes `steps` steps, or goes on until it is interrupted.
    pub(crate) fn driven(mut self, driver: Driver, steps: Option<u64>) -> Self {
        self.driver = Some(driver);
        self.steps = steps.unwrap_or(u64::MAX);
        self
    }

    /// Runs to the end of the scene, to a failed step, or to an interrupt.
    pub(crate) fn run(mut self, bar: &mut Progress, interrupt: &Interrupt) -> Result<RunEnd, CommandError> {
        let started = Instant::now();
        let start_energies = measure::energies(&self.scene.model, &self.start);
        let dt = self.scene.model.settings.dt;
        let every = |interval: f64| ((interval / dt).round() as u64).max(1);
        let metrics_every = every(self.scene.output.metrics_interval);
        let states_every = every(self.scene.output.states_interval);
        let snapshot_every = self.snapshot_interval.map(every);

        self.record(true, true)?;
        self.begin_recording()?;
        let mut status = RunStatus::Completed;
        let mut done = self.tally.steps;
        while done < self.steps && status == RunStatus::Completed {
            if interrupt.requested() {
                status = RunStatus::Interrupted;
                break;
            }
            match self.take_turn(done)? {
                Turn::Step(_) => {}
                Turn::Rest => continue,
                Turn::Reset => {
                    done = 0;
                    continue;
                }
            }
            self.before_step.clone_from(&self.state);
            let mut report = ropewalk_sim::step(&self.scene.model, &mut self.state, &mut self.workspace);
            status = match report.status {
                StepStatus::Converged => RunStatus::Completed,
                StepStatus::NotConverged => RunStatus::NotConverged,
                StepStatus::PassesThrough => RunStatus::PassesThrough,
                StepStatus::GainsEnergy => RunStatus::GainsEnergy,
                StepStatus::NotFinite => RunStatus::NotFinite,
            };
            if status == RunStatus::Completed && !self.sample(&report) {
                status = RunStatus::NotFinite;
            }
            if status != RunStatus::Completed {
                if report.status == StepStatus::Converged {
                    report.status = StepStatus::NotFinite;
                }
                report.explain(&self.scene.model);
                if !self.rest_after_failure(&report.failure) {
                    self.failure = Some(report.failure);
                    break;
                }
                status = RunStatus::Completed;
                continue;
            }
            done += 1;
            self.record_step(&report)?;
            if let Some(live) = self.driver.as_mut().and_then(Driver::live) {
                live.stepped(&self.scene.model, (&self.state, &self.workspace), self.samples.last());
            }
            self.record(done.is_multiple_of(metrics_every), done.is_multiple_of(states_every))?;
            if snapshot_every.is_some_and(|every| done.is_multiple_of(every)) {
                self.write_snapshot()?;
            }
            bar.show(done, self.state.time);
        }
        if status == RunStatus::Interrupted && snapshot_every.is_some() {
            self.write_snapshot()?;
        }
        // The end is in the files, wherever the run ended.
        self.record(!done.is_multiple_of(metrics_every), !done.is_multiple_of(states_every))?;
        self.finish_recording(status)?;
        bar.clear();
        Ok(self.finish(status, start_energies, started))
    }

    /// What the driver has changed before step `step`; what it changed is written down.
    fn take_turn(&mut self, step: u64) -> Result<Turn, CommandError> {
        let Some(driver) = &mut self.driver else { return Ok(Turn::Step(Vec::new())) };
        let turn = driver.turn(step, &mut self.scene.to_mut().model, &mut self.state);
        match &turn {
            Turn::Step(commands) => {
                if let Some(recorder) = self.outputs.as_mut().and_then(Outputs::recorder) {
                    for timed in commands {
                        recorder.command(
                            self.state.time,
                            timed.command.name(),
                            &console::json_line(timed)?,
                        )?;
                    }
                }
            }
            Turn::Rest => {}
            Turn::Reset => self.reset()?,
        }
        Ok(turn)
    }

    /// All from the start; what was written so far is replaced.
    fn reset(&mut self) -> Result<(), CommandError> {
        let Some(driver) = &mut self.driver else { return Ok(()) };
        self.scene.to_mut().model.clone_from(driver.pristine());
        (self.state, self.workspace) = (self.start.clone(), Workspace::new(&self.scene.model));
        self.tally = Tally::default();
        self.samples = KeptSamples::new(&self.scene.claims, &self.scene.model, &self.start, Vec::new(), &[]);
        if let Some(outputs) = self.outputs.take() {
            self.outputs = Some(outputs.restart(&self.scene, &self.state)?);
        }
        self.record(true, true)?;
        self.begin_recording()?;
        if let Some(live) = self.driver.as_mut().and_then(Driver::live) {
            live.was_reset(&self.scene.model, &self.state);
        }
        Ok(())
    }

    /// The first frame of the recording.
    fn begin_recording(&mut self) -> Result<(), CommandError> {
        if let Some(recorder) = self.outputs.as_mut().and_then(Outputs::recorder) {
            recorder.begin(&self.scene.model, &self.state, self.samples.last())?;
        }
        Ok(())
    }

    /// A run that pages look at stays at its last good state after a step that failed, until it is reset; any other ends.
    fn rest_after_failure(&mut self, words: &str) -> bool {
        self.state.clone_from(&self.before_step);
        let time = self.state.time;
        match self.driver.as_mut().and_then(Driver::live) {
            Some(live) => live.step_failed(words, time),
            None => return false,
        }
        true
    }

    /// Adds up what a step reports and takes the sample that claims ask for. If a number is not finite,
    /// the state is put back to what it was before the step, and the answer is no.
    fn sample(&mut self, report: &StepReport) -> bool {
        let started = Instant::now();
        let work = self.tally.work + report.work;
        let mut sample = ropewalk_scene::sample(&self.scene.model, &self.state, &self.workspace, work);
        let Scene { claims, model, .. } = &*self.scene;
        sample.nearest_pass = ropewalk_scene::nearest_pass(claims, model, &self.before_step, &self.state);
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
        self.samples.see(&self.scene.model, &self.state, &self.workspace, sample);
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

    /// Adds a step to the recording.
    fn record_step(&mut self, report: &StepReport) -> Result<(), CommandError> {
        let started = Instant::now();
        let sample = self.samples.last();
        if let (Some(recorder), Some(sample)) = (self.outputs.as_mut().and_then(Outputs::recorder), sample) {
            recorder.step(&self.scene.model, (&self.state, &self.workspace), report, sample)?;
        }
        self.outputs_time += started.elapsed();
        Ok(())
    }

    /// Completes the recording, however the run ended.
    fn finish_recording(&mut self, status: RunStatus) -> Result<(), CommandError> {
        let started = Instant::now();
        let failed = !matches!(status, RunStatus::Completed | RunStatus::Interrupted);
        if let Some(outputs) = &mut self.outputs {
            if failed && let Some(recorder) = outputs.recorder() {
                recorder.failure(&self.state, status.word())?;
            }
            // After a failed step the workspace holds what failed; without a step it holds nothing.
            let stepped = !failed && self.samples.last().is_some_and(|sample| sample.time == self.state.time);
            let last = (&self.state, Some(&self.workspace).filter(|_| stepped));
            outputs.finish_recording(&self.scene.model, last, self.samples.last(), status.word())?;
        }
        self.outputs_time += started.elapsed();
        Ok(())
    }

    /// Keeps the run as it is now, to go on from.
    fn write_snapshot(&mut self) -> Result<(), CommandError> {
        let Some(outputs) = &self.outputs else { return Ok(()) };
        let started = Instant::now();
        let run = SavedRun {
            state: self.state.clone(),
            start: self.start.clone(),
            duration: self.scene.duration,
            samples: self.samples.as_slice().to_vec(),
            gauges: self.samples.gathered(),
            tally: self.tally.numbers(),
        };
        outputs.write_snapshot(&self.scene, &run)?;
        self.outputs_time += started.elapsed();
        Ok(())
    }

    fn finish(self, status: RunStatus, start_energies: Energies, started: Instant) -> RunEnd {
        // A claim is about the whole run: it says nothing about a part of it.
        let results = if status == RunStatus::Completed { self.evaluate_claims() } else { Vec::new() };
        let end_energies = self.energies();
        let clock = Clock {
            wall_s: started.elapsed().as_secs_f64(),
            outputs_s: self.outputs_time.as_secs_f64(),
            threads: rayon::current_num_threads(),
        };
        let energies = [start_energies, end_energies];
        let ends = Ends::of(&self.scene, &self.state, self.samples.last());
        let mut summary = Summary::new(&self.scene, status, &self.tally, clock, energies, results, ends);
        summary.failure = self.failure;
        RunEnd { summary, state: self.state, outputs: self.outputs }
    }

    fn evaluate_claims(&self) -> Vec<ClaimResult> {
        let measured = self.samples.measured();
        let record = RunRecord {
            model: &self.scene.model,
            start: &self.start,
            end: &self.state,
            wrenches: self.samples.last().map_or(&[], |sample| sample.wrenches.as_slice()),
            samples: self.samples.as_slice(),
            measured: &measured,
            tallies: self.samples.tallies(),
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
