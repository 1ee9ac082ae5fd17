//! Physics against references, one file per case.
//!
//! A case is added in three places: a file here with a function that runs it, its `mod` line, and its
//! entry in [`CASES`]. Cases with contact have a short and a long form: see [`Form`].

mod belt_tracking;
mod bend_twist;
mod cantilever_gravity;
mod cantilever_tip_load;
mod capstan;
mod catenary;
mod crowned_pulley;
mod euler_postbuckling;
mod free_flight;
mod frequencies;
mod gripper;
mod helical_buckling;
mod incline;
mod knot;
mod lateral_buckling;
mod loose_knot;
mod michell_ring;
mod pinch;
mod pressure_field;
mod resting_cable;
mod rings;
mod rolling;
mod scene_run;
mod schemes;
mod self_buckling;
mod shoelace;
mod soak;
mod soft_finger;
mod specimen;
mod thrown_rope;
mod torsion;

use serde::Serialize;
use std::path::PathBuf;

/// All cases, in the order in which they are printed.
pub const CASES: &[ValidationCase] = &[
    ValidationCase { name: "cantilever_gravity", run: |_| cantilever_gravity::run() },
    ValidationCase { name: "cantilever_tip_load", run: |_| cantilever_tip_load::run() },
    ValidationCase { name: "euler_postbuckling", run: |_| euler_postbuckling::run() },
    ValidationCase { name: "greenhill", run: |_| self_buckling::run() },
    ValidationCase { name: "lateral_buckling", run: |_| lateral_buckling::run() },
    ValidationCase { name: "bend_twist", run: |_| bend_twist::run() },
    ValidationCase { name: "michell_ring", run: |_| michell_ring::run() },
    ValidationCase { name: "helical_buckling", run: |_| helical_buckling::run() },
    ValidationCase { name: "frequencies", run: |_| frequencies::run() },
    ValidationCase { name: "torsion", run: |_| torsion::run() },
    ValidationCase { name: "catenary", run: |_| catenary::run() },
    ValidationCase { name: "free_flight", run: |_| free_flight::run() },
    ValidationCase { name: "schemes", run: schemes::run },
    ValidationCase { name: "pressure_field", run: |_| pressure_field::run() },
    ValidationCase { name: "incline", run: incline::run },
    ValidationCase { name: "rolling", run: rolling::run },
    ValidationCase { name: "capstan", run: capstan::run },
    ValidationCase { name: "crowned_pulley", run: crowned_pulley::run },
    ValidationCase { name: "belt_tracking", run: belt_tracking::run },
    ValidationCase { name: "rings", run: rings::run },
    ValidationCase { name: "knot", run: knot::run },
    ValidationCase { name: "loose_knot", run: loose_knot::run },
    ValidationCase { name: "thrown_rope", run: thrown_rope::run },
    ValidationCase { name: "resting_cable", run: resting_cable::run },
    ValidationCase { name: "gripper", run: gripper::run },
    ValidationCase { name: "pinch", run: pinch::run },
    ValidationCase { name: "soft_finger", run: soft_finger::run },
    ValidationCase { name: "shoelace", run: shoelace::run },
    ValidationCase { name: "soak", run: soak::run },
];

/// One case, with known results.
#[derive(Debug)]
pub struct ValidationCase {
    /// Name, as the command line takes it.
    pub name: &'static str,
    /// Runs it; returns one row for each result.
    pub run: fn(&Form) -> Vec<ValidationRow>,
}

/// Short or long form of a case, and its surroundings.
#[derive(Clone, Debug)]
pub struct Form {
    /// Whether to run the long form, instead of the part that takes less than a minute.
    pub full: bool,
    /// Whether no other case runs at the same time.
    pub alone: bool,
    /// Folder of figures, if wanted.
    pub figures: Option<PathBuf>,
    /// Folder of published shapes of knots (n1.txt to n4.txt), if available.
    pub knots: Option<PathBuf>,
    /// Reports to the user where figures are and what was skipped.
    pub say: fn(&str),
}

impl Default for Form {
    fn default() -> Self {
        Self { full: false, alone: false, figures: None, knots: None, say: |_| {} }
    }
}

impl Form {
    /// Saves a figure as `NAME.svg`.
    pub(crate) fn keep_figure(&self, name: &str, svg: impl FnOnce() -> String) {
        let Some(directory) = &self.figures else { return };
        let path = directory.join(format!("{name}.svg"));
        let kept = std::fs::create_dir_all(directory).and_then(|()| std::fs::write(&path, svg()));
        match kept {
            Ok(()) => (self.say)(&format!("figure written to {}", path.display())),
            Err(e) => (self.say)(&format!("warning: cannot write {}: {e}", path.display())),
        }
    }
}

