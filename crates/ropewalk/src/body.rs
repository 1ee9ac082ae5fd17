//! Rigid bodies.

use crate::table::{IntoValue, keys, table};
use crate::{Joint, KeyFrames, Motion, PlacedShape, Rotation, Shape};
use glam::DVec3;
use toml::{Table, Value};

/// A rigid body, to be added to a [`WorldBuilder`](crate::WorldBuilder).
///
/// ```
/// use ropewalk::prelude::*;
///
/// # fn main() -> Result<(), Error> {
/// let mut world = World::builder()
///     .body("floor", Body::new(Shape::half_space()).fixed())
///     .body("ball", Body::new(Shape::sphere(0.05)).density(500.0).position(DVec3::Z * 0.06))
///     .build()?;
/// world.run(0.5)?;
/// assert!((world.body("ball")?.position().z - 0.05).abs() < 1e-3);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Body(pub(crate) Table);

impl Body {
    /// A body with this shape in its own frame.
    pub fn new(shape: Shape) -> Self {
        Self(table([("shape", shape.into_value())]))
    }

    /// A body of several shapes.
    pub fn of_shapes(shapes: Vec<PlacedShape>) -> Self {
        Self(table([("shapes", shapes.into_value())]))
    }

    /// A body without a shape: a mass in kg, and moments and products of inertia xx, yy, zz, xy, xz, yz about its center of
    /// mass in kg·m².
    pub fn of_mass(mass: f64, inertia: [f64; 6]) -> Self {
        Self(table([("mass", mass.into_value()), ("inertia", inertia.into_value())]))
    }

    /// Nothing moves it.
    #[must_use]
    pub fn fixed(self) -> Self {
        self.set("motion", "fixed")
    }

    /// A given motion, from where it is at the start.
    #[must_use]
    pub fn driven(self, motion: Motion) -> Self {
        self.set("motion", Value::Table(table([("driven", motion.into_value())])))
    }

    /// Poses at given times.
    #[must_use]
    pub fn key_frames(self, frames: KeyFrames) -> Self {
        self.set("motion", Value::Table(table([("key_frames", Value::Table(frames.0))])))
    }
}

keys!(Body {
    /// Density of its shapes in kg/m³.
    density: f64,
    /// Mass in kg, spread evenly over its shapes.
    mass: f64,
    /// Where its frame is at the start in m, in the world or in its parent.
    position: DVec3,
    /// How its frame is turned at the start.
    rotation: Rotation,
    /// Velocity of its frame's origin at the start in m/s; of free bodies.
    velocity: DVec3,
    /// Angular velocity at the start in rad/s; of free bodies.
    angular_velocity: DVec3,
    /// The joint by which it hangs on the world or on its parent.
    joint: Joint,
    /// The body on which it hangs by its joint, or is welded to without one.
    parent: &str,
    /// Coefficient of friction of this side; 0.5 by default.
    friction: f64,
    /// Stiffness of its surface in contact in N/m; as hard as the step allows by default.
    contact_stiffness: f64,
    /// Greatest pressure of its pressure field in Pa; rigid in patches by default.
    pressure_modulus: f64,
    /// Color in pictures: red, green, blue and opacity, each from 0 to 1.
    color: [f64; 4],
});
