//! Runs the command as a user would, in a directory of its own.
#![allow(dead_code, clippy::unwrap_used, reason = "each test file uses some of it, in tests")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory to run in, removed at the end.
pub(crate) struct Place {
    dir: tempfile::TempDir,
}

/// What a command left.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The command, ready to run here.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ropewalk"));
        command.args(arguments).current_dir(self.dir.path()).env_remove("COLUMNS");
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        let Output { status, stdout, stderr } = self.command(arguments).output().unwrap();
        Ran {
            code: status.code().unwrap(),
            stdout: String::from_utf8(stdout).unwrap(),
            stderr: String::from_utf8(stderr).unwrap(),
        }
    }

    /// Names of all files and directories here, sorted.
    pub(crate) fn files(&self) -> Vec<String> {
        files_in(self.dir.path())
    }
}

pub(crate) fn files_in(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A scene of this directory.
pub(crate) fn scene(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes").join(name);
    path.to_str().unwrap().to_owned()
}

/// The entries of an archive in their order: names and bytes.
pub(crate) fn entries(path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut zip = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
    (0..zip.len())
        .map(|i| {
            let mut entry = zip.by_index(i).unwrap();
            let name = entry.name().unwrap().into_owned();
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut entry, &mut bytes).unwrap();
            (name, bytes)
        })
        .collect()
}

/// Names and shapes of the arrays in an `.npz`, from their headers, such as `rope/q (3, 11, 4)`.
pub(crate) fn arrays(path: &Path) -> Vec<String> {
    let shape = |(name, bytes): (String, Vec<u8>)| {
        let header = String::from_utf8_lossy(&bytes[10..]).into_owned();
        let shape = header.split("'shape': ").nth(1).unwrap().split(", }").next().unwrap();
        format!("{} {shape}", name.strip_suffix(".npy").unwrap())
    };
    entries(path).into_iter().map(shape).collect()
}

/// A snapshot in which numbers, which depend on the machine, stand as `#`.
#[macro_export]
macro_rules! assert_layout {
    ($name:expr, $text:expr) => {
        insta::with_settings!({
            prepend_module_to_snapshot => false,
            omit_expression => true,
            filters => vec![
                (r" *-?\b\d+(\.\d+)?(e-?\d+)?( min \d+ s| (ns|µs|ms|s)\b)?", " #"),
                // Columns are as wide as their numbers.
                (r"(?m)^ {3,}", "   "),
                (r"(\S) {2,}", "$1  "),
            ],
        }, { insta::assert_snapshot!($name, $text); });
    };
}

/// A snapshot of text that is the same everywhere.
#[macro_export]
macro_rules! assert_words {
    ($name:expr, $text:expr) => {
        insta::with_settings!({
            prepend_module_to_snapshot => false,
            omit_expression => true,
        }, { insta::assert_snapshot!($name, $text); });
    };
}
