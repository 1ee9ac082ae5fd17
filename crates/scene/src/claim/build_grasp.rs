//! Claims on grasps from their description.

use super::ClaimKind;
use super::build::{Fit, Fitter};
use super::grasp::{Finger, Part, Pull, clamped_nodes};
use super::press::SoftPress;
use crate::error::SceneError;
use crate::spec::{AtSpec, ClaimSpec, RodEndSpec};

impl Fitter<'_, '_> {
    /// The part of [`Fitter::fit`] for grasps and knots.
    pub(super) fn fit_grasp(&self, spec: &ClaimSpec) -> Result<Fit, SceneError> {
        Ok(match spec {
            ClaimSpec::PinchForce(c) => {
                let from = self.start("pinch_force", c.from)?;
                let finger = self.finger("pinch_force", &c.actuator)?;
                finger.map(|finger| (ClaimKind::PinchForce { finger, from }, c.tolerance))
            }
            ClaimSpec::PinchRise(c) => {
                let finger = self.finger("pinch_rise", &c.actuator)?;
                finger.map(|finger| (ClaimKind::PinchRise { finger }, c.tolerance))
            }
            ClaimSpec::Creep(c) => {
                let rod = self.builder.rod_index(&["claim", self.name, "creep", "rod"], &c.rod)?;
                let end = usize::from(c.at == RodEndSpec::End);
                let pull = Pull { rod, end, along: self.direction("creep", "along", c.along)? };
                Ok((ClaimKind::Creep { pull, from: self.start("creep", c.from)? }, c.tolerance))
            }
            ClaimSpec::Knotted(c) => {
                let part = self.part("knotted", &c.rod, c.between)?;
                let ends = c.ends.map(|ends| self.direction("knotted", "ends", ends)).transpose()?;
                match self.model.rods[part.rod].closed() {
                    true => Err("an open rod"),
                    false => Ok((ClaimKind::Knotted { part, ends, determinant: c.determinant }, c.tolerance)),
                }
            }
            ClaimSpec::Twined(c) => {
                let [a, b] = c.between;
                let parts = [self.part("twined", &c.rod, Some(a))?, self.part("twined", &c.rod, Some(b))?];
                Ok((ClaimKind::Twined { parts, turns: c.turns }, c.tolerance))
            }
            ClaimSpec::PulledTight(c) => {
                let part = self.part("pulled_tight", &c.rod, c.between)?;
                let clamps = clamped_nodes(self.model, part.rod);
                match !clamps.is_empty() && clamps.iter().all(|node| (part.first..=part.last).contains(node))
                {
                    true => Ok((ClaimKind::PulledTight { part }, c.tolerance)),
                    false => Err("a rod with a clamp, and all its clamps between the places it is pulled at"),
                }
            }
            ClaimSpec::SoftPress(c) => {
                let rod = self.builder.rod_index(&["claim", self.name, "soft_press", "rod"], &c.rod)?;
                let place = self.builder.body_place(&["claim", self.name, "soft_press", "body"], &c.body)?;
                let press = SoftPress::of(self.model, rod, (place.tree, place.link));
                press.map(|press| (ClaimKind::SoftPress(press), c.tolerance))
            }
            // All other claims are known to `fit`.
            _ => Err("a claim on a grasp"),
        })
    }

    /// The nodes of a rod nearest to two arclengths, or all of them.
    fn part(&self, kind: &str, name: &str, between: Option<[f64; 2]>) -> Result<Part, SceneError> {
        let rod_index = self.builder.rod_index(&["claim", self.name, kind, "rod"], name)?;
        let rod = &self.model.rods[rod_index];
        let key = ["claim", self.name, kind, "between"];
        let Some([from, to]) = between else {
            return Ok(Part { rod: rod_index, first: 0, last: rod.node_count() - 1 });
        };
        let first = self.builder.node(&key, rod, AtSpec::Arclength(from))?;
        let last = self.builder.node(&key, rod, AtSpec::Arclength(to))?;
        if from < 0.0 || first >= last {
            return Err(self
                .builder
                .error(&key, "no rod lies between these arclengths")
                .expected("two arclengths in m from 0 on, increasing, at different nodes"));
        }
        Ok(Part { rod: rod_index, first, last })
    }

    fn finger(&self, kind: &str, name: &str) -> Result<Result<Finger, &'static str>, SceneError> {
        let key = ["claim", self.name, kind, "actuator"];
        let actuator = self.builder.index("actuator", self.builder.spec.actuator.keys(), &key, name)?;
        let needs = "an actuator of kind `force` on a prismatic joint";
        Ok(Finger::of(self.model, actuator).ok_or(needs))
    }

    /// A time before the end of the run.
    pub(super) fn start(&self, kind: &str, from: f64) -> Result<f64, SceneError> {
        let duration = self.builder.spec.time.duration;
        if from < duration {
            return Ok(from);
        }
        Err(self
            .builder
            .error(&["claim", self.name, kind, "from"], "the run ends before this time")
            .expected(format!("a time below {duration} s")))
    }
}
