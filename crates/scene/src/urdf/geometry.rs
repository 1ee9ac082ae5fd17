//! Collision geometry: primitives, and meshes from files.
//!
//! A mesh becomes [`Shape::Convex`], the hull of its vertices, as in most simulators. Its triangles are kept as in
//! the file.

use super::packages::MeshFinder;
use super::reader::{Bound, Element, LARGEST, Reader};
use crate::error::SceneError;
use crate::mesh_file::read_mesh;
use glam::{DQuat, DVec3};
use ropewalk_geometry::{Shape, TriangleMesh};
use ropewalk_linalg::Pose;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The kinds of geometry that are read.
const KINDS: [&str; 6] = ["box", "cylinder", "sphere", "capsule", "mesh", "plane"];

/// Reads `<geometry>`; a mesh that several links use is read once.
pub(super) struct Geometries<'a> {
    finder: MeshFinder<'a>,
    meshes: HashMap<(PathBuf, [u64; 3]), Arc<TriangleMesh>>,
}

impl<'a> Geometries<'a> {
    pub(super) fn new(finder: MeshFinder<'a>) -> Self {
        Self { finder, meshes: HashMap::new() }
    }

    /// The shape of a `<geometry>`, and its pose in the frame of the geometry.
    pub(super) fn read(
        &mut self,
        reader: &mut Reader<'_>,
        node: Element<'_>,
    ) -> Result<(Pose, Shape), SceneError> {
        reader.drop_unknown(node, &[], &KINDS);
        let mut shapes = node.children().filter(|c| c.is_element() && KINDS.contains(&c.tag_name().name()));
        let Some(shape) = shapes.next() else {
            return Err(reader
                .error(node, "this geometry has no shape that can collide")
                .expected(format!("one of <{}>", KINDS.join(">, <"))));
        };
        if let Some(second) = shapes.next() {
            return Err(reader
                .error(second, "a geometry has one shape")
                .hint("give each shape a <collision> of its own"));
        }
        let number = |name: &str| reader.number(shape, name, Bound::Positive);
        let (found, attributes): (_, &[&str]) = match shape.tag_name().name() {
            "sphere" => (Shape::Sphere { radius: number("radius")? }, &["radius"]),
            "cylinder" => (
                Shape::Cylinder { radius: number("radius")?, length: number("length")? },
                &["radius", "length"],
            ),
            "capsule" => (
                Shape::Capsule { radius: number("radius")?, length: number("length")? },
                &["radius", "length"],
            ),
            "box" => (Shape::Box { size: reader.vector(shape, "size", Bound::Positive)? }, &["size"]),
            "plane" => {
                let normal = reader.vector_or(shape, "normal", DVec3::Z)?;
                let Some(normal) = normal.try_normalize() else {
                    return Err(reader.error_in(shape, "normal", "the normal of a plane must not be zero"));
                };
                reader.drop_unknown(shape, &["normal"], &[]);
                let turned = Pose::new(DVec3::ZERO, DQuat::from_rotation_arc(DVec3::Z, normal));
                return Ok((turned, Shape::HalfSpace));
            }
            _ => (Shape::Convex(self.mesh(reader, shape)?), &["filename", "scale"]),
        };
        reader.drop_unknown(shape, attributes, &[]);
        Ok((Pose::IDENTITY, found))
    }

    fn mesh(&mut self, reader: &Reader<'_>, node: Element<'_>) -> Result<Arc<TriangleMesh>, SceneError> {
        let name = reader.attribute(node, "filename")?;
        let scale = reader.vector_or(node, "scale", DVec3::ONE)?;
        if scale.min_element() == 0.0 || scale.x * scale.y * scale.z == 0.0 {
            return Err(reader.error_in(node, "scale", "a mesh must not be scaled by zero"));
        }
        let path = self.finder.find(name).map_err(|problem| {
            let error = reader.error_in(node, "filename", problem.message);
            match problem.hint {
                Some(hint) => error.hint(hint),
                None => error,
            }
        })?;
        let key = (path, scale.to_array().map(f64::to_bits));
        if let Some(known) = self.meshes.get(&key) {
            return Ok(Arc::clone(known));
        }
        let mut mesh = read_mesh(&key.0).map_err(|problem| {
            let error =
                reader.error_in(node, "filename", format!("{}: {}", key.0.display(), problem.message));
            match problem.hint {
                Some(hint) => error.hint(hint),
                None => error,
            }
        })?;
        mesh.vertices.iter_mut().for_each(|v| *v *= scale);
        if scale.x * scale.y * scale.z < 0.0 {
            // A reflection turns the triangles inside out.
            mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        if mesh.vertices.iter().any(|v| v.abs().max_element() > LARGEST) {
            return Err(reader.error_in(
                node,
                "scale",
                "scaled by this, the mesh is too large to compute with",
            ));
        }
        let mesh = Arc::new(mesh);
        self.meshes.insert(key, Arc::clone(&mesh));
        Ok(mesh)
    }
}
