//! Ropes and strips: material, section and centerline.

use super::super::random::Random;
use super::scene_text::{SceneText, number, quoted, vector, vectors};
use core::f64::consts::TAU;
use glam::DVec3;

/// A material.
#[derive(Clone, Copy, Debug)]
pub(super) struct Substance {
    pub(super) youngs_modulus: f64,
    pub(super) poisson_ratio: f64,
    pub(super) density: f64,
    pub(super) friction: f64,
}

impl Substance {
    pub(super) fn random(random: &mut Random) -> Self {
        Self {
            youngs_modulus: random.log_between(1e5, 2e11),
            poisson_ratio: random.between(0.0, 0.45),
            density: random.log_between(200.0, 8000.0),
            friction: *random.pick(&[0.0, 0.1, 0.3, 0.5, 1.0]),
        }
    }

    /// Rows of a material's table.
    pub(super) fn rows(&self) -> Vec<(&'static str, String)> {
        vec![
            ("youngs_modulus", number(self.youngs_modulus)),
            ("poisson_ratio", number(self.poisson_ratio)),
            ("density", number(self.density)),
            ("friction", number(self.friction)),
        ]
    }
}

/// A section, m.
#[derive(Clone, Copy, Debug)]
pub(super) enum Section {
    Round { radius: f64 },
    Flat { width: f64, height: f64 },
}

impl Section {
    /// Radius 0.1 to 20 mm.
    pub(super) fn round(random: &mut Random) -> Self {
        Self::Round { radius: random.log_between(1e-4, 2e-2) }
    }

    /// Thickness 0.2 to 8 mm, two to ten times as wide.
    pub(super) fn flat(random: &mut Random) -> Self {
        let height = random.log_between(2e-4, 8e-3);
        Self::Flat { width: height * random.log_between(2.0, 10.0), height }
    }

    /// Radius of the circumscribed circle of the section.
    pub(super) fn outer_radius(self) -> f64 {
        match self {
            Self::Round { radius } => radius,
            Self::Flat { width, height } => 0.5 * width.hypot(height),
        }
    }

    pub(super) fn thickness(self) -> f64 {
        match self {
            Self::Round { radius } => 2.0 * radius,
            Self::Flat { height, .. } => height,
        }
    }

    /// Area in m².
    pub(super) fn area(self) -> f64 {
        match self {
            Self::Round { radius } => 0.5 * TAU * radius * radius,
            Self::Flat { width, height } => width * height,
        }
    }

    /// Length of a segment, m.
    pub(super) fn segment(self, random: &mut Random) -> f64 {
        match self {
            Self::Round { radius } => radius * random.log_between(1.0, 10.0),
            Self::Flat { width, .. } => width * random.log_between(0.5, 4.0),
        }
    }

    fn text(self) -> String {
        match self {
            Self::Round { radius } => format!("{{ circle = {{ radius = {} }} }}", number(radius)),
            Self::Flat { width, height } => {
                format!("{{ rectangle = {{ width = {}, height = {} }} }}", number(width), number(height))
            }
        }
    }
}

/// A rod, with further keys of its table in `more`.
#[derive(Clone, Debug)]
pub(super) struct Rope {
    pub(super) name: String,
    pub(super) substance: Substance,
    pub(super) section: Section,
    pub(super) nodes: Vec<DVec3>,
    pub(super) velocity: DVec3,
    pub(super) material_rows: Vec<(&'static str, String)>,
    pub(super) more: Vec<(&'static str, String)>,
}

impl Rope {
    /// A rope along `nodes`, at rest.
    pub(super) fn new(name: &str, substance: Substance, section: Section, nodes: Vec<DVec3>) -> Self {
        Self {
            name: name.to_owned(),
            substance,
            section,
            nodes,
            velocity: DVec3::ZERO,
            material_rows: Vec::new(),
            more: Vec::new(),
        }
    }

    /// A straight one.
    pub(super) fn line(
        name: &str,
        substance: Substance,
        section: Section,
        (from, to): (DVec3, DVec3),
        segments: usize,
    ) -> Self {
        let nodes = (0..=segments).map(|i| from + (to - from) * (i as f64 / segments as f64)).collect();
        Self::new(name, substance, section, nodes)
    }

    /// Length of the polygon, m.
    pub(super) fn length(&self) -> f64 {
        self.nodes.windows(2).map(|pair| (pair[1] - pair[0]).length()).sum()
    }

    /// Mass in kg.
    pub(super) fn mass(&self) -> f64 {
        self.substance.density * self.section.area() * self.length()
    }

    /// EA in N.
    pub(super) fn stretch_stiffness(&self) -> f64 {
        self.substance.youngs_modulus * self.section.area()
    }

    /// Adds the rod and its material to a scene.
    pub(super) fn write(&self, text: &mut SceneText) {
        let mut material = self.substance.rows();
        material.extend(self.material_rows.iter().cloned());
        text.table(&format!("material.{}", self.name), &material);
        let mut rows = vec![("material", quoted(&self.name)), ("section", self.section.text())];
        let (first, last) = (self.nodes[0], self.nodes[self.nodes.len() - 1]);
        if (self.length() - (last - first).length()).abs() < 1e-9 * self.length() {
            rows.push((
                "curve",
                format!("{{ line = {{ from = {}, to = {} }} }}", vector(first), vector(last)),
            ));
            rows.push(("segments", format!("{}", self.nodes.len() - 1)));
        } else {
            rows.push(("curve", format!("{{ nodes = {} }}", vectors(&self.nodes))));
        }
        if self.velocity != DVec3::ZERO {
            rows.push(("velocity", vector(self.velocity)));
        }
        rows.extend(self.more.iter().cloned());
        text.table(&format!("rod.{}", self.name), &rows);
    }
}

/// A centerline about the origin in any direction: straight, an arc of up to 3 rad, or a wave.
pub(super) fn path(random: &mut Random, segments: usize, segment: f64) -> Vec<DVec3> {
    let kind = random.whole(0, 3);
    let bend = random.between(0.3, 3.0);
    let waves = random.between(0.5, 2.0);
    let turn = random.rotation();
    // The direction along the curve, in a plane.
    let heading = |u: f64| match kind {
        0 | 1 => 0.0,
        2 => bend * (u - 0.5),
        _ => 0.4 * bend * (TAU * waves * u).sin(),
    };
    let mut nodes = vec![DVec3::ZERO];
    for i in 0..segments {
        let (s, c) = heading((i as f64 + 0.5) / segments as f64).sin_cos();
        let last = nodes[nodes.len() - 1];
        nodes.push(last + DVec3::new(c, s, 0.0) * segment);
    }
    let middle = nodes.iter().sum::<DVec3>() / nodes.len() as f64;
    nodes.iter().map(|p| turn * (*p - middle)).collect()
}
