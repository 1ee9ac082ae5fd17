//! Measures by name: what scene files, programs and Python ask for, as indices of a model.

use crate::error::{list_names, nearest_name};
use ropewalk_sim::measures::{Across, Component};
use ropewalk_sim::quantity::Owner;
use ropewalk_sim::{Measure, Model, Over, Quantity, Reading};

/// A measure as it is asked for.
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
    /// Name of the quantity; see [`ropewalk_sim::quantity`].
    pub quantity: String,
    /// Of what: the name of a rod, body, robot, clamp, attachment or actuator; `ROBOT/LINK` for a link.
    pub of: Option<String>,
    /// Which component of a vector, wrench or list of energies, such as `x` or `norm`.
    pub component: Option<String>,
    /// Which row, from 0.
    pub at: Option<usize>,
    /// What rows come to together: `mean`, `greatest`, `least`, `sum` or `last`.
    pub across: Option<String>,
    /// What readings come to over time: `mean`, `greatest`, `least`, `last`, `drift` or `integral`.
    pub over: String,
    /// The window begins after this time in s.
    pub from: f64,
    /// The window ends with this time in s.
    pub until: f64,
}

/// What is wrong with a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}\n  key: {key}\n  expected: {expected}{}", nearest.as_ref().map(|n| format!("\n  nearest: `{n}`")).unwrap_or_default())]
pub struct MeasureError {
    /// The key that is wrong.
    pub key: &'static str,
    /// What is wrong with it.
    pub message: String,
    /// What would be right.
    pub expected: String,
    /// The nearest name that there is.
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

const VECTOR: &[(&str, Component)] = &[
    ("x", Component::Entry(0)),
    ("y", Component::Entry(1)),
    ("z", Component::Entry(2)),
    ("norm", Component::Norm(0, 3)),
];
const WRENCH: &[(&str, Component)] = &[
    ("force", Component::Norm(0, 3)),
    ("torque", Component::Norm(3, 3)),
    ("fx", Component::Entry(0)),
    ("fy", Component::Entry(1)),
    ("fz", Component::Entry(2)),
    ("tx", Component::Entry(3)),
    ("ty", Component::Entry(4)),
    ("tz", Component::Entry(5)),
];
const ENERGIES: &[(&str, Component)] = &[
    ("total", Component::Sum),
    ("kinetic", Component::Entry(0)),
    ("stretch", Component::Entry(1)),
    ("bend", Component::Entry(2)),
    ("twist", Component::Entry(3)),
    ("gravity", Component::Entry(4)),
    ("joints", Component::Entry(5)),
];
const MOMENTS: &[(&str, Component)] = &[
    ("m1", Component::Entry(0)),
    ("m2", Component::Entry(1)),
    ("torque", Component::Entry(2)),
    ("bending", Component::Norm(0, 2)),
];
const EXTENTS: &[(&str, Component)] = &[("m1", Component::Entry(0)), ("m2", Component::Entry(1))];
const QUATERNION: &[(&str, Component)] = &[
    ("x", Component::Entry(0)),
    ("y", Component::Entry(1)),
    ("z", Component::Entry(2)),
    ("w", Component::Entry(3)),
];

/// Components of the rows of a quantity; none where rows are single numbers. `None` for what is not measured.
fn components(quantity: Quantity) -> Option<&'static [(&'static str, Component)]> {
    Some(match quantity {
        Quantity::Positions
        | Quantity::Velocities
        | Quantity::ContactForce
        | Quantity::LinkPositions
        | Quantity::LinkVelocities
        | Quantity::LinkAngularVelocities => VECTOR,
        Quantity::BaseWrench
        | Quantity::LinkContactWrenches
        | Quantity::JointWrenches
        | Quantity::ClampWrenches
        | Quantity::AttachmentWrenches => WRENCH,
        Quantity::RodEnergies | Quantity::Energies => ENERGIES,
        Quantity::Moments => MOMENTS,
        Quantity::HalfExtents | Quantity::PlasticCurvature => EXTENTS,
        Quantity::LinkQuatsXyzw => QUATERNION,
        Quantity::Frames => return None,
        _ => &[],
    })
}

/// Whether the quantity is one number, vector or wrench, without rows.
fn is_single(quantity: Quantity) -> bool {
    matches!(
        quantity,
        Quantity::ContactForce
            | Quantity::PlasticWork
            | Quantity::RodEnergies
            | Quantity::BaseWrench
            | Quantity::Time
            | Quantity::Energies
            | Quantity::ContactCount
            | Quantity::DeepestOverlap
    )
}

impl MeasureRequest {
    /// A quantity over the whole run.
    pub fn new(quantity: &str, over: &str) -> Self {
        Self {
            quantity: quantity.to_owned(),
            of: None,
            component: None,
            at: None,
            across: None,
            over: over.to_owned(),
            from: f64::NEG_INFINITY,
            until: f64::INFINITY,
        }
    }

