//! Elastic energies of a rod, each with value, gradient and Hessian in closed form.
//!
//! E = Σ_edges stretch + Σ_nodes (bend + twist).
//!
//! Derivatives are those of a rod whose reference frames are parallel-transported to the present shape and from there
//! on (the `std` derivative of discrete elastic rods): forces and moments of such derivatives balance to round-off.
//! Source: Bergou, Wardetzky, Robinson, Audoly, Grinspun, Discrete Elastic Rods, 2008; Bergou, Audoly, Vouga,
//! Wardetzky, Grinspun, Discrete Viscous Threads, 2010. Where we differ: second derivatives contain the second-order
//! part of the transport, and all of bending and twisting is written in the tangent planes of the two edges
//! ([`edge_pair`]), which leaves six variables instead of eleven and no projections.

pub mod bend;
pub mod edge_pair;
pub mod stencil;
pub mod stretch;
pub mod twist;
