//! Small vibrations about a shape: K x = ω² M x, the lowest few.
//!
//! Inverse subspace iteration with a shift: (K + σM) is factored once, a block of vectors is multiplied by its
//! inverse and made M-orthonormal by the small problem (Rayleigh–Ritz) until the eigenvalues converge. σ makes the
//! matrix positive definite also for free rods, whose rigid motions have ω = 0, and for unstable shapes, whose lowest
//! ω² are negative. Source: Bathe, Finite Element Procedures, § 11.6.

use crate::kernel::{RodKernel, Scales};
use crate::rod::Rod;
use crate::state::RodState;
use ropewalk_linalg::block_pentadiagonal::{BlockPenta, PentaFactor};
use ropewalk_linalg::eigen::symmetric_eigen;

/// One mode of vibration.
#[derive(Clone, Debug)]
pub struct Mode {
    /// ω² in (rad/s)²; negative for an unstable shape.
    pub omega_squared: f64,
    /// The mode, M-orthonormal, a block per node.
    pub shape: Vec<[f64; 4]>,
}

/// Why no modes were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModesError {
    /// The stiffness is not finite, or so indefinite that no shift helps.
    #[error("the stiffness at this shape cannot be factored")]
    NotFactored,
    /// The iteration did not converge.
    #[error("the iteration for the lowest modes did not settle")]
    NotConverged,
}

/// The Hessian of the elastic energy at `state`, with the rows and columns of held degrees of freedom replaced by
/// those of the identity.
pub fn stiffness(rod: &Rod, state: &RodState, held: &[[bool; 4]]) -> BlockPenta {
    let n = rod.node_count();
    let mut matrix = BlockPenta::zero(n, rod.closed());
    let mut kernel = RodKernel::new(rod);
    kernel.start_from(rod, state);
    let scales = Scales { gradient: 1.0, hessian: 1.0 };
    kernel.evaluate(rod, &state.natural, &state.q, scales, Some(&mut matrix));
    for i in 0..n {
        for k in 0..4 {
            if held[i][k] || (k == 3 && !rod.closed() && i + 1 == n) {
                matrix.fix(i, k);
            }
        }
    }
    matrix
}

/// Whether the elastic energy, under dead loads, has a strict minimum at the equilibrium `state` once `shift` (in
/// (rad/s)²) times the mass is added to its Hessian. A positive shift allows for rigid motions.
pub fn is_stable(rod: &Rod, state: &RodState, held: &[[bool; 4]], shift: f64) -> bool {
    let mut matrix = stiffness(rod, state, held);
    add_mass(&mut matrix, rod, held, shift);
    PentaFactor::new(rod.node_count(), rod.closed()).factor(&matrix).is_ok()
}

fn add_mass(matrix: &mut BlockPenta, rod: &Rod, held: &[[bool; 4]], factor: f64) {
    for i in 0..rod.node_count() {
        for k in 0..4 {
            if !held[i][k] {
                matrix.diagonal[i][k][k] += factor * rod.mass[i][k];
            }
        }
    }
}

/// The `count` modes with the lowest ω² about `state`, in increasing order.
pub fn lowest_modes(
    rod: &Rod,
    state: &RodState,
    held: &[[bool; 4]],
    count: usize,
) -> Result<Vec<Mode>, ModesError> {
    let n = rod.node_count();
    let held: Vec<[bool; 4]> = (0..n)
        .map(|i| {
            let last = !rod.closed() && i + 1 == n;
            [held[i][0], held[i][1], held[i][2], held[i][3] || last]
        })
        .collect();
    let free = held.iter().flatten().filter(|h| !**h).count();
    let size = free.min(2 * count + 8);
    let count = count.min(size);
    if count == 0 {
        // A rod that is held everywhere does not vibrate.
        return Ok(Vec::new());
    }
    let k = stiffness(rod, state, &held);
    let (shift, mut factor) = factor_with_shift(&k, rod, &held)?;
    let mut basis = start_vectors(rod, &held, size);
    orthonormalize(&mut basis, rod);
    let mut values = vec![f64::INFINITY; count];
    for _ in 0..300 {
        let mut moved = basis.clone();
        for x in &mut moved {
            for (x, m) in x.iter_mut().zip(&rod.mass) {
                for c in 0..4 {
                    x[c] *= m[c];
                }
            }
            clear_held(x, &held);
            factor.solve(x);
            clear_held(x, &held);
        }
        // μ = 1/(ω² + σ) are the greatest eigenvalues of (K + σM)⁻¹ M, and so accurate to nearly all digits.
        let found = rayleigh_ritz(&basis, &mut moved, rod);
        basis = moved;
        orthonormalize(&mut basis, rod);
        let settled = (0..count).all(|i| (found[i] - values[i]).abs() <= 1e-12 * found[i].abs());
        values.copy_from_slice(&found[..count]);
        if settled {
            let modes = basis.into_iter().zip(values);
            return Ok(modes.map(|(shape, mu)| Mode { omega_squared: 1.0 / mu - shift, shape }).collect());
        }
    }
    Err(ModesError::NotConverged)
}

