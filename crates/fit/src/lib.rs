//! Cables from measurements: parameters fitted to marker tracks, and predictions scored against them.
//!
//! | module | what it holds |
//! |---|---|
//! | [`npy`] | arrays of NumPy archives |
//! | [`tracks`] | marker tracks: positions of markers over time |
//! | [`cable`] | a cable and its file |
//! | [`mesh`] | nodes of the rod and where markers sit on it |
//! | [`held`] | held markers: filter and interpolation |
//! | [`start`] | from two frames to a state |
//! | [`rollout`] | the rod, driven by its held ends |
//! | [`predict`] | predictions of runs and their score |
//! | [`evaluation`] | the score of a cable on measured runs |
//! | [`parameter`] | what may be fitted: names, bounds, search coordinates |
//! | [`robust`] | the loss of a residual |
//! | [`normal`] | loss and normal equations over windows of runs |
//! | [`levenberg`] | the search |
//! | [`dense`] | small systems of equations |

pub mod cable;
pub mod dense;
pub mod error;
pub mod evaluation;
pub mod held;
pub mod levenberg;
pub mod mesh;
pub mod normal;
pub mod npy;
pub mod parameter;
pub mod predict;
pub mod robust;
pub mod rollout;
pub mod start;
pub mod tracks;

pub use cable::Cable;
pub use error::FitError;
pub use evaluation::{Evaluation, evaluate};
pub use tracks::Tracks;
