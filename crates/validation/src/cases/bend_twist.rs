//! A light curved rod hanging from a clamp leaves its plane.
//!
//! A rod of natural curvature κ₀ hangs from a clamp whose tangent points down. Heavy, it is a hook in one plane; below a
//! weight Γ = w L³/EI, which depends on κ₀ L and on C/B = 1/(1 + ν), it bends and twists out of it.
//! Reference: second variation of the planar elastica, ν = 0.5. Source of the case: Miller, Lazarus, Audoly, Reis, Shapes
//! of a suspended curly hair, Phys. Rev. Lett. 112, 068103, 2014.

use super::ValidationRow;
use super::specimen::{INEXTENSIBLE, clamped_line, section, specimen, threshold};
use glam::DVec3;
use ropewalk_rod::RestShape;
use ropewalk_sim::Hold;

/// κ₀ L and Γ.
const REFERENCES: [[f64; 2]; 5] = [
    [6.0, 37.763_908_971_056_29],
    [8.0, 119.902_771_591_877_8],
    [10.0, 238.935_594_872_258_04],
    [12.0, 413.199_462_907_536_4],
    [15.0, 807.039_465_061_875_4],
];
const SEGMENTS: u32 = 80;

pub(crate) fn run() -> Vec<ValidationRow> {
    let row = |[curvature, reference]: [f64; 2]| {
        // Stable above the threshold: bisect for it.
        let measured = -threshold(-1.5 * reference, -0.6 * reference, |w| planar_is_stable(curvature, -w));
        let error = (measured / reference - 1.0).abs();
        ValidationRow::new(format!("bend_twist/{curvature}"), reference, measured, error, 0.01)
    };
    REFERENCES.into_iter().map(row).collect()
}

fn planar_is_stable(curvature: f64, weight: f64) -> Option<bool> {
    let nodes = clamped_line(SEGMENTS, DVec3::NEG_Z);
    let rest = RestShape::Natural { curvature1: vec![curvature], curvature2: vec![0.0], twist: vec![0.0] };
    let section = section(INEXTENSIBLE, [1.0; 2], 2.0 / 3.0);
    let mut hook = specimen(nodes, false, section, rest, DVec3::X)?;
    hook.hold(Hold::Edge(0));
    hook.model.gravity = DVec3::new(0.0, 0.0, -weight);
    // All in the plane of x and z, exactly, so it stays there.
    hook.equilibrate()?;
    Some(hook.is_stable(0.0))
}
