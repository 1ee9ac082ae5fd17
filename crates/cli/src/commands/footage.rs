//! Frames for pictures and films, from a run of a scene or from a recording.

use crate::console;
use crate::exit::CommandError;
use crate::number::significant;
use core::ops::ControlFlow;
use ropewalk_render::stage::ContactMark;
use ropewalk_render::{Frame, Stage};
use ropewalk_scene::estimate::MOST_STEPS;
use ropewalk_scene::recording::Message;
use ropewalk_scene::recording::moment::Moments;
use ropewalk_scene::{FileError, Recording, Scene};
use ropewalk_sim::{State, StepStatus, Workspace};
use std::path::Path;

/// Most frames of a film, and most node positions in all of them: a bound on memory.
const MOST_FRAMES: usize = 20_000;
const MOST_NODES: usize = 40_000_000;

/// A scene with a state to start from, or a recording.
pub(super) enum Source {
    /// A scene, which is run.
    Scene {
        /// The scene.
        scene: Box<Scene>,
        /// Where the run starts.
        state: Box<State>,
    },
    /// A recording.
    Recording {
        /// The recording.
        recording: Box<Recording>,
        /// Times of its first and last frame in s.
        range: [f64; 2],
    },
}

/// Frames at the requested times.
pub(super) struct Footage {
    /// The scene.
    pub(super) stage: Stage,
    /// In the order of the times.
    pub(super) frames: Vec<Frame>,
    /// Whether a step failed before the last of them.
    pub(super) failed: bool,
}

impl Source {
    /// The recording of that name if it ends in `.mcap`, otherwise the scene; `from` is a saved state.
    pub(super) fn open(name: &str, overrides: &[String], from: Option<&Path>) -> Result<Self, CommandError> {
        if !name.ends_with(".mcap") {
            let scene = ropewalk_scene::load_named(name, overrides)?;
            let state = match from {
                Some(path) => ropewalk_scene::saved_run::read_state(path, &scene.model, &scene.state)?,
                None => scene.state.clone(),
            };
            return Ok(Self::Scene { scene: Box::new(scene), state: Box::new(state) });
        }
        if !overrides.is_empty() || from.is_some() {
            return Err(CommandError::input(
                format!("{name}: --set and --from are for scenes, and this is a recording"),
                "leave them out, or name the scene",
            ));
        }
        let recording = Recording::open(Path::new(name))?;
        let mut range: Option<[f64; 2]> = None;
        recording.read(|message| {
            let time = match message {
                Message::State(state) => state.time,
                Message::Frame(frame) => frame.time,
                _ => return Ok(ControlFlow::Continue(())),
            };
            range = Some([range.map_or(time, |r| r[0]), time]);
            Ok(ControlFlow::Continue(()))
        })?;
        match range {
            Some(range) => Ok(Self::Recording { recording: Box::new(recording), range }),
            None => Err(CommandError::input(
                format!("{name}: there are no frames in this recording"),
                "give a run.mcap that `ropewalk run --out` has written",
            )),
        }
    }

    /// Times in s at which it begins and ends.
    pub(super) fn range(&self) -> [f64; 2] {
        match self {
            Self::Scene { scene, state } => [state.time, scene.duration.max(state.time)],
            Self::Recording { range, .. } => *range,
        }
    }

    /// Name of the scene.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Scene { scene, .. } => &scene.name,
            Self::Recording { recording, .. } => &recording.scene.name,
        }
    }

    /// The frames at `times`, which increase.
    pub(super) fn frames(self, times: &[f64]) -> Result<Footage, CommandError> {
        let stage = match &self {
            Self::Scene { scene, .. } => Stage::of_scene(scene),
            Self::Recording { recording, .. } => Stage::of_recording(&recording.scene),
        };
        let nodes: usize = stage.rods.iter().map(|rod| rod.node_count()).sum();
        if times.len() > MOST_FRAMES || nodes.saturating_mul(times.len()) > MOST_NODES {
            return Err(CommandError::input(
                format!("a film of {} frames with {nodes} nodes each is too large", times.len()),
                "give a lower --fps, a higher --speed or a shorter --times",
            ));
        }
        if let (Self::Scene { scene, state }, Some(end)) = (&self, times.last()) {
            let steps = (end - state.time) / scene.model.settings.dt;
            if steps > MOST_STEPS {
                return Err(CommandError::input(
                    format!("--times {end:e}: up to there are {steps:.1e} steps"),
                    format!("give times up to which there are at most {MOST_STEPS:e}"),
                ));
            }
        }
        match self {
            Self::Scene { scene, state } => Ok(run(&scene, *state, times, stage)),
            Self::Recording { recording, .. } => read(&recording, times, stage),
        }
    }
}

/// Runs a scene up to each of the times.
fn run(scene: &Scene, mut state: State, times: &[f64], stage: Stage) -> Footage {
    let mut workspace = Workspace::new(&scene.model);
    let dt = scene.model.settings.dt;
    let mut frames = Vec::with_capacity(times.len());
    for &time in times {
        while state.time < time - 0.5 * dt {
            let report = ropewalk_sim::step(&scene.model, &mut state, &mut workspace);
            if report.status != StepStatus::Converged {
                console::say(&format!(
                    "error: the step after t = {} s failed\nhint: `ropewalk run {}` says why and keeps the state",
                    significant(state.time, 7),
                    scene.source,
                ));
                return Footage { stage, frames, failed: true };
            }
        }
        frames.push(Frame::of_state(&scene.model, &state).with_contacts(&workspace));
    }
    Footage { stage, frames, failed: false }
}

/// Reads the frames of a recording that are nearest to the times.
fn read(recording: &Recording, times: &[f64], stage: Stage) -> Result<Footage, CommandError> {
    let bad = |what: String| FileError::content(recording.path(), what, "the file is damaged");
    let mut picked = Picked { times, frames: Vec::with_capacity(times.len()), last: None };
    let mut moments = Moments::of(&recording.scene);
    let mut contacts = Vec::new();
    recording.read(|message| {
        if let Some(moment) = moments.take(&message) {
            let frame = Frame { contacts: core::mem::take(&mut contacts), ..Frame::of_message(&moment) };
            stage.check_frame(&frame).map_err(bad)?;
            picked.pass(frame);
        }
        match message {
            Message::Frame(frame) => contacts = ContactMark::of_frame(&frame),
            Message::Contacts(exact) => contacts = ContactMark::of_message(&exact),
            _ => {}
        }
        Ok(if picked.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    if let Some(moment) = moments.finish() {
        let frame = Frame { contacts, ..Frame::of_message(&moment) };
        stage.check_frame(&frame).map_err(bad)?;
        picked.pass(frame);
    }
    Ok(Footage { frames: picked.finish(), stage, failed: false })
}

/// The frames that are nearest to the times, taken while all pass by in their order.
struct Picked<'a> {
    times: &'a [f64],
    frames: Vec<Frame>,
    last: Option<Frame>,
}

impl Picked<'_> {
    fn pass(&mut self, next: Frame) {
        if let Some(before) = self.last.take() {
            while let Some(&time) = self.times.get(self.frames.len()).filter(|time| next.time >= **time) {
                let near = if next.time - time <= time - before.time { &next } else { &before };
                self.frames.push(near.clone());
            }
        }
        self.last = Some(next);
    }

    fn is_full(&self) -> bool {
        self.frames.len() == self.times.len()
    }

    /// What is asked for after the last frame is that frame.
    fn finish(mut self) -> Vec<Frame> {
        if let Some(last) = &self.last {
            self.frames.resize(self.times.len(), last.clone());
        }
        self.frames
    }
}
