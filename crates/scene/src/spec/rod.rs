//! Materials, sections, curves and rods in a scene file.

use super::contact::{ContactKindSpec, CopiesSpec};
use schemars::JsonSchema;
use serde::Deserialize;

/// An isotropic material, elastic up to its yield stress if it has one: moduli and density, from a preset or given.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MaterialSpec {
    /// A preset that supplies the values not given here.
    pub(crate) preset: Option<MaterialPresetName>,
    /// Young's modulus in Pa.
    #[schemars(extend("exclusiveMinimum" = 0.0, "maximum" = 1e15))]
    pub(crate) youngs_modulus: Option<f64>,
    /// Poisson's ratio; either this or shear_modulus.
    #[schemars(extend("exclusiveMinimum" = -1.0, "maximum" = 0.5))]
    pub(crate) poisson_ratio: Option<f64>,
    /// Shear modulus in Pa; either this or poisson_ratio.
    #[schemars(extend("exclusiveMinimum" = 0.0, "maximum" = 1e15))]
    pub(crate) shear_modulus: Option<f64>,
    /// Density in kg/m³.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) density: Option<f64>,
    /// Yield stress in Pa, for plastic bending; elastic by default.
    #[schemars(extend("exclusiveMinimum" = 0.0, "maximum" = 1e15))]
    pub(crate) yield_stress: Option<f64>,
    /// Slope of stress over strain beyond the yield stress in Pa; 0 by default.
    #[schemars(range(min = 0.0, max = 1e15))]
    pub(crate) hardening_modulus: Option<f64>,
    /// Coefficient of friction of its surface; a pair has twice the product over the sum.
    #[schemars(range(min = 0.0))]
    pub(crate) friction: Option<f64>,
    /// Contact model of rods of this material: at points, or in patches of a pressure field.
    pub(crate) contact: Option<ContactKindSpec>,
    /// Pressure at the axis of its pressure field in Pa.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) pressure_modulus: Option<f64>,
}

/// Presets of homogeneous materials.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MaterialPresetName {
    /// Carbon steel, typical values: Young's modulus 200 GPa, Poisson's ratio 0.29, 7850 kg/m³.
    Steel,
    /// Polypropylene monofilament as in sutures: Young's modulus 4.03 GPa.
    Polypropylene,
    /// Annealed copper, typical values: Young's modulus 115 GPa, Poisson's ratio 0.34, 8900 kg/m³, yields at 55 MPa.
    AnnealedCopper,
    /// Structural steel, typical values: Young's modulus 200 GPa, Poisson's ratio 0.29, 7850 kg/m³, yields at 250 MPa.
    MildSteel,
}

/// Presets of whole cables: section, stiffness and mass.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CablePresetName {
    /// Low-stretch nylon (polyamide) kernmantle rope, 10 mm.
    NylonRope,
    /// Round polyester shoelace, 4 mm.
    Shoelace,
    /// USB 2.0 cable, 4 mm.
    UsbCable,
    /// Solid carbon-steel wire, 1 mm.
    SteelWire,
    /// Polypropylene monofilament suture, USP 3-0 (0.22 mm).
    Suture,
    /// Dynamic single rope for climbing, 9.8 mm, with a table of its stretch.
    ClimbingRope,
    /// Solid annealed copper conductor of 1.5 mm², which stays bent.
    CopperWire,
    /// A light, springy cable, 30 g/m: DLO1 of the DEFORM measurements.
    DeformDlo1,
    /// A stiff cable, 65 g/m: DLO2.
    DeformDlo2,
    /// A stiff, heavy cable, 97 g/m: DLO3.
    DeformDlo3,
    /// A thin, limp cable, 23 g/m: DLO4.
    DeformDlo4,
    /// A thin, limp cable, 19 g/m: DLO5.
    DeformDlo5,
}

