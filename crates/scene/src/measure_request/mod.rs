//! Measures by name, as in scene files, programs and Python, resolved to indices of a model.

mod components;
mod derived;
mod owner;

use crate::BodyPlace;
use crate::error::{list_names, nearest_name};
use components::{NUMBER, components, is_single};
use ropewalk_sim::measures::{Across, Component, Source};
use ropewalk_sim::{Measure, Model, Over, Quantity, Reading};

/// A requested measure.
///
/// ```
/// use ropewalk_scene::{MeasureRequest, load_named};
///
/// let scene = load_named("capstan", &[]).unwrap();
/// let pull = MeasureRequest::new("clamp_wrenches", "mean").of("drag").component("force").from(0.3);
/// assert!(pull.resolve(&scene.model, &scene.bodies).is_ok());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MeasureRequest {
    /// Name of the quantity; see [`ropewalk_sim::quantity`] and [`ropewalk_sim::measures::Derived`].
    pub quantity: String,
    /// Owner of the quantity: the name of a rod, body, robot, clamp, attachment or actuator; `ROBOT/LINK` for a link.
    pub of: Option<String>,
    /// The body about which a rod is wound, for `turns` and `wound_radii`.
    pub about: Option<String>,
    /// Two rest arclengths in m, increasing: the part of the rod that `knot_determinant`, `wraps` and `slack` read; all of it by
    /// default.
    pub between: Option<[f64; 2]>,
    /// The other part for `wraps`.
    pub and_between: Option<[f64; 2]>,
    /// Direction in which both ends of a knot are extended, for `knot_determinant`; by default along the line between
    /// them.
    pub ends: Option<[f64; 3]>,
    /// Which component of a vector, wrench or list of energies, such as `x` or `norm`.
    pub component: Option<String>,
    /// Which row, from 0.
    pub at: Option<usize>,
    /// Reduction over rows: `mean`, `greatest`, `least`, `sum` or `last`.
    pub across: Option<String>,
    /// Reduction over time: a name of [`Over::NAMES`].
    pub over: String,
    /// The window begins after this time in s.
    pub from: f64,
    /// The window ends with this time in s.
    pub until: f64,
}

/// Why a request is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}\n  key: {key}\n  expected: {expected}{}", nearest.as_ref().map(|n| format!("\n  nearest: `{n}`")).unwrap_or_default())]
pub struct MeasureError {
    /// The key that is wrong.
    pub key: &'static str,
    /// The error.
    pub message: String,
    /// The expected value.
    pub expected: String,
    /// The nearest valid name.
    pub nearest: Option<String>,
}

impl MeasureError {
    fn new(key: &'static str, message: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { key, message: message.into(), expected: expected.into(), nearest: None }
    }

    fn unknown<'a>(
        key: &'static str,
        kind: &str,
        name: &str,
        known: impl Iterator<Item = &'a str> + Clone,
    ) -> Self {
        Self {
            key,
            message: format!("there is no {kind} called \"{name}\""),
            expected: format!("one of {}", list_names(known.clone())),
            nearest: nearest_name(name, known),
        }
    }
}

impl MeasureRequest {
    /// A quantity over the whole run.
    pub fn new(quantity: &str, over: &str) -> Self {
        Self {
            quantity: quantity.to_owned(),
            of: None,
            about: None,
            between: None,
            and_between: None,
            ends: None,
            component: None,
            at: None,
            across: None,
            over: over.to_owned(),
            from: f64::NEG_INFINITY,
            until: f64::INFINITY,
        }
    }

    /// Sets the owner.
    #[must_use]
    pub fn of(mut self, name: &str) -> Self {
        self.of = Some(name.to_owned());
        self
    }

    /// Wound about the body with this name.
    #[must_use]
    pub fn about(mut self, name: &str) -> Self {
        self.about = Some(name.to_owned());
        self
    }

    /// Of the part between two rest arclengths in m.
    #[must_use]
    pub fn between(mut self, from: f64, to: f64) -> Self {
        self.between = Some([from, to]);
        self
    }

    /// A component of each row.
    #[must_use]
    pub fn component(mut self, component: &str) -> Self {
        self.component = Some(component.to_owned());
        self
    }

    /// One row, from 0.
    #[must_use]
    pub fn at(mut self, row: usize) -> Self {
        self.at = Some(row);
        self
    }

    /// Sets the reduction over rows.
    #[must_use]
    pub fn across(mut self, across: &str) -> Self {
        self.across = Some(across.to_owned());
        self
    }

    /// From this time in s on.
    #[must_use]
    pub fn from(mut self, time: f64) -> Self {
        self.from = time;
        self
    }

    /// Until this time in s.
    #[must_use]
    pub fn until(mut self, time: f64) -> Self {
        self.until = time;
        self
    }

    /// The measure of a model, whose bodies are at `bodies`.
    pub fn resolve(&self, model: &Model, bodies: &[BodyPlace]) -> Result<Measure, MeasureError> {
        let reading = match Quantity::named(&self.quantity).and_then(|q| Some((q, components(q)?))) {
            Some((quantity, parts)) => {
                self.refuse_extras(&[])?;
                let (index, row) = self.owner(quantity, model, bodies)?;
                let component = self.pick_component(parts)?;
                let across = self.pick_across(is_single(quantity), row)?;
                Reading { source: Source::Quantity(quantity, index), component, across }
            }
            None => {
                let (derived, parts, single) = self.derived(model, bodies)?;
                let component = self.pick_component(parts)?;
                Reading {
                    source: Source::Derived(derived),
                    component,
                    across: self.pick_across(single, None)?,
                }
            }
        };
        // NaN counts as empty.
        let lasts = self.from < self.until;
        if !lasts {
            let message = format!("the window from {} s until {} s is empty", self.from, self.until);
            return Err(MeasureError::new("until", message, "a later time than from"));
        }
        let names = || Over::NAMES.iter().map(|(name, _)| *name);
        let over = Over::NAMES.iter().find(|(name, _)| *name == self.over).map(|(_, over)| *over);
        let over =
            over.ok_or_else(|| MeasureError::unknown("over", "operation over time", &self.over, names()))?;
        Ok(Measure { reading, over, from: self.from, until: self.until })
    }

