//! Shapes and the distances between them.
//!
//! This crate knows neither rods nor bodies: it sees shapes, poses and segments.

pub mod mesh;
pub mod shape;

pub use mesh::TriangleMesh;
pub use shape::Shape;
