//! Values of the model in claims, so that a claim stays valid when the scene changes: `weight(rope)`.
//!
//! | value | of | unit |
//! |---|---|---|
//! | `gravity` | | m/s² |
//! | `mass(X)`, `weight(X)` | a rod, body or robot, or `world` | kg, N |
//! | `length(ROD)`, `line_weight(ROD)`, `thickness(ROD)` | rest length; weight per length; least thickness | m, N/m, m |
//! | `radius(X)` | a rod; a body whose first shape is round | m |
//! | `stretch(ROD)`, `bend(ROD)`, `twist(ROD)` | EA, the smaller EI, GJ in the middle | N, N·m² |
//! | `friction(A, B)` | of two surfaces in contact, each a rod or a body | 1 |
//! | `force(LOAD)` | of a point load at full scale | N |

use crate::BodyPlace;
use crate::error::{list_names, nearest_name};
use ropewalk_body::energy;
use ropewalk_geometry::Shape;
use ropewalk_sim::{LoadKind, Model, Surface};

/// Errors in the name of a value.
#[derive(Debug)]
pub(super) struct ValueError {
    pub(super) message: String,
    pub(super) expected: String,
    pub(super) nearest: Option<String>,
}

const KNOWN: &[&str] = &[
    "gravity",
    "mass",
    "weight",
    "length",
    "line_weight",
    "thickness",
    "radius",
    "stretch",
    "bend",
    "twist",
    "friction",
    "force",
];

/// Looks values up.
pub(super) struct ModelValues<'a> {
    pub(super) model: &'a Model,
    pub(super) bodies: &'a [BodyPlace],
}

impl ModelValues<'_> {
    /// The value called `text`.
    pub(super) fn find(&self, text: &str) -> Result<f64, ValueError> {
        let (name, arguments): (&str, Vec<&str>) = match text.split_once('(') {
            Some((name, rest)) => {
                let inner = rest.trim_end().strip_suffix(')').unwrap_or(rest);
                (name.trim(), inner.split(',').map(str::trim).collect())
            }
            None => (text.trim(), Vec::new()),
        };
        let g = self.model.gravity.length();
        match (name, arguments.as_slice()) {
            ("gravity", []) => Ok(g),
            ("mass", [of]) => self.mass(of),
            ("weight", [of]) => Ok(self.mass(of)? * g),
            ("length" | "line_weight" | "thickness" | "stretch" | "bend" | "twist", [of]) => self.of_rod(name, of),
            ("radius", [of]) => self.radius(of),
            ("friction", [a, b]) => Ok(self.surface(a)?.pair(&self.surface(b)?).friction),
            ("force", [of]) => self.force(of),
            _ => Err(ValueError {
                message: format!("there is no value of the model called \"{text}\""),
                expected: "a number, or NAME(THING) with a name such as weight, mass, length, radius, bend or friction(A, B); \
                           docs/measures.md lists them"
                    .into(),
                nearest: nearest_name(name, KNOWN.iter().copied()),
            }),
        }
    }

    fn missing<'n>(kind: &str, name: &str, known: impl Iterator<Item = &'n str> + Clone) -> ValueError {
        ValueError {
            message: format!("there is no {kind} called \"{name}\""),
            expected: format!("one of {}", list_names(known.clone())),
            nearest: nearest_name(name, known),
        }
    }

    fn rod(&self, name: &str) -> Result<usize, ValueError> {
        let names = || self.model.rod_names.iter().map(String::as_str);
        names().position(|n| n == name).ok_or_else(|| Self::missing("rod", name, names()))
    }

    fn body(&self, name: &str) -> Result<(usize, usize), ValueError> {
        let names = || self.bodies.iter().map(|b| b.name.as_str());
        let found = self.bodies.iter().find(|b| b.name == name).map(|b| (b.tree, b.link));
        found.ok_or_else(|| {
            Self::missing("rod or body", name, names().chain(self.model.rod_names.iter().map(String::as_str)))
        })
    }

    fn mass(&self, of: &str) -> Result<f64, ValueError> {
        let trees = &self.model.trees;
        if of == "world" {
            let rods: f64 = self.model.rods.iter().map(ropewalk_rod::Rod::total_mass).sum();
            return Ok(
                rods + trees.iter().filter(|t| t.heavy).map(|t| energy::total_mass(&t.tree)).sum::<f64>()
            );
        }
        if let Ok(rod) = self.rod(of) {
            return Ok(self.model.rods[rod].total_mass());
        }
        if let Some(robot) = trees.iter().find(|t| t.name == of) {
            return Ok(energy::total_mass(&robot.tree));
        }
        let (tree, link) = self.body(of)?;
        Ok(trees[tree].tree.links()[link].inertia.mass)
    }

    fn of_rod(&self, name: &str, of: &str) -> Result<f64, ValueError> {
        let rod = &self.model.rods[self.rod(of)?];
        let stencils = rod.stencils();
        let middle = (rod.node_count() / 2).clamp(stencils.start, stencils.end.max(stencils.start + 1) - 1);
        let cell = rod.voronoi_lengths()[middle];
        Ok(match name {
            "length" => rod.total_rest_length(),
            "line_weight" => rod.total_mass() / rod.total_rest_length() * self.model.gravity.length(),
            "thickness" => 2.0 * rod.half_extents().iter().flatten().copied().fold(f64::INFINITY, f64::min),
            "stretch" => rod.stretch_stiffness()[middle.min(rod.edge_count() - 1)],
            "bend" => rod.bend_stiffness(0)[middle].min(rod.bend_stiffness(1)[middle]) * cell,
            _ => rod.twist_stiffness()[middle] * cell,
        })
    }

    fn radius(&self, of: &str) -> Result<f64, ValueError> {
        if let Ok(rod) = self.rod(of) {
            return Ok(self.model.rods[rod].half_extents()[0][0]);
        }
        let (tree, link) = self.body(of)?;
        let shape = self.model.trees[tree].shapes.iter().find(|s| s.link == link);
        match shape.map(|s| s.collider.shape()) {
            Some(
                Shape::Cylinder { radius, .. } | Shape::Capsule { radius, .. } | Shape::Sphere { radius },
            ) => Ok(*radius),
            _ => Err(ValueError {
                message: format!("the first shape of \"{of}\" has no radius"),
                expected: "a rod, or a body whose first shape is a cylinder, a capsule or a sphere".into(),
                nearest: None,
            }),
        }
    }

    fn surface(&self, of: &str) -> Result<Surface, ValueError> {
        if let Ok(rod) = self.rod(of) {
            return Ok(self.model.rod_surface(rod));
        }
        let (tree, link) = self.body(of)?;
        let shape = self.model.trees[tree].shapes.iter().find(|s| s.link == link);
        shape.map(|s| s.surface).ok_or_else(|| ValueError {
            message: format!("\"{of}\" has no shape"),
            expected: "a body with a shape".into(),
            nearest: None,
        })
    }

    fn force(&self, of: &str) -> Result<f64, ValueError> {
        let names = || self.model.loads.iter().map(|l| l.name.as_str());
        let load = self.model.loads.iter().find(|l| l.name == of);
        match load.ok_or_else(|| Self::missing("load", of, names()))?.kind {
            LoadKind::Point { force, .. } => Ok(force.length()),
            _ => Err(ValueError {
                message: format!("\"{of}\" is not a point load"),
                expected: "the name of a point load".into(),
                nearest: None,
            }),
        }
    }
}
