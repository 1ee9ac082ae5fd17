//! Actuators, key frames, and excluded pairs.

use super::body::Bodies;
use super::cable::MjcfCable;
use super::element::Element;
use crate::error::{SceneError, list_names, nearest_name};
use ropewalk_body::JointKind;

/// Kind of an actuator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MjcfActuatorKind {
    /// The control is an effort, N or N·m.
    Motor,
    /// A servo: effort = `position_gain` (target − q) − `velocity_gain` q̇.
    Position {
        /// N·m/rad or N/m.
        position_gain: f64,
        /// N·m·s/rad or N·s/m.
        velocity_gain: f64,
    },
    /// effort = `velocity_gain` (target − q̇).
    Velocity {
        /// N·m·s/rad or N·s/m.
        velocity_gain: f64,
    },
}

/// An actuator of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct MjcfActuator {
    /// Name.
    pub name: String,
    /// The link of the tree whose joint it drives.
    pub link: usize,
    /// Its kind. Gains include the gear.
    pub kind: MjcfActuatorKind,
    /// Greatest effort, N or N·m; may be infinite.
    pub effort_limit: f64,
}

/// A named state of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct MjcfKey {
    /// Name.
    pub name: String,
    /// Positions in the order of the tree, quaternions xyzw.
    pub q: Vec<f64>,
    /// Controls of all actuators, in their order; empty if none are given.
    pub ctrl: Vec<f64>,
}

/// Actuators, key frames, exclusions and cables of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MjcfDrives {
    /// Actuators.
    pub actuators: Vec<MjcfActuator>,
    /// Key frames.
    pub keys: Vec<MjcfKey>,
    /// Pairs of bodies excluded from contact.
    pub excludes: Vec<[String; 2]>,
    /// Cables.
    pub cables: Vec<MjcfCable>,
}

/// Reads all three.
pub(super) fn read_drives(bodies: &mut Bodies<'_>, model: &Element) -> Result<MjcfDrives, SceneError> {
    let mut out = MjcfDrives::default();
    for element in model.all("actuator").flat_map(|a| &a.children) {
        if let Some(actuator) = read_actuator(bodies, element, out.actuators.len())? {
            out.actuators.push(actuator);
        }
    }
    for (k, element) in model.all("keyframe").flat_map(|f| f.all("key")).enumerate() {
        out.keys.extend(read_key(bodies, element, k)?);
    }
    for element in model.all("contact").flat_map(|c| c.all("exclude")) {
        let body = |key: &str| match element.own(key) {
            Some(name) if bodies.links.iter().any(|l| l.name == name) => Ok(name.to_owned()),
            _ => Err(bodies.settings.files.error_in(element, key, format!("`{key}` names no body"))),
        };
        out.excludes.push([body("body1")?, body("body2")?]);
    }
    Ok(out)
}

fn read_actuator(
    bodies: &mut Bodies<'_>,
    element: &Element,
    number: usize,
) -> Result<Option<MjcfActuator>, SceneError> {
    let s = &bodies.settings;
    let of = s.classed(element, None)?;
    if !matches!(element.tag.as_str(), "motor" | "position" | "velocity") {
        // Listed with the other ignored elements.
        return Ok(None);
    }
    let Some(joint) = s.get(of, "joint") else {
        bodies.settings.drop_at(element, format!("{}: it drives no joint", element.words()));
        return Ok(None);
    };
    let Some(&(link, _)) = bodies.joints.get(joint) else {
        let names = || bodies.joints.keys().map(String::as_str);
        return Err(s
            .files
            .error_in(element, "joint", format!("there is no joint {joint:?}"))
            .expected(format!("one of {}", list_names(names())))
            .nearest(nearest_name(joint, names())));
    };
    let gear = s.list(of, "gear")?.and_then(|g| g.first().copied()).unwrap_or(1.0);
    let kind = match element.tag.as_str() {
        "motor" => MjcfActuatorKind::Motor,
        "velocity" => MjcfActuatorKind::Velocity { velocity_gain: gear * gear * s.positive(of, "kv", 1.0)? },
        _ => MjcfActuatorKind::Position {
            position_gain: gear * gear * s.positive(of, "kp", 1.0)?,
            velocity_gain: gear * gear * s.positive(of, "kv", 0.0)?,
        },
    };
    // Effort at the joint is the gear times the force of the actuator.
    let force = s.numbers::<2>(of, "forcerange")?.map(|[a, b]| a.abs().max(b.abs()));
    let control = s.numbers::<2>(of, "ctrlrange")?.map(|[a, b]| a.abs().max(b.abs()));
    let control = control.filter(|_| kind == MjcfActuatorKind::Motor);
    let limit = force.unwrap_or(f64::INFINITY).min(control.unwrap_or(f64::INFINITY)) * gear.abs();
    let effort_limit = limit.min(bodies.links[link].joint.effort_limit);
    let name = element.own("name").map_or_else(|| format!("actuator_{number}"), str::to_owned);
    if bodies.links[link].joint.kind.velocity_count() != 1 {
        bodies.settings.drop_at(element, format!("{}: its joint has no single coordinate", element.words()));
        return Ok(None);
    }
    if gear != 1.0 {
        let words = "its target is that of the joint, not of what is before the gear";
        bodies.settings.drop_at(element, format!("`gear` of {}: {words}", element.words()));
    }
    Ok(Some(MjcfActuator { name, link, kind, effort_limit }))
}

/// A key frame; `None` if it has no positions.
fn read_key(bodies: &Bodies<'_>, element: &Element, number: usize) -> Result<Option<MjcfKey>, SceneError> {
    let s = &bodies.settings;
    let of = s.classed(element, None)?;
    let Some(mut q) = s.list(of, "qpos")? else { return Ok(None) };
    let count: usize = bodies.links.iter().map(|l| l.joint.kind.position_count()).sum();
    if q.len() != count {
        let message = format!("`qpos` has {} numbers", q.len());
        return Err(s.files.error_in(element, "qpos", message).expected(format!("{count}")));
    }
    let mut at = 0;
    for link in &bodies.links {
        let end = at + link.joint.kind.position_count();
        if matches!(link.joint.kind, JointKind::Ball | JointKind::Free) {
            q[end - 4..end].rotate_left(1);
            let length = q[end - 4..end].iter().map(|x| x * x).sum::<f64>().sqrt();
            if length < 1e-9 {
                return Err(s.files.error_in(element, "qpos", "a quaternion of this key frame is zero"));
            }
            q[end - 4..end].iter_mut().for_each(|x| *x /= length);
        }
        at = end;
    }
    let name = element.own("name").map_or_else(|| format!("key_{number}"), str::to_owned);
    Ok(Some(MjcfKey { name, q, ctrl: s.list(of, "ctrl")?.unwrap_or_default() }))
}
