//! Lists the ignored elements and attributes of a model, each with its line.

use super::element::Element;
use super::settings::Settings;

const POSE: [&str; 6] = ["pos", "quat", "axisangle", "xyaxes", "zaxis", "euler"];
/// Visual or naming elements: not simulated and not listed.
const SILENT: [&str; 7] = ["name", "class", "rgba", "material", "group", "user", "childclass"];

/// Attributes of `<compiler>`.
const COMPILER: &[&str] = &[
    "angle",
    "coordinate",
    "eulerseq",
    "autolimits",
    "inertiafromgeom",
    "meshdir",
    "assetdir",
    "texturedir",
    "strippath",
    "boundmass",
    "boundinertia",
    "balanceinertia",
    "settotalmass",
    "inertiagrouprange",
    "fitaabb",
    "convexhull",
    "discardvisual",
    "fusestatic",
    "usethread",
];
/// Attributes of `<mesh>`.
const MESH: &[&str] = &[
    "file",
    "scale",
    "vertex",
    "face",
    "refpos",
    "refquat",
    "inertia",
    "maxhullvert",
    "content_type",
    "texcoord",
    "normal",
    "smoothnormal",
];
/// Attributes of `<joint>` in a body.
const JOINT: &[&str] = &[
    "type",
    "axis",
    "range",
    "limited",
    "damping",
    "frictionloss",
    "armature",
    "stiffness",
    "springref",
    "ref",
    "actuatorfrcrange",
    "actuatorfrclimited",
];
/// Attributes of `<geom>`.
const GEOM: &[&str] = &[
    "type",
    "size",
    "fromto",
    "mesh",
    "mass",
    "density",
    "contype",
    "conaffinity",
    "friction",
    "shellinertia",
];

/// Attributes of the elements called `tag` inside of one called `parent` that are read, or mean nothing here; `None` if the
/// element is not read at all.
fn known(parent: &str, tag: &str) -> Option<&'static [&'static str]> {
    Some(match (parent, tag) {
        ("mujoco", "compiler") => COMPILER,
        (
            "mujoco",
            "default" | "asset" | "worldbody" | "contact" | "equality" | "tendon" | "actuator" | "keyframe",
        )
        | (
            "default",
            "default" | "site" | "material" | "camera" | "light" | "equality" | "tendon" | "pair",
        ) => &[],
        ("asset", "mesh") | ("default", "mesh") => MESH,
        ("worldbody" | "body" | "frame", "body" | "frame") => &[],
        ("body", "inertial") => &["mass", "diaginertia", "fullinertia"],
        ("body" | "frame" | "default", "joint") => JOINT,
        ("body", "freejoint") => &["align"],
        ("worldbody" | "body" | "frame" | "default", "geom") => GEOM,
        ("worldbody" | "body" | "frame", "site") => &["type", "size", "fromto"],
        ("worldbody" | "body" | "frame", "composite") => {
            &["prefix", "type", "count", "size", "curve", "vertex", "offset", "initial"]
        }
        ("worldbody" | "body" | "frame", "flexcomp") => {
            &["type", "count", "spacing", "point", "dim", "radius", "mass", "scale"]
        }
        ("flexcomp", "elasticity") => &["young", "shear", "poisson", "section"],
        ("flexcomp", "pin") => &["id"],
        ("flexcomp", "contact") => &["friction"],
        ("composite", "geom") => &["type", "size", "density", "friction"],
        ("composite", "plugin") => &["plugin"],
        ("plugin", "config") => &["key", "value"],
        ("contact", "exclude") => &["body1", "body2"],
        ("equality", "joint") => &["joint1", "joint2", "polycoef", "active"],
        ("equality", "tendon") => &["tendon1", "polycoef", "active"],
        ("tendon", "fixed") => &[],
        ("fixed", "joint") => &["joint", "coef"],
        ("actuator" | "default", "position") => {
            &["joint", "kp", "kv", "gear", "ctrlrange", "ctrllimited", "forcerange", "forcelimited"]
        }
        ("actuator" | "default", "motor") => {
            &["joint", "gear", "ctrlrange", "ctrllimited", "forcerange", "forcelimited"]
        }
        ("actuator" | "default", "velocity") => {
            &["joint", "kv", "gear", "ctrlrange", "ctrllimited", "forcerange", "forcelimited"]
        }
        ("keyframe", "key") => &["qpos", "qvel", "ctrl", "time"],
        _ => return None,
    })
}

/// Visual, or without effect on the simulation.
fn is_silent(parent: &str, tag: &str) -> bool {
    matches!(
        (parent, tag),
        ("mujoco", "visual" | "statistic" | "size" | "custom")
            | ("asset", "texture" | "material" | "skin")
            | (_, "camera" | "light")
    )
}

/// Lists what is not read in `element` and below.
pub(super) fn list_rest(settings: &mut Settings, element: &Element) {
    for child in &element.children {
        let place = format!("<{}> in {}", child.tag, element.words());
        let Some(attributes) = known(&element.tag, &child.tag) else {
            if !is_silent(&element.tag, &child.tag) {
                let inside = match child.children.len() {
                    0 => String::new(),
                    n => format!(", with {n} elements"),
                };
                settings.drop_at(child, format!("{place}{inside}"));
            }
            continue;
        };
        for name in child.attribute_names() {
            if !attributes.contains(&name) && !SILENT.contains(&name) && !POSE.contains(&name) {
                settings.drop_at(child, format!("attribute `{name}` of {}", child.words()));
            }
        }
        list_rest(settings, child);
    }
}
