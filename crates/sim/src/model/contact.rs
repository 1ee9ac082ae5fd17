//! Contact: who touches whom, and how.

use glam::DVec3;
use ropewalk_geometry::pressure::{PatchBody, RodField};
use std::sync::Arc;

/// Contact laws; see the `law` module of `ropewalk-contact`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContactLaw {
    /// The regularized cone: friction from the present normal force; sliding contacts are lifted by μ |v_t| δt.
    #[default]
    Sap,
    /// Hunt and Crossley's normal force, friction from the normal force at the start of the step.
    Lagged,
    /// Hunt and Crossley's normal force, friction from the present normal force.
    Similar,
}

/// Contact of a world. Given geometry and friction, nothing has to be tuned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings {
    /// The law of all contacts.
    pub law: ContactLaw,
    /// Whether pairs that may come to touch within the step take part before they do.
    pub look_ahead: bool,
    /// Whether steps in which something would pass through something else are split.
    pub guard: bool,
    /// Whether contacts that stick remember what they hold, so that a grasp does not creep; of the law `sap`.
    pub anchor: bool,
    /// If given, polygons of a patch whose normals are within this angle (rad) of one another are replaced by at most four
    /// contacts with the same force, moment and stiffness.
    pub cluster_angle: Option<f64>,
}

impl Default for ContactSettings {
    fn default() -> Self {
        Self { law: ContactLaw::Sap, look_ahead: true, guard: true, anchor: true, cluster_angle: None }
    }
}

/// The surface of a rod or of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Coefficient of friction μ of this side; a pair has 2 μ_a μ_b/(μ_a + μ_b).
    pub friction: f64,
    /// Stiffness of this side in N/m, in series with the other's; `None`: as hard as the step allows.
    pub stiffness: Option<f64>,
    /// Dissipation time in s of the cone law; of a pair the greater one counts.
    pub dissipation_time: f64,
    /// Hunt and Crossley's dissipation in s/m of the other laws; of a pair the mean, weighted by the other's stiffness.
    pub dissipation: f64,
}

impl Default for Surface {
    fn default() -> Self {
        Self { friction: 0.5, stiffness: None, dissipation_time: 0.0, dissipation: 0.0 }
    }
}

impl Surface {
    /// The surface of a pair.
    pub fn pair(&self, other: &Self) -> Self {
        let sum = self.friction + other.friction;
        let stiffness = match (self.stiffness, other.stiffness) {
            (Some(a), Some(b)) => Some(a * b / (a + b)),
            (a, b) => a.or(b),
        };
        Self {
            friction: if sum > 0.0 { 2.0 * self.friction * other.friction / sum } else { 0.0 },
            stiffness,
            dissipation_time: self.dissipation_time.max(other.dissipation_time),
            dissipation: match (self.stiffness, other.stiffness) {
                (Some(a), Some(b)) => (b * self.dissipation + a * other.dissipation) / (a + b),
                (Some(_), None) => self.dissipation,
                (None, Some(_)) => other.dissipation,
                (None, None) => 0.5 * (self.dissipation + other.dissipation),
            },
        }
    }
}

/// Pressure fields: what has one touches in patches instead of points.
#[derive(Clone, Debug, Default)]
pub struct Patches {
    /// By rod; those that are not there have none. Fields need not be placed.
    pub rods: Vec<Option<RodField>>,
    /// By tree and shape: a field, or the surface of a rigid shape. Shapes that are not there touch at points.
    pub shapes: Vec<((usize, usize), Arc<PatchBody>)>,
}

/// What a contact holds by friction from one step to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StickForce {
    /// Which edges or shapes it joins: an edge as rod · 2³² + edge, a shape as 2⁶³ + tree · 2³² + shape.
    pub between: [u64; 2],
    /// Where, m: along the edge, or in the frame of the first link.
    pub place: DVec3,
    /// Friction on the first side, N.
    pub force: DVec3,
    /// Of a patch on an edge: what of it acts at the second node, N.
    pub far_force: DVec3,
    /// Of a patch on a flat edge: what acts at one side of it less what acts at the other, N.
    pub side_force: DVec3,
    /// Of a patch of two edges: its moment about the first node of the first, N·m.
    pub moment: DVec3,
    /// Normal force in the step, N (of a patch the sum over its polygons), and, of a patch, the one that their pressure
    /// gave at its start.
    pub normal_forces: [f64; 2],
}

/// Who takes part in contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Party {
    /// A rod.
    Rod(usize),
    /// All links of a tree.
    Tree(usize),
    /// One link of a tree.
    Link {
        /// Index of the tree.
        tree: usize,
        /// Index of the link.
        link: usize,
    },
}

impl Party {
    /// Whether this is `rod`.
    pub fn is_rod(&self, rod: usize) -> bool {
        *self == Self::Rod(rod)
    }

    /// Whether `link` of `tree` belongs to this.
    pub fn has_link(&self, tree: usize, link: usize) -> bool {
        *self == Self::Tree(tree) || *self == Self::Link { tree, link }
    }
}
