//! Lateral-torsional buckling of a cantilever strip on edge.
//!
//! Clamped horizontally with its width upright, the strip bends in its plane until it buckles sideways. B_n is its
//! lateral bending stiffness, B_b that in its plane, C that in torsion.
//!
//! - `lateral_buckling/self_weight`, `/tip_load`: B_b → ∞, w L³/√(B_n C) = 12.853763 and P L²/√(B_n C) = 4.012599.
//! - `/prebent_25`, `/prebent_10`: w L³/B_n with prebending, ν = 0.35, from the exact planar elastica.
//! - `/discrete_20`, `/discrete_40`: the discrete rod itself, held at its first two nodes and counted from the first.
//!
//! Source: Timoshenko and Gere, Theory of Elastic Stability, § 6.3; the others computed independently from the second
//! variation.

use super::ValidationRow;
use super::specimen::{INEXTENSIBLE, clamped_line, section, specimen, threshold};
use glam::DVec3;
use ropewalk_rod::RestShape;
use ropewalk_sim::Hold;

/// C/B_n of a thin strip at ν = 0.35.
const TORSION: f64 = 2.0 / 1.35;

pub(crate) fn run() -> Vec<ValidationRow> {
    let rigid = 1e5;
    let line = |n: u32| clamped_line(n, DVec3::X);
    let plain = |n: u32| (0..=n).map(|i| DVec3::X * (f64::from(i) / f64::from(n))).collect::<Vec<_>>();
    let root = TORSION.sqrt();
    let row = |name: &str, reference: f64, measured: f64, tolerance: f64| {
        let error = (measured / reference - 1.0).abs();
        ValidationRow::new(format!("lateral_buckling/{name}"), reference, measured, error, tolerance)
    };
    vec![
        row("self_weight", 12.853_763_321_388_48, critical(line(80), rigid, false) / root, 0.005),
        row("tip_load", 4.012_599_343_581_615, critical(line(80), rigid, true) / root, 0.005),
        row("prebent_10", 19.133_532_764_754_218, critical(line(80), 10.0, false), 0.005),
        row("prebent_25", 16.731_189_601_740_166, critical(line(80), 25.0, false), 0.005),
        row("discrete_20", 18.098_415_656_668_31, critical(plain(20), 25.0, false), 1e-6),
        row("discrete_40", 17.385_739_254_843_34, critical(plain(40), 25.0, false), 1e-6),
    ]
}

/// The weight per length, or the load at the tip, at which the strip through `nodes` leaves its plane; B_n = L = 1.
fn critical(nodes: Vec<DVec3>, in_plane: f64, tip_load: bool) -> f64 {
    let range = if tip_load { [2.0, 9.0] } else { [8.0, 40.0] };
    threshold(range[0], range[1], |load| {
        // m₁ upright: κ₁ is bending in the upright plane.
        let section = section(INEXTENSIBLE, [in_plane, 1.0], TORSION);
        let last = nodes.len() - 1;
        let mut strip = specimen(nodes.clone(), false, section, RestShape::Straight, DVec3::Z)?;
        strip.hold(Hold::Edge(0));
        if tip_load {
            strip.load(last, DVec3::new(0.0, 0.0, -load));
        } else {
            strip.model.gravity = DVec3::new(0.0, 0.0, -load);
        }
        strip.equilibrate()?;
        Some(strip.is_stable(0.0))
    })
}
