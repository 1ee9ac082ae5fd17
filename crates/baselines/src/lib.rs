//! Methods of others that ours is measured against, each with a stepper of its own.
//!
//! | module | what it holds |
//! |---|---|
//! | [`contact_energy`] | rods that a smooth penalty keeps apart: its rope and its step |
//! | [`edge_distance`] | the distance of two edges, with gradient and Hessian |
//! | [`penalty`] | the penalty of that distance, and friction that lags |
//! | [`settings`] | settings of the contact energy, and what a step reports |
//! | [`sparse_solve`] | Newton's direction where the tangent is positive definite |
//! | [`low_rank`] | Newton's direction where it is not |
//!
//! Nothing of our contact is in here: no sweep, no sub-steps, no convex solver. They would hide what these methods do.

pub mod contact_energy;
pub mod edge_distance;
pub mod low_rank;
pub mod penalty;
pub mod settings;
pub mod sparse_solve;
