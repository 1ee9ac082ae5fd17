//! What the tests share: reference files and random numbers.
#![allow(dead_code, unused_imports, unreachable_pub, clippy::unwrap_used)]

pub mod generate;

pub use ropewalk_testing::Random;
pub use ropewalk_testing::reference::{load, matrix, vector};
