//! A live run with viewer pages, one of which sends commands.

use crate::console;
use crate::exit::CommandError;
use crate::run::driver::Turn;
use ropewalk_body::JointKind;
use ropewalk_scene::recording::binary_frame::Singles;
use ropewalk_scene::recording::message::SceneMessage;
use ropewalk_scene::recording::{describe, frame};
use ropewalk_scene::{Sample, Scene};
use ropewalk_sim::{ActuatorKind, Model, State, Workspace};
use ropewalk_view::command::{Command, Timed};
use ropewalk_view::page;
use ropewalk_view::payload::series;
use ropewalk_view::serve::Server;
use ropewalk_view::serve::hub::Hub;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Interval between frames.
const FRAME: Duration = Duration::from_millis(16);
/// Interval between status messages.
const STATUS: Duration = Duration::from_millis(250);
/// Interval at which a paused run polls for commands.
const REST: Duration = Duration::from_millis(4);

/// A run and its pages.
pub(crate) struct Live {
    hub: Arc<Hub>,
    description: SceneMessage,
    singles: Singles,
    paused: bool,
    /// Whether a step failed: only a reset helps.
    failed: bool,
    /// Steps to take while paused.
    steps_left: u32,
    /// Simulated seconds per second; 0 for as fast as possible.
    speed: f64,
    /// A moment of the clock, and the time of the run at it in s.
    clock: (Instant, f64),
    frame_sent: Instant,
    status_sent: (Instant, f64),
}

impl Live {
    /// Serves `scene`, which has its pointer already; `actuators` are its own. Prints the address.
    pub(crate) fn start(scene: &Scene, server: Server, actuators: usize) -> Result<Self, CommandError> {
        let description = describe::describe(scene, FRAME.as_secs_f64());
        let hello = json!({
            "kind": "hello",
            "scene": description,
            "series": series::columns(&description),
            "actuators": sliders(&scene.model, actuators, scene.state.time),
            "contact": scene.model.contact.is_some(),
        });
        let hub = Arc::new(Hub::new(&hello.to_string()));
        let address = server.address();
        server.start(page::live(), Some(Arc::clone(&hub))).map_err(|error| {
            CommandError::input(format!("cannot start a thread: {error}"), "run it without --view")
        })?;
        console::print(&format!("{address}\n"))?;
        console::say("Open this address in a browser on this computer; Ctrl-C ends the run.");
        let now = Instant::now();
        let mut live = Self {
            hub,
            description,
            singles: Singles::default(),
            paused: true,
            failed: false,
            steps_left: 0,
            speed: 1.0,
            clock: (now, scene.state.time),
            frame_sent: now,
            status_sent: (now, scene.state.time),
        };
        live.send_frame(&scene.model, &scene.state, None);
        live.send_status(scene.state.time);
        Ok(live)
    }

    /// The next action of a run at `time` (s).
    pub(crate) fn turn(&mut self, time: f64) -> Turn {
        let mut asked = Vec::new();
        for command in self.hub.take_commands() {
            match command {
                Command::Reset => return Turn::Reset,
                Command::Pause => self.pause(true, time),
                Command::Resume => self.pause(false, time),
                Command::Step { count } => {
                    self.pause(true, time);
                    self.steps_left = count;
                }
                Command::Speed { value } => {
                    self.speed = value;
                    self.clock = (Instant::now(), time);
                    self.send_status(time);
                }
                physical => asked.push(Timed { step: 0, command: physical }),
            }
        }
        if self.status_sent.0.elapsed() > STATUS {
            self.send_status(time);
        }
        let early =
            self.speed > 0.0 && (time - self.clock.1) > self.clock.0.elapsed().as_secs_f64() * self.speed;
        let rests = self.failed || if self.paused { self.steps_left == 0 } else { early };
        if rests && asked.is_empty() {
            std::thread::sleep(REST);
            return Turn::Rest;
        }
        if self.paused && self.steps_left > 0 {
            self.steps_left -= 1;
        } else if self.paused {
            // A command during a pause takes effect with one step, so that it becomes visible.
            self.steps_left = 0;
        }
        // If it lags noticeably, the run does not try to catch up.
        if self.speed > 0.0
            && self.clock.0.elapsed().as_secs_f64() * self.speed > time - self.clock.1 + 0.1 * self.speed
        {
            self.clock = (Instant::now(), time);
        }
        Turn::Step(asked)
    }