    /// Of the thing with this name.
    #[must_use]
    pub fn of(mut self, name: &str) -> Self {
        self.of = Some(name.to_owned());
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

    /// What rows come to together.
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
    pub fn resolve(&self, model: &Model, bodies: &[crate::BodyPlace]) -> Result<Measure, MeasureError> {
        let quantity = Quantity::named(&self.quantity);
        let names = || Quantity::ALL.iter().filter(|q| components(**q).is_some()).map(|q| q.name());
        let Some((quantity, parts)) = quantity.and_then(|q| Some((q, components(q)?))) else {
            return Err(MeasureError::unknown("quantity", "quantity", &self.quantity, names()));
        };
        let (index, row) = self.owner(quantity, model, bodies)?;
        let component = self.pick_component(parts)?;
        let across = self.pick_across(quantity, row)?;
        // NaN counts as empty.
        let lasts = self.from < self.until;
        if !lasts {
            let message = format!("the window from {} s until {} s is empty", self.from, self.until);
            return Err(MeasureError::new("until", message, "a later time than from"));
        }
        let reading = Reading { quantity, index, component, across };
        Ok(Measure { reading, over: self.pick_over()?, from: self.from, until: self.until })
    }

    fn pick_over(&self) -> Result<Over, MeasureError> {
        Ok(match self.over.as_str() {
            "mean" => Over::Mean,
            "greatest" => Over::Greatest,
            "least" => Over::Least,
            "last" => Over::Last,
            "drift" => Over::Drift,
            "integral" => Over::Integral,
            other => {
                let known = ["mean", "greatest", "least", "last", "drift", "integral"];
                return Err(MeasureError::unknown("over", "operation over time", other, known.into_iter()));
            }
        })
    }

    fn pick_component(&self, parts: &'static [(&'static str, Component)]) -> Result<Component, MeasureError> {
        let names = || parts.iter().map(|(name, _)| *name);
        match (&self.component, parts) {
            (None, []) => Ok(Component::Whole),
            (Some(given), []) => {
                let message =
                    format!("{} has no component \"{given}\": it is a single number", self.quantity);
                Err(MeasureError::new("component", message, "no such key"))
            }
            (None, _) => {
                let message = format!("{} has several components", self.quantity);
                Err(MeasureError::new("component", message, format!("one of {}", list_names(names()))))
            }
            (Some(given), _) => {
                let found = parts.iter().find(|(name, _)| name == given).map(|(_, component)| *component);
                found.ok_or_else(|| MeasureError::unknown("component", "component", given, names()))
            }
        }
    }

    fn pick_across(&self, quantity: Quantity, row: Option<usize>) -> Result<Across, MeasureError> {
        let given = (self.at, self.across.as_deref());
        if row.is_some() || is_single(quantity) {
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

    /// Index of the rod or tree, and the row that the name stands for.
    fn owner(
        &self,
        quantity: Quantity,
        model: &Model,
        bodies: &[crate::BodyPlace],
    ) -> Result<(usize, Option<usize>), MeasureError> {
        let find = |kind: &str, names: Vec<&str>| match (&self.of, names.as_slice()) {
            (Some(name), _) => {
                let found = names.iter().position(|n| n == name);
                found.ok_or_else(|| MeasureError::unknown("of", kind, name, names.iter().copied()))
            }
            (None, [_]) => Ok(0),
            (None, _) => {
                let message = format!("{} belongs to a {kind}", self.quantity);
                Err(MeasureError::new("of", message, format!("one of {}", list_names(names.iter().copied()))))
            }
        };
        match (quantity.owner(), quantity) {
            (Owner::Rod, _) => Ok((find("rod", model.rod_names.iter().map(String::as_str).collect())?, None)),
            (Owner::Tree, _) => self.tree(quantity, model, bodies, find),
            (_, Quantity::ClampWrenches) => {
                let row = find("clamp", model.clamps.iter().map(|c| c.name.as_str()).collect())?;
                Ok((0, Some(row)))
            }
            (_, Quantity::AttachmentWrenches | Quantity::AttachmentHolds) => {
                let row = find("attachment", model.attachments.iter().map(|a| a.name.as_str()).collect())?;
                Ok((0, Some(row)))
            }
            (_, Quantity::ActuatorEfforts | Quantity::ActuatorTargets) => {
                let row = find("actuator", model.actuators.iter().map(|a| a.name.as_str()).collect())?;
                Ok((0, Some(row)))
            }
            _ if self.of.is_some() => {
                let message = format!("{} belongs to the whole world", self.quantity);
                Err(MeasureError::new("of", message, "no such key"))
            }
            _ => Ok((0, None)),
        }
    }

    fn tree(
        &self,
        quantity: Quantity,
        model: &Model,
        bodies: &[crate::BodyPlace],
        find: impl Fn(&str, Vec<&str>) -> Result<usize, MeasureError>,
    ) -> Result<(usize, Option<usize>), MeasureError> {
        let of_links = matches!(
            quantity,
            Quantity::LinkPositions
                | Quantity::LinkQuatsXyzw
                | Quantity::LinkVelocities
                | Quantity::LinkAngularVelocities
                | Quantity::LinkContactWrenches
                | Quantity::MimicEfforts
        );
        if let Some(body) = self.of.as_ref().and_then(|name| bodies.iter().find(|b| b.name == *name)) {
            return Ok((body.tree, of_links.then_some(body.link)));
        }
        if let Some((robot, link)) = self.of.as_ref().and_then(|name| name.split_once('/'))
            && let Some(tree) = model.trees.iter().position(|t| t.name == robot)
        {
            let links = model.trees[tree].tree.links();
            let row = links.iter().position(|l| l.name == link).ok_or_else(|| {
                MeasureError::unknown("of", "link", link, links.iter().map(|l| l.name.as_str()))
            })?;
            return Ok((tree, of_links.then_some(row)));
        }
        Ok((find("body or robot", model.trees.iter().map(|t| t.name.as_str()).collect())?, None))
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
        assert_eq!((tension.reading.index, tension.over), (0, Over::Greatest));
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
    }
}
