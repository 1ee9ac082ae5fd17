//! Loads at which straight, flat or plane shapes stop being stable.

use core::f64::consts::TAU;

/// w L³/EI at which a column clamped at its foot buckles under its own weight: 9/4 of the square of the first zero of the
/// Bessel function J₋₁/₃. Source: Greenhill, Proc. Camb. Phil. Soc. 4, 1881.
pub const SELF_BUCKLING: f64 = 7.837_347_438_943_484;

/// w L³/√(B_n C) at which a cantilever strip on edge tips over under its own weight, its bending before neglected. Source:
/// Timoshenko and Gere, *Theory of Elastic Stability*, § 6.3.
pub const LATERAL_SELF_WEIGHT: f64 = 12.853_763_321_388_48;

/// P L²/√(B_n C) at which a cantilever strip on edge tips over under a load at its tip. Source: as above.
pub const LATERAL_TIP_LOAD: f64 = 4.012_599_343_581_615;

/// The greatest height in m of a column of stiffness `bend` (N·m²) and weight `weight` (N/m), clamped at its foot.
pub fn greatest_height(bend: f64, weight: f64) -> f64 {
    (SELF_BUCKLING * bend / weight).cbrt()
}

/// 2π √3 EI/GJ: the total twist in rad at which a ring closed from a naturally straight, isotropic rod leaves its plane.
/// Source: Michell, Messenger of Math. 11, 1889; Goriely, J. Elasticity 84, 2006.
pub fn michell_twist(bend: f64, twist: f64) -> f64 {
    TAU * 3_f64.sqrt() * bend / twist
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_numbers_come_out() {
        // C/B = 2/3, an incompressible round rod.
        assert!((michell_twist(1.0, 2.0 / 3.0) - 16.324_194_278_107_96).abs() < 1e-12);
        assert!((greatest_height(2.0, 3.0).powi(3) * 3.0 / 2.0 - SELF_BUCKLING).abs() < 1e-12);
    }
}
