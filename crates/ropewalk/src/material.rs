//! Materials.

use crate::table::{IntoValue, keys, table};
use toml::Table;

/// An isotropic material, elastic up to its yield stress if it has one.
///
/// ```
/// use ropewalk::Material;
///
/// let rubber = Material::new(1e7, 0.5, 1000.0).friction(0.4);
/// let steel = Material::preset("steel");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Material(pub(crate) Table);

impl Material {
    /// From Young's modulus in Pa, Poisson's ratio, and density in kg/m³.
    pub fn new(youngs_modulus: f64, poisson_ratio: f64, density: f64) -> Self {
        Self(table([
            ("youngs_modulus", youngs_modulus.into_value()),
            ("poisson_ratio", poisson_ratio.into_value()),
            ("density", density.into_value()),
        ]))
    }

    /// A material that comes with the library: `steel`, `polypropylene`, `annealed_copper` or `mild_steel`.
    pub fn preset(name: &str) -> Self {
        Self(table([("preset", name.into_value())]))
    }
}

keys!(Material {
    /// Young's modulus in Pa.
    youngs_modulus: f64,
    /// Shear modulus in Pa, in place of Poisson's ratio.
    shear_modulus: f64,
    /// Density in kg/m³.
    density: f64,
    /// Yield stress in Pa: bending beyond it stays.
    yield_stress: f64,
    /// Slope of stress over strain beyond the yield stress in Pa.
    hardening_modulus: f64,
    /// Coefficient of friction of this side; a pair has twice the product over the sum.
    friction: f64,
    /// Pressure at the axis of the pressure field of its rods in Pa.
    pressure_modulus: f64,
    /// How rods of this material touch.
    contact: crate::ContactKind,
});
