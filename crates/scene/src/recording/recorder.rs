//! The schedule by which messages of a run are written.
//!
//! Frames (positions and contacts in single precision, measures, timers) come at a chosen rate; a frame is always the
//! end of a step, so its interval is a whole number of steps. Some frames are also written as states in double
//! precision, with full contacts and patches: the first, the last, and others at a lower rate. Events come with the
//! step in which they happen.

use super::binary_frame::Singles;
use super::foxglove::FoxgloveTopic;
use super::log_writer::LogWriter;
use super::message::{EventKind, EventMessage, MeasuresMessage, Message, SceneMessage, TimersMessage};
use super::{describe, foxglove, frame};
use crate::{FileError, Sample, Scene};
use ropewalk_sim::report::STAGES;
use ropewalk_sim::{Model, NamedArray, State, StepReport, Workspace};
use std::path::Path;

/// The name of events for commands between steps.
pub const COMMANDS: &str = "commands";

/// Rates of messages, per simulated second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Frames, at most one for each step.
    pub frames: f64,
    /// States in double precision with contacts and patches, at most one for each frame. The first and the last are
    /// always written.
    pub states: f64,
    /// Frames for the 3D panel of Foxglove, as JSON, at most one for each frame; zero for none.
    pub foxglove: f64,
}

impl Rates {
    /// Default rates of all but the frames.
    pub const DEFAULT: Self = Self { frames: 60.0, states: 1.0, foxglove: 10.0 };

    /// `frames` frames, and defaults for the other rates.
    pub fn of_frames(frames: f64) -> Self {
        Self { frames, ..Self::DEFAULT }
    }
}

/// Records a run.
#[derive(Debug)]
pub struct Recorder {
    log: LogWriter,
    /// Steps from frame to frame.
    frame_steps: u64,
    /// Steps from state to state, a multiple of those from frame to frame.
    state_steps: u64,
    /// The same for Foxglove; `None` if not written.
    foxglove_steps: Option<u64>,
    /// The constant messages for Foxglove.
    description: SceneMessage,
    /// Steps of the run so far.
    steps: u64,
    /// Time of the last frame.
    frame_time: f64,
    /// Time of the last state.
    state_time: f64,
    singles: Singles,
    attached: Vec<bool>,
    /// Number of attachments of the scene; those made during the run are not in its frames.
    attachment_count: usize,
    clamp_held: Vec<bool>,
    /// The commands last noted.
    commanded: Vec<NamedArray>,
    timers: TimersMessage,
}

