//! An MCAP file (<https://mcap.dev/spec>) while it is written: append-only, in compressed chunks.
//!
//! ```text
//! magic, header, { chunk, message index of each of its channels }, data end,
//! schemas, channels, statistics, { chunk index }, summary offsets, footer, magic
//! ```
//!
//! A chunk and its message indexes are written in one piece, or taken back if there is no space for them. The index of a
//! chunk says where it is and what it holds, which the chunk and its message indexes say too. So the indexes are not kept
//! while the file grows: at the end they are read back from it, and the memory of a run does not grow with its recording.

use super::mcap_record::{BytesOut, CHUNK_HEAD, ChunkHead, MAGIC, record};
use crate::output_file::AppendFile;
use mcap::records::op;
use std::collections::BTreeMap;
use std::io::{self, Write};
use zstd::bulk::Compressor;

/// Bytes of a chunk before compression: the memory that a recording takes.
pub(super) const CHUNK_BYTES: usize = 1 << 20;
/// The name that MCAP has for the compression of chunks.
const COMPRESSION: &str = "zstd";
/// Bytes of the index that are gathered before they are written.
const INDEX_BYTES: usize = 1 << 16;

/// Where a message belongs.
#[derive(Clone, Copy, Debug)]
pub(super) struct MessageHead {
    /// Id of its channel.
    pub(super) channel: u16,
    /// Its number on that channel.
    pub(super) sequence: u32,
    /// Its time in ns.
    pub(super) time: u64,
}

/// First and last time in ns; `None` without messages.
#[derive(Clone, Copy, Debug, Default)]
struct Span(Option<[u64; 2]>);

impl Span {
    fn add(&mut self, time: u64) {
        let [first, last] = self.0.unwrap_or([time; 2]);
        self.0 = Some([first.min(time), last.max(time)]);
    }

    /// MCAP writes zeros where there are no messages.
    fn ends(self) -> [u64; 2] {
        self.0.unwrap_or_default()
    }
}

/// Messages that wait for their chunk to be written.
#[derive(Debug, Default)]
struct Chunk {
    /// Records, not compressed.
    bytes: Vec<u8>,
    span: Span,
    /// Time and place of the messages of each channel.
    messages: BTreeMap<u16, Vec<[u64; 2]>>,
}

/// What the summary says of the whole file, but for the chunks.
#[derive(Debug, Default)]
struct Totals {
    /// Records of all schemas, and of all channels.
    schemas: Vec<u8>,
    channels: Vec<u8>,
    schema_count: u16,
    channel_count: u16,
    chunk_count: u32,
    message_counts: BTreeMap<u16, u64>,
    span: Span,
}

/// An MCAP file that grows.
pub(super) struct McapFile {
    file: AppendFile,
    /// Checksum and length of all that is in the file.
    crc: crc32fast::Hasher,
    length: u64,
    /// Where the first chunk begins.
    first_chunk: u64,
    chunk: Chunk,
    totals: Totals,
    compressor: Compressor<'static>,
    compressed: Vec<u8>,
    /// What is written next.
    piece: Vec<u8>,
}

impl core::fmt::Debug for McapFile {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("McapFile")
            .field("file", &self.file)
            .field("length", &self.length)
            .finish_non_exhaustive()
    }
}

impl McapFile {
    /// Starts a file; `library` is the name of the program that writes it.
    pub(super) fn create(file: AppendFile, library: &str) -> io::Result<Self> {
        // As large as they get, so that memory does not depend on how much waits when a chunk is written.
        let buffer = || Vec::with_capacity(2 * CHUNK_BYTES);
        let mut created = Self {
            file,
            crc: crc32fast::Hasher::new(),
            length: 0,
            first_chunk: 0,
            chunk: Chunk { bytes: buffer(), ..Chunk::default() },
            totals: Totals::default(),
            compressor: Compressor::new(zstd::DEFAULT_COMPRESSION_LEVEL)?,
            compressed: buffer(),
            piece: buffer(),
        };
        created.piece.extend_from_slice(&MAGIC);
        record(&mut created.piece, op::HEADER, |out| {
            out.string("");
            out.string(library);
        });
        created.write_piece()?;
        created.first_chunk = created.length;
        Ok(created)
    }

