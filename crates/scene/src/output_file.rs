//! Output files: never written through a link, and complete or not at all.
//!
//! | type | for | contents after a crash or on a full disk |
//! |---|---|---|
//! | [`WholeFile`] | files that are written at once: snapshots, archives, summaries | the previous file, or the new one |
//! | [`AppendFile`] | files that grow with a run: recordings, tables | everything up to the last [`AppendFile::mark`] |
//!
//! A name in the folder of a run may be a link that somebody else put there. It is replaced, not followed.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Creates a new file. A file or link of that name is removed first, so that the target of the link stays unchanged;
/// anything else of that name is an error.
pub fn create_new(path: &Path) -> io::Result<File> {
    match path.symlink_metadata() {
        Ok(found) if found.is_file() || found.is_symlink() => std::fs::remove_file(path)?,
        Ok(_) => return Err(not_regular()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    OpenOptions::new().read(true).write(true).create_new(true).open(path)
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, "something that is no regular file has this name")
}

/// A file that replaces an older one when it is complete.
#[derive(Debug)]
pub struct WholeFile {
    path: PathBuf,
    partial: PathBuf,
    /// `None` once it is in its place.
    file: Option<BufWriter<File>>,
    position: u64,
    /// Whether something could not be written.
    failed: bool,
}

impl WholeFile {
    /// Starts the file that will replace `path`; until then it has the same name with `.partial` appended.
    pub fn create(path: &Path) -> io::Result<Self> {
        if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            return Err(not_regular());
        }
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".partial");
        let partial = path.with_file_name(name);
        let file = BufWriter::new(create_new(&partial)?);
        Ok(Self { path: path.to_owned(), partial, file: Some(file), position: 0, failed: false })
    }

    /// Writes `bytes` as the whole file `path`; see [`Self::place`].
    pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = Self::create(path)?;
        file.write_all(bytes)?;
        file.place()
    }

    /// Moves the file to its place, after it is on disk.
    pub fn commit(self) -> io::Result<()> {
        let path = self.path.clone();
        self.rename(true)?;
        sync_folder(&path);
        Ok(())
    }

    /// Moves the file to its place without waiting for the disk, for files that can be regenerated.
    pub fn place(self) -> io::Result<()> {
        self.rename(false)
    }

    fn rename(mut self, sync: bool) -> io::Result<()> {
        if self.failed {
            return Err(io::Error::other("a part of this file could not be written"));
        }
        let file = self.writer()?;
        file.flush()?;
        if sync {
            file.get_ref().sync_all()?;
        }
        std::fs::rename(&self.partial, &self.path)?;
        self.file = None;
        Ok(())
    }

    fn writer(&mut self) -> io::Result<&mut BufWriter<File>> {
        self.file.as_mut().ok_or_else(|| io::Error::other("this file is complete"))
    }
}

/// The first failure is reported, and the file is never moved to its place. Later writes are ignored, since writers
/// of archives complete them on drop and would fail.
impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = if self.failed { Ok(bytes.len()) } else { self.writer()?.write(bytes) };
        match &written {
            Ok(count) => self.position += *count as u64,
            Err(error) => self.failed = error.kind() != io::ErrorKind::Interrupted,
        }
        written
    }
    fn flush(&mut self) -> io::Result<()> {
        if self.failed {
            return Ok(());
        }
        let flushed = self.writer()?.flush();
        self.failed = flushed.is_err();
        flushed
    }
}

impl Seek for WholeFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        if self.failed {
            self.position = match to {
                SeekFrom::Start(at) => at,
                SeekFrom::Current(by) | SeekFrom::End(by) => self.position.saturating_add_signed(by),
            };
            return Ok(self.position);
        }
        let moved = self.writer()?.seek(to);
        match &moved {
            Ok(at) => self.position = *at,
            Err(_) => self.failed = true,
        }
        moved
    }
}

/// An incomplete file is removed, and the older one stays.
impl Drop for WholeFile {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            // Discards the buffer.
            drop(file.into_parts());
            let _ = std::fs::remove_file(&self.partial);
        }
    }
}

/// A new name is on disk once its folder is; not all systems can sync a folder.
fn sync_folder(path: &Path) {
    if let Some(folder) = path.parent() {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
}

/// A file to which complete records are appended. If one cannot be written, it is truncated to the last mark, and
/// nothing more is appended.
#[derive(Debug)]
pub struct AppendFile {
    file: File,
    /// Bytes written so far, and those at the last mark.
    written: u64,
    good: u64,
    failed: bool,
}

impl AppendFile {
    /// Creates the file; see [`create_new`].
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self { file: create_new(path)?, written: 0, good: 0, failed: false })
    }

    /// All that was written so far is good.
    pub fn mark(&mut self) {
        self.good = self.written;
    }

    /// Reads what was written from byte `at` on.
    pub fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(at))?;
        let read = self.file.read_exact(bytes);
        self.file.seek(SeekFrom::Start(self.written))?;
        read
    }

    /// Takes back what was written since the last mark; nothing is added any more.
    pub fn take_back(&mut self) {
        if !core::mem::replace(&mut self.failed, true) {
            // To make a file shorter takes no space. If it fails all the same, a reader still finds the end of what is good.
            let _ = self.file.set_len(self.good);
        }
    }

    fn fail(&mut self, error: io::Error) -> io::Error {
        if error.kind() != io::ErrorKind::Interrupted {
            self.take_back();
        }
        error
    }
}

impl Write for AppendFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.failed {
            return Err(io::Error::other("nothing can be added after a failure"));
        }
        let written = self.file.write(bytes).map_err(|error| self.fail(error))?;
        self.written += written as u64;
        Ok(written)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_file_is_whole_or_not_there() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.json");
        WholeFile::write(&path, b"first").unwrap();
        let mut second = WholeFile::create(&path).unwrap();
        second.write_all(b"second, not complete").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"first");
        drop(second);
        assert_eq!(std::fs::read(&path).unwrap(), b"first");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
        WholeFile::write(&path, b"third").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"third");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_replaced_and_what_they_point_to_stays() {
        let dir = tempfile::tempdir().unwrap();
        let secret = dir.path().join("secret");
        std::fs::write(&secret, "years of work").unwrap();
        let out = dir.path().join("out");
        std::fs::create_dir(&out).unwrap();
        for name in ["a", "a.partial", "b"] {
            std::os::unix::fs::symlink(&secret, out.join(name)).unwrap();
        }
        WholeFile::write(&out.join("a"), b"new").unwrap();
        AppendFile::create(&out.join("b")).unwrap().write_all(b"new").unwrap();
        assert_eq!(std::fs::read_to_string(&secret).unwrap(), "years of work");
        assert_eq!(std::fs::read(out.join("a")).unwrap(), b"new");
        assert_eq!(std::fs::read(out.join("b")).unwrap(), b"new");
        std::fs::create_dir(out.join("c")).unwrap();
        assert!(create_new(&out.join("c")).unwrap_err().to_string().contains("no regular file"));
    }

    #[test]
    fn after_a_failure_nothing_is_added() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let mut file = AppendFile::create(&path).unwrap();
        file.write_all(b"good").unwrap();
        let mut found = [0; 2];
        file.read_at(1, &mut found).unwrap();
        assert_eq!(&found, b"oo");
        file.mark();
        file.write_all(b" and half").unwrap();
        let full = io::Error::from(io::ErrorKind::StorageFull);
        file.fail(full);
        assert!(file.write_all(b" of it").is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"good");
    }
}
