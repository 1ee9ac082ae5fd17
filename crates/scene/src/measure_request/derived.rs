//! Derived quantities by name.

use super::components::{NUMBER, VECTOR};
use super::{MeasureError, MeasureRequest};
use crate::BodyPlace;
use crate::error::list_names;
use glam::DVec3;
use ropewalk_sim::measures::{Component, Derived, Owned, Parts, RodOnBody};
use ropewalk_sim::{Model, Quantity};

/// All names.
const NAMES: &[&str] = &[
    "momentum",
    "center_of_mass",
    "support_force",
    "momentum_defect",
    "tracking_errors",
    "end_effector_error",
    "relative_overlap",
    "rod_contacts",
    "body_contacts",
    "twist",
    "passing_ratio",
    "linking_numbers",
    "turns",
    "wound_radii",
    "wound_pitches",
    "force_on_body",
    "tension_resultant",
    "knot_determinant",
    "wraps",
    "slack",
];

/// The quantity, its components, and whether it is one number or vector, without rows.
type Found = (Derived, &'static [(&'static str, Component)], bool);

impl MeasureRequest {
    pub(super) fn derived(&self, model: &Model, bodies: &[BodyPlace]) -> Result<Found, MeasureError> {
        let has: &[&str] = match self.quantity.as_str() {
            "turns" | "wound_radii" | "wound_pitches" | "force_on_body" | "tension_resultant" => &["about"],
            "knot_determinant" => &["between", "ends"],
            "wraps" => &["between", "and_between"],
            "slack" => &["between"],
            _ => &[],
        };
        self.refuse_extras(has)?;
        let tree =
            || -> Result<usize, MeasureError> { Ok(self.owner(Quantity::JointPositions, model, bodies)?.0) };
        let rod = || -> Result<usize, MeasureError> { Ok(self.owner(Quantity::Positions, model, bodies)?.0) };
        Ok(match self.quantity.as_str() {
            "momentum" => (Derived::Momentum(self.owned(model, bodies)?), VECTOR, true),
            "center_of_mass" => (Derived::CenterOfMass(self.owned(model, bodies)?), VECTOR, true),
            "support_force" => (Derived::SupportForce(self.owned(model, bodies)?), VECTOR, true),
            "momentum_defect" => (Derived::MomentumDefect(self.owned(model, bodies)?), VECTOR, true),
            "tracking_errors" => (Derived::TrackingErrors(tree()?), NUMBER, false),
            "end_effector_error" => {
                let names: Vec<&str> = model.hands.iter().map(|h| h.name.as_str()).collect();
                let index = self.pick("of", "end effector", self.of.as_deref(), &names)?;
                (Derived::EndEffectorError(index), NUMBER, true)
            }
            "rod_contacts" => (Derived::RodContacts(tree()?), NUMBER, true),
            "body_contacts" => (Derived::BodyContacts(tree()?), NUMBER, true),
            "twist" => (Derived::Twist(rod()?), NUMBER, false),
            "turns" => (Derived::Turns(self.rod_on_body(rod()?, bodies)?), NUMBER, true),
            "wound_radii" => (Derived::WoundRadii(self.rod_on_body(rod()?, bodies)?), NUMBER, false),
            "wound_pitches" => (Derived::WoundPitches(self.rod_on_body(rod()?, bodies)?), NUMBER, false),
            "force_on_body" => (Derived::ForceOnBody(self.rod_on_body(rod()?, bodies)?), VECTOR, true),
            "tension_resultant" => {
                (Derived::TensionResultant(self.rod_on_body(rod()?, bodies)?), VECTOR, true)
            }
            "knot_determinant" => {
                let ends = self.ends.map(DVec3::from_array);
                if ends.is_some_and(|e| !(e.is_finite() && e.length() > 0.0)) {
                    return Err(MeasureError::new("ends", "this direction is zero", "a direction"));
                }
                (Derived::KnotDeterminant(self.parts(model, rod()?)?, ends), NUMBER, true)
            }
            "wraps" => (Derived::Wraps(self.parts(model, rod()?)?), NUMBER, true),
            "slack" => (Derived::Slack(self.parts(model, rod()?)?), NUMBER, true),
            name @ ("relative_overlap" | "passing_ratio" | "linking_numbers") => {
                // Checks that no owner is named.
                self.owner(Quantity::Time, model, bodies)?;
                match name {
                    "relative_overlap" => (Derived::RelativeOverlap, NUMBER, true),
                    "passing_ratio" => (Derived::PassingRatio, NUMBER, true),
                    _ => (Derived::LinkingNumbers, NUMBER, false),
                }
            }
            other => {
                let plain = Quantity::ALL.iter().filter(|q| **q != Quantity::Frames).map(|q| q.name());
                let names: Vec<&str> = plain.chain(NAMES.iter().copied()).collect();
                return Err(MeasureError::unknown("quantity", "quantity", other, names.iter().copied()));
            }
        })
    }

