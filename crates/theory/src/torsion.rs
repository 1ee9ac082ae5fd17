//! Torsion of straight shafts.

use core::f64::consts::PI;

/// J/(a b³) of a rectangle of sides a ≥ b: 1/3 (1 − (192 b/π⁵ a) Σ tanh(nπa/2b)/n⁵ over odd n). Source: Timoshenko and
/// Goodier, *Theory of Elasticity*, § 109.
pub fn rectangle_coefficient(ratio: f64) -> f64 {
    let ratio = if ratio < 1.0 { 1.0 / ratio } else { ratio };
    let sum: f64 =
        (0..200).map(|k| f64::from(2 * k + 1)).map(|n| (0.5 * n * PI * ratio).tanh() / n.powi(5)).sum();
    (1.0 - 192.0 / (PI.powi(5) * ratio) * sum) / 3.0
}

/// Torque in N·m of a shaft of stiffness GJ = `twist` (N·m²) turned by `angle` (rad) over `length` (m).
pub fn shaft_torque(twist: f64, angle: f64, length: f64) -> f64 {
    twist * angle / length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_match_the_table() {
        for (ratio, coefficient) in [
            (1.0, 0.140_577_014_955_155_5),
            (2.0, 0.228_681_677_119_572_44),
            (5.0, 0.291_316_754_187_989_5),
            (10.0, 0.312_325_037_457_205_7),
        ] {
            assert!((rectangle_coefficient(ratio) - coefficient).abs() < 1e-11, "{ratio}");
        }
        assert_eq!(shaft_torque(2.0, 3.0, 4.0), 1.5);
    }
}
