//! The lock of an output directory: one run at a time.
//!
//! The file `run.lock` holds the process id of the run. The actual lock is that of the system on this file
//! ([`File::try_lock`]), which is released whenever the process ends: a file left by a killed run does not lock.

use crate::exit::CommandError;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Name of the file.
pub(crate) const LOCK: &str = "run.lock";

/// Tries before the lock counts as taken: a run that ends removes its file, and another may have opened it just before.
const TRIES: usize = 20;

/// Held as long as a run writes to its directory.
#[derive(Debug)]
pub(crate) struct DirectoryLock {
    path: PathBuf,
    file: File,
}

impl DirectoryLock {
    /// Locks the existing directory `dir`; an error if another run holds it.
    pub(crate) fn take(dir: &Path) -> Result<Self, CommandError> {
        let path = dir.join(LOCK);
        for _ in 0..TRIES {
            let file = open(&path).map_err(CommandError::file(&path))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(std::fs::TryLockError::WouldBlock) => return Err(refusal(dir, file)),
                Err(std::fs::TryLockError::Error(error)) => return Err(CommandError::file(&path)(error)),
            }
            // The lock is on the opened file; check that it is still the file of this name.
            if is_same(&file, &path) {
                let mut lock = Self { path, file };
                lock.write_id().map_err(|error| CommandError::file(&lock.path)(error))?;
                return Ok(lock);
            }
        }
        Err(CommandError::input(
            format!("{}: cannot lock this directory: others keep replacing {LOCK}", dir.display()),
            "name a new directory",
        ))
    }

    /// An error if another run holds `dir`. Writes nothing.
    pub(crate) fn check(dir: &Path) -> Result<(), CommandError> {
        // A directory that cannot be read, or without that file, is not locked.
        let path = dir.join(LOCK);
        if path.symlink_metadata().is_ok_and(|found| !found.is_file()) {
            return Ok(());
        }
        let Ok(file) = File::open(path) else { return Ok(()) };
        match file.try_lock_shared() {
            Err(std::fs::TryLockError::WouldBlock) => Err(refusal(dir, file)),
            _ => Ok(()),
        }
    }

    fn write_id(&mut self) -> std::io::Result<()> {
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(0))?;
        writeln!(self.file, "{}", std::process::id())
    }
}

impl Drop for DirectoryLock {
    fn drop(&mut self) {
        // While it is still locked, so that the file of another run is not removed.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Opens the file of the lock; never through a link.
fn open(path: &Path) -> std::io::Result<File> {
    if path.symlink_metadata().is_ok_and(|found| !found.is_file()) {
        std::fs::remove_file(path)?;
    }
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(a), Ok(b)) = (file.metadata(), path.symlink_metadata()) else { return false };
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// For systems on which open files cannot be removed.
#[cfg(not(unix))]
fn is_same(_: &File, path: &Path) -> bool {
    path.exists()
}

fn refusal(dir: &Path, mut file: File) -> CommandError {
    let mut text = String::new();
    let _ = Read::by_ref(&mut file).take(32).read_to_string(&mut text);
    let who = match text.trim().parse::<u32>() {
        Ok(id) => format!("process {id}"),
        Err(_) => "another process".to_owned(),
    };
    CommandError::input(
        format!("--out {}: {who} is writing to this directory", dir.display()),
        "wait until it has ended, or name another directory",
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_directory_has_one_lock_and_a_dead_one_does_not_count() {
        let dir = tempfile::tempdir().unwrap();
        let first = DirectoryLock::take(dir.path()).unwrap();
        let words = DirectoryLock::take(dir.path()).unwrap_err().to_string();
        assert!(words.contains(&format!("process {} is writing", std::process::id())), "{words}");
        assert!(DirectoryLock::check(dir.path()).is_err());
        drop(first);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        // As `kill -9` leaves it.
        std::fs::write(dir.path().join(LOCK), "1\n").unwrap();
        assert!(DirectoryLock::check(dir.path()).is_ok());
        let second = DirectoryLock::take(dir.path()).unwrap();
        drop(second);
    }
}
