//! Claims: values predicted by theory, compared with a run.
//!
//! | file | contents |
//! |---|---|
//! | `build` | claims from their description |
//! | `model_value` | values of the model in claims, such as `weight(rope)` |
//! | `energy` | the claim of every scene: energy within work |
//! | `watch` | the measures of the claims of a run, in constant memory |
//! | `former` | former claim kinds, now replaced by measures |

mod build;
mod energy;
mod former;
mod model_value;
mod watch;

pub(crate) use former::former_claim;
pub use watch::ClaimWatch;

use ropewalk_sim::Measure;
use serde::Serialize;

/// Result of a claim.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClaimResult {
    /// Name of the claim.
    pub name: String,
    /// The predicted value.
    pub reference: f64,
    /// The measured value.
    pub measured: f64,
    /// Their difference, as defined by the tolerance.
    pub error: f64,
    /// The tolerance.
    pub tolerance: f64,
    /// Whether the error is within the tolerance.
    pub pass: bool,
}

/// A prediction about a run.
#[derive(Clone, Debug)]
pub struct Claim {
    name: String,
    kind: ClaimKind,
    tolerance: f64,
}

/// The statement.
#[derive(Clone, Debug)]
enum ClaimKind {
    /// Energy stays within work.
    Energy,
    /// A measure compares with a number.
    Measure(Box<Comparison>),
}

/// A measure, possibly divided by another, and its predicted value.
#[derive(Clone, Copy, Debug)]
struct Comparison {
    measure: Measure,
    relative_to: Option<Measure>,
    bound: Bound,
    reference: f64,
    scale: f64,
}

/// Comparison of a measure with the prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Equals,
    AtLeast,
    AtMost,
}

impl Claim {
    /// Name of the claim.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The tolerance.
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// Evaluates the claim for the measured values: the first measure, and the one by which it is divided.
    fn compare(&self, measured: Option<f64>) -> ClaimResult {
        let (bound, reference, scale) = match &self.kind {
            ClaimKind::Energy => (Bound::AtMost, 0.0, 1.0),
            ClaimKind::Measure(c) => (c.bound, c.reference, c.scale),
        };
        let Some(measured) = measured.filter(|x| x.is_finite()) else {
            return ClaimResult {
                name: format!("{} (not measured)", self.name),
                reference,
                measured: 0.0,
                error: f64::MAX,
                tolerance: self.tolerance,
                pass: false,
            };
        };
        let off = match bound {
            Bound::Equals => (measured - reference).abs(),
            Bound::AtLeast => (reference - measured).max(0.0),
            Bound::AtMost => (measured - reference).max(0.0),
        };
        let error = (off / scale).min(f64::MAX);
        let pass = error <= self.tolerance;
        ClaimResult { name: self.name.clone(), reference, measured, error, tolerance: self.tolerance, pass }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ropewalk_sim::measures::{Across, Component, Source};
    use ropewalk_sim::{Over, Quantity, Reading};

    #[test]
    fn bounds_are_kept_on_their_side() {
        let reading = Reading {
            source: Source::Quantity(Quantity::Time, 0),
            component: Component::Whole,
            across: Across::Row(0),
        };
        let measure = Measure { reading, over: Over::Last, from: 0.0, until: 1.0 };
        let claim = |bound| Claim {
            name: "c".into(),
            kind: ClaimKind::Measure(Box::new(Comparison {
                measure,
                relative_to: None,
                bound,
                reference: 2.0,
                scale: 2.0,
            })),
            tolerance: 0.1,
        };
        for (bound, measured, error) in [
            (Bound::Equals, 2.5, 0.25),
            (Bound::Equals, 1.5, 0.25),
            (Bound::AtLeast, 5.0, 0.0),
            (Bound::AtLeast, 1.0, 0.5),
            (Bound::AtMost, -5.0, 0.0),
            (Bound::AtMost, 2.2, 0.1),
        ] {
            let result = claim(bound).compare(Some(measured));
            assert!((result.error - error).abs() < 1e-12, "{bound:?} {measured}: {result:?}");
            assert_eq!(result.pass, error <= 0.1 + 1e-12 && result.error <= 0.1);
        }
        // A missing measure and NaN count as missed.
        for missing in [None, Some(f64::NAN), Some(f64::INFINITY)] {
            let result = claim(Bound::AtLeast).compare(missing);
            assert!(!result.pass && result.error == f64::MAX && result.name.contains("not measured"));
        }
    }
}
