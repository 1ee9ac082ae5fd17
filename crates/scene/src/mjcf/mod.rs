//! Robots from MJCF, the format of MuJoCo.
//!
//! ```text
//! text ─ element (XML and included files) ─ settings (compiler, default classes) ─ body, geom, inertial ─ follow, drive ─ RobotDescription
//! ```
//!
//! | module | contents |
//! |---|---|
//! | `element` | elements with their places; `<include>` |
//! | `settings` | `<compiler>`, default classes, attributes in range, orientations |
//! | `body` | bodies and joints as links of one tree |
//! | `inertial` | mass properties, as given or from geoms |
//! | `geom` | shapes and meshes |
//! | `follow` | mimic joints from equality constraints of joints and fixed tendons |
//! | `cable` | cables, which become rods |
//! | `drive` | actuators, key frames, excludes |
//! | `ignored` | elements and attributes that are not imported |
//!
//! Strict: an element that cannot be simulated as written is an error with its line; elements that are not simulated
//! at all are listed in [`RobotDescription::not_carried_over`]. See `docs/robots.md`.

mod body;
mod cable;
mod drive;
mod element;
mod follow;
mod geom;
mod ignored;
mod inertial;
mod settings;

pub use cable::{CableHold, MjcfCable};
pub use drive::{MjcfActuator, MjcfActuatorKind, MjcfDrives, MjcfKey};

use crate::error::SceneError;
use crate::urdf::{BaseKind, RobotDescription, UrdfOptions};
use body::Bodies;
use element::Files;
use geom::Meshes;
use ropewalk_body::Tree;
use settings::Settings;
use std::path::Path;

/// Most degrees of freedom of a model: its mass matrix is dense.
const MOST_DOFS: usize = 1_000;

/// Whether a text is MJCF: its outermost element is `<mujoco>`.
pub(crate) fn is_mjcf(text: &str) -> bool {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        let end = if rest.starts_with("<?") {
            "?>"
        } else if rest.starts_with("<!--") {
            "-->"
        } else {
            return rest.starts_with("<mujoco");
        };
        match rest.find(end) {
            Some(at) => rest = rest[at + end.len()..].trim_start(),
            None => return false,
        }
    }
}

/// Reads a robot from the text of an MJCF. `label` stands for the file in messages; names of included files and
/// meshes are relative to `folder`.
pub fn read_mjcf(
    label: &str,
    text: &str,
    folder: Option<&Path>,
    options: &UrdfOptions,
) -> Result<RobotDescription, SceneError> {
    let mut files = Files::default();
    let model = files.parse(label, text, folder)?;
    if model.tag != "mujoco" {
        return Err(files
            .error(&model, format!("this is no MJCF: it is <{}>", model.tag))
            .expected("a <mujoco>"));
    }
    if options.base == BaseKind::Free {
        return Err(files
            .error(&model, "an MJCF says itself which of its bodies are free")
            .hint("leave out `base`; a body with <freejoint/> is free"));
    }
    let settings = Settings::new(files, &model)?;
    let mut bodies = Bodies::new(settings, Meshes::new(&model, folder), options);
    if model.all("worldbody").next().is_none() {
        return Err(bodies.settings.files.error(&model, "this model has no <worldbody>"));
    }
    for worldbody in model.all("worldbody") {
        bodies.world(worldbody)?;
    }
    if bodies.links.iter().map(|l| l.joint.kind.velocity_count()).sum::<usize>() > MOST_DOFS {
        return Err(bodies.settings.files.error(&model, format!("more than {MOST_DOFS} degrees of freedom")));
    }
    scale_mass(&mut bodies);
    follow::read_followers(&mut bodies, &model)?;
    let mut drives = drive::read_drives(&mut bodies, &model)?;
    drives.cables = core::mem::take(&mut bodies.cables);
    bodies.finish();
    ignored::list_rest(&mut bodies.settings, &model);
    let Bodies { settings, links, collisions, start, visual_count, .. } = bodies;
    let joint_order = (1..links.len()).collect();
    let tree = Tree::new(links).map_err(|e| settings.files.error(&model, e.to_string()))?;
    Ok(RobotDescription {
        name: model.own("model").unwrap_or("MuJoCo Model").to_owned(),
        source: label.to_owned(),
        tree,
        joint_order,
        collisions,
        visuals: Vec::new(),
        base: options.base,
        base_pose: options.base_pose,
        visual_count,
        not_carried_over: settings.dropped,
        start,
        drives,
    })
}

/// `settotalmass`.
fn scale_mass(bodies: &mut Bodies<'_>) {
    let total: f64 = bodies.links.iter().map(|l| l.inertia.mass).sum();
    let wanted = bodies.settings.total_mass;
    if wanted > 0.0 && total > 0.0 {
        for link in &mut bodies.links {
            link.inertia.mass *= wanted / total;
            link.inertia.about_com *= wanted / total;
        }
    }
}
