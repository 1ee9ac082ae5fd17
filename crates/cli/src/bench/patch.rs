//! Patches of pressure fields, ns per pair of cells, one thread.
//!
//! `patch/ball_on_block`: pairs of tetrahedra; `patch/rope_on_post` and `patch/belt_on_pulley`: cells of a rod against
//! tetrahedra; `patch/crossed_ropes`: cells of two rods, each of which stands for three tetrahedra. Stages give the whole patch by polygon (fields of rods and
//! trees included), the field of a rod by edge, and how many pairs there are for a polygon.

use super::{BenchReference, BenchRow, BenchTime};
use ropewalk_geometry::pressure::benchmark::{PatchTimes, measure};
use std::time::Duration;

const TARGET_NS: f64 = 150.0;

pub(crate) fn run() -> Vec<BenchRow> {
    measure(Duration::from_millis(100)).map_or_else(|_| Vec::new(), |rows| rows.iter().map(row).collect())
}

fn row(times: &PatchTimes) -> BenchRow {
    let what = match times.name {
        "crossed_ropes" => "target for two tetrahedra; two cells stand for nine such pairs",
        _ => "target for two tetrahedra",
    };
    BenchRow {
        name: "patch",
        parameter: Some(times.name.to_owned()),
        time: BenchTime::NsPerItem(times.pair_ns),
        threads: 1,
        stages: vec![
            ("whole_by_polygon", times.polygon_ns),
            ("field_by_edge", times.edge_ns),
            ("pairs_by_polygon", times.candidates as f64 / times.polygons.max(1) as f64),
        ],
        reference: BenchReference { what: what.to_owned(), value: TARGET_NS },
    }
}
