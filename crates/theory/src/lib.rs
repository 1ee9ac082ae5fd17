//! Closed forms of rod and rope mechanics, as references for simulations. No simulator in here: plain functions of numbers,
//! with their sources.
//!
//! | module | what it holds |
//! |---|---|
//! | [`elastica`] | Euler's column, before and beyond buckling |
//! | [`heavy_elastica`] | a cable with bending stiffness that hangs between two clamps |
//! | [`kirchhoff`] | clamped rods that hang under their weight: cantilevers, helical springs |
//! | [`stability`] | self-buckling, lateral buckling, Michell's ring |
//! | [`cable`] | catenary, capstan |
//! | [`vibration`] | frequencies of beams and rings; simple pendulums |
//! | [`pendulum`] | two bars, a load on a rope |
//! | [`press`] | a soft face on a round rod |
//! | [`torsion`] | Saint-Venant's torsion of rectangles, shafts |
//! | [`named`] | all that a scene file can name, with their arguments |
//!
//! ```
//! // P L²/EI at which a clamped column buckles: π²/4.
//! let load = ropewalk_theory::elastica::clamped_column_load(1.0, 1.0);
//! assert!((load - 2.467_401).abs() < 1e-6);
//! ```

pub mod cable;
pub mod elastica;
pub mod heavy_elastica;
pub mod kirchhoff;
pub mod named;
pub mod pendulum;
pub mod press;
pub mod stability;
pub mod torsion;
pub mod vibration;
