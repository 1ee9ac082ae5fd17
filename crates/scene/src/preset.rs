//! Presets of real materials and cables, each number with its source.
//!
//! A value is *fitted* (by `ropewalk fit` to measured motions, with the command in the file named), *cited* (from the
//! source named), *typical* (inside the range that handbooks and catalogues give) or *assumed* (no measurement was
//! found; an order of magnitude to start from, to be replaced by a measurement of the cable at hand). A cable of many
//! strands bends far more easily than a solid rod of its section, because its strands slide: EI is given there, not
//! computed from EA.

use crate::spec::{CablePresetName, MaterialPresetName};
use core::f64::consts::PI;
use ropewalk_rod::{Material, Section, SectionProperties};

/// A preset: description, sources, and numbers.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Name in scene files.
    pub name: &'static str,
    /// What it is.
    pub description: &'static str,
    /// Source of each number.
    pub source: &'static str,
    /// Section; with given stiffness for stranded cables.
    pub section: Section,
    /// Material; not read where the section gives the stiffness.
    pub material: Material,
    /// Strain and tension in N, where stretch is not linear.
    pub stretch_table: Option<&'static [[f64; 2]]>,
}

/// Carbon steel. Typical: Gere and Goodno, Mechanics of Materials, tables of material properties (steel:
/// E 190–210 GPa, ν 0.27–0.30, 7850 kg/m³).
const STEEL: (f64, f64, f64) = (200e9, 0.29, 7850.0);
/// Polypropylene monofilament. E cited: Nindhia et al. 2021, doi 10.22159/ijap.2021.v13s1.Y1025 (mean of
/// five blue polypropylene sutures, 4026 MPa); ν and density typical of polypropylene.
const POLYPROPYLENE: (f64, f64, f64) = (4.03e9, 0.42, 900.0);

/// Annealed copper. Typical: Gere and Goodno, Mechanics of Materials, tables of material properties (copper and its alloys:
/// E 110–120 GPa, ν 0.33–0.36, 8900 kg/m³, yield stress 55–330 MPa, the lower end annealed).
const ANNEALED_COPPER: (f64, f64, f64) = (115e9, 0.34, 8900.0);
const ANNEALED_COPPER_YIELD: f64 = 55e6;
/// Structural steel. Typical: the same tables (steel as above, structural steel from 200 MPa on; ASTM A36 asks for 250 MPa).
const MILD_STEEL_YIELD: f64 = 250e6;

/// A dynamic single rope: 8 % at 80 kg, 34 % at an impact force of 8.8 kN.
const CLIMBING_ROPE_STRETCH: &[[f64; 2]] = &[[0.0, 0.0], [0.08, 785.0], [0.34, 8800.0]];

/// All presets of cables.
pub fn presets() -> [Preset; 12] {
    use CablePresetName::{
        ClimbingRope, CopperWire, DeformDlo1, DeformDlo2, DeformDlo3, DeformDlo4, DeformDlo5, NylonRope,
        Shoelace, SteelWire, Suture, UsbCable,
    };
    [
        NylonRope,
        Shoelace,
        UsbCable,
        SteelWire,
        Suture,
        ClimbingRope,
        CopperWire,
        DeformDlo1,
        DeformDlo2,
        DeformDlo3,
        DeformDlo4,
        DeformDlo5,
    ]
    .map(cable)
}

pub(crate) fn material(name: MaterialPresetName) -> Material {
    let ((e, nu, rho), yield_stress) = match name {
        MaterialPresetName::Steel => (STEEL, None),
        MaterialPresetName::Polypropylene => (POLYPROPYLENE, None),
        MaterialPresetName::AnnealedCopper => (ANNEALED_COPPER, Some(ANNEALED_COPPER_YIELD)),
        MaterialPresetName::MildSteel => (STEEL, Some(MILD_STEEL_YIELD)),
    };
    Material { yield_stress, ..Material::from_poisson(e, nu, rho) }
}

