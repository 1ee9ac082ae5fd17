//! The building blocks, for whoever wants to check them: plain arrays in, plain arrays out.
//!
//! [`rod_energy`] gives the energies of one rod with their derivatives, [`rod_step`] one step of free motion. Both
//! run the code that a simulation runs; here are only the reading of arrays, the checks and the dense matrices.
//!
//! A rod of n nodes has the degrees of freedom x₁, γ₁, x₂, γ₂, …, x_n (open, 4n − 1) or …, x_n, γ_n (closed, 4n).
//! Edge i joins the nodes i and i+1 (modulo n if closed). Stencils are the inner nodes of an open rod and all nodes
//! of a closed one; the stencil at node k couples the edges k−1 and k.
//!
//! | symbol | name | unit | shape |
//! |---|---|---|---|
//! | EA | `ea` | N | per edge, or one for all |
//! | EI₁, EI₂ | `ei1`, `ei2` | N·m² | per stencil, or one for all |
//! | GJ | `gj` | N·m² | per stencil, or one for all |
//! | l̄ | `rest_edge_lengths` | m | per edge |
//! | κ̄₁, κ̄₂, τ̄ | `rest_kappa1`, `rest_kappa2`, `rest_tau` | rad, integrated over the stencil | per stencil, or one for all |
//! | t_ref, d₁_ref | `t_ref`, `d1_ref` | unit vectors | per edge |
//! | β_ref | `beta_ref` | rad | per stencil |
//!
//! Reference frames at a shape x are the given ones carried there: d₁(x) = P(t_ref → t(x)) d₁_ref, and β is the signed
//! angle about t^k from P(t^{k−1} → t^k) d₁^{k−1} to d₁^k on the 2π branch nearest to β_ref.
//!
//! Pitfall: matrices are dense, so that this is for rods of up to [`MAX_NODES`] nodes.

mod energy;
mod input;
mod push;
mod step;

pub use energy::{RodEnergy, rod_energy};
pub use input::{InspectError, RodInput};
pub use push::{Push, attachment_push, contact_push};
pub use step::{InspectStatus, RodStep, StepInput, rod_step};

/// Nodes of the longest rod for which dense matrices are given (0.8 GB each).
pub const MAX_NODES: usize = 2500;

use ropewalk_linalg::block_pentadiagonal::BlockPenta;

/// The first `dofs` rows and columns of `matrix`, row by row.
fn dense(matrix: &BlockPenta, dofs: usize) -> Vec<f64> {
    matrix.to_dense().iter().take(dofs).flat_map(|row| &row[..dofs]).copied().collect()
}

/// The first `dofs` entries of node blocks, in order.
fn flat(blocks: &[[f64; 4]], dofs: usize) -> Vec<f64> {
    blocks.iter().flatten().copied().take(dofs).collect()
}
