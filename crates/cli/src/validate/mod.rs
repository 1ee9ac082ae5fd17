//! Physics against references, one file per case.
//!
//! A case is added in three places: a file here with a function that runs it, its `mod` line, and its
//! entry in [`CASES`].

mod bend_twist;
mod cantilever_gravity;
mod cantilever_tip_load;
mod catenary;
mod euler_postbuckling;
mod free_flight;
mod frequencies;
mod helical_buckling;
mod lateral_buckling;
mod michell_ring;
mod self_buckling;
mod setup;
mod torsion;

use serde::Serialize;

/// All cases, in the order in which they are printed.
pub(crate) const CASES: &[ValidationCase] = &[
    ValidationCase { name: "cantilever_gravity", full_only: false, run: cantilever_gravity::run },
    ValidationCase { name: "cantilever_tip_load", full_only: false, run: cantilever_tip_load::run },
    ValidationCase { name: "euler_postbuckling", full_only: false, run: euler_postbuckling::run },
    ValidationCase { name: "greenhill", full_only: false, run: self_buckling::run },
    ValidationCase { name: "lateral_buckling", full_only: false, run: lateral_buckling::run },
    ValidationCase { name: "bend_twist", full_only: false, run: bend_twist::run },
    ValidationCase { name: "michell_ring", full_only: false, run: michell_ring::run },
    ValidationCase { name: "helical_buckling", full_only: false, run: helical_buckling::run },
    ValidationCase { name: "frequencies", full_only: false, run: frequencies::run },
    ValidationCase { name: "torsion", full_only: false, run: torsion::run },
    ValidationCase { name: "catenary", full_only: false, run: catenary::run },
    ValidationCase { name: "free_flight", full_only: false, run: free_flight::run },
];

/// One case: something whose answer is known.
#[derive(Debug)]
pub(crate) struct ValidationCase {
    /// Name, as the command line takes it.
    pub(crate) name: &'static str,
    /// Whether it takes too long for the short set.
    pub(crate) full_only: bool,
    /// Runs it; one row for each parameter.
    pub(crate) run: fn() -> Vec<ValidationRow>,
}

/// What one case measured at one parameter.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ValidationRow {
    /// Case and parameter, such as `cantilever_gravity/10`.
    pub(crate) case: String,
    /// What should come out.
    pub(crate) reference: f64,
    /// What came out.
    pub(crate) measured: f64,
    /// How far off it is, in the measure of the tolerance.
    pub(crate) error: f64,
    /// Order of convergence, where the case measures one.
    pub(crate) order: Option<f64>,
    /// Greatest error that passes.
    pub(crate) tolerance: f64,
    /// Whether it passes.
    pub(crate) pass: bool,
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
        // A comparison with NaN is false: what could not be measured does not pass.
        let pass = error.abs() <= tolerance;
        Self { case: case.into(), reference, measured, error, order: None, tolerance, pass }
    }

    /// Adds an order of convergence, which must be within `margin` of `expected`.
    pub(crate) fn with_order(mut self, order: f64, expected: f64, margin: f64) -> Self {
        self.order = Some(order);
        self.pass &= (order - expected).abs() <= margin;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_off_or_unmeasured_does_not_pass() {
        let row = |error: f64| ValidationRow::new("a", 2.0, 2.0 + error, error, 0.01);
        assert!(row(0.005).pass && row(-0.005).pass);
        assert!(!row(0.02).pass && !row(-0.02).pass && !row(f64::NAN).pass);
        assert!(row(0.0).with_order(1.9, 2.0, 0.2).pass);
        assert!(!row(0.0).with_order(1.1, 2.0, 0.2).pass);
        assert!(!row(0.0).with_order(f64::NAN, 2.0, 0.2).pass);
    }

    #[test]
    fn names_of_cases_are_unique() {
        for (i, case) in CASES.iter().enumerate() {
            assert!(CASES[..i].iter().all(|other| other.name != case.name), "{}", case.name);
        }
    }
}
