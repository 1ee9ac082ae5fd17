//! Records of MCAP files (<https://mcap.dev/spec>) as bytes: an opcode, the length of what follows as a u64, and that.
//! Little-endian, without padding; strings and maps come after their length in bytes as a u32.

use mcap::records::op;
use std::collections::BTreeMap;

/// The first and the last bytes of a file.
pub(super) const MAGIC: [u8; 8] = *b"\x89MCAP0\r\n";

/// Numbers, strings and maps as bytes.
pub(super) trait BytesOut {
    fn u16(&mut self, number: u16);
    fn u32(&mut self, number: u32);
    fn u64(&mut self, number: u64);
    /// At most 4 GB.
    fn string(&mut self, text: &str);
    fn map(&mut self, entries: &BTreeMap<u16, u64>);
}

impl BytesOut for Vec<u8> {
    fn u16(&mut self, number: u16) {
        self.extend_from_slice(&number.to_le_bytes());
    }
    fn u32(&mut self, number: u32) {
        self.extend_from_slice(&number.to_le_bytes());
    }
    fn u64(&mut self, number: u64) {
        self.extend_from_slice(&number.to_le_bytes());
    }
    fn string(&mut self, text: &str) {
        self.u32(text.len() as u32);
        self.extend_from_slice(text.as_bytes());
    }
    fn map(&mut self, entries: &BTreeMap<u16, u64>) {
        self.u32(10 * entries.len() as u32);
        for (key, value) in entries {
            self.u16(*key);
            self.u64(*value);
        }
    }
}

/// Appends a record with what `content` appends.
pub(super) fn record(out: &mut Vec<u8>, opcode: u8, content: impl FnOnce(&mut Vec<u8>)) {
    out.push(opcode);
    out.u64(0);
    let start = out.len();
    content(out);
    let length = (out.len() - start) as u64;
    out[start - size_of::<u64>()..start].copy_from_slice(&length.to_le_bytes());
}

/// Bytes of a chunk before its compressed records: opcode, length, two times, size, checksum, compression, compressed size.
pub(super) const CHUNK_HEAD: usize = 1 + 8 + 8 + 8 + 8 + 4 + (4 + 4) + 8;

/// What stands before the compressed records of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChunkHead {
    /// Where the chunk begins in the file.
    pub(super) at: u64,
    /// First and last time of its messages in ns.
    pub(super) start_time: u64,
    pub(super) end_time: u64,
    /// Bytes of its records, before compression and after.
    pub(super) uncompressed: u64,
    pub(super) compressed: u64,
}

impl ChunkHead {
    /// The head of the chunk that begins at `at` with `bytes`; `None` if there is no chunk.
    pub(super) fn of(at: u64, bytes: &[u8]) -> Option<Self> {
        let number =
            |from: usize| bytes.get(from..)?.first_chunk::<8>().map(|number| u64::from_le_bytes(*number));
        if *bytes.first()? != op::CHUNK {
            return None;
        }
        let head = Self {
            at,
            start_time: number(9)?,
            end_time: number(17)?,
            uncompressed: number(25)?,
            compressed: number(CHUNK_HEAD - 8)?,
        };
        // The length of the record counts from behind itself.
        (at.checked_add(9)?.checked_add(number(1)?)? == head.end()).then_some(head)
    }

    /// Where what follows begins.
    pub(super) fn end(self) -> u64 {
        self.at.saturating_add(CHUNK_HEAD as u64).saturating_add(self.compressed)
    }
}
