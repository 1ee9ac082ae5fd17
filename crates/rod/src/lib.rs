//! Discrete elastic rods, without contact, robots or files.
//!
//! | module | contents |
//! |---|---|
//! | [`section`] | cross-sections and materials |
//! | [`builder`] | builds a rod from a curve |
//! | [`rod`] | the model: stiffness and inertia |
//! | [`state`] | the state: positions, velocities, frames |
//! | [`energy`] | stretching, bending, twisting: value, gradient, Hessian |
//! | [`kernel`] | the same for a whole rod, several edges at a time |
//! | [`writhe`] | writhe and linking number |
//! | [`momentum_balance`] | the momentum balance over one step: residual, tangent, potential |
//! | [`history`] | the previous step, for BDF2 |
//! | [`modes`] | frequencies and stability of a shape |
//! | [`plasticity`] | bending beyond the yield stress |
//! | [`stretch_table`] | tension from a table |
//! | [`psd_projection`] | a positive semi-definite approximation of the Hessian |

mod assemble;
pub mod builder;
pub mod energy;
pub mod error;
pub mod history;
pub mod kernel;
pub mod knot_determinant;
pub mod modes;
pub mod momentum_balance;
pub mod plasticity;
pub mod psd_projection;
mod residual_kernel;
pub mod rod;
pub mod section;
pub mod state;
mod strain_rate;
pub mod stretch_table;
pub mod writhe;

pub use builder::{RestShape, RodBuilder};
pub use error::RodError;
pub use history::RodHistory;
pub use plasticity::{PlasticState, YieldCurve};
pub use rod::{Rod, StiffnessArrays};
pub use section::{Material, Section, SectionProperties};
pub use state::{NaturalShape, RodState};
pub use stretch_table::StretchTable;