    /// Rejects keys that do not apply to the quantity.
    fn refuse_extras(&self, has: &[&str]) -> Result<(), MeasureError> {
        for (key, given) in [
            ("about", self.about.is_some()),
            ("between", self.between.is_some()),
            ("and_between", self.and_between.is_some()),
            ("ends", self.ends.is_some()),
        ] {
            if given && !has.contains(&key) {
                let message = format!("{} has no `{key}`", self.quantity);
                return Err(MeasureError::new(key, message, "no such key"));
            }
        }
        Ok(())
    }

    fn pick_component(&self, parts: &'static [(&'static str, Component)]) -> Result<Component, MeasureError> {
        let names = || parts.iter().map(|(name, _)| *name);
        match &self.component {
            None if parts == NUMBER => Ok(Component::Whole),
            None => {
                let message = format!("{} has several components", self.quantity);
                Err(MeasureError::new("component", message, format!("one of {}", list_names(names()))))
            }
            Some(given) => {
                let found = parts.iter().find(|(name, _)| name == given).map(|(_, component)| *component);
                found.ok_or_else(|| MeasureError::unknown("component", "component", given, names()))
            }
        }
    }

    fn pick_across(&self, single: bool, row: Option<usize>) -> Result<Across, MeasureError> {
        let given = (self.at, self.across.as_deref());
        if row.is_some() || single {
            return match given {
                (None, None) => Ok(Across::Row(row.unwrap_or(0))),
                _ => {
                    let message = format!("{} has one row here", self.quantity);
                    Err(MeasureError::new("at", message, "neither at nor across"))
                }
            };
        }
        match given {
            (Some(row), None) => Ok(Across::Row(row)),
            (None, Some(across)) => match across {
                "mean" => Ok(Across::Mean),
                "greatest" => Ok(Across::Greatest),
                "least" => Ok(Across::Least),
                "sum" => Ok(Across::Sum),
                "last" => Ok(Across::LastRow),
                other => {
                    let known = ["mean", "greatest", "least", "sum", "last"];
                    Err(MeasureError::unknown("across", "operation across rows", other, known.into_iter()))
                }
            },
            _ => {
                let message = format!("{} has several rows", self.quantity);
                Err(MeasureError::new(
                    "across",
                    message,
                    "at = ROW, or across = mean, greatest, least, sum or last",
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load_named;

    #[test]
    fn names_become_indices() {
        let scene = load_named("capstan", &[]).unwrap();
        let of = |request: MeasureRequest| request.resolve(&scene.model, &scene.bodies);
        let pull = of(MeasureRequest::new("clamp_wrenches", "mean").of("drag").component("force")).unwrap();
        assert_eq!(pull.reading.across, Across::Row(0));
        let tension = of(MeasureRequest::new("tension", "greatest").across("greatest")).unwrap();
        assert_eq!(tension.reading.source, Source::Quantity(Quantity::Tension, 0));
        assert_eq!(tension.over, Over::Greatest);
        let post = of(MeasureRequest::new("link_contact_wrenches", "last").of("post").component("force"));
        assert_eq!(post.unwrap().reading.across, Across::Row(0));
    }

    #[test]
    fn mistakes_name_the_key_and_the_remedy() {
        let scene = load_named("capstan", &[]).unwrap();
        let key = |request: MeasureRequest| {
            let error = request.resolve(&scene.model, &scene.bodies).unwrap_err();
            assert!(!error.expected.is_empty());
            (error.key, error.nearest)
        };
        let near = |name: &str| Some(name.to_owned());
        assert_eq!(key(MeasureRequest::new("tensoin", "mean")), ("quantity", near("tension")));
        assert_eq!(key(MeasureRequest::new("tension", "maen").across("mean")), ("over", near("mean")));
        assert_eq!(key(MeasureRequest::new("tension", "mean")).0, "across");
        assert_eq!(key(MeasureRequest::new("tension", "mean").of("ropes").at(0)), ("of", near("rope")));
        assert_eq!(key(MeasureRequest::new("positions", "mean").at(0)).0, "component");
        assert_eq!(key(MeasureRequest::new("time", "mean").of("rope")).0, "of");
        assert_eq!(key(MeasureRequest::new("time", "mean").from(1.0).until(1.0)).0, "until");
        assert_eq!(key(MeasureRequest::new("frames", "mean")).0, "quantity");
        assert_eq!(key(MeasureRequest::new("turns", "last")).0, "about");
        assert_eq!(key(MeasureRequest::new("turns", "last").about("pots")), ("about", near("post")));
        assert_eq!(key(MeasureRequest::new("tension", "last").at(0).about("post")).0, "about");
        assert_eq!(key(MeasureRequest::new("slack", "last").between(0.5, 0.2)).0, "between");
        assert_eq!(key(MeasureRequest::new("slack", "last").between(0.0, 20.0)).0, "between");
        assert_eq!(key(MeasureRequest::new("wraps", "last")).0, "and_between");
    }
}
