//! The contact problem on matrices with the pattern of real scenes, one thread.
//!
//! `contact/NAME/factor`: one factorisation of the whole Newton matrix, ns per node block, beside faer's sparse Cholesky;
//! its stages give what a Newton iteration factors again, and the analysis that is kept. `contact/NAME/solve`: a whole
//! solve of five iterations with the pattern unchanged, beside five dense factorisations of the Schur complement of all
//! that contacts touch, which is what the paper's method does.

use super::{BenchReference, BenchRow, BenchTime};
use ropewalk_contact::benchmark::{Row, measure};
use ropewalk_contact::synthetic::Family;
use std::time::Duration;

const FAMILIES: [(&str, Family); 9] = [
    ("braid_60", Family::Braid(60)),
    ("braid_164", Family::Braid(164)),
    ("random_60", Family::Random(60)),
    ("random_164", Family::Random(164)),
    ("rings_100", Family::Rings(100)),
    ("filaments", Family::Filaments),
    ("belt", Family::Belt),
    ("rings_10", Family::Rings(10)),
    ("rings_1000", Family::Rings(1000)),
];

pub(crate) fn run() -> Vec<BenchRow> {
    let rows = FAMILIES.into_iter().filter_map(|(name, family)| {
        let row = measure(family, Duration::from_millis(150))?;
        Some([factor(name, &row), solve(name, &row)])
    });
    rows.flatten().collect()
}

fn factor(name: &str, row: &Row) -> BenchRow {
    // Microseconds for all tiles to nanoseconds for one.
    let per_tile = |microseconds: f64| 1e3 * microseconds / row.tiles as f64;
    BenchRow {
        name: "contact",
        parameter: Some(format!("{name}/factor")),
        time: BenchTime::NsPerItem(per_tile(row.whole)),
        threads: 1,
        stages: vec![
            ("iteration", per_tile(row.kept)),
            ("elimination", per_tile(row.elimination)),
            ("analysis", per_tile(row.analysis)),
        ],
        reference: BenchReference {
            what: "faer sparse Cholesky, symbolic analysis kept".to_owned(),
            value: row.faer_sparse.map_or(0.0, per_tile),
        },
    }
}

fn solve(name: &str, row: &Row) -> BenchRow {
    let iterations = row.solve_five_iterations as f64;
    BenchRow {
        name: "contact",
        parameter: Some(format!("{name}/solve")),
        time: BenchTime::MsPerStep(1e-3 * row.solve_five),
        threads: 1,
        stages: vec![("to_tolerance", 1e-3 * row.solve)],
        reference: BenchReference {
            what: match row.dense_schur {
                Some(_) => format!("{iterations} dense factorisations of the Schur complement"),
                None => "dense Schur complement: too large".to_owned(),
            },
            value: 1e-3 * iterations * row.dense_schur.unwrap_or(0.0),
        },
    }
}