/// The shape of a cross-section. Width and semi-axis 1 lie along the director m1.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum SectionSpec {
    /// A disc.
    Circle(CircleSectionSpec),
    /// An ellipse.
    Ellipse(EllipseSpec),
    /// A rectangle.
    Rectangle(RectangleSpec),
    /// A round tube.
    Tube(TubeSpec),
    /// Given stiffness and inertia; the material is ignored.
    Stiffness(StiffnessSpec),
}

/// A disc.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CircleSectionSpec {
    /// Radius in m.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) radius: f64,
}

/// An ellipse.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EllipseSpec {
    /// Semi-axis along m1 in m.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) semi_axis_1: f64,
    /// Semi-axis along m2 in m.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) semi_axis_2: f64,
}

/// A rectangle.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RectangleSpec {
    /// Side along m1 in m.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) width: f64,
    /// Side along m2 in m.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) height: f64,
}

/// A round tube.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TubeSpec {
    /// Outer radius in m.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) outer_radius: f64,
    /// Inner radius in m.
    #[schemars(range(min = 0.0))]
    pub(crate) inner_radius: f64,
}

/// Stiffness and inertia.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StiffnessSpec {
    /// EA in N.
    #[schemars(extend("exclusiveMinimum" = 0.0, "maximum" = 1e15))]
    pub(crate) stretch: f64,
    /// EI1 and EI2 in N·m²: bending towards m1 and towards m2.
    #[schemars(extend("items" = { "type": "number", "exclusiveMinimum": 0.0, "maximum": 1e15 }))]
    pub(crate) bend: [f64; 2],
    /// GJ in N·m².
    #[schemars(extend("exclusiveMinimum" = 0.0, "maximum" = 1e15))]
    pub(crate) twist: f64,
    /// Mass per length in kg/m.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) line_density: f64,
    /// Polar moment of inertia per length in kg·m; by default that of a uniform disc of the radius.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) spin_inertia: Option<f64>,
    /// Radius of the skin in m.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) radius: f64,
}

/// A part of a rod with its own section or material.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PieceSpec {
    /// Where it starts, as a fraction of the rod's length.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub(crate) from: f64,
    /// Where it ends, as a fraction of the rod's length.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub(crate) to: f64,
    /// Section there; the rod's own if absent.
    pub(crate) section: Option<SectionSpec>,
    /// Material there; the rod's own if absent.
    pub(crate) material: Option<String>,
}

/// The initial centerline.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum CurveSpec {
    /// A straight line.
    Line(LineSpec),
    /// An arc of a circle.
    Arc(ArcSpec),
    /// A full circle; the rod is closed.
    Circle(CircleSpec),
    /// Two half circles and two straight lines between them, as of a belt on two pulleys; the rod is closed.
    Stadium(StadiumSpec),
    /// A helix.
    Helix(HelixSpec),
    /// A smooth curve (twice continuously differentiable) through points.
    Spline(SplineSpec),
    /// A loose overhand knot.
    Overhand(OverhandSpec),
    /// Nodes from a file with three columns by comma or space; lines that start with # are skipped. The path is
    /// relative to the scene file. With `segments`, a smooth curve is interpolated through them.
    Points(String),
    /// Nodes. With `segments`, a smooth curve is interpolated through them.
    Nodes(Vec<[f64; 3]>),
}

/// A straight line.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LineSpec {
    /// Start in m.
    pub(crate) from: [f64; 3],
    /// End in m.
    pub(crate) to: [f64; 3],
}

/// An arc of a circle.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArcSpec {
    /// Start in m.
    pub(crate) start: [f64; 3],
    /// Direction at the start.
    pub(crate) tangent: [f64; 3],
    /// Direction from the start to the center; made perpendicular to the tangent.
    pub(crate) toward: [f64; 3],
    /// Radius in m.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) radius: f64,
    /// Angle of the arc in rad.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) angle: f64,
    /// Lengths of straight parts before its start and after its end, in m.
    #[serde(default)]
    #[schemars(inner(range(min = 0.0)))]
    pub(crate) tails: [f64; 2],
}

