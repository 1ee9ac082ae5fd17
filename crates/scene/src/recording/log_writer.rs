//! Writes the file of a recording: append-only, and readable at any time, up to the last half second.
//!
//! Messages are collected in chunks, which are compressed and written as a whole when they are large enough, and at
//! the latest after [`FLUSH_INTERVAL`], by a separate thread, since a single step may take longer. Written data never
//! change, so all written chunks are complete however the process ends. If there is no space for a chunk, the file is
//! truncated to the last complete one.

use super::foxglove::{FOXGLOVE_TOPICS, FoxgloveTopic};
use super::mcap_file::{CHUNK_BYTES, McapFile, MessageHead};
use super::reader::MOST_RECORD_BYTES;
use super::{Message, TOPICS};
use crate::FileError;
use crate::output_file::AppendFile;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Messages wait at most this long for their chunk to be written.
const FLUSH_INTERVAL: Duration = Duration::from_millis(500);

/// Bytes that a message takes in a chunk beside its own, and that a chunk may hold before it.
const RECORD_OVERHEAD: usize = 2 * CHUNK_BYTES;

/// Writes messages to an MCAP file.
#[derive(Debug)]
pub struct LogWriter {
    path: PathBuf,
    shared: Arc<Shared>,
    flusher: Option<JoinHandle<()>>,
    channels: [u16; CHANNELS],
    sequences: [u32; CHANNELS],
}

/// Channels of our own topics, then those for Foxglove.
const CHANNELS: usize = TOPICS.len() + FOXGLOVE_TOPICS.len();

/// What the writer shares with the thread that flushes.
#[derive(Debug)]
struct Shared {
    log: Mutex<Log>,
    /// Notified when the recording ends.
    ended: Condvar,
}

#[derive(Debug)]
struct Log {
    /// `None` once it is complete.
    file: Option<McapFile>,
    /// What went wrong in the thread that flushes.
    failure: Option<io::Error>,
}

impl Shared {
    /// Locks the log, even if a thread that held it has panicked: the file still has to be completed.
    fn lock(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Flushes until the recording ends.
    fn keep_flushed(&self) {
        let mut log = self.lock();
        while log.file.is_some() {
            let waited = self.ended.wait_timeout(log, FLUSH_INTERVAL);
            log = waited.unwrap_or_else(PoisonError::into_inner).0;
            if let Some(Err(error)) = log.file.as_mut().map(McapFile::write_chunk) {
                log.failure = Some(error);
                return;
            }
        }
    }
}

impl LogWriter {
    /// Starts the file `path`, with the schemas of all topics.
    pub fn create(path: &Path) -> Result<Self, FileError> {
        let create = || -> io::Result<Self> {
            let library = concat!("ropewalk ", env!("CARGO_PKG_VERSION"));
            let mut file = McapFile::create(AppendFile::create(path)?, library)?;
            let mut channels = [0; CHANNELS];
            for ((topic, name), channel) in TOPICS.into_iter().zip(&mut channels) {
                let schema =
                    file.add_schema(topic.schema_name(), topic.schema_encoding(), &topic.schema_text());
                *channel = file.add_channel(schema, name, topic.message_encoding());
            }
            for (topic, channel) in FOXGLOVE_TOPICS.into_iter().zip(&mut channels[TOPICS.len()..]) {
                let schema = file.add_schema(topic.schema_name(), "jsonschema", &topic.schema_text());
                *channel = file.add_channel(schema, topic.name(), "json");
            }
            let log = Log { file: Some(file), failure: None };
            let shared = Arc::new(Shared { log: Mutex::new(log), ended: Condvar::new() });
            let background = Arc::clone(&shared);
            let flusher = std::thread::Builder::new()
                .name("recording".to_owned())
                .spawn(move || background.keep_flushed())?;
            let sequences = [0; CHANNELS];
            Ok(Self { path: path.to_owned(), shared, flusher: Some(flusher), channels, sequences })
        };
        create().map_err(FileError::io(path))
    }

    /// Adds a message of the time `time` (s).
    pub fn write(&mut self, time: f64, message: &Message) -> Result<(), FileError> {
        let topic = message.topic();
        let bytes = message.to_bytes().map_err(io::Error::from);
        let written = bytes.and_then(|bytes| self.write_bytes(topic as usize, topic.name(), time, &bytes));
        written.map_err(FileError::io(&self.path))
    }

    /// Adds a message for Foxglove.
    pub fn write_foxglove(
        &mut self,
        topic: FoxgloveTopic,
        time: f64,
        message: &impl serde::Serialize,
    ) -> Result<(), FileError> {
        let bytes = serde_json::to_vec(message).map_err(io::Error::from);
        let index = TOPICS.len() + topic as usize;
        let written = bytes.and_then(|bytes| self.write_bytes(index, topic.name(), time, &bytes));
        written.map_err(FileError::io(&self.path))
    }

    fn write_bytes(&mut self, index: usize, name: &str, time: f64, bytes: &[u8]) -> io::Result<()> {
        if bytes.len() > MOST_RECORD_BYTES - RECORD_OVERHEAD {
            let what = format!(
                "a message on {} has {} bytes, more than a reader takes; simplify meshes, or record nothing \
                 (--record-rate 0)",
                name,
                bytes.len()
            );
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
        }
        let sequence = self.sequences[index];
        let head = MessageHead { channel: self.channels[index], sequence, time: nanoseconds(time) };
        self.sequences[index] = sequence.wrapping_add(1);
        let mut log = self.shared.lock();
        if let Some(failure) = log.failure.take() {
            return Err(failure);
        }
        log.file.as_mut().map_or(Ok(()), |file| file.add_message(head, bytes))
    }

    /// Completes the file with its index.
    pub fn finish(mut self) -> Result<(), FileError> {
        self.complete().map_err(FileError::io(&self.path))
    }

    fn complete(&mut self) -> io::Result<()> {
        let (file, failure) = {
            let mut log = self.shared.lock();
            (log.file.take(), log.failure.take())
        };
        self.shared.ended.notify_all();
        if let Some(thread) = self.flusher.take() {
            // The thread is finished; if it panicked, the file is completed nevertheless.
            let _ = thread.join();
        }
        match (failure, file) {
            (Some(failure), _) => Err(failure),
            (None, Some(file)) => file.finish(),
            (None, None) => Ok(()),
        }
    }
}

/// A recording that is dropped without being finished is completed if possible.
impl Drop for LogWriter {
    fn drop(&mut self) {
        let _ = self.complete();
    }
}

/// MCAP counts time in whole nanoseconds, here those of the simulation.
pub(super) fn nanoseconds(time: f64) -> u64 {
    (time * 1e9).round().max(0.0) as u64
}
