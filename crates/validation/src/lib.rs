//! Validation of the engine through the public interface of a world, without internals of the step.
//!
//! | module | contents |
//! |---|---|
//! | [`campaign`] | random scenes, judged in every step |
//! | [`cases`] | physics against references, one file per case |
//! | [`worlds`] | worlds with contact that cases and benchmarks share |
//!
//! No library crate depends on this one.

pub mod campaign;
pub mod cases;
pub mod worlds;
