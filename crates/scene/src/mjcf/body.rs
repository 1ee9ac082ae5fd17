//! Bodies and their joints, as links of one tree.
//!
//! A link has one joint, an MJCF body any number, each about a point of its own. Bodies with several joints, or with
//! one away from their origin, become chains of links without mass, `BODY:JOINT`; the link called after the body has
//! its frame. With B₀ the body's frame where all joints are at their reference, joint k rotates about the anchor a_k
//! in the frame rotated by the joints before it:
//!
//! B_k = B_{k−1} T(a_k) R(u_k, q_k − ref_k) T(−a_k), so F_1 = B₀ T(a_1) R(u_1, −ref_1), F_k = T(a_k − a_{k−1}) R(u_k, −ref_k).
//!
//! Coordinates are those of MuJoCo, in its order; quaternions are xyzw, and angular velocities in the axes of the joint frame.

use super::cable::{MjcfCable, read_cable, read_flex};
use super::element::Element;
use super::geom::{Meshes, read_geom};
use super::inertial::body_inertia;
use super::settings::{Classed, Settings};
use crate::error::SceneError;
use crate::urdf::{BASE_JOINT, Collision, UrdfOptions};
use glam::{DQuat, DVec3};
use ropewalk_body::{Inertia, Joint, JointKind, Link};
use ropewalk_linalg::Pose;
use std::collections::HashMap;

/// Name of the link that represents the world.
pub(super) const WORLD: &str = "world";
/// Most links of a model.
const MOST_LINKS: usize = 10_000;

/// A tree under construction.
pub(super) struct Bodies<'e> {
    pub(super) settings: Settings,
    pub(super) meshes: Meshes<'e>,
    pub(super) options: &'e UrdfOptions,
    pub(super) links: Vec<Link>,
    pub(super) collisions: Vec<Collision>,
    /// Links whose joint does not start at zero, with its initial position.
    pub(super) start: Vec<(usize, Vec<f64>)>,
    /// Links by the name of their joint, with its reference position.
    pub(super) joints: HashMap<String, (usize, f64)>,
    sites: Vec<Link>,
    pub(super) cables: Vec<MjcfCable>,
    pub(super) visual_count: usize,
}

/// A joint of a body: its link's joint, its anchor in the body, its reference.
struct BodyJoint {
    joint: Joint,
    anchor: Option<DVec3>,
    reference: f64,
}

impl<'e> Bodies<'e> {
    pub(super) fn new(settings: Settings, meshes: Meshes<'e>, options: &'e UrdfOptions) -> Self {
        Self {
            settings,
            meshes,
            options,
            links: Vec::new(),
            collisions: Vec::new(),
            start: Vec::new(),
            joints: HashMap::new(),
            sites: Vec::new(),
            cables: Vec::new(),
            visual_count: 0,
        }
    }

    /// The world and all bodies in it; sites come last.
    pub(super) fn world(&mut self, worldbody: &'e Element) -> Result<(), SceneError> {
        if self.links.is_empty() {
            let joint = Joint::new(BASE_JOINT, JointKind::Fixed, self.options.base_pose);
            self.links.push(Link { name: WORLD.to_owned(), parent: None, joint, inertia: Inertia::ZERO });
        }
        self.contents(worldbody, 0, &Pose::IDENTITY, worldbody.own("childclass"))
    }

    /// Appends the sites; ends the tree.
    pub(super) fn finish(&mut self) {
        for site in core::mem::take(&mut self.sites) {
            if self.links.iter().all(|l| l.name != site.name) {
                self.links.push(site);
            }
        }
    }