    fn pause(&mut self, paused: bool, time: f64) {
        self.paused = paused;
        self.steps_left = 0;
        self.clock = (Instant::now(), time);
        self.send_status(time);
    }

    /// After a step: a frame, if one is due.
    pub(crate) fn stepped(
        &mut self,
        model: &Model,
        (state, workspace): (&State, &Workspace),
        sample: Option<&Sample>,
    ) {
        if self.hub.is_watched()
            && (self.frame_sent.elapsed() >= FRAME || (self.paused && self.steps_left == 0))
        {
            self.send_frame(model, state, sample.map(|sample| (workspace, sample)));
        }
    }

    /// The run has been reset.
    pub(crate) fn was_reset(&mut self, model: &Model, state: &State) {
        self.failed = false;
        self.hub.publish_note("{\"kind\":\"reset\"}", false);
        self.clock = (Instant::now(), state.time);
        self.send_frame(model, state, None);
        self.send_status(state.time);
    }

    /// A step failed; the run is paused at the state before it.
    pub(crate) fn step_failed(&mut self, words: &str, time: f64) {
        self.failed = true;
        self.paused = true;
        self.refuse(&format!("the step after t = {time:.6} s failed: {words}; reset to go on"));
        self.send_status(time);
    }

    /// Reports to the pages that a command is invalid.
    pub(crate) fn refuse(&mut self, why: &str) {
        self.hub.publish_note(&json!({ "kind": "error", "text": why }).to_string(), false);
    }

    fn send_frame(&mut self, model: &Model, state: &State, step: Option<(&Workspace, &Sample)>) {
        let frame = frame::frame(model, state, step.map(|(workspace, _)| workspace), &mut self.singles);
        let measures =
            step.map_or_else(|| frame::measures_at_rest(model, state), |(_, sample)| frame::measures(sample));
        let values = series::values(&self.description, &measures);
        let mut bytes = (values.len() as u32).to_le_bytes().to_vec();
        bytes.extend(values.iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend(frame.encode());
        self.hub.publish_frame(bytes);
        self.frame_sent = Instant::now();
    }

    fn send_status(&mut self, time: f64) {
        let (since, from) = core::mem::replace(&mut self.status_sent, (Instant::now(), time));
        let ratio = (time - from) / since.elapsed().as_secs_f64().max(1e-3);
        let status = json!({
            "kind": "status", "paused": self.paused, "failed": self.failed, "speed": self.speed, "ratio": ratio, "time": time,
        });
        self.hub.publish_note(&status.to_string(), true);
    }
}

/// Data of the first `count` actuators of a model, for the sliders of a page.
fn sliders(model: &Model, count: usize, time: f64) -> Vec<Value> {
    let slider = |(index, a): (usize, &ropewalk_sim::Actuator)| {
        let joint = &model.trees[a.tree].tree.links()[a.link].joint;
        let slides = matches!(joint.kind, JointKind::Prismatic { .. });
        let value = a.kind.target().value(time);
        let around = |reach: f64| [value - reach, value + reach];
        let (unit, [low, high]) = match (&a.kind, slides) {
            (ActuatorKind::Force { .. }, _) => {
                let limit = if a.effort_limit.is_finite() { a.effort_limit } else { value.abs().max(10.0) };
                (if slides { "N" } else { "N·m" }, [-limit, limit])
            }
            (ActuatorKind::Velocity { .. }, true) => ("m/s", around(value.abs().max(0.5))),
            (ActuatorKind::Velocity { .. }, false) => ("rad/s", around(value.abs().max(6.0))),
            (_, true) => {
                ("m", if joint.limits.iter().all(|x| x.is_finite()) { joint.limits } else { around(0.5) })
            }
            (_, false) => {
                ("rad", if joint.limits.iter().all(|x| x.is_finite()) { joint.limits } else { around(3.2) })
            }
        };
        json!({ "index": index, "name": a.name, "unit": unit, "low": low, "high": high, "value": value })
    };
    // Actuators of an end effector on a path ignore other commands.
    let free = |&(index, _): &(usize, &ropewalk_sim::Actuator)| {
        !model.hands.iter().any(|hand| hand.actuators.contains(&index))
    };
    model.actuators.iter().take(count).enumerate().filter(free).map(slider).collect()
}
