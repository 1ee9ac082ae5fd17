//! Summary of a recording.

use super::message::EventMessage;
use super::reader::Ending;
use super::{Message, Recording, TOPICS};
use crate::FileError;
use core::ops::ControlFlow;
use serde::Serialize;
use std::collections::BTreeMap;

/// Summary of a recording.
#[derive(Clone, Debug, Serialize)]
pub struct Info {
    /// The file.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// Whether it is complete; an incomplete one ends early, as after a crash.
    pub complete: bool,
    /// Name of the scene.
    pub scene: String,
    /// What the scene shows.
    pub title: String,
    /// Version of the program that wrote it.
    pub ropewalk: String,
    /// Version of its messages.
    pub format: u32,
    /// Time of the first frame in s.
    pub start: f64,
    /// Time of the last frame in s.
    pub end: f64,
    /// Time step in s.
    pub dt: f64,
    /// Frames.
    pub frames: u64,
    /// Time between them in s.
    pub frame_interval: f64,
    /// Rods.
    pub rods: Vec<RodSummary>,
    /// Bodies and robots.
    pub trees: Vec<TreeSummary>,
    /// Messages by topic.
    pub messages: BTreeMap<&'static str, u64>,
    /// Most contacts in one frame.
    pub most_contacts: usize,
    /// Most patches in one frame.
    pub most_patches: usize,
    /// Most polygons in one frame.
    pub most_polygons: usize,
    /// Greatest pressure of a polygon in Pa.
    pub peak_pressure: f64,
    /// Steps.
    pub steps: u64,
    /// Seconds of the clock in the stages of the steps, summed over threads.
    pub step_seconds: f64,
    /// Numbers of frames that were not finite and are written as 0.
    pub not_finite: u64,
    /// What happened.
    pub events: Vec<EventMessage>,
}

/// A rod in short.
#[derive(Clone, Debug, Serialize)]
pub struct RodSummary {
    /// Name.
    pub name: String,
    /// Nodes.
    pub nodes: usize,
    /// Whether it is closed.
    pub closed: bool,
    /// Length at rest in m.
    pub rest_length: f64,
    /// Greatest thickness in m.
    pub thickness: f64,
}

/// A body or robot in short.
#[derive(Clone, Debug, Serialize)]
pub struct TreeSummary {
    /// Name.
    pub name: String,
    /// Whether it is a robot.
    pub robot: bool,
    /// Links.
    pub links: usize,
    /// Shapes.
    pub shapes: usize,
}

impl Info {
    /// Reads all of `recording`.
    pub fn of(recording: &Recording) -> Result<Self, FileError> {
        let scene = &recording.scene;
        let path = recording.path();
        let mut info = Self {
            file: path.display().to_string(),
            bytes: recording.size()?,
            complete: false,
            scene: scene.name.clone(),
            title: scene.title.clone(),
            ropewalk: scene.ropewalk.clone(),
            format: scene.format,
            start: 0.0,
            end: 0.0,
            dt: scene.dt,
            frames: 0,
            frame_interval: scene.frame_interval,
            rods: Vec::new(),
            trees: Vec::new(),
            messages: TOPICS.iter().map(|(_, name)| (*name, 0)).collect(),
            most_contacts: 0,
            most_patches: 0,
            most_polygons: 0,
            peak_pressure: 0.0,
            steps: 0,
            step_seconds: 0.0,
            not_finite: 0,
            events: Vec::new(),
        };
        info.rods = scene
            .rods
            .iter()
            .map(|rod| RodSummary {
                name: rod.name.clone(),
                nodes: rod.node_count,
                closed: rod.closed,
                rest_length: rod.rest_lengths.iter().sum(),
                thickness: 2.0 * rod.half_extents.iter().flatten().copied().fold(0.0, f64::max),
            })
            .collect();
        info.trees = scene
            .trees
            .iter()
            .map(|tree| TreeSummary {
                name: tree.name.clone(),
                robot: tree.robot,
                links: tree.links.len(),
                shapes: tree.links.iter().map(|link| link.shapes.len()).sum(),
            })
            .collect();
        let ending = recording.read(|message| {
            info.add(message);
            Ok(ControlFlow::Continue(()))
        })?;
        info.complete = ending == Ending::Complete;
        Ok(info)
    }

    /// A state or a frame; both if the moment is recorded in double precision, too.
    fn add_moment(&mut self, time: f64) {
        if self.frames == 0 {
            self.start = time;
        } else if time == self.end {
            return;
        }
        self.frames += 1;
        self.end = time;
    }

    fn add(&mut self, message: Message) {
        *self.messages.entry(message.topic().name()).or_default() += 1;
        match message {
            Message::State(state) => self.add_moment(state.time),
            Message::Frame(frame) => {
                self.add_moment(frame.time);
                self.most_contacts = self.most_contacts.max(frame.contacts.len());
            }
            Message::Contacts(contacts) => {
                self.most_contacts = self.most_contacts.max(contacts.contacts.len());
            }
            Message::Patches(message) => {
                let patches = &message.patches;
                self.most_patches = self.most_patches.max(patches.len());
                self.most_polygons =
                    self.most_polygons.max(patches.iter().map(|patch| patch.polygons.len()).sum());
                self.peak_pressure =
                    patches.iter().map(|patch| patch.peak_pressure).fold(self.peak_pressure, f64::max);
            }
            Message::Measures(measures) => {
                let totals = measures.patches.unwrap_or_default();
                self.most_patches = self.most_patches.max(totals.patch_count);
                self.most_polygons = self.most_polygons.max(totals.polygon_count);
                self.peak_pressure = self.peak_pressure.max(totals.peak_pressure);
                self.not_finite = self.not_finite.saturating_add(measures.not_finite);
            }
            Message::Timers(timers) => {
                self.steps = self.steps.saturating_add(timers.steps);
                self.step_seconds += timers.seconds.iter().sum::<f64>();
            }
            Message::Event(event) => self.events.push(event),
            Message::Scene(_) => {}
        }
    }
}
