//! Writes the file of a recording: append-only, and readable at any time, up to the last half second.
//!
//! Messages are collected in chunks, which are compressed and written as a whole when they are large enough, and at
//! the latest after [`FLUSH_INTERVAL`], by a separate thread, since a single step may take longer. Written data never
//! change, so all written chunks are complete however the process ends. If there is no space for a chunk, the file is
//! truncated to the last complete one.

use super::foxglove::{FOXGLOVE_TOPICS, FoxgloveTopic};
use super::reader::MOST_RECORD_BYTES;
use super::{Message, TOPICS};
use crate::FileError;
use crate::output_file::{AppendFile, Marker};
use mcap::records::MessageHeader;
use mcap::{Compression, McapError, WriteOptions, Writer};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Messages wait at most this long for their chunk to be written.
const FLUSH_INTERVAL: Duration = Duration::from_millis(500);
/// Bytes of a chunk before compression: the memory that a recording takes.
const CHUNK_BYTES: u64 = 1 << 20;

/// Overhead of a message in a chunk, and of a chunk, in bytes.
const RECORD_OVERHEAD: usize = 2 * CHUNK_BYTES as usize;

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

/// State shared by the writer and the flushing thread.
struct Shared {
    log: Mutex<Log>,
    /// Notified when the recording ends.
    ended: Condvar,
}

struct Log {
    /// `None` once the file is complete.
    writer: Option<Writer<AppendFile>>,
    /// Marks up to where the file is complete.
    marker: Marker,
    /// Whether there are messages that are not in the file yet.
    waiting: bool,
    /// Error of the flushing thread.
    failure: Option<McapError>,
}

impl core::fmt::Debug for Shared {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl Shared {
    /// Locks the log, even if a thread that held it has panicked: the file still has to be completed.
    fn lock(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Flushes until the recording ends.
    fn keep_flushed(&self) {
        let mut log = self.lock();
        while log.writer.is_some() {
            let waited = self.ended.wait_timeout(log, FLUSH_INTERVAL);
            log = waited.unwrap_or_else(PoisonError::into_inner).0;
            if !core::mem::take(&mut log.waiting) {
                continue;
            }
            if let Some(Err(error)) = log.writer.as_mut().map(Writer::flush) {
                log.failure = Some(error);
                return;
            }
            log.marker.mark();
        }
    }
}

impl LogWriter {
    /// Starts the file `path`, with the schemas of all topics.
    pub fn create(path: &Path) -> Result<Self, FileError> {
        let create = || -> Result<Self, McapError> {
            let options = WriteOptions::new()
                .compression(Some(Compression::Zstd))
                .compression_threads(0)
                .chunk_size(Some(CHUNK_BYTES))
                // If the process ended while seeking back, a chunk would lack its length.
                .disable_seeking(true)
                .library(concat!("ropewalk ", env!("CARGO_PKG_VERSION")));
            let file = AppendFile::create(path)?;
            let marker = file.marker();
            let mut writer = options.create(file)?;
            let mut channels = [0; CHANNELS];
            for ((topic, name), channel) in TOPICS.into_iter().zip(&mut channels) {
                let text = topic.schema_text();
                let schema =
                    writer.add_schema(topic.schema_name(), topic.schema_encoding(), text.as_bytes())?;
                *channel = writer.add_channel(schema, name, topic.message_encoding(), &BTreeMap::new())?;
            }
            for (topic, channel) in FOXGLOVE_TOPICS.into_iter().zip(&mut channels[TOPICS.len()..]) {
                let text = topic.schema_text();
                let schema = writer.add_schema(topic.schema_name(), "jsonschema", text.as_bytes())?;
                *channel = writer.add_channel(schema, topic.name(), "json", &BTreeMap::new())?;
            }
            let log = Log { writer: Some(writer), marker, waiting: false, failure: None };
            let shared = Arc::new(Shared { log: Mutex::new(log), ended: Condvar::new() });
            let background = Arc::clone(&shared);
            let flusher = std::thread::Builder::new()
                .name("recording".to_owned())
                .spawn(move || background.keep_flushed())?;
            let sequences = [0; CHANNELS];
            Ok(Self { path: path.to_owned(), shared, flusher: Some(flusher), channels, sequences })
        };
        create().map_err(|error| file_error(path, error))
    }

    /// Adds a message of the time `time` (s).
    pub fn write(&mut self, time: f64, message: &Message) -> Result<(), FileError> {
        let topic = message.topic();
        let bytes = message.to_bytes().map_err(io::Error::from);
        let written = bytes
            .map_err(McapError::from)
            .and_then(|bytes| self.write_bytes(topic as usize, topic.name(), time, &bytes));
        written.map_err(|error| file_error(&self.path, error))
    }

    /// Adds a message for Foxglove.
    pub fn write_foxglove(
        &mut self,
        topic: FoxgloveTopic,
        time: f64,
        message: &impl serde::Serialize,
    ) -> Result<(), FileError> {
        let bytes = serde_json::to_vec(message).map_err(io::Error::from);
        let written = bytes
            .map_err(McapError::from)
            .and_then(|bytes| self.write_bytes(TOPICS.len() + topic as usize, topic.name(), time, &bytes));
        written.map_err(|error| file_error(&self.path, error))
    }

    fn write_bytes(&mut self, index: usize, name: &str, time: f64, bytes: &[u8]) -> Result<(), McapError> {
        if bytes.len() > MOST_RECORD_BYTES - RECORD_OVERHEAD {
            let what = format!(
                "a message on {} has {} bytes, more than a reader takes; simplify meshes, or record nothing \
                 (--record-rate 0)",
                name,
                bytes.len()
            );
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, what).into());
        }
        let nanoseconds = nanoseconds(time);
        let header = MessageHeader {
            channel_id: self.channels[index],
            sequence: self.sequences[index],
            log_time: nanoseconds,
            publish_time: nanoseconds,
        };
        self.sequences[index] = header.sequence.wrapping_add(1);
        let mut log = self.shared.lock();
        if let Some(failure) = log.failure.take() {
            return Err(failure);
        }
        log.waiting = true;
        if let Some(writer) = &mut log.writer {
            writer.write_to_known_channel(&header, bytes)?;
            log.marker.mark();
        }
        Ok(())
    }

    /// Completes the file with its index.
    pub fn finish(mut self) -> Result<(), FileError> {
        self.complete().map_err(|error| file_error(&self.path, error))
    }

    fn complete(&mut self) -> Result<(), McapError> {
        let (writer, failure, marker) = {
            let mut log = self.shared.lock();
            (log.writer.take(), log.failure.take(), log.marker.clone())
        };
        self.shared.ended.notify_all();
        if let Some(thread) = self.flusher.take() {
            // The thread is finished; if it panicked, the file is completed nevertheless.
            let _ = thread.join();
        }
        if let Some(failure) = failure {
            return Err(failure);
        }
        if let Some(mut writer) = writer {
            // Pending messages first: they stay even if there is no space for the index.
            writer.flush()?;
            marker.mark();
            writer.finish()?;
        }
        Ok(())
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

/// The error of the file as a message.
pub(super) fn file_error(path: &Path, error: McapError) -> FileError {
    let source = match error {
        McapError::Io(source) => source,
        other => io::Error::other(other.to_string()),
    };
    FileError::Io { path: path.display().to_string(), source }
}
