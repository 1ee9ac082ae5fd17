//! Cables from measurements: parameters fitted to marker tracks, and predictions scored against them.
//!
//! | module | contents |
//! |---|---|
//! | [`npy`] | arrays of NumPy archives |
//! | [`tracks`] | marker tracks: positions of markers over time |
//! | [`cable`] | a cable and its file |
//! | [`mesh`] | nodes of the rod, and those of markers |
//! | [`held`] | held markers: filter and interpolation |
//! | [`start`] | the initial state from two frames |
//! | [`rollout`] | the rod, driven by its held ends |
//! | [`surroundings`] | what a cable touches: the scene in which it was measured |
//! | `touching` | the rod in that scene, driven by its held ends |
//! | [`predict`] | predictions of runs and their score |
//! | [`evaluation`] | the score of a cable on measured runs |
//! | [`flaws`] | runs with markers that jump |
//! | [`parameter`] | parameters: names, bounds, search coordinates |
//! | [`robust`] | the loss of a residual |
//! | [`shape`] | static shapes, such as one photograph of a hanging loop |
//! | [`torque`] | torque over twist |
//! | [`task`] | measurements to be predicted |
//! | [`normal`] | loss and normal equations over all measurements |
//! | [`levenberg`] | the search |
//! | [`uncertainty`] | standard errors and intervals |
//! | [`guess`] | an initial cable |
//! | `curls` | natural curvature that a fit adds |
//! | [`mod@fit`] | starts, stages, unobservable parameters |
//! | [`cross_validation`] | the error on held-out runs |
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
