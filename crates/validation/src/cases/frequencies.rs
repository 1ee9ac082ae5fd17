//! Small vibrations, by eigenvalues.
//!
//! - `frequencies/cantilever_k`: ω = (β L)² √(EI/ρA L⁴), β L = 1.8751041, 4.6940911, 7.8547574.
//! - `frequencies/free_k`: a free rod, β L = 4.7300407, 7.8532046, with 80 segments (with 40 it is off by 0.26 and 0.56 %).
//! - `frequencies/chain_k`: a hanging chain, ω = (j₀/2) √(g/L), j₀ the zeros of the Bessel function J₀, with 80
//!   segments; the order is from 40, where it is off by 0.019, 0.24 and 0.96 %, outside the bounds for 40 segments of
//!   a cantilever.
//! - `frequencies/ring_k`: a free ring in its plane, ω² = n²(n²−1)²/(n²+1) EI/ρA R⁴.
//!
//! Source: Rayleigh, The Theory of Sound; Love, Mathematical Theory of Elasticity, § 293.

use super::ValidationRow;
use super::specimen::{INEXTENSIBLE, clamped_line, section, specimen};
use core::f64::consts::TAU;
use glam::DVec3;
use ropewalk_rod::RestShape;
use ropewalk_rod::modes::lowest_frequencies;
use ropewalk_sim::Hold;

const SEGMENTS: u32 = 40;
/// Tolerances of the first, second and third mode.
const TOLERANCES: [f64; 3] = [1.5e-4, 1.8e-3, 5e-3];

pub(crate) fn run() -> Vec<ValidationRow> {
    let square = |b: f64| b * b;
    let mut rows = Vec::new();
    let cantilever = [1.875_104_068_711_961_1, 4.694_091_132_974_175, 7.854_757_438_237_613].map(square);
    add(&mut rows, "cantilever", &cantilever, cantilever_modes().as_deref(), &TOLERANCES);
    let free = [4.730_040_744_862_704, 7.853_204_624_095_838].map(square);
    add(&mut rows, "free", &free, free_modes().as_deref(), &TOLERANCES[1..]);
    let chain = [2.404_825_557_695_773, 5.520_078_110_286_311, 8.653_727_912_911_013].map(|j| 0.5 * j);
    let first = rows.len();
    add(&mut rows, "chain", &chain, chain_modes(2 * SEGMENTS).as_deref(), &TOLERANCES);
    let coarse = chain_modes(SEGMENTS).unwrap_or_default();
    for (k, row) in rows[first..].iter_mut().enumerate() {
        let off = coarse.get(k).map_or(f64::NAN, |c| (c / chain[k] - 1.0).abs());
        let order = (off / row.error).log2();
        *row = row.clone().with_order(order, 2.0, 0.2);
    }
    let ring = [2.683_281_572_999_747_7, 7.589_466_384_404_11];
    add(&mut rows, "ring", &ring, ring_modes().as_deref(), &[5e-3, 1.2e-2]);
    rows
}

fn add(
    rows: &mut Vec<ValidationRow>,
    name: &str,
    expected: &[f64],
    found: Option<&[f64]>,
    tolerances: &[f64],
) {
    for (k, (&reference, &tolerance)) in expected.iter().zip(tolerances).enumerate() {
        let measured = found.and_then(|f| f.get(k).copied()).unwrap_or(f64::NAN);
        let error = (measured / reference - 1.0).abs();
        rows.push(ValidationRow::new(
            format!("frequencies/{name}_{}", k + 1),
            reference,
            measured,
            error,
            tolerance,
        ));
    }
}

/// A narrow strip, so that the modes in one plane come first.
fn cantilever_modes() -> Option<Vec<f64>> {
    let section = section(INEXTENSIBLE, [1.0, 1e3], 1e3);
    let nodes = clamped_line(SEGMENTS, DVec3::X);
    let mut beam = specimen(nodes, false, section, RestShape::Straight, DVec3::Y)?;
    beam.hold(Hold::Edge(0));
    lowest_frequencies(beam.rod(), beam.shape(), &beam.held(), 3).ok()
}

fn free_modes() -> Option<Vec<f64>> {
    let section = section(INEXTENSIBLE, [1.0, 1e3], 1e3);
    let nodes = (0..=2 * SEGMENTS).map(|i| DVec3::X * (0.5 * f64::from(i) / f64::from(SEGMENTS))).collect();
    let beam = specimen(nodes, false, section, RestShape::Straight, DVec3::Y)?;
    let all = lowest_frequencies(beam.rod(), beam.shape(), &beam.held(), 8).ok()?;
    // Six rigid motions first.
    Some(all[6..].to_vec())
}

/// Stiffness so small that only tension holds the chain; each mode comes twice, once in each direction.
fn chain_modes(segments: u32) -> Option<Vec<f64>> {
    let section = section(1e5, [1e-7; 2], 1e-3);
    let nodes = (0..=segments).map(|i| DVec3::NEG_Z * (f64::from(i) / f64::from(segments))).collect();
    let mut chain = specimen(nodes, false, section, RestShape::Straight, DVec3::X)?;
    chain.hold(Hold::Node(0)).hold(Hold::Spin(0));
    chain.model.gravity = DVec3::NEG_Z;
    chain.equilibrate()?;
    let all = lowest_frequencies(chain.rod(), chain.shape(), &chain.held(), 6).ok()?;
    Some(all.into_iter().step_by(2).collect())
}

fn ring_modes() -> Option<Vec<f64>> {
    let n = 60;
    let nodes = (0..n)
        .map(|i| TAU * f64::from(i) / f64::from(n))
        .map(|a| DVec3::new(a.cos(), a.sin(), 0.0))
        .collect();
    // m₁ along the axis of the ring, in which direction it is stiff.
    let section = section(1e6, [1e4, 1.0], 1e4);
    let ring = specimen(nodes, true, section, RestShape::AsGiven, DVec3::Z)?;
    let all = lowest_frequencies(ring.rod(), ring.shape(), &ring.held(), 10).ok()?;
    // Six rigid motions, then pairs.
    Some(vec![*all.get(6)?, *all.get(8)?])
}
