//! Rods.

use crate::material::Material;
use crate::table::{IntoValue, keys, table, value_type};
use crate::{ContactKind, Curve, Section};
use glam::DVec3;
use toml::{Table, Value};

/// A rope, cable, lace or filament, to be added to a [`WorldBuilder`](crate::WorldBuilder).
///
/// ```
/// use ropewalk::prelude::*;
///
/// # fn main() -> Result<(), Error> {
/// let rope = Rod::new(Curve::line(DVec3::ZERO, DVec3::X))
///     .material(Material::new(1e7, 0.5, 1000.0))
///     .section(Section::circle(2e-3))
///     .segments(100);
/// let world = World::builder().rod("rope", rope).build()?;
/// assert_eq!(world.rod("rope")?.positions().len(), 101);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Rod(pub(crate) Table);

impl Rod {
    /// A rod along `curve`. It also needs a section with a material, or a preset.
    pub fn new(curve: Curve) -> Self {
        Self(table([("curve", curve.into_value())]))
    }
}

keys!(Rod {
    /// A material given outright; the builder adds it under the name of the rod.
    material: Material,
    /// The name of a material that was added to the builder.
    material_named = "material": &str,
    /// A real cable: `nylon_rope`, `shoelace`, `usb_cable`, `steel_wire`, `suture`, `climbing_rope`,
    /// `copper_wire`, or one of the measured `deform_dlo1` … `deform_dlo5`.
    preset: &str,
    /// Cross-section.
    section: Section,
    /// Number of edges.
    segments: u32,
    /// Whether the last node is joined to the first; true for a circle.
    closed: bool,
    /// The shape without elastic energy; straight by default.
    rest: Rest,
    /// Rest length of each edge divided by its length at the start.
    rest_length_factor: f64,
    /// Twist put in at the start in rad/m.
    twist: f64,
    /// Whole turns of twist put in at the start.
    turns: f64,
    /// Direction of m₁ at the first edge.
    director: DVec3,
    /// Velocity of all nodes at the start in m/s.
    velocity: DVec3,
    /// Mass-proportional damping in 1/s.
    mass_damping: f64,
    /// Stiffness-proportional damping in s.
    stiffness_damping: f64,
    /// Factor on EA.
    stretch_factor: f64,
    /// Factor on EI₁ and EI₂, as for strands that slide.
    bend_factor: f64,
    /// Factor on GJ.
    twist_factor: f64,
    /// Moment in N·m that bending does not exceed, for sections given by their stiffness.
    yield_moment: f64,
    /// Points of strain and tension in N, from [0, 0] on, rising, in place of EA.
    stretch_table: Vec<[f64; 2]>,
    /// Coefficient of friction of this side, in place of the material's.
    friction: f64,
    /// Stiffness of its surface in contact in N/m; as hard as the step allows by default.
    contact_stiffness: f64,
    /// How it touches, in place of the material's.
    contact: ContactKind,
    /// Pressure at the axis of its pressure field in Pa, in place of the material's.
    pressure_modulus: f64,
    /// Ends whose curve ends in the middle of an edge, where a clamp holds the tangent: `none`, `start`, `end` or `both`.
    clamped_half_edge: &str,
    /// Color in pictures: red, green, blue and opacity, each from 0 to 1.
    color: [f64; 4],
});

/// The shape in which a rod has no elastic energy.
///
/// ```
/// use ropewalk::prelude::*;
///
/// # fn main() -> Result<(), Error> {
/// // A straight wire that would rather be bent: EI κ²/2 over its length.
/// let wire = Rod::new(Curve::line(DVec3::ZERO, DVec3::X)).preset("steel_wire").segments(50);
/// let bent = World::builder().rod("wire", wire.clone().rest(Rest::natural(2.0, 0.0, 0.0))).build()?;
/// let straight = World::builder().rod("wire", wire.rest(Rest::straight())).build()?;
/// assert!(bent.energies().bend > 0.0 && straight.energies().bend == 0.0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Rest(Value);
value_type!(Rest);

impl Rest {
    /// Straight and untwisted.
    pub fn straight() -> Self {
        Self("straight".into_value())
    }

    /// As the curve gives it.
    pub fn as_given() -> Self {
        Self("as_given".into_value())
    }

    /// Even natural curvature towards m₁ and m₂ in 1/m and twist in rad/m.
    pub fn natural(curvature1: f64, curvature2: f64, twist: f64) -> Self {
        Self(Value::Table(table([
            ("curvature1", curvature1.into_value()),
            ("curvature2", curvature2.into_value()),
            ("twist", twist.into_value()),
        ])))
    }
}
