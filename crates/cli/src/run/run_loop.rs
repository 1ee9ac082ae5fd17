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
use ropewalk_scene::{Driver as SceneDriver, SavedRun, Scene};
use ropewalk_sim::{Energies, Model, State, StepReport, measure};
use std::time::{Duration, Instant};

/// The start of a run.
pub(crate) enum Beginning {
    /// A new run from this state.
    Start(Box<State>),
    /// A saved run, and the sums over its steps so far.
    Kept(Box<SavedRun>, Tally),
}

impl Beginning {
    /// The state now.
    pub(crate) fn state(&self) -> &State {
        match self {
            Self::Start(state) => state,
            Self::Kept(run, _) => &run.state,
        }
    }

    /// Steps done before.
    pub(crate) fn steps_done(&self) -> u64 {
        match self {
            Self::Start(_) => 0,
            Self::Kept(_, tally) => tally.steps,
        }
    }

    /// Extends its states for additions to `model`.
    pub(crate) fn complete(&mut self, model: &Model) {
        match self {
            Self::Start(state) => state.complete(model),
            Self::Kept(run, _) => {
                run.start.complete(model);
                run.state.complete(model);
            }
        }
    }

    /// Steps of the whole run of `scene`, those done included.
    pub(crate) fn step_count(&self, scene: &Scene) -> u64 {
        self.steps_done() + step_count(scene.duration - self.state().time, scene.model.settings.dt)
    }
}

