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
//! | [`surroundings`] | what a cable touches: the scene in which it was measured |
//! | `touching` | the rod in that scene, driven by its held ends |
//! | [`predict`] | predictions of runs and their score |
//! | [`evaluation`] | the score of a cable on measured runs |
//! | [`flaws`] | runs with markers that jump |
//! | [`parameter`] | what may be fitted: names, bounds, search coordinates |
//! | [`robust`] | the loss of a residual |
//! | [`shape`] | static shapes, such as one picture of a hanging loop |
//! | [`torque`] | torque over twist |
//! | [`task`] | what is predicted and compared |
//! | [`normal`] | loss and normal equations over all of it |
//! | [`levenberg`] | the search |
//! | [`uncertainty`] | standard errors and intervals |
//! | [`guess`] | a first guess of a cable |
//! | `curls` | natural curvature that a fit adds |
//! | [`mod@fit`] | starts, stages, unseen parameters |
//! | [`cross_validation`] | the error on runs that were not used |
//! | `film` | films of runs, measured and predicted |
//! | [`report`] | a fit as a page |
//! | [`statics`] | equilibria of rods with held ends |
//! | [`dense`] | small systems of equations |

pub mod cable;
pub mod cross_validation;
mod curls;
pub mod dense;
pub mod error;
pub mod evaluation;
mod film;
pub mod fit;
pub mod flaws;
pub mod guess;
pub mod held;
pub mod levenberg;
pub mod mesh;
pub mod normal;
pub mod npy;
pub mod parameter;
pub mod predict;
pub mod reality;
mod regular_file;
pub mod report;
pub mod robust;
pub mod rollout;
pub mod shape;
pub mod start;
pub mod statics;
pub mod surroundings;
pub mod task;
pub mod torque;
mod touching;
pub mod tracks;
pub mod uncertainty;

pub use cable::Cable;
pub use error::FitError;
pub use evaluation::{Evaluation, evaluate};
pub use fit::{Fit, FitOptions, fit};
pub use parameter::Parameter;
pub use surroundings::Surroundings;
pub use tracks::Tracks;
