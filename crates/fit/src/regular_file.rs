//! Input files: regular ones only. A device may be endless, and opening a FIFO blocks.

use crate::error::FitError;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

/// Opens a regular file, or a link to one; the number is its size in bytes.
pub(crate) fn open(path: &Path) -> Result<(File, u64), FitError> {
    let opened = || {
        // Before it is opened, since opening a FIFO blocks; and after, since the path may name another file by then.
        check_kind(&std::fs::metadata(path)?)?;
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        check_kind(&metadata)?;
        Ok((file, metadata.len()))
    };
    opened().map_err(|source| FitError::File { path: path.display().to_string(), source })
}

/// The text of a regular file of at most `most` bytes.
pub(crate) fn text(path: &Path, most: u64) -> Result<String, FitError> {
    let (file, _) = open(path)?;
    let mut text = String::new();
    let read = file.take(most + 1).read_to_string(&mut text).and_then(|count| {
        let large = || io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {most} bytes"));
        if count as u64 > most { Err(large()) } else { Ok(text) }
    });
    read.map_err(|source| FitError::File { path: path.display().to_string(), source })
}

fn check_kind(metadata: &Metadata) -> io::Result<()> {
    if metadata.file_type().is_file() {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "this is not a regular file"))
}
