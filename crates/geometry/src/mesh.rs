//! Triangle meshes.

use glam::DVec3;

/// Triangles over shared vertices; counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleMesh {
    /// Vertices in m.
    pub vertices: Vec<DVec3>,
    /// Corners of each triangle, as indices of vertices.
    pub triangles: Vec<[u32; 3]>,
}