/// K + σM factored, with the first σ of an increasing series for which the matrix is positive definite.
fn factor_with_shift(
    k: &BlockPenta,
    rod: &Rod,
    held: &[[bool; 4]],
) -> Result<(f64, PentaFactor), ModesError> {
    // A scale below the lowest bending frequency of the whole rod: EI/(ρA L⁴).
    let length = rod.total_rest_length();
    let bend = rod.stencils().map(|j| rod.bend[0][j].min(rod.bend[1][j]) * rod.voronoi_length[j]);
    let bend = bend.fold(f64::INFINITY, f64::min);
    let scale = if bend.is_finite() { bend / (rod.total_mass() * length.powi(3)) } else { 1.0 };
    let mut factor = PentaFactor::new(rod.node_count(), rod.closed());
    let mut shift = 0.1 * scale;
    for _ in 0..40 {
        let mut shifted = k.clone();
        add_mass(&mut shifted, rod, held, shift);
        if factor.factor(&shifted).is_ok() {
            return Ok((shift, factor));
        }
        shift *= 4.0;
    }
    Err(ModesError::NotFactored)
}

/// Smooth and rough start vectors in every direction; always the same.
fn start_vectors(rod: &Rod, held: &[[bool; 4]], size: usize) -> Vec<Vec<[f64; 4]>> {
    let n = rod.node_count();
    (0..size)
        .map(|j| {
            let mut x: Vec<[f64; 4]> = (0..n)
                .map(|i| {
                    core::array::from_fn(|c| {
                        let phase = (j + 1) as f64 * (i as f64 + 0.5) * core::f64::consts::PI / n as f64;
                        (phase * 0.5 + (c * c) as f64 * (j + 1) as f64).cos()
                            + 0.01 * ((i * 7919 + j * 104_729 + c * 31) as f64).sin()
                    })
                })
                .collect();
            clear_held(&mut x, held);
            x
        })
        .collect()
}

fn clear_held(x: &mut [[f64; 4]], held: &[[bool; 4]]) {
    for (x, h) in x.iter_mut().zip(held) {
        for c in 0..4 {
            if h[c] {
                x[c] = 0.0;
            }
        }
    }
}

fn mass_product(a: &[[f64; 4]], b: &[[f64; 4]], rod: &Rod) -> f64 {
    let mut sum = 0.0;
    for i in 0..a.len() {
        for c in 0..4 {
            sum += a[i][c] * rod.mass[i][c] * b[i][c];
        }
    }
    sum
}

/// Gram–Schmidt, twice.
fn orthonormalize(basis: &mut [Vec<[f64; 4]>], rod: &Rod) {
    for j in 0..basis.len() {
        for _ in 0..2 {
            for i in 0..j {
                let (before, rest) = basis.split_at_mut(j);
                let overlap = mass_product(&before[i], &rest[0], rod);
                for (x, y) in rest[0].iter_mut().zip(&before[i]) {
                    for c in 0..4 {
                        x[c] -= overlap * y[c];
                    }
                }
            }
        }
        let norm = mass_product(&basis[j], &basis[j], rod).sqrt();
        for x in basis[j].iter_mut().flatten() {
            *x /= norm;
        }
    }
}

