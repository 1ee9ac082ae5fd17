//! A recording, read message by message: memory does not grow with the file.

use super::fit;
use super::log_writer::file_error;
use super::message::SceneMessage;
use super::{FORMAT, Message, Topic};
use crate::FileError;
use core::ops::ControlFlow;
use mcap::McapError;
use mcap::records::Record;
use mcap::sans_io::linear_reader::{LinearReadEvent, LinearReader, LinearReaderOptions};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

/// Remedy where the content of a file is wrong.
pub(super) const DAMAGED: &str = "the file is damaged, or another program wrote it";

/// A recording.
#[derive(Clone, Debug)]
pub struct Recording {
    path: PathBuf,
    /// What does not change.
    pub scene: SceneMessage,
}

/// How reading a recording ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The file is whole.
    Complete,
    /// The file ends early, as after a crash or while it is still written; all before that was read.
    Cut,
    /// The reader had enough.
    Stopped,
}

impl Recording {
    /// Opens a recording.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let mut scene = None;
        read(path, |message| match message {
            Message::Scene(found) => {
                scene = Some(*found);
                Ok(ControlFlow::Break(()))
            }
            _ => Ok(ControlFlow::Continue(())),
        })?;
        let hint = "give a run.mcap that `ropewalk run --out` has written";
        let scene = scene.ok_or_else(|| {
            FileError::content(path, format!("there is no message on {} in it", Topic::Scene.name()), hint)
        })?;
        if let Some(what) = fit::scene_problem(&scene) {
            let hint = if scene.format > FORMAT {
                format!("use ropewalk {} or later", scene.ropewalk)
            } else {
                DAMAGED.to_owned()
            };
            return Err(FileError::content(path, what, hint));
        }
        Ok(Self { path: path.to_owned(), scene })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives every message to `see`, in the order of the file, until it has had enough.
    pub fn read(
        &self,
        mut see: impl FnMut(Message) -> Result<ControlFlow<()>, FileError>,
    ) -> Result<Ending, FileError> {
        read(&self.path, |message| match fit::message_problem(&self.scene, &message) {
            Some(what) => {
                let what = format!("a message on {} does not fit: {what}", message.topic().name());
                Err(FileError::content(&self.path, what, DAMAGED))
            }
            None => see(message),
        })
    }
}

fn read(
    path: &Path,
    mut see: impl FnMut(Message) -> Result<ControlFlow<()>, FileError>,
) -> Result<Ending, FileError> {
    let mut file = BufReader::new(File::open(path).map_err(FileError::io(path))?);
    // A chunk that a crash has cut is passed over as a whole: what is in it may be anything.
    let options = LinearReaderOptions::default().with_prevalidate_chunk_crcs(true);
    let mut reader = LinearReader::new_with_options(options);
    let mut topics: BTreeMap<u16, Topic> = BTreeMap::new();
    let mut any = false;
    while let Some(event) = reader.next_event() {
        let (opcode, data) = match event {
            Ok(LinearReadEvent::ReadRequest(need)) => {
                let count = file.read(reader.insert(need)).map_err(FileError::io(path))?;
                reader.notify_read(count);
                continue;
            }
            Ok(LinearReadEvent::Record { opcode, data }) => (opcode, data),
            Err(McapError::UnexpectedEof) if any => return Ok(Ending::Cut),
            Err(error) => return Err(file_error(path, error)),
        };
        any = true;
        match mcap::parse_record(opcode, data).map_err(|error| file_error(path, error))? {
            Record::Channel(channel) => {
                if let Some(topic) = Topic::from_name(&channel.topic) {
                    topics.insert(channel.id, topic);
                }
            }
            Record::Message { header, data } => {
                let Some(&topic) = topics.get(&header.channel_id) else { continue };
                let message = Message::from_bytes(topic, &data).map_err(|error| {
                    let what = format!("a message on {} cannot be read: {error}", topic.name());
                    FileError::content(path, what, DAMAGED)
                })?;
                if see(message)?.is_break() {
                    return Ok(Ending::Stopped);
                }
            }
            _ => {}
        }
    }
    Ok(Ending::Complete)
}
