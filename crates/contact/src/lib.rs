#![doc = include_str!("../README.md")]

pub mod dense;
pub mod law;
pub mod problem;
pub mod solver;

pub use law::{ConstraintLaw, Law};
pub use problem::blocks::Blocks;
pub use problem::constraints::{Constraints, JacobianRows, JacobianTile};
pub use problem::effective_mass::DiagonalBlocks;
pub use problem::{Problem, ProblemError, Unchanged};
pub use solver::Solver;
pub use solver::analysis_cache::{AnalysisCache, ConstraintPattern};
pub use solver::newton::Options;
pub use solver::optimality::Optimality;
pub use solver::solution::{IslandReport, Solution, Status};
