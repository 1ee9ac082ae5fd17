//! Discrete elastic rods, alone: no contact, no robot, no files.
//!
//! | module | what it holds |
//! |---|---|
//! | [`section`] | cross-sections and materials |
//! | [`builder`] | from a curve to a rod |
//! | [`rod`] | the model: stiffness and inertia |
//! | [`state`] | the state: positions, velocities, frames |
//! | [`energy`] | stretching, bending, twisting: value, gradient, Hessian |
//! | [`kernel`] | the same for a whole rod, several edges at a time |
//! | [`knot`] | writhe and linking number |
//! | [`motion`] | the momentum balance over one step: residual, tangent, potential |
//! | [`modes`] | frequencies and stability of a shape |
//! | [`positive`] | a positive semi-definite stand-in for the Hessian |

mod balance;
pub mod builder;
pub mod energy;
pub mod error;
mod gather;
pub mod kernel;
pub mod knot;
pub mod knot_determinant;
pub mod modes;
pub mod motion;
pub mod positive;
pub mod rod;
pub mod section;
pub mod state;
mod strain_rate;

pub use builder::{RestShape, RodBuilder};
pub use error::RodError;
pub use rod::{Rod, StiffnessArrays};
pub use section::{Material, Section, SectionProperties};
pub use state::{NaturalShape, RodState};
