//! Cross-sections and materials: from shapes and moduli to stiffness and inertia per length.
//!
//! | symbol | name | unit | meaning |
//! |---|---|---|---|
//! | EA | `stretch` | N | axial stiffness |
//! | EI₁, EI₂ | `bend` | N·m² | bending stiffness with κ₁, κ₂; I₁ = ∫ (p·m₁)² dA |
//! | GJ | `twist` | N·m² | torsional stiffness, J Saint-Venant's constant |
//! | ρA | `line_density` | kg/m | mass per length |
//! | ρI_p | `spin_inertia` | kg·m | polar moment of inertia per length |
//!
//! Saint-Venant's constant J equals the polar moment I₁ + I₂ only for circles and tubes; for a 20:1
//! strip it is about a hundred times smaller. The polar moment is used for inertia alone.
//! Source: Timoshenko and Goodier, Theory of Elasticity, §§ 104–109.

use crate::error::RodError;
use core::f64::consts::PI;

/// An isotropic material: linear elastic, up to its yield stress if it has one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Young's modulus E in Pa.
    pub youngs_modulus: f64,
    /// Shear modulus G in Pa.
    pub shear_modulus: f64,
    /// Density ρ in kg/m³.
    pub density: f64,
    /// Yield stress in Pa, for bending; `None` for an elastic material.
    pub yield_stress: Option<f64>,
    /// Slope of stress over strain beyond it in Pa; zero for perfect plasticity.
    pub hardening_modulus: f64,
}

impl Material {
    /// A material from Young's modulus (Pa), Poisson's ratio and density (kg/m³).
    pub fn from_poisson(youngs_modulus: f64, poisson_ratio: f64, density: f64) -> Self {
        Self::from_moduli(youngs_modulus, youngs_modulus / (2.0 * (1.0 + poisson_ratio)), density)
    }

    /// A material from Young's modulus (Pa), shear modulus (Pa) and density (kg/m³).
    pub const fn from_moduli(youngs_modulus: f64, shear_modulus: f64, density: f64) -> Self {
        Self { youngs_modulus, shear_modulus, density, yield_stress: None, hardening_modulus: 0.0 }
    }
}

/// The shape of a cross-section, in the plane of the material directors m₁ and m₂.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Section {
    /// A disc of this radius (m).
    Circle {
        /// Radius in m.
        radius: f64,
    },
    /// An ellipse.
    Ellipse {
        /// Semi-axis along m₁ in m.
        semi_axis_1: f64,
        /// Semi-axis along m₂ in m.
        semi_axis_2: f64,
    },
    /// A rectangle.
    Rectangle {
        /// Side along m₁ in m.
        width: f64,
        /// Side along m₂ in m.
        height: f64,
    },
    /// A round tube.
    Tube {
        /// Outer radius in m.
        outer_radius: f64,
        /// Inner radius in m.
        inner_radius: f64,
    },
    /// Given stiffness and inertia; `radius` is for contact and pictures.
    Stiffness {
        /// The values; the material is ignored.
        properties: SectionProperties,
        /// Radius of the round skin in m.
        radius: f64,
    },
}

/// Properties of a cross-section.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SectionProperties {
    /// EA in N.
    pub stretch: f64,
    /// EI₁ and EI₂ in N·m².
    pub bend: [f64; 2],
    /// GJ in N·m².
    pub twist: f64,
    /// ρA in kg/m.
    pub line_density: f64,
    /// ρI_p in kg·m.
    pub spin_inertia: f64,
}

impl Section {
    /// Stiffness and inertia of this section in `material`, or an error.
    pub fn properties(&self, material: &Material) -> Result<SectionProperties, RodError> {
        self.check_lengths()?;
        if let Section::Stiffness { properties, .. } = self {
            properties.check()?;
            return Ok(*properties);
        }
        for (name, value) in [
            ("youngs_modulus", material.youngs_modulus),
            ("shear_modulus", material.shear_modulus),
            ("density", material.density),
        ] {
            if !(value.is_finite() && value > 0.0) {
                return Err(RodError::Value { what: name, value, expected: "a positive number" });
            }
        }
        let (area, i1, i2, torsion) = self.moments();
        Ok(SectionProperties {
            stretch: material.youngs_modulus * area,
            bend: [material.youngs_modulus * i1, material.youngs_modulus * i2],
            twist: material.shear_modulus * torsion,
            line_density: material.density * area,
            spin_inertia: material.density * (i1 + i2),
        })
    }

    /// Area A (m²), I₁, I₂ and Saint-Venant's J (m⁴).
    fn moments(&self) -> (f64, f64, f64, f64) {
        match *self {
            Section::Circle { radius: r } => {
                let i = PI * r.powi(4) / 4.0;
                (PI * r * r, i, i, 2.0 * i)
            }
            Section::Ellipse { semi_axis_1: a, semi_axis_2: b } => (
                PI * a * b,
                PI * a.powi(3) * b / 4.0,
                PI * a * b.powi(3) / 4.0,
                PI * a.powi(3) * b.powi(3) / (a * a + b * b),
            ),
            Section::Rectangle { width: w, height: h } => {
                (w * h, h * w.powi(3) / 12.0, w * h.powi(3) / 12.0, rectangle_torsion_constant(w, h))
            }
            Section::Tube { outer_radius: ro, inner_radius: ri } => {
                let i = PI * (ro.powi(4) - ri.powi(4)) / 4.0;
                (PI * (ro * ro - ri * ri), i, i, 2.0 * i)
            }
            Section::Stiffness { .. } => (0.0, 0.0, 0.0, 0.0),
        }
    }

