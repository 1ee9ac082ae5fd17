//! x
pub mod law;
