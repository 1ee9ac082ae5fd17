//! Analysis of the bodies and robots of a scene.

use crate::number::short;
use crate::table::Table;
use ropewalk_body::energy::total_mass;
use ropewalk_scene::Scene;
use serde::Serialize;

/// The report of `ropewalk check` on a robot, or on bodies connected by joints.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TreeFacts {
    /// Name of the robot or of the body at the root.
    pub(crate) name: String,
    /// Whether it is a robot; else it is made of bodies of the scene.
    pub(crate) robot: bool,
    /// Number of links.
    pub(crate) links: usize,
    /// Degrees of freedom, followers included.
    pub(crate) degrees_of_freedom: usize,
    /// Mass in kg.
    pub(crate) mass: f64,
    /// Whether gravity acts on it.
    pub(crate) heavy: bool,
    /// Shapes.
    pub(crate) shapes: usize,
    /// Actuators on its joints.
    pub(crate) actuators: usize,
    /// Attachments to its links.
    pub(crate) attachments: usize,
}

impl TreeFacts {
    /// Analyzes tree `t` of `scene`.
    pub(crate) fn of(scene: &Scene, t: usize) -> Self {
        let model = &scene.model;
        let tree = &model.trees[t];
        let holds =
            |end: &ropewalk_sim::End| matches!(end, ropewalk_sim::End::Link { tree, .. } if *tree == t);
        Self {
            name: tree.name.clone(),
            robot: !scene.bodies.iter().any(|b| b.tree == t),
            links: tree.tree.links().len(),
            degrees_of_freedom: tree.tree.velocity_count(),
            mass: total_mass(&tree.tree),
            heavy: tree.heavy,
            shapes: tree.shapes.len(),
            actuators: model.actuators.iter().filter(|a| a.tree == t).count(),
            attachments: model.attachments.iter().filter(|a| a.ends.iter().any(holds)).count(),
        }
    }

    /// The report as text.
    pub(crate) fn render(&self) -> String {
        let mut table = Table::new("ll", &[]).indented(2);
        let mut row = |name: &str, value: String| table.row([name.to_owned(), value]);
        if self.links > 1 {
            row("links", self.links.to_string());
        }
        row("degrees of freedom", self.degrees_of_freedom.to_string());
        let weight = if self.heavy { "" } else { " (its controller balances its weight)" };
        row("mass", format!("{} kg{weight}", short(self.mass)));
        row("shapes", self.shapes.to_string());
        row("actuators", self.actuators.to_string());
        row("attachments", self.attachments.to_string());
        let kind = if self.robot { "Robot" } else { "Body" };
        format!("\n{kind} '{}'\n{}", self.name, table.render())
    }
}
