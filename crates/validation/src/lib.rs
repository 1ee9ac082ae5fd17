//! What tests the engine from outside: it reads the public interface of a world and no part of the step.
//!
//! | module | what it holds |
//! |---|---|
//! | [`campaign`] | random scenes, judged in every step |
//! | [`cases`] | physics against references, one file per case |
//! | [`worlds`] | worlds with contact that cases and benchmarks share |
//!
//! No library crate depends on this one.

pub mod campaign;
pub mod cases;
pub mod worlds;
