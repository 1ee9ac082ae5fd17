//! Scene files: strict TOML, checked against a schema that is generated from the types, and turned into
//! a model, a state and claims.
//!
//! ```text
//! text ─ document (spans, overrides) ─ check (schema) ─ spec (types) ─ build ─ Scene
//! ```
//!
//! | module | contents |
//! |---|---|
//! | `document` | the file as a tree with places, `--set` overrides |
//! | `spec` | every key of the format, with unit, range and default |
//! | `check` | unknown keys, wrong types, values out of range, missing keys |
//! | `curve` | centerlines: line, arc, circle, helix, spline, overhand knot, points |
//! | [`estimate`] | memory and time, before anything is built |
//! | `build` | rods, clamps, loads, drives; bodies, robots, attachments, actuators, end effectors |
//! | [`claim`] | predictions of theory for the result |
//! | `measure_request` | measures by name |
//! | `driver` | the loop over the steps of a scene |
//! | `sample` | the values stored for each step |
//! | [`preset`] | real cables, with sources |
//! | [`urdf`] | robots from URDF |
//! | [`robot_inspect`] | dynamics of a robot on plain arrays |
//! | [`mesh_file`] | meshes from STL and OBJ |
//! | [`recording`] | runs as logs of messages, their export |
//! | [`saved_run`] | a run in a file, to resume |
//! | [`npz`] | arrays in NumPy's format |
//! | [`regular_file`], [`output_file`] | opening files for reading, and for writing |

mod build;
mod check;
pub mod claim;
mod curve;
mod document;
mod driver;
mod embedded;
pub mod error;
pub mod estimate;
pub mod file_error;
mod measure_request;
pub mod mesh_file;
pub mod mjcf;
pub mod npz;
pub mod number;
pub mod output_file;
pub mod preset;
mod random;
pub mod recording;
pub mod regular_file;
pub mod robot_inspect;
mod sample;
mod sample_numbers;
pub mod saved_run;
mod schema;
mod source;
mod spec;
pub mod urdf;

pub use claim::{Claim, ClaimResult, ClaimWatch};
pub use driver::Driver;
pub use embedded::{EmbeddedScene, embedded_scenes};
pub use error::{ErrorDetails, SceneError};
pub use estimate::Estimate;
pub use file_error::FileError;
pub use measure_request::{MeasureError, MeasureRequest};
pub use mjcf::{CableHold, MjcfActuator, MjcfActuatorKind, MjcfCable, MjcfDrives, MjcfKey, read_mjcf};
pub use recording::{Recorder, Recording};
pub use sample::{RodSample, Sample, TreeSample, sample};
pub use saved_run::SavedRun;
pub use schema::schema;
pub use source::Origin;
pub use urdf::{BaseKind, Collision, RobotDescription, UrdfOptions, load_robot, read_robot, read_urdf};

use error::{list_names, nearest_name};
use ropewalk_sim::{Model, State};
use std::path::Path;

/// Largest scene file in bytes.
const MOST_BYTES: u64 = 1 << 28;

/// A scene, ready to run.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Name: that of the embedded scene, or of the file without its ending.
    pub name: String,
    /// What it shows, in one line.
    pub title: String,
    /// The file, or the embedded name.
    pub source: String,
    /// The text that it was made from.
    pub origin: Origin,
    /// The model.
    pub model: Model,
    /// The state at the start.
    pub state: State,
    /// Index in the model of each body of the file. All other trees are robots.
    pub bodies: Vec<BodyPlace>,
    /// Where robots come from.
    pub robot_files: Vec<RobotFile>,
    /// Length of the run in s.
    pub duration: f64,
    /// How often results are written.
    pub output: OutputSettings,
    /// Predictions of theory for the result.
    pub claims: Vec<Claim>,
    /// Colors in pictures.
    pub colors: Colors,
    /// Warnings: allowed, but probably a mistake.
    pub warnings: Vec<String>,
    /// Its estimated memory and time.
    pub estimate: Estimate,
}

/// The file of a robot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RobotFile {
    /// Index of its tree.
    pub tree: usize,
    /// The file, or the embedded name.
    pub file: String,
    /// The folder to which its path is relative.
    pub directory: Option<std::path::PathBuf>,
    /// Folders in which packages are looked for.
    pub package_paths: Vec<std::path::PathBuf>,
}