    /// Adds a schema; its id.
    pub(super) fn add_schema(&mut self, name: &str, encoding: &str, text: &str) -> u16 {
        self.totals.schema_count += 1;
        let (id, start) = (self.totals.schema_count, self.totals.schemas.len());
        record(&mut self.totals.schemas, op::SCHEMA, |out| {
            out.u16(id);
            out.string(name);
            out.string(encoding);
            out.string(text);
        });
        self.chunk.bytes.extend_from_slice(&self.totals.schemas[start..]);
        id
    }

    /// Adds a channel; its id.
    pub(super) fn add_channel(&mut self, schema: u16, topic: &str, encoding: &str) -> u16 {
        self.totals.channel_count += 1;
        let (id, start) = (self.totals.channel_count, self.totals.channels.len());
        record(&mut self.totals.channels, op::CHANNEL, |out| {
            out.u16(id);
            out.u16(schema);
            out.string(topic);
            out.string(encoding);
            // No metadata.
            out.u32(0);
        });
        self.chunk.bytes.extend_from_slice(&self.totals.channels[start..]);
        id
    }

    /// Adds a message to the chunk, and writes that if it is large enough.
    pub(super) fn add_message(&mut self, head: MessageHead, data: &[u8]) -> io::Result<()> {
        let MessageHead { channel, sequence, time } = head;
        self.chunk.messages.entry(channel).or_default().push([time, self.chunk.bytes.len() as u64]);
        self.chunk.span.add(time);
        self.totals.span.add(time);
        *self.totals.message_counts.entry(channel).or_default() += 1;
        record(&mut self.chunk.bytes, op::MESSAGE, |out| {
            out.u16(channel);
            out.u32(sequence);
            // Logged and published at the same time.
            out.u64(time);
            out.u64(time);
            out.extend_from_slice(data);
        });
        if self.chunk.bytes.len() >= CHUNK_BYTES { self.write_chunk() } else { Ok(()) }
    }

    /// Writes the messages that wait, as a chunk.
    pub(super) fn write_chunk(&mut self) -> io::Result<()> {
        let Self { chunk, compressor, compressed, piece, length, .. } = self;
        if chunk.bytes.is_empty() {
            return Ok(());
        }
        compressed.clear();
        compressed.reserve(zstd::zstd_safe::compress_bound(chunk.bytes.len()));
        compressor.compress_to_buffer(&chunk.bytes, compressed)?;
        let [start, end] = chunk.span.ends();
        record(piece, op::CHUNK, |out| {
            out.u64(start);
            out.u64(end);
            out.u64(chunk.bytes.len() as u64);
            out.u32(crc32fast::hash(&chunk.bytes));
            out.string(COMPRESSION);
            out.u64(compressed.len() as u64);
            out.extend_from_slice(compressed);
        });
        debug_assert_eq!(
            ChunkHead::of(*length, piece).map(ChunkHead::end),
            Some(*length + piece.len() as u64)
        );
        for (&channel, messages) in chunk.messages.iter().filter(|(_, messages)| !messages.is_empty()) {
            record(piece, op::MESSAGE_INDEX, |out| {
                out.u16(channel);
                out.u32((16 * messages.len()) as u32);
                messages.as_flattened().iter().for_each(|number| out.u64(*number));
            });
        }
        self.totals.chunk_count += 1;
        chunk.bytes.clear();
        chunk.bytes.shrink_to(2 * CHUNK_BYTES);
        chunk.span = Span::default();
        chunk.messages.values_mut().for_each(Vec::clear);
        compressed.shrink_to(2 * CHUNK_BYTES);
        self.write_piece()
    }

