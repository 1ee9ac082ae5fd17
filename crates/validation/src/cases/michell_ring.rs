//! A twisted ring leaves its plane: Michell's instability.
//!
//! A straight rod closed to a ring and twisted by Φ in all is stable in its plane up to Φ = 2π√3 B/C, 16.3242 for C/B
//! = 2/3. The discrete ring of N edges buckles a little later; those values, computed independently, are the
//! references here. The twist is imposed as natural twist of the opposite sign, which is equivalent for a round
//! straight rod and need not be whole turns. Source: Michell, Messenger of Math. 11, 1889; Zajac, J. Appl. Mech. 29,
//! 1962.

use super::ValidationRow;
use super::specimen::{section, specimen, threshold};
use core::f64::consts::TAU;
use glam::DVec3;
use ropewalk_rod::RestShape;

/// N and Φ.
const REFERENCES: [(u32, f64); 3] =
    [(20, 17.651_034_593_582_153), (40, 16.646_246_999_502_182), (60, 16.466_680_228_710_175)];
const CONTINUUM: f64 = 16.324_194_278_107_96;
/// Rigid motions, and spin of the whole ring about its centerline, need no energy; the ring's other ω² are near 1.
const SHIFT: f64 = 1e-4;

pub(crate) fn run() -> Vec<ValidationRow> {
    let found: Vec<f64> = REFERENCES.iter().map(|&(n, _)| critical(n)).collect();
    let mut rows: Vec<ValidationRow> = REFERENCES
        .iter()
        .zip(&found)
        .map(|(&(n, reference), &measured)| {
            let error = (measured / reference - 1.0).abs();
            ValidationRow::new(format!("michell_ring/{n}"), reference, measured, error, 1e-4)
        })
        .collect();
    let off = |i: usize| (found[i] / CONTINUUM - 1.0).abs();
    rows[1] = rows[1].clone().with_order((off(0) / off(1)).log2(), 2.0, 0.2);
    rows
}

fn critical(n: u32) -> f64 {
    threshold(12.0, 22.0, |twist| {
        let corner = |i: u32| TAU * f64::from(i) / f64::from(n);
        let nodes = (0..n).map(|i| DVec3::new(corner(i).cos(), corner(i).sin(), 0.0)).collect();
        let section = section(1e5, [1.0; 2], 2.0 / 3.0);
        // A polygon at its rest lengths is in equilibrium: turning angles do not depend on its size.
        let mut ring = specimen(nodes, true, section, RestShape::Straight, DVec3::Z)?;
        ring.state.rods[0].natural.tau.fill(-twist / f64::from(n));
        Some(ring.is_stable(SHIFT))
    })
}
