//! Shapes, each in its own frame. Lengths in m.

use crate::aabb::Aabb;
use crate::heightfield::Heightfield;
use crate::hull::convex_hull;
use crate::mesh::TriangleMesh;
use glam::DVec3;
use ropewalk_linalg::Pose;
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
    /// Cylinder about the z axis, centered.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Full length.
        length: f64,
    },
    /// Capsule about the z axis, centered.
    Capsule {
        /// Radius.
        radius: f64,
        /// Length between the centers of its caps.
        length: f64,
    },
    /// All points with z ≤ 0.
    HalfSpace,
    /// The convex hull of vertices; its triangles, if it has any, are not read.
    Convex(Arc<TriangleMesh>),
    /// A surface of triangles; solid if closed.
    Mesh(Arc<TriangleMesh>),
    /// The solid below a surface of given heights.
    Heightfield(Arc<Heightfield>),
}

/// Why a shape is invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// A size that is zero, negative or not finite.
    #[error("the {quantity} of a {shape} is {value}, expected a finite number above 0 (in m)")]
    Size {
        /// Kind of the shape.
        shape: &'static str,
        /// Name of the size.
        quantity: &'static str,
        /// Its value.
        value: f64,
    },
    /// A vertex that is not finite.
    #[error("vertex {index} of a {shape} is not finite")]
    Vertex {
        /// Kind of the shape.
        shape: &'static str,
        /// Its index from 0.
        index: usize,
    },
    /// A triangle that names a vertex that does not exist.
    #[error(
        "triangle {triangle} of a mesh names vertex {vertex}, but there are {count} vertices, counted from 0"
    )]
    Index {
        /// The triangle, from 0.
        triangle: usize,
        /// The vertex that it names.
        vertex: u32,
        /// How many vertices there are.
        count: usize,
    },
    /// A mesh in which every triangle has zero area, or that has none.
    #[error("a mesh needs at least one triangle with an area above zero")]
    NoTriangles,
    /// Too few points for a solid.
    #[error("a convex shape needs at least 4 points that do not lie in a plane, but has {count}")]
    FewPoints {
        /// How many there are.
        count: usize,
    },
    /// Points in a plane or on a line.
    #[error(
        "the points of a convex shape lie in a plane (extent {extent:e} m, thickness {thickness:e} m): give it a thickness, or use a mesh"
    )]
    Flat {
        /// Greatest extent in m.
        extent: f64,
        /// Thickness in m.
        thickness: f64,
    },
    /// Points for which round-off leaves no consistent hull.
    #[error(
        "no consistent convex hull was found for these {count} points: merge points that nearly coincide"
    )]
    Hull {
        /// How many points there are.
        count: usize,
    },
    /// Too many points for a convex hull.
    #[error("the convex hull of these {count} points has too many faces to compute with: give fewer points")]
    LargeHull {
        /// How many points there are.
        count: usize,
    },
    /// A heightfield whose number of heights is not rows times columns, or with fewer than two of either.
    #[error(
        "a heightfield of {rows} rows and {columns} columns has {count} heights: expected at least 2 rows and 2 columns, and one height for each place"
    )]
    Grid {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
        /// Heights.
        count: usize,
    },
    /// A shape whose mass is not defined.
    #[error("a {shape} has no mass properties: {reason}")]
    NoMass {
        /// Kind of the shape.
        shape: &'static str,
        /// Why.
        reason: String,
    },
}

