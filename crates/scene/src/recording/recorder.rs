//! What of a run is written when.
//!
//! Frames (state, contacts, patches, measures, timers) come at a chosen rate; a frame is always the end of a step, so the rate is
//! that of a whole number of steps. Events come with the step in which they happen.

use super::log_writer::LogWriter;
use super::message::{EventKind, EventMessage, Message, TimersMessage};
use super::{describe, frame};
use crate::{FileError, Sample, Scene};
use ropewalk_sim::report::STAGES;
use ropewalk_sim::{Model, State, StepReport, Workspace};
use std::path::Path;

/// Records a run.
#[derive(Debug)]
pub struct Recorder {
    log: LogWriter,
    /// Steps from frame to frame.
    frame_steps: u64,
    /// Steps of the run so far.
    steps: u64,
    /// Time of the last frame.
    frame_time: f64,
    attached: Vec<bool>,
    clamp_held: Vec<bool>,
    timers: TimersMessage,
}

impl Recorder {
    /// Starts a recording of `scene` with `rate` frames per simulated second (at most one for each step). The run is at
    /// `state`, after `steps` steps.
    pub fn create(
        path: &Path,
        scene: &Scene,
        rate: f64,
        state: &State,
        steps: u64,
    ) -> Result<Self, FileError> {
        let dt = scene.model.settings.dt;
        let frame_steps = ((1.0 / (rate * dt)).round() as u64).max(1);
        let mut log = LogWriter::create(path)?;
        let description = describe::describe(scene, frame_steps as f64 * dt);
        log.write(state.time, &Message::Scene(Box::new(description)))?;
        let mut recorder = Self {
            log,
            frame_steps,
            steps,
            frame_time: f64::NEG_INFINITY,
            attached: attached(state),
            clamp_held: clamp_held(&scene.model, state.time),
            timers: TimersMessage::default(),
        };
        let detail = if steps > 0 { format!("after {steps} steps") } else { String::new() };
        recorder.event(state.time, EventKind::Start, "", &detail)?;
        recorder.restart_timers();
        Ok(recorder)
    }

    /// The frame before the first step, or before the first after a break, whose last step gave `sample`.
    pub fn begin(&mut self, model: &Model, state: &State, sample: Option<&Sample>) -> Result<(), FileError> {
        let measures = sample.map_or_else(|| frame::measures_at_rest(model, state), frame::measures);
        self.log.write(state.time, &Message::State(frame::state(model, state)))?;
        self.log.write(state.time, &Message::Measures(measures))?;
        self.frame_time = state.time;
        Ok(())
    }

    /// After a step: its events, and a frame if one is due.
    pub fn step(
        &mut self,
        model: &Model,
        (state, workspace): (&State, &Workspace),
        report: &StepReport,
        sample: &Sample,
    ) -> Result<(), FileError> {
        self.steps += 1;
        self.timers.steps += 1;
        self.timers.substeps += u64::from(report.substeps);
        self.timers.iterations += u64::from(report.iterations);
        for (sum, seconds) in self.timers.seconds.iter_mut().zip(report.stage_seconds) {
            *sum += seconds;
        }
        self.note_changes(model, state)?;
        if self.steps.is_multiple_of(self.frame_steps) {
            self.frame(model, (state, workspace), sample)?;
        }
        Ok(())
    }

    fn frame(
        &mut self,
        model: &Model,
        (state, workspace): (&State, &Workspace),
        sample: &Sample,
    ) -> Result<(), FileError> {
        let time = state.time;
        self.log.write(time, &Message::State(frame::state(model, state)))?;
        if model.contact.is_some() {
            self.log.write(time, &Message::Contacts(frame::contacts(model, time, workspace)))?;
            if !(model.patches.rods.is_empty() && model.patches.shapes.is_empty()) {
                self.log.write(time, &Message::Patches(frame::patches(model, time, workspace)))?;
            }
        }
        self.log.write(time, &Message::Measures(frame::measures(sample)))?;
        self.write_timers(time)?;
        self.frame_time = time;
        Ok(())
    }

    fn write_timers(&mut self, time: f64) -> Result<(), FileError> {
        let mut timers = core::mem::take(&mut self.timers);
        timers.time = time;
        self.log.write(time, &Message::Timers(timers))?;
        self.restart_timers();
        Ok(())
    }

    /// Attachments and clamps that have begun or ended.
    fn note_changes(&mut self, model: &Model, state: &State) -> Result<(), FileError> {
        let attached = attached(state);
        for (a, (&now, before)) in attached.iter().zip(self.attached.clone()).enumerate() {
            if now != before {
                let kind = if now { EventKind::Attach } else { EventKind::Release };
                self.event(state.time, kind, &model.attachments[a].name, "attachment")?;
            }
        }
        self.attached = attached;
        let held = clamp_held(model, state.time);
        for (c, before) in self.clamp_held.clone().into_iter().enumerate() {
            if before && !held[c] {
                self.event(state.time, EventKind::Release, &model.clamps[c].name, "clamp")?;
            }
        }
        self.clamp_held = held;
        Ok(())
    }

    /// Notes that a step failed, and why; `state` is the one before it.
    pub fn failure(&mut self, state: &State, why: &str) -> Result<(), FileError> {
        self.event(state.time, EventKind::Failure, "", why)
    }

    /// Ends the recording with the last good state, if it is not in a frame yet, and with `status` as its last word.
    pub fn finish(
        mut self,
        model: &Model,
        state: &State,
        sample: Option<&Sample>,
        status: &str,
    ) -> Result<(), FileError> {
        if state.time > self.frame_time {
            self.log.write(state.time, &Message::State(frame::state(model, state)))?;
            if let Some(sample) = sample {
                self.log.write(state.time, &Message::Measures(frame::measures(sample)))?;
            }
        }
        if self.timers.steps > 0 {
            self.write_timers(state.time)?;
        }
        self.event(state.time, EventKind::End, "", status)?;
        self.log.finish()
    }

    fn event(&mut self, time: f64, kind: EventKind, name: &str, detail: &str) -> Result<(), FileError> {
        let event = EventMessage { time, kind, name: name.to_owned(), detail: detail.to_owned() };
        self.log.write(time, &Message::Event(event))
    }

    fn restart_timers(&mut self) {
        self.timers = TimersMessage {
            stages: STAGES.map(str::to_owned).into(),
            seconds: vec![0.0; STAGES.len()],
            ..TimersMessage::default()
        };
    }
}

fn attached(state: &State) -> Vec<bool> {
    state.attachments.iter().map(|a| a.grip.is_some()).collect()
}

fn clamp_held(model: &Model, time: f64) -> Vec<bool> {
    model.clamps.iter().map(|clamp| time < clamp.release_time).collect()
}