pub(crate) fn cable(name: CablePresetName) -> Preset {
    use CablePresetName as Name;
    match name {
        Name::NylonRope => nylon_rope(),
        Name::Shoelace => shoelace(),
        Name::UsbCable => usb_cable(),
        Name::SteelWire => steel_wire(),
        Name::Suture => suture(),
        Name::ClimbingRope => climbing_rope(),
        Name::CopperWire => copper_wire(),
        Name::DeformDlo1 => deform_dlo1(),
        Name::DeformDlo2 => deform_dlo2(),
        Name::DeformDlo3 => deform_dlo3(),
        Name::DeformDlo4 => deform_dlo4(),
        Name::DeformDlo5 => deform_dlo5(),
    }
}

fn nylon_rope() -> Preset {
    stranded(
        "nylon_rope",
        "low-stretch nylon kernmantle rope, 10 mm",
        "EA cited: 19.6 kN, the softest that EN 1891 type A allows (5 % between loads of 50 kg and \
         150 kg). Mass 65 g/m typical of catalogues. EI and GJ assumed: 1/50 of a solid rod's EA r²/4, \
         for strands that slide",
        5e-3,
        19.6e3,
        1.0 / 50.0,
        0.065,
    )
}

fn shoelace() -> Preset {
    stranded(
        "shoelace",
        "round braided polyester shoelace, 4 mm",
        "all assumed: 8 g/m; EA 2 kN; EI and GJ 1/200 of a solid rod's EA r²/4, or 1e-5 N·m²",
        2e-3,
        2.0e3,
        1.0 / 200.0,
        0.008,
    )
}

fn usb_cable() -> Preset {
    stranded(
        "usb_cable",
        "USB 2.0 cable, 4 mm, four conductors, braid and PVC jacket",
        "all assumed: 25 g/m; EA 20 kN; EI and GJ 1/50 of a solid rod's EA r²/4, or 4e-4 N·m²",
        2e-3,
        20e3,
        1.0 / 50.0,
        0.025,
    )
}

fn steel_wire() -> Preset {
    Preset {
        name: "steel_wire",
        description: "solid carbon-steel wire, 1 mm",
        source: "typical: Gere and Goodno, Mechanics of Materials, tables of material properties (steel: \
                 E 190–210 GPa, Poisson's ratio 0.27–0.30, 7850 kg/m³)",
        section: Section::Circle { radius: 0.5e-3 },
        material: material(MaterialPresetName::Steel),
        stretch_table: None,
    }
}

fn suture() -> Preset {
    Preset {
        name: "suture",
        description: "polypropylene monofilament suture, USP 3-0, 0.22 mm",
        source: "E cited: Nindhia et al. 2021, doi 10.22159/ijap.2021.v13s1.Y1025 (polypropylene sutures, \
                 mean 4026 MPa). Diameter typical of USP 3-0 (0.20–0.25 mm); Poisson's ratio and \
                 density typical of polypropylene",
        section: Section::Circle { radius: 0.11e-3 },
        material: material(MaterialPresetName::Polypropylene),
        stretch_table: None,
    }
}

fn climbing_rope() -> Preset {
    Preset {
        stretch_table: Some(CLIMBING_ROPE_STRETCH),
        ..stranded(
            "climbing_rope",
            "dynamic single rope for climbing, 9.8 mm",
            "stretch typical of catalogues: 8 % at 80 kg and 34 % at an impact force of 8.8 kN (EN 892 allows at most \
             10 %, 40 % and 12 kN); the line between the two points and beyond assumed. Mass 62 g/m typical of \
             catalogues. EI and GJ assumed: 1/50 of a solid rod's EA r²/4",
            4.9e-3,
            785.0 / 0.08,
            1.0 / 50.0,
            0.062,
        )
    }
}

fn copper_wire() -> Preset {
    Preset {
        name: "copper_wire",
        description: "solid annealed copper conductor, 1.5 mm² (1.38 mm)",
        source: "typical: Gere and Goodno, Mechanics of Materials, tables of material properties (copper: E 110–120 \
                 GPa, Poisson's ratio 0.33–0.36, 8900 kg/m³, yield stress from 55 MPa, annealed); diameter of a \
                 round conductor of 1.5 mm²",
        section: Section::Circle { radius: 0.69e-3 },
        material: material(MaterialPresetName::AnnealedCopper),
        stretch_table: None,
    }
}

