//! The owner of a quantity, by name.

use super::{MeasureError, MeasureRequest};
use crate::BodyPlace;
use crate::error::list_names;
use ropewalk_sim::quantity::Owner;
use ropewalk_sim::{Model, Quantity};

impl MeasureRequest {
    /// Index of the rod or tree, and the row of the name.
    pub(super) fn owner(
        &self,
        quantity: Quantity,
        model: &Model,
        bodies: &[BodyPlace],
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
        bodies: &[BodyPlace],
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
