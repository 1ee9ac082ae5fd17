//! Patches of pressure fields, ns per pair of cells, one thread; fields of rods and bounding-volume hierarchies included.
//!
//! `patch/ball_on_block`: pairs of tetrahedra; `patch/rope_on_post` and `patch/belt_on_pulley`: cells of a rod
//! against tetrahedra; `patch/crossed_ropes`: cells of two rods, each of which replaces three tetrahedra. Stages give
//! the time of the whole patch per polygon, that of the field of a rod per edge, and the number of pairs per polygon.

use super::patch_kernels::{PatchTimes, measure};
use super::{BenchRow, BenchTime};
use std::time::Duration;

pub(crate) fn run() -> Vec<BenchRow> {
    measure(Duration::from_millis(100)).map_or_else(|_| Vec::new(), |rows| rows.iter().map(row).collect())
}

fn row(times: &PatchTimes) -> BenchRow {
    let (pairs, polygons) = (times.candidates.max(1) as f64, times.polygons.max(1) as f64);
    BenchRow {
        name: "patch",
        parameter: Some(times.name.to_owned()),
        time: BenchTime::NsPerItem(times.whole_ns / pairs),
        threads: 1,
        stages: vec![
            ("whole_by_polygon", times.whole_ns / polygons),
            ("field_by_edge", times.edge_ns),
            ("pairs_by_polygon", pairs / polygons),
        ],
        reference: None,
    }
}
