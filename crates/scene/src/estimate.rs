//! Estimates the cost of a scene before it is built: memory, time per step, number of steps.
//!
//! Counts come from the file; bytes and seconds for each were measured (x86-64, one thread). They give the order of
//! magnitude, since the number of contacts is not known in advance.
//!
//! | item | bytes | seconds per step |
//! |---|---|---|
//! | a node | [`NODE_BYTES`], with contact [`CONTACT_NODE_BYTES`] | [`NODE_SECONDS`], with contact [`CONTACT_NODE_SECONDS`] |
//! | a corner of the section of an edge with a pressure field | [`CORNER_BYTES`] | [`CORNER_SECONDS`] |
//! | a height of a heightfield | [`HEIGHT_BYTES`] | |
//! | a byte of a mesh file, a vertex in the scene | [`MESH_FILE_BYTES`], [`VERTEX_BYTES`] | |
//! | a body | [`BODY_BYTES`] | [`BODY_SECONDS`] |
//! | a tree of bodies, for each pair of its degrees of freedom | [`DOF_PAIR_BYTES`] | [`DOF_PAIR_SECONDS`] |

use crate::document::{Document, path};
use crate::error::SceneError;
use crate::number::short;
use crate::spec::{
    BodyMotionSpec, BodySpec, ContactKindSpec, CurveSpec, JointSpec, MeshSpec, RodSpec, SceneSpec,
    SectionSpec, ShapeSpec,
};
use std::collections::BTreeMap;
use std::path::Path;

/// Model, state and workspace of a node that moves freely.
const NODE_BYTES: f64 = 3e3;
/// The same with contact: pairs, rows and the factor.
const CONTACT_NODE_BYTES: f64 = 5e3;
const NODE_SECONDS: f64 = 1e-6;
const CONTACT_NODE_SECONDS: f64 = 1.5e-6;
/// A corner of the section: its points, and its cells where the edge touches.
const CORNER_BYTES: f64 = 1.5e3;
const CORNER_SECONDS: f64 = 5e-7;
/// As text, numbers, triangles and their boxes.
const HEIGHT_BYTES: f64 = 1.1e3;
const MESH_FILE_BYTES: f64 = 10.0;
const VERTEX_BYTES: f64 = 1.1e3;
const BODY_BYTES: f64 = 1.6e4;
const BODY_SECONDS: f64 = 1e-6;
/// A mass matrix and its factor, which are dense.
const DOF_PAIR_BYTES: f64 = 24.0;
const DOF_PAIR_SECONDS: f64 = 1e-7;
/// Memory of any scene.
const BASE_BYTES: f64 = 4e6;
const BASE_SECONDS: f64 = 1e-5;
/// Corners of a section where no resolution is given.
const DEFAULT_CORNERS: f64 = 10.0;

/// Above this a scene is rejected, unless large ones are allowed: 8 GB.
pub const MOST_BYTES: f64 = 8e9;
/// Above this a run is rejected, unless large ones are allowed.
pub const MOST_STEPS: f64 = 1e9;

/// Says how long a run of `duration` is in steps of `dt` (s), if that is more than [`MOST_STEPS`].
pub fn too_many_steps(duration: f64, dt: f64) -> Option<String> {
    let steps = duration / dt;
    let count = if steps.is_finite() { short(steps) } else { "more than 1e308".to_owned() };
    (steps > MOST_STEPS).then(|| format!("the run would take {count} steps"))
}

/// What a scene will take.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Bytes of memory.
    pub memory_bytes: f64,
    /// Seconds per step on one thread.
    pub step_seconds: f64,
    /// The key with the largest share of memory, and its bytes.
    pub greatest: Option<(String, f64)>,
}

impl Estimate {
    /// Adds the cost of `key`.
    fn add(&mut self, key: String, bytes: f64, seconds: f64) {
        self.memory_bytes += bytes;
        self.step_seconds += seconds;
        if self.greatest.as_ref().is_none_or(|(_, most)| bytes > *most) {
            self.greatest = Some((key, bytes));
        }
    }

    /// The estimate for the scene `spec`, whose paths are relative to `base_dir`.
    pub(crate) fn of(spec: &SceneSpec, base_dir: Option<&Path>) -> Self {
        let mut estimate = Self { memory_bytes: BASE_BYTES, step_seconds: BASE_SECONDS, greatest: None };
        let contact = spec.contact.enabled;
        for (name, rod) in &spec.rod {
            let (key, nodes) = nodes(name, rod, base_dir);
            let copies = rod.copies.as_ref().map_or(1.0, |c| f64::from(c.count));
            let (bytes, seconds) =
                if contact { (CONTACT_NODE_BYTES, CONTACT_NODE_SECONDS) } else { (NODE_BYTES, NODE_SECONDS) };
            let corners = if contact && has_field(spec, rod) { corners(rod) } else { 0.0 };
            let key = if copies > nodes { format!("rod.{name}.copies.count") } else { key };
            let count = nodes * copies;
            estimate.add(
                key,
                count * (bytes + corners * CORNER_BYTES),
                count * (seconds + corners * CORNER_SECONDS),
            );
        }
        for (name, bodies, dofs) in trees(spec) {
            let (count, pairs) = (bodies as f64, (dofs * dofs) as f64);
            estimate.add(
                format!("body.{name}"),
                count * BODY_BYTES + pairs * DOF_PAIR_BYTES,
                count * BODY_SECONDS + pairs * DOF_PAIR_SECONDS,
            );
        }
        for (name, body) in &spec.body {
            for (key, bytes) in shape_bytes(name, body, base_dir) {
                estimate.add(key, bytes, 0.0);
            }
        }
        estimate
    }

