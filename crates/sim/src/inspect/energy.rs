//! Elastic energies of one rod, their gradient and their Hessian.
//!
//! E_s = ½ Σ EA (|e|/l̄ − 1)² l̄, E_t = ½ Σ GJ/l̄_j (τ − τ̄)², E_b = ½ Σ [EI₁ (κ₁ − κ̄₁)² + EI₂ (κ₂ − κ̄₂)²]/l̄_j.
//! The derivatives are those that forces are made of: frames are carried to the shape first and the energy is
//! differentiated there, so that forces and moments sum to zero.

use super::input::{check_entries, check_length, check_nodes};
use super::{InspectError, RodInput, dense, flat};
use ropewalk_linalg::block_pentadiagonal::BlockPenta;
use ropewalk_rod::kernel::{RodKernel, Scales};

/// What [`rod_energy`] found. Arrays of derivatives are in the order of the degrees of freedom.
#[derive(Clone, Debug, PartialEq)]
pub struct RodEnergy {
    /// Stretching energy in J.
    pub stretch: f64,
    /// Twisting energy in J.
    pub twist: f64,
    /// Bending energy in J.
    pub bend: f64,
    /// Gradient of their sum: N for positions, N·m for angles.
    pub gradient: Vec<f64>,
    /// Hessian of their sum, row by row.
    pub hessian: Vec<f64>,
    /// κ₁ per stencil in rad.
    pub kappa1: Vec<f64>,
    /// κ₂ per stencil in rad.
    pub kappa2: Vec<f64>,
    /// τ per stencil in rad.
    pub tau: Vec<f64>,
}

impl RodEnergy {
    fn is_finite(&self) -> bool {
        [self.stretch, self.twist, self.bend].iter().all(|e| e.is_finite())
            && [&self.gradient, &self.hessian, &self.kappa1, &self.kappa2, &self.tau]
                .iter()
                .all(|array| array.iter().all(|e| e.is_finite()))
    }
}

/// Energies, gradient, Hessian and strains of a rod with its nodes at `x` (m) and the twist angles `gamma` (rad, one
/// per edge).
pub fn rod_energy(x: &[[f64; 3]], gamma: &[f64], rod: &RodInput) -> Result<RodEnergy, InspectError> {
    let nodes = x.len();
    check_nodes("x", nodes, rod.closed)?;
    check_entries("x", x.as_flattened(), 3, "a finite number", |_| true)?;
    let edges = if rod.closed { nodes } else { nodes - 1 };
    check_length("gamma", gamma.len(), edges, "one per edge")?;
    check_entries("gamma", gamma, 1, "a finite number", |_| true)?;
    let parts = rod.build(nodes, &vec![[1.0; 4]; nodes])?;
    let angle = |i: usize| gamma.get(i).copied().unwrap_or(0.0);
    let q: Vec<[f64; 4]> = x.iter().enumerate().map(|(i, x)| [x[0], x[1], x[2], angle(i)]).collect();
    parts.check_shape("x", &parts.state(q.clone(), vec![[0.0; 4]; nodes]))?;

    let mut kernel = RodKernel::new(&parts.rod);
    kernel.start_from_frames(&parts.tangents, &parts.directors, &parts.beta);
    let mut hessian = BlockPenta::zero(nodes, rod.closed);
    let scales = Scales { gradient: 1.0, hessian: 1.0 };
    let energies = kernel.evaluate(&parts.rod, &parts.natural, &q, scales, Some(&mut hessian)).energies;
    let strain = |k: usize| parts.rod.stencils().map(|j| kernel.strain(j)[k]).collect();
    let dofs = parts.rod.dof_count();
    let found = RodEnergy {
        stretch: energies.stretch,
        twist: energies.twist,
        bend: energies.bend,
        gradient: flat(&kernel.gradient, dofs),
        hessian: dense(&hessian, dofs),
        kappa1: strain(0),
        kappa2: strain(1),
        tau: strain(2),
    };
    if found.is_finite() { Ok(found) } else { Err(InspectError::Overflow) }
}
