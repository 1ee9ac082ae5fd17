//! Cables of MuJoCo, `<composite type="cable">`, as rods.
//!
//! MuJoCo makes a chain of bodies with ball joints, and its plugin `mujoco.elasticity.cable` bends and twists them with the
//! moduli `bend` (E) and `twist` (G). Here the points of the curve are the nodes of a rod with these moduli. Points are given,
//! or by functions of the curve, s from 0 to 1 over the cable, scaled by `size`: s · size₀, size₁ cos(π size₂ s), size₁ sin(π size₂ s), 0.

use super::element::Element;
use super::settings::Settings;
use crate::error::SceneError;
use glam::{DQuat, DVec3};
use ropewalk_linalg::Pose;

/// A cable of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct MjcfCable {
    /// Name: its prefix, or a number.
    pub name: String,
    /// The link in whose frame it is.
    pub link: usize,
    /// Nodes in that frame, m.
    pub nodes: Vec<DVec3>,
    /// Radius, m.
    pub radius: f64,
    /// E and G, Pa.
    pub moduli: [f64; 2],
    /// Density, kg/m³.
    pub density: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Whether it is straight at rest, instead of as it is given.
    pub straight: bool,
    /// How its first end is held by the link.
    pub hold: CableHold,
}

/// How the first end of a cable is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CableHold {
    /// Not at all.
    Free,
    /// It may turn.
    Ball,
    /// With its direction and twist.
    Clamp,
}

/// Most nodes of a cable.
const MOST_NODES: usize = 100_000;

/// Reads a cable in the frame `frame` of link `link`.
pub(super) fn read_cable<'e>(
    settings: &Settings,
    element: &'e Element,
    (link, frame): (usize, &Pose),
    class: Option<&'e str>,
    number: usize,
) -> Result<MjcfCable, SceneError> {
    let of = settings.classed(element, None)?;
    if element.own("type") != Some("cable") {
        let error = settings.files.error(element, "of composites, cables are read");
        return Err(error.hint("take it out of the model, and give it in the scene"));
    }
    let nodes = points(settings, element)?;
    let turn = settings.orientation(of)?.unwrap_or(DQuat::IDENTITY);
    let place = *frame * Pose::new(settings.vector(of, "offset", DVec3::ZERO)?, turn);
    let Some(geom) = element.all("geom").next() else {
        return Err(settings.files.error(element, "a cable needs a <geom> with its radius"));
    };
    let geom = settings.classed(geom, class)?;
    let radius = settings.list(geom, "size")?.and_then(|s| s.first().copied()).unwrap_or(0.0);
    let density = settings.positive(geom, "density", 1000.0)?;
    if !(radius > 0.0 && density > 0.0) || settings.get(geom, "mass").is_some() {
        let error = settings.files.error(geom.element, "the geom of a cable needs its radius and density");
        return Err(error.expected("size=\"radius\" and density=\"…\""));
    }
    let configs: Vec<&Element> = element.all("plugin").flat_map(|p| p.all("config")).collect();
    let config = |key: &str| configs.iter().find(|c| c.own("key") == Some(key)).and_then(|c| c.own("value"));
    let modulus = |key: &str| match config(key).map(str::parse::<f64>) {
        Some(Ok(x)) if x > 0.0 && x <= 1e15 => Ok(x),
        _ => Err(settings
            .files
            .error(element, format!("a cable needs a modulus of {key}"))
            .expected(format!("<plugin plugin=\"mujoco.elasticity.cable\"><config key=\"{key}\" value=\"1e6\"/></plugin>"))),
    };
    let moduli = [modulus("bend")?, modulus("twist")?];
    let straight = config("flat") == Some("true");
    let friction = settings.list(geom, "friction")?.and_then(|f| f.first().copied()).unwrap_or(1.0);
    let hold = match settings.word(of, "initial", &["free", "ball", "none"], "none")?.as_str() {
        "free" => CableHold::Free,
        "ball" => CableHold::Ball,
        _ => CableHold::Clamp,
    };
    let name = element.own("prefix").map_or_else(|| format!("cable_{number}"), str::to_owned);
    let nodes = nodes.into_iter().map(|p| place.point(p)).collect();
    Ok(MjcfCable { name, link, nodes, radius, moduli, density, friction: friction.max(0.0), straight, hold })
}

/// The points of a cable, in its own frame.
fn points(settings: &Settings, element: &Element) -> Result<Vec<DVec3>, SceneError> {
    let of = settings.classed(element, None)?;
    let found: Vec<DVec3> = if let Some(list) = settings.list(of, "vertex")? {
        list.as_chunks::<3>().0.iter().map(|p| DVec3::from_array(*p)).collect()
    } else {
        let count = settings.list(of, "count")?.and_then(|c| c.first().copied()).unwrap_or(0.0);
        let [along, radius, speed] = settings.numbers::<3>(of, "size")?.unwrap_or([1.0, 0.0, 0.0]);
        let curve: Vec<&str> = element.own("curve").unwrap_or_default().split_whitespace().collect();
        if !(2.0..=MOST_NODES as f64).contains(&count) || curve.len() != 3 {
            let error = settings.files.error(element, "a cable needs its points");
            return Err(error.expected("vertex=\"…\", or count=\"N 1 1\" curve=\"s 0 0\" size=\"length 0 0\""));
        }
        let value = |word: &str, s: f64| match word {
            "s" => Some(along * s),
            "cos(s)" => Some(radius * (core::f64::consts::PI * speed * s).cos()),
            "sin(s)" => Some(radius * (core::f64::consts::PI * speed * s).sin()),
            "0" => Some(0.0),
            _ => None,
        };
        let point = |i: usize| {
            let s = i as f64 / (count.floor() - 1.0);
            Some(DVec3::new(value(curve[0], s)?, value(curve[1], s)?, value(curve[2], s)?))
        };
        (0..count as usize).map(point).collect::<Option<_>>().ok_or_else(|| {
            let error = settings.files.error_in(element, "curve", "this is no curve of a cable");
            error.expected("three of s, cos(s), sin(s) and 0")
        })?
    };
    if found.len() < 2 || found.len() > MOST_NODES {
        return Err(settings.files.error(element, format!("a cable of {} points", found.len())));
    }
    Ok(found)
}
