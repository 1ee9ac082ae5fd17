//! First bending frequency of a steel strip, clamped at one end, horizontal, upright and hanging.
//!
//! 520 × 80 × 1 mm. Mean of the published ranges of E (190–205 GPa) and ρ (7870–8070 kg/m³). The mode is that of
//! small vibrations about the equilibrium under gravity, in the plane in which the strip is thin.

use crate::statics::{Grip, Properties, StaticRod};
use core::f64::consts::TAU;
use glam::DVec3;

const LENGTH: f64 = 0.52;
const WIDTH: f64 = 0.08;
const THICKNESS: f64 = 1e-3;
const YOUNGS_MODULUS: f64 = 197.5e9;
const DENSITY: f64 = 7970.0;
const EDGES: usize = 60;

/// Measured frequencies in Hz: least and greatest, for each direction in which the strip points from its clamp.
pub const MEASURED: [(&str, DVec3, [f64; 2]); 3] = [
    ("horizontal", DVec3::X, [2.955, 2.955]),
    ("tip up", DVec3::Z, [2.77, 2.80]),
    ("tip down", DVec3::NEG_Z, [3.04, 3.05]),
];

/// First bending frequency of the strip that points along `direction`, Hz.
pub fn frequency(direction: DVec3) -> Option<f64> {
    let area = WIDTH * THICKNESS;
    let properties = Properties {
        bend: [
            YOUNGS_MODULUS * WIDTH * THICKNESS.powi(3) / 12.0,
            YOUNGS_MODULUS * THICKNESS * WIDTH.powi(3) / 12.0,
        ],
        twist: YOUNGS_MODULUS / 2.6 * WIDTH * THICKNESS.powi(3) / 3.0,
        stretch: YOUNGS_MODULUS * area,
        line_density: DENSITY * area,
    };
    // Clamped in the middle of its first edge; the tip is the last node.
    let h = LENGTH / (EDGES as f64 - 0.5);
    let nodes = (0..=EDGES).map(|i| direction * (h * (i as f64 - 0.5))).collect();
    // Thin toward m₁: up for a strip that lies, sideways for one that stands or hangs.
    let director = if direction.z == 0.0 { DVec3::Z } else { DVec3::X };
    let gravity = DVec3::NEG_Z * 9.81;
    let mut rod = StaticRod::new(nodes, properties, director, gravity, None).ok()?;
    let grips = [Grip { edge: 0, middle: DVec3::ZERO, tangent: direction, director }];
    rod.settle(&grips).then_some(())?;
    let mode = rod.lowest_mode(&grips)?;
    (mode.omega_squared > 0.0).then(|| mode.omega_squared.sqrt() / TAU)
}
