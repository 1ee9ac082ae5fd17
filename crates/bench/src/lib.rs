//! Kernels timed against other crates: `cargo bench -p ropewalk-bench`. The one crate that depends on faer and criterion.
//!
//! | module | what it holds |
//! |---|---|
//! | [`contact`] | the contact solver on problems with the pattern of real scenes |
//! | [`baselines`] | the same matrices through faer |
//! | [`geometry`] | distances, contact points, bounding-volume hierarchies, sweeps |
//! | [`rod_factor`] | the tangent of a rod: our factor and faer's |
//!
//! Whole scenes are timed by `ropewalk bench`.

pub mod baselines;
pub mod contact;
pub mod geometry;
pub mod rod_factor;