impl Scene {
    /// Shapes for pictures of a tree that is a robot, read from its file on demand; none if it has none, or they
    /// cannot be read. Simulation uses collision shapes.
    pub fn visuals(&self, tree: usize) -> Vec<Collision> {
        let Some(robot) = self.robot_files.iter().find(|r| r.tree == tree) else { return Vec::new() };
        let options = UrdfOptions {
            collision_geometry: false,
            visual_geometry: true,
            repair_inertia: true,
            package_paths: robot.package_paths.clone(),
            ..UrdfOptions::default()
        };
        load_robot(&robot.file, robot.directory.as_deref(), &options)
            .map_or_else(|_| Vec::new(), |r| r.visuals)
    }
}

/// Colors of a scene file: red, green, blue and opacity, each from 0 to 1 (sRGB).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Colors {
    /// By rod; `None` where the file says nothing.
    pub rods: Vec<Option<[f64; 4]>>,
    /// By tree and link.
    pub links: Vec<Vec<Option<[f64; 4]>>>,
}

/// Index in the model of a body of a scene file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyPlace {
    /// Name.
    pub name: String,
    /// Index of the tree.
    pub tree: usize,
    /// Index of the link.
    pub link: usize,
}

/// How often results are written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutputSettings {
    /// Time between rows of the metrics in s; zero for every step.
    pub metrics_interval: f64,
    /// Time between stored states in s; zero for every step.
    pub states_interval: f64,
    /// Frames of the recording per simulated second, at most one for each step; zero for no recording.
    pub record_rate: f64,
}

/// Loads the embedded scene of that name, or the file if the name ends in `.toml`. Each override has the
/// form `path.to.key=value`, such as `rod.beam.segments=40`; a bare word is a string.
pub fn load_named(name_or_path: &str, overrides: &[String]) -> Result<Scene, SceneError> {
    find_named(name_or_path, overrides)?.load()
}

/// The same for a scene of any size: one that needs much memory or many steps ([`estimate`]) is loaded if
/// `allow_large`.
pub fn load_named_sized(
    name_or_path: &str,
    overrides: &[String],
    allow_large: bool,
) -> Result<Scene, SceneError> {
    find_named(name_or_path, overrides)?.allowing_large(allow_large).load()
}

/// The text of an embedded scene or a file.
fn find_named(name_or_path: &str, overrides: &[String]) -> Result<Origin, SceneError> {
    if let Some(scene) = embedded_scenes().iter().find(|s| s.name == name_or_path) {
        return Ok(Origin::new(scene.name, scene.name, scene.text, None, overrides));
    }
    if !name_or_path.ends_with(".toml") {
        let names = || embedded_scenes().iter().map(|s| s.name);
        return Err(SceneError::without_place(name_or_path, "there is no scene of this name")
            .expected(format!("one of {}, or a file that ends in .toml", list_names(names())))
            .nearest(nearest_name(name_or_path, names())));
    }
    let path = Path::new(name_or_path);
    let unreadable = |e: std::io::Error| {
        SceneError::without_place(name_or_path, format!("cannot read this file: {e}"))
            .hint("embedded scenes are named without .toml")
    };
    let text = regular_file::read_text(path, MOST_BYTES).map_err(unreadable)?;
    Ok(origin_of(name_or_path, &text, path.parent(), overrides))
}

/// Loads a scene from text. `label` replaces the file name in messages; paths are relative to `base_dir`.
pub fn load_text(
    label: &str,
    text: &str,
    base_dir: Option<&Path>,
    overrides: &[String],
) -> Result<Scene, SceneError> {
    origin_of(label, text, base_dir, overrides).load()
}

/// The same for a scene of any size if `allow_large`, see [`estimate`].
pub fn load_text_sized(
    label: &str,
    text: &str,
    base_dir: Option<&Path>,
    overrides: &[String],
    allow_large: bool,
) -> Result<Scene, SceneError> {
    origin_of(label, text, base_dir, overrides).allowing_large(allow_large).load()
}

fn origin_of(label: &str, text: &str, base_dir: Option<&Path>, overrides: &[String]) -> Origin {
    let name = Path::new(label).file_stem().map_or(label.into(), |s| s.to_string_lossy());
    Origin::new(label, &name, text, base_dir, overrides)
}
