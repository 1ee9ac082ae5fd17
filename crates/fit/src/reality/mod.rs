//! Comparison with published measurements, from a folder with their files.
//!
//! | module | file | comparison |
//! |---|---|---|
//! | [`helix`] | `helix_buckling.npz` | loss of stability of a clamped helical rod |
//! | `helix_rod` | | a rod clamped as a helix |
//! | `helix_path` | | where it leaves its helix, and how |
//! | [`loops`] | `hanging_loops.npz` | bending stiffness from one picture of a hanging loop, twist at which it folds |
//! | [`strip`] | — | frequencies of a clamped steel strip in three orientations |
//! | [`table`] | `deform_dlo1_train.npz` … and all of the above | one row for each comparison |

pub mod helix;
mod helix_path;
mod helix_rod;
pub mod loops;
pub mod strip;
pub mod table;

pub use table::{Row, rows};
