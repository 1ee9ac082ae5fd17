//! Dynamics of an arm of seven joints: kinematics, mass matrix, bias and factor, ns for all four.
//!
//! The reference is their budget together, 5 µs: a two-hundredth of a step of 1 ms.

use super::{BenchReference, BenchRow, BenchTime};
use std::time::Duration;

const TARGET_NS: f64 = 5000.0;

pub(crate) fn run() -> Vec<BenchRow> {
    let measured = super::arm_kernels::measure(Duration::from_millis(150)).ok();
    let row = measured.map(|times| BenchRow {
        name: "body",
        parameter: Some(format!("{}_joints", times.dofs)),
        time: BenchTime::NsPerItem(times.dynamics),
        threads: 1,
        stages: vec![
            ("kinematics", times.kinematics),
            ("mass_matrix", times.mass_matrix),
            ("bias", times.bias),
            ("factor", times.factor),
            ("whole_step", times.step),
        ],
        reference: Some(BenchReference { what: "target".to_owned(), value: TARGET_NS }),
    });
    row.into_iter().collect()
}