/// Rotates `moved` = (K + σM)⁻¹ M `basis` to the eigenvectors within its span; returns the eigenvalues μ, the
/// greatest first.
fn rayleigh_ritz(basis: &[Vec<[f64; 4]>], moved: &mut Vec<Vec<[f64; 4]>>, rod: &Rod) -> Vec<f64> {
    let (size, n) = (basis.len(), basis[0].len());
    let small: Vec<Vec<f64>> = (0..size)
        .map(|i| {
            let entry = |j: usize| {
                0.5 * (mass_product(&basis[i], &moved[j], rod) + mass_product(&basis[j], &moved[i], rod))
            };
            (0..size).map(entry).collect()
        })
        .collect();
    let eigen = symmetric_eigen(small);
    let mut order: Vec<usize> = (0..size).collect();
    order.sort_by(|&a, &b| eigen.values[b].total_cmp(&eigen.values[a]));
    let turned = order
        .iter()
        .map(|&e| {
            let mut x = vec![[0.0; 4]; n];
            for (weight, vector) in eigen.vectors[e].iter().zip(moved.iter()) {
                for (x, v) in x.iter_mut().zip(vector) {
                    for c in 0..4 {
                        x[c] += weight * v[c];
                    }
                }
            }
            x
        })
        .collect();
    *moved = turned;
    order.iter().map(|&e| eigen.values[e]).collect()
}

/// The `count` lowest angular frequencies in rad/s about `state`; zero for rigid and unresisted motions.
pub fn lowest_frequencies(
    rod: &Rod,
    state: &RodState,
    held: &[[bool; 4]],
    count: usize,
) -> Result<Vec<f64>, ModesError> {
    let modes = lowest_modes(rod, state, held, count)?;
    Ok(modes.iter().map(|m| m.omega_squared.max(0.0).sqrt()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Material, RodBuilder, Section};
    use glam::DVec3;

    #[test]
    fn a_cantilever_rings_at_its_frequencies() {
        let n = 41;
        let h = 1.0 / (n as f64 - 1.5);
        let nodes = (0..n).map(|i| DVec3::X * (h * (i as f64 - 0.5))).collect();
        let section = Section::Rectangle { width: 0.01, height: 0.02 };
        let (rod, state) =
            RodBuilder::new(nodes, section, Material::from_poisson(1e9, 0.3, 1000.0)).build().unwrap();
        let mut held = vec![[false; 4]; n];
        held[0] = [true; 4];
        held[1] = [true, true, true, false];
        let found = lowest_frequencies(&rod, &state, &held, 4).unwrap();
        let unit = |thickness: f64| (1e9 * thickness * thickness / 12.0 / 1000.0).sqrt();
        let beta = [1.875_104_068_711_961_f64, 4.694_091_132_974_175];
        let mut expected: Vec<f64> =
            [0.01, 0.02].iter().flat_map(|&t| beta.map(|b| b * b * unit(t))).collect();
        expected.sort_by(f64::total_cmp);
        for (f, e) in found.iter().zip(&expected) {
            assert!((f / e - 1.0).abs() < 2e-3, "{found:?} {expected:?}");
        }
    }

    #[test]
    fn a_free_rod_has_six_motions_without_resistance() {
        let n = 12;
        let nodes = (0..n).map(|i| DVec3::new(0.1 * i as f64, (i as f64).sin() * 0.03, 0.0)).collect();
        let mut builder = RodBuilder::new(
            nodes,
            Section::Circle { radius: 0.01 },
            Material::from_poisson(1e7, 0.4, 1000.0),
        );
        builder.rest = crate::RestShape::AsGiven;
        let (rod, state) = builder.build().unwrap();
        let found = lowest_modes(&rod, &state, &vec![[false; 4]; n], 8).unwrap();
        let first = found[6].omega_squared;
        assert!(found[..6].iter().all(|m| m.omega_squared.abs() < 1e-9 * first), "{found:?}");
        assert!(first > 0.0);
    }
}
