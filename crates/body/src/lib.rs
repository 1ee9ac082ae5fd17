//! Articulated rigid bodies in joint coordinates: trees of links, their kinematics and dynamics.
//!
//! | module | contents |
//! |---|---|
//! | [`inertia`] | mass, center of mass and inertia of a link |
//! | [`joint`] | kinds of joints, their coordinates and properties |
//! | [`tree`] | links and joints as a tree, checked; positions and velocities |
//! | [`base`] | the base frame of a tree, and its motion |
//! | [`kinematics`] | poses, velocities, Jacobians, bias accelerations |
//! | [`dynamics`] | mass matrix, bias, gravity, accelerations |
//! | [`newton_euler`] | efforts from wrenches on links |
//! | [`history`] | the previous step, for BDF2 |
//! | [`energy`] | energies and momenta |
//! | [`dense`] | Cholesky factors of small dense matrices |
//! | `momentum` | momenta of links, and rotation about several axes |
//! | [`motion`] | the momentum balance of a tree over one step |
//! | `bdf2` | the same by the backward difference formula of second order |
//! | [`free_step`] | a step of an unconstrained tree |
//! | [`trajectory`] | poses through key frames |
//! | [`inverse_kinematics`] | joint velocities that move a frame of a link |
//!
//! This crate has no rods, no contact and no files.

pub mod base;
mod bdf2;
mod check;
mod composite;
mod damped_least_squares;
pub mod dense;
pub mod dynamics;
pub mod energy;
pub mod free_step;
pub mod history;
pub mod inertia;
pub mod inverse_kinematics;
pub mod joint;
pub mod kinematics;
mod momentum;
pub mod motion;
pub mod newton_euler;
mod spline;
pub mod trajectory;
pub mod tree;

pub use base::Base;
pub use dynamics::Dynamics;
pub use history::TreeHistory;
pub use inertia::Inertia;
pub use inverse_kinematics::{InverseKinematics, InverseKinematicsError, Reached};
pub use joint::{Joint, JointKind, Mimic};
pub use kinematics::Kinematics;
pub use motion::{Merit, TreeMotion};
pub use newton_euler::SpatialForce;
pub use trajectory::{PathInterpolation, Trajectory, TrajectoryError};
pub use tree::{Chain, Link, Tree, TreeError, TreeState};
