//! Claims on ropes at work from their description.

use super::belt::OnBelt;
use super::build::{Fit, Fitter};
use super::pendulum::rod_and_link;
use super::work::{Hung, Span};
use super::{ClaimKind, OnBody};
use crate::curve::round::unit;
use crate::error::SceneError;
use crate::spec::{ClaimSpec, RodOnBodySpec};
use glam::DVec3;
use ropewalk_body::JointKind;
use ropewalk_geometry::Shape;
use ropewalk_sim::{End, Hold};

impl Fitter<'_, '_> {
    /// The part of [`Fitter::fit`] for ropes at work.
    pub(super) fn fit_work(&self, spec: &ClaimSpec) -> Result<Fit, SceneError> {
        Ok(match spec {
            ClaimSpec::CarriedBody(c) => {
                let (tree, link) = self.body("carried_body", &c.body)?;
                let links = self.model.trees[tree].tree.links();
                if links.len() == 1 && links[0].joint.kind == JointKind::Free {
                    Ok((ClaimKind::CarriedBody { tree, link }, c.tolerance))
                } else {
                    Err("a free body")
                }
            }
            ClaimSpec::TotalWeight(c) => match self.model.gravity == DVec3::ZERO {
                true => Err("gravity"),
                false => Ok((ClaimKind::TotalWeight, c.tolerance)),
            },
            ClaimSpec::Drift(c) => {
                let rod = self.builder.rod_index(&["claim", self.name, "drift", "rod"], &c.rod)?;
                Ok((ClaimKind::Drift { rod, from: self.start("drift", c.from)? }, c.tolerance))
            }
            ClaimSpec::Tracks(c) => {
                let rod = self.builder.rod_index(&["claim", self.name, "tracks", "rod"], &c.rod)?;
                let normal = self.normal("tracks", c.normal)?;
                self.start("tracks", c.from)?;
                Ok((ClaimKind::Tracks { rod, normal, from: c.from }, c.tolerance))
            }
            ClaimSpec::Approaches(c) => {
                let rod = self.builder.rod_index(&["claim", self.name, "approaches", "rod"], &c.rod)?;
                let normal = self.normal("approaches", c.normal)?;
                Ok((ClaimKind::Approaches { rod, normal, distance: c.distance }, c.tolerance))
            }
            ClaimSpec::Stays(c) => {
                let (tree, _) = self.body("stays", &c.body)?;
                self.start("stays", c.from)?;
                Ok((ClaimKind::Stays { tree, from: c.from }, c.tolerance))
            }
            ClaimSpec::Upright(c) => {
                self.start("upright", c.from)?;
                let tree = self.free_body("upright", &c.body)?;
                tree.map(|tree| (ClaimKind::Upright { tree, from: c.from }, c.tolerance))
            }
            ClaimSpec::StopForce(c) => {
                self.start("stop_force", c.from)?;
                let rod = self.builder.rod_index(&["claim", self.name, "stop_force", "rod"], &c.rod)?;
                let key = ["claim", self.name, "stop_force", "stop"];
                let place = self.builder.body_place(&key, &c.stop)?;
                let stop = (place.tree, place.link);
                let body = self.free_body("stop_force", &c.body)?;
                let kind = |tree| ClaimKind::StopForce { on_belt: OnBelt { rod, tree, stop }, from: c.from };
                match self.model.gravity == DVec3::ZERO {
                    true => Err("gravity"),
                    false => body.map(|tree| (kind(tree), c.tolerance)),
                }
            }
            ClaimSpec::Winding(c) => self.on_body("winding", OnBody::Winding, c)?,
            ClaimSpec::CoilLayer(c) => self.on_body("coil_layer", OnBody::CoilLayer, c)?,
            ClaimSpec::CoilPitch(c) => self.on_body("coil_pitch", OnBody::CoilPitch, c)?,
            ClaimSpec::BendForce(c) => self.on_body("bend_force", OnBody::BendForce, c)?,
            ClaimSpec::BeltSlip(c) => {
                let rod = self.builder.rod_index(&["claim", self.name, "belt_slip", "rod"], &c.rod)?;
                let body = self.body("belt_slip", &c.body)?;
                let kind = ClaimKind::BeltSlip { rod, body, angle: c.angle };
                if !self.model.rods[rod].closed() {
                    Err("a closed rod")
                } else if self.is_cylinder(body) {
                    Ok((kind, c.tolerance))
                } else {
                    Err("a pulley whose shape is a cylinder")
                }
            }
            ClaimSpec::HungTension(c) => {
                let span = self.span("hung_tension", c.from, c.until)?;
                let hung = self.hung("hung_tension", &c.attach)?;
                hung.map(|hung| (ClaimKind::HungTension { hung, span }, c.tolerance))
            }
            ClaimSpec::WinchTorque(c) => {
                let span = self.span("winch_torque", c.from, c.until)?;
                let key = ["claim", self.name, "winch_torque", "actuator"];
                let names = self.builder.spec.actuator.keys();
                let actuator = self.builder.index("actuator", names, &key, &c.actuator)?;
                let drum = self.body("winch_torque", &c.body)?;
                let hung = self.hung("winch_torque", &c.attach)?;
                let a = &self.model.actuators[actuator];
                if (a.tree, a.link) != drum || !self.is_cylinder(drum) {
                    Err("an actuator on the joint of a drum whose shape is a cylinder")
                } else {
                    hung.map(|hung| (ClaimKind::WinchTorque { actuator, drum, hung, span }, c.tolerance))
                }
            }
            ClaimSpec::MirrorShape(c) => {
                let rod = self.builder.rod_index(&["claim", self.name, "mirror_shape", "rod"], &c.rod)?;
                let normal = self.direction("mirror_shape", "normal", c.normal)?;
                Ok((ClaimKind::MirrorShape { rod, normal }, c.tolerance))
            }
            ClaimSpec::MirrorForce(c) => {
                let [a, b] = &c.attach;
                let attachments = [self.attachment("mirror_force", a)?, self.attachment("mirror_force", b)?];
                let normal = self.direction("mirror_force", "normal", c.normal)?;
                let on_rod = |a: &usize| matches!(self.model.attachments[*a].ends[0], End::Rod { .. });
                if attachments.iter().all(on_rod) {
                    Ok((ClaimKind::MirrorForce { attachments, normal }, c.tolerance))
                } else {
                    Err("two attachments whose first end is a rod")
                }
            }
            ClaimSpec::Released(c) => {
                let attachment = self.attachment("released", &c.attach)?;
                let until = self.model.attachments[attachment].release_time;
                if until < self.builder.spec.time.duration {
                    Ok((ClaimKind::Released { attachment }, c.tolerance))
                } else {
                    Err("an attachment with `until` before the end of the run")
                }
            }
            ClaimSpec::LooseKnot(c) => {
                let [a, b] = &c.clamps;
                let clamps = [self.clamp("loose_knot", "clamps", a)?, self.clamp("loose_knot", "clamps", b)?];
                let rod = self.model.clamps[clamps[0]].rod;
                let last = self.model.rods[rod].node_count() - 1;
                let ends = clamps.map(|k| (self.model.clamps[k].rod, self.model.clamps[k].hold));
                let (start, end) = ((rod, Hold::Node(0)), (rod, Hold::Node(last)));
                let fits = self.without_gravity().and_then(|()| self.naturally_straight(rod));
                if self.model.rod_surface(rod).friction != 0.0 {
                    Err("a rope without friction")
                } else if ends == [start, end] || ends == [end, start] {
                    fits.map(|()| (ClaimKind::LooseKnot { clamps }, c.tolerance))
                } else {
                    Err("clamps that hold the position of the two ends of a rope")
                }
            }
            // All other claims are known to `fit`.
            _ => Err("a claim on ropes at work"),
        })
    }