    /// Reads geoms, sites and bodies inside a body or frame whose pose is `frame` in link `link`.
    fn contents(
        &mut self,
        element: &'e Element,
        link: usize,
        frame: &Pose,
        class: Option<&'e str>,
    ) -> Result<(), SceneError> {
        for child in &element.children {
            match child.tag.as_str() {
                "body" => self.body(child, link, frame, class)?,
                "frame" => {
                    let inner = *frame * self.settings.pose(self.settings.classed(child, None)?)?;
                    self.contents(child, link, &inner, child.own("childclass").or(class))?;
                }
                "geom" => {
                    let of = self.settings.classed(child, class)?;
                    let wanted = (self.options.collision_geometry, false);
                    let geom = read_geom(&mut self.settings, &mut self.meshes, of, frame, wanted)?;
                    match geom.shape {
                        Some(shape) => self.collisions.push(Collision {
                            link,
                            pose: geom.pose,
                            shape,
                            name: geom.name,
                            friction: Some(geom.friction),
                        }),
                        None => self.visual_count += 1,
                    }
                }
                "site" => {
                    let of = self.settings.classed(child, class)?;
                    if let Some(name) = child.own("name") {
                        let pose = *frame * self.settings.pose(of)?;
                        let joint = Joint::new(format!("site:{name}"), JointKind::Fixed, pose);
                        self.sites.push(Link {
                            name: name.to_owned(),
                            parent: Some(link),
                            joint,
                            inertia: Inertia::ZERO,
                        });
                    }
                }
                "composite" => {
                    let number = self.cables.len();
                    let cable = read_cable(&self.settings, child, (link, frame), class, number)?;
                    self.cables.push(cable);
                }
                "flexcomp" => {
                    let number = self.cables.len();
                    self.cables.push(read_flex(&self.settings, child, (link, frame), number)?);
                }
                "replicate" | "attach" | "plugin" => {
                    return Err(self
                        .settings
                        .files
                        .error(child, format!("<{}> is not read", child.tag))
                        .hint("write it out, or take it out of the model"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn body(
        &mut self,
        element: &'e Element,
        parent: usize,
        frame: &Pose,
        class: Option<&'e str>,
    ) -> Result<(), SceneError> {
        let class = element.own("childclass").or(class);
        if self.links.len() > MOST_LINKS {
            return Err(self.settings.files.error(element, format!("more than {MOST_LINKS} links")));
        }
        let name = self.fresh_name(element)?;
        if element.own("mocap") == Some("true") {
            self.settings.drop_at(element, format!("`mocap` of {}: it stands still", element.words()));
        }
        let pose = *frame * self.settings.pose(self.settings.classed(element, None)?)?;
        let inertia = body_inertia(self, element, class)?;
        let mut joints = Vec::new();
        self.joints_of(element, &Pose::IDENTITY, class, &mut joints)?;
        let link = self.chain(element, &name, parent, &pose, joints)?;
        self.links[link].inertia = inertia;
        self.contents(element, link, &Pose::IDENTITY, class)
    }

    fn fresh_name(&self, element: &Element) -> Result<String, SceneError> {
        let Some(name) = element.own("name") else { return Ok(format!("body_{}", self.links.len())) };
        if self.links.iter().any(|l| l.name == name) {
            let message = format!("there is another body called {name:?}");
            return Err(self.settings.files.error_in(element, "name", message));
        }
        Ok(name.to_owned())
    }

    /// Adds the links of a body's joints and the body itself; its link.
    fn chain(
        &mut self,
        element: &Element,
        name: &str,
        parent: usize,
        pose: &Pose,
        joints: Vec<BodyJoint>,
    ) -> Result<usize, SceneError> {
        let is_free = |j: &BodyJoint| j.joint.kind == JointKind::Free;
        if joints.iter().any(is_free) && (parent != 0 || joints.len() > 1) {
            let message = "a free joint must be the only one, of a body of the world";
            return Err(self.settings.files.error(element, message));
        }
        let (mut at, mut before, mut first) = (parent, DVec3::ZERO, true);
        let count = joints.len();
        for (k, BodyJoint { mut joint, anchor, reference }) in joints.into_iter().enumerate() {
            let anchor = anchor.unwrap_or(before);
            let turned = match joint.kind {
                JointKind::Revolute { axis } | JointKind::Continuous { axis } => {
                    Pose::new(DVec3::ZERO, DQuat::from_axis_angle(axis, -reference))
                }
                JointKind::Prismatic { axis } => Pose::at(-reference * axis),
                _ => Pose::IDENTITY,
            };
            let start = if first { *pose * Pose::at(anchor) } else { Pose::at(anchor - before) };
            (first, before) = (false, anchor);
            let index = self.links.len();
            if joint.kind == JointKind::Free {
                let ([x, y, z], [a, b, c, d]) = (pose.position.to_array(), pose.rotation.to_array());
                self.start.push((index, vec![x, y, z, a, b, c, d]));
            } else {
                joint.pose = start * turned;
                if reference != 0.0 {
                    self.start.push((index, vec![reference]));
                }
            }
            let is_body = k + 1 == count && anchor == DVec3::ZERO;
            let link_name = if is_body { name.to_owned() } else { format!("{name}:{}", joint.name) };
            if self.joints.insert(joint.name.clone(), (index, reference)).is_some() {
                let message = format!("there is another joint called {:?}", joint.name);
                return Err(self.settings.files.error(element, message));
            }
            self.links.push(Link { name: link_name, parent: Some(at), joint, inertia: Inertia::ZERO });
            at = index;
            if is_body {
                return Ok(index);
            }
        }
        let offset = if first { *pose } else { Pose::at(-before) };
        let joint = Joint::new(format!("{name}:frame"), JointKind::Fixed, offset);
        self.links.push(Link { name: name.to_owned(), parent: Some(at), joint, inertia: Inertia::ZERO });
        Ok(self.links.len() - 1)
    }

    /// The joints of a body, including those inside frames.
    fn joints_of(
        &mut self,
        element: &'e Element,
        frame: &Pose,
        class: Option<&'e str>,
        out: &mut Vec<BodyJoint>,
    ) -> Result<(), SceneError> {
        for child in &element.children {
            match child.tag.as_str() {
                "joint" | "freejoint" => {
                    let of = self.settings.classed(child, class)?;
                    let number = self.joints.len() + out.len();
                    out.push(self.joint(of, frame, number)?);
                }
                "frame" => {
                    let inner = *frame * self.settings.pose(self.settings.classed(child, None)?)?;
                    self.joints_of(child, &inner, child.own("childclass").or(class), out)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn joint(&mut self, of: Classed<'_>, frame: &Pose, number: usize) -> Result<BodyJoint, SceneError> {
        let s = &self.settings;
        let name = of.element.own("name").map_or_else(|| format!("joint_{number}"), str::to_owned);
        let kind = if of.element.tag == "freejoint" {
            "free".to_owned()
        } else {
            s.word(of, "type", &["hinge", "slide", "ball", "free"], "hinge")?
        };
        let axis = frame.vector(s.vector(of, "axis", DVec3::Z)?);
        let Some(axis) = axis.try_normalize() else {
            return Err(s.files.error_in(of.element, "axis", "an axis must not be zero"));
        };
        let anchor = frame.point(s.vector(of, "pos", DVec3::ZERO)?);
        let is_hinge = kind == "hinge";
        let in_rad = |x: f64| if is_hinge { s.angle(x) } else { x };
        let range = s.numbers::<2>(of, "range")?;
        let limited = match s.word(of, "limited", &["true", "false", "auto"], "auto")?.as_str() {
            "auto" => range.is_some() && s.autolimits,
            word => word == "true",
        };
        let limits = match (limited, range) {
            (true, Some([a, b])) if a <= b => Some([in_rad(a), in_rad(b)]),
            (true, _) => {
                let error = s.files.error_in(of.element, "range", "a limited joint needs a range");
                return Err(error.expected("range=\"least greatest\""));
            }
            _ => None,
        };
        let (kind, anchor) = match kind.as_str() {
            "hinge" if limits.is_some() => (JointKind::Revolute { axis }, Some(anchor)),
            "hinge" => (JointKind::Continuous { axis }, Some(anchor)),
            "slide" => (JointKind::Prismatic { axis }, None),
            "ball" => (JointKind::Ball, Some(anchor)),
            _ => (JointKind::Free, None),
        };
        let single = kind.velocity_count() == 1;
        let mut joint = Joint::new(name, kind, Pose::IDENTITY);
        let reference = if single { in_rad(s.number(of, "ref", 0.0)?) } else { 0.0 };
        let stiffness = s.positive(of, "stiffness", 0.0)?;
        if of.element.tag != "freejoint" {
            joint.damping = s.positive(of, "damping", 0.0)?;
            joint.dry_friction = s.positive(of, "frictionloss", 0.0)?;
            joint.armature = s.positive(of, "armature", 0.0)?;
        }
        if single {
            joint.spring_stiffness = stiffness;
            joint.spring_rest = in_rad(s.number(of, "springref", 0.0)?);
            joint.limits = limits.unwrap_or(joint.limits);
            if let Some([a, b]) = s.numbers::<2>(of, "actuatorfrcrange")? {
                joint.effort_limit = a.abs().max(b.abs());
            }
        } else if limits.is_some() || stiffness > 0.0 {
            self.settings.drop_at(of.element, format!("limits and spring of the {} joint", kind.name()));
        }
        Ok(BodyJoint { joint, anchor, reference })
    }
}
