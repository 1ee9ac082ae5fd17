#![doc = include_str!("../README.md")]

pub mod benchmark;
pub mod blocks;
mod compiled;
pub mod constraints;
pub mod dense;
pub mod dense_schur;
mod direction;
mod dissect;
mod ends;
mod island;
mod joints;
mod kernels;
pub mod law;
mod line_search;
pub mod model;
pub mod newton;
pub mod optimality;
mod polish;
pub mod problem;
#[cfg(feature = "faer")]
mod rivals;
mod share;
mod softening;
pub mod solution;
pub mod solver;
pub mod synthetic;
pub mod weight;

pub use blocks::Blocks;
pub use constraints::{Constraints, JacobianRows, JacobianTile};
pub use law::{ConstraintLaw, Law};
pub use model::{ConstraintPattern, Model};
pub use newton::Options;
pub use optimality::Optimality;
pub use problem::{Problem, ProblemError, Unchanged};
pub use solution::{IslandReport, Solution, Status};
pub use solver::Solver;
pub use weight::DiagonalBlocks;