    fn body(&self, kind: &str, name: &str) -> Result<(usize, usize), SceneError> {
        let place = self.builder.body_place(&["claim", self.name, kind, "body"], name)?;
        Ok((place.tree, place.link))
    }

    fn normal(&self, kind: &str, normal: [f64; 3]) -> Result<DVec3, SceneError> {
        unit(normal).ok_or_else(|| {
            let key = ["claim", self.name, kind, "normal"];
            self.builder.error(&key, "this direction is zero").expected("a direction")
        })
    }

    fn attachment(&self, kind: &str, name: &str) -> Result<usize, SceneError> {
        let key = ["claim", self.name, kind, "attach"];
        self.builder.index("attachment", self.builder.spec.attach.keys(), &key, name)
    }

    /// A direction of unit length.
    pub(super) fn direction(&self, kind: &str, key: &str, given: [f64; 3]) -> Result<DVec3, SceneError> {
        unit(given).ok_or_else(|| {
            let key = ["claim", self.name, kind, key];
            self.builder.error(&key, "this direction is zero").expected("a direction")
        })
    }

    fn span(&self, kind: &str, from: f64, until: f64) -> Result<Span, SceneError> {
        let duration = self.builder.spec.time.duration;
        if from < until && until <= duration + 0.5 * self.model.settings.dt {
            return Ok(Span { from, until });
        }
        Err(self
            .builder
            .error(&["claim", self.name, kind, "until"], "this is no span of time within the run")
            .expected(format!("a time after `from` = {from} s and not after the end, {duration} s")))
    }

    fn is_cylinder(&self, (tree, link): (usize, usize)) -> bool {
        let shape = self.model.trees[tree].shapes.iter().find(|s| s.link == link);
        shape.is_some_and(|s| matches!(s.collider.shape(), Shape::Cylinder { .. }))
    }

    fn on_body(&self, kind: &str, what: OnBody, spec: &RodOnBodySpec) -> Result<Fit, SceneError> {
        let rod = self.builder.rod_index(&["claim", self.name, kind, "rod"], &spec.rod)?;
        let body = self.body(kind, &spec.body)?;
        let shape = self.model.trees[body.0].shapes.iter().find(|s| s.link == body.1);
        let round = |s: &ropewalk_sim::BodyShape| {
            matches!(s.collider.shape(), Shape::Cylinder { .. } | Shape::Capsule { .. })
        };
        let needs_axis = !matches!(what, OnBody::BendForce);
        Ok(if needs_axis && !shape.is_some_and(round) {
            Err("a body whose first shape is a cylinder or a capsule")
        } else if self.model.rods[rod].closed() {
            Err("an open rod")
        } else {
            Ok((ClaimKind::OnBody { what, rod, body }, spec.tolerance))
        })
    }

    /// A free body that hangs on an end of a rod.
    fn hung(&self, kind: &str, name: &str) -> Result<Result<Hung, &'static str>, SceneError> {
        let held = &self.model.attachments[self.attachment(kind, name)?];
        let Some(([rod, edge], [tree, _], _)) = rod_and_link(held) else {
            return Ok(Err("an attachment of a rod to a body"));
        };
        let links = self.model.trees[tree].tree.links();
        let free = links.len() == 1 && links[0].joint.kind == JointKind::Free;
        let last = self.model.rods[rod].edge_count() - 1;
        Ok(match edge {
            _ if !free => Err("a free body that hangs on the rod"),
            0 => Ok(Hung { rod, end: 0, tree }),
            e if e == last => Ok(Hung { rod, end: 1, tree }),
            _ => Err("an attachment at an end of the rod"),
        })
    }
}
