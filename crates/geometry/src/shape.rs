//! Shapes, each in its own frame. Lengths in m.

use crate::mesh::TriangleMesh;
use glam::DVec3;
use std::sync::Arc;

/// A solid, placed by a pose.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Ball about the origin.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// Box about the origin.
    Box {
        /// Full lengths along x, y and z.
        size: DVec3,
    },
    /// Cylinder about the z axis, centred.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Full length.
        length: f64,
    },
    /// Capsule about the z axis, centred.
    Capsule {
        /// Radius.
        radius: f64,
        /// Length between the centres of its caps.
        length: f64,
    },
    /// All points with z ≤ 0.
    HalfSpace,
    /// The convex hull of vertices.
    Convex(Arc<TriangleMesh>),
    /// A surface of triangles; solid if closed.
    Mesh(Arc<TriangleMesh>),
}
