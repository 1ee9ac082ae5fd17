//! Analysis of a robot's file: its size, and ignored elements.

use crate::number::short;
use crate::table::Table;
use core::fmt::Write;
use ropewalk_scene::RobotDescription;
use serde::Serialize;

/// The report of `ropewalk check` on a robot.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RobotFacts {
    /// Its name in the file.
    pub(crate) robot: String,
    /// Number of links.
    pub(crate) links: usize,
    /// Number of joints, fixed ones included.
    pub(crate) joints: usize,
    /// Degrees of freedom with the base welded, followers included.
    pub(crate) degrees_of_freedom: usize,
    /// Joints that follow another.
    pub(crate) mimic_joints: usize,
    /// Mass of all links in kg.
    pub(crate) mass: f64,
    /// Collision shapes.
    pub(crate) collision_shapes: usize,
    /// Visuals, which are not simulated.
    pub(crate) visuals: usize,
    /// Other ignored elements, with their lines.
    pub(crate) not_carried_over: Vec<String>,
}

impl RobotFacts {
    /// Analyzes `robot`.
    pub(crate) fn of(robot: &RobotDescription) -> Self {
        let links = robot.tree.links();
        Self {
            robot: robot.name.clone(),
            links: links.len(),
            joints: robot.joint_order.len(),
            degrees_of_freedom: robot.tree.velocity_count(),
            mimic_joints: links.iter().filter(|l| l.joint.mimic.is_some()).count(),
            mass: robot.total_mass(),
            collision_shapes: robot.collisions.len(),
            visuals: robot.visual_count,
            not_carried_over: robot.not_carried_over.clone(),
        }
    }

    /// The report as text.
    pub(crate) fn render(&self) -> String {
        let mut table = Table::new("ll", &[]).indented(2);
        table.row(["links".to_owned(), self.links.to_string()]);
        table.row(["joints".to_owned(), format!("{} ({} follow another)", self.joints, self.mimic_joints)]);
        table.row(["degrees of freedom".to_owned(), self.degrees_of_freedom.to_string()]);
        table.row(["mass".to_owned(), format!("{} kg", short(self.mass))]);
        table.row(["collision shapes".to_owned(), self.collision_shapes.to_string()]);
        table.row(["visuals (not simulated)".to_owned(), self.visuals.to_string()]);
        let mut text = format!("Robot '{}'\n{}", self.robot, table.render());
        if !self.not_carried_over.is_empty() {
            text.push_str("\nNot carried over\n");
        }
        for entry in &self.not_carried_over {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "  {entry}");
        }
        text
    }
}
