//! Shapes and the distances between them.
//!
//! This crate knows neither rods nor bodies: it sees shapes, poses and segments.

pub mod aabb;
pub mod bvh;
pub mod collider;
mod convex;
pub mod distance;
mod ellipse;
mod feature;
mod gjk;
pub mod heightfield;
pub mod hull;
pub mod mass;
pub mod mesh;
mod penetration;
mod point;
mod segment;
pub mod shape;
mod surface;

pub use aabb::Aabb;
pub use bvh::Tree;
pub use collider::Collider;
pub use distance::{DistanceError, Separation, distance, shape_distance};
pub use heightfield::Heightfield;
pub use mass::MassProperties;
pub use mesh::TriangleMesh;
pub use shape::{Shape, ShapeError};
