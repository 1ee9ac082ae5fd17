//! Small linear algebra for rods: scalars and lanes under one trait, rotations and transport of frames, and block
//! factorizations for the matrices of rods.
//!
//! | module | contents |
//! |---|---|
//! | [`real`] | the trait that scalars, lanes and hyper-dual numbers share |
//! | [`lanes`] | several `f64` side by side, with vectorisable elementary functions |
//! | [`vec3`] | three-vectors over any [`real::Real`] |
//! | [`parallel_transport`] | parallel transport, signed angles, orthonormal frames |
//! | [`block4`] | 4×4 blocks: product, triangular solve, Cholesky |
//! | [`block_pentadiagonal`] | block-pentadiagonal matrices of open and closed rods, and their Cholesky factors |
//! | [`pose`] | rigid poses, rotation vectors |
//! | [`eigen`] | eigenvalues of small dense symmetric matrices |
//! | [`sparse`] | Cholesky factors of sparse matrices of 4×4 tiles, with elimination in two stages |
//! | [`bdf2`] | coefficients of the backward difference formula of second order |
//! | [`cpu_dispatch`] | the widest vector unit of this machine, found once |

pub mod bdf2;
pub mod block4;
pub mod block_pentadiagonal;
pub mod cpu_dispatch;
pub mod eigen;
pub mod lanes;
pub mod merit;
pub mod parallel_transport;
pub mod pose;
pub mod real;
mod simd;
pub mod sparse;
pub mod vec3;

pub use pose::Pose;
pub use real::Real;
pub use vec3::V3;
