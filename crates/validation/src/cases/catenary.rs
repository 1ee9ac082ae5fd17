//! A chain between two level points.
//!
//! Without stretch: y = a cosh(x/a), a from 2a sinh(span/2a) = L; the row `catenary/sag_…` shows the sag, `/tension_…` the
//! tension at the ends in units of the weight w L. `catenary/elastic_…`: the sag with EA = 10 w L and 100 w L. Source: Irvine,
//! Cable Structures, ch. 1.

use super::ValidationRow;
use super::specimen::{section, specimen};
use glam::DVec3;
use ropewalk_rod::RestShape;
use ropewalk_sim::Hold;

/// Span, EA/wL, sag and end tension.
const REFERENCES: [[f64; 4]; 5] = [
    [0.9, 1e6, 0.190_709_000_649_428_22, 0.750_803_375_702_032_3],
    [0.8, 1e6, 0.265_437_509_139_823_67, 0.603_639_388_225_173_2],
    [0.5, 1e6, 0.398_194_177_930_149_1, 0.513_014_285_468_955],
    [0.9, 10.0, 0.239_545_990_559_449_97, 0.664_072_246_081_270_7],
    [0.9, 100.0, 0.196_885_402_932_888_53, 0.736_761_359_546_983_2],
];
const SEGMENTS: usize = 100;

pub(crate) fn run() -> Vec<ValidationRow> {
    let rows = |[span, stiffness, sag, tension]: [f64; 4]| {
        let found = hang(span, stiffness).unwrap_or([f64::NAN; 2]);
        let label = if stiffness > 1e5 { format!("{span}") } else { format!("{span}_EA{stiffness}") };
        [("sag", sag, found[0]), ("tension", tension, found[1])].map(|(what, reference, measured)| {
            let error = (measured / reference - 1.0).abs();
            ValidationRow::new(format!("catenary/{what}_{label}"), reference, measured, error, 0.002)
        })
    };
    REFERENCES.into_iter().flat_map(rows).collect()
}

/// Sag and tension at the ends of a chain of length 1 and weight 1.
fn hang(span: f64, stiffness: f64) -> Option<[f64; 2]> {
    // From two straight halves with a bend between them, at the right length.
    let depth = (0.25 - 0.25 * span * span).sqrt();
    let nodes: Vec<DVec3> = (0..=SEGMENTS)
        .map(|i| {
            let s = i as f64 / SEGMENTS as f64;
            let down = depth * (1.0 - (2.0 * s - 1.0).abs());
            DVec3::new(span * s, 0.0, -down)
        })
        .collect();
    let mut chain =
        specimen(nodes, false, section(stiffness, [1e-7; 2], 1e-6), RestShape::Straight, DVec3::Y)?;
    chain.hold(Hold::Node(0)).hold(Hold::Node(SEGMENTS));
    chain.model.gravity = DVec3::NEG_Z;
    chain.equilibrate()?;
    let sag = -chain.shape().position(SEGMENTS / 2).z;
    chain.step()?;
    // The force of the support is the tension at the very end: half an edge hangs from the end node itself.
    Some([sag, chain.wrench(0).force.length()])
}
