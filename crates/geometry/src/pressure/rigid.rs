//! Surfaces of rigid solids, with a tree over their triangles.

use crate::aabb::Aabb;
use crate::bvh::Tree;
use crate::mesh::{TriangleMesh, unit_normal};
use crate::shape::ShapeError;
use glam::DVec3;

/// The surface of a rigid solid in the frame of its body.
#[derive(Clone, Debug)]
pub struct RigidSurface {
    triangles: Vec<Triangle>,
    tree: Tree,
}

/// A triangle with its outward unit normal.
#[derive(Clone, Copy, Debug)]
pub struct Triangle {
    /// Corners in m, counter-clockwise seen from outside.
    pub corners: [DVec3; 3],
    /// Unit normal.
    pub normal: DVec3,
}

impl RigidSurface {
    /// The surface of a mesh; triangles without area are left out.
    pub fn new(mesh: &TriangleMesh) -> Result<Self, ShapeError> {
        mesh.validate()?;
        let triangles: Vec<Triangle> = (0..mesh.triangles.len())
            .filter_map(|t| {
                let corners = mesh.corners(t);
                unit_normal(&corners).map(|normal| Triangle { corners, normal })
            })
            .collect();
        let boxes: Vec<Aabb> = triangles.iter().map(|t| Aabb::of_points(&t.corners)).collect();
        Ok(Self { tree: Tree::spatial(&boxes), triangles })
    }

    /// Its triangles.
    pub fn triangles(&self) -> &[Triangle] {
        &self.triangles
    }

    /// The tree over their boxes.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }
}
