//! Clamps: parts of rods that are held or driven.

use crate::Motion;
use crate::table::{IntoValue, keys, table, value_type};
use toml::{Table, Value};

/// A place on a rod.
///
/// ```
/// use ropewalk::prelude::*;
///
/// # fn main() -> Result<(), Error> {
/// let rope = Rod::new(Curve::line(DVec3::ZERO, DVec3::X)).preset("nylon_rope").segments(20);
/// let mut world = World::builder()
///     .rod("rope", rope)
///     .clamp("middle", Clamp::new("rope", Place::arclength(0.5)).hold(Hold::Position))
///     .build()?;
/// world.run(0.1)?;
/// let nodes = world.rod("rope")?.positions();
/// assert!(nodes[10].distance(DVec3::X * 0.5) < 1e-9 && nodes[0].z < -0.01);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Place(Value);
value_type!(Place);

impl Place {
    /// The first node or edge.
    pub fn start() -> Self {
        Self("start".into_value())
    }

    /// The last node or edge.
    pub fn end() -> Self {
        Self("end".into_value())
    }

    /// A node, counted from 0.
    pub fn node(index: u32) -> Self {
        Self(Value::Table(table([("node", index.into_value())])))
    }

    /// An edge, counted from 0.
    pub fn edge(index: u32) -> Self {
        Self(Value::Table(table([("edge", index.into_value())])))
    }

    /// The node or edge nearest to this rest arclength in m.
    pub fn arclength(length: f64) -> Self {
        Self(Value::Table(table([("arclength", length.into_value())])))
    }
}

/// What a clamp holds.
///
/// ```
/// use ropewalk::prelude::*;
///
/// # fn main() -> Result<(), Error> {
/// // A shaft held at one end and turned at the other: only the spin of its last edge is prescribed.
/// let turn = Motion::rotation(DVec3::X, 0.5.into());
/// let mut world = World::builder()
///     .gravity(DVec3::ZERO)
///     .rod("shaft", Rod::new(Curve::line(DVec3::ZERO, DVec3::X * 0.3)).preset("steel_wire").segments(10))
///     .clamp("wall", Clamp::new("shaft", Place::start()).hold(Hold::All))
///     .clamp("chuck", Clamp::new("shaft", Place::end()).hold(Hold::Spin).motion(turn))
///     .build()?;
/// world.run(0.05)?;
/// assert!(world.clamp("chuck")?.wrench().torque.length() > 0.0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hold {
    /// Position, tangent and twist of an edge.
    #[default]
    All,
    /// Position of a node.
    Position,
    /// Position and tangent of an edge, which may spin about itself.
    PositionTangent,
    /// The twist angle of an edge alone.
    Spin,
}

impl IntoValue for Hold {
    fn into_value(self) -> Value {
        match self {
            Self::All => "all",
            Self::Position => "position",
            Self::PositionTangent => "position_tangent",
            Self::Spin => "spin",
        }
        .into_value()
    }
}

/// Holds or drives part of a rod.
///
/// ```
/// use ropewalk::prelude::*;
///
/// let wall = Clamp::new("rope", Place::start());
/// let pull = Clamp::new("rope", Place::end()).hold(Hold::Position).motion(Motion::at_velocity(DVec3::X * 0.1, 1.0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Clamp(pub(crate) Table);

impl Clamp {
    /// Holds position, tangent and twist of `rod` there.
    pub fn new(rod: &str, at: Place) -> Self {
        Self(table([("rod", rod.into_value()), ("at", at.into_value())]))
    }
}

keys!(Clamp {
    /// What is held; everything by default.
    hold: Hold,
    /// How it moves, from where it is at the start.
    motion: Motion,
    /// From this time on (s) it is gone.
    release: f64,
});
