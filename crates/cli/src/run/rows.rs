//! A table that grows with a run by complete rows, written with a delay of at most half a second.

use ropewalk_scene::output_file::AppendFile;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// Rows wait at most this long, or until there are [`MOST_WAITING`] bytes of them.
const FLUSH_INTERVAL: Duration = Duration::from_millis(500);
const MOST_WAITING: usize = 1 << 16;

/// A file of rows, each ended by a newline.
#[derive(Debug)]
pub(crate) struct RowFile {
    file: AppendFile,
    waiting: Vec<u8>,
    flushed: Instant,
}

impl RowFile {
    /// Creates the file.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        Ok(Self { file: AppendFile::create(path)?, waiting: Vec::new(), flushed: Instant::now() })
    }
}

impl Write for RowFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend(bytes);
        let due = self.waiting.len() > MOST_WAITING || self.flushed.elapsed() > FLUSH_INTERVAL;
        if due && bytes.ends_with(b"\n") {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.flushed = Instant::now();
        let rows = core::mem::take(&mut self.waiting);
        self.file.write_all(&rows)?;
        self.file.mark();
        self.waiting = rows;
        self.waiting.clear();
        Ok(())
    }
}

/// Rows are written even if a run ends with an error of another file.
impl Drop for RowFile {
    fn drop(&mut self) {
        let _ = self.flush();
    }
}
