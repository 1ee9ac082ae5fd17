//! `ropewalk export`: a recording in another format.

use crate::console;
use crate::exit::{CommandError, Outcome};
use ropewalk_scene::recording::{export_csv, export_gltf, export_npz, export_ros2};
use ropewalk_scene::{FileError, Recording};
use std::path::{Path, PathBuf};

/// Write a recording in another format
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The recording (run.mcap)
    file: PathBuf,

    #[command(flatten)]
    format: Format,

    /// The file to write; by default the recording's name with the ending of the format
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Replace a file that is there already
    #[arg(long)]
    force: bool,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct Format {
    /// Arrays for NumPy: states, measures, contacts, patches
    #[arg(long)]
    npz: bool,

    /// A table of what is measured, one row per frame
    #[arg(long)]
    csv: bool,

    /// An animation of tubes and bodies (binary glTF, .glb)
    #[arg(long)]
    gltf: bool,

    /// A bag of ROS 2 (a folder, NAME_ros2): JointState, TFMessage, WrenchStamped, MarkerArray
    #[arg(long)]
    ros2: bool,
}

/// Carries out the command.
pub(crate) fn execute(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let recording = Recording::open(&arguments.file)?;
    type Export = fn(&Recording, &Path) -> Result<(), FileError>;
    let (ending, export): (&str, Export) = match arguments.format {
        Format { npz: true, .. } => ("npz", export_npz),
        Format { csv: true, .. } => ("csv", export_csv),
        Format { ros2: true, .. } => ("", export_ros2),
        Format { .. } => ("glb", export_gltf),
    };
    let path = arguments.out.clone().unwrap_or_else(|| default_path(&arguments.file, ending));
    if path.exists() && !arguments.force {
        return Err(CommandError::input(
            format!("{}: this file is there already", path.display()),
            "name another with --out, or add --force to replace it",
        ));
    }
    export(&recording, &path)?;
    console::say(&format!("Written to {}", path.display()));
    Ok(Outcome::Success)
}

/// The recording's name with another extension, or that of a folder next to it.
fn default_path(recording: &Path, ending: &str) -> PathBuf {
    if !ending.is_empty() {
        return recording.with_extension(ending);
    }
    let mut name = recording.file_stem().unwrap_or_default().to_owned();
    name.push("_ros2");
    recording.with_file_name(name)
}
