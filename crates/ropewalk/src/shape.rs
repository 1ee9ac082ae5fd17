//! Shapes of bodies.

use crate::Rotation;
use crate::table::{IntoValue, keys, table, tagged, value_type};
use glam::DVec3;
use toml::{Table, Value};

/// A solid shape in its own frame; lengths in m.
///
/// ```
/// use ropewalk::Shape;
///
/// let post = Shape::cylinder(0.01, 0.1);
/// let floor = Shape::half_space();
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Shape(pub(crate) Value);
value_type!(Shape);

impl Shape {
    /// A ball about the origin.
    pub fn sphere(radius: f64) -> Self {
        Self(tagged("sphere", [("radius", radius.into_value())]))
    }

    /// A box about the origin with these full lengths.
    pub fn cuboid(size: DVec3) -> Self {
        Self(tagged("box", [("size", size.into_value())]))
    }

    /// A cylinder about the z axis, centered.
    pub fn cylinder(radius: f64, length: f64) -> Self {
        Self(tagged("cylinder", [("radius", radius.into_value()), ("length", length.into_value())]))
    }

    /// A capsule about the z axis, centered; the length is that between the centers of its caps.
    pub fn capsule(radius: f64, length: f64) -> Self {
        Self(tagged("capsule", [("radius", radius.into_value()), ("length", length.into_value())]))
    }

    /// All that lies below z = 0.
    pub fn half_space() -> Self {
        Self("half_space".into_value())
    }

    /// A surface of triangles from an STL or OBJ file, its coordinates multiplied by `scale`.
    pub fn mesh_file(path: &str, scale: f64) -> Self {
        Self(tagged("mesh", [("file", path.into_value()), ("scale", scale.into_value())]))
    }

    /// The convex hull of points.
    pub fn convex(vertices: Vec<DVec3>) -> Self {
        Self(tagged("convex", [("vertices", vertices.into_value())]))
    }
}

/// A shape with its place in a body.
///
/// ```
/// use ropewalk::prelude::*;
///
/// # fn main() -> Result<(), Error> {
/// use ropewalk::PlacedShape;
///
/// // A hammer: a handle along z with a head on top.
/// let handle = PlacedShape::new(Shape::cylinder(0.01, 0.3));
/// let head = PlacedShape::new(Shape::cuboid(DVec3::new(0.1, 0.03, 0.03))).position(DVec3::Z * 0.15);
/// let world = World::builder().body("hammer", Body::of_shapes(vec![handle, head]).density(1000.0)).build()?;
/// assert_eq!(world.model().trees[0].shapes.len(), 2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedShape(pub(crate) Table);

impl PlacedShape {
    /// A shape in the frame of the body.
    pub fn new(shape: Shape) -> Self {
        Self(table([("shape", shape.into_value())]))
    }
}

keys!(PlacedShape {
    /// Where its origin is in the body's frame, in m.
    position: DVec3,
    /// How it is turned in the body's frame.
    rotation: Rotation,
});
