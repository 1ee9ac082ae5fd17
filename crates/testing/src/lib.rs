//! Code shared by tests and benchmarks of several crates. No product crate depends on it.
//!
//! | module | contents |
//! |---|---|
//! | [`random`] | reproducible random numbers, vectors and rotations |
//! | [`allocations`] | a counting allocator |
//! | [`mod@reference`] | readers of the reference files in `tests/reference` |
//! | `contact_families` | contact problems with the sparsity pattern of real scenes |
//! | `newton_matrix` | the Newton matrix of a contact problem, assembled and analyzed |
//! | `dense_schur` | a dense contact solver, as a second opinion |

pub mod allocations;
#[cfg(feature = "contact")]
pub mod contact_families;
#[cfg(feature = "contact")]
pub mod dense_schur;
#[cfg(feature = "contact")]
pub mod newton_matrix;
pub mod random;
pub mod reference;

pub use random::Random;
