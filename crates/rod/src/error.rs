//! Errors in the description of a rod.

/// Why a rod could not be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RodError {
    /// A number is out of range.
    #[error("{what} is {value}, expected {expected}")]
    Value {
        /// Which quantity.
        what: &'static str,
        /// The number found.
        value: f64,
        /// The expected value.
        expected: &'static str,
    },
    /// An array has the wrong length.
    #[error("{what} has {found} entries, expected {expected}")]
    Length {
        /// Which array.
        what: &'static str,
        /// Entries found.
        found: usize,
        /// Entries expected.
        expected: usize,
    },
    /// The curve is too short for a rod.
    #[error("a rod needs at least {expected} nodes, found {found}")]
    TooFewNodes {
        /// Nodes found.
        found: usize,
        /// Least number of nodes.
        expected: usize,
    },
    /// Two neighboring nodes coincide.
    #[error("nodes {node} and {next} are at the same place")]
    ZeroEdge {
        /// First node.
        node: usize,
        /// Second node.
        next: usize,
    },
    /// The curve folds back on itself.
    #[error("the curve turns back on itself at node {node} (by more than 177 degrees)")]
    Fold {
        /// The node at the fold.
        node: usize,
    },
}
