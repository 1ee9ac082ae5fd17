//! A column, clamped at its foot, under a dead load along its axis beyond the critical one.
//!
//! The row shows the load P/P_cr, P_cr = π² EI/4L², at which the tip has turned by the given angle. Reference:
//! P L²/EI = K(sin(α/2))², K the complete elliptic integral. Source: Timoshenko and Gere, Theory of Elastic Stability,
//! table 2-1, to more digits.

use super::ValidationRow;
use super::specimen::{INEXTENSIBLE, clamped_line, section, specimen};
use core::f64::consts::PI;
use glam::DVec3;
use ropewalk_rod::RestShape;
use ropewalk_sim::Hold;

/// Tip angle in degrees and P/P_cr.
const REFERENCES: [[f64; 2]; 5] = [
    [20.0, 1.015_396_865_539_681_4],
    [60.0, 1.151_719_620_469_138_7],
    [100.0, 1.518_388_793_292_393_4],
    [120.0, 1.884_800_868_978_091_3],
    [140.0, 2.542_258_369_559_262],
];
const SEGMENTS: u32 = 80;

pub(crate) fn run() -> Vec<ValidationRow> {
    let row = |[angle, reference]: [f64; 2]| {
        let measured = load_at(angle.to_radians()).unwrap_or(f64::NAN);
        let error = (measured / reference - 1.0).abs();
        ValidationRow::new(format!("euler_postbuckling/{angle}"), reference, measured, error, 0.01)
    };
    REFERENCES.into_iter().map(row).collect()
}

/// P/P_cr at which the tip turns by `angle`, by bisection; the angle grows with the load.
fn load_at(angle: f64) -> Option<f64> {
    let critical = PI * PI / 4.0;
    let last = SEGMENTS as usize;
    let section = section(INEXTENSIBLE, [1.0; 2], 1.0);
    let mut column =
        specimen(clamped_line(SEGMENTS, DVec3::Z), false, section, RestShape::Straight, DVec3::X)?;
    column.hold(Hold::Edge(0));
    // Started off the unstable axis: bent by a transverse load, then released.
    column.load(last, DVec3::new(2.0, 0.0, -3.0 * critical)).equilibrate()?;
    let mut tip_angle = |load: f64| {
        column.load(last, DVec3::new(0.0, 0.0, -load * critical)).equilibrate()?;
        Some(column.shape().tangent(column.rod(), last - 1).z.clamp(-1.0, 1.0).acos())
    };
    let (mut high, mut low) = (3.0, 1.002);
    tip_angle(high)?;
    for _ in 0..30 {
        let middle = 0.5 * (low + high);
        if tip_angle(middle)? > angle { high = middle } else { low = middle }
    }
    Some(0.5 * (low + high))
}
