//! A heavy cantilever, clamped horizontally, at rest under its own weight.
//!
//! The inextensible elastica EI θ″ = w (L − s) cos θ, θ(0) = 0, θ′(L) = 0, has one parameter, Γ = w L³/EI. The
//! rod is clamped in the middle of its first edge, so that its free length is L and the error of second order.
//!
//! The row shows drop/reach of the tip; the error is the distance of the tip from its reference position in units of
//! L = 1. Source: references from collocation, checked by shooting to 1e-13; the case: Romero et al., Physical
//! validation of simulators in computer graphics, ACM Trans. Graph. 40(4), 2021.

use super::ValidationRow;
use super::specimen::{INEXTENSIBLE, clamped_line, section, specimen};
use glam::DVec3;
use ropewalk_rod::RestShape;
use ropewalk_sim::Hold;

/// Γ, reach/L, drop/L, segments, and the tolerance of the tip's position (in L). At Γ = 1000 the bend takes a tenth
/// of the length, which needs finer segments.
const REFERENCES: [(f64, f64, f64, u32, f64); 7] = [
    (1.0, 0.991_246_395_346_635_5, 0.123_471_401_983_351_58, 40, 6e-5),
    (5.0, 0.846_657_179_954_258_6, 0.495_905_044_622_391_8, 40, 1.2e-3),
    (10.0, 0.656_353_761_238_599_6, 0.700_199_715_514_312_1, 40, 1.2e-3),
    (20.0, 0.445_232_052_239_595_2, 0.829_881_443_439_313_9, 40, 2.0e-3),
    (50.0, 0.245_014_756_320_561_44, 0.907_917_123_477_277_7, 40, 3.0e-3),
    (100.0, 0.159_223_382_628_403_58, 0.937_523_935_396_347_5, 40, 3.8e-3),
    (1000.0, 0.045_986_454_756_919_655, 0.981_141_269_268_690_3, 160, 3.8e-3),
];

/// The tip at each Γ, and the order from N to 2N segments.
pub(crate) fn run() -> Vec<ValidationRow> {
    let row = |(gamma, reach, drop, segments, tolerance): (f64, f64, f64, u32, f64)| {
        let place = DVec3::new(reach, 0.0, -drop);
        let found = tip(gamma, segments);
        let error = found.distance(place);
        let finer = tip(gamma, 2 * segments).distance(place);
        let order = (error / finer).log2();
        let name = format!("cantilever_gravity/{gamma}");
        ValidationRow::new(name, drop / reach, -found.z / found.x, error, tolerance)
            .with_order(order, 2.0, 0.2)
    };
    REFERENCES.into_iter().map(row).collect()
}

/// Position of the tip at rest; NaN if it does not come to rest.
fn tip(gamma: f64, segments: u32) -> DVec3 {
    let find = || {
        let nodes = clamped_line(segments, DVec3::X);
        let section = section(INEXTENSIBLE, [1.0; 2], 1.0);
        let mut beam = specimen(nodes, false, section, RestShape::Straight, DVec3::Y)?;
        beam.hold(Hold::Edge(0));
        beam.model.gravity = DVec3::new(0.0, 0.0, -gamma);
        beam.equilibrate()?;
        Some(beam.shape().position(segments as usize))
    };
    find().unwrap_or(DVec3::NAN)
}