/// Result of one case at one parameter.
#[derive(Clone, Debug, Serialize)]
pub struct ValidationRow {
    /// Case and parameter, such as `cantilever_gravity/10`.
    pub case: String,
    /// The reference value.
    pub reference: f64,
    /// The measured value.
    pub measured: f64,
    /// The error, in the units of the tolerance.
    pub error: f64,
    /// Order of convergence, where the case measures one.
    pub order: Option<f64>,
    /// Greatest error that passes; `None` for values that are reported and not judged.
    pub tolerance: Option<f64>,
    /// Whether it passes; `None` for values that are reported and not judged.
    pub pass: Option<bool>,
}

impl ValidationRow {
    /// A row that passes if `error` is within `tolerance`.
    pub(crate) fn new(
        case: impl Into<String>,
        reference: f64,
        measured: f64,
        error: f64,
        tolerance: f64,
    ) -> Self {
        // A comparison with NaN is false: a missing value does not pass.
        let pass = Some(error.abs() <= tolerance);
        Self { case: case.into(), reference, measured, error, order: None, tolerance: Some(tolerance), pass }
    }

    /// A row that passes if `measured` agrees with the reference within the relative `tolerance`.
    pub(crate) fn relative(case: impl Into<String>, reference: f64, measured: f64, tolerance: f64) -> Self {
        Self::new(case, reference, measured, measured / reference - 1.0, tolerance)
    }

    /// A row that passes if `measured`, at best zero, is at most `limit`.
    pub(crate) fn at_most(case: impl Into<String>, measured: f64, limit: f64) -> Self {
        Self::new(case, 0.0, measured, measured, limit)
    }

    /// A row that passes if `measured` is at most `limit`, however far below; NaN, of a run that failed, does not pass.
    pub(crate) fn no_more_than(case: impl Into<String>, measured: f64, limit: f64) -> Self {
        // `f64::max` would make zero of NaN.
        let error = if measured < 0.0 { 0.0 } else { measured };
        Self::new(case, 0.0, measured, error, limit)
    }

    /// A row that passes if `measured` is at least `limit`, however far above; the error is the relative shortfall.
    pub(crate) fn at_least(case: impl Into<String>, measured: f64, limit: f64) -> Self {
        let missing = 1.0 - measured / limit;
        Self::new(case, limit, measured, if missing < 0.0 { 0.0 } else { missing }, 0.0)
    }

    /// A row that is reported and not judged; the error is relative to the reference unless that is zero. A missing
    /// value fails nevertheless.
    pub(crate) fn reported(case: impl Into<String>, reference: f64, measured: f64) -> Self {
        let error = if reference == 0.0 { measured } else { measured / reference - 1.0 };
        let pass = (!measured.is_finite()).then_some(false);
        Self { case: case.into(), reference, measured, error, order: None, tolerance: None, pass }
    }

    /// Adds an order of convergence, which must be within `margin` of `expected`.
    pub(crate) fn with_order(mut self, order: f64, expected: f64, margin: f64) -> Self {
        self.order = Some(order);
        self.pass = self.pass.map(|pass| pass && (order - expected).abs() <= margin);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_off_or_unmeasured_does_not_pass() {
        let row = |error: f64| ValidationRow::new("a", 2.0, 2.0 + error, error, 0.01);
        let (passes, fails) = (Some(true), Some(false));
        assert_eq!([0.005, -0.005].map(|e| row(e).pass), [passes; 2]);
        assert_eq!([0.02, -0.02, f64::NAN].map(|e| row(e).pass), [fails; 3]);
        assert_eq!(row(0.0).with_order(1.9, 2.0, 0.2).pass, passes);
        assert_eq!([1.1, f64::NAN].map(|order| row(0.0).with_order(order, 2.0, 0.2).pass), [fails; 2]);
    }

    #[test]
    fn what_is_reported_has_no_pass_unless_it_could_not_be_measured() {
        assert_eq!(ValidationRow::reported("a", 1.0, 7.0).pass, None);
        assert_eq!(ValidationRow::reported("a", 1.0, f64::NAN).pass, Some(false));
    }

    #[test]
    fn a_run_that_failed_passes_no_bound() {
        let nan = f64::NAN;
        for row in [
            ValidationRow::at_most("a", nan, 1.0),
            ValidationRow::no_more_than("a", nan, 1.0),
            ValidationRow::at_least("a", nan, 1.0),
        ] {
            assert_eq!(row.pass, Some(false));
        }
        assert_eq!(
            [-7.0, 1.0, 1.1].map(|x| ValidationRow::no_more_than("a", x, 1.0).pass),
            [Some(true), Some(true), Some(false)]
        );
        assert_eq!(
            [7.0, 1.0, 0.9].map(|x| ValidationRow::at_least("a", x, 1.0).pass),
            [Some(true), Some(true), Some(false)]
        );
    }

    #[test]
    fn names_of_cases_are_unique() {
        for (i, case) in CASES.iter().enumerate() {
            assert!(CASES[..i].iter().all(|other| other.name != case.name), "{}", case.name);
        }
    }
}
