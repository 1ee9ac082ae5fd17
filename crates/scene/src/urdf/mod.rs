//! Robots from URDF.
//!
//! ```text
//! text ─ document (XML, places) ─ link, joint (elements) ─ assemble (tree) ─ RobotDescription
//! ```
//!
//! | module | contents |
//! |---|---|
//! | `document` | the XML with source positions |
//! | `reader` | elements and attributes, in range; a list of ignored ones |
//! | `link`, `geometry`, `joint` | the elements of that name |
//! | `inertia` | repair of impossible inertias |
//! | `packages` | paths of mesh files |
//! | `assemble` | one tree from links and joints |
//! | `embedded` | embedded robots |
//!
//! Strict: an element that cannot be simulated as written is an error with its line and a remedy; elements that are
//! not simulated at all are listed in [`RobotDescription::not_carried_over`]. See `docs/robots.md`.

mod assemble;
pub(crate) mod document;
mod embedded;
mod geometry;
pub(crate) mod inertia;
mod joint;
mod link;
mod packages;
mod reader;

pub use assemble::BASE_JOINT;
pub use embedded::{EMBEDDED_PREFIX, EmbeddedRobot, embedded_robots};

use crate::error::{SceneError, list_names, nearest_name};
use crate::mjcf::{MjcfDrives, is_mjcf, read_mjcf};
use crate::regular_file::read_text;
use document::Source;
use geometry::Geometries;
use packages::MeshFinder;
use reader::{Reader, children};
use ropewalk_body::{Tree, TreeState};
use ropewalk_geometry::Shape;
use ropewalk_linalg::Pose;
use std::path::{Path, PathBuf};

/// Connection of the root of a robot to the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BaseKind {
    /// Welded to the world.
    #[default]
    Welded,
    /// Free to move.
    Free,
}

/// Options for reading a URDF.
#[derive(Clone, Debug, PartialEq)]
pub struct UrdfOptions {
    /// Connection of the root to the world.
    pub base: BaseKind,
    /// Pose of the root; the initial one if it is free.
    pub base_pose: Pose,
    /// Folders in which packages are searched, after the folder of the URDF and its parents.
    pub package_paths: Vec<PathBuf>,
    /// Whether collision geometry is read, with its mesh files. Dynamics do not need it.
    pub collision_geometry: bool,
    /// Whether shapes for pictures are read, with their mesh files; what cannot be read is left out and listed.
    pub visual_geometry: bool,
    /// Violation, as a fraction of their sum, up to which principal moments of inertia count as rounded: the nearest
    /// possible inertia is used and listed.
    pub inertia_tolerance: f64,
    /// Whether all impossible inertias are replaced by the nearest possible ones, not only rounded ones.
    pub repair_inertia: bool,
}

impl Default for UrdfOptions {
    fn default() -> Self {
        Self {
            base: BaseKind::Welded,
            base_pose: Pose::IDENTITY,
            package_paths: Vec::new(),
            collision_geometry: true,
            visual_geometry: false,
            inertia_tolerance: 0.01,
            repair_inertia: false,
        }
    }
}

/// A robot as described by its file.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotDescription {
    /// Its name in the file.
    pub name: String,
    /// The file, or the embedded name.
    pub source: String,
    /// Links and joints: parents before children, and otherwise in the order of the file. The joint of the
    /// root is called [`BASE_JOINT`].
    pub tree: Tree,
    /// For each joint in the order of the file, its child link in the tree.
    pub joint_order: Vec<usize>,
    /// Collision shapes.
    pub collisions: Vec<Collision>,
    /// Connection of the root to the world.
    pub base: BaseKind,
    /// Pose of the root; the initial one if it is free.
    pub base_pose: Pose,
    /// Shapes for pictures, if requested.
    pub visuals: Vec<Collision>,
    /// Number of `<visual>` elements. They are not simulated and not listed.
    pub visual_count: usize,
    /// All other ignored elements of the file, each with its line.
    pub not_carried_over: Vec<String>,
    /// Links of an MJCF whose joint does not start at zero, with its initial position: free bodies, joints with a
    /// reference.
    pub start: Vec<(usize, Vec<f64>)>,
    /// Actuators, key frames and excluded pairs of an MJCF.
    pub drives: MjcfDrives,
}

/// A collision shape of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Collision {
    /// The link, as an index of the tree.
    pub link: usize,
    /// The shape's frame in the link.
    pub pose: Pose,
    /// The shape; of a mesh, the convex hull.
    pub shape: Shape,
    /// Name, if the file gives one.
    pub name: Option<String>,
    /// Coefficient of friction, if the file gives one.
    pub friction: Option<f64>,
}

impl RobotDescription {
    /// Mass of all links in kg.
    pub fn total_mass(&self) -> f64 {
        self.tree.links().iter().map(|l| l.inertia.mass).sum()
    }