impl Recorder {
    /// Starts a recording of `scene` at the rates `rates`. The run is at `state`, after `steps` steps.
    pub fn create(
        path: &Path,
        scene: &Scene,
        rates: Rates,
        state: &State,
        steps: u64,
    ) -> Result<Self, FileError> {
        let dt = scene.model.settings.dt;
        let frame_steps = ((1.0 / (rates.frames * dt)).round() as u64).max(1);
        // A whole number of frames.
        let steps_of = |rate: f64| {
            let frames = ((1.0 / (rate * frame_steps as f64 * dt)).round() as u64).max(1);
            frame_steps.saturating_mul(frames)
        };
        let mut log = LogWriter::create(path)?;
        let description = describe::describe(scene, frame_steps as f64 * dt);
        log.write(state.time, &Message::Scene(Box::new(description.clone())))?;
        let mut recorder = Self {
            log,
            frame_steps,
            state_steps: steps_of(rates.states),
            foxglove_steps: (rates.foxglove > 0.0).then(|| steps_of(rates.foxglove)),
            description,
            steps,
            frame_time: f64::NEG_INFINITY,
            state_time: f64::NEG_INFINITY,
            singles: Singles::default(),
            attached: attached(state),
            attachment_count: scene.model.attachments.len(),
            clamp_held: clamp_held(&scene.model, state.time),
            commanded: Vec::new(),
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
        if self.foxglove_steps.is_some() {
            let shapes = foxglove::shapes(&self.description, state.time);
            self.log.write_foxglove(FoxgloveTopic::Scene, state.time, &shapes)?;
        }
        self.places(model, state, None, true)?;
        self.state(model, state, None)?;
        self.write_measures(measures)
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
        let drawn = self.foxglove_steps.is_some_and(|steps| self.steps.is_multiple_of(steps));
        self.places(model, state, Some(workspace), drawn)?;
        if self.steps.is_multiple_of(self.state_steps) {
            self.state(model, state, Some(workspace))?;
        }
        self.measures(model, Some(workspace), sample)?;
        self.write_timers(state.time)
    }

    /// Writes a state in double precision, with contacts and patches if they are known.
    fn state(
        &mut self,
        model: &Model,
        state: &State,
        workspace: Option<&Workspace>,
    ) -> Result<(), FileError> {
        let time = state.time;
        let mut exact = frame::state(model, state);
        exact.attached.truncate(self.attachment_count);
        self.log.write(time, &Message::State(exact))?;
        if let Some(workspace) = workspace.filter(|_| model.contact.is_some()) {
            self.log.write(time, &Message::Contacts(frame::contacts(model, time, workspace)))?;
            if frame::has_patches(model) {
                self.log.write(time, &Message::Patches(frame::patches(model, time, workspace)))?;
            }
        }
        self.state_time = time;
        Ok(())
    }

    /// A frame in single precision, for Foxglove too if it is `drawn`.
    fn places(
        &mut self,
        model: &Model,
        state: &State,
        workspace: Option<&Workspace>,
        drawn: bool,
    ) -> Result<(), FileError> {
        let mut places = frame::frame(model, state, workspace, &mut self.singles);
        places.attached.truncate(self.attachment_count);
        if drawn && self.foxglove_steps.is_some() {
            let (scene, time) = (&self.description, state.time);
            self.log.write_foxglove(
                FoxgloveTopic::Transforms,
                time,
                &foxglove::transforms(scene, &places),
            )?;
            self.log.write_foxglove(FoxgloveTopic::Scene, time, &foxglove::moment(scene, &places))?;
        }
        self.log.write(state.time, &Message::Frame(places))?;
        self.frame_time = state.time;
        Ok(())
    }

    fn measures(
        &mut self,
        model: &Model,
        workspace: Option<&Workspace>,
        sample: &Sample,
    ) -> Result<(), FileError> {
        let mut measures = frame::measures(sample);
        measures.patches = workspace.and_then(|workspace| frame::patch_totals(model, workspace));
        self.write_measures(measures)
    }

    fn write_measures(&mut self, mut measures: MeasuresMessage) -> Result<(), FileError> {
        measures.attachments.truncate(self.attachment_count);
        measures.not_finite = core::mem::take(&mut self.singles.replaced);
        self.log.write(measures.time, &Message::Measures(measures))
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

    /// Notes the commands between steps, if they have changed: an event called [`COMMANDS`], whose detail is JSON
    /// with the number of steps before it and the arrays of [`State::command_arrays`].
    pub fn note_commands(&mut self, model: &Model, state: &State) -> Result<(), FileError> {
        let arrays = State::command_arrays(model, state);
        if arrays == self.commanded {
            return Ok(());
        }
        let table =
            arrays.iter().map(|a| (a.name.clone(), serde_json::json!({ "shape": a.shape, "data": a.data })));
        let table: serde_json::Map<_, _> = table.collect();
        let detail = serde_json::json!({ "steps": self.steps, "arrays": table }).to_string();
        self.commanded = arrays;
        self.event(state.time, EventKind::Command, COMMANDS, &detail)
    }

    /// Notes that a user has changed the run: the command `name`, with all data needed to repeat it in `detail`.
    pub fn command(&mut self, time: f64, name: &str, detail: &str) -> Result<(), FileError> {
        self.event(time, EventKind::Command, name, detail)
    }

    /// Notes that a step failed, and why; `state` is the one before it.
    pub fn failure(&mut self, state: &State, why: &str) -> Result<(), FileError> {
        self.event(state.time, EventKind::Failure, "", why)
    }

    /// Ends the recording with the last good state, if it is not written in double precision yet, and with `status`
    /// as the last event. `workspace` is that of the last step; `None` if there was none, or if it failed.
    pub fn finish(
        mut self,
        model: &Model,
        (state, workspace): (&State, Option<&Workspace>),
        sample: Option<&Sample>,
        status: &str,
    ) -> Result<(), FileError> {
        let frame_is_due = state.time > self.frame_time;
        if frame_is_due {
            self.places(model, state, workspace, true)?;
        }
        if state.time > self.state_time {
            self.state(model, state, workspace)?;
        }
        if frame_is_due && let Some(sample) = sample {
            self.measures(model, workspace, sample)?;
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