    /// Completes the file: what waits first, so that it stays if the summary cannot be written.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.write_chunk()?;
        let summed_up = self.write_summary();
        if summed_up.is_err() {
            self.file.take_back();
        }
        summed_up
    }

    fn write_summary(&mut self) -> io::Result<()> {
        let data_crc = self.crc.clone().finalize();
        record(&mut self.piece, op::DATA_END, |out| out.u32(data_crc));
        let end_of_data = self.length;
        self.append()?;
        self.crc = crc32fast::Hasher::new();
        let summary = self.length;
        let mut groups = Vec::new();
        for opcode in [op::SCHEMA, op::CHANNEL, op::STATISTICS, op::CHUNK_INDEX] {
            let start = self.length;
            match opcode {
                op::SCHEMA => self.piece.append(&mut self.totals.schemas),
                op::CHANNEL => self.piece.append(&mut self.totals.channels),
                op::STATISTICS => record(&mut self.piece, opcode, |out| self.totals.statistics(out)),
                _ => self.append_chunk_indexes(end_of_data)?,
            }
            self.append()?;
            groups.push((opcode, start, self.length - start));
        }
        let offsets = self.length;
        for (opcode, start, length) in groups.into_iter().filter(|(_, _, length)| *length > 0) {
            record(&mut self.piece, op::SUMMARY_OFFSET, |out| {
                out.push(opcode);
                out.u64(start);
                out.u64(length);
            });
        }
        record(&mut self.piece, op::FOOTER, |out| {
            out.u64(summary);
            out.u64(offsets);
            out.u32(0);
        });
        // The checksum stands for all of the summary before itself, so for the beginning of the footer too.
        self.piece.truncate(self.piece.len() - size_of::<u32>());
        let mut crc = self.crc.clone();
        crc.update(&self.piece);
        self.piece.u32(crc.finalize());
        self.piece.extend_from_slice(&MAGIC);
        self.write_piece()
    }

    /// Reads the file over once, up to `end`, from chunk to chunk, and appends an index of each.
    fn append_chunk_indexes(&mut self, end: u64) -> io::Result<()> {
        let mut at = self.first_chunk;
        while at < end {
            let mut bytes = [0; CHUNK_HEAD];
            self.file.read_at(at, &mut bytes)?;
            let changed = || io::Error::other("somebody else has written to it");
            let head = ChunkHead::of(at, &bytes).ok_or_else(changed)?;
            // Opcode and length of a message index, and its channel.
            let mut index = [0; 11];
            let mut offsets = BTreeMap::new();
            at = head.end();
            while at < end {
                self.file.read_at(at, &mut index)?;
                let [opcode, length @ .., low, high] = index;
                if opcode != op::MESSAGE_INDEX {
                    break;
                }
                offsets.insert(u16::from_le_bytes([low, high]), at);
                at = at.saturating_add(9).saturating_add(u64::from_le_bytes(length));
            }
            record(&mut self.piece, op::CHUNK_INDEX, |out| {
                out.u64(head.start_time);
                out.u64(head.end_time);
                out.u64(head.at);
                out.u64(head.end() - head.at);
                out.map(&offsets);
                out.u64(at - head.end());
                out.string(COMPRESSION);
                out.u64(head.compressed);
                out.u64(head.uncompressed);
            });
            if self.piece.len() > INDEX_BYTES {
                self.append()?;
            }
        }
        Ok(())
    }

    /// Appends what is to be written next.
    fn append(&mut self) -> io::Result<()> {
        self.crc.update(&self.piece);
        self.length += self.piece.len() as u64;
        let written = self.file.write_all(&self.piece);
        self.piece.clear();
        self.piece.shrink_to(2 * CHUNK_BYTES);
        written
    }

    /// The same, and the file is good up to there.
    fn write_piece(&mut self) -> io::Result<()> {
        self.append()?;
        self.file.mark();
        Ok(())
    }
}

