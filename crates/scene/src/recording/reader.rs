//! A recording, read message by message: memory does not grow with the file.

use super::fit;
use super::message::SceneMessage;
use super::{FORMAT, Message, Topic};
use crate::FileError;
use crate::regular_file::open_regular;
use core::ops::ControlFlow;
use mcap::McapError;
use mcap::records::{Record, op};
use mcap::sans_io::linear_reader::{LinearReadEvent, LinearReader, LinearReaderOptions};
use std::collections::BTreeMap;
use std::io::{BufReader, Cursor, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Remedy where the content of a file is wrong.
pub(super) const DAMAGED: &str = "the file is damaged, or another program wrote it";

/// A recording.
#[derive(Clone, Debug)]
pub struct Recording {
    content: Content,
    /// What does not change.
    pub scene: SceneMessage,
}

/// Where a recording is, and its bytes if it is in memory.
#[derive(Clone, Debug)]
struct Content {
    path: PathBuf,
    bytes: Option<Arc<[u8]>>,
}

/// How reading of a recording ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The file is complete.
    Complete,
    /// The file ends early, as after a crash or while it is still written; all before that was read.
    Cut,
    /// The reader stopped.
    Stopped,
}

impl Recording {
    /// Opens a recording.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        Self::of(Content { path: path.to_owned(), bytes: None })
    }

    /// A recording that is in memory; errors call it `name`.
    pub fn from_bytes(name: &Path, bytes: Arc<[u8]>) -> Result<Self, FileError> {
        Self::of(Content { path: name.to_owned(), bytes: Some(bytes) })
    }

    fn of(content: Content) -> Result<Self, FileError> {
        let (path, mut scene) = (&content.path, None);
        content.read(|message| match message {
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
        Ok(Self { content, scene })
    }

    /// The file, or what errors call it.
    pub fn path(&self) -> &Path {
        &self.content.path
    }

    /// Bytes of the file.
    pub fn size(&self) -> Result<u64, FileError> {
        match &self.content.bytes {
            Some(bytes) => Ok(bytes.len() as u64),
            None => Ok(std::fs::metadata(self.path()).map_err(FileError::io(self.path()))?.len()),
        }
    }

    /// Passes every message to `see`, in the order of the file, until it stops.
    pub fn read(
        &self,
        mut see: impl FnMut(Message) -> Result<ControlFlow<()>, FileError>,
    ) -> Result<Ending, FileError> {
        self.content.read(|message| match fit::message_problem(&self.scene, &message) {
            Some(what) => {
                let what = format!("a message on {} does not fit: {what}", message.topic().name());
                Err(FileError::content(self.path(), what, DAMAGED))
            }
            None => see(message),
        })
    }
}

/// Bytes of the largest record, and of the largest chunk once decompressed.
pub(super) const MOST_RECORD_BYTES: usize = 1 << 26;
/// Greatest ratio of decompressed to compressed size, unless below [`SMALL_BYTES`]. (Even for a scene at rest, each
/// message has an uncompressed index entry of 16 B.)
const MOST_EXPANSION: u64 = 256;
const SMALL_BYTES: u64 = 1 << 28;

/// The bytes of a file on demand, and a count of bytes of messages.
struct Source {
    bytes: Box<dyn Read>,
    size: u64,
    /// Bytes read so far.
    at: u64,
    /// Bytes of messages so far, decompressed.
    messages: u64,
}

impl Source {
    fn of(content: &Content) -> std::io::Result<Self> {
        let (bytes, size): (Box<dyn Read>, u64) = if let Some(bytes) = &content.bytes {
            (Box::new(Cursor::new(bytes.clone())), bytes.len() as u64)
        } else {
            let (file, size) = open_regular(&content.path)?;
            (Box::new(BufReader::new(file)), size)
        };
        Ok(Self { bytes, size, at: 0, messages: 0 })
    }

    /// Passes `reader` the bytes that it needs, or as many as there are. A length beyond the end of the file reserves
    /// no memory: the file counts as truncated there.
    fn feed(&mut self, reader: &mut LinearReader, need: usize) -> std::io::Result<()> {
        let left = self.size.saturating_sub(self.at);
        let count = if need as u64 > left { 0 } else { self.bytes.read(reader.insert(need))? };
        self.at += count as u64;
        reader.notify_read(count);
        Ok(())
    }

    /// Counts a message; an error if the file decompresses to far more than its size.
    fn count(&mut self, bytes: usize) -> Result<(), String> {
        self.messages = self.messages.saturating_add(bytes as u64);
        let most = SMALL_BYTES.max(self.size.saturating_mul(MOST_EXPANSION));
        if self.messages > most {
            return Err(format!("its {} bytes expand to more than {most}", self.size));
        }
        Ok(())
    }
}

/// Id, topic and message encoding of a channel record: u16 id, u16 schema, then strings, each after its length as a u32.
/// Read here, since the lengths may claim anything, and a reader that reserves them first takes 4 GB.
fn channel(data: &[u8]) -> Option<(u16, &str, &str)> {
    let (id, rest) = data.split_first_chunk::<2>()?;
    let (_schema, rest) = rest.split_first_chunk::<2>()?;
    let (topic, rest) = string(rest)?;
    let (encoding, _) = string(rest)?;
    Some((u16::from_le_bytes(*id), topic, encoding))
}

/// A string after its length, and what follows it.
fn string(data: &[u8]) -> Option<(&str, &[u8])> {
    let (length, rest) = data.split_first_chunk::<4>()?;
    let (text, rest) = rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)?;
    Some((str::from_utf8(text).ok()?, rest))
}

