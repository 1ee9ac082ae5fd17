//! Euler's column, clamped at its foot, under a dead load along its axis.
//!
//! | symbol | name | unit |
//! |---|---|---|
//! | P | `load` | N |
//! | L | `length` | m |
//! | EI | `bend` | N·m² |
//!
//! Source: Timoshenko and Gere, *Theory of Elastic Stability*, § 2.7.

use core::f64::consts::{FRAC_PI_2, PI};

/// P_cr = π² EI/4L²: the load in N at which a column clamped at its foot buckles.
pub fn clamped_column_load(bend: f64, length: f64) -> f64 {
    PI * PI * bend / (4.0 * length * length)
}

/// K(p) = ∫₀^{π/2} dφ/√(1 − p² sin² φ), by the arithmetic–geometric mean.
pub fn complete_elliptic_k(p: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - p * p).max(0.0).sqrt());
    for _ in 0..40 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    PI / (2.0 * a)
}

/// Lateral deflection in m of the tip of a column under a compressive load; zero below buckling.
///
/// With k = √(P/EI), p = sin(α/2) solves K(p) = k L, and the tip is 2p/k aside.
pub fn column_deflection(load: f64, length: f64, bend: f64) -> f64 {
    let k = (load / bend).max(0.0).sqrt();
    if k * length <= FRAC_PI_2 {
        return 0.0;
    }
    // K(p) rises from π/2 at p = 0 to infinity at p = 1.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..100 {
        let p = 0.5 * (low + high);
        if complete_elliptic_k(p) < k * length { low = p } else { high = p }
    }
    2.0 * low / k
}

/// P/P_cr at which the tip has turned by `angle` (rad): (2 K(sin(α/2))/π)².
pub fn column_load_ratio(angle: f64) -> f64 {
    (2.0 * complete_elliptic_k((0.5 * angle).sin()) / PI).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deflections_match_the_tables() {
        // Timoshenko and Gere, table 2-1: P/P_cr at tip angles of 60° and 100°, computed to more digits; the tip aside, over
        // L.
        for (angle, ratio, aside) in [
            (60.0_f64, 1.151_719_620_469_138_7, 0.593_207_646_164_885_1),
            (100.0, 1.518_388_793_292_393_4, 0.791_539_496_536_919_2),
        ] {
            let critical = clamped_column_load(1.0, 1.0);
            assert!((column_load_ratio(angle.to_radians()) - ratio).abs() < 1e-12);
            assert!((column_deflection(ratio * critical, 1.0, 1.0) - aside).abs() < 1e-9);
            assert!((column_deflection(ratio * critical * 3.0 / 4.0, 2.0, 3.0) - 2.0 * aside).abs() < 1e-9);
        }
        assert_eq!(column_deflection(2.4, 1.0, 1.0), 0.0);
        assert_eq!(column_deflection(-9.0, 1.0, 1.0), 0.0);
    }
}
