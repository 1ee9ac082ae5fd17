//! Cables of MuJoCo as rods: `<flexcomp dim="1">`, and `<composite type="cable">` of versions before 4.
//!
//! The vertices of a one-dimensional flex become nodes, its radius a round section, `young` and `shear` the moduli,
//! and its mass is distributed evenly; pinned vertices are attached to the body.
//!
//! MuJoCo turns a composite into a chain of bodies with ball joints, whose bending and torsion its plugin
//! `mujoco.elasticity.cable` computes from the moduli `bend` (E) and `twist` (G). Here the points of the curve are
//! the nodes of a rod with these moduli. Points are given, or by functions of the curve, s from 0 to 1 over the
//! cable, scaled by `size`: s · size₀, size₁ cos(π size₂ s), size₁ sin(π size₂ s), 0.

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
    /// Whether its natural shape is straight, instead of the initial shape.
    pub straight: bool,
    /// How its first end is attached to the link.
    pub hold: CableHold,
    /// Nodes pinned to the link.
    pub pins: Vec<usize>,
}

/// How the first end of a cable is attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CableHold {
    /// Not at all.
    Free,
    /// Pinned, free to rotate.
    Ball,
    /// Clamped, with its direction and twist.
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
        _ => {
            Err(settings.files.error(element, format!("a cable needs a modulus of {key}")).expected(format!(
                "<plugin plugin=\"mujoco.elasticity.cable\"><config key=\"{key}\" value=\"1e6\"/></plugin>"
            )))
        }
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
    let (friction, pins) = (friction.max(0.0), Vec::new());
    Ok(MjcfCable { name, link, nodes, radius, moduli, density, friction, straight, hold, pins })
}

/// The points of a cable, in its own frame.
fn points(settings: &Settings, element: &Element) -> Result<Vec<DVec3>, SceneError> {
    let of = settings.classed(element, None)?;
    let found: Vec<DVec3> = if let Some(list) = settings.list(of, "vertex")? {
        list.as_chunks::<3>().0.iter().map(|p| DVec3::from_array(*p)).collect()
    } else {
        let count = settings.list(of, "count")?.and_then(|c| c.first().copied()).unwrap_or(0.0);
        let size = settings.list(of, "size")?.unwrap_or_else(|| vec![1.0]);
        let [along, radius, speed] = [0, 1, 2].map(|k| size.get(k).copied().unwrap_or(0.0));
        let mut curve: Vec<&str> = element.own("curve").unwrap_or_default().split_whitespace().collect();
        if !(2.0..=MOST_NODES as f64).contains(&count) || curve.is_empty() || curve.len() > 3 {
            let error = settings.files.error(element, "a cable needs its points");
            return Err(error.expected("vertex=\"…\", or count=\"N 1 1\" curve=\"s\" size=\"length\""));
        }
        curve.resize(3, "0");
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

/// Reads a flex of one dimension in the frame `frame` of link `link`.
pub(super) fn read_flex(
    settings: &Settings,
    element: &Element,
    (link, frame): (usize, &Pose),
    number: usize,
) -> Result<MjcfCable, SceneError> {
    let of = settings.classed(element, None)?;
    let wrong = |message: &str, expected: &str| settings.files.error(element, message).expected(expected);
    let kind = element.own("type").unwrap_or("grid");
    if element.own("dim") != Some("1") || !matches!(kind, "grid" | "direct") {
        return Err(wrong("of flexes, those of one dimension are read", "dim=\"1\", of type grid or direct"));
    }
    let place = *frame * settings.pose(of)?;
    let scale = settings.vector(of, "scale", DVec3::ONE)?;
    let points: Vec<DVec3> = if kind == "direct" {
        let list = settings.list(of, "point")?.unwrap_or_default();
        list.as_chunks::<3>().0.iter().map(|p| DVec3::from_array(*p)).collect()
    } else {
        let count = settings.list(of, "count")?.and_then(|c| c.first().copied()).unwrap_or(10.0);
        let spacing = settings.list(of, "spacing")?.and_then(|s| s.first().copied()).unwrap_or(0.02);
        let count = count.clamp(0.0, 1.0 + MOST_NODES as f64) as usize;
        (0..count).map(|i| DVec3::X * (spacing * (i as f64 - 0.5 * (count as f64 - 1.0)))).collect()
    };
    if points.len() < 2 || points.len() > MOST_NODES {
        return Err(wrong("a cable needs its points", "count=\"N 1 1\" of two or more, or point=\"…\""));
    }
    let nodes: Vec<DVec3> = points.iter().map(|p| place.point(*p * scale)).collect();
    let length: f64 = nodes.windows(2).map(|p| (p[1] - p[0]).length()).sum();
    let (radius, mass) = (settings.positive(of, "radius", 0.005)?, settings.positive(of, "mass", 1.0)?);
    let elasticity = element.all("elasticity").next();
    let Some(elasticity) = elasticity.map(|e| settings.classed(e, None)).transpose()? else {
        return Err(wrong("a cable needs an <elasticity>", "<elasticity young=\"1e6\" shear=\"4e5\"/>"));
    };
    let is_real = radius * mass * length > 0.0;
    if settings.word(elasticity, "section", &["circle"], "circle")? != "circle" || !is_real {
        return Err(wrong("a cable needs radius, mass and length", "positive numbers"));
    }
    let young = settings.positive(elasticity, "young", 0.0)?;
    let isotropic = young / (2.0 * (1.0 + settings.number(elasticity, "poisson", 0.0)?));
    let shear = settings.positive(elasticity, "shear", 0.0)?;
    let moduli = [young, if shear > 0.0 { shear } else { isotropic }];
    if !moduli.iter().all(|m| *m > 0.0 && *m <= 1e15) {
        return Err(wrong("a cable needs its modulus", "young=\"1e6\", in Pa"));
    }
    let mut pins = Vec::new();
    for pin in element.all("pin") {
        for id in settings.list(settings.classed(pin, None)?, "id")?.unwrap_or_default() {
            if !(0.0..nodes.len() as f64).contains(&id) {
                return Err(settings.files.error_in(pin, "id", format!("there is no vertex {id}")));
            }
            pins.push(id as usize);
        }
    }
    let contact = element.all("contact").next().map(|c| settings.classed(c, None)).transpose()?;
    let friction = contact.map(|c| settings.list(c, "friction")).transpose()?.flatten();
    Ok(MjcfCable {
        name: element.own("name").map_or_else(|| format!("cable_{number}"), str::to_owned),
        link,
        density: mass / (core::f64::consts::PI * radius * radius * length),
        nodes,
        radius,
        moduli,
        friction: friction.and_then(|f| f.first().copied()).unwrap_or(1.0).max(0.0),
        straight: false,
        hold: CableHold::Free,
        pins,
    })
}