impl Shape {
    /// The kind of shape in words, as scene files write it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Sphere { .. } => "sphere",
            Self::Box { .. } => "box",
            Self::Cylinder { .. } => "cylinder",
            Self::Capsule { .. } => "capsule",
            Self::HalfSpace => "half_space",
            Self::Convex(_) => "convex",
            Self::Mesh(_) => "mesh",
            Self::Heightfield(_) => "heightfield",
        }
    }

    /// Whether the sizes are positive and finite, the vertices finite, the indices in range, and a convex shape
    /// has a volume.
    pub fn validate(&self) -> Result<(), ShapeError> {
        let shape = self.kind();
        let size = |quantity, value: f64| match value.is_finite() && value > 0.0 {
            true => Ok(()),
            false => Err(ShapeError::Size { shape, quantity, value }),
        };
        match self {
            Self::Sphere { radius } => size("radius", *radius),
            Self::Box { size: s } => {
                size("size along x", s.x)?;
                size("size along y", s.y)?;
                size("size along z", s.z)
            }
            Self::Cylinder { radius, length } => {
                size("radius", *radius)?;
                size("length", *length)
            }
            Self::Capsule { radius, length } => {
                size("radius", *radius)?;
                size("length", *length)
            }
            Self::HalfSpace => Ok(()),
            Self::Convex(points) => {
                points.check_vertices(shape)?;
                convex_hull(&points.vertices).map(|_| ())
            }
            Self::Mesh(mesh) => mesh.validate(),
            Self::Heightfield(field) => field.validate(),
        }
    }

    /// The bounding box of the shape in its own frame; none for a half-space, which is unbounded. That of a
    /// heightfield bounds its surface, not the solid below.
    pub fn bounds(&self) -> Option<Aabb> {
        match self {
            Self::Sphere { radius } => Some(Aabb::about(DVec3::splat(*radius))),
            Self::Box { size } => Some(Aabb::about(0.5 * *size)),
            Self::Cylinder { radius, length } => {
                Some(Aabb::about(DVec3::new(*radius, *radius, 0.5 * length)))
            }
            Self::Capsule { radius, length } => {
                Some(Aabb::about(DVec3::new(*radius, *radius, 0.5 * length + radius)))
            }
            Self::HalfSpace => None,
            Self::Convex(mesh) | Self::Mesh(mesh) => Some(Aabb::of_points(&mesh.vertices)),
            Self::Heightfield(field) => Some(field.bounds()),
        }
    }

    /// The bounding box, along the world's axes, of the shape at a pose; none for a half-space.
    pub fn world_bounds(&self, pose: &Pose) -> Option<Aabb> {
        let r = pose.matrix();
        match self {
            Self::Sphere { radius } => Some(Aabb::about(DVec3::splat(*radius)).moved(pose.position)),
            Self::Capsule { radius, length } => {
                let half = (0.5 * length * r.z_axis).abs() + DVec3::splat(*radius);
                Some(Aabb::about(half).moved(pose.position))
            }
            Self::Cylinder { radius, length } => {
                // A disc with the normal a reaches r √(1 − a_i²) along axis i.
                let a = r.z_axis;
                let disc = (DVec3::ONE - a * a).max(DVec3::ZERO);
                let half = (0.5 * length * a).abs()
                    + *radius * DVec3::new(disc.x.sqrt(), disc.y.sqrt(), disc.z.sqrt());
                Some(Aabb::about(half).moved(pose.position))
            }
            Self::Convex(mesh) | Self::Mesh(mesh) => {
                let mut all = Aabb::EMPTY;
                mesh.vertices.iter().for_each(|&v| all.add(pose.point(v)));
                Some(all)
            }
            Self::HalfSpace => None,
            Self::Box { .. } | Self::Heightfield(_) => self.bounds().map(|b| b.placed(pose)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_sizes_are_named() {
        let bad = Shape::Cylinder { radius: 0.1, length: f64::NAN };
        assert!(bad.validate().unwrap_err().to_string().starts_with("the length of a cylinder is NaN"));
        let bad = Shape::Box { size: DVec3::new(1.0, -1.0, 1.0) };
        assert!(bad.validate().unwrap_err().to_string().contains("size along y of a box is -1"));
        let square = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X + DVec3::Y];
        let bad = Shape::Convex(Arc::new(TriangleMesh { vertices: square.to_vec(), triangles: vec![] }));
        assert!(matches!(bad.validate(), Err(ShapeError::Flat { .. })));
        let bad =
            Shape::Mesh(Arc::new(TriangleMesh { vertices: square.to_vec(), triangles: vec![[0, 1, 9]] }));
        assert!(matches!(bad.validate(), Err(ShapeError::Index { vertex: 9, .. })));
        assert_eq!(Shape::HalfSpace.validate(), Ok(()));
    }

    #[test]
    fn placed_boxes_are_tight() {
        let pose = Pose::new(
            DVec3::new(0.3, -0.2, 0.9),
            ropewalk_linalg::pose::exp_rotation(DVec3::new(0.7, -0.4, 1.1)),
        );
        let shapes = [
            Shape::Sphere { radius: 0.2 },
            Shape::Box { size: DVec3::new(0.1, 0.4, 0.7) },
            Shape::Cylinder { radius: 0.2, length: 0.5 },
            Shape::Capsule { radius: 0.1, length: 0.6 },
        ];
        for shape in shapes {
            let collider = crate::Collider::new(&shape).unwrap();
            let found = shape.world_bounds(&pose).unwrap();
            for (axis, low, high) in [
                (DVec3::X, found.min.x, found.max.x),
                (DVec3::Y, found.min.y, found.max.y),
                (DVec3::Z, found.min.z, found.max.z),
            ] {
                let top = collider.support(&pose, axis).unwrap().dot(axis);
                let bottom = collider.support(&pose, -axis).unwrap().dot(axis);
                assert!((top - high).abs() < 1e-15 && (bottom - low).abs() < 1e-15, "{shape:?}");
            }
        }
    }
}