    /// All joints at zero, the base at its pose, at rest.
    pub fn zero_state(&self) -> TreeState {
        let mut state = self.tree.zero_state();
        if self.base == BaseKind::Free {
            let [x, y, z] = self.base_pose.position.to_array();
            let [qx, qy, qz, qw] = self.base_pose.rotation.to_array();
            state.q[..7].copy_from_slice(&[x, y, z, qx, qy, qz, qw]);
        }
        for (link, q) in &self.start {
            state.q[self.tree.q_range(*link)].copy_from_slice(q);
        }
        state
    }
}

/// Loads an embedded robot (`robot:arm7_gripper`), or a URDF or MJCF file, whose path is relative to `base_dir`; the
/// root element determines the format.
pub fn load_robot(
    name_or_path: &str,
    base_dir: Option<&Path>,
    options: &UrdfOptions,
) -> Result<RobotDescription, SceneError> {
    if let Some(name) = name_or_path.strip_prefix(EMBEDDED_PREFIX) {
        let names = || embedded_robots().iter().map(|r| r.name);
        let robot = embedded_robots().iter().find(|r| r.name == name).ok_or_else(|| {
            SceneError::without_place(name_or_path, "there is no embedded robot of this name")
                .expected(format!("one of {}, or a URDF file", list_names(names())))
                .nearest(nearest_name(name, names()))
        })?;
        return read_urdf(name_or_path, robot.text, None, options);
    }
    let path = base_dir.map_or_else(|| name_or_path.into(), |dir| dir.join(name_or_path));
    let unreadable = |e: std::io::Error| {
        SceneError::without_place(name_or_path, format!("cannot read this file: {e}"))
            .hint(format!("embedded robots are named {EMBEDDED_PREFIX}NAME"))
    };
    let text = read_text(&path, document::MOST_BYTES as u64).map_err(unreadable)?;
    read_robot(name_or_path, &text, path.parent(), options)
}

/// Reads a robot from the text of a URDF or MJCF; the root element determines the format.
pub fn read_robot(
    label: &str,
    text: &str,
    folder: Option<&Path>,
    options: &UrdfOptions,
) -> Result<RobotDescription, SceneError> {
    let read = if is_mjcf(text) { read_mjcf } else { read_urdf };
    read(label, text, folder, options)
}

/// Reads a robot from the text of a URDF. `label` stands for the file in messages; names of meshes are relative to
/// `folder`.
pub fn read_urdf(
    label: &str,
    text: &str,
    folder: Option<&Path>,
    options: &UrdfOptions,
) -> Result<RobotDescription, SceneError> {
    // A byte-order mark is no part of the text.
    let source = Source::new(label, text.strip_prefix('\u{feff}').unwrap_or(text));
    let document = source.parse()?;
    let robot = document.root_element();
    let mut reader = Reader::new(&source);
    if robot.tag_name().name() != "robot" {
        let found = robot.tag_name().name();
        return Err(reader
            .error(robot, format!("this is no URDF: it is <{found}>"))
            .expected("a <robot> (URDF) or <mujoco> (MJCF); SDF and xacro must be converted first"));
    }
    let is_xacro =
        |n: &roxmltree::Node<'_, '_>| n.tag_name().namespace().is_some_and(|s| s.contains("xacro"));
    if let Some(macro_call) = robot.descendants().find(|n| n.is_element() && is_xacro(n)) {
        return Err(reader
            .error(macro_call, "this is xacro, a language of macros that make URDF")
            .hint("expand it first: `xacro robot.xacro > robot.urdf`"));
    }
    let name = reader.name(robot, "name")?.to_owned();
    // Materials belong to visuals.
    reader.drop_unknown(robot, &["name", "version"], &["link", "joint", "material"]);

    let mut geometries = Geometries::new(MeshFinder::new(folder, &options.package_paths));
    let links = children(robot, "link")
        .map(|node| link::read_link(&mut reader, node, &mut geometries, options))
        .collect::<Result<Vec<_>, _>>()?;
    let joints = children(robot, "joint")
        .map(|node| joint::read_joint(&mut reader, node))
        .collect::<Result<Vec<_>, _>>()?;
    let visual_count = links.iter().map(|l| l.visual_count).sum();
    let parts = assemble::assemble(&reader, links, &joints, options)?;
    Ok(RobotDescription {
        name,
        source: label.to_owned(),
        tree: parts.tree,
        joint_order: parts.joint_order,
        collisions: parts.collisions,
        visuals: parts.visuals,
        base: options.base,
        base_pose: options.base_pose,
        visual_count,
        not_carried_over: reader.into_not_carried_over(),
        start: Vec::new(),
        drives: MjcfDrives::default(),
    })
}