/// A run in progress.
pub(crate) struct Stepper<'a> {
    run: SceneDriver<'a>,
    tally: Tally,
    /// Steps of the whole run.
    steps: u64,
    outputs: Option<Outputs>,
    /// Time between snapshots in s.
    snapshot_interval: Option<f64>,
    outputs_time: Duration,
    /// Changes by a user, if any.
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
    // A duration of n·dt is n steps, even if the quotient is n + 1e-12.
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
        let (run, tally) = match beginning {
            Beginning::Start(state) => (SceneDriver::starting_at(scene, *state), Tally::default()),
            Beginning::Kept(kept, tally) => (SceneDriver::resuming(scene, *kept, tally.steps), tally),
        };
        Self {
            run,
            tally,
            steps,
            outputs,
            snapshot_interval,
            outputs_time: Duration::ZERO,
            driver: None,
            failure: None,
        }
    }

    /// Lets `driver` change the run, which takes `steps` steps, or runs until it is interrupted.
    pub(crate) fn driven(mut self, driver: Driver, steps: Option<u64>) -> Self {
        self.driver = Some(driver);
        self.steps = steps.unwrap_or(u64::MAX);
        self
    }

    /// Runs to the end of the scene, to a failed step, or to an interrupt.
    pub(crate) fn run(mut self, bar: &mut Progress, interrupt: &Interrupt) -> Result<RunEnd, CommandError> {
        let started = Instant::now();
        let start_energies = measure::energies(&self.run.scene().model, self.run.start());
        let dt = self.run.scene().model.settings.dt;
        let every = |interval: f64| ((interval / dt).round() as u64).max(1);
        let metrics_every = every(self.run.scene().output.metrics_interval);
        let states_every = every(self.run.scene().output.states_interval);
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
            let report = match self.run.step() {
                Ok(report) => report,
                Err(report) if self.rest_after_failure(&report.failure) => continue,
                Err(report) => {
                    status = RunStatus::of_failure(report.status);
                    self.failure = Some(report.failure);
                    break;
                }
            };
            self.add_up(&report);
            done += 1;
            self.record_step(&report)?;
            if let Some(live) = self.driver.as_mut().and_then(Driver::live) {
                live.stepped(
                    &self.run.scene().model,
                    (self.run.state(), self.run.workspace()),
                    self.run.sample(),
                );
            }
            self.record(done.is_multiple_of(metrics_every), done.is_multiple_of(states_every))?;
            if snapshot_every.is_some_and(|every| done.is_multiple_of(every)) {
                self.write_snapshot()?;
            }
            bar.show(done, self.run.state().time);
        }
        if status == RunStatus::Interrupted && snapshot_every.is_some() {
            self.write_snapshot()?;
        }
        // The last state is in the files in any case.
        self.record(!done.is_multiple_of(metrics_every), !done.is_multiple_of(states_every))?;
        self.finish_recording(status)?;
        bar.clear();
        Ok(self.finish(status, start_energies, started))
    }

    /// Applies and records the driver's changes before step `step`.
    fn take_turn(&mut self, step: u64) -> Result<Turn, CommandError> {
        let Some(driver) = &mut self.driver else { return Ok(Turn::Step(Vec::new())) };
        let (model, state) = self.run.parts_mut();
        let turn = driver.turn(step, model, state);
        match &turn {
            Turn::Step(commands) => {
                if let Some(recorder) = self.outputs.as_mut().and_then(Outputs::recorder) {
                    for timed in commands {
                        recorder.command(
                            self.run.state().time,
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

    /// Restarts the run, and replaces its files.
    fn reset(&mut self) -> Result<(), CommandError> {
        let Some(driver) = &mut self.driver else { return Ok(()) };
        self.run.reset(driver.pristine());
        self.tally = Tally::default();
        if let Some(outputs) = self.outputs.take() {
            self.outputs = Some(outputs.restart(self.run.scene(), self.run.state())?);
        }
        self.record(true, true)?;
        self.begin_recording()?;
        if let Some(live) = self.driver.as_mut().and_then(Driver::live) {
            live.was_reset(&self.run.scene().model, self.run.state());
        }
        Ok(())
    }

    /// The first frame of the recording.
    fn begin_recording(&mut self) -> Result<(), CommandError> {
        if let Some(recorder) = self.outputs.as_mut().and_then(Outputs::recorder) {
            recorder.begin(&self.run.scene().model, self.run.state(), self.run.sample())?;
        }
        Ok(())
    }

    /// After a failed step a live run stays at its last good state until it is reset; any other run ends.
    fn rest_after_failure(&mut self, words: &str) -> bool {
        let time = self.run.state().time;
        match self.driver.as_mut().and_then(Driver::live) {
            Some(live) => live.step_failed(words, time),
            None => return false,
        }
        true
    }

    /// Adds the report of a step to the sums.
    fn add_up(&mut self, report: &StepReport) {
        self.tally.add(report);
        let overlap = self.run.sample().map_or(0.0, |sample| sample.deepest_overlap_m);
        self.tally.deepest_overlap_m = self.tally.deepest_overlap_m.max(overlap);
    }

    /// Energies of the last good state.
    fn energies(&self) -> Energies {
        match self.run.sample() {
            Some(sample) => sample.energies,
            None => measure::energies(&self.run.scene().model, self.run.state()),
        }
    }

    /// Writes the state to the files that are due.
    fn record(&mut self, metrics: bool, states: bool) -> Result<(), CommandError> {
        let started = Instant::now();
        let energies = self.energies();
        if metrics && let Some(outputs) = &mut self.outputs {
            let model = &self.run.scene().model;
            // Not from the workspace, which belongs to the failed step after a failure.
            let sample = self.run.sample();
            outputs.record_metrics(model, self.run.state(), &energies, self.tally.work, sample)?;
        }
        if states && let Some(outputs) = &mut self.outputs {
            outputs.record_state(&self.run.scene().model, self.run.state())?;
        }
        self.outputs_time += started.elapsed();
        Ok(())
    }

    /// Adds a step to the recording.
    fn record_step(&mut self, report: &StepReport) -> Result<(), CommandError> {
        let started = Instant::now();
        let sample = self.run.sample();
        if let (Some(recorder), Some(sample)) = (self.outputs.as_mut().and_then(Outputs::recorder), sample) {
            let run = &self.run;
            recorder.step(&run.scene().model, (run.state(), run.workspace()), report, sample)?;
        }
        self.outputs_time += started.elapsed();
        Ok(())
    }

    /// Completes the recording.
    fn finish_recording(&mut self, status: RunStatus) -> Result<(), CommandError> {
        let started = Instant::now();
        let failed = !matches!(status, RunStatus::Completed | RunStatus::Interrupted);
        if let Some(outputs) = &mut self.outputs {
            if failed && let Some(recorder) = outputs.recorder() {
                recorder.failure(self.run.state(), status.word())?;
            }
            // After a failed step the workspace is that of the failed step; without a step it is empty.
            let (state, sample) = (self.run.state(), self.run.sample());
            let stepped = !failed && sample.is_some_and(|sample| sample.time == state.time);
            let last = (state, Some(self.run.workspace()).filter(|_| stepped));
            outputs.finish_recording(&self.run.scene().model, last, sample, status.word())?;
        }
        self.outputs_time += started.elapsed();
        Ok(())
    }

    /// Saves a snapshot of the run.
    fn write_snapshot(&mut self) -> Result<(), CommandError> {
        let Some(outputs) = &self.outputs else { return Ok(()) };
        let started = Instant::now();
        outputs.write_snapshot(self.run.scene(), &self.run.save(self.tally.numbers()))?;
        self.outputs_time += started.elapsed();
        Ok(())
    }

    fn finish(self, status: RunStatus, start_energies: Energies, started: Instant) -> RunEnd {
        // Claims are about the whole run, not a part of it.
        let results = if status == RunStatus::Completed { self.run.claims() } else { Vec::new() };
        let end_energies = self.energies();
        let clock = Clock {
            wall_s: started.elapsed().as_secs_f64(),
            outputs_s: self.outputs_time.as_secs_f64(),
            threads: rayon::current_num_threads(),
        };
        let energies = [start_energies, end_energies];
        let scene = self.run.scene();
        let ends = Ends::of(scene, self.run.state(), self.run.sample());
        let mut summary = Summary::new(scene, status, &self.tally, clock, energies, results, ends);
        summary.failure = self.failure;
        RunEnd { summary, state: self.run.state().clone(), outputs: self.outputs }
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
