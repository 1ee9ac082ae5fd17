//! Settings of contact.

use crate::table::{IntoValue, keys};
use toml::{Table, Value};

/// Settings of contact; what is not given keeps its default.
///
/// ```
/// use ropewalk::prelude::*;
///
/// let contact = Contact::default().exclude([["rope", "post"]]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contact(pub(crate) Table);

keys!(Contact {
    /// Whether there is any contact.
    enabled: bool,
    /// The contact law.
    law: ContactLaw,
    /// Whether pairs that may come to touch within the step take part before they do.
    look_ahead: bool,
    /// Whether steps in which something would tunnel are halved.
    guard: bool,
    /// What becomes of things that overlap at the start.
    overlap: StartOverlap,
});

impl Contact {
    /// Pairs of names that do not collide; a rod paired with itself has no contact with itself.
    #[must_use]
    pub fn exclude<'a>(mut self, pairs: impl IntoIterator<Item = [&'a str; 2]>) -> Self {
        let pairs: Vec<[&str; 2]> = pairs.into_iter().collect();
        self.0.insert("exclude".to_owned(), pairs.into_value());
        self
    }

    /// Pairs of links of one robot (`ROBOT/LINK`), or of bodies of one chain, that collide, which they do not by default; a
    /// robot paired with itself: all of its links that no joint joins.
    #[must_use]
    pub fn include<'a>(mut self, pairs: impl IntoIterator<Item = [&'a str; 2]>) -> Self {
        let pairs: Vec<[&str; 2]> = pairs.into_iter().collect();
        self.0.insert("include".to_owned(), pairs.into_value());
        self
    }
}

/// How something touches.
///
/// ```
/// use ropewalk::prelude::*;
///
/// # fn main() -> Result<(), Error> {
/// use ropewalk::ContactKind;
///
/// let rope = Rod::new(Curve::line(DVec3::new(0.0, 0.0, 1.95e-3), DVec3::new(0.1, 0.0, 1.95e-3)))
///     .material(Material::new(1e7, 0.4, 1000.0))
///     .section(Section::circle(2e-3))
///     .segments(20)
///     .contact(ContactKind::Patch)
///     .pressure_modulus(1e5);
/// let mut world = World::builder().rod("rope", rope).body("floor", Body::new(Shape::half_space()).fixed()).build()?;
/// world.run(0.02)?;
/// assert!(!world.patches().is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactKind {
    /// At points.
    Point,
    /// In patches of a pressure field.
    Patch,
}

impl IntoValue for ContactKind {
    fn into_value(self) -> Value {
        match self {
            Self::Point => "point",
            Self::Patch => "patch",
        }
        .into_value()
    }
}

/// Contact laws.
///
/// ```
/// use ropewalk::prelude::*;
///
/// # fn main() -> Result<(), Error> {
/// use ropewalk::ContactLaw;
///
/// // A block on a slope of 0.3 rad stays put under friction 0.5, whatever the law.
/// let turn = DQuat::from_rotation_y(0.3);
/// let start = turn * DVec3::Z * 0.01;
/// for law in [ContactLaw::Sap, ContactLaw::Lagged, ContactLaw::Similar] {
///     let block = Body::new(Shape::cuboid(DVec3::splat(0.02))).density(1000.0);
///     let mut world = World::builder()
///         .contact(Contact::default().law(law))
///         .body("slope", Body::new(Shape::half_space()).rotation(turn.into()).fixed())
///         .body("block", block.rotation(turn.into()).position(start))
///         .build()?;
///     world.run(0.1)?;
///     assert!(world.body("block")?.position().distance(start) < 1e-3);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactLaw {
    /// The regularized friction cone.
    Sap,
    /// Hunt and Crossley's normal force, friction from the normal force at the start of the step.
    Lagged,
    /// Hunt and Crossley's normal force, friction from the present normal force.
    Similar,
}

impl IntoValue for ContactLaw {
    fn into_value(self) -> Value {
        match self {
            Self::Sap => "sap",
            Self::Lagged => "lagged",
            Self::Similar => "similar",
        }
        .into_value()
    }
}

/// What becomes of things that overlap at the start.
///
/// ```
/// use ropewalk::prelude::*;
///
/// # fn main() -> Result<(), Error> {
/// use ropewalk::StartOverlap;
///
/// // A ball that begins 1 mm deep in the floor lies on it, instead of being thrown up.
/// let ball = Body::new(Shape::sphere(0.01)).density(1000.0).position(DVec3::new(0.0, 0.0, 0.009));
/// let mut world = World::builder()
///     .contact(Contact::default().overlap(StartOverlap::PushOut))
///     .body("floor", Body::new(Shape::half_space()).fixed())
///     .body("ball", ball)
///     .build()?;
/// world.run(0.1)?;
/// assert!((world.body("ball")?.position().z - 0.01).abs() < 3e-4);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartOverlap {
    /// A warning; contact pushes them apart, which gives them a velocity.
    Report,
    /// They are moved apart before the first step, without a velocity.
    PushOut,
}

impl IntoValue for StartOverlap {
    fn into_value(self) -> Value {
        match self {
            Self::Report => "report",
            Self::PushOut => "push_out",
        }
        .into_value()
    }
}
