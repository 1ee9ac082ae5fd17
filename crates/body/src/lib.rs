//! Articulated rigid bodies in joint coordinates: trees of links, their kinematics and dynamics.
//!
//! This crate knows neither rods nor contact nor files.

pub mod inertia;
pub mod joint;
pub mod tree;

pub use inertia::Inertia;
pub use joint::{Joint, JointKind, Mimic};
pub use tree::{Link, Tree, TreeError, TreeState};