/// A full circle.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CircleSpec {
    /// Center in m.
    #[serde(default)]
    pub(crate) center: [f64; 3],
    /// Normal of its plane; the circle runs counter-clockwise about it.
    #[serde(default = "default_axis")]
    pub(crate) normal: [f64; 3],
    /// Radius in m.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) radius: f64,
}

/// Two half circles and two straight lines between them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StadiumSpec {
    /// Centers of the two half circles in m.
    pub(crate) centers: [[f64; 3]; 2],
    /// Normal of its plane; the curve runs counter-clockwise about it.
    #[serde(default = "default_axis")]
    pub(crate) normal: [f64; 3],
    /// Radius of the half circles in m.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) radius: f64,
}

/// A helix.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HelixSpec {
    /// Point on the axis at the height of the start, in m.
    #[serde(default)]
    pub(crate) base: [f64; 3],
    /// Direction in which the helix advances.
    #[serde(default = "default_axis")]
    pub(crate) axis: [f64; 3],
    /// Direction from the axis to the start; made perpendicular to the axis.
    #[serde(default = "default_start")]
    pub(crate) start: [f64; 3],
    /// Radius in m.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) radius: f64,
    /// Advance along the axis in each turn, in m.
    #[schemars(range(min = 0.0))]
    pub(crate) pitch: f64,
    /// Turns.
    #[schemars(extend("exclusiveMinimum" = 0.0, "maximum" = 1e6))]
    pub(crate) turns: f64,
    /// Whether it is left-handed.
    #[serde(default)]
    pub(crate) left_handed: bool,
}

fn default_axis() -> [f64; 3] {
    [0.0, 0.0, 1.0]
}
fn default_start() -> [f64; 3] {
    [1.0, 0.0, 0.0]
}

/// A smooth curve through points.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SplineSpec {
    /// Points in m.
    #[schemars(length(min = 2))]
    pub(crate) points: Vec<[f64; 3]>,
}

/// A loose overhand knot of order n: a loop whose two strands wind around one another with 2n + 1 crossings. The ends
/// lie along x, the loop towards +z.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OverhandSpec {
    /// Order n (the unknotting number).
    #[schemars(range(min = 1, max = 50))]
    pub(crate) order: u32,
    /// Length of the rope in m.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) length: f64,
    /// Distance of the two strands where they cross, in m; a little more than the diameter.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) gap: f64,
    /// Distance between the ends in m; 0.3 of the length by default.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) end_distance: Option<f64>,
    /// Position of the middle of the braid, in m.
    #[serde(default)]
    pub(crate) center: [f64; 3],
    /// The mirror image: a left-handed knot.
    #[serde(default)]
    pub(crate) left_handed: bool,
}

/// The shape in which a rod has no elastic energy.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum RestSpec {
    /// By name.
    Named(RestName),
    /// Natural curvature and twist.
    Natural(NaturalSpec),
}

/// Natural shapes by name.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RestName {
    /// Straight and untwisted.
    Straight,
    /// The initial shape.
    AsGiven,
}

/// Natural curvature in 1/m and twist in rad/m, one number for the whole rod or one for each inner node
/// (each node of a closed rod).
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct NaturalSpec {
    /// Curvature towards m1 in 1/m.
    pub(crate) curvature1: Option<Numbers>,
    /// Curvature towards m2 in 1/m.
    pub(crate) curvature2: Option<Numbers>,
    /// Twist in rad/m.
    pub(crate) twist: Option<Numbers>,
}

/// A number for all, or an array.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Numbers {
    /// A uniform value.
    One(f64),
    /// One value for each node.
    Many(Vec<f64>),
}

/// Which ends have their curve's end point in the middle of an edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum HalfEdgeSpec {
    /// Neither.
    #[default]
    None,
    /// The start.
    Start,
    /// The end.
    End,
    /// Both.
    Both,
}

