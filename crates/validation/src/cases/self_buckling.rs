//! Self-buckling of a column: Greenhill's problem.
//!
//! A column clamped at its foot buckles under its own weight at w L³/EI = 7.8373474 (from the first zero of the Bessel
//! function J₋₁/₃: 9/4 · 1.8663509²). Found as the weight at which the straight shape stops being a minimum of the
//! energy. Source: Greenhill, Proc. Camb. Phil. Soc. 4, 1881.

use super::ValidationRow;
use super::specimen::{INEXTENSIBLE, clamped_line, section, specimen, threshold};
use glam::DVec3;
use ropewalk_rod::RestShape;
use ropewalk_sim::Hold;

const REFERENCE: f64 = 7.837_347_438_943_484;
const SEGMENTS: u32 = 40;

pub(crate) fn run() -> Vec<ValidationRow> {
    let measured = critical(SEGMENTS);
    let error = (measured / REFERENCE - 1.0).abs();
    let finer = (critical(2 * SEGMENTS) / REFERENCE - 1.0).abs();
    let row = ValidationRow::new("greenhill", REFERENCE, measured, error, 0.01);
    vec![row.with_order((error / finer).log2(), 2.0, 0.2)]
}

fn critical(segments: u32) -> f64 {
    threshold(5.0, 12.0, |weight| {
        let section = section(INEXTENSIBLE, [1.0; 2], 1.0);
        let mut column =
            specimen(clamped_line(segments, DVec3::Z), false, section, RestShape::Straight, DVec3::X)?;
        column.hold(Hold::Edge(0));
        column.model.gravity = DVec3::new(0.0, 0.0, -weight);
        // Exactly upright, the column stays so: compressed, whether that is stable or not.
        column.equilibrate()?;
        Some(column.is_stable(0.0))
    })
}
