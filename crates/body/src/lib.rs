//! Articulated rigid bodies in joint coordinates: trees of links, their kinematics and dynamics.
//!
//! | module | what it holds |
//! |---|---|
//! | [`inertia`] | mass, centre of mass and inertia of a link |
//! | [`joint`] | kinds of joints, their coordinates and properties |
//! | [`tree`] | links and joints as a tree, checked; positions and velocities |
//! | [`base`] | the frame that a tree stands on, and its motion |
//! | [`kinematics`] | poses, velocities, Jacobians, bias accelerations |
//! | [`dynamics`] | mass matrix, bias, gravity, accelerations |
//! | [`newton_euler`] | efforts from wrenches on links |
//! | [`energy`] | energies and momenta |
//! | [`dense`] | Cholesky factors of small dense matrices |
//! | [`motion`] | the momentum balance of a tree over one step |
//! | [`free_step`] | a step of a tree that nothing constrains |
//!
//! This crate knows neither rods nor contact nor files.

pub mod base;
mod check;
mod composite;
pub mod dense;
pub mod dynamics;
pub mod energy;
pub mod free_step;
pub mod inertia;
pub mod joint;
pub mod kinematics;
pub mod motion;
pub mod newton_euler;
pub mod tree;

pub use base::Base;
pub use dynamics::Dynamics;
pub use inertia::Inertia;
pub use joint::{Joint, JointKind, Mimic};
pub use kinematics::Kinematics;
pub use motion::{Merit, TreeMotion};
pub use newton_euler::Wrench;
pub use tree::{Chain, Link, Tree, TreeError, TreeState};
