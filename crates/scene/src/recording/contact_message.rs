//! Messages about contacts and patches. Comments here are the descriptions in the schemas of the file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The contacts that push at one time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContactsMessage {
    /// Time in s.
    pub time: f64,
    /// The contacts.
    pub contacts: Vec<ContactInfo>,
}

/// A contact: a point, or a polygon of a patch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContactInfo {
    /// The two sides.
    pub sides: [ContactSideInfo; 2],
    /// Half way between the surfaces, m.
    pub point: [f64; 3],
    /// Unit normal from the second side to the first.
    pub normal: [f64; 3],
    /// Distance of the surfaces in m, negative in overlap.
    pub gap: f64,
    /// Coefficient of friction of the pair.
    pub friction: f64,
    /// Force on the first side in N, normal and tangential together.
    pub force: [f64; 3],
    /// Velocity of the first side relative to the second in m/s.
    pub velocity: [f64; 3],
    /// Area of a polygon of a patch in m²; 0 for a point.
    #[serde(default)]
    pub area: f64,
}

/// One side of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContactSideInfo {
    /// A place on a rod.
    Rod {
        /// Index of the rod.
        rod: usize,
        /// Index of the edge.
        edge: usize,
        /// Place on the edge, 0…1.
        fraction: f64,
    },
    /// A shape of a link.
    Link {
        /// Index of the tree.
        tree: usize,
        /// Index of the link.
        link: usize,
        /// Index among the shapes of the link.
        shape: usize,
    },
}

/// The patches of pressure fields at one time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PatchesMessage {
    /// Time in s.
    pub time: f64,
    /// The patches.
    pub patches: Vec<PatchInfo>,
}

/// A patch: all polygons between a rod or shape and another, together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PatchInfo {
    /// The two sides.
    pub sides: [PatchSideInfo; 2],
    /// Area in m².
    pub area: f64,
    /// Force on the first side in N, normal and tangential together.
    pub force: [f64; 3],
    /// Normal force of all polygons, summed, in N.
    pub normal_force: f64,
    /// Mean of where the forces of the polygons act, weighted by their normal forces, m.
    #[serde(alias = "centre_of_pressure")]
    pub center_of_pressure: [f64; 3],
    /// Normal force per area in Pa.
    pub mean_pressure: f64,
    /// Greatest pressure of a polygon in Pa.
    pub peak_pressure: f64,
    /// The polygons.
    pub polygons: Vec<PolygonInfo>,
}

/// The patches of one time, summed up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PatchTotals {
    /// Patches.
    pub patch_count: usize,
    /// Polygons of all patches.
    pub polygon_count: usize,
    /// Area in m².
    pub area: f64,
    /// Normal force in N.
    pub normal_force: f64,
    /// Greatest pressure of a polygon in Pa.
    pub peak_pressure: f64,
}

/// One side of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PatchSideInfo {
    /// A rod.
    Rod {
        /// Index of the rod.
        rod: usize,
    },
    /// A shape of a link.
    Link {
        /// Index of the tree.
        tree: usize,
        /// Index of the link.
        link: usize,
        /// Index among the shapes of the link.
        shape: usize,
    },
}

/// A plane polygon of a patch, as it was at the start of the last sub-step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PolygonInfo {
    /// Edges of the rods of the two sides; null for a link.
    pub edges: [Option<usize>; 2],
    /// Corners in m, in order round the polygon.
    pub corners: Vec<[f64; 3]>,
    /// Unit normal from the second side to the first.
    pub normal: [f64; 3],
    /// Area that counts in m²: less than that of the corners where the polygon faces the wrong way and fades.
    pub area: f64,
    /// Normal force per area in Pa.
    pub pressure: f64,
    /// Force on the first side in N, normal and tangential together.
    pub force: [f64; 3],
}