impl Totals {
    fn statistics(&self, out: &mut Vec<u8>) {
        let [start, end] = self.span.ends();
        out.u64(self.message_counts.values().sum());
        out.u16(self.schema_count);
        out.u32(u32::from(self.channel_count));
        // No attachments, no metadata.
        out.u32(0);
        out.u32(0);
        out.u32(self.chunk_count);
        out.u64(start);
        out.u64(end);
        out.map(&self.message_counts);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use mcap::sans_io::linear_reader::{LinearReadEvent, LinearReader, LinearReaderOptions};

    /// Messages of two channels, each with its place as text, in as many chunks.
    fn written(chunks: u64) -> Vec<u8> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.mcap");
        let mut file = McapFile::create(AppendFile::create(&path).unwrap(), "test").unwrap();
        let ids = [("/a", "first"), ("/b", "second")].map(|(topic, text)| {
            let schema = file.add_schema(topic, "jsonschema", text);
            file.add_channel(schema, topic, "json")
        });
        for n in 0..2 * chunks {
            let head = MessageHead { channel: ids[n as usize % 2], sequence: n as u32 / 2, time: 1000 + n };
            file.add_message(head, format!("{{\"n\": {n}}}").as_bytes()).unwrap();
            if n % 2 == 1 {
                file.write_chunk().unwrap();
            }
        }
        file.finish().unwrap();
        std::fs::read(path).unwrap()
    }

    /// The library's reader follows the index, and finds everything where that says.
    #[test]
    fn the_index_read_back_from_the_file_leads_to_all_messages() {
        let bytes = written(700);
        let summary = mcap::Summary::read(&bytes).unwrap().unwrap();
        let statistics = summary.stats.clone().unwrap();
        assert_eq!(
            (statistics.message_count, statistics.chunk_count, statistics.channel_count),
            (1400, 700, 2)
        );
        assert_eq!((statistics.message_start_time, statistics.message_end_time), (1000, 2399));
        assert_eq!(statistics.channel_message_counts.values().copied().collect::<Vec<_>>(), [700, 700]);
        assert_eq!((summary.schemas.len(), summary.chunk_indexes.len()), (2, 700));
        let mut n = 0;
        for chunk in &summary.chunk_indexes {
            assert_eq!((chunk.message_start_time, chunk.message_end_time), (1000 + n, 1001 + n));
            for (channel, entries) in summary.read_message_indexes(&bytes, chunk).unwrap() {
                assert_eq!(entries.len(), 1);
                let message = summary.seek_message(&bytes, chunk, &entries[0]).unwrap();
                assert_eq!(message.channel.id, channel.id);
                let number = message.log_time - 1000;
                assert_eq!(&message.data[..], format!("{{\"n\": {number}}}").as_bytes());
                assert_eq!(message.sequence, number as u32 / 2);
            }
            n += 2;
        }
    }

    /// With all checksums compared: of chunks, of the data, of the summary.
    #[test]
    fn checksums_hold() {
        let bytes = written(3);
        let options = LinearReaderOptions::default()
            .with_prevalidate_chunk_crcs(true)
            .with_validate_data_section_crc(true)
            .with_validate_summary_section_crc(true);
        let mut reader = LinearReader::new_with_options(options);
        let (mut left, mut records) = (&bytes[..], Vec::new());
        while let Some(event) = reader.next_event() {
            match event.unwrap() {
                LinearReadEvent::ReadRequest(need) => {
                    let (now, later) = left.split_at(need.min(left.len()));
                    reader.insert(now.len()).copy_from_slice(now);
                    reader.notify_read(now.len());
                    left = later;
                }
                LinearReadEvent::Record { opcode, .. } => records.push(opcode),
            }
        }
        assert_eq!(records.iter().filter(|opcode| **opcode == op::MESSAGE).count(), 6);
        assert_eq!(records.last(), Some(&op::FOOTER));
        assert_eq!(&bytes[bytes.len() - MAGIC.len()..], MAGIC);
    }

    #[test]
    fn a_file_without_messages_is_complete() {
        let bytes = written(0);
        let summary = mcap::Summary::read(&bytes).unwrap().unwrap();
        assert_eq!((summary.stats.unwrap().message_count, summary.channels.len()), (0, 2));
    }
}
