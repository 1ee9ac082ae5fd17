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
