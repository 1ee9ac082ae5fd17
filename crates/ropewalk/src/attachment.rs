//! Attachments: what holds rods and bodies together.

use crate::Place;
use crate::table::{IntoValue, keys, table};
use glam::DVec3;
use toml::{Table, Value};

/// An end of an attachment.
///
/// ```
/// use ropewalk::prelude::*;
///
/// # fn main() -> Result<(), Error> {
/// // A ball that hangs from a wire; the attachment carries its weight.
/// let wire = Rod::new(Curve::line(DVec3::ZERO, DVec3::NEG_Z * 0.2)).preset("steel_wire").segments(10);
/// let ball = Body::new(Shape::sphere(0.02)).mass(0.1).position(DVec3::NEG_Z * 0.221);
/// let mut world = World::builder()
///     .rod("wire", wire)
///     .body("ball", ball)
///     .attach("hook", Attachment::pin(AttachmentEnd::rod("wire", Place::start()), AttachmentEnd::world()))
///     .attach("eye", Attachment::ball(AttachmentEnd::rod("wire", Place::end()), AttachmentEnd::body("ball")))
///     .build()?;
/// world.run(0.3)?;
/// assert!((world.attachment("eye")?.wrench().force.z + 0.981).abs() < 0.01);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AttachmentEnd(Table);

impl AttachmentEnd {
    /// The world.
    pub fn world() -> Self {
        Self(Table::new())
    }

    /// A place on a rod.
    pub fn rod(name: &str, at: Place) -> Self {
        Self(table([("rod", name.into_value()), ("at", at.into_value())]))
    }

    /// A body.
    pub fn body(name: &str) -> Self {
        Self(table([("body", name.into_value())]))
    }

    /// A link of a robot.
    pub fn link(robot: &str, link: &str) -> Self {
        Self(table([("robot", robot.into_value()), ("link", link.into_value())]))
    }

    /// A point in the frame of the body, link or world, in m.
    #[must_use]
    pub fn at_point(mut self, point: DVec3) -> Self {
        self.0.insert("point".to_owned(), point.into_value());
        self
    }
}

/// Holds two ends together as they are when it begins.
///
/// ```
/// use ropewalk::prelude::*;
///
/// let grip = Attachment::ball(AttachmentEnd::rod("cable", Place::start()), AttachmentEnd::link("arm", "hand"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Attachment(pub(crate) Table);

impl Attachment {
    fn of(kind: &str, first: AttachmentEnd, to: AttachmentEnd) -> Self {
        let mut keys = first.0;
        keys.insert("kind".to_owned(), kind.into_value());
        let to = if to.0.is_empty() { "world".into_value() } else { Value::Table(to.0) };
        keys.insert("to".to_owned(), to);
        Self(keys)
    }

    /// A node of a rod, which may turn.
    pub fn pin(first: AttachmentEnd, to: AttachmentEnd) -> Self {
        Self::of("pin", first, to)
    }

    /// A point, which may turn.
    pub fn ball(first: AttachmentEnd, to: AttachmentEnd) -> Self {
        Self::of("ball", first, to)
    }

    /// A point and the orientation: of a rod, its tangent and twist.
    pub fn clamp(first: AttachmentEnd, to: AttachmentEnd) -> Self {
        Self::of("clamp", first, to)
    }
}

keys!(Attachment {
    /// It holds from this time on, in s.
    from: f64,
    /// It is gone from this time on, in s.
    until: f64,
});
