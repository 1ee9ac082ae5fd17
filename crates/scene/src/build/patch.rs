//! Builds pressure fields of rods with patch contact, and of the shapes that they may touch.

use super::Builder;
use super::contact::is_copy;
use crate::error::SceneError;
use crate::spec::{ContactKindSpec, RodSpec, SectionSpec};
use ropewalk_geometry::pressure::{FieldError, PatchBody, RodField, RodSection};
use ropewalk_sim::Model;
use std::sync::Arc;

impl Builder<'_> {
    /// Fields of rods whose contact is in patches, and of all shapes if there are any.
    pub(super) fn patches(&self, model: &mut Model) -> Result<(), SceneError> {
        if !self.spec.contact.enabled {
            return Ok(());
        }
        for r in 0..model.rods.len() {
            let field = match self.rod_spec(&model.rod_names[r]) {
                Some((name, spec)) => self.rod_field(name, spec, model, r)?,
                None => None,
            };
            model.patches.rods.push(field);
        }
        let links = self.spec.robot.values().flat_map(|r| r.links.values());
        let soft = self.spec.body.values().any(|b| b.pressure_modulus.is_some())
            || links.into_iter().any(|link| link.pressure_modulus.is_some());
        if !soft && model.patches.rods.iter().all(Option::is_none) {
            model.patches.rods.clear();
            return Ok(());
        }
        for (t, tree) in model.trees.iter().enumerate() {
            for (s, shape) in tree.shapes.iter().enumerate() {
                let link = &tree.tree.links()[shape.link].name;
                let owner = self.bodies.iter().find(|(_, p)| (p.tree, p.link) == (t, shape.link));
                let spec = owner.and_then(|(name, _)| self.spec.body.get(name));
                let robot = self.robots.iter().find(|(_, tree)| **tree == t).map(|(name, _)| name.as_str());
                let own = robot.and_then(|name| self.spec.robot.get(name)).and_then(|r| r.links.get(link));
                let (modulus, resolution) = match (spec, own) {
                    (Some(body), _) => (body.pressure_modulus, body.patch_resolution),
                    (None, Some(link)) => (link.pressure_modulus, link.patch_resolution),
                    (None, None) => (None, None),
                };
                let kind = shape.collider.shape();
                let body = match modulus {
                    Some(modulus) => PatchBody::soft(kind, modulus, resolution),
                    None => PatchBody::rigid(kind, resolution),
                };
                let body = body.map_err(|e| match (owner, robot.filter(|_| own.is_some())) {
                    (Some((name, _)), _) => self.field_error(&["body", name], &e),
                    (None, Some(name)) => self.field_error(&["robot", name, "links", link], &e),
                    (None, None) => self.error(&["robot"], &format!("link \"{link}\": {e}")),
                })?;
                model.patches.shapes.push(((t, s), Arc::new(body)));
            }
        }
        Ok(())
    }

    /// The name and specification of the rod, or of its original if it is a copy.
    fn rod_spec(&self, rod: &str) -> Option<(&str, &RodSpec)> {
        let mut all = self.spec.rod.iter();
        let is = |name: &str| rod == name || rod.strip_prefix(name).is_some_and(is_copy);
        all.find(|(name, _)| is(name)).map(|(name, spec)| (name.as_str(), spec))
    }

    fn rod_field(
        &self,
        name: &str,
        spec: &RodSpec,
        model: &Model,
        r: usize,
    ) -> Result<Option<RodField>, SceneError> {
        let material = spec.material.as_ref().and_then(|m| self.spec.material.get(m));
        let kind = spec.contact.or(material.and_then(|m| m.contact)).unwrap_or_default();
        let given = spec.pressure_modulus.or(material.and_then(|m| m.pressure_modulus));
        if kind == ContactKindSpec::Point {
            return Ok(None);
        }
        let key = ["rod", name, "pressure_modulus"];
        let modulus = given.ok_or_else(|| {
            self.error(&key, "contact in patches needs a pressure modulus")
                .expected("pressure_modulus = … (Pa), here or in the material")
                .hint("the pressure at the axis: the force of a pinch is about this times the area times the depth over the radius")
        })?;
        let rod = &model.rods[r];
        let extents = rod.half_extents();
        let [a, b] = extents[0];
        if extents.iter().any(|e| *e != [a, b]) {
            return Err(self
                .error(&["rod", name, "pieces"], "contact in patches needs one section all along the rod")
                .hint("let it touch at points, or give it one section"));
        }
        let rectangle = matches!(spec.section, Some(SectionSpec::Rectangle(_)));
        let section = if rectangle {
            RodSection::rectangle(2.0 * a, 2.0 * b, spec.patch_resolution)
        } else {
            RodSection::ellipse(a, b, spec.patch_resolution)
        };
        let field = section.and_then(|s| RodField::new(s, modulus, rod.edge_count(), rod.closed()));
        field.map(Some).map_err(|e| self.field_error(&["rod", name], &e))
    }

    /// An error at the key of `place` that it concerns.
    fn field_error(&self, place: &[&str], e: &FieldError) -> SceneError {
        let key = match e {
            FieldError::Number { quantity: "modulus", .. } => Some("pressure_modulus"),
            FieldError::Number { quantity: "resolution", .. } | FieldError::TooFine { .. } => {
                Some("patch_resolution")
            }
            FieldError::Open { .. } => Some("pressure_modulus"),
            _ => None,
        };
        let words: Vec<&str> = place.iter().copied().chain(key).collect();
        self.error(&words, &e.to_string())
    }
}
