//! Kernels timed against other crates: `cargo bench -p ropewalk-bench`. The one crate that depends on faer and criterion.
//!
//! | benchmark | subject |
//! |---|---|
//! | `contact` | the contact solver on problems with the pattern of real scenes; the same matrices through faer |
//! | `geometry` | distances, contact points, bounding-volume hierarchies, sweeps |
//! | `rod_factor` | the tangent of a rod: our factor and faer's |
//! | `rods` | forces and tangents of rods |
//!
//! Whole scenes are timed by `ropewalk bench`.
