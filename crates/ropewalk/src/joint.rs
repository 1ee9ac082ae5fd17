//! Joints by which bodies hang on the world or on one another.

use crate::table::{IntoValue, table};
use glam::DVec3;
use toml::{Table, Value};

/// A joint. Units are rad and N·m for rotations, m and N for translations.
///
/// ```
/// use ropewalk::prelude::*;
///
/// let hinge = Joint::revolute(DVec3::Y).limits(-1.0, 1.0).damping(1e-3);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    kind: &'static str,
    keys: Table,
}

impl Joint {
    /// Turns about an axis.
    pub fn revolute(axis: DVec3) -> Self {
        Self { kind: "revolute", keys: table([("axis", axis.into_value())]) }
    }

    /// Slides along an axis.
    pub fn prismatic(axis: DVec3) -> Self {
        Self { kind: "prismatic", keys: table([("axis", axis.into_value())]) }
    }

    /// Turns about the origin of its frame.
    pub fn ball() -> Self {
        Self { kind: "ball", keys: Table::new() }
    }

    /// Turns about two axes, the second of which turns with the first.
    pub fn universal(axes: [DVec3; 2]) -> Self {
        Self { kind: "universal", keys: table([("axes", axes.into_value())]) }
    }

    /// Slides in a plane and turns about its normal.
    pub fn planar(normal: DVec3) -> Self {
        Self { kind: "planar", keys: table([("normal", normal.into_value())]) }
    }

    /// Position at the start; of revolute and prismatic joints.
    #[must_use]
    pub fn position(self, position: f64) -> Self {
        self.set("position", position)
    }

    /// Least and greatest position; of revolute and prismatic joints.
    #[must_use]
    pub fn limits(self, least: f64, greatest: f64) -> Self {
        self.set("limits", [least, greatest].into_value())
    }

    /// Viscous damping.
    #[must_use]
    pub fn damping(self, damping: f64) -> Self {
        self.set("damping", damping)
    }

    /// Dry friction.
    #[must_use]
    pub fn dry_friction(self, effort: f64) -> Self {
        self.set("dry_friction", effort)
    }

    /// Sets any key of the scene file by its name.
    #[must_use]
    pub fn set(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.keys.insert(key.to_owned(), value.into());
        self
    }
}

impl IntoValue for Joint {
    fn into_value(self) -> Value {
        Value::Table(table([(self.kind, Value::Table(self.keys))]))
    }
}