    fn check_lengths(&self) -> Result<(), RodError> {
        let lengths: &[(&'static str, f64)] = match self {
            Section::Circle { radius } => &[("radius", *radius)],
            Section::Ellipse { semi_axis_1, semi_axis_2 } => {
                &[("semi_axis_1", *semi_axis_1), ("semi_axis_2", *semi_axis_2)]
            }
            Section::Rectangle { width, height } => &[("width", *width), ("height", *height)],
            Section::Tube { outer_radius, inner_radius } => {
                if !(*inner_radius >= 0.0 && inner_radius < outer_radius) {
                    return Err(RodError::Value {
                        what: "inner_radius",
                        value: *inner_radius,
                        expected: "a number from 0 to less than outer_radius",
                    });
                }
                &[("outer_radius", *outer_radius)]
            }
            Section::Stiffness { radius, .. } => &[("radius", *radius)],
        };
        for &(what, value) in lengths {
            if !(value.is_finite() && value > 0.0) {
                return Err(RodError::Value { what, value, expected: "a positive length in m" });
            }
        }
        Ok(())
    }

    /// Half the extent of the section along m₁ and m₂, in m.
    pub fn half_extents(&self) -> [f64; 2] {
        match *self {
            Section::Circle { radius } | Section::Stiffness { radius, .. } => [radius; 2],
            Section::Ellipse { semi_axis_1, semi_axis_2 } => [semi_axis_1, semi_axis_2],
            Section::Rectangle { width, height } => [width / 2.0, height / 2.0],
            Section::Tube { outer_radius, .. } => [outer_radius; 2],
        }
    }
}

impl SectionProperties {
    fn check(&self) -> Result<(), RodError> {
        for (what, value) in [
            ("stretch stiffness EA", self.stretch),
            ("bending stiffness EI1", self.bend[0]),
            ("bending stiffness EI2", self.bend[1]),
            ("torsional stiffness GJ", self.twist),
            ("line density", self.line_density),
            ("spin inertia", self.spin_inertia),
        ] {
            if !(value.is_finite() && value > 0.0) {
                return Err(RodError::Value { what, value, expected: "a positive number" });
            }
        }
        Ok(())
    }
}

/// Saint-Venant's torsion constant of a rectangle with sides `w` and `h`, in m⁴:
/// a b³ (1/3 − (64/π⁵)(b/a) Σ_{n odd} tanh(nπa/2b)/n⁵) with a ≥ b the sides.
pub fn rectangle_torsion_constant(w: f64, h: f64) -> f64 {
    let (a, b) = if w >= h { (w, h) } else { (h, w) };
    let mut sum = 0.0;
    // The terms fall as n⁻⁵: the fiftieth odd one is below 1e-10 of the first, the rest is smaller
    // than that by another factor of ten and is added as an integral.
    for k in (0..50).rev() {
        let n = (2 * k + 1) as f64;
        sum += (n * PI * a / (2.0 * b)).tanh() / n.powi(5);
    }
    sum += 1.0 / (8.0 * 100f64.powi(4));
    a * b.powi(3) * (1.0 / 3.0 - 64.0 / PI.powi(5) * (b / a) * sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn torsion_constants_match_the_tables() {
        // Timoshenko and Goodier, § 109, table of k1 for 2a × 2b: J = k1 (2a)^3 (2b), b ≥ a.
        for (ratio, k1) in
            [(1.0, 0.1406), (1.5, 0.196), (2.0, 0.229), (3.0, 0.263), (5.0, 0.291), (10.0, 0.312)]
        {
            let j = rectangle_torsion_constant(ratio, 1.0);
            assert!((j / ratio - k1).abs() < 6e-4, "{ratio}: {}", j / ratio);
        }
        assert!((rectangle_torsion_constant(1e6, 1.0) / 1e6 - 1.0 / 3.0).abs() < 1e-6);
        // The square to twelve digits (series summed with 4000 terms in extended precision).
        assert!((rectangle_torsion_constant(1.0, 1.0) - 0.140_577_014_955).abs() < 1e-11);
        assert_eq!(rectangle_torsion_constant(2.0, 1.0), rectangle_torsion_constant(1.0, 2.0));
    }

    #[test]
    fn round_sections_agree_with_one_another() {
        let m = Material::from_poisson(2e9, 0.3, 1200.0);
        let disc = Section::Circle { radius: 2e-3 }.properties(&m).unwrap();
        let ellipse = Section::Ellipse { semi_axis_1: 2e-3, semi_axis_2: 2e-3 }.properties(&m).unwrap();
        let tube = Section::Tube { outer_radius: 2e-3, inner_radius: 0.0 }.properties(&m).unwrap();
        for other in [ellipse, tube] {
            assert!((disc.twist / other.twist - 1.0).abs() < 1e-14);
            assert!((disc.bend[0] / other.bend[0] - 1.0).abs() < 1e-14);
            assert!((disc.spin_inertia / other.spin_inertia - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn wrong_numbers_are_named() {
        let m = Material::from_poisson(2e9, 0.3, 1200.0);
        for section in [
            Section::Circle { radius: 0.0 },
            Section::Circle { radius: f64::NAN },
            Section::Tube { outer_radius: 1e-3, inner_radius: 1e-3 },
            Section::Rectangle { width: 1.0, height: -1.0 },
        ] {
            assert!(section.properties(&m).is_err());
        }
    }
}
