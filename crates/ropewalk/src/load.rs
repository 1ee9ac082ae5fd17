//! Forces on rods from outside.

use crate::table::{IntoValue, table, tagged};
use crate::{Place, TimeFunction};
use glam::DVec3;
use toml::{Table, Value};

/// A force on a rod from outside.
///
/// ```
/// use ropewalk::prelude::*;
///
/// let weight = Load::point("rope", Place::end(), DVec3::NEG_Z);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Load(pub(crate) Table);

impl Load {
    fn of(rod: &str, kind: Value) -> Self {
        let mut keys = table([("rod", rod.into_value())]);
        if let Value::Table(kind) = kind {
            keys.extend(kind);
        }
        Self(keys)
    }

    /// A force in N of fixed direction on a node.
    pub fn point(rod: &str, at: Place, force: DVec3) -> Self {
        Self::of(rod, tagged("point", [("at", at.into_value()), ("force", force.into_value())]))
    }

    /// A force in N along m₁, m₂ and the tangent of a node.
    pub fn follower(rod: &str, at: Place, force: DVec3) -> Self {
        Self::of(rod, tagged("follower", [("at", at.into_value()), ("force", force.into_value())]))
    }

    /// A force in N/m of fixed direction along the whole rod.
    pub fn distributed(rod: &str, force: DVec3) -> Self {
        Self::of(rod, tagged("distributed", [("force", force.into_value())]))
    }

    /// A torque in N·m about the tangent of an edge.
    pub fn torque(rod: &str, at: Place, torque: f64) -> Self {
        Self::of(rod, tagged("torque", [("at", at.into_value()), ("torque", torque.into_value())]))
    }

    /// Drag of a fluid: coefficients across and along the rod in N·s/m², across it in N·s²/m³, and the fluid's velocity in
    /// m/s.
    pub fn drag(rod: &str, normal: f64, tangential: f64, quadratic: f64, flow: DVec3) -> Self {
        let keys = [
            ("normal", normal.into_value()),
            ("tangential", tangential.into_value()),
            ("quadratic", quadratic.into_value()),
            ("flow", flow.into_value()),
        ];
        Self::of(rod, tagged("drag", keys))
    }

    /// Factor on the force in time.
    #[must_use]
    pub fn scale(mut self, scale: impl Into<TimeFunction>) -> Self {
        self.0.insert("scale".to_owned(), scale.into().into_value());
        self
    }
}
