//! A weightless cantilever with a transverse dead load at its tip.
//!
//! The elastica EI θ″ = P cos θ has one parameter, α = P L²/EI. The row shows the drop of the tip; the error is the
//! distance of the tip from its reference position in units of L = 1. Source: Bisshopp and Drucker, Large deflection
//! of cantilever beams, Quart. Appl. Math. 3, 1945.

use super::ValidationRow;
use super::specimen::{INEXTENSIBLE, clamped_line, section, specimen};
use glam::DVec3;
use ropewalk_rod::RestShape;
use ropewalk_sim::Hold;

/// α, reach/L, drop/L.
const REFERENCES: [[f64; 3]; 5] = [
    [0.5, 0.984_081_037_529_161_9, 0.162_143_575_658_370_12],
    [1.0, 0.943_566_763_716_623_5, 0.301_720_773_799_813_1],
    [2.0, 0.839_358_279_174_833, 0.493_457_480_396_711_8],
    [5.0, 0.612_371_639_275_570_1, 0.713_791_523_611_912_8],
    [10.0, 0.445_004_402_246_248_7, 0.810_609_024_880_296_5],
];
const SEGMENTS: u32 = 40;
const TOLERANCE: f64 = 1.1e-3;

pub(crate) fn run() -> Vec<ValidationRow> {
    let row = |[alpha, reach, drop]: [f64; 3]| {
        let place = DVec3::new(reach, 0.0, -drop);
        let found = tip(alpha, SEGMENTS);
        let error = found.distance(place);
        let order = (error / tip(alpha, 2 * SEGMENTS).distance(place)).log2();
        ValidationRow::new(format!("cantilever_tip_load/{alpha}"), drop, -found.z, error, TOLERANCE)
            .with_order(order, 2.0, 0.2)
    };
    REFERENCES.into_iter().map(row).collect()
}

fn tip(alpha: f64, segments: u32) -> DVec3 {
    let find = || {
        let last = segments as usize;
        let section = section(INEXTENSIBLE, [1.0; 2], 1.0);
        let mut beam =
            specimen(clamped_line(segments, DVec3::X), false, section, RestShape::Straight, DVec3::Y)?;
        beam.hold(Hold::Edge(0)).load(last, DVec3::new(0.0, 0.0, -alpha));
        beam.equilibrate()?;
        Some(beam.shape().position(last))
    };
    find().unwrap_or(DVec3::NAN)
}