    /// A rod, a body or robot, or the world where nothing is named.
    fn owned(&self, model: &Model, bodies: &[BodyPlace]) -> Result<Owned, MeasureError> {
        let Some(name) = &self.of else { return Ok(Owned::World) };
        if let Some(rod) = model.rod_names.iter().position(|n| n == name) {
            return Ok(Owned::Rod(rod));
        }
        if let Some(body) = bodies.iter().find(|b| b.name == *name) {
            return Ok(Owned::Tree(body.tree));
        }
        if let Some(tree) = model.trees.iter().position(|t| t.name == *name) {
            return Ok(Owned::Tree(tree));
        }
        // Rods last: there may be many copies.
        let is_body = |tree: &str| bodies.iter().any(|b| b.name == tree);
        let robots = model.trees.iter().map(|t| t.name.as_str()).filter(|name| !is_body(name));
        let names = bodies.iter().map(|b| b.name.as_str()).chain(robots);
        let names: Vec<&str> = names.chain(model.rod_names.iter().map(String::as_str)).collect();
        Err(MeasureError::unknown("of", "rod, body or robot", name, names.iter().copied()))
    }

    /// The index of a name.
    fn pick(
        &self,
        key: &'static str,
        kind: &str,
        name: Option<&str>,
        names: &[&str],
    ) -> Result<usize, MeasureError> {
        match (name, names) {
            (Some(name), _) => names
                .iter()
                .position(|n| *n == name)
                .ok_or_else(|| MeasureError::unknown(key, kind, name, names.iter().copied())),
            (None, [_]) if key == "of" => Ok(0),
            (None, _) => {
                let message = format!("{} needs a {kind}", self.quantity);
                let expected = format!("{key} = one of {}", list_names(names.iter().copied()));
                Err(MeasureError::new(key, message, expected))
            }
        }
    }

    fn rod_on_body(&self, rod: usize, bodies: &[BodyPlace]) -> Result<RodOnBody, MeasureError> {
        let names: Vec<&str> = bodies.iter().map(|b| b.name.as_str()).collect();
        let body = &bodies[self.pick("about", "body", self.about.as_deref(), &names)?];
        Ok(RodOnBody { rod, tree: body.tree, link: body.link })
    }

    fn parts(&self, model: &Model, rod: usize) -> Result<Parts, MeasureError> {
        if self.quantity == "wraps" && self.and_between.is_none() {
            let message = "wraps are those of two parts of a rod";
            return Err(MeasureError::new("and_between", message, "two rest arclengths in m"));
        }
        let all = [0, model.rods[rod].node_count() - 1];
        let nodes = |key: &'static str, given: Option<[f64; 2]>| match given {
            Some(between) => nodes_between(model, rod, key, between),
            None => Ok(all),
        };
        let other = self.and_between.map(|_| nodes("and_between", self.and_between)).transpose()?;
        Ok(Parts { rod, part: nodes("between", self.between)?, other })
    }
}

/// The nodes of a rod nearest to two rest arclengths.
fn nodes_between(
    model: &Model,
    rod: usize,
    key: &'static str,
    [from, to]: [f64; 2],
) -> Result<[usize; 2], MeasureError> {
    let rod = &model.rods[rod];
    let length = rod.total_rest_length();
    let node = |arclength: f64| {
        let mut at = 0.0;
        let places = core::iter::once(0.0).chain(rod.rest_lengths().iter().map(|l| {
            at += l;
            at
        }));
        let nearest =
            places.enumerate().min_by(|a, b| (a.1 - arclength).abs().total_cmp(&(b.1 - arclength).abs()));
        nearest.map_or(0, |(i, _)| i.min(rod.node_count() - 1))
    };
    let (first, last) = (node(from), node(to));
    // NaN counts as beyond the ends.
    let within = from >= 0.0 && to <= length * (1.0 + 1e-9);
    if within && first < last {
        return Ok([first, last]);
    }
    Err(MeasureError::new(
        key,
        format!("no part of the rod lies between {from} m and {to} m"),
        format!("two rest arclengths from 0 to {length} m, increasing, at different nodes"),
    ))
}
