//! Input files: regular ones only, and never more bytes than requested.
//!
//! A device may be endless, and opening a FIFO blocks: both are rejected before they are opened.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

/// Opens a regular file, or a link to one; the number is its size in bytes.
pub fn open_regular(path: &Path) -> io::Result<(File, u64)> {
    // Before it is opened, since opening a FIFO blocks; and after, since the path may name another file by then.
    check_kind(&std::fs::metadata(path)?)?;
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    check_kind(&metadata)?;
    Ok((file, metadata.len()))
}

/// All bytes of a regular file, if there are at most `most`.
pub(crate) fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (file, size) = open_regular(path)?;
    let mut bytes = Vec::new();
    if size <= most {
        // The size given by the system is not reliable: files of /proc have none, and others grow.
        file.take(most + 1).read_to_end(&mut bytes)?;
    }
    if size > most || bytes.len() as u64 > most {
        let size = size.max(bytes.len() as u64);
        let what = format!("this file is too large ({size} bytes, at most {most} are read)");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
    }
    Ok(bytes)
}

/// The text of a regular file of at most `most` bytes.
pub(crate) fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read_regular(path, most)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        io::Error::new(io::ErrorKind::InvalidData, format!("this is not UTF-8 text (from byte {at} on)"))
    })
}

fn check_kind(metadata: &Metadata) -> io::Result<()> {
    let kind = metadata.file_type();
    if kind.is_file() {
        return Ok(());
    }
    let what = if kind.is_dir() { "a directory" } else { "a device, pipe or socket" };
    Err(io::Error::new(io::ErrorKind::InvalidInput, format!("this is {what}, not a regular file")))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn only_regular_files_are_read_and_only_up_to_a_size() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("text");
        std::fs::write(&path, "abc").unwrap();
        assert_eq!(read_text(&path, 3).unwrap(), "abc");
        assert!(read_regular(&path, 2).unwrap_err().to_string().contains("3 bytes, at most 2"));
        assert!(read_regular(dir.path(), 9).unwrap_err().to_string().contains("a directory"));
        #[cfg(unix)]
        {
            let fifo = dir.path().join("fifo");
            let made = std::process::Command::new("mkfifo").arg(&fifo).status().unwrap();
            assert!(made.success());
            for path in [Path::new("/dev/zero"), &fifo] {
                assert!(read_regular(path, 9).unwrap_err().to_string().contains("not a regular file"));
            }
        }
    }
}
