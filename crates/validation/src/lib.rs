//! What tests the engine from outside: it reads the public interface of a world and no part of the step.
//!
//! | module | what it holds |
//! |---|---|
//! | [`campaign`] | random scenes, judged in every step |
//!
//! No library crate depends on this one.

pub mod campaign;
