//! Prepared shapes: checked, with hulls and bounding-volume hierarchies.

use crate::convex::Core;
use crate::hull::convex_hull;
use crate::shape::{Shape, ShapeError};
use crate::surface::Surface;
use crate::sweep::medial;
use glam::DVec3;
use ropewalk_linalg::Pose;
use std::sync::Arc;

/// A shape prepared for distances, contacts and sweeps.
#[derive(Clone, Debug)]
pub struct Collider {
    pub(crate) shape: Shape,
    pub(crate) kind: Kind,
    /// The core that no centerline may reach; see [`crate::sweep`].
    pub(crate) inner: Option<Core>,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// A core with a radius about it.
    Convex { core: Core, radius: f64 },
    /// z ≤ 0.
    HalfSpace,
    /// Triangles.
    Surface(Arc<Surface>),
}

impl Collider {
    /// Checks and prepares a shape.
    pub fn new(shape: &Shape) -> Result<Self, ShapeError> {
        // Hulls are checked on construction.
        if !matches!(shape, Shape::Convex(_)) {
            shape.validate()?;
        }
        let convex = |core, radius| Kind::Convex { core, radius };
        let kind = match shape {
            Shape::Sphere { radius } => convex(Core::Point, *radius),
            Shape::Capsule { radius, length } => convex(Core::Segment { half: 0.5 * length }, *radius),
            Shape::Box { size } => convex(Core::Box { half: 0.5 * *size }, 0.0),
            Shape::Cylinder { radius, length } => {
                convex(Core::Cylinder { radius: *radius, half: 0.5 * length }, 0.0)
            }
            Shape::HalfSpace => Kind::HalfSpace,
            Shape::Convex(points) => convex(Core::Hull(Arc::new(convex_hull(&points.vertices)?)), 0.0),
            Shape::Mesh(mesh) => Kind::Surface(Arc::new(Surface::of_mesh(mesh)?)),
            Shape::Heightfield(field) => Kind::Surface(Arc::new(Surface::of_heightfield(field)?)),
        };
        let inner = match &kind {
            Kind::Convex { core, .. } => Some(medial(core)),
            Kind::HalfSpace | Kind::Surface(_) => None,
        };
        Ok(Self { shape: shape.clone(), kind, inner })
    }

    /// The original shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Whether it is a half-space.
    pub fn is_half_space(&self) -> bool {
        matches!(self.kind, Kind::HalfSpace)
    }

    /// The kind of shape in words.
    pub fn kind(&self) -> &'static str {
        self.shape.kind()
    }

    /// A point of the solid at a pose that is farthest along `direction`; none for a half-space. Of a surface: the
    /// farthest of its vertices.
    pub fn support(&self, pose: &Pose, direction: DVec3) -> Option<DVec3> {
        let d = pose.local_vector(direction);
        let local = match &self.kind {
            Kind::Convex { core, radius } => core.support(d) + *radius * d.normalize_or_zero(),
            Kind::HalfSpace => return None,
            Kind::Surface(surface) => surface.support(d),
        };
        Some(pose.point(local))
    }
}
