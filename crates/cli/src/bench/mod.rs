//! Times of scenes and of our own kernels, one file per benchmark. Comparisons with kernels of other crates are in
//! `cargo bench -p ropewalk-bench`.
//!
//! A benchmark is added in three places: a file here with a function that runs it, its `mod` line, and
//! its entry in [`BENCHMARKS`].

mod arm_kernels;
mod body;
mod cantilever;
mod capstan;
mod crowned_pulley;
mod damping;
mod factor;
mod gripper;
mod hanging_rope;
mod knot;
mod patch;
mod patch_kernels;
mod render;
mod rings;
mod rods;
mod rods100;
mod shoelace;
mod stencil;
mod stopwatch;
mod winch;

use serde::{Serialize, Serializer};

/// All benchmarks, in the order in which they are run.
pub(crate) const BENCHMARKS: &[Benchmark] = &[
    Benchmark { name: "factor", run: factor::run },
    Benchmark { name: "stencil", run: stencil::run },
    Benchmark { name: "cantilever", run: cantilever::run },
    Benchmark { name: "hanging_rope", run: hanging_rope::run },
    Benchmark { name: "damping", run: damping::run },
    Benchmark { name: "rods100", run: rods100::run },
    Benchmark { name: "body", run: body::run },
    Benchmark { name: "patch", run: patch::run },
    Benchmark { name: "render", run: render::run },
    Benchmark { name: "capstan", run: capstan::run },
    Benchmark { name: "capstan_patch", run: capstan::run_patch },
    Benchmark { name: "crowned_pulley", run: crowned_pulley::run },
    Benchmark { name: "knot", run: knot::run },
    Benchmark { name: "rings", run: rings::run },
    Benchmark { name: "rings_rest", run: rings::run_at_rest },
    Benchmark { name: "winch", run: winch::run },
    Benchmark { name: "gripper", run: gripper::run },
    Benchmark { name: "shoelace", run: shoelace::run },
];

/// A benchmark.
#[derive(Debug)]
pub(crate) struct Benchmark {
    /// Name, as the command line takes it.
    pub(crate) name: &'static str,
    /// Measures it; one row for each size or number of threads.
    pub(crate) run: fn() -> Vec<BenchRow>,
}

/// A measurement at one size and number of threads.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct BenchRow {
    /// The benchmark.
    pub(crate) name: &'static str,
    /// Which of its rows, such as a number of nodes; `None` if it has only one.
    pub(crate) parameter: Option<String>,
    /// The time.
    #[serde(flatten)]
    pub(crate) time: BenchTime,
    /// Available threads.
    pub(crate) threads: usize,
    /// Time of each stage, in the unit of `time`; empty where there are none.
    #[serde(serialize_with = "stages_as_object")]
    pub(crate) stages: Vec<(&'static str, f64)>,
    /// The baseline, if there is one.
    pub(crate) reference: Option<BenchReference>,
}

impl BenchRow {
    /// Name and parameter, such as `factor/300`.
    pub(crate) fn label(&self) -> String {
        self.parameter.as_ref().map_or_else(|| self.name.to_owned(), |p| format!("{}/{p}", self.name))
    }
}

/// A time in the unit that suits the benchmark.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BenchTime {
    /// Milliseconds per time step.
    MsPerStep(f64),
    /// Nanoseconds per node, stencil or other item.
    NsPerItem(f64),
    /// Milliseconds per image.
    MsPerImage(f64),
}

impl BenchTime {
    /// The number.
    pub(crate) fn value(self) -> f64 {
        match self {
            Self::MsPerStep(value) | Self::NsPerItem(value) | Self::MsPerImage(value) => value,
        }
    }

    /// Its unit.
    pub(crate) fn unit(self) -> &'static str {
        match self {
            Self::MsPerStep(_) => "ms/step",
            Self::NsPerItem(_) => "ns/item",
            Self::MsPerImage(_) => "ms/image",
        }
    }
}

/// A baseline.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct BenchReference {
    /// Description, and where it was measured.
    pub(crate) what: String,
    /// Its time, in the unit of the row.
    pub(crate) value: f64,
}

fn stages_as_object<S: Serializer>(stages: &[(&'static str, f64)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(stages.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_the_documented_keys() {
        let row = BenchRow {
            name: "a",
            parameter: Some("300".to_owned()),
            time: BenchTime::NsPerItem(2.0),
            threads: 1,
            stages: vec![("solve", 1.0)],
            reference: Some(BenchReference { what: "b".to_owned(), value: 3.0 }),
        };
        let json = serde_json::to_value(&row).unwrap();
        let expected = serde_json::json!({
            "name": "a", "parameter": "300", "ns_per_item": 2.0, "threads": 1, "stages": { "solve": 1.0 },
            "reference": { "what": "b", "value": 3.0 },
        });
        assert_eq!(json, expected);
    }
}