    /// Rejects a scene that needs too much memory, at the key with the largest share.
    pub(crate) fn check(&self, document: &Document, allow_large: bool) -> Result<(), SceneError> {
        if allow_large || self.memory_bytes <= MOST_BYTES {
            return Ok(());
        }
        let gigabytes = |bytes: f64| format!("{:.1} GB", bytes * 1e-9);
        let (key, bytes) = self.greatest.clone().unwrap_or_default();
        let steps = path(&key.split('.').collect::<Vec<_>>());
        let message = format!(
            "the scene would take about {} of memory, {} of them for this",
            gigabytes(self.memory_bytes),
            gigabytes(bytes)
        );
        Err(document
            .error(&steps, &message)
            .expected(format!("at most {}", gigabytes(MOST_BYTES)))
            .hint("ask for less, or add --allow-large if this computer has the memory"))
    }
}

/// The key that says how many nodes a rod has, and how many these are.
fn nodes(name: &str, rod: &RodSpec, base_dir: Option<&Path>) -> (String, f64) {
    let key = |key: &str| format!("rod.{name}.{key}");
    match (&rod.segments, &rod.curve) {
        (Some(segments), _) => (key("segments"), f64::from(*segments) + 1.0),
        (None, CurveSpec::Nodes(nodes)) => (key("curve.nodes"), nodes.len() as f64),
        // Three numbers take at least six bytes.
        (None, CurveSpec::Points(file)) => (key("curve.points"), file_bytes(file, base_dir) / 6.0),
        (None, _) => (key("segments"), 0.0),
    }
}

/// The children of each body, by their parent.
pub(crate) fn children(spec: &SceneSpec) -> BTreeMap<&str, Vec<&str>> {
    let mut children: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, body) in &spec.body {
        if let Some(parent) = &body.parent {
            children.entry(parent).or_default().push(name);
        }
    }
    children
}

/// Bodies without a parent, each with the number of bodies of its tree, itself included, and of their degrees of
/// freedom.
fn trees(spec: &SceneSpec) -> Vec<(&str, usize, usize)> {
    let children = children(spec);
    let mut out = Vec::new();
    for (name, root) in spec.body.iter().filter(|(_, body)| body.parent.is_none()) {
        let free = root.joint.is_none() && matches!(root.motion, None | Some(BodyMotionSpec::Free));
        let mut dofs = if free { 6 } else { dof_count(root) };
        let mut bodies = vec![name.as_str()];
        let mut next = 0;
        while let Some(&body) = bodies.get(next) {
            next += 1;
            for &child in children.get(body).into_iter().flatten() {
                dofs += dof_count(&spec.body[child]);
                bodies.push(child);
            }
        }
        out.push((name.as_str(), bodies.len(), dofs));
    }
    out
}

/// Degrees of freedom of the joint of a body.
fn dof_count(body: &BodySpec) -> usize {
    match &body.joint {
        None => 0,
        Some(JointSpec::Revolute(_) | JointSpec::Prismatic(_)) => 1,
        Some(JointSpec::Universal(_)) => 2,
        Some(JointSpec::Ball(_) | JointSpec::Planar(_)) => 3,
    }
}

/// Whether the contact of a rod is in patches.
fn has_field(spec: &SceneSpec, rod: &RodSpec) -> bool {
    let material = rod.material.as_ref().and_then(|m| spec.material.get(m));
    let kind = rod.contact.or(material.and_then(|m| m.contact)).unwrap_or_default();
    kind != ContactKindSpec::Point
}

/// Corners of the section of a rod with a pressure field.
fn corners(rod: &RodSpec) -> f64 {
    let around = match &rod.section {
        Some(SectionSpec::Circle(s)) => core::f64::consts::TAU * s.radius,
        Some(SectionSpec::Rectangle(s)) => 2.0 * s.width.max(s.height),
        _ => return DEFAULT_CORNERS,
    };
    rod.patch_resolution.map_or(DEFAULT_CORNERS, |h| (around / h).clamp(DEFAULT_CORNERS, 2000.0))
}

fn shape_bytes(name: &str, body: &BodySpec, base_dir: Option<&Path>) -> Vec<(String, f64)> {
    let one = body.shape.iter().map(|shape| (format!("body.{name}.shape"), shape));
    let more = body.shapes.iter().map(|placed| (format!("body.{name}.shapes"), &placed.shape));
    let bytes = |shape: &ShapeSpec| match shape {
        ShapeSpec::Heightfield(field) => {
            HEIGHT_BYTES * field.heights.iter().map(Vec::len).sum::<usize>() as f64
        }
        ShapeSpec::Mesh(mesh) | ShapeSpec::Convex(mesh) => mesh_bytes(mesh, base_dir),
        _ => 0.0,
    };
    one.chain(more).map(|(key, shape)| (key, bytes(shape))).collect()
}

fn mesh_bytes(mesh: &MeshSpec, base_dir: Option<&Path>) -> f64 {
    let file = mesh.file.as_ref().map_or(0.0, |file| file_bytes(file, base_dir));
    let given = mesh.vertices.as_ref().map_or(0, Vec::len);
    MESH_FILE_BYTES * file + VERTEX_BYTES * given as f64
}

/// Size of a file; 0 if it cannot be determined: reading it reports the error.
fn file_bytes(name: &str, base_dir: Option<&Path>) -> f64 {
    let path = base_dir.map_or_else(|| name.into(), |dir| dir.join(name));
    std::fs::metadata(path).map_or(0.0, |found| found.len() as f64)
}