/// A rod.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RodSpec {
    /// A preset cable: section, stiffness and mass, where not given here.
    pub(crate) preset: Option<CablePresetName>,
    /// Name of the material.
    pub(crate) material: Option<String>,
    /// Cross-section.
    pub(crate) section: Option<SectionSpec>,
    /// Parts with another section or material; later ones win.
    #[serde(default)]
    pub(crate) pieces: Vec<PieceSpec>,
    /// The initial centerline.
    pub(crate) curve: CurveSpec,
    /// Number of segments (edges).
    #[schemars(range(min = 1, max = 1000000))]
    pub(crate) segments: Option<u32>,
    /// Whether the last node is joined to the first. True for a circle, else false.
    pub(crate) closed: Option<bool>,
    /// The shape in which the rod has no elastic energy; straight by default.
    pub(crate) rest: Option<RestSpec>,
    /// Rest length of each edge divided by its length at the start.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) rest_length_factor: f64,
    /// Initial twist in rad/m; either this or turns.
    pub(crate) twist: Option<f64>,
    /// Initial twist in whole turns over the length; either this or twist.
    #[schemars(range(min = -100000, max = 100000))]
    pub(crate) turns: Option<f64>,
    /// Direction of m1 at the first edge; made perpendicular to it. Any perpendicular by default.
    pub(crate) director: Option<[f64; 3]>,
    /// Initial velocity of all nodes in m/s; zero by default.
    pub(crate) velocity: Option<[f64; 3]>,
    /// Mass-proportional (Rayleigh) damping in 1/s.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub(crate) mass_damping: f64,
    /// Stiffness-proportional (Rayleigh) damping in s.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub(crate) stiffness_damping: f64,
    /// Factor on EA.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) stretch_factor: f64,
    /// Factor on EI1 and EI2, for cables whose strands slide.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) bend_factor: f64,
    /// Factor on GJ.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) twist_factor: f64,
    /// Factor on the mass per length.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) density_factor: f64,
    /// Plateau of the bending moment in N·m, for sections given by their stiffness; for curvature 1. Those of
    /// curvatures 1 and 2 are in the ratio of the square roots of EI1 and EI2.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) yield_moment: Option<f64>,
    /// Points of strain and tension in N, increasing from [0, 0], instead of EA.
    pub(crate) stretch_table: Option<Vec<[f64; 2]>>,
    /// Ends at which the end point of the curve is in the middle of the end edge, where a clamp fixes the tangent.
    #[serde(default)]
    pub(crate) clamped_half_edge: HalfEdgeSpec,
    /// Coefficient of friction of its surface, instead of the material's; 0.5 if neither is given.
    #[schemars(range(min = 0.0))]
    pub(crate) friction: Option<f64>,
    /// Stiffness of its surface in contact in N/m; as hard as the step allows by default.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) contact_stiffness: Option<f64>,
    /// Hunt and Crossley's dissipation in contact in s/m, for the laws lagged and similar.
    #[schemars(range(min = 0.0))]
    pub(crate) contact_dissipation: Option<f64>,
    /// Contact model: at points, or in patches of a pressure field; instead of the material's.
    pub(crate) contact: Option<ContactKindSpec>,
    /// Pressure at the axis of its pressure field in Pa, instead of the material's.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) pressure_modulus: Option<f64>,
    /// Size of the facets of its section in m: the side of the polygon for a circle (eight by default), the pieces of
    /// the longer side of a rectangle (one by default).
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) patch_resolution: Option<f64>,
    /// Color in pictures: red, green, blue and opacity, each from 0 to 1 (sRGB); one of a palette by default.
    #[schemars(extend("items" = { "type": "number", "minimum": 0.0, "maximum": 1.0 }))]
    pub(crate) color: Option<[f64; 4]>,
    /// Further rods like this one, called NAME_1, NAME_2 and so on.
    pub(crate) copies: Option<CopiesSpec>,
}

fn one() -> f64 {
    1.0
}