/// The next event of `reader`. A record that is longer than its chunk makes the library underflow, and in some builds
/// panic: that, too, is a damaged file.
fn next_event<'a>(reader: &'a mut LinearReader) -> Option<Result<LinearReadEvent<'a>, McapError>> {
    let reader = AssertUnwindSafe(reader);
    let next = catch_unwind(move || {
        let AssertUnwindSafe(reader) = { reader };
        reader.next_event()
    });
    next.unwrap_or_else(|_| Some(Err(McapError::UnexpectedEoc)))
}

impl Content {
    /// Passes every message to `see`.
    fn read(
        &self,
        mut see: impl FnMut(Message) -> Result<ControlFlow<()>, FileError>,
    ) -> Result<Ending, FileError> {
        let path = self.path.as_path();
        let mut source = Source::of(self).map_err(FileError::io(path))?;
        // A chunk truncated by a crash is skipped as a whole, since its contents are unreliable.
        let options = LinearReaderOptions::default()
            .with_prevalidate_chunk_crcs(true)
            .with_record_length_limit(MOST_RECORD_BYTES);
        let mut reader = LinearReader::new_with_options(options);
        let mut topics: BTreeMap<u16, Topic> = BTreeMap::new();
        let mut any = false;
        while let Some(event) = next_event(&mut reader) {
            let damaged = |what: String| {
                FileError::content(
                    path,
                    format!("near byte {} of {}: {what}", source.at, source.size),
                    DAMAGED,
                )
            };
            let (opcode, data) = match event {
                Ok(LinearReadEvent::ReadRequest(need)) => {
                    source.feed(&mut reader, need).map_err(FileError::io(path))?;
                    continue;
                }
                Ok(LinearReadEvent::Record { opcode, data }) => (opcode, data),
                Err(McapError::UnexpectedEof) if any => return Ok(Ending::Cut),
                Err(McapError::Io(error)) if error.raw_os_error().is_some() => {
                    return Err(FileError::io(path)(error));
                }
                Err(error) => return Err(damaged(error.to_string())),
            };
            any = true;
            if opcode == op::CHANNEL {
                let (id, name, encoding) = channel(data)
                    .ok_or_else(|| damaged("a channel claims more than its record has".into()))?;
                let topic = Topic::from_name(name);
                if let Some(topic) = topic.filter(|t| t.message_encoding() == encoding) {
                    topics.insert(id, topic);
                }
                continue;
            }
            if opcode != op::MESSAGE {
                continue;
            }
            let record = mcap::parse_record(opcode, data).map_err(|error| damaged(error.to_string()))?;
            let Record::Message { header, data } = record else { continue };
            let Some(&topic) = topics.get(&header.channel_id) else { continue };
            let message = Message::from_bytes(topic, &data)
                .map_err(|error| damaged(format!("a message on {} cannot be read: {error}", topic.name())))?;
            let count = data.len();
            source.count(count).map_err(|what| FileError::content(path, what, DAMAGED))?;
            if see(message)?.is_break() {
                return Ok(Ending::Stopped);
            }
        }
        Ok(Ending::Complete)
    }
}
