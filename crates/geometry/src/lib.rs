//! Shapes and the distances between them.
//!
//! This crate has no model of rods or bodies: it works on shapes, poses and segments.

pub mod aabb;
pub mod bvh;
pub mod collider;
mod contact_feature;
mod convex;
pub mod coverage;
pub mod distance;
pub mod edge;
pub mod edge_shape;
mod ellipse;
pub mod flat_edge;
mod gjk;
mod gjk_refine;
pub mod heightfield;
pub mod hull;
mod hull_support;
pub mod manifold;
pub mod mass_properties;
pub mod mesh;
mod penetration;
mod point;
pub mod pressure;
pub mod segment;
pub mod shape;
mod surface;
pub mod sweep;

pub use aabb::Aabb;
pub use bvh::{Bvh, SelfPart};
pub use collider::Collider;
pub use coverage::{RodEdge, RowPlace, cover_edges, cover_shape, shares};
pub use distance::{DistanceError, Separation, distance, shape_distance};
pub use edge::{Edge, EdgeContact, EdgeContacts, edge_edge, edge_half_space, edge_sphere};
pub use edge_shape::{edge_box, edge_capsule, edge_collider, edge_cylinder, edge_triangle};
pub use flat_edge::FlatEdge;
pub use heightfield::Heightfield;
pub use manifold::{ManifoldPoint, ManifoldPoints, manifold};
pub use mass_properties::MassProperties;
pub use mesh::TriangleMesh;
pub use shape::{Shape, ShapeError};
pub use sweep::{MovingSegment, sweep_collider, sweep_segments, sweep_triangle};
