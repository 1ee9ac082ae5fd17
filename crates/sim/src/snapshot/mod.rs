//! Snapshots: a snapshot is the [`State`], written as named arrays ([`arrays`](mod@arrays)).
//!
//! A step is a function of the model and the state: scratch in the workspace is written before it is read, or does not
//! change bits. What the solver remembers, and the bits of the next step depend on, is in
//! [`State::memory`](crate::model::State::memory).
//!
//! [`State`]: crate::model::State

pub mod arrays;
mod command_arrays;

pub use arrays::{NamedArray, SnapshotError};
