//! A recording as a page.
//!
//! The file is read twice: first for the ranges that determine the rounding, then frame by frame. Memory holds the
//! times, the measured series and the packed payload, never all frames.

use crate::page;
use crate::payload::{Extremes, Opening, PayloadWriter, series};
use core::ops::ControlFlow;
use ropewalk_scene::output_file::WholeFile;
use ropewalk_scene::recording::Message;
use ropewalk_scene::recording::message::EventMessage;
use ropewalk_scene::{FileError, Recording};
use std::path::Path;

/// Most bytes of unpacked frames in a page: a browser holds them all.
pub const MOST_BYTES: usize = 256 << 20;

/// A run packed for a page.
#[derive(Clone, Debug)]
pub struct Player {
    /// The payload for [`page::with_run`].
    pub payload: Vec<u8>,
    /// Frames in it.
    pub frames: usize,
    /// Frames of the recording; more than `frames` if some were left out.
    pub recorded: usize,
}

impl Player {
    /// Packs `recording`. For a long one only every second, third, … frame, to fit into a browser's memory.
    pub fn of(recording: &Recording) -> Result<Self, FileError> {
        Self::within(recording, MOST_BYTES)
    }

    fn within(recording: &Recording, most_bytes: usize) -> Result<Self, FileError> {
        let survey = Survey::of(recording)?;
        let recorded = survey.times.len();
        if recorded == 0 {
            return Err(FileError::content(
                recording.path(),
                "there is no frame in it",
                "record the run again with this version: `ropewalk run SCENE --out DIR`",
            ));
        }
        let stride = survey.bytes.div_ceil(most_bytes.max(1)).max(1);
        // The last frame is always included.
        let chosen: Vec<usize> =
            (0..recorded).filter(|k| (recorded - 1 - k).is_multiple_of(stride)).collect();
        let scene = &recording.scene;
        let columns = series::columns(scene);
        let mut values = vec![Vec::with_capacity(chosen.len()); columns.len()];
        for &k in &chosen {
            let row = survey.values[k].as_deref();
            for (c, column) in values.iter_mut().enumerate() {
                column.push(row.map_or(f32::NAN, |row| row[c]));
            }
        }
        let opening = Opening {
            scene,
            events: &survey.events,
            series: &columns,
            values: &values,
            times: &chosen.iter().map(|&k| survey.times[k]).collect::<Vec<_>>(),
            extremes: survey.extremes,
        };
        let packing = |error: std::io::Error| {
            FileError::content(recording.path(), error.to_string(), "record fewer frames")
        };
        let mut writer = PayloadWriter::new(&opening).map_err(packing)?;
        let (mut at, mut next) = (0, chosen.iter().peekable());
        recording.read(|message| {
            if let Message::Frame(frame) = message {
                if next.next_if_eq(&&at).is_some() {
                    writer.frame(&frame).map_err(packing)?;
                }
                at += 1;
            }
            Ok(ControlFlow::Continue(()))
        })?;
        // A file that shrinks while it is read would have fewer frames than its header states.
        if next.peek().is_some() {
            return Err(FileError::content(
                recording.path(),
                "the file changes while it is read",
                "wait until the run ends",
            ));
        }
        Ok(Self { payload: writer.finish().map_err(packing)?, frames: chosen.len(), recorded })
    }
}

/// Properties of a recording that must be known before its frames are packed.
#[derive(Default)]
struct Survey {
    times: Vec<f64>,
    /// Measured at each frame.
    values: Vec<Option<Vec<f32>>>,
    events: Vec<EventMessage>,
    extremes: Extremes,
    /// Of all frames, unpacked.
    bytes: usize,
}

impl Survey {
    fn of(recording: &Recording) -> Result<Self, FileError> {
        let mut survey = Self::default();
        recording.read(|message| {
            match message {
                Message::Frame(frame) => {
                    survey.extremes.see(&frame);
                    survey.times.push(frame.time);
                    survey.values.push(None);
                    survey.bytes +=
                        20 * frame.nodes.len() + 28 * frame.links.len() + 36 * frame.contacts.len();
                    survey.bytes += 12 * (frame.polygons.len() + frame.corners.len()) + 256;
                }
                Message::Measures(measures) => {
                    if let (Some(&time), Some(values)) = (survey.times.last(), survey.values.last_mut())
                        && time == measures.time
                    {
                        *values = Some(series::values(&recording.scene, &measures));
                    }
                }
                Message::Event(event) => survey.events.push(event),
                _ => {}
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(survey)
    }
}

/// Writes the recording `from` as the page `to`.
pub fn write_player(from: &Recording, to: &Path) -> Result<Player, FileError> {
    let player = Player::of(from)?;
    WholeFile::write(to, page::with_run(&player.payload).as_bytes()).map_err(FileError::io(to))?;
    Ok(player)
}