fn deform_dlo1() -> Preset {
    fitted(
        "deform_dlo1",
        "light, springy cable, 30 g/m (DLO1 of DEFORM)",
        "EI and GJ fitted to measured motions (DEFORM, CoRL 2024; examples/cables/dlo1.toml). 34.5 g over 1.152 m, \
         cited. EA 1 kN and radius 2.5 mm assumed",
        [8.58e-4, 1.68e-3],
        0.0345 / 1.152,
    )
}

fn deform_dlo2() -> Preset {
    fitted(
        "deform_dlo2",
        "stiff cable, 65 g/m (DLO2 of DEFORM)",
        "EI and GJ fitted to measured motions (DEFORM, CoRL 2024; examples/cables/dlo2.toml). 65.2 g over 0.996 m, \
         cited. EA 1 kN and radius 2.5 mm assumed",
        [5.30e-3, 3.09e-3],
        0.0652 / 0.996,
    )
}

fn deform_dlo3() -> Preset {
    fitted(
        "deform_dlo3",
        "stiff, heavy cable, 97 g/m (DLO3 of DEFORM)",
        "EI and GJ fitted to measured motions (DEFORM, CoRL 2024; examples/cables/dlo3.toml). 96.8 g over 0.998 m, \
         cited. EA 1 kN and radius 2.5 mm assumed",
        [8.82e-3, 9.90e-3],
        0.0968 / 0.998,
    )
}

fn deform_dlo4() -> Preset {
    fitted(
        "deform_dlo4",
        "thin, limp cable, 23 g/m (DLO4 of DEFORM)",
        "EI fitted to measured motions (DEFORM, CoRL 2024; examples/cables/dlo4.toml). 22.0 g over 0.973 m, cited. \
         GJ = EI, EA 1 kN and radius 2.5 mm assumed",
        [1.146e-4, 1.146e-4],
        0.022 / 0.973,
    )
}

fn deform_dlo5() -> Preset {
    fitted(
        "deform_dlo5",
        "thin, limp cable, 19 g/m (DLO5 of DEFORM)",
        "EI fitted to measured motions (DEFORM, CoRL 2024; examples/cables/dlo5.toml). 19.2 g over 0.988 m, cited. \
         GJ = EI, EA 1 kN and radius 2.5 mm assumed",
        [9.90e-5, 9.90e-5],
        0.0192 / 0.988,
    )
}

/// A cable of which EI and GJ were fitted to measured motions; EA and radius are not observable there.
fn fitted(
    name: &'static str,
    description: &'static str,
    source: &'static str,
    [bend, twist]: [f64; 2],
    line_density: f64,
) -> Preset {
    let (stretch, radius) = (1e3, 2.5e-3);
    let preset = stranded(name, description, source, radius, stretch, 1.0, line_density);
    let properties = SectionProperties {
        stretch,
        bend: [bend; 2],
        twist,
        line_density,
        spin_inertia: 0.5 * line_density * radius * radius,
    };
    Preset { section: Section::Stiffness { properties, radius }, ..preset }
}

/// A cable of strands that slide: EI = `bend_factor` · EA r²/4, GJ = EI (a round rod's GJ is EI/(1 + ν)).
fn stranded(
    name: &'static str,
    description: &'static str,
    source: &'static str,
    radius: f64,
    stretch: f64,
    bend_factor: f64,
    line_density: f64,
) -> Preset {
    let bend = bend_factor * stretch * radius * radius / 4.0;
    let properties = SectionProperties {
        stretch,
        bend: [bend; 2],
        twist: bend,
        line_density,
        spin_inertia: 0.5 * line_density * radius * radius,
    };
    // The material of a solid rod of this EA and mass, for use with another section.
    let area = PI * radius * radius;
    let material = Material::from_poisson(stretch / area, 0.4, line_density / area);
    let section = Section::Stiffness { properties, radius };
    Preset { name, description, source, section, material, stretch_table: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_a_rod_and_names_its_source() {
        for preset in presets() {
            let p = preset.section.properties(&preset.material).unwrap();
            assert!(p.stretch > 0.0 && !preset.source.is_empty());
            assert!(
                ["fitted", "cited", "typical", "assumed"].iter().any(|word| preset.source.contains(word))
            );
        }
    }

    #[test]
    fn names_are_those_of_the_file_format() {
        for preset in presets() {
            let schema = crate::schema().to_string();
            assert!(schema.contains(&format!("\"{}\"", preset.name)), "{}", preset.name);
        }
    }
}
